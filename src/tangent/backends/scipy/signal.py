"""`scipy.signal`: convolutions of vectors, in terms of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.scipy.kernels import cropped, require_vectors


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution of two vectors."""
    require_vectors("convolve", in1, in2)
    full = np.convolve(in1, in2)
    return cropped(full, np.size(in1), np.size(in2), mode)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The same."""
    return convolve(in1, in2, mode)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution with the other one backwards."""
    return convolve(in1, np.conj(np.flip(in2)), mode)
