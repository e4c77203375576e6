"""Small arrays of numbers that are nothing special: no ties, no zeros, no symmetry."""

import numpy as np


def signed(*shape, shift=0.0):
    """Numbers between -2 and 2, none closer to zero than 0.1."""
    count = int(np.prod(shape))
    raw = 2.0 * np.sin(1.7 * np.arange(1, count + 1) + shift + 0.3 * count)
    return np.where(np.abs(raw) < 0.1, raw + np.copysign(0.25, raw), raw).reshape(shape)


def positive(*shape, shift=0.0):
    """Numbers between 0.4 and 2.4."""
    count = int(np.prod(shape))
    return (1.4 + np.sin(2.3 * np.arange(1, count + 1) + shift)).reshape(shape)


def spd(n, shift=0.0):
    """A symmetric positive definite matrix."""
    a = signed(n, n, shift=shift)
    return a @ a.T + 2.0 * np.eye(n)
