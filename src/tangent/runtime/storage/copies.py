"""Copies that keep their layout: what a derivative writes into instead of what it was given."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tangent.errors import ArgumentError, InPlaceError, Location, caller, names_in_derivative
from tangent.runtime.dispatch import is_numpy_like
from tangent.runtime.objects import is_object
from tangent.runtime.storage.held import are_apart, parts_of
from tangent.runtime.storage.views import laid_out_like
from tangent.runtime.usual import require_usual_items


def own(x: Any, *others: Any) -> Any:
    """A copy of an argument that will be written into; it may not overlap the other arguments.

    >>> a = np.ones(3)
    >>> own(a) is a
    False
    """
    if isinstance(x, (list, tuple, dict)):
        raise ArgumentError(
            f"an argument that is written in place by index is a {type(x).__name__}",
            why="the derivative takes it for an array", todo="Pass np.array(...), or fill a list made in the function.",
        )  # fmt: skip
    return own_any(x, *others)


def own_any(x: Any, *others: Any) -> Any:
    """A copy of an argument of any kind that will be written into."""
    for other in others:
        if _is_held(x, other):
            raise _shared_memory(other)
    if isinstance(x, (list, tuple, dict)) and not are_apart([x]):
        error = InPlaceError(
            f"a {type(x).__name__} whose items are written in place holds an array twice, or two that share memory",
            why="the derivative works on copies, which would not share it", todo="Pass a copy of one of them.",
        )  # fmt: skip
        error.meet("It is given", caller(outside=True))
        raise error
    return _copied(x)


def _shared_memory(other: Any) -> InPlaceError:
    error = InPlaceError(
        "an argument that is written in place shares its memory with another argument, or with a global",
        why="the derivative works on copies, which would not share it", todo="Pass a copy of one of them.",
    )  # fmt: skip
    names, outside = names_in_derivative(other)
    if outside:
        error.about = names[0]
    else:
        shown = " and ".join(f"'{v}'" for v in names) or "Both"
        error.meet(f"{shown} {'is' if len(names) == 1 else 'are'} given", caller(outside=True))
    return error


def require_apart(x: Any, others: tuple[Any, ...], file: str, line: int, text: str) -> None:
    """Stop where an argument that a function changes is, or shares its memory with, one that it reads afterwards."""
    if any(_is_held(x, other) for other in others):
        error = InPlaceError(
            "an argument that is changed in place is given twice, or shares its memory with another argument",
            Location(file, line, text, 0, len(text)), "the derivative works on copies, which would not share it",
            "Pass a copy of one of them.",
        )  # fmt: skip
        error.meet("Both are given", caller(outside=True))
        raise error


def _is_held(x: Any, other: Any) -> bool:
    """Whether something that can be changed is, or is held by, something else."""
    if isinstance(x, np.ndarray):
        return _overlap(x, other)
    if isinstance(x, (list, tuple, dict)) and isinstance(other, np.ndarray):
        return _overlap(other, x)
    if isinstance(other, (list, tuple, dict)) and x is not other:
        return any(_is_held(x, v) for v in (other.values() if isinstance(other, dict) else other))
    return x is other and (isinstance(x, (list, dict, deque, set)) or is_numpy_like(x) or is_object(x))


def _overlap(x: np.ndarray[Any, Any], other: Any) -> bool:
    if isinstance(other, np.ndarray):
        return bool(np.may_share_memory(x, other)) and bool(np.shares_memory(x, other))
    if isinstance(other, (list, tuple, dict)):
        return any(_overlap(x, item) for item in (other.values() if isinstance(other, dict) else other))
    return is_object(other) and any(_overlap(x, part) for part in parts_of(other) if isinstance(part, np.ndarray))


def _copied(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        fresh = laid_out_like(x, x.dtype)
        fresh[...] = x
        return fresh
    require_usual_items(x)
    if isinstance(x, dict):
        return type(x)({k: _copied(v) for k, v in x.items()})
    if isinstance(x, list):
        return [_copied(v) for v in x]
    if isinstance(x, deque):
        return deque(map(_copied, x), x.maxlen)
    if isinstance(x, (set, bytearray)):
        return x.copy()
    if isinstance(x, tuple):
        parts = [_copied(v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return np.array(x) if is_numpy_like(x) else x
