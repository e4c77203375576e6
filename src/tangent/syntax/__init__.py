"""The tree itself: the standard library's `ast`, treated as immutable, and tools to read, build and print it."""
