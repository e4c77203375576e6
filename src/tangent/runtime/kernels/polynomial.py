"""Kernels of convolution, polynomials (highest power first) and grids."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.calculus import between_zeros
from tangent.runtime.kernels.elementwise import inexact
from tangent.runtime.kernels.reduce import as_dtype


def uncropped(b: Any, na: int, nv: int, mode: str | int, correlate: bool = False) -> Any:
    """b among zeros, at its place in the full convolution of na with nv elements; modes have numbers, too."""
    short = min(na, nv)
    mode = mode if isinstance(mode, str) else ("valid", "same", "full")[mode]
    first = {"full": 0, "same": short // 2 if correlate and nv > na else (short - 1) // 2, "valid": short - 1}[mode]
    return between_zeros(b, first, na + nv - 1 - first - np.shape(b)[0], 0)


def convolve_adjoint(b: Any, a: Any, v: Any) -> Any:
    """The adjoint of a in `np.convolve(a, v)`."""
    return np.convolve(b, np.flip(v), "valid")


def vander_slope(x: Any, n: int | None = None, increasing: bool = False, order: int = 1) -> Any:
    """The derivative of each entry of `np.vander` by its x, or one of higher order."""
    n = np.size(x) if n is None else n
    powers = np.arange(n)
    factors = np.prod([powers - k for k in range(order)], axis=0)
    slope = factors * np.expand_dims(x, -1) ** np.maximum(powers - order, 0)
    return slope if increasing else np.flip(slope, -1)


def widened(b: Any, n: int) -> Any:
    """n coefficients, of which b are the last."""
    return between_zeros(b, n - np.shape(b)[0], 0, 0)


def tail(t: Any, y: Any) -> Any:
    """The last coefficients of t, as many as y has."""
    return t[np.size(t) - np.size(y) :]


def polymul_adjoint(b: Any, a: Any, v: Any) -> Any:
    """The adjoint of a in `np.polymul(a, v)`; no coefficients are those of 0."""
    a, v = np.ravel(a), np.ravel(v)
    if np.size(a) == 0 or np.size(v) == 0:
        return np.zeros(np.size(a))
    return convolve_adjoint(widened(b, np.size(a) + np.size(v) - 1), a, v)


def polymul_tangent(t: Any, v: Any, y: Any) -> Any:
    """The tangent of y, a product with v, for the tangent t of the other factor."""
    if np.size(t) == 0 or np.size(v) == 0:
        return np.zeros_like(y)
    return tail(np.convolve(np.ravel(t), np.ravel(v)), y)


def series_quotient(t: Any, v: Any) -> Any:
    """The q whose product with v begins with t: as many coefficients as t has."""
    return np.polydiv(between_zeros(t, 0, np.size(v) - 1, 0), v)[0]


def polydiv_adjoint(b: Any, q: Any, u: Any, v: Any) -> Any:
    """The adjoint of u in `q, r = np.polydiv(u, v)`."""
    br = widened(b[1], np.size(u))
    if np.size(u) < np.size(v):
        return br
    bq = b[0] - convolve_adjoint(br, q, v)
    return br + between_zeros(np.flip(series_quotient(np.flip(bq), v)), 0, np.size(v) - 1, 0)


def polydiv_tangent(du: Any, dv: Any, y: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """The tangents of quotient and remainder for those of u and v, which may be 0."""
    q, r = y
    if np.size(u) < np.size(v):
        return 0.0 * q, tail(du + np.zeros_like(r), r)
    t = du - np.convolve(q, dv + np.zeros_like(v))
    dq = series_quotient(t[: np.size(q)], v)
    return dq, tail(t - np.convolve(dq, v), r)


def polyval_slope(p: Any, x: Any) -> Any:
    """The derivative of `np.polyval(p, x)` by x; a matrix p has coefficients of several polynomials in its rows."""
    n = np.shape(p)[0]
    return np.polyval(
        np.polyder(p) if np.ndim(p) == 1 else np.transpose(np.transpose(p[:-1]) * np.arange(n - 1, 0, -1)), x
    )


def polyval_coefficients(b: Any, p: Any, x: Any) -> Any:
    """The adjoint of the coefficients in `np.polyval(p, x)`."""
    n = np.shape(p)[0]
    if np.ndim(p) == 1:
        return np.ravel(b) @ np.vander(np.ravel(inexact(x)), n)
    rows = [unbroadcast(b * np.power(inexact(x), n - 1 - k), p[k]) for k in range(n)]
    return np.stack(rows) if rows else np.zeros(np.shape(p))


def poly_slopes(a: Any, y: Any) -> Any:
    """The derivatives of the coefficients y of `np.poly(a)`, but the first, by each of the zeros or entries of a."""
    if np.ndim(a) == 2:
        return characteristic_slopes(a, y)
    rows: list[Any] = []
    for i in range(np.size(a)):
        rows = [*rows, -np.poly(np.delete(a, i)) * np.ones(np.size(a))]
    return np.stack(rows) if rows else np.zeros((0, 0))


def characteristic_slopes(a: Any, y: Any) -> Any:
    """The same for a matrix: `-tr(B dA)`, where B are the coefficients of the adjugate of `t I - a`."""
    unit = np.eye(np.shape(a)[0])
    b = unit
    slopes: list[Any] = [-unit]
    for k in range(1, np.shape(a)[0]):
        b = a @ b + y[k] * unit
        slopes = [*slopes, -np.transpose(b)]
    return np.stack(slopes, axis=-1)


def is_start(stop: Any) -> float:
    """Whether the first argument of `np.arange` is where it starts: 1.0 if another says where it stops."""
    return 0.0 if stop is None else 1.0


def steps(num: int, endpoint: bool = True) -> Any:
    """The places of the points of a grid, from 0 to 1."""
    return np.arange(num) / max(num - 1 if endpoint else num, 1)


def beside_grid(base: Any, start: Any, stop: Any, axis: int = 0) -> Any:
    """The base of `np.logspace`, broadcast against its grid: an array has an axis of length 1 where the points go."""
    if np.ndim(base) == 0:
        return base
    return np.expand_dims(np.array(base, ndmin=max(np.ndim(start), np.ndim(stop))), axis)


def uncut(y: Any, function: str, start: Any, stop: Any, base: Any = 10.0) -> Any:
    """The points y of a grid, which are not the real parts of complex ones."""
    if np.isrealobj(y) and (np.iscomplexobj(start) or np.iscomplexobj(stop) or np.iscomplexobj(base)):
        raise UnsupportedError(
            f"cannot differentiate '{function}' with the keyword 'dtype' here",
            why="it takes the real part of complex points, and the derivative needs the points",
            todo=f"Write np.real({function}(...)).",
        )
    return y


def exponents(start: Any, stop: Any, num: int, endpoint: bool, base: Any, axis: int = 0) -> Any:
    """The exponents of the grid of `np.logspace`."""
    return np.linspace(
        np.array(start, ndmin=np.ndim(base)), np.array(stop, ndmin=np.ndim(base)), num, endpoint, axis=axis
    )


def along(b: Any, t: Any, axis: int = 0) -> Any:
    """The sum of b along the axis with the weights t."""
    return np.moveaxis(b, axis, -1) @ t


def across(x: Any, t: Any, y: Any, axis: int = 0) -> Any:
    """The transpose of `along`: x times each of the weights t, in the shape of y."""
    full = np.broadcast_to(x, np.shape(np.moveaxis(y, axis, -1))[:-1])
    return as_dtype(np.moveaxis(np.expand_dims(full, -1) * t, -1, axis), y)
