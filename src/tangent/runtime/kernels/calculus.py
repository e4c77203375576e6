"""Kernels of differences, integrals and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.elementwise import inexact
from tangent.runtime.kernels.reduce import Axis, as_dtype, reduced_axes


def diff_adjoint(b: Any, n: int, axis: int) -> Any:
    """The transpose of `np.diff`."""
    for _ in range(n):
        out = between_zeros(b, 1, 0, axis)
        stretch(out, 0, np.shape(b)[axis], axis)[...] -= b
        b = out
    return b


def undiff(b: Any, x: Any, n: int = 1, axis: int = -1) -> Any:
    """The adjoint of x in `np.diff(x, n, axis)`, of which nothing may be left."""
    return as_dtype(stretch(diff_adjoint(b, n, axis), 0, np.shape(x)[axis], axis), x)


def stretch(b: Any, start: int, n: int, axis: int) -> Any:
    """n elements of b along the axis, from `start` on."""
    every = (slice(None),) * int(axis if axis >= 0 else -1 - axis)
    chosen = slice(start, start + n)
    index: Any = (*every, chosen) if axis >= 0 else (..., chosen, *every)
    return np.asarray(b)[index]


def between_zeros(t: Any, before: int, behind: int, axis: int) -> Any:
    """t with zeros before and behind it along the axis: the transpose of `stretch`."""
    n = np.shape(t)[axis]
    shape = list(np.shape(t))
    shape[axis] = before + n + behind
    out = np.zeros(shape, np.asarray(t).dtype)
    stretch(out, before, n, axis)[...] = t
    return out


def extent(x: Any, axis: int | None) -> int:
    """How many places along the axis something takes that is put before or behind an array: a number takes one."""
    if x is None:
        return 0
    if axis is None:
        return np.size(x)
    return int(np.shape(x)[axis]) if np.ndim(x) else 1


def piece(t: Any, a: Any, axis: int) -> Any:
    """t as it is put before or behind a along the axis."""
    shape = list(np.shape(a))
    shape[axis] = extent(t, axis)
    return np.broadcast_to(t, shape)


def trapezoid_weights(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The weights of the values y in the trapezoidal rule."""
    if np.shape(y)[axis] == 0:
        return np.zeros_like(y)
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


def nodes_tangent(t: Any, y: Any, axis: int = -1) -> Any:
    """The tangent of the nodes of the trapezoidal rule; zero where none are given, and all are 1 apart."""
    return np.zeros_like(y, shape=np.shape(y)[axis]) if t is None else t


def trapezoid_nodes(b: Any, y: Any, x: Any, axis: int) -> Any:
    """The adjoint of the nodes x in the trapezoidal rule, b being that of the result."""
    bx = diff_adjoint(middles(y, axis) * b, 1, axis)
    return bx if np.ndim(x) == np.ndim(y) else np.moveaxis(bx, axis, -1)


def unless_given(other: Any, v: Any) -> Any:
    """v, but zeros where another argument is given that counts in place of the one that v belongs to."""
    return v if other is None else np.zeros_like(v)


def middles(y: Any, axis: int = -1) -> Any:
    """The means of neighbours along an axis."""
    n = max(np.shape(y)[axis] - 1, 0)
    return 0.5 * (stretch(y, 0, n, axis) + stretch(y, 1, n, axis))


# `np.gradient` along one axis mixes the slopes s of neighbouring intervals, whose widths are u: inside with weights
# that are larger for the nearer node, at the ends the slope itself, or its extrapolation (edge_order 2).


def gradient_adjoint(b: Any, f: Any, varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """The adjoint of f in `np.gradient(f, *varargs)`."""
    axes = reduced_axes(f, axis)
    out: Any = 0.0
    for k in range(len(axes)):
        part = b if len(axes) == 1 else b[k]
        u = interval_widths(spacing_along(varargs, k), np.shape(f)[axes[k]])
        bs = slopes_adjoint(np.moveaxis(part, axes[k], -1), u, edge_order)
        out = out + np.moveaxis(diff_adjoint(bs / u, 1, -1), -1, axes[k])
    return unbroadcast(out, f)


def spacing_adjoint(b: Any, f: Any, varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """The adjoints of the spacings or coordinates in `np.gradient(f, *varargs)`."""
    axes = reduced_axes(f, axis)
    parts: list[Any] = []
    for k in range(len(axes)):
        part = np.moveaxis(b if len(axes) == 1 else b[k], axes[k], -1)
        h = spacing_along(varargs, k)
        u = interval_widths(h, np.shape(f)[axes[k]])
        s = np.diff(np.moveaxis(inexact(f), axes[k], -1)) / u
        bu = over_rows(-slopes_adjoint(part, u, edge_order) * s / u)
        bu = bu + weights_of_widths_adjoint(over_rows(inner_adjoint(part, edge_order) * np.diff(s)), u)
        parts = [*parts, unbroadcast(diff_adjoint(bu, 1, 0) if np.ndim(h) else np.sum(bu), h)]
    return tuple(parts) if len(varargs) == len(parts) else (unbroadcast(np.sum(np.stack(parts)), varargs[0]),)


def gradient_tangent(t: Any, dh: Any, f: Any, varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """The tangent of `np.gradient(f, *varargs)`, t being that of f and dh those of the spacings."""
    axes = reduced_axes(f, axis)
    parts: list[Any] = []
    for k in range(len(axes)):
        u = interval_widths(spacing_along(varargs, k), np.shape(f)[axes[k]])
        ds = np.diff(np.moveaxis(t, axes[k], -1)) / u
        dy = mixed_slopes(ds, inner_slopes(ds, u), edge_order)
        if varargs:
            du = interval_widths(spacing_along(dh, k), np.shape(f)[axes[k]])
            s = np.diff(np.moveaxis(inexact(f), axes[k], -1)) / u
            ds = -s * du / u
            both = u[:-1] + u[1:]
            dw = du[:-1] / both * (u[1:] / both) - u[:-1] / both * (du[1:] / both)
            dy = dy + mixed_slopes(ds, inner_slopes(ds, u) + dw * np.diff(s), edge_order)
        parts = [*parts, as_dtype(np.moveaxis(dy, -1, axes[k]), f)]
    return parts[0] if len(parts) == 1 else tuple(parts)


def spacing_along(varargs: Any, k: int) -> Any:
    """The spacing or the coordinates along the k-th axis of `np.gradient`."""
    if len(varargs) == 0:
        return 1.0
    return varargs[0] if len(varargs) == 1 else varargs[k]


def interval_widths(h: Any, n: int) -> Any:
    """The widths of the intervals between n nodes, which have a spacing or coordinates h."""
    return np.diff(inexact(h)) if np.ndim(h) else h * np.ones(n - 1)


def inner_slopes(s: Any, u: Any) -> Any:
    """The slopes at the nodes inside, from those of the intervals."""
    w = u[:-1] / (u[:-1] + u[1:])
    return s[..., :-1] * (1.0 - w) + s[..., 1:] * w


def mixed_slopes(s: Any, inner: Any, edge_order: int) -> Any:
    """The slopes at all nodes."""
    first, last = s[..., :1], s[..., -1:]
    if edge_order == 2:
        first, last = 2.0 * first - inner[..., :1], 2.0 * last - inner[..., -1:]
    return np.concatenate([first, inner, last], axis=-1)


def inner_adjoint(b: Any, edge_order: int) -> Any:
    """The adjoint of the slopes at the nodes inside in `mixed_slopes`."""
    inner = b[..., 1:-1]
    if edge_order == 1:
        return inner
    n = np.shape(inner)[-1]
    return inner - between_zeros(b[..., :1], 0, n - 1, -1) - between_zeros(b[..., -1:], n - 1, 0, -1)


def slopes_adjoint(b: Any, u: Any, edge_order: int) -> Any:
    """The adjoint of the slopes of the intervals in `mixed_slopes`, directly and through `inner_slopes`."""
    w = u[:-1] / (u[:-1] + u[1:])
    inner = inner_adjoint(b, edge_order)
    n = np.shape(inner)[-1]
    ends = between_zeros(b[..., :1], 0, n, -1) + between_zeros(b[..., -1:], n, 0, -1)
    return edge_order * ends + between_zeros(inner * (1.0 - w), 0, 1, -1) + between_zeros(inner * w, 1, 0, -1)


def weights_of_widths_adjoint(b: Any, u: Any) -> Any:
    """The adjoint of the widths u in the weights `u[:-1] / (u[:-1] + u[1:])`."""
    both = u[:-1] + u[1:]
    return between_zeros(u[1:] / both * b / both, 0, 1, 0) - between_zeros(u[:-1] / both * b / both, 1, 0, 0)


def over_rows(x: Any) -> Any:
    """The sum over all axes but the last."""
    return np.sum(x, axis=tuple(range(np.ndim(x) - 1)))


def interp_nodes(x: Any, xp: Any, period: Any = None) -> tuple[Any, Any]:
    """The indices of the nodes before and behind each x; both are the same beyond the ends."""
    if period is None:
        xp = np.asarray(xp)
        j = np.searchsorted(xp, x, side="right")
        return np.maximum(j - 1, 0), np.minimum(j, xp.size - 1)
    folded = np.mod(xp, abs(period))
    order = np.argsort(folded)
    j = np.searchsorted(folded[order], np.mod(x, abs(period)), side="right")
    return order[j - 1], order[j % order.size]


def interp_fraction(x: Any, xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """How far x is on the way from node i to node j, from 0 to 1."""
    way = x - np.take(np.asarray(xp, float), i)
    way = way if period is None else np.mod(way, abs(period))
    return np.where(i == j, 0.0, way) / interp_width(xp, i, j, period)


def interp_width(xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """The width of the interval between two nodes, 1 if they are one."""
    nodes = np.asarray(xp, float)
    width = np.take(nodes, j) - np.take(nodes, i)
    width = width if period is None else np.mod(width, abs(period))
    return np.where(i == j, 1.0, width)


def interp_slope(x: Any, xp: Any, fp: Any, i: Any, j: Any, period: Any = None) -> Any:
    """The slope of the interpolation at x, 0 beyond the ends."""
    values = np.asarray(fp, complex if np.iscomplexobj(fp) else float)
    return (np.take(values, j) - np.take(values, i)) / interp_width(xp, i, j, period)


def interp_turns(x: Any, xp: Any, i: Any, j: Any, t: Any, period: Any) -> Any:
    """What a longer period does to the place of x between its nodes: each turn that it takes off is longer."""
    length, nodes = abs(period), np.asarray(xp, float)
    turns = t * np.floor((np.take(nodes, j) - np.take(nodes, i)) / length) - np.floor((x - np.take(nodes, i)) / length)
    return turns * np.sign(period)


def interp_inside(x: Any, xp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """1.0 where the value is made of those at the nodes, 0.0 where it is `left` or `right`."""
    if period is not None:
        return 1.0
    below = np.less(x, xp[0]) & (left is not None)
    return 1.0 - (below | (np.greater(x, xp[-1]) & (right is not None)))


def sum_at(v: Any, i: Any, n: int) -> Any:
    """n sums: each v is added to the one that its index i names."""
    v = np.asarray(v)
    if v.dtype == np.float64 and v.size:
        return np.bincount(np.ravel(i), np.ravel(v), n)
    out = np.zeros(n, v.dtype)
    np.add.at(out, np.ravel(i), np.ravel(v))
    return out
