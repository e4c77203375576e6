"""What functions find in their modules and closures: versions are made for the kinds of numbers and arrays there, too.

They are read whenever the derivative runs. One that is of another kind by then asks for another version. A number or an
array has a name, or a path: `RATE`, `settings.rate`, `PARAMETERS["rate"]`, `TABLE[1]`; so has a list of such, where it
is read as a whole. What objects and containers hold may change meanwhile, so that these are followed only in functions
that change none, and call nobody who could.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from tangent.runtime.attributes import held_under
from tangent.runtime.calls import call_bwd, call_effect, call_fwd, call_jvp
from tangent.source.naming import is_library, is_of_library
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

DATA = (float, int, bool, np.ndarray, np.float64, np.float32)
CONTAINERS = (dict, list, tuple)
HOLDING = {np.ndarray, *CONTAINERS}
MANY = 64  # items of a list or tuple that are looked at one by one
NUMBERS = {float, int, np.float64, np.int64, np.ndarray, list, tuple}  # what lists hold that are followed
LONG = 10_000  # items of a list that are looked at in each call
CALLING = (call_fwd, call_bwd, call_jvp, call_effect)
NEW = frozenset("copy sum mean dot reshape ravel astype tolist".split())  # methods that change nothing
Path = tuple[ast.Attribute | ast.Subscript, ...]  # from a variable on, each part with those before it


class Outside:
    """The places where some functions find numbers and arrays."""

    def __init__(self, functions: list[Generated]) -> None:
        self._functions = functions
        changed = {v for g in functions if g.source is not None for v in _declared(g.source.tree)}
        texts = [_Text(g, changed) for g in functions]
        quiet = all(text.is_quiet({g.name for g in functions}) for text in texts)
        self._globals: dict[tuple[int, str], _Place] = {}
        self._cells: list[tuple[Generated, _Place]] = []
        for g, text in zip(functions, texts):
            for place in text.places:
                if not quiet and place.is_held:
                    continue
                if isinstance(place.space, dict):
                    self._globals.setdefault((id(place.space), place.text), place)
                else:
                    self._cells.append((g, place))
        self.some = bool(self._globals or self._cells)

    def key(self) -> tuple[Any, ...]:
        """What tells apart the values for which there are different versions."""
        found = [place.value() for place in self._globals.values()]
        found += [place.value() for _, place in self._cells]
        return tuple([form(x) for x in found])

    def tell(self) -> tuple[Any, ...]:
        """Let the functions know the kinds of what they find there now; these."""
        for g in self._functions:
            places = [p for p in self._globals.values() if p.space is g.primal.__globals__]
            captured = g.primal.__code__.co_freevars
            g.outside = {p.text: _kind(p.value()) for p in places if p.variable not in captured}
        for g, place in self._cells:
            g.outside[place.text] = _kind(place.value())
        return tuple(tuple(g.outside.items()) for g in self._functions)


@dataclass(frozen=True)
class _Place:
    """Where a number or an array is: a variable of a module or a captured one, and the way from there."""

    space: dict[str, Any] | types.CellType
    variable: str
    path: Path = ()

    @cached_property
    def text(self) -> str:
        return ast.unparse(self.path[-1]) if self.path else self.variable

    @property
    def is_held(self) -> bool:
        """Whether an object or a container holds it, or a class; or it is a list itself."""
        *before, found = self.values()
        return type(found) in CONTAINERS or not all(isinstance(x, types.ModuleType) for x in before)

    @cached_property
    def steps(self) -> tuple[tuple[bool, Any], ...]:
        """Whether each part is an attribute, and its name, or an item and its key."""
        return tuple(
            (True, part.attr) if isinstance(part, ast.Attribute) else (False, ast.literal_eval(part.slice))
            for part in self.path
        )

    def value(self) -> Any:
        """What is there now, in each call; None if there is nothing any more."""
        found: Any
        try:
            found = self.space.get(self.variable) if isinstance(self.space, dict) else self.space.cell_contents
            for is_attribute, key in self.steps:
                found = getattr(found, key) if is_attribute else found[key]
        except (ValueError, AttributeError, LookupError, TypeError):
            return None
        return found

    def values(self) -> Iterator[Any]:
        """What the variable and the parts of the path stand for, as far as asking for it runs no code of the user's."""
        try:
            found = self.space.get(self.variable) if isinstance(self.space, dict) else self.space.cell_contents
            yield found
            for part in self.path:
                found = _part(found, part)
                yield found
        except (ValueError, LookupError, TypeError):  # not bound yet, or something else by now
            yield None


class _Text:
    """What a function reads from outside, as its text tells."""

    def __init__(self, g: Generated, changed: set[str]) -> None:
        assert g.tree is not None
        self.g, self.nodes = g, walk(g.tree)
        self.parameters = {a.arg for a in arguments(g.tree.args)}
        self.local = assigned_inside(g.tree.body) | self.parameters
        self.captured = dict(zip(g.primal.__code__.co_freevars, g.primal.__closure__ or ()))
        self.places: list[_Place] = []
        self.whole: set[str] = set()  # what is read otherwise than by a path
        inner: set[ast.AST] = set()
        for n in self.nodes:  # from the outside in
            if n in inner or not isinstance(n, (ast.Name, ast.Attribute, ast.Subscript)):
                continue
            root, path = _way(n)
            inner |= {root, *path}
            if isinstance(root, ast.Name) and root.id not in self.local | g.externals.keys():
                place = None if root.id in changed else self._first(_Place(self.space(root.id), root.id, path))
                if place is None:
                    self.whole.add(root.id)
                else:
                    self.places.append(place)

    def space(self, v: str) -> dict[str, Any] | types.CellType:
        return self.captured.get(v, self.g.primal.__globals__)

    def _first(self, place: _Place) -> _Place | None:
        """The part of a way that leads to its first number or array, or all of one that leads to a list; what libraries
        have stays as it is."""
        found = list(place.values())
        for i, x in enumerate(found):
            if type(x) in DATA:
                return replace(place, path=place.path[:i])
            if isinstance(x, types.ModuleType) and is_of_library(x.__name__):
                return None
        listed = len(found) == len(place.path) + 1 and type(found[-1]) in (list, tuple) and len(found[-1]) <= LONG
        return place if listed and NUMBERS.issuperset(map(type, found[-1])) else None

    def is_quiet(self, generated: set[str]) -> bool:
        """Whether nothing is changed but what is made here, nothing handed on from outside, and nobody called who could
        change something."""
        return all(self._is_known(v) for v in self.whole - generated) and all(
            self._keeps(n, generated) for n in self.nodes if n is not self.g.tree
        )

    def _keeps(self, n: ast.AST, generated: set[str]) -> bool:
        match n:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Global() | ast.Nonlocal() | ast.FunctionDef():
                return False
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                return _root(n) in self.local - self.parameters
            case ast.Call(func=ast.Attribute(attr=attr) as method) if (v := _root(method)) in self.local:
                return attr in NEW or v not in self.parameters
            case ast.Call(func=ast.Name(id=v)) if v in self.local:
                return False
            case ast.Call(func=ast.Name() | ast.Attribute() as func):
                return _root(func) in generated | self.g.externals.keys() | self.whole
            case ast.Call():
                return False
            case ast.Name(id=v) if v in self.g.externals:
                return self.g.externals[v] not in CALLING
            case _:
                return True

    def _is_known(self, v: str) -> bool:
        """Whether a name from outside stands for a module, or for what libraries have."""
        found = _Place(self.space(v), v).value()
        found = getattr(builtins, v, None) if found is None else found
        return isinstance(found, types.ModuleType) or (callable(found) and is_library(found))


def _way(n: ast.expr) -> tuple[ast.expr, Path]:
    """What a path of attributes and items begins with, and its parts."""
    path: list[ast.Attribute | ast.Subscript] = []
    while isinstance(n, ast.Attribute) or (isinstance(n, ast.Subscript) and _is_fixed(n.slice)):
        path.append(n)
        n = n.value
    return n, tuple(reversed(path))


def _is_fixed(index: ast.expr) -> bool:
    """Whether an index is a name or a number: `1`, `-1`, `"rate"`."""
    index = index.operand if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) else index
    return isinstance(index, ast.Constant) and isinstance(index.value, (str, int))


def _root(n: ast.expr) -> str:
    """The variable that a path of any attributes and items begins with."""
    while isinstance(n, (ast.Attribute, ast.Subscript)):
        n = n.value
    return n.id if isinstance(n, ast.Name) else ""


def _part(owner: Any, e: ast.expr) -> Any:
    """An attribute or an item, where asking for it runs no code of the user's."""
    match e:
        case ast.Attribute(attr=attr) if isinstance(owner, types.ModuleType):
            return vars(owner)[attr]
        case ast.Attribute(attr=attr) if type(owner) is type:
            return next((vars(c)[attr] for c in owner.__mro__ if attr in vars(c)), None)
        case ast.Attribute(attr=attr):
            return held_under(owner, (attr,))[attr]
        case ast.Subscript(slice=index) if type(owner) in CONTAINERS:
            return owner[ast.literal_eval(index)]
        case _:
            raise LookupError


def form(a: Any) -> Any:
    """What versions tell a value apart by; of a list, tuple or dict, what it holds."""
    if type(a) is np.ndarray:
        return a.shape, a.dtype
    if type(a) is dict:
        return (*a, *map(form, a.values()))
    if type(a) not in CONTAINERS:
        return type(a)
    held = set(map(type, a))
    if held == {list} and HOLDING.isdisjoint(inside := frozenset(map(type, chain.from_iterable(a)))):
        return (list, inside)
    return frozenset(held) if len(a) > MANY or not held & HOLDING else (type(a), *map(form, a))


def _kind(value: Any) -> Any:
    """The kind of a value, of which long axes have no name."""
    from tangent.optimise.shaped.kinds import kind_of, with_axes  # with the first version, as in choice.py

    return with_axes(kind_of(value, ""), {})


def _declared(tree: ast.AST) -> set[str]:
    """Names that a function may bind elsewhere."""
    return {v for n in walk(tree) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}
