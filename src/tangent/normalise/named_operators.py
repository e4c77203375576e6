"""The operators that classes of the user's define, of which a function, a class or a table names one.

A method may make and give objects of another class, so that of a class it counts what all its methods name.
"""

from __future__ import annotations

import functools
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy as np

from tangent.runtime.objects import (
    MEMBERS,
    NO_OPERATORS,
    NUMBERS,
    OPERATORS,
    fields_of,
    holds_objects,
    is_common,
    is_object,
    is_sparse,
    operators_in,
    operators_of,
)
from tangent.source.makers import maker
from tangent.source.naming import home_of
from tangent.source.read import unwrapped
from tangent.source.series import SERIES, is_series

KNOWN_MODULES = sys.stdlib_module_names | {"numpy", "numba", "scipy", "tangent", "builtins"}
CALLED = (types.FunctionType, type)


def operators_named(
    function: types.FunctionType, gone: Set[str] = frozenset(), seen: set[types.CodeType] | None = None
) -> frozenset[str]:  # fmt: skip
    """The operators of objects and classes that a function, or one that it names, names; `gone` are names that it has
    no longer, since what they mean was written out."""
    seen = set() if seen is None else seen
    if function.__code__ in seen:
        return frozenset()
    seen.add(function.__code__)
    return _defined(function.__code__).union(*(_operators(found, seen) for found in _named(function, gone)))


def _defined(code: types.CodeType) -> frozenset[str]:
    """The operators of classes that a function defines itself."""
    classes = [c for c in _codes(code) if "__qualname__" in c.co_names]
    members = [m for c in classes for m in c.co_consts if isinstance(m, types.CodeType)]
    found = {m.co_name for m in members if m.co_name in OPERATORS}
    assigned = [v for m in members if m.co_name == "__init__" for v in m.co_names]
    common = any(is_common(v) and not v.startswith("__") for v in (*(m.co_name for m in members), *assigned))
    return frozenset(found | ({MEMBERS} if common else set()))


def _named(function: types.FunctionType, gone: Set[str]) -> Iterator[Any]:
    """What the global and captured names of a function refer to."""
    names = {n for c in _codes(function.__code__) for n in c.co_names} - gone
    yield from (function.__globals__[n] for n in names if n in function.__globals__)
    yield from (getattr(np.polynomial, n) for n in SERIES & names)  # as np.polynomial.Polynomial
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a function that is not defined yet
            continue


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _operators(found: Any, seen: set[types.CodeType]) -> frozenset[str]:
    found = unwrapped(found)  # a compiled function is a function
    module = home_of(found).split(".")[0]
    if isinstance(found, types.ModuleType):  # what is called by its name there is known
        return frozenset()
    if is_series(found):
        return operators_of(found)
    if is_sparse(found):
        return operators_of(found.__class__)
    if module in KNOWN_MODULES:
        return frozenset()
    if isinstance(found, types.FunctionType):
        return operators_named(found, seen=seen)
    if isinstance(found, (list, tuple, dict)):  # a table of functions and classes
        return operators_in(found).union(*(_operators(v, seen) for v in _called_of(found)))
    if not isinstance(found, type):
        return operators_in(found) | operators_made(type(found), seen)
    assigned = getattr(maker(found), "assigned", ())
    common = {MEMBERS for v in assigned if hasattr(np.ndarray, v)}
    return operators_of(found) | operators_made(found, seen) | common


def _called_of(table: Any, depth: int = 4) -> Iterator[Any]:
    """The functions and classes in a table, which may hold tables."""
    for v in table.values() if isinstance(table, dict) else table:
        if isinstance(v, CALLED):
            yield v
        elif depth > 0 and isinstance(v, (list, tuple, dict)):
            yield from _called_of(v, depth - 1)


def operators_made(cls: type, seen: set[types.CodeType] | None = None) -> frozenset[str]:
    """The operators of what methods of a class name: of objects that they make and give."""
    seen = set() if seen is None else seen
    own = [c for c in cls.__mro__ if home_of(c).split(".")[0] not in KNOWN_MODULES]
    methods = [unwrapped(inner) for c in own for m in vars(c).values() for inner in inside(m)]
    named = [operators_named(f, seen=seen) for f in methods if isinstance(f, types.FunctionType)]
    return NO_OPERATORS.union(*named)


def inside(member: Any) -> tuple[Any, ...]:
    """The functions of a member of a class: of methods of any kind, and of properties."""
    if isinstance(member, property):
        return member.fget, member.fset
    return (getattr(member, "__func__", getattr(member, "func", member)),)


_by_code: weakref.WeakKeyDictionary[types.CodeType, frozenset[str]] = weakref.WeakKeyDictionary()
_by_class: weakref.WeakKeyDictionary[type, frozenset[str]] = weakref.WeakKeyDictionary()


def operators_given(x: Any, depth: int = 3) -> frozenset[str]:
    """The operators of what an argument, or what it holds, may make and give: functions, methods, objects."""
    if isinstance(x, types.FunctionType):
        if x.__code__ not in _by_code:
            _by_code[x.__code__] = _operators(x, set())
        return _by_code[x.__code__]
    if isinstance(x, types.MethodType):
        return operators_given(x.__self__, depth)
    if depth <= 0:
        return NO_OPERATORS
    if isinstance(x, functools.partial):
        return _given_by([x.func, *x.args, *x.keywords.values()], depth)
    if isinstance(x, (list, tuple, dict)):
        return _given_by({_sort(v): v for v in (x.values() if isinstance(x, dict) else x)}.values(), depth)
    if isinstance(x, type) or is_object(x):
        cls = x if isinstance(x, type) else type(x)
        if cls not in _by_class:
            _by_class[cls] = operators_made(cls)
        return _by_class[cls] if cls is x else _by_class[cls] | _given_by(fields_of(x).values(), depth)
    return NO_OPERATORS


def _sort(x: Any) -> Any:
    """What things have in common that give the same operators: their code or class; for others it is themselves."""
    return getattr(x, "__code__", id(x)) if isinstance(x, GIVING) else type(x)


def _given_by(held: Iterable[Any], depth: int) -> frozenset[str]:
    return NO_OPERATORS.union(*(operators_given(v, depth - 1) for v in held))


def may_give_objects(x: Any) -> bool:
    """Whether an argument holds objects of the user's, or functions that may give some with operators."""
    if type(x) in NUMBERS or (type(x) in PLAIN and _is_of_numbers(x)):
        return False
    return holds_objects(x) or (isinstance(x, GIVING) and bool(operators_given(x)))


def _is_of_numbers(x: Any, depth: int = 4) -> bool:
    """Whether a list, tuple or dict holds nothing but numbers and arrays, and lists, tuples and dicts of them."""
    values = x.values() if type(x) is dict else x
    types = set(map(type, values))
    if types <= NUMBERS:
        return True
    inside = types <= PLAIN_AND_NUMBERS and depth > 0
    return inside and all(_is_of_numbers(v, depth - 1) for v in values if type(v) in PLAIN)


PLAIN = frozenset((list, tuple, dict))
PLAIN_AND_NUMBERS = PLAIN | NUMBERS
GIVING = (types.FunctionType, types.MethodType, functools.partial, list, tuple, dict)
