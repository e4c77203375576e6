"""Parts of a whole: elements over their length, exponentials over their sum.

What such a part loses as another one grows cancels where one of them is nearly all; these kernels say it by the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import cosine, gap, inexact, precision
from tangent.runtime.kernels.matrices import power_of_two, safe_ratio
from tangent.runtime.kernels.reduce import (
    Axis,
    about_mean,
    as_dtype,
    at_rank,
    deviation,
    gathered,
    own_deviation,
    reduced_axes,
    restored,
    spread,
)


def off_direction(t: Any, u: Any, w: Any, axis: Axis = None) -> Any:
    """`t - u * sum(w * t)`, where the sum of `u * w` is 1: exact, also where one of the products is nearly 1."""
    plain = t - u * np.sum(w * t, axis=axis, keepdims=True)
    most = np.greater(u * w, 0.75)  # one at most, however they are rounded
    if not np.any(most):
        return plain
    others = np.where(most, 0.0, w)
    left = np.sum(others * u, axis=axis, keepdims=True)
    return np.where(most, t * left - u * np.sum(others * t, axis=axis, keepdims=True), plain)


def direction_of(x: Any, r: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """x over its length r, 0 where that is."""
    return safe_ratio(x, at_rank(r, x, axis, keepdims))


def conj_direction(x: Any, r: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Conjugate complex numbers x over their length r, 0 where that is."""
    return safe_ratio(np.conj(x), at_rank(r, x, axis, keepdims))


def off_conj_direction(t: Any, u: Any, axis: Axis = None) -> Any:
    """The conjugate of `t - v * real(sum(u * t))`, where v is the conjugate of u and of length 1.

    >>> off_conj_direction(np.array([1j, 2.0]), np.array([1.0 + 0j, 0.0]))
    array([0.-1.j, 2.+0.j])
    """
    v = in_parts(np.conj(u))
    left = off_direction(in_parts(t), v, v, part_axes(u, axis))
    return left[0] - 1j * left[1]


def in_parts(x: Any) -> Any:
    """Real and imaginary parts, behind a new first axis."""
    return np.stack([np.real(x), np.imag(x)])


def part_axes(x: Any, axis: Axis) -> tuple[int, ...]:
    """The axes of `in_parts(x)` that belong to some axes of x."""
    return (0, *(i + 1 for i in reduced_axes(x, axis)))


def direction_about(
    a: Any, r: Any, axis: Axis = None, keepdims: bool = False, where: Any = True, mean: Any = None, dtype: Any = None
) -> Any:
    """The conjugate deviations of a over their length r: from a mean that is given, or taken in another dtype."""
    if is_own_mean(a, mean, dtype):
        return deviation_direction(np.asarray(a, dtype=np.result_type(a, dtype or a)), r, axis, keepdims, where)
    return over_length(deviation(a, axis, where, mean, dtype), r, axis, keepdims)


def own_direction_about(
    a: Any, r: Any, axis: Axis = None, keepdims: bool = False, where: Any = True, mean: Any = None, dtype: Any = None
) -> Any:
    """`direction_about` in the dtype of a, into whose memory `np.nanstd` subtracts the mean."""
    if is_own_mean(a, mean, dtype):
        return deviation_direction(a, r, axis, keepdims, where)
    return over_length(own_deviation(a, axis, where, mean, dtype), r, axis, keepdims)


def is_own_mean(a: Any, mean: Any, dtype: Any) -> bool:
    """Whether deviations are those from the mean of a, and not from one that is given or the real part of it."""
    return mean is None and (dtype is None or not np.iscomplexobj(a))


def over_length(c: Any, r: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Deviations c over their length r, which is complex where they are squared as they are."""
    if np.iscomplexobj(c) or np.iscomplexobj(r):
        return safe_ratio(c, at_rank(r, c, axis, keepdims))
    return direction_of(c, r, axis, keepdims)


def deviation_direction(a: Any, r: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """`conj(a - mean)` over its length r, 0 where that is: its rule knows that r is the length."""
    return safe_ratio(about_mean(a, axis, where), at_rank(r, a, axis, keepdims))


def off_line(t: Any, x: Any, axis: Axis = None, where: Any = True) -> Any:
    """What is left of t beside its mean and (real) multiples of the deviations of x, conjugate: the residual of a line.

    The elements are taken in two groups, the large and the small x: deviations within the groups and gaps between them
    are small differences of what is given, so that nothing cancels where the gap is nearly all of the deviations.
    """
    x = inexact(x)
    x = x / power_of_two(x, axis, where)
    upper, lower = halves(wider_part(x, axis, where), axis, where)
    p, q = group_size(upper, x, axis), group_size(lower, x, axis)
    r, above, below = within(x, upper, lower, p, q, axis)
    r, more, less = within(r, upper, lower, p, q, axis)  # again, since the means are rounded
    s, over, under = within(t, upper, lower, p, q, axis)
    gap_x, gap_t = above - below + (more - less), over - under
    squares = np.sum(np.real(r * np.conj(r)), axis=axis, keepdims=True)
    product = np.sum(np.real(np.conj(r) * s), axis=axis, keepdims=True)
    weight = p * q / (p + q)
    total = weight * np.real(gap_x * np.conj(gap_x)) + squares
    left = gap_t * squares - gap_x * product
    if np.iscomplexobj(x):
        left = left + weight * 1j * gap_x * np.imag(np.conj(gap_x) * gap_t)
    between = safe_ratio(left, total) / (p + q)
    slope = safe_ratio(weight * np.real(np.conj(gap_x) * gap_t) + product, total)
    return np.conj(np.where(upper, q * between, np.where(lower, -p * between, 0.0)) + s - r * slope)


def wider_part(x: Any, axis: Axis, where: Any) -> Any:
    """The real or the imaginary part of numbers, whichever is spread wider."""
    if not np.iscomplexobj(x):
        return x
    a, b = (np.where(where, part, 0.0) for part in (np.real(x), np.imag(x)))
    return np.where(np.ptp(a, axis=axis, keepdims=True) >= np.ptp(b, axis=axis, keepdims=True), a, b)


def halves(x: Any, axis: Axis, where: Any) -> tuple[Any, Any]:
    """Which x are nearer to the largest of them, and which to the smallest."""
    top = np.max(x, axis=axis, keepdims=True, where=where, initial=-np.inf)
    bottom = np.min(x, axis=axis, keepdims=True, where=where, initial=np.inf)
    high = np.greater(x, top / 2 + bottom / 2) | np.equal(x, top)
    return high & where, ~high & where


def group_size(group: Any, x: Any, axis: Axis) -> Any:
    """How many elements there are, one at least, in the precision of x."""
    return np.maximum(np.sum(np.broadcast_to(group, np.shape(x)), axis=axis, keepdims=True), 1).astype(precision(x))


def within(x: Any, upper: Any, lower: Any, p: Any, q: Any, axis: Axis) -> tuple[Any, Any, Any]:
    """The deviations of two groups, of p and of q elements, from their means, and the means."""
    above = np.sum(np.where(upper, x, 0.0), axis=axis, keepdims=True) / p
    below = np.sum(np.where(lower, x, 0.0), axis=axis, keepdims=True) / q
    return np.where(upper, x - above, np.where(lower, x - below, 0.0)), above, below


def exponential_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The exponentials of a over their sum, the logarithm of which is y; those that are infinite share it evenly."""
    parts = np.exp(gap(a, spread(y, a, axis, keepdims)))
    return parts if np.all(np.isfinite(y)) else among_infinite(parts, a, y, axis, keepdims)


def binary_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The powers of two of a over their sum, the logarithm of which is y; those that are infinite share it evenly."""
    parts = np.exp2(gap(a, spread(y, a, axis, keepdims)))
    return parts if np.all(np.isfinite(y)) else among_infinite(parts, a, y, axis, keepdims)


def among_infinite(parts: Any, a: Any, y: Any, axis: Axis, keepdims: bool) -> Any:
    """Shares of a in y, where that is infinite even ones of the elements that are."""
    whole = spread(y, a, axis, keepdims)
    won = np.equal(a, whole)
    return np.where(np.isinf(whole), as_dtype(won / np.maximum(np.sum(won, axis=axis, keepdims=True), 1), a), parts)


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
