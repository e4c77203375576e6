"""The windows of NumPy in terms of what has rules: their length may be no integer, and then they have a slope by it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def window_angles(M: Any) -> Any:
    """The places in a window of length M, from -pi to pi."""
    return np.arange(1 - M, M, 2) * (math.pi / (M - 1))


def cosine_window(M: Any, mean: float, first: float, second: float) -> Any:
    """A sum of cosines; of one place, 1."""
    if M <= 1:
        return np.ones(int(M))
    angles = window_angles(M)
    return mean + first * np.cos(angles) + second * np.cos(2.0 * angles)


def hanning_window(M: Any) -> Any:
    """`np.hanning`."""
    return cosine_window(M, 0.5, 0.5, 0.0)


def hamming_window(M: Any) -> Any:
    """`np.hamming`."""
    return cosine_window(M, 0.54, 0.46, 0.0)


def blackman_window(M: Any) -> Any:
    """`np.blackman`."""
    return cosine_window(M, 0.42, 0.5, 0.08)


def bartlett_window(M: Any) -> Any:
    """`np.bartlett`."""
    return np.ones(int(M)) if M <= 1 else 1.0 - np.abs(window_angles(M)) / math.pi


def kaiser_window(M: Any, beta: Any) -> Any:
    """`np.kaiser`."""
    half = 0.5 * (M - 1) if M > 1 else 0.5
    places = (np.arange(M) - 0.5 * (M - 1)) / half
    return np.i0(beta * np.sqrt(1.0 - places * places)) / np.i0(beta)
