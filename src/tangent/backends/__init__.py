"""Libraries: which of their names are bound to which rules."""
