"""Kernels of the rules of `scipy.ndimage`, and of what is written out in `ndimage.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from tangent.errors import UnsupportedError

PADDED: dict[str, Any] = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
    "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}  # fmt: skip


def require_real_output(function: str, x: Any, output: Any) -> Any:
    """An array of real numbers, whose filtered values are such, too."""
    if output is not None:
        raise UnsupportedError(
            f"cannot differentiate 'scipy.ndimage.{function}' with the keyword 'output'",
            why="it writes into an array, or cuts numbers to a type",
            todo="Assign the result instead.",
        )
    x = np.asarray(x)
    if x.dtype.kind != "f":
        raise UnsupportedError(
            f"cannot differentiate 'scipy.ndimage.{function}' of {x.dtype.name} numbers",
            why="the result is cut to that type",
            todo="Convert it to floats first.",
        )
    return x


def correlated(x: Any, w: Any) -> Any:
    """The sums of the products of w with what it lies on, wherever it fits into x."""
    full = ndimage.correlate(x, w, mode="constant")
    return full[tuple([slice(m // 2, m // 2 + n - m + 1) for n, m in zip(np.shape(x), np.shape(w))])]


def surrounded(b: Any, w: Any) -> Any:
    """An array with as many zeros around it as lie under w at most."""
    return np.pad(b, [(m - 1, m - 1) for m in np.shape(w)])


def tap_products(x: Any, b: Any) -> Any:
    """The adjoint of w in `correlated`: a sum of products for each of its elements."""
    shape = tuple([n - m + 1 for n, m in zip(np.shape(x), np.shape(b))])
    sums = [np.sum(x[tuple([slice(k, k + m) for k, m in zip(at, np.shape(b))])] * b) for at in np.ndindex(*shape)]
    return np.reshape(np.stack(sums), shape)


def around(x: Any, margins: Any, modes: Any, cval: Any) -> Any:
    """An array with its surroundings: numbers before and behind along each axis, in the mode of that axis."""
    for axis, (pair, mode) in enumerate(zip(margins, modes)):
        if pair != (0, 0):
            width = [pair if k == axis else (0, 0) for k in range(np.ndim(x))]
            if PADDED[mode] == "constant":
                x = np.pad(x, width, constant_values=cval)
            else:
                x = np.pad(x, width, mode=PADDED[mode])
    return x


def filtered(x: Any, w: Any, modes: Any, cval: Any, origins: Any) -> Any:
    """The correlation of an array that goes on beyond its edges with w, as many axes as the array has."""
    sizes = np.shape(w)
    margins = [(m // 2 + o, m - 1 - m // 2 - o) for m, o in zip(sizes, origins)]
    return correlated(around(x, margins, modes, cval), w)


def edges(function: str, x: Any, axis: int, output: Any, mode: Any, cval: Any, across: Any) -> Any:
    """Differences along one axis, smoothed along the others."""
    x = require_real_output(function, x, output)
    n = np.ndim(x)
    modes = for_each(mode, n)
    found = ndimage.correlate1d(x, [-1.0, 0.0, 1.0], axis, None, modes[axis], cval)
    for k in range(n):
        if k != axis % n:
            found = ndimage.correlate1d(found, across, k, None, modes[k], cval)
    return found


def for_each(value: Any, n: int) -> list[Any]:
    """An option for each axis."""
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value] * n


def along(w: Any, axis: int, ndim: int) -> Any:
    """A line of weights as an array that is as long along one axis."""
    w = np.asarray(w)
    return np.reshape(w, [np.size(w) if k == axis % ndim else 1 for k in range(ndim)])


def gaussian_weights(sigma: Any, order: int, radius: int) -> Any:
    """A normal density at whole numbers, that sums up to 1, or a derivative of it."""
    x = np.arange(-radius, radius + 1)
    density = np.exp(-0.5 * x * x / (sigma * sigma))
    density = density / np.sum(density)
    q: Any = [1.0]
    for _ in range(order):
        slope = [k * q[k] for k in range(1, len(q))] + [0.0, 0.0]
        lower = [0.0] + [v / (sigma * sigma) for v in q]
        q = [a - b for a, b in zip(slope, lower)]
    factor = 0.0
    for k in range(len(q)):
        factor = factor + q[k] * np.power(x, k)
    return factor * density


# Interpolation


def spline_matrix(n: int, order: int, mode: str) -> Any:
    """The matrix that gives the coefficients of a spline through n numbers."""
    return ndimage.spline_filter1d(np.eye(n), order, 0, mode=mode)


def folded(i: Any, n: int, mode: str) -> Any:
    """Places outside of n numbers as the mode continues these."""
    if mode == "grid-wrap":
        return np.mod(i, n)
    if mode == "nearest":
        return np.clip(i, 0, n - 1)
    if mode in ("reflect", "grid-mirror"):
        k = np.mod(i + 0.5, 2 * n) - 0.5
        return np.where(k > n - 0.5, 2 * n - 1 - k, k)
    k = np.mod(i, max(2 * n - 2, 1))
    return np.where(k > n - 1, 2 * n - 2 - k, k)


def basis(x: Any, order: int) -> Any:
    """The first of the numbers that a spline takes at x, and the weights of these."""
    if order in (0, 2):
        i = np.floor(x + 0.5)
        t = x - i
        if order == 0:
            return i, [np.ones(np.shape(x))]
        return i - 1, [0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2]
    i = np.floor(x)
    t = x - i
    if order == 1:
        return i, [1.0 - t, t]
    u = 1.0 - t
    near, far = (4.0 - 6.0 * t * t + 3.0 * t**3) / 6.0, (4.0 - 6.0 * u * u + 3.0 * u**3) / 6.0
    return i - 1, [u**3 / 6.0, near, far, t**3 / 6.0]
