"""Kernels of the order statistics: sorting, quantiles, and the weights of elements in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import times
from tangent.runtime.kernels.reduce import Axis, as_dtype, from_end, gathered, reduced_axes, restored


def quantile_weights(
    a: Any, q: Any, axis: Axis = None, method: str = "linear", weights: Any = None, y: Any = None
) -> Any:
    """The weights with which the elements of a make its quantiles y, for each q; nans have none, unless y is nan.

    A quantile lies between two elements in order, so its place v among the numbers 0, 1, 2, ... tells their weights:
    that of the element with rank r is the hat `1 - abs(r - v)`.
    """
    if weights is not None:
        return _weighted_quantile_weights(a, q, axis, method, weights)
    q = _asked(q, y, a, axis)
    ranks = _ranks(gathered(a, axis))
    v = _places(gathered(a, axis), q, method)
    hat = np.nan_to_num(np.maximum(1.0 - np.abs(ranks - v[..., None]), 0.0))
    if y is not None and np.any(np.isnan(y)):
        hat = np.where(np.isnan(np.reshape(y, np.shape(v)))[..., None], np.nan, hat)
    return as_dtype(restored(hat, a, axis), a)


def _asked(q: Any, y: Any, a: Any, axis: Axis) -> Any:
    """q; one of them where NumPy gives one nan for all, as `np.nanquantile` of nothing does."""
    if y is None or np.size(a) > 0 or np.ndim(q) == 0:
        return q
    each = [np.shape(q) + np.sum(a, axis=axis, keepdims=kept).shape for kept in (False, True)]
    return q if np.shape(y) in each else 0.5


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


def sorting(a: Any, y: Any, axis: int | None = -1) -> Any:
    """The order that makes y of a, in which equal elements stay as they are; without such any way of sorting does."""
    rows = np.moveaxis(y, -1 if axis is None else axis, 0)
    several = bool(np.any(rows[1:] == rows[:-1])) or bool(np.any(np.isnan(rows[-1:])))
    return np.argsort(a, axis=axis, kind="stable" if several else None)


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
    if np.ndim(weights) == 1 and axis is not None:
        others = [i for i in range(np.ndim(a)) if i not in reduced_axes(a, axis)]
        weights = np.broadcast_to(np.expand_dims(weights, others), np.shape(a))
    y = np.nanquantile(a, q, axis=axis, method=method, weights=weights, keepdims=True)  # type: ignore[call-overload]
    won = np.equal(a, y)
    return as_dtype(won / np.maximum(np.sum(won, axis=from_end(a, axis), keepdims=True), 1), a)


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
    out = np.empty(np.shape(b), np.asarray(b).dtype)
    np.put_along_axis(out, i, b, axis)
    return np.reshape(out, np.shape(a))


def first_index(y: Any, a: Any) -> Any:
    """Where in a, taken flat, each of the values y is first."""
    order = np.argsort(np.ravel(a), kind="stable")
    return order[np.searchsorted(np.ravel(a)[order], y)]


def order_to(a: Any, y: Any, axis: int | None = -1) -> Any:
    """The indices with which `take_along_axis(a, i, axis)` is y, which has the elements of a in some order."""
    there = np.argsort(np.argsort(y, axis=axis, kind="stable"), axis=axis, kind="stable")
    return np.take_along_axis(np.argsort(a, axis=axis, kind="stable"), there, axis)
