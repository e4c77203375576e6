"""Rewrites for functions whose argument types are known: when a derivative is compiled for a call."""
