"""`np.where` and what is like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.functions import where
from tangent.backends.numba.kinds import (
    element,
    implements,
    is_array,
    is_number,
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


def narrower(array: Any, number: Any) -> bool:
    """Whether a number would widen an array: it does not in NumPy, where it is Python's."""
    a, b = element(array), element(number)
    both_float = isinstance(a, types.Float) and isinstance(b, types.Float)
    return both_float and a.bitwidth < b.bitwidth
