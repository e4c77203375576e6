"""Objects of the user's classes: what they hold, and what their classes define.

The gradient of an object is an object of the same class that holds gradients: of its attributes with numbers, arrays,
containers and objects. Other attributes hold None.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

PLAIN = (
    type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial,
    BaseException, list, tuple, dict,
)  # fmt: skip
NUMBERS = frozenset({np.ndarray, np.float64, float, int})
OPERATORS = frozenset(
    f"__{side}{word}__"
    for word in "add sub mul truediv floordiv mod pow matmul".split()
    for side in ("", "r")
) | {"__neg__", "__pos__", "__abs__", "__getitem__"}  # fmt: skip


ARRAY_CLASSES: set[type] = set()  # those of other array libraries: their operators have rules


def is_object(x: Any) -> bool:
    """Whether x is an instance of a class written in Python, with attributes of its own."""
    cls = type(x)
    if cls is types.SimpleNamespace:
        return True
    if cls.__flags__ & _HEAP == 0 or isinstance(x, PLAIN):
        return False
    if any(c in ARRAY_CLASSES for c in cls.__mro__):
        return False
    array = hasattr(cls, "__array__") or hasattr(cls, "__array_ufunc__") or hasattr(cls, "is_zero_grad")
    return not array and _fields(x) is not None


_HEAP = 1 << 9  # the class was made by a class statement


def _fields(x: Any) -> list[str] | None:
    found = list(vars(x)) if hasattr(x, "__dict__") else []
    slots = [s for c in type(x).__mro__ for s in _slots(c) if hasattr(x, s)]
    return [*found, *slots] if hasattr(x, "__dict__") or slots else None


def _slots(cls: type) -> tuple[str, ...]:
    found = cls.__dict__.get("__slots__", ())
    return tuple(s for s in ((found,) if isinstance(found, str) else found) if s not in ("__dict__", "__weakref__"))


def fields_of(x: Any) -> dict[str, Any]:
    """The attributes that an object holds itself."""
    return {name: getattr(x, name) for name in _fields(x) or ()}


def remade(like: Any, values: dict[str, Any]) -> Any:
    """An object of the same class with other attributes; no initialiser runs."""
    cls: Any = type(like)
    made = cls.__new__(cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def is_property(x: Any, name: str) -> bool:
    """Whether an attribute is computed by a function of the class."""
    return isinstance(_static(x, name), property | functools.cached_property) and not isinstance(x, tuple)


def is_descriptor(cls: type, name: str) -> bool:
    """Whether a class of the user's says what reading an attribute means, other than by a property."""
    found = inspect.getattr_static(cls, name, None)
    made = bool(type(found).__flags__ & _HEAP) and hasattr(type(found), "__get__")
    return made and not isinstance(found, functools.cached_property | functools.singledispatchmethod)


def is_field(x: Any, name: str) -> bool:
    """Whether an attribute is held by the object itself, not by its class."""
    return not is_object(x) or name in (_fields(x) or ())


def getter_of(x: Any, name: str) -> Any:
    """The function that computes an attribute."""
    found = _static(x, name)
    return found.func if isinstance(found, functools.cached_property) else found.fget


def is_method(x: Any, name: str) -> bool:
    """Whether an attribute is a function of the class, bound to the object."""
    return isinstance(_static(x, name), types.FunctionType)


def _static(x: Any, name: str) -> Any:
    return inspect.getattr_static(type(x), name, None)


def has_method(x: Any, name: str) -> bool:
    """Whether the class of an object defines a method in Python."""
    return is_object(x) and isinstance(_static(x, name), types.FunctionType)


def has_member(x: Any, name: str) -> bool:
    """Whether x is an object that holds, or whose class defines, what arrays have under the same name."""
    return is_object(x) and hasattr(x, name)


def method_of(x: Any, name: str) -> Any:
    """The function behind `x.name(...)`, which takes x first."""
    found = _static(x, name)
    if isinstance(found, types.FunctionType) and name not in getattr(x, "__dict__", {}):
        return found
    if isinstance(found, staticmethod):
        return without_first(found.__func__)
    if isinstance(found, classmethod):
        return with_class(found.__func__, type(x))
    return by_attribute(name)


def parent_method(cls: type, x: Any, name: str) -> Any:
    """The function behind `super().name(...)`."""
    found = getattr(super(cls, x), name)
    if isinstance(found, types.MethodType) and found.__self__ is x:
        return found.__func__
    return without_first(found)


def without_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """A static method: it does not take the object."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        return function(*args, **named)

    return called


def with_class(function: Callable[..., Any], cls: type) -> Callable[..., Any]:
    """A class method: it takes the class."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        every = [cls, *args]
        return function(*every, **named)

    return called


@functools.cache
def by_attribute(name: str) -> Callable[..., Any]:
    """A function that an object holds."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        function = field(owner, name)
        return function(*args, **named)

    return called


def field(x: Any, name: str) -> Any:
    """An attribute, by a name that is known when it is read."""
    return getattr(x, name)


def holds_objects(x: Any, depth: int = 3) -> bool:
    """Whether x is, or holds, an object of a class of the user's."""
    if type(x) in NUMBERS:
        return False
    if isinstance(x, list | tuple) and depth > 0:
        kinds = {type(v): v for v in x}  # one of each class tells for all
        return any(holds_objects(v, depth - 1) for v in kinds.values())
    if isinstance(x, dict):
        return depth > 0 and any(holds_objects(v, depth - 1) for v in x.values())
    return is_object(x)


@functools.cache
def defines_operators(cls: Any) -> bool:
    """Whether a class defines operators, or members that arrays have too, in Python."""
    if any(c in ARRAY_CLASSES for c in cls.__mro__):
        return False
    for c in cls.__mro__:
        made = bool(c.__flags__ & _HEAP)
        if made and any(hasattr(np.ndarray, name) and not name.startswith("__") for name in vars(c)):
            return True
    return any(isinstance(inspect.getattr_static(cls, name, None), types.FunctionType) for name in OPERATORS)


def overloads(x: Any, depth: int = 3) -> bool:
    """Whether x is, or holds, an object whose class defines operators."""
    if is_object(x):
        cls: Any = type(x)
        fields = fields_of(x)
        if defines_operators(cls) or any(hasattr(np.ndarray, name) for name in fields):
            return True
        return depth > 0 and any(overloads(v, depth - 1) for v in fields.values())
    if isinstance(x, list | tuple) and depth > 0:
        kinds = {type(v): v for v in x}  # one of each class tells for all
        return any(overloads(v, depth - 1) for v in kinds.values())
    return isinstance(x, dict) and depth > 0 and any(overloads(v, depth - 1) for v in x.values())
