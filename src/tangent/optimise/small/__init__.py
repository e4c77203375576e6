"""Small arrays of fixed size, replaced by numbers before a function is differentiated for compiled code."""
