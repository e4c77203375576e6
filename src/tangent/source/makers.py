"""Initialisers as functions that make an object at once: what they assign to `self` becomes variables.

class Point:                                  def Point(x):
    def __init__(self, x):                        self_x = x
        self.x = x                      ->        self_y = 2.0 * self_x
        self.y = 2.0 * self.x                     return new_instance(Point, ("x", "y"), self_x, self_y)

Only where `self` is not handed on before it is made; objects of other classes are made in a memory (normalise/memory/).
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from tangent.errors import TangentError
from tangent.runtime.classes import INSTANCES, factory_of, is_made_by_class, is_namespace, new_instance
from tangent.source import dataclass  # noqa: F401  (it writes the initialisers of dataclasses)
from tangent.source.cells import cells_of
from tangent.source.naming import is_named_tuple
from tangent.source.opened import CannotOpen, Opened, opened, own_captures
from tangent.source.read import read
from tangent.source.series import is_series, series_maker
from tangent.source.stubs import stub
from tangent.source.tuples import tuple_maker
from tangent.syntax.quote import at, constant, name
from tangent.syntax.rebuild import replace

_known: weakref.WeakKeyDictionary[type, tuple[Any, types.FunctionType | None]] = weakref.WeakKeyDictionary()
_assigning: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()


def maker(cls: Any) -> types.FunctionType | None:
    """The function that makes objects of a class; None where its initialiser does more than to assign attributes."""
    if is_series(cls):
        return series_maker(cls)
    if is_named_tuple(cls):
        return tuple_maker(cls)
    if not isinstance(cls, type) or not _is_plain(cls) or any(map(_has_block, _methods(cls))):
        return None
    state = tuple(vars(c).get("__init__") for c in cls.__mro__)
    if cls not in _known or _known[cls][0] != state:
        _known[cls] = state, _made(cls)
    return _known[cls][1]


def lasting_maker(cls: Any) -> types.FunctionType | None:
    """The same, of classes whose methods leave objects as they are: others are kept in a memory from the start."""
    made = maker(cls)
    return made if made is not None and not any(_assigns(f) for f in _methods(cls)) else None


INSTANCES.append(lasting_maker)


def _methods(cls: type) -> Iterator[types.FunctionType]:
    for c in cls.__mro__:
        for title, member in vars(c).items():
            behind = getattr(member, "__func__", member)
            if isinstance(behind, types.FunctionType) and title not in ("__init__", "__post_init__"):
                yield behind


def _has_block(function: types.FunctionType) -> bool:
    """Whether a method has a block for the backward pass, which sees what all uses of the object have sent."""
    return "insert_grad_of" in function.__code__.co_names


def _assigns(function: types.FunctionType) -> bool:
    """Whether a method assigns attributes of what it is given: it is asked whenever an object is made."""
    if (code := function.__code__) not in _assigning:
        _assigning[code] = _stores(function)
    return _assigning[code]


def _stores(function: types.FunctionType) -> bool:
    """The same, by its text; what has no source is Python's own, for dataclasses."""
    first = function.__code__.co_varnames[:1]
    try:
        nodes = ast.walk(read(function).tree)
    except TangentError:
        return False
    stored = (n.value for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load))
    return any(isinstance(e, ast.Name) and e.id in first for e in stored)


def _is_plain(cls: Any) -> bool:
    """Whether Python makes objects of a class, and assigns their attributes, in the usual way."""
    if is_made_by_class(cls) or is_namespace(cls) or inspect.isabstract(cls) or type(cls).__call__ is not type.__call__:
        return False
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    assigned = cls.__setattr__ is object.__setattr__ or frozen
    as_usual = assigned and cls.__getattribute__ is object.__getattribute__
    return cls.__new__ is object.__new__ and as_usual


def _made(cls: Any) -> types.FunctionType | None:
    try:
        initialise: Any = factory_of(cls)
        parts = opened(initialise, cls, ())
    except (TangentError, CannotOpen):
        return None
    if any(_is_computed(cls, v) for v in parts.written):
        return None
    return _function(cls, parts)


def _is_computed(cls: type, attr: str) -> bool:
    return hasattr(inspect.getattr_static(cls, attr, None), "__set__") and attr not in _slots(cls)


def _slots(cls: type) -> set[str]:
    found: Iterable[Any] = (vars(c).get("__slots__", ()) for c in cls.__mro__)
    return {v for s in found for v in ((s,) if isinstance(s, str) else s)}


def _function(cls: Any, parts: Opened) -> types.FunctionType:
    """The initialiser with an object at its end."""
    made = parts.use("new_instance", new_instance)
    fields = ast.Tuple([constant(v) for v in parts.written], ast.Load())
    values = [name(parts.variable(v)) for v in parts.written]
    call = ast.Call(name(made), [name(parts.use(cls.__name__, cls)), fields, *values], [])
    last = at(ast.Return(call), parts.tree.body[-1])
    tree = replace(parts.tree, name=cls.__name__, body=[*parts.tree.body, last])
    function = parts.function
    result = stub(function, tree, {**cells_of(function), **parts.cells}, read(function).file)
    result.__kwdefaults__ = function.__kwdefaults__
    result.assigned = parts.written  # type: ignore[attr-defined]
    result.__name__ = result.__qualname__ = cls.__name__
    result.captures = own_captures(function)  # type: ignore[attr-defined]
    return result
