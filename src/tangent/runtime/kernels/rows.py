"""Kernels of `append` and `setitem`: tangents of persistent arrays are persistent arrays, gradients are arrays.

Where only the last version of an array is used, it is changed in place, in an array with room for more rows.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tangent.runtime.dispatch import ArrayType, register_array_type
from tangent.runtime.fit import broadcast_like, unbroadcast
from tangent.runtime.persistent import PersistentArray, append, fitting, setitem, shortened
from tangent.runtime.zeros import ZeroGrad, dtype_of, gradient_dtype


def appended_row(t: Any, x: Any, row: Any) -> Any:
    """The tangent of `append(x, row)` for the tangents of both."""
    return append(as_persistent(t, x), row)


def shortened_tangent(t: Any, x: Any, count: int) -> Any:
    """The tangent of `shortened(x, count)`."""
    return shortened(as_persistent(t, x), count)


def lengthened(b: Any, x: Any) -> Any:
    """What x receives where it lost rows at the end: nothing for these.

    >>> lengthened(np.array([5.0]), np.array([1.0, 2.0]))
    array([5., 0.])
    """
    found = np.zeros(np.shape(x), np.asarray(b).dtype)
    found[: len(b)] = b
    return found


def replaced_item(t: Any, x: Any, index: Any, value: Any) -> Any:
    """The tangent of `setitem(x, index, value)` for the tangents of x and of the value."""
    return setitem(as_persistent(t, x), index, value)


def as_persistent(t: Any, x: Any) -> Any:
    """A tangent of x, persistent if x is, so that a step costs what it writes."""
    return PersistentArray(t) if isinstance(x, PersistentArray) and not isinstance(t, PersistentArray) else t


def with_room(x: Any) -> Any:
    """The rows of an array in memory of their own, where more rows can follow."""
    room = np.empty((max(2 * len(x), 8), *x.shape[1:]), x.dtype)
    rows = room[: len(x)]
    rows[...] = np.asarray(x)
    return rows


def extended(x: Any, row: Any) -> Any:
    """`append(x, row)` for an array with room; it is moved to twice as much room where there is none left.

    >>> extended(with_room(np.array([1.0, 2.0])), 3.0)
    array([1., 2., 3.])
    """
    row = fitting(row, x.shape[1:], x.dtype, "row")
    n = len(x)
    room = x.base if n < len(x.base) else with_room(x).base
    longer = room[: n + 1]
    longer[n] = row
    return longer


def put_rows(x: Any, index: Any, value: Any) -> Any:
    """`setitem(x, index, value)`, in place."""
    x[index] = fitting(value, np.shape(x[index]), x.dtype, "value")
    return x


def kept_rows(x: Any, *counts: int) -> Any:
    """Room for a row of x for each round of nested loops."""
    return np.empty((*[max(n, 0) for n in counts], *x.shape[1:]), x.dtype)


def zeros_of(x: PersistentArray) -> Any:
    return np.zeros(x.shape, gradient_dtype(dtype_of(x)))


register_array_type(
    PersistentArray,
    ArrayType(
        zeros=zeros_of, add=operator.add, unbroadcast=lambda b, x: unbroadcast(b, ZeroGrad(x)),
        broadcast_like=lambda b, x: broadcast_like(b, zeros_of(x)), copy=np.asarray, numpy=True,
    ),
)  # fmt: skip
