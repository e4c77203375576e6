"""Kernels of the rules for reductions, accumulations and order statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import ratio, times

# An axis as NumPy takes it: all axes, one, or several.
Axis = int | tuple[int, ...] | None


def spread(b: Any, x: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """b over the axes of x that a reduction has removed, 0 outside of `where`, in the dtype of x."""
    if axis is not None and not keepdims:
        b = np.expand_dims(b, axis)
    b = as_dtype(b, x)
    return np.broadcast_to(b if where is True else np.where(where, b, 0.0), np.shape(x))[()]


def as_dtype(b: Any, x: Any) -> Any:
    """b in the float or complex dtype of x; a complex b stays complex."""
    to = np.asarray(x).dtype
    return np.asarray(b, to) if to.kind == "c" or (to.kind == "f" and not np.iscomplexobj(b)) else b


def count(a: Any, axis: Axis = None, keepdims: bool = False, where: Any = True, ddof: float = 0) -> Any:
    """How many elements of a go into one of its sums, less ddof: nan if none are left, so that nothing divides by 0."""
    if where is not True:
        n = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims) - ddof
        return np.where(n > 0, n, np.nan)[()]
    size = math.prod(np.shape(a)[i] for i in reduced_axes(a, axis)) - ddof
    return size if size > 0 else math.nan


def reduced_axes(a: Any, axis: Axis) -> tuple[int, ...]:
    """The axes over which a reduction of a goes, counted from the front."""
    if axis is None:
        return tuple(range(np.ndim(a)))
    return tuple(i % np.ndim(a) for i in ((axis,) if isinstance(axis, int | np.integer) else axis))


def deviation(a: Any, axis: Axis = None, where: Any = True, mean: Any = None) -> Any:
    """`conj(a - mean)`, 0 outside of `where`."""
    if mean is None:
        mean = np.mean(a, axis=axis, keepdims=True, where=where)
    c = np.conj(a - mean) if np.iscomplexobj(a) else a - mean
    return c if where is True else np.where(where, c, 0.0)


def winners(y: Any, a: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """The share of each element of a in its maximum or minimum y: those that tie share evenly, with `initial` too."""
    won = np.equal(a, spread(y, a, axis, keepdims)) & where
    ties = np.sum(won, axis=axis, keepdims=True)
    if initial is not None:
        ties = ties + np.reshape(np.equal(y, initial), np.shape(ties))
    return as_dtype(won / np.maximum(ties, 1), a)


def remainder_at(initial: Any, y: Any, w: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The share of `initial` in the maximum or minimum y, where the elements have the shares w."""
    return np.where(np.equal(y, initial), 1.0 - np.sum(w, axis=axis, keepdims=keepdims), 0.0)[()]


def gathered(a: Any, axis: Axis) -> Any:
    """The axes of a reduction moved behind the others and made one."""
    if axis is None:
        return np.reshape(a, (-1,))
    axes = reduced_axes(a, axis)
    moved = np.moveaxis(a, axes, range(-len(axes), 0))
    rest = np.shape(moved)[: np.ndim(a) - len(axes)]
    return np.reshape(moved, (*rest, math.prod(np.shape(moved)[len(rest) :])))


def restored(g: Any, a: Any, axis: Axis) -> Any:
    """The inverse of `gathered`: g has the elements of a, behind axes of its own if it has more."""
    axes = reduced_axes(a, axis)
    if axis is None:
        return np.reshape(g, np.shape(g)[:-1] + np.shape(a))
    g = np.reshape(g, np.shape(g)[:-1] + tuple(np.shape(a)[i] for i in axes))
    return np.moveaxis(g, range(-len(axes), 0), from_end(a, axis))


def product_of_others(a: Any, axis: Axis = None, initial: Any = 1, where: Any = True) -> Any:
    """For each element the product of all others along the axis: what is before it times what is behind it."""
    g = gathered(a if where is True else np.where(where, a, 1.0), axis)
    before = np.cumprod(shifted(g, 1, 1.0), axis=-1)
    behind = np.flip(np.cumprod(shifted(np.flip(g, -1), 1, 1.0), axis=-1), -1)
    return restored(initial * before * behind, a, axis)


def shifted(g: Any, steps: int, fill: float = 0.0) -> Any:
    """The elements of the last axis moved towards its end."""
    head = np.full_like(g[..., :steps], fill)
    return np.concatenate([head, g[..., :-steps]], axis=-1)


def cumsum_reversed(b: Any, a: Any, axis: int | None = None) -> Any:
    """Cumulative sums from the end, in the shape of a."""
    return np.reshape(np.flip(np.cumsum(np.flip(b, axis), axis=axis), axis), np.shape(a))


def recurrence(a: Any, b: Any) -> Any:
    """The r with `r[k] = a[k] * r[k - 1] + b[k]` along the last axis, in log2(n) steps that double their reach."""
    step = 1
    while step < np.shape(a)[-1]:
        b = b + a * shifted(b, step)
        a = a * shifted(a, step)
        step = 2 * step
    return b


def cumprod_tangent(t: Any, a: Any, y: Any, axis: int | None = None) -> Any:
    """The tangent of `y = cumprod(a)` for the tangent t of a; zeros in a need no care."""
    g, before = gathered(a, axis), shifted(gathered(y, axis), 1, 1.0)
    return restored(recurrence(g, before * gathered(t, axis)), y, axis)


def cumprod_adjoint(b: Any, a: Any, y: Any, axis: int | None = None) -> Any:
    """The adjoint of a in `y = cumprod(a)` for the adjoint b of y; zeros in a need no care."""
    g, before = gathered(a, axis), shifted(gathered(y, axis), 1, 1.0)
    behind = recurrence(shifted(np.flip(g, -1), 1), np.flip(gathered(b, axis), -1))
    return restored(before * np.flip(behind, -1), a, axis)


def present(a: Any, where: Any = True) -> Any:
    """Where a is not nan."""
    return ~np.isnan(a) & where


# Order statistics


def quantile_weights(a: Any, q: Any, axis: Axis = None, method: str = "linear", weights: Any = None) -> Any:
    """The weights with which the elements of a make its quantiles, for each q; nans have none.

    A quantile lies between two elements in order, so its place v among the numbers 0, 1, 2, ... tells their weights:
    that of the element with rank r is the hat `1 - abs(r - v)`.
    """
    if weights is not None:
        return _weighted_quantile_weights(a, q, axis, method, weights)
    ranks = _ranks(gathered(a, axis))
    v = _places(gathered(a, axis), q, method)
    hat = np.maximum(1.0 - np.abs(ranks - v[..., None]), 0.0)
    return as_dtype(restored(np.nan_to_num(hat), a, axis), a)


def quantile_slopes(a: Any, q: Any, axis: Axis = None, method: str = "linear") -> Any:
    """The derivatives of the weights of `quantile_weights` by q."""
    g = gathered(a, axis)
    n = np.sum(~np.isnan(g), axis=-1)
    speeds = {"linear": n - 1.0, "interpolated_inverted_cdf": n, "hazen": n, "weibull": n + 1.0}
    speeds |= {"median_unbiased": n + 1 / 3, "normal_unbiased": n + 0.25}
    v = _places(g, q, method)
    bounded = (method != "linear") & ((v <= 0) | (v >= n - 1))
    speed = np.where(bounded | (n < 2), 0.0, speeds.get(method, 0.0))[..., None]
    below = np.minimum(np.floor(np.nan_to_num(v)), np.maximum(n - 2, 0))[..., None]
    r = _ranks(g)
    return as_dtype(restored(speed * (np.equal(r, below + 1) * 1.0 - np.equal(r, below)), a, axis), a)


def _ranks(g: Any) -> Any:
    """The rank of each element along the last axis."""
    return np.argsort(np.argsort(g, axis=-1, kind="stable"), axis=-1, kind="stable")


def _places(g: Any, q: Any, method: str) -> Any:
    """The places of the quantiles among the ranks along the last axis of g, for each q."""
    n = np.sum(~np.isnan(g), axis=-1)
    v = np.full(np.shape(q) + np.shape(n), np.nan)
    for size in np.unique(n[n > 0]):
        place = np.quantile(np.arange(size), q, method=method)  # type: ignore[call-overload]
        v[..., n == size] = np.asarray(place)[..., None]
    return v


def _weighted_quantile_weights(a: Any, q: Any, axis: Axis, method: str, weights: Any) -> Any:
    """Quantiles with weights are elements of a: those equal to the result share it."""
    y = np.nanquantile(a, q, axis=axis, method=method, weights=weights, keepdims=True)  # type: ignore[call-overload]
    won = np.equal(a, y)
    return as_dtype(won / np.maximum(np.sum(won, axis=from_end(a, axis), keepdims=True), 1), a)


def from_end(a: Any, axis: Axis) -> tuple[int, ...]:
    """The axes over which a reduction of a goes, counted from the end."""
    return tuple(i - np.ndim(a) for i in reduced_axes(a, axis))


def mixed(w: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sums of the elements of a with each of the weights w."""
    return np.sum(times(w, a), axis=from_end(a, axis), keepdims=keepdims)


def unmixed(b: Any, w: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The transpose of `mixed`: for each element of a the sum of the b that it went into."""
    if not keepdims:
        b = np.expand_dims(b, from_end(a, axis))
    return np.sum(w * b, axis=tuple(range(np.ndim(w) - np.ndim(a))))


def sum_behind(x: Any, q: Any) -> Any:
    """The sum of x over the axes behind those of q."""
    return np.sum(x, axis=tuple(range(np.ndim(q), np.ndim(x))))


def expand_behind(q: Any, y: Any) -> Any:
    """q with axes of length 1 behind its own, as many as y has."""
    return np.reshape(q, np.shape(q) + (1,) * (np.ndim(y) - np.ndim(q)))


def unpermute(b: Any, i: Any, a: Any, axis: int | None = -1) -> Any:
    """b in the order and shape of a, where b belongs to the elements `i` of a."""
    return np.reshape(np.take_along_axis(b, np.argsort(i, axis=axis), axis), np.shape(a))


def first_index(y: Any, a: Any) -> Any:
    """Where in a, taken flat, each of the values y is first."""
    order = np.argsort(np.ravel(a), kind="stable")
    return order[np.searchsorted(np.ravel(a)[order], y)]


def weights_over(weights: Any, a: Any, axis: Axis = None) -> Any:
    """Weights of all elements, or those of some axes, so that they broadcast with a."""
    if weights is None:
        return 1.0
    if np.shape(weights) == np.shape(a):
        return weights
    axes = reduced_axes(a, axis)
    shape = tuple(np.shape(a)[i] if i in axes else 1 for i in range(np.ndim(a)))
    return np.reshape(np.transpose(weights, np.argsort(axes)), shape)


def weights_adjoint(b: Any, weights: Any, axis: Axis = None) -> Any:
    """The transpose of `weights_over`."""
    if np.shape(weights) == np.shape(b):
        return b
    axes = reduced_axes(b, axis)
    kept = np.sum(b, axis=tuple(i for i in range(np.ndim(b)) if i not in axes))
    return np.transpose(kept, np.argsort(np.argsort(axes)))


# Accumulations


def without_first(y: Any, axis: int | None, include_initial: bool) -> Any:
    """y without the initial value that an accumulation has put in front."""
    return stretch(y, 1, np.shape(y)[axis or 0] - 1, axis or 0) if include_initial else y


def with_first(t: Any, axis: int | None, include_initial: bool) -> Any:
    """t behind a zero, if an accumulation has put its initial value in front."""
    return between_zeros(t, 1, 0, axis or 0) if include_initial else t


def last_record(a: Any, y: Any, axis: int = 0) -> Any:
    """For each running maximum or minimum y of a, the index at which it was reached."""
    n = np.reshape(np.arange(np.shape(a)[axis]), (-1,) + (1,) * (np.ndim(a) - 1 - axis % np.ndim(a)))
    before = np.concatenate([np.take(a, [0], axis) != np.take(a, [0], axis), np.diff(y, axis=axis) != 0], axis=axis)
    return np.maximum.accumulate(np.where(before, n, 0), axis=axis)


def sum_along(b: Any, i: Any, axis: int = 0) -> Any:
    """The transpose of `take_along_axis(a, i, axis)` for an a of the shape of i."""
    out = np.zeros_like(b)
    where = list(np.indices(np.shape(i), sparse=True))
    where[axis] = i
    np.add.at(out, tuple(where), b)
    return out


def logaddexp_accumulate_tangent(t: Any, a: Any, y: Any, axis: int = 0) -> Any:
    """The tangent of `y = logaddexp.accumulate(a)`, by the share that each step keeps."""
    g, x = gathered(y, axis), gathered(a, axis)
    keep = np.exp(shifted(g, 1) - g)
    return restored(recurrence(keep, np.exp(x - g) * gathered(t, axis)), a, axis)


def logaddexp_accumulate_adjoint(b: Any, a: Any, y: Any, axis: int = 0) -> Any:
    """The adjoint of a in `y = logaddexp.accumulate(a)`."""
    g, x = gathered(y, axis), gathered(a, axis)
    keep = np.flip(np.exp(shifted(g, 1) - g), -1)
    behind = recurrence(shifted(keep, 1), np.flip(gathered(b, axis), -1))
    return restored(np.exp(x - g) * np.flip(behind, -1), a, axis)


def first_against_rest(a: Any, axis: int = 0) -> Any:
    """1 for the first element along the axis, -1 for the others."""
    n = np.shape(a)[axis]
    return np.reshape(np.where(np.arange(n) == 0, 1.0, -1.0), (n,) + (1,) * (np.ndim(a) - 1 - axis % np.ndim(a)))


def outer_operand(x: Any, y: Any) -> Any:
    """x with axes of length 1 for those of y, so that a ufunc of both is its `outer`."""
    return np.reshape(x, np.shape(x) + (1,) * np.ndim(y))


def reduceat_adjoint(b: Any, a: Any, indices: Any, axis: int = 0) -> Any:
    """The transpose of `add.reduceat(a, indices, axis)`."""
    out = np.moveaxis(np.zeros(np.shape(a), np.asarray(b).dtype), axis, 0)
    stops = [*np.asarray(indices)[1:], np.shape(a)[axis]]
    for start, stop, part in zip(indices, stops, np.moveaxis(b, axis, 0)):
        out[start : max(stop, start + 1)] += part
    return np.moveaxis(out, 0, axis)


# Differences and integrals


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


# Interpolation


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


# Covariance: variables in rows, observations in columns


def observations(m: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The rows of m and y, as `np.cov` takes them."""
    x = as_rows(m, rowvar)
    return x if y is None else np.concatenate([x, as_rows(y, rowvar)], axis=0)


def as_rows(m: Any, rowvar: bool = True) -> Any:
    """m with a variable in each row."""
    return np.atleast_2d(m) if rowvar or np.ndim(m) < 2 else np.transpose(m)


def own_rows(b: Any, which: int, m: Any, rowvar: bool = True) -> Any:
    """The part of b that belongs to m, which has the first rows (0) or the last (-1), in the shape of m."""
    rows = np.shape(as_rows(m, rowvar))[0]
    part = b[:rows] if which == 0 else b[np.shape(b)[0] - rows :]
    return np.reshape(part, np.shape(m)) if rowvar or np.ndim(m) < 2 else np.transpose(part)


def rows_of(t: Any, which: int, z: Any, rowvar: bool = True) -> Any:
    """The rows of t at the first (0) or last (-1) places of z, zeros elsewhere."""
    x = as_rows(t, rowvar)
    missing = np.shape(z)[0] - np.shape(x)[0]
    return between_zeros(x, 0, missing, 0) if which == 0 else between_zeros(x, missing, 0, 0)


def covariance_weights(m: Any, rowvar: bool, bias: bool, ddof: int | None, fweights: Any, aweights: Any) -> Any:
    """The factors of the products of observations in `np.cov`, which has divided by their degrees of freedom."""
    f = np.ones(np.shape(as_rows(m, rowvar))[1]) if fweights is None else fweights
    w = f if aweights is None else f * aweights
    freedom = np.sum(w) - lost(bias, ddof) * (1.0 if aweights is None else np.sum(w * aweights) / np.sum(w))
    return w / (freedom if freedom > 0 else np.nan)


def lost(bias: bool, ddof: int | None) -> int:
    """The degrees of freedom that `np.cov` takes off."""
    if ddof is not None:
        return ddof
    return 0 if bias else 1


def weigh_tangent(t: Any, fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> Any:
    """The tangent of `covariance_weights` for the tangent t of `aweights`."""
    w, freedom, rate = _freedom(fweights, aweights, bias, ddof)
    return (t * (1 if fweights is None else fweights) - w * np.sum(rate * t) / freedom) / freedom


def weigh_adjoint(b: Any, fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> Any:
    """The adjoint of `aweights` in `covariance_weights`."""
    w, freedom, rate = _freedom(fweights, aweights, bias, ddof)
    return (b * (1 if fweights is None else fweights) - rate * np.sum(b * w) / freedom) / freedom


def _freedom(fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> tuple[Any, Any, Any]:
    """The weights of observations, their degrees of freedom, and the derivative of these by `aweights`."""
    f = 1.0 if fweights is None else fweights
    w = f * aweights
    total, squares = np.sum(w), np.sum(w * aweights)
    rate = f - lost(bias, ddof) * f * (2.0 * aweights - squares / total) / total
    return w, total - lost(bias, ddof) * squares / total, rate


def centred(x: Any, w: Any) -> Any:
    """The rows of x less their means with the weights w."""
    if np.ndim(w) == 0:
        return x - np.mean(x, axis=1, keepdims=True)
    return x - np.sum(x * w, axis=1, keepdims=True) / np.sum(w)


def gram_adjoint(b: Any, z: Any, w: Any) -> Any:
    """The adjoint of z in `(z * w) @ conj(z).T`, b having lost axes of length 1."""
    b = np.reshape(b, (np.shape(z)[0], np.shape(z)[0]))
    return (b @ np.conj(z) + np.conj(b.T @ z)) * w


def gram(z: Any, w: Any) -> Any:
    """`(z * w) @ conj(z).T` without axes of length 1."""
    return np.squeeze((z * w) @ np.conj(z.T))


def gram_weights_adjoint(b: Any, z: Any) -> Any:
    """The adjoint of w in `(z * w) @ conj(z).T`."""
    return np.real(np.sum(z * (np.reshape(b, (np.shape(z)[0], np.shape(z)[0])) @ np.conj(z)), axis=0))


def gram_tangent(t: Any, z: Any, w: Any) -> Any:
    """The tangent of `(z * w) @ conj(z).T` without axes of length 1, for the tangent t of z."""
    c = (t * w) @ np.conj(z.T)
    return np.squeeze(c + np.conj(c.T))


def correlation_adjoint(b: Any, z: Any) -> Any:
    """The adjoint of centred rows z in their correlations."""
    length = np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True))
    u = z / length
    bu = gram_adjoint(b, u, 1.0)
    return (bu - np.conj(u) * np.sum(np.real(bu * u), axis=1, keepdims=True)) / length


def correlation_tangent(t: Any, z: Any) -> Any:
    """The tangent of the correlations of centred rows z, for the tangent t of the rows."""
    length = np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True))
    u = z / length
    t = t - np.mean(t, axis=1, keepdims=True)
    return gram_tangent((t - u * np.sum(np.real(t * np.conj(u)), axis=1, keepdims=True)) / length, u, 1.0)


def histogram_bins(a: Any, edges: Any) -> Any:
    """The bin of each element of a, -1 if it is in none; the last bin includes its end."""
    i = np.searchsorted(edges, a, side="right") - 1
    i = np.where(np.equal(a, edges[-1]), np.size(edges) - 2, i)
    return np.where(np.greater(a, edges[-1]), -1, i)


# Convolution and polynomials


def uncropped(b: Any, na: int, nv: int, mode: str, correlate: bool = False) -> Any:
    """b among zeros, at its place in the full convolution of na with nv elements."""
    short = min(na, nv)
    first = {"full": 0, "same": short // 2 if correlate and nv > na else (short - 1) // 2, "valid": short - 1}[mode]
    return between_zeros(b, first, na + nv - 1 - first - np.shape(b)[0], 0)


def convolve_adjoint(b: Any, a: Any, v: Any) -> Any:
    """The adjoint of a in `np.convolve(a, v)`."""
    return np.convolve(b, np.flip(v), "valid")


def vander_slope(x: Any, n: int | None = None, increasing: bool = False) -> Any:
    """The derivative of each entry of `np.vander` by its x."""
    n = np.size(x) if n is None else n
    powers = np.maximum(np.arange(n) - 1.0, 0.0)
    slope = np.arange(n) * np.expand_dims(x, -1) ** powers
    return slope if increasing else np.flip(slope, -1)


def widened(b: Any, n: int) -> Any:
    """n coefficients, of which b are the last."""
    return between_zeros(b, n - np.shape(b)[0], 0, 0)


def tail(t: Any, y: Any) -> Any:
    """The last coefficients of t, as many as y has."""
    return t[np.size(t) - np.size(y) :]


def quotient_matrix(v: Any, n: int) -> Any:
    """The matrix that takes n coefficients of a quotient to the first n of its product with v."""
    lag = np.arange(n)[:, None] - np.arange(n)
    inside = (lag >= 0) & (lag < np.size(v))
    return np.where(inside, np.ravel(v)[np.where(inside, lag, 0)], 0.0)


def polydiv_adjoint(b: Any, q: Any, u: Any, v: Any) -> Any:
    """The adjoint of u in `q, r = np.polydiv(u, v)`."""
    br = widened(b[1], np.size(u))
    if np.size(u) < np.size(v):
        return br
    bq = b[0] - convolve_adjoint(br, q, v)
    return br + between_zeros(np.linalg.solve(np.transpose(quotient_matrix(v, np.size(q))), bq), 0, np.size(v) - 1, 0)


def polydiv_tangent(du: Any, dv: Any, y: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """The tangents of quotient and remainder for those of u and v, which may be 0."""
    q, r = y
    if np.size(u) < np.size(v):
        return 0.0 * q, tail(du + np.zeros(np.size(u)), r)
    t = du - np.convolve(q, dv + np.zeros(np.size(v)))
    dq = np.linalg.solve(quotient_matrix(v, np.size(q)), t[: np.size(q)])
    return dq, tail(t - np.convolve(dq, v), r)


def poly_slopes(zeros: Any) -> Any:
    """The derivatives of the coefficients of a polynomial, but the first, by each of its zeros."""
    if np.ndim(zeros) != 1:
        raise NotImplementedError("np.poly: the derivative by a matrix is not known; pass its eigenvalues")
    return np.stack([-np.poly(np.delete(zeros, i)) * np.ones(np.size(zeros)) for i in range(np.size(zeros))])


def fit_matrix(x: Any, n: int, w: Any) -> Any:
    """The matrix of the least squares problem of `np.polyfit`."""
    return np.vander(x, n) if w is None else np.vander(x, n) * np.expand_dims(w, -1)


def polyfit_values_adjoint(b: Any, x: Any, y: Any, deg: int, w: Any) -> Any:
    """The adjoint of the values y that `np.polyfit` has fitted."""
    by = np.transpose(np.linalg.pinv(fit_matrix(x, deg + 1, w))) @ b
    return by if w is None else np.transpose(np.transpose(by) * w)


def polyfit_nodes_tangent(t: Any, c: Any, x: Any, y: Any, w: Any) -> Any:
    """The tangent of the coefficients c for the tangent t of the nodes."""
    a = fit_matrix(x, np.shape(c)[0], w)
    da = vander_slope(x, np.shape(c)[0]) * np.expand_dims(t if w is None else t * w, -1)
    r = (y if w is None else np.transpose(np.transpose(y) * w)) - a @ c
    return np.linalg.solve(a.T @ a, da.T @ r) - np.linalg.pinv(a) @ (da @ c)


def polyfit_nodes_adjoint(b: Any, c: Any, x: Any, y: Any, w: Any) -> Any:
    """The adjoint of the nodes for the adjoint b of the coefficients c."""
    a = fit_matrix(x, np.shape(c)[0], w)
    r = (y if w is None else np.transpose(np.transpose(y) * w)) - a @ c
    columns = (np.shape(c)[0], -1)
    left, right = (
        np.reshape(np.linalg.pinv(a).T @ b, (np.size(x), -1)),
        np.reshape(np.linalg.solve(a.T @ a, b), columns),
    )
    ba = np.reshape(r, (np.size(x), -1)) @ right.T - left @ np.reshape(c, columns).T
    bx = np.sum(ba * vander_slope(x, np.shape(c)[0]), axis=1)
    return bx if w is None else bx * w


def polyfit_weights_tangent(t: Any, c: Any, x: Any, y: Any, w: Any) -> Any:
    """The tangent of the coefficients c for the tangent t of the weights."""
    v = np.vander(x, np.shape(c)[0])
    r = np.transpose(np.transpose(y - v @ c) * (2.0 * w * t))
    return np.linalg.solve(v.T @ (v * np.expand_dims(w * w, -1)), v.T @ r)


def polyfit_weights_adjoint(b: Any, c: Any, x: Any, y: Any, w: Any) -> Any:
    """The adjoint of the weights for the adjoint b of the coefficients c."""
    v = np.vander(x, np.shape(c)[0])
    part = (y - v @ c) * (v @ np.linalg.solve(v.T @ (v * np.expand_dims(w * w, -1)), b))
    return 2.0 * w * (part if np.ndim(y) == 1 else np.sum(part, axis=1))


# Grids


def is_start(stop: Any) -> float:
    """Whether the first argument of `np.arange` is where it starts: 1.0 if another says where it stops."""
    return 0.0 if stop is None else 1.0


def steps(num: int, endpoint: bool = True) -> Any:
    """The places of the points of a grid, from 0 to 1."""
    return np.arange(num) / max(num - 1 if endpoint else num, 1)


def along(b: Any, t: Any, axis: int = 0) -> Any:
    """The sum of b along the axis with the weights t."""
    return np.moveaxis(b, axis, -1) @ t


def across(x: Any, t: Any, y: Any, axis: int = 0) -> Any:
    """The transpose of `along`: x times each of the weights t, in the shape of y."""
    full = np.broadcast_to(x, np.shape(np.moveaxis(y, axis, -1))[:-1])
    return np.moveaxis(np.expand_dims(full, -1) * t, -1, axis)


# Sequences


def like(values: Any, xs: Any) -> Any:
    """The values as a sequence of the kind of xs."""
    if isinstance(xs, np.ndarray):
        return np.asarray(values)
    return tuple(values) if isinstance(xs, tuple) else list(values)


def each(b: Any, xs: Any) -> Any:
    """b for each of the xs."""
    return np.broadcast_to(b, np.shape(xs)) if isinstance(xs, np.ndarray) else like([b for _ in xs], xs)


def total(xs: Any) -> Any:
    """The sum of the xs."""
    s = 0.0
    for x in xs:
        s = s + x
    return s


def product(xs: Any) -> Any:
    """The product of the xs."""
    p = 1.0
    for x in xs:
        p = p * x
    return p


def scaled(b: Any, w: Any) -> Any:
    """b times each of the weights w, nested as they are."""
    if isinstance(w, list | tuple):
        return like([scaled(b, v) for v in w], w)
    return b * w


def scaled_as(b: Any, w: Any, xs: Any) -> Any:
    """b times each of the weights w, as a sequence of the kind of xs."""
    return like([b * v for v in w], xs)


def weighted(w: Any, ts: Any) -> Any:
    """The sum of the ts with the weights w, nested as they are."""
    s = 0.0
    for v, t in zip(w, ts):
        s = s + (weighted(v, t) if isinstance(v, list | tuple) else v * t)
    return s


def shares(y: Any, args: Any) -> Any:
    """The share of each argument, or of each item of the only one, in the maximum or minimum y: ties share evenly."""
    if len(args) == 1:
        return (like(shares(y, tuple(args[0])), args[0]),) if len(args[0]) > 1 else (like([1.0], args[0]),)
    ties = sum(1 for x in args if x == y)
    return tuple(1.0 / ties if x == y else 0.0 for x in args)


def sorted_order(xs: Any, key: Any = None, reverse: bool = False) -> list[int]:
    """The indices of the xs in the order of `sorted`."""
    keys = list(xs) if key is None else [key(x) for x in xs]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def picked(xs: Any, i: list[int]) -> list[Any]:
    """The items of xs with the indices i."""
    return [xs[k] for k in i]


def put_back(b: Any, i: list[int], xs: Any) -> Any:
    """The inverse of `picked`, as a sequence of the kind of xs."""
    return like([b[i.index(k)] for k in range(len(i))], xs)


def products_of_others(xs: Any, start: Any = 1.0) -> Any:
    """For each of the xs the product of all others."""
    return like([start * product(xs[:k]) * product(xs[k + 1 :]) for k in range(len(xs))], xs)


def directions(p: Any, q: Any, length: float) -> list[Any]:
    """The components of p - q over its length, 0 if that is 0."""
    gaps = list(p) if q is None else [x - y for x, y in zip(p, q)]
    return [ratio(x, length) for x in gaps]
