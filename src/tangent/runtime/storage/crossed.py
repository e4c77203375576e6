"""Rows that are copied onto what crosses them: NumPy reads there what it has just written, in an order of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import InPlaceError


def require_uncrossed(place: Any, value: Any) -> None:
    """Stop where an element is read at one place of a row, and written at another, by one assignment.

    NumPy looks for overlap only where one of two rows runs the other way.

    >>> a = np.arange(9.0).reshape(3, 3)
    >>> require_uncrossed(a[1], a[:, 1])  # they meet at the second place of both
    >>> require_uncrossed(a[1], a[:, 2])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    tangent.errors.InPlaceError: cannot differentiate a row that is copied onto one that crosses it: NumPy reads ...
    Copy it first: a[1] = a[:, 2].copy().
    """
    if not isinstance(place, np.ndarray) or not isinstance(value, np.ndarray) or place.ndim != 1 or value.ndim != 1:
        return
    step, other = place.strides[0], value.strides[0]
    if place.shape != value.shape or step == other or step * other < 0 or not np.shares_memory(place, value):
        return
    n = np.arange(len(place))
    written, read = _address(place) + n * step, _address(value) + n * other
    if np.isin(written[written != read], read).any():
        raise InPlaceError(
            "cannot differentiate a row that is copied onto one that crosses it",
            why="NumPy reads elements there that it has just written",
            todo="Copy it first: a[1] = a[:, 2].copy().",
        )


def _address(x: Any) -> int:
    return int(x.__array_interface__["data"][0])
