"""What is found out once while a derivative is made: several parts ask for the same sources."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

_T = TypeVar("_T")
_found: ContextVar[dict[Hashable, Any] | None] = ContextVar("found", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """Keep what is found out until the end; code and names do not change meanwhile."""
    before = _found.get()
    token = _found.set({} if before is None else before)
    try:
        yield
    finally:
        _found.reset(token)


def kept(key: Hashable, find: Callable[[], _T]) -> _T:
    """What was found out for a key, or is now."""
    found = _found.get()
    if found is None:
        return find()
    if key not in found:
        found[key] = find()
    known: _T = found[key]
    return known
