"""Parts of a whole: elements over their length, exponentials over their sum.

What such a part loses as another one grows cancels where one of them is nearly all; these kernels say it by the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import cosine, gap, is_whole, precision
from tangent.runtime.kernels.matrices import safe_ratio
from tangent.runtime.kernels.reduce import Axis, about_mean, as_dtype, at_rank, gathered, restored, spread


def off_direction(t: Any, u: Any, w: Any, axis: Axis = None) -> Any:
    """`t - u * sum(w * t)`, where the sum of `u * w` is 1: exact, also where one of the products is nearly 1."""
    plain = t - u * np.sum(w * t, axis=axis, keepdims=True)
    most = np.greater(u * w, 0.5)
    if not np.any(most):
        return plain
    others = np.where(most, 0.0, w)
    left = np.sum(others * u, axis=axis, keepdims=True)
    return np.where(most, t * left - u * np.sum(others * t, axis=axis, keepdims=True), plain)


def direction_of(x: Any, r: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """x over its length r, 0 where that is."""
    return safe_ratio(x, at_rank(r, x, axis, keepdims))


def direction_about(c: Any, r: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Conjugate deviations c from a mean that is given over their length r."""
    if np.iscomplexobj(c) or np.iscomplexobj(r):
        return safe_ratio(c, at_rank(r, c, axis, keepdims))
    return direction_of(c, r, axis, keepdims)


def deviation_direction(a: Any, r: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """`conj(a - mean)` over its length r, 0 where that is."""
    if np.iscomplexobj(a):
        return safe_ratio(about_mean(a, axis, where), at_rank(r, a, axis, keepdims))
    return real_deviation_direction(a, r, axis, keepdims, where)


def real_deviation_direction(a: Any, r: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """`deviation_direction` of real numbers: its rule knows that r is the length."""
    return safe_ratio(about_mean(a, axis, where), at_rank(r, a, axis, keepdims))


def off_line(t: Any, x: Any, axis: Axis = None, where: Any = True) -> Any:
    """What is left of t beside its mean and the deviations of x: the residual of a line that is fitted to t over x.

    The elements are taken in two groups, the large and the small x: deviations within the groups and gaps between them
    are small differences of what is given, so that nothing cancels where the gap is nearly all of the deviations.
    """
    x = 1.0 * np.asarray(x) if is_whole(x) else x
    top = np.max(x, axis=axis, keepdims=True, where=where, initial=-np.inf)
    bottom = np.min(x, axis=axis, keepdims=True, where=where, initial=np.inf)
    high = np.greater(x, top / 2 + bottom / 2) | np.equal(x, top)
    upper, lower = high & where, ~high & where
    p, q = group_size(upper, x, axis), group_size(lower, x, axis)
    r, above, below = within(x - np.where(high, top, bottom), upper, lower, p, q, axis)
    s, over, under = within(t, upper, lower, p, q, axis)
    gap_x, gap_t = top - bottom + (above - below), over - under
    squares, product = np.sum(r * r, axis=axis, keepdims=True), np.sum(r * s, axis=axis, keepdims=True)
    weight = p * q / (p + q)
    total = weight * gap_x * gap_x + squares
    between = safe_ratio(gap_t * squares - gap_x * product, total) / (p + q)
    slope = safe_ratio(weight * gap_x * gap_t + product, total)
    return np.where(upper, q * between, np.where(lower, -p * between, 0.0)) + s - r * slope


def group_size(group: Any, x: Any, axis: Axis) -> Any:
    """How many elements there are, one at least, in the precision of x."""
    return np.maximum(np.sum(np.broadcast_to(group, np.shape(x)), axis=axis, keepdims=True), 1).astype(precision(x))


def within(x: Any, upper: Any, lower: Any, p: Any, q: Any, axis: Axis) -> tuple[Any, Any, Any]:
    """The deviations of two groups, of p and of q elements, from their means, and the means."""
    above = np.sum(np.where(upper, x, 0.0), axis=axis, keepdims=True) / p
    below = np.sum(np.where(lower, x, 0.0), axis=axis, keepdims=True) / q
    return np.where(upper, x - above, np.where(lower, x - below, 0.0)), above, below


def exponential_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The exponentials of a over their sum, the logarithm of which is y."""
    return np.exp(gap(a, spread(y, a, axis, keepdims)))


def binary_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The powers of two of a over their sum, the logarithm of which is y."""
    return np.exp2(gap(a, spread(y, a, axis, keepdims)))


def length_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The elements of a over their length y."""
    return direction_of(a, y, axis, keepdims) if np.all(np.isfinite(y)) else cosine(a, spread(y, a, axis, keepdims))


def reduction_shares(
    shares: Callable[..., Any],
    a: Any,
    y: Any,
    axis: Axis = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """The share of each element of a in its reduction y, which starts with `initial`; the others have none."""
    nothing = 0.0 if shares is length_shares else -np.inf
    a = a if where is True else np.where(where, a, nothing)
    if initial is None or (type(initial) is int and initial == nothing):
        return shares(a, y, axis, keepdims)
    return restored(_shares_behind(shares, a, y, axis, initial)[..., 1:], a, axis)


def initial_share(
    shares: Callable[..., Any],
    initial: Any,
    a: Any,
    y: Any,
    axis: Axis = None,
    keepdims: bool = False,
    where: Any = True,
) -> Any:
    """The share of `initial` in a reduction y of a."""
    a = a if where is True else np.where(where, a, 0.0 if shares is length_shares else -np.inf)
    return np.reshape(_shares_behind(shares, a, y, axis, initial)[..., 0], np.shape(y))


def _shares_behind(shares: Callable[..., Any], a: Any, y: Any, axis: Axis, initial: Any) -> Any:
    """The shares of `initial`, in front, and of what a reduction to y takes together, along the last axis."""
    g = gathered(a, axis)
    first = np.broadcast_to(as_dtype(initial, a), (*np.shape(g)[:-1], 1))
    return shares(np.concatenate([first, g], axis=-1), np.reshape(y, np.shape(g)[:-1]), -1)
