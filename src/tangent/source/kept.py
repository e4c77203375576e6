"""What is found out once while a derivative is made: several parts ask for the same sources."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

DEEPEST = 10_000  # calls inside each other

_T = TypeVar("_T")
_found: ContextVar[dict[Hashable, Any] | None] = ContextVar("found", default=None)


@contextmanager
def keeping(found: dict[Hashable, Any] | None = None) -> Iterator[None]:
    """Keep what is found out until the end, beside what was `found` before; code and names do not change meanwhile."""
    if _found.get() is not None:
        yield
        return
    token = _found.set({} if found is None else found)
    try:
        with _without_collections(), _with_room():
            yield
    finally:
        _found.reset(token)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Trees are many small objects that live on: to look for garbage among them takes a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def _with_room() -> Iterator[None]:
    """Trees are walked from the outside in: a sum of many terms is as deep as it has terms."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        yield
    finally:
        if sys.getrecursionlimit() == max(limit, DEEPEST):  # nobody else changed it meanwhile
            sys.setrecursionlimit(limit)


def kept(key: Hashable, find: Callable[[], _T]) -> _T:
    """What was found out for a key, or is now."""
    found = _found.get()
    if found is None:
        return find()
    if key not in found:
        found[key] = find()
    known: _T = found[key]
    return known
