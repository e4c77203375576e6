"""Generated modules through Numba: the form that it takes, the build, its disk cache, its errors."""
