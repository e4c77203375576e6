"""Generators that are read item by item."""
