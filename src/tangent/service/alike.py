"""What was found out of a function, kept for others that do the same: closures are made anew in every call.

    def total(x):
        terms = [lambda t, k=k: t**k * x for k in range(4)]
        return sum(f(0.5) for f in terms)

Whether a lambda writes into what it is given, or draws random numbers, its text tells, and the functions that it can
reach. Of the values that it captured only their kinds count, so that what is known of one goes for the next.
"""

from __future__ import annotations

import operator
import threading
import types
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np

from tangent.rules.table import table
from tangent.runtime.objects import is_object
from tangent.source.cells import content_of
from tangent.source.naming import is_library

MOST = 1024  # functions of which something is known
LARGEST = 64  # parts of what a function captured that are looked at

EMPTY = object()
TEXT = (str, bytes, bool, type(None))
NUMBERS = (float, int, complex, np.generic, np.ndarray)

_T = TypeVar("_T")


class Alike(Generic[_T]):
    """Facts about functions, by what these can do."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[_T, Any]] = {}
        self._asked: dict[Hashable, tuple[tuple[Any, ...], _T]] = {}
        self._lock = threading.Lock()

    def known(self, function: types.FunctionType, find: Callable[[], _T], *more: Hashable) -> _T:
        """What was found out of such a function, or is now; `more` is what it depends on besides."""
        state = _plain_state(function)
        asked = self._asked.get((function, more)) if state else None
        if asked is not None and len(asked[0]) == len(state) and all(map(operator.is_, asked[0], state)):
            return asked[1]
        found = self._found(function, find, more)
        if state:
            with self._lock:
                _keep(self._asked, (function, more), (state, found))
        return found

    def _found(self, function: types.FunctionType, find: Callable[[], _T], more: tuple[Hashable, ...]) -> _T:
        look = _Look()
        key = (table().version, look.entry(function), more)
        found = self._known.get(key)
        if found is None:
            found = find(), look.alive
            with self._lock:
                _keep(self._known, key, found)
        return found[0]


def _keep(kept: dict[Any, Any], key: Hashable, value: Any) -> None:
    kept[key] = value
    while len(kept) > MOST:
        kept.pop(next(iter(kept)))


def _plain_state(function: types.FunctionType) -> tuple[Any, ...]:
    """All that tells what a function does, of one that captured nothing; empty for others."""
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__ or function.__dict__:
        return ()
    code = function.__code__
    return table().version, code, *map(function.__globals__.get, code.co_names)


def are_alike(function: types.FunctionType, other: types.FunctionType) -> bool:
    """Whether two functions write into the same and call the same.

    >>> def power(k):
    ...     return lambda t: t**k
    >>> are_alike(power(2.0), power(3.0)), are_alike(power(2.0), power("2"))
    (True, False)
    """
    return _Look().entry(function) == _Look().entry(other)


class _TooLarge(Exception):
    """More was captured than is looked at."""


class _Look:
    """A look at a function: what it is, and what kinds of things it captured; `alive` is what addresses stand for."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.alive: list[Any] = []

    def entry(self, function: types.FunctionType) -> Hashable:
        try:
            return self.function(function)
        except _TooLarge:
            return self.itself(function), *map(self.itself, function.__closure__ or ())

    def function(self, function: Any) -> Hashable:
        if hasattr(function, "remembers"):  # it is made of that one
            return function.entry, function.lists, function.in_place, self.function(function.remembers)
        if hasattr(function, "origin"):  # it does what the derivative of that one does
            behind, options = function.origin
            return self.function(behind), options
        code, around = function.__code__, function.__globals__
        named = tuple([self.named(around.get(v)) for v in code.co_names])
        if not (function.__closure__ or function.__defaults__ or function.__kwdefaults__ or function.__dict__):
            return code, self.itself(around), named
        captured = [content_of(cell, EMPTY) for cell in function.__closure__ or ()]
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        values = tuple(map(self.value, (*captured, *given)))
        return code, self.itself(around), named, values, self.items(function.__dict__)

    def value(self, x: Any) -> Hashable:
        if isinstance(x, TEXT):
            return x
        if isinstance(x, NUMBERS):
            return type(x).__name__
        if isinstance(x, types.FunctionType) and is_library(x) and not x.__closure__:
            return self.itself(x)
        if id(x) in self.met:
            return "met", self.met[id(x)]
        if len(self.met) == LARGEST:
            raise _TooLarge
        self.met[id(x)] = len(self.met)
        if isinstance(x, types.FunctionType):
            return self.function(x)
        if isinstance(x, types.MethodType):
            return type(x), self.value(x.__func__), self.value(x.__self__)
        if isinstance(x, (tuple, list, deque)) and len(x) <= LARGEST:
            return type(x), *map(self.value, x)
        if isinstance(x, (set, frozenset)) and len(x) <= LARGEST:
            return type(x), frozenset(map(self.value, x))
        if isinstance(x, dict):
            return type(x), self.items(x)
        return (type(x), self.items(vars(x))) if is_object(x) and hasattr(x, "__dict__") else self.itself(x)

    def items(self, x: dict[Any, Any]) -> Hashable:
        if len(x) > LARGEST:
            raise _TooLarge
        return frozenset((k if isinstance(k, (int, *TEXT)) else type(k), self.value(v)) for k, v in x.items())

    def named(self, x: Any) -> Hashable:
        """What a name of the module means: a function by itself, a number by its kind."""
        return type(x).__name__ if isinstance(x, (*NUMBERS, *TEXT)) else self.itself(x)

    def itself(self, x: Any) -> int:
        """A thing by its address, which stands for nothing else as long as the thing is there."""
        self.alive.append(x)
        return id(x)
