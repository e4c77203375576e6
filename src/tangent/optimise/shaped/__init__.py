"""Rewrites for arguments of known kinds and shapes: what the run-time functions decide, decided once."""
