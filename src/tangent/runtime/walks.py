"""Loops over lists that change meanwhile: what a loop runs over must be what it was when it began."""

from __future__ import annotations

from collections import deque
from typing import Any

from tangent.errors import InPlaceError, UnsupportedError
from tangent.runtime.memory import contents


def require_same(memory: Any, x: Any, items: Any) -> None:
    """Stop where a list has grown or shrunk while a loop ran over it."""
    if isinstance(x, (list, dict, deque)) and len(contents(memory, x)) != len(items):
        raise UnsupportedError(
            "cannot differentiate a loop over a list that changes inside it", why="its length changes while it runs",
            todo="Loop over a copy of the list.",
        )  # fmt: skip


def require_coming(memory: Any, x: Any, items: Any, k: int) -> None:
    """Stop where a loop comes to an item of a list that was another one when it began."""
    if not isinstance(x, (list, deque)):
        return
    now = contents(memory, x)
    if k < len(now) and now[k] is not items[k]:
        error = InPlaceError(
            "cannot differentiate a loop over a list that changes inside it",
            why="an item that it comes to was another one when it began", todo="Loop over a copy of the list.",
        )  # fmt: skip
        error.found_late = True
        raise error


def length_of(x: Any) -> int:
    """How long a list is that a loop runs over; anything else keeps its length."""
    return len(x) if isinstance(x, (list, deque)) else 0


def require_length(x: Any, length: int) -> None:
    """Stop where a list has grown or shrunk while a loop runs over it."""
    if length_of(x) != length:
        raise UnsupportedError(
            "cannot differentiate a loop over a list that changes inside it", why="its length changes while it runs",
            todo="Loop over a copy of the list.",
        )  # fmt: skip


def require_unwritten(x: Any) -> None:
    """Stop before a loop that writes into items of a list which are still to come."""
    if isinstance(x, list):
        raise InPlaceError(
            "cannot differentiate a loop over a list that it writes into",
            why="the items to come are read before the loop begins",
            todo="Loop over an index: for i in range(len(xs)): v = xs[i].",
        )  # fmt: skip
