"""Parts of a whole: elements over their length, exponentials over their sum.

What such a part loses as another one grows cancels where one of them is nearly all; these kernels say it by the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import cosine, gap
from tangent.runtime.kernels.matrices import safe_ratio
from tangent.runtime.kernels.reduce import Axis, at_rank, spread


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


def exponential_shares(a: Any, y: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The exponentials of a over their sum, the logarithm of which is y."""
    return np.exp(gap(a, spread(y, a, axis, keepdims)))


def logarithm_shares(
    a: Any, y: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:
    """The share of each element in `y = np.logaddexp.reduce(a, ...)`."""
    if initial is None and where is True:
        return exponential_shares(a, y, axis, keepdims)
    return np.exp(gap(a, spread(y, a, axis, keepdims)))


def length_shares(
    a: Any, y: Any, axis: Axis = None, keepdims: bool = False, initial: Any = 0, where: Any = True
) -> Any:
    """The share of each element in `y = np.hypot.reduce(a, ...)`."""
    if type(initial) is int and initial == 0 and where is True and np.all(np.isfinite(y)):
        return direction_of(a, y, axis, keepdims)
    return cosine(a, spread(y, a, axis, keepdims))
