"""Shapes, dtypes and kinds of values before they exist."""
