"""Gradient surgery: blocks of the user in the backward pass."""
