"""Kernels of the rules of `scipy.signal`, and of what is written out in `signal.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal


def turned_convolution(b: Any, other: Any, x: Any, mode: str, axes: Any) -> Any:
    """The adjoint of x, of which b is that of its convolution with the other one."""
    places = tuple(range(np.ndim(x))) if axes is None else tuple(np.atleast_1d(axes))
    full = uncut(b, np.shape(x), np.shape(other), mode, places)
    if axes is None:
        return signal.convolve(full, np.flip(other), "valid")
    return signal.fftconvolve(full, np.flip(other, places), "valid", axes)


def uncut(b: Any, n: Any, m: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """The adjoint of a full convolution of arrays of the shapes n and m, from that of its middle."""
    if mode == "full":
        return b
    short = [n[k] + m[k] - 1 - np.shape(b)[k] if k in axes else 0 for k in range(np.ndim(b))]
    return np.pad(b, [(k // 2, k - k // 2) for k in short])


def image_convolution(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, before: int) -> Any:
    """The convolution of an image with its surroundings; of an even kernel the middle has one more before or behind."""
    x, kernel = np.asarray(in1), np.asarray(in2)
    if mode == "valid":
        return signal.convolve(x, kernel, "valid", "direct")
    full = signal.convolve(with_surroundings(x, np.shape(kernel), boundary, fillvalue), kernel, "valid", "direct")
    if mode == "full":
        return full
    first = [(m - before) // 2 for m in np.shape(kernel)]
    return full[tuple([slice(i, i + n) for i, n in zip(first, np.shape(x))])]


def with_surroundings(x: Any, kernel: Any, boundary: str, fillvalue: Any) -> Any:
    """An image with what a kernel of some shape sees around it."""
    margins = [(m - 1, m - 1) for m in kernel]
    if boundary in ("fill", "pad"):
        return np.pad(x, margins, constant_values=fillvalue)
    return np.pad(x, margins, mode="wrap") if boundary in ("wrap", "circular") else np.pad(x, margins, mode="symmetric")


# Filters


def given_taps(b: Any, *others: Any) -> Any:
    """The coefficients of a filter, in the precision in which it computes: double, if all are integers."""
    b = np.atleast_1d(b)
    kind = np.result_type(b, *[np.asarray(v) for v in others])
    return b.astype(kind if kind.kind in "fc" else float)


def along_last(x: Any, axis: int) -> Any:
    return np.moveaxis(np.asarray(x), axis, -1)


def shifted_sum(taps: Any, x: Any, size: int) -> Any:
    """The convolution of taps with x along its last axis, with zeros up to a size."""
    lead = (1,) * (np.ndim(x) - 1)
    full = signal.convolve(x, np.reshape(taps, (*lead, -1)), "full", "direct")
    return np.pad(full, [(0, 0)] * (np.ndim(x) - 1) + [(0, size - np.shape(full)[-1])])


def all_pole(a: Any, u: Any) -> Any:
    """The y whose convolution with a is u, as far as u goes."""
    return signal.lfilter([1.0], a, u)


def all_pole_turned(a: Any, b: Any) -> Any:
    """The adjoint of u in `all_pole`: the same filter, backwards."""
    return np.flip(all_pole(a, np.flip(b, -1)), -1)


def lagged_products(g: Any, y: Any, n: int) -> Any:
    """Sums of the products of g with y, that many times shifted."""
    size = np.shape(y)[-1]
    return np.stack([np.sum(g[..., k:] * y[..., : max(size - k, 0)]) for k in range(n)])


def filtered_sections(sos: Any, x: Any, axis: int) -> Any:
    for i in range(len(sos)):
        x = signal.lfilter(sos[i, :3], sos[i, 3:], x, axis)
    return x
