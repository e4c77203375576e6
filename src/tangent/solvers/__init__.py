"""SciPy's functions that take functions, in terms of derivatives of these, which `backends` knows nothing of.

They are imported when they are differentiated for the first time.
"""
