"""Kernels of `append` and `setitem`: tangents of persistent arrays are persistent arrays, gradients are arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tangent.runtime.dispatch import ArrayType, broadcast_like, register_array_type, unbroadcast
from tangent.runtime.persistent import PersistentArray, append, setitem
from tangent.runtime.zeros import ZeroGrad, dtype_of, gradient_dtype


def appended_row(t: Any, x: Any, row: Any) -> Any:
    """The tangent of `append(x, row)` for the tangents of both."""
    return append(as_persistent(t, x), row)


def replaced_item(t: Any, x: Any, index: Any, value: Any) -> Any:
    """The tangent of `setitem(x, index, value)` for the tangents of x and of the value."""
    return setitem(as_persistent(t, x), index, value)


def as_persistent(t: Any, x: Any) -> Any:
    """A tangent of x, persistent if x is, so that a step costs what it writes."""
    return PersistentArray(t) if isinstance(x, PersistentArray) and not isinstance(t, PersistentArray) else t


def zeros_of(x: PersistentArray) -> Any:
    return np.zeros(x.shape, gradient_dtype(dtype_of(x)))


register_array_type(
    PersistentArray,
    ArrayType(
        zeros=zeros_of, add=operator.add, unbroadcast=lambda b, x: unbroadcast(b, ZeroGrad(x)),
        broadcast_like=lambda b, x: broadcast_like(b, zeros_of(x)), copy=np.asarray,
    ),
)  # fmt: skip
