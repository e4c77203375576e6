"""`scipy.signal`: correlations and filters, in terms of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from tangent.backends.scipy.kernels_signal import (
    all_pole,
    along_last,
    filtered_sections,
    given_taps,
    image_convolution,
    shifted_sum,
)


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The convolution with the other one backwards."""
    return signal.convolve(in1, np.conj(np.flip(in2)), mode, method)


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """The convolution of an image that goes on beyond its edges."""
    return image_convolution(in1, in2, mode, boundary, fillvalue, 1)


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    return image_convolution(in1, np.conj(np.flip(in2)), mode, boundary, fillvalue, 0)


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """What is fed in, in the sense of b, and then fed back, in that of a."""
    x = along_last(x, axis)
    taps, poles = given_taps(b, a, x), given_taps(a, b, x)
    n, order = np.shape(x)[-1], max(len(taps), len(poles)) - 1
    fed = shifted_sum(taps / poles[0], x, n + order)
    if zi is not None:
        start = along_last(zi, axis)
        fed = fed + np.concatenate([start, np.zeros((*np.shape(start)[:-1], n))], axis=-1)
    poles = poles / poles[0]
    y = all_pole(poles, fed[..., :n])
    out = np.moveaxis(y, -1, axis)
    if zi is None:
        return out
    return out, np.moveaxis((fed - shifted_sum(poles, y, n + order))[..., n:], -1, axis)


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Sections of the second order, one after the other."""
    sos = np.asarray(sos)
    if zi is None:
        return filtered_sections(sos, x, axis)
    after: Any = []
    for i in range(len(sos)):
        x, rest = signal.lfilter(sos[i, :3], sos[i, 3:], x, axis, zi[i])
        after = [*after, rest]
    return x, np.stack(after)
