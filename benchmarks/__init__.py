"""Measurements: each file prints what it measures beside its target."""
