"""Kernels of differences, integrals and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.reduce import Axis, reduced_axes


def diff_adjoint(b: Any, n: int, axis: int) -> Any:
    """The transpose of `np.diff`."""
    for _ in range(n):
        b = -np.diff(between_zeros(b, 1, 1, axis), axis=axis)
    return b


def stretch(b: Any, start: int, n: int, axis: int) -> Any:
    """n elements of b along the axis, from `start` on."""
    return np.moveaxis(np.moveaxis(b, axis, 0)[start : start + n], 0, axis)


def between_zeros(t: Any, before: int, behind: int, axis: int) -> Any:
    """t with zeros before and behind it along the axis: the transpose of `stretch`."""
    widths = [(0, 0)] * np.ndim(t)
    widths[axis] = (before, behind)
    return np.pad(t, widths)


def extent(x: Any, axis: int) -> int:
    """How many places along the axis something takes that is put before or behind an array: a number takes one."""
    if x is None:
        return 0
    return int(np.shape(x)[axis]) if np.ndim(x) else 1


def piece(t: Any, a: Any, axis: int) -> Any:
    """t as it is put before or behind a along the axis."""
    shape = list(np.shape(a))
    shape[axis] = extent(t, axis)
    return np.broadcast_to(t, shape)


def trapezoid_weights(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """The weights of the values y in the trapezoidal rule."""
    h = _spacing(y, x, dx, axis)
    return 0.5 * (between_zeros(h, 1, 0, axis) + between_zeros(h, 0, 1, axis))


def _spacing(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """The widths of the intervals between the values y."""
    gaps = np.zeros_like(stretch(y, 1, np.shape(y)[axis] - 1, axis))
    if x is None:
        return gaps + dx
    if np.ndim(x) == np.ndim(y):
        return gaps + np.diff(x, axis=axis)
    return np.moveaxis(np.moveaxis(gaps, axis, -1) + np.diff(x), -1, axis)


def trapezoid_nodes(b: Any, y: Any, x: Any, axis: int) -> Any:
    """The adjoint of the nodes x in the trapezoidal rule, b being that of the result."""
    n = np.shape(y)[axis] - 1
    middle = 0.5 * (stretch(y, 0, n, axis) + stretch(y, 1, n, axis))
    bx = diff_adjoint(middle * b, 1, axis)
    return bx if np.ndim(x) == np.ndim(y) else np.moveaxis(bx, axis, -1)


def gradient_adjoint(b: Any, f: Any, varargs: tuple[Any, ...], axis: Axis, edge_order: int) -> Any:
    """The transpose of `np.gradient`: five combs of ones show every coefficient of its differences."""
    axes = reduced_axes(f, axis)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    parts = [b] if len(axes) == 1 else b
    return sum(
        np.moveaxis(_differences_adjoint(np.moveaxis(p, i, -1), h, edge_order), -1, i)
        for p, i, h in zip(parts, axes, steps)
    )


def _differences_adjoint(b: Any, h: Any, edge_order: int) -> Any:
    """The transpose of `np.gradient` along the last axis."""
    n = np.shape(b)[-1]
    i, column = np.arange(n)[:, None], np.arange(n)[:, None] + np.arange(-2, 3)
    combs = _gradient(np.equal(np.arange(n) % 5, np.arange(5)[:, None]) * 1.0, (h,), 1, edge_order)
    inside = (column >= 0) & (column < n)
    rows = np.where((column >= 0) & (column < n), column, 0)
    return np.sum(np.where(inside, combs[i % 5, rows], 0.0) * np.asarray(b)[..., rows], axis=-1)


def _gradient(f: Any, varargs: tuple[Any, ...], axis: Axis, edge_order: Any) -> Any:
    return np.gradient(f, *varargs, axis=axis, edge_order=edge_order)


def spacing_adjoint(b: Any, y: Any, varargs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The adjoints of the spacings of `np.gradient`: its differences go with their inverse."""
    parts = list(zip(b, y)) if isinstance(y, list | tuple) else [(b, y)]
    _refuse_coordinates(varargs)
    shares = [-np.sum(p * q) for p, q in parts]
    return (sum(shares) / varargs[0],) if len(varargs) == 1 else tuple(s / h for s, h in zip(shares, varargs))


def _refuse_coordinates(varargs: tuple[Any, ...]) -> None:
    if any(np.ndim(h) for h in varargs):
        raise NotImplementedError("np.gradient: its derivative by coordinates is not known; pass numbers as spacings")


def gradient_tangent(t: Any, dh: Any, y: Any, varargs: tuple[Any, ...], axis: Axis, edge_order: int) -> Any:
    """The tangent of `np.gradient`: t is that of the values, or 0, and dh those of the spacings, or 0."""
    values = _gradient(t, varargs, axis, edge_order) if np.ndim(t) else 0.0 * np.asarray(y)
    if not isinstance(dh, tuple) or not dh:
        return values
    if not isinstance(y, list | tuple):
        return values - y * (dh[0] / varargs[0])
    _refuse_coordinates(varargs)
    rates = [r / h for r, h in zip(dh, varargs)] * (len(y) if len(varargs) == 1 else 1)
    return type(y)(v - q * r for v, q, r in zip(values, y, rates))


def interp_nodes(x: Any, xp: Any, period: Any = None) -> tuple[Any, Any]:
    """The indices of the nodes before and behind each x; both are the same beyond the ends."""
    if period is None:
        xp = np.asarray(xp)
        j = np.searchsorted(xp, x, side="right")
        return np.maximum(j - 1, 0), np.minimum(j, xp.size - 1)
    order = np.argsort(np.mod(xp, period))
    j = np.searchsorted(np.mod(xp, period)[order], np.mod(x, period), side="right")
    return order[j - 1], order[j % order.size]


def interp_fraction(x: Any, xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """How far x is on the way from node i to node j, from 0 to 1."""
    way = x - xp[i] if period is None else np.mod(x - xp[i], period)
    return np.where(i == j, 0.0, way) / interp_width(xp, i, j, period)


def interp_width(xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """The width of the interval between two nodes, 1 if they are one."""
    width = xp[j] - xp[i] if period is None else np.mod(xp[j] - xp[i], period)
    return np.where(i == j, 1.0, width)


def interp_slope(x: Any, xp: Any, fp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """The slope of the interpolation at x, 0 beyond the ends."""
    return (fp[j] - fp[i]) / interp_width(xp, i, j, period)


def interp_turns(x: Any, xp: Any, i: Any, j: Any, t: Any, period: Any) -> Any:
    """What a longer period does to the place of x between its nodes: each turn that it takes off is longer."""
    return t * np.floor((xp[j] - xp[i]) / period) - np.floor((x - xp[i]) / period)


def interp_inside(x: Any, xp: Any, left: Any, right: Any, period: Any = None) -> Any:
    """1.0 where the value is made of those at the nodes, 0.0 where it is `left` or `right`."""
    if period is not None:
        return 1.0
    below = np.less(x, xp[0]) & (left is not None)
    return 1.0 - (below | (np.greater(x, xp[-1]) & (right is not None)))


def sum_at(v: Any, i: Any, n: int) -> Any:
    """n sums: each v is added to the one that its index i names."""
    v = np.asarray(v)
    if v.dtype == np.float64:
        return np.bincount(np.ravel(i), np.ravel(v), n)
    out = np.zeros(n, v.dtype)
    np.add.at(out, np.ravel(i), np.ravel(v))
    return out
