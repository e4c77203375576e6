"""The derivative of a function, for another one of the same code: the text is the same, what it captures is not.

    def area(x):
        return integrate(lambda t: np.sin(t * x), 0.0, 1.0)

Each call of `area` makes a lambda of its own. Its derivative is written once; each lambda gets functions of its own
over the same code, also where `grad` differentiates it, and where that is differentiated again. Where the lambdas
differ in more than numbers, arrays and objects of the same classes, nothing is shared: what they capture may have been
looked into.
"""

from __future__ import annotations

import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tangent.analysis.state import classes_of
from tangent.codegen.load import over
from tangent.rules.table import table
from tangent.runtime.objects import is_object, operators_in
from tangent.source.cells import content_of
from tangent.source.reached import captured_by, root_of
from tangent.source.read import compiled_from
from tangent.source.remembering import remembering
from tangent.transform.generated import Generated

NUMBERS = (float, int, complex, bool, np.generic)
FIXED = (types.ModuleType, type, types.BuiltinFunctionType, np.ufunc, str, type(None), *NUMBERS)
CONTAINERS = (list, deque, dict, defaultdict, OrderedDict, Counter)
EMPTY = object()


class Pairing:
    """What stands for what in two functions of the same code; `fits` tells whether they differ in values only."""

    def __init__(self, old: types.FunctionType, new: types.FunctionType) -> None:
        self.functions: dict[Any, types.FunctionType] = {}
        self.cells: dict[int, types.CellType] = {}  # by the address of the old one
        self.values: dict[int, Any] = {}  # what stands for values that only the old function captures, by address
        self.fits = self._function(old, new) and len({id(c) for c in self.cells.values()}) == len(self.cells)

    def _function(self, old: types.FunctionType, new: types.FunctionType) -> bool:
        if old in self.functions:
            return self.functions[old] is new
        self.functions[old] = new
        if hasattr(old, "remembers"):
            return _keep_alike(old, new) and self._function(old.remembers, new.remembers)  # type: ignore[attr-defined]
        if old is not new and hasattr(old, "loaded"):
            return self._derivative(old, new)
        return (
            (old is new or _are_alike(old, new))
            and all(map(self._cell, old.__closure__ or (), new.__closure__ or ()))
            and self._wrapped(old, new)
            and self._function(root_of(old), root_of(new))
        )

    def _wrapped(self, old: types.FunctionType, new: types.FunctionType) -> bool:
        """What `functools.wraps` notes of the functions that two others stand for."""
        behind, other = vars(old).get("__wrapped__"), vars(new).get("__wrapped__")
        if isinstance(behind, types.FunctionType) and isinstance(other, types.FunctionType):
            return self._function(behind, other)
        return behind is other

    def _derivative(self, old: Any, new: Any) -> bool:
        """Derivatives of two functions of the same code, of which one was bound again for the other."""
        if not hasattr(new, "loaded") or old.__code__ is not new.__code__ or old.rules is not new.rules:
            return False
        self.functions |= zip(old.loaded.functions.values(), new.loaded.functions.values())
        (behind, options), (other, others) = old.origin, new.origin
        return options == others and self._function(behind, other)

    def counterpart(self, function: types.FunctionType) -> types.FunctionType:
        """What stands for a function, or for one that keeps a memory in its place."""
        if function in self.functions or not hasattr(function, "remembers"):
            return self.functions.get(function, function)
        found = self.counterpart(function.remembers)
        if found is function.remembers:
            return function
        settings: Any = function
        return remembering(found, settings.entry, settings.lists, settings.in_place)

    def _cell(self, old: types.CellType, new: types.CellType) -> bool:
        if id(old) in self.cells:
            return self.cells[id(old)] is new
        self.cells[id(old)] = new
        return self._value(content_of(old, EMPTY), content_of(new, EMPTY))

    def _value(self, old: Any, new: Any) -> bool:
        if isinstance(old, types.FunctionType):
            return isinstance(new, types.FunctionType) and self._function(old, new)
        if old is new:
            return True
        self.values[id(old)] = new
        if type(old) is not type(new):
            return False
        if type(old) is np.ndarray:
            return bool(old.dtype == new.dtype and old.ndim == new.ndim)
        if type(old) is tuple:
            return len(old) == len(new) and all(map(self._value, old, new))
        if type(old) in CONTAINERS:
            return self._items(old, new)
        if isinstance(old, types.MethodType):
            return old.__func__ is new.__func__ and self._value(old.__self__, new.__self__)
        return isinstance(old, NUMBERS) or (
            is_object(old) and classes_of(old) == classes_of(new) and _no_rules(old, new)
        )

    def _items(self, old: Any, new: Any) -> bool:
        """Whether containers hold the same kinds of things: functions fill them while a derivative runs."""
        if getattr(old, "default_factory", None) is not getattr(new, "default_factory", None):
            return False
        if isinstance(old, dict) and list(old) == list(new):
            return all(map(self._value, old.values(), new.values()))
        if not isinstance(old, dict) and len(old) == len(new):
            return all(map(self._value, old, new))
        return operators_in(old) == operators_in(new) and classes_of(old) == classes_of(new)

    def holds_for(self, value: Any) -> bool:
        """Whether something that a derivative refers to is the same for the new function, or has its place there."""
        if isinstance(value, types.CellType):
            return id(value) in self.cells
        if isinstance(value, types.FunctionType):
            if self.counterpart(value) is not value or value in self.functions:
                return True
            return self._is_of_a_module(value) and not self._reaches(value, set())
        return isinstance(value, (Generated, *FIXED)) and id(value) not in self.values

    def _is_of_a_module(self, function: types.FunctionType) -> bool:
        """Whether the globals of a function are nobody else's; those of one that was made for a call hold anything."""
        home = sys.modules.get(function.__globals__.get("__name__", ""))
        ours = any(function.__globals__ is f.__globals__ for f in self.functions)
        return not hasattr(function, "adapted") and (ours or getattr(home, "__dict__", None) is function.__globals__)

    def _reaches(self, function: types.FunctionType, seen: set[types.FunctionType]) -> bool:
        """Whether a function captures what is another one's now."""
        seen.add(function)
        if hasattr(function, "remembers"):
            return self._reaches(function.remembers, seen)
        for cell in captured_by(function).values():
            if self.cells.get(id(cell), cell) is not cell:
                return True
            inner = content_of(cell, EMPTY)
            if isinstance(inner, types.FunctionType) and inner not in seen and self._reaches(inner, seen):
                return True
            if not isinstance(inner, (types.FunctionType, np.ndarray, *FIXED)):
                return True  # who knows what it holds
        return bool(getattr(function, "__wrapped__", None))


def rebound(
    made: Mapping[Generated, types.FunctionType], pairing: Pairing
) -> dict[Generated, types.FunctionType] | None:
    """The functions of a module over what the new function captures, in the same order; None where they rely on more
    than its code."""
    if not pairing.fits or not all(_holds(g, pairing) for g in made):
        return None
    new = {g: replace(g, primal=pairing.counterpart(g.primal)) for g in made}
    cells = {g: types.CellType() for g in new.values()}
    found: dict[Generated, types.FunctionType] = {}
    for old, g in new.items():
        g.externals = {v: _again(e, new, pairing) for v, e in g.externals.items()}
        g.seen = {path: pairing.values.get(id(e), _again(e, new, pairing)) for path, e in g.seen.items()}
        function = over(made[old].__code__, g, cells, g.externals)
        function.__defaults__, function.__kwdefaults__ = made[old].__defaults__, made[old].__kwdefaults__
        found[g] = cells[g].cell_contents = function
    return found


def _holds(g: Generated, pairing: Pairing) -> bool:
    return compiled_from(g.primal) is None and all(map(pairing.holds_for, (g.primal, *g.externals.values())))


def _again(value: Any, new: Mapping[Generated, Generated], pairing: Pairing) -> Any:
    if isinstance(value, Generated):
        return new[value]
    if isinstance(value, types.CellType):
        return pairing.cells.get(id(value), value)
    return pairing.counterpart(value) if isinstance(value, types.FunctionType) else value


def _keep_alike(old: Any, new: Any) -> bool:
    """Whether two functions keep a memory in the same way."""
    return hasattr(new, "remembers") and all(
        getattr(old, a) == getattr(new, a) for a in ("memory", "entry", "lists", "in_place")
    )


def _are_alike(old: types.FunctionType, new: types.FunctionType) -> bool:
    """Whether two functions agree in all but what they capture."""
    return (
        _same_code(old.__code__, new.__code__)
        and old.__globals__ is new.__globals__
        and _are_same(dict(enumerate(old.__defaults__ or ())), dict(enumerate(new.__defaults__ or ())))
        and _are_same(old.__kwdefaults__ or {}, new.__kwdefaults__ or {})
        and _are_same(old.__dict__, new.__dict__)
        and _no_rules(old, new)
    )


def _same_code(old: types.CodeType, new: types.CodeType) -> bool:
    """Whether two pieces of code are one; those of a text that was loaded twice are."""
    return old is new or (old == new and old.co_filename == new.co_filename)


def _are_same(old: dict[Any, Any], new: dict[Any, Any]) -> bool:
    told = old.keys() - {"root", "__wrapped__"}
    return old.keys() == new.keys() and all(old[k] is new[k] or _is_fixed(old[k], new[k]) for k in told)


def _is_fixed(old: Any, new: Any) -> bool:
    plain = isinstance(old, (str, bool)) or (isinstance(old, tuple) and all(isinstance(v, str) for v in old))
    return plain and type(old) is type(new) and bool(old == new)


def _no_rules(*functions: Any) -> bool:
    return not any(map(table().has_rule, functions))
