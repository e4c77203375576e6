"""What lists and dicts are made of: those of numbers, and those of such, can be copied by an expression."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, Location, caller
from tangent.runtime.objects import is_object

Form = tuple[str, ...]


def form_of(x: Any) -> Form:
    """The classes of a container, its items and theirs, down to what cannot be changed; empty where they differ.

    >>> form_of([[1.0, 2.0], [3.0]]), form_of({"a": 1.0}), form_of([1.0, [2.0]]), form_of(2.0)
    (('list', 'list'), ('dict',), (), ())
    """
    if type(x) is not list and type(x) is not dict:
        return ()
    items = list(x.values()) if type(x) is dict else x
    if all(_is_fixed(v) for v in items):
        return (type(x).__name__,)
    inner = {form_of(v) for v in items}
    below = inner.pop()
    return () if inner or not below else (type(x).__name__, *below)


def _is_fixed(x: Any) -> bool:
    """Whether nothing can be written into a value."""
    if isinstance(x, tuple):
        return all(map(_is_fixed, x))
    return not isinstance(x, (list, dict, set, np.ndarray)) and not is_object(x) and not callable(x)


def holds_arrays(x: Any, path: tuple[Any, ...]) -> bool:
    """Whether a part of a container, told by the keys that lead to it, is a list or dict of arrays or containers.

    >>> holds_arrays([1.0, [np.ones(2)]], (1,)), holds_arrays([[np.ones(2)]], (None, 0)), holds_arrays([[2.0]], (0,))
    (True, False, False)
    """
    held = [v for part in _parts(x, path) for v in _items(part)]
    return any(isinstance(v, (np.ndarray, list, tuple, dict)) for v in held)


def holds_lists(x: Any, path: tuple[Any, ...]) -> bool:
    """Whether a part of a container, told in the same way, is a list or tuple.

    >>> holds_lists([1.0, [2.0]], (1,)), holds_lists([np.ones(2)], (None,)), holds_lists([2.0], ())
    (True, False, True)
    """
    return any(isinstance(part, (list, tuple)) for part in _parts(x, path))


def _parts(x: Any, path: tuple[Any, ...]) -> Iterator[Any]:
    """The parts of a container that some keys lead to; None is any key."""
    if not path:
        yield x
    elif path[0] is None:
        for v in _items(x):
            yield from _parts(v, path[1:])
    elif isinstance(x, (list, tuple, dict)):
        with contextlib.suppress(LookupError, TypeError):
            yield from _parts(x[path[0]], path[1:])


def _items(x: Any) -> Iterable[Any]:
    if isinstance(x, (list, tuple, dict)):
        return x.values() if isinstance(x, dict) else x
    return ()


def refuse_shared(values: tuple[Any, ...], where: Callable[[], Location]) -> None:
    """Stop where a list or dict among the arguments is there twice: copies would be two."""
    every = [id(x) for v in values for x in _containers(v)]
    if len(set(every)) < len(every):
        error = InPlaceError(
            "a list or dict that is written in place is given twice, or shares its memory with another argument",
            where(), "the derivative works on copies, which would be two", "Pass a copy of one of them.",
        )  # fmt: skip
        error.meet("Both are given", caller(outside=True))
        raise error


def _containers(x: Any) -> Iterator[Any]:
    if isinstance(x, (list, dict)):
        yield x
    if isinstance(x, (list, tuple, dict)):
        for v in x.values() if isinstance(x, dict) else x:
            yield from _containers(v)
