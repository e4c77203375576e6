"""Attributes that other objects look after: descriptors, and classes that say what an assignment means.

class Scaled:                              x.w        Scaled.__get__(x's class.w, x, type(x))
    def __get__(self, owner, cls): ...     x.w = v    Scaled.__set__(x's class.w, x, v)
    def __set__(self, owner, value): ...
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

_known: dict[tuple[int, type, str], tuple[Any, Callable[..., Any]]] = {}  # by address: what is kept stays where it is


def is_written(found: Any, method: str) -> bool:
    """Whether the class of something defines a method in Python."""
    cls: Any = type(found)
    return isinstance(next((vars(c)[method] for c in cls.__mro__ if method in vars(c)), None), types.FunctionType)


def reads(found: Any) -> bool:
    """Whether something in a class is a descriptor of the user's, which says what reading an attribute means.

    Attributes that are computed once, and methods of functools, have ways of their own.
    """
    return is_written(found, "__get__") and type(found).__module__ != "functools"


def assigns(found: Any) -> bool:
    """Whether something in a class is a descriptor of the user's, which says what assigning an attribute means."""
    return is_written(found, "__set__")


def reader(found: Any, cls: type) -> Callable[[Any], Any]:
    """The function behind `x.w`."""
    get = type(found).__get__

    def read(owner):  # type: ignore[no-untyped-def]
        return get(found, owner, cls)

    return _once(found, cls, read)


def assigner(found: Any) -> Callable[[Any, Any], None]:
    """The function behind `x.w = v`."""
    put = type(found).__set__

    def assign(owner, value):  # type: ignore[no-untyped-def]
        put(found, owner, value)

    return _once(found, type(found), assign)


def _once(found: Any, cls: type, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that was made for a descriptor first, so that it has one derivative."""
    key = id(found), cls, function.__name__
    if key not in _known:
        if len(_known) >= 512:
            _known.pop(next(iter(_known)))
        _known[key] = found, function
    return _known[key][1]


def assignment_of(cls: Any) -> types.FunctionType | None:
    """The `__setattr__` that a class defines in Python; not that of a frozen dataclass, which only raises."""
    found = cls.__setattr__
    if not isinstance(found, types.FunctionType) or found.__code__.co_filename == "<string>":
        return None
    return found


def assigned_as_usual(owner, name, value):  # type: ignore[no-untyped-def]
    """`super().__setattr__(name, value)` of a class that has no other parent."""
    object.__setattr__(owner, name, value)
