"""Products over axes that the call names, or of operands that it casts, in terms of products over the last axes."""

from __future__ import annotations

from typing import Any

import numpy as np

NOWHERE = (None, None, None)


def matmul_over(
    x1: Any, x2: Any, /, *, axes: Any = NOWHERE, dtype: Any = None, order: Any = None, casting: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.matmul` with `axes` or `casting`."""
    return from_last(np.matmul(to_last(x1, axes[0], dtype), to_last(x2, axes[1], dtype)), axes[2])


def matvec_over(
    x1: Any, x2: Any, /, *, axes: Any = NOWHERE, dtype: Any = None, order: Any = None, casting: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.matvec` with `axes` or `casting`."""
    return from_last(np.matvec(to_last(x1, axes[0], dtype), to_last(x2, axes[1], dtype)), axes[2])


def vecmat_over(
    x1: Any, x2: Any, /, *, axes: Any = NOWHERE, dtype: Any = None, order: Any = None, casting: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.vecmat` with `axes` or `casting`."""
    return from_last(np.vecmat(to_last(x1, axes[0], dtype), to_last(x2, axes[1], dtype)), axes[2])


def vecdot_over(
    x1: Any, x2: Any, /, *, axis: int | None = None, axes: Any = None, keepdims: bool = False, dtype: Any = None,
    order: Any = None, casting: Any = None, subok: bool = True,
) -> Any:  # fmt: skip
    """`np.vecdot` with `axes`, `keepdims` or `casting`."""
    if axes is None:
        place = -1 if axis is None else axis
        axes = (place, place, place)
    z = np.vecdot(to_last(x1, axes[0], dtype), to_last(x2, axes[1], dtype))
    return from_last(np.expand_dims(z, -1), axes[2] if len(axes) == 3 else -1) if keepdims else z


def to_last(x: Any, axes: Any, dtype: Any = None) -> Any:
    """x in the dtype that is asked for, with some axes, or one, behind the others."""
    x = x if dtype is None else np.asarray(x, dtype=dtype)
    return x if axes is None else np.moveaxis(x, axes, last(axes))


def from_last(x: Any, axes: Any) -> Any:
    """x with its last axes where they belong."""
    return x if axes is None else np.moveaxis(x, last(axes), axes)


def last(axes: Any) -> tuple[int, ...] | int:
    """The last axes, as many as there are in `axes`."""
    return -1 if isinstance(axes, (int, np.integer)) else tuple(range(-len(axes), 0))
