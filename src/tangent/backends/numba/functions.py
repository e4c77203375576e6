"""Functions that only compiled code calls, as Python would do them; Numba compiles their overloads."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import TangentError
from tangent.runtime import refilled


def set_back(a: Any, kept: Any) -> Any:
    """What a name stands for again: the array or container itself with what it held, or the number that was kept."""
    if not isinstance(a, np.ndarray):
        return refilled(a, kept)
    a[...] = kept
    return a


def fill_array(a: Any, kept: Any) -> None:
    """Fill an array with what it held; of anything else nothing was kept."""
    if isinstance(a, np.ndarray):
        a[...] = kept


def where(condition: Any, x: Any, y: Any) -> Any:
    """`np.where`, a number where all three are numbers (Numba's own gives an array without axes)."""
    return np.where(condition, x, y)[()]


def clip(x: Any, low: Any, high: Any) -> Any:
    """`np.clip` (Numba's own gives an array of the shape of x where the bounds have a larger one)."""
    return np.clip(x, low, high)


def matmul(x: Any, y: Any) -> Any:
    """`np.matmul` (which Numba takes for an elementwise function in larger expressions)."""
    return np.matmul(x, y)


def spread_to(x: Any, shape: Any) -> Any:
    """`np.broadcast_to`, a number where there are no axes (Numba's own fails)."""
    return np.broadcast_to(x, shape)[()]


def apart(v: Any) -> Any:
    """What is added to an array that may share its memory: a copy, or the number itself."""
    return v.copy() if isinstance(v, np.ndarray) else v


def listed(v: Any) -> Any:
    """An item of a list that others take the place of: an array by a type that has room for views."""
    return v


def tangent_at(d: Any, key: Any) -> Any:
    """The tangent of an item of a dict, zero for a number that is not there; None where it may be an array."""
    return d.get(key)


class Broadcast(TangentError):
    """Arrays in a loop have different shapes, so that they must be broadcast: this version is not made for that."""


def require_same(m: Any, n: Any) -> None:
    """Refuse lengths or shapes that differ."""
    if m != n:
        raise Broadcast("shapes differ")


def span(size: int, low: int | None, high: int | None, step: int = 1) -> tuple[int, int]:
    """Where a slice of something of this size begins, and how many elements it has.

    >>> span(10, -3, None)
    (7, 3)
    """
    start, stop, step = slice(low, high, step).indices(size)
    return start, len(range(start, stop, step))


def require_inside(low: int, high: int, size: int) -> None:
    """Refuse a part of an array that does not lie inside of it; bounds below zero count from the end."""
    if not (0 <= low <= high <= size or -size <= low <= high < 0):
        raise Broadcast("a part is not inside of its array")


def require_regular(determinant: float) -> None:
    """Refuse to invert a matrix by a formula that might divide by zero or overflow."""
    if not 1e-200 < abs(determinant) < 1e200:
        raise Broadcast("a matrix is singular, or its elements are very large or small")


LEFT_OUT = (
    "a branch of a recursive function leaves out what a call of itself has kept: its gradient in compiled code, where"
    " arrays belong to it, would need shapes\n"
    "Use forward mode over reverse mode (tangent.hvp), or leave compile='numba' out."
)


def require_unset(place: int) -> None:
    """Refuse to make nothing of what a recursive call has kept; where no call was made, there is none."""
    if place != 0:
        raise TangentError(LEFT_OUT)
