"""Products over axes that the call names, in terms of products over the last ones."""

from __future__ import annotations

from typing import Any

import numpy as np


def matmul_over(
    x1: Any, x2: Any, /, *, axes: Any, dtype: Any = None, order: Any = None, casting: Any = None, subok: bool = True
) -> Any:
    """`np.matmul` with `axes`."""
    return from_last(np.matmul(to_last(x1, axes[0]), to_last(x2, axes[1]), dtype=dtype), axes[2])


def matvec_over(
    x1: Any, x2: Any, /, *, axes: Any, dtype: Any = None, order: Any = None, casting: Any = None, subok: bool = True
) -> Any:
    """`np.matvec` with `axes`."""
    return from_last(np.matvec(to_last(x1, axes[0]), to_last(x2, axes[1]), dtype=dtype), axes[2])


def vecmat_over(
    x1: Any, x2: Any, /, *, axes: Any, dtype: Any = None, order: Any = None, casting: Any = None, subok: bool = True
) -> Any:
    """`np.vecmat` with `axes`."""
    return from_last(np.vecmat(to_last(x1, axes[0]), to_last(x2, axes[1]), dtype=dtype), axes[2])


def vecdot_over(
    x1: Any, x2: Any, /, *, axis: int | None = None, axes: Any = None, keepdims: bool = False, dtype: Any = None,
    order: Any = None, casting: Any = None, subok: bool = True,
) -> Any:  # fmt: skip
    """`np.vecdot` with `axes` or `keepdims`."""
    if axes is None:
        place = -1 if axis is None else axis
        axes = (place, place, place)
    z = np.vecdot(to_last(x1, axes[0]), to_last(x2, axes[1]), dtype=dtype)
    return from_last(np.expand_dims(z, -1), axes[2] if len(axes) == 3 else -1) if keepdims else z


def to_last(x: Any, axes: Any) -> Any:
    """x with some axes, or one, behind the others."""
    return np.moveaxis(x, axes, last(axes))


def from_last(x: Any, axes: Any) -> Any:
    """x with its last axes where they belong."""
    return np.moveaxis(x, last(axes), axes)


def last(axes: Any) -> tuple[int, ...] | int:
    """The last axes, as many as there are in `axes`."""
    return -1 if isinstance(axes, int | np.integer) else tuple(range(-len(axes), 0))
