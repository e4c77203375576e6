"""From a function object to its text, its tree and its surroundings."""
