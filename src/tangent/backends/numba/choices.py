"""`np.where` and what is like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.functions import clip, where
from tangent.backends.numba.kinds import (
    element,
    implements,
    is_array,
    is_nothing,
    is_number,
    jitable,
    types,
)


@implements(where)
def chosen(condition: Any, x: Any, y: Any) -> Any:
    if is_number(condition) and is_number(x) and is_number(y):
        return lambda condition, x, y: x if condition else y
    if is_array(x) and is_number(y) and narrower(x, y):
        kind = element(x)
        return lambda condition, x, y: np.where(condition, x, kind(y))
    if is_number(x) and is_array(y) and narrower(y, x):
        kind = element(y)
        return lambda condition, x, y: np.where(condition, kind(x), y)
    return lambda condition, x, y: np.where(condition, x, y)


@implements(clip)
def between(x: Any, low: Any, high: Any) -> Any:
    least, most = bound_of(x, low), bound_of(x, high)
    if least is None or most is None:
        return None
    if is_nothing(low):
        return lambda x, low, high: np.minimum(x, most(high))
    if is_nothing(high):
        return lambda x, low, high: np.maximum(x, least(low))
    return lambda x, low, high: np.minimum(np.maximum(x, least(low)), most(high))


def bound_of(x: Any, bound: Any) -> Any:
    """A function that makes a bound one for x: a number of Python's does not widen an array."""
    if is_array(x) and is_number(bound) and narrower(x, bound):
        kind = element(x)
        return jitable(lambda v: kind(v))
    if is_number(bound) or is_array(bound) or is_nothing(bound):
        return jitable(lambda v: v)
    return None


def narrower(array: Any, number: Any) -> bool:
    """Whether a number would widen an array: it does not in NumPy, where it is Python's."""
    a, b = element(array), element(number)
    both_float = isinstance(a, types.Float) and isinstance(b, types.Float)
    return both_float and a.bitwidth < b.bitwidth
