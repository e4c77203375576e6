"""A derivative that is called again and again with arguments of the same kinds has a version for these.

What the run-time functions decide by types and shapes is decided in the version once. It is made when a call is about
to repeat what others did without an error, and chosen by the types of the arguments, and by dtype and shape of arrays.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tangent.codegen.outside import Outside, form
from tangent.normalise.named_operators import may_give_objects
from tangent.optimise.settled import is_settled
from tangent.runtime.attributes import held_under
from tangent.runtime.persistent import PersistentArray
from tangent.runtime.storage.held import holds_persistent, is_of_objects, is_of_several
from tangent.source.resolve import MISSING
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

ENOUGH = 2  # calls of run-time functions for which a choice pays
AFTER = 2  # calls with the same kinds, before a version is made for them
MOST = 8  # versions of one derivative
REMEMBERED = 256  # combinations of types and shapes
ARRAYS = (np.ndarray, PersistentArray)
SIMPLE = frozenset({float, int, bool, complex, np.float64, np.float32, *ARRAYS})
DEPTH = 3  # of objects in objects that are looked at
Objects = Callable[[tuple[Any, ...]], Any]


class Load(Protocol):
    """Makes a callable of a version, or of one that was made for another function of the same code."""

    def __call__(self, version: list[Generated], settled: bool, sure: bool) -> types.FunctionType: ...

    def again(self, old: Any, made: dict[Generated, types.FunctionType]) -> types.FunctionType: ...


def worthwhile(functions: list[Generated]) -> bool:
    """Whether a derivative asks the run-time functions more often than a choice of versions costs."""
    entry = functions[0]
    assert entry.tree is not None
    args = entry.tree.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return False
    if hasattr(entry.primal, "remembers"):  # what is in a memory has no known kinds
        return False
    return sum(_asked(g) for g in functions) >= ENOUGH


def _asked(g: Generated) -> int:
    """How often a function asks, a loop counted as ten times."""
    assert g.tree is not None
    names = {v for v, x in g.externals.items() if is_settled(x)}
    if is_generated(g.primal):
        names |= {v for v in g.primal.__code__.co_freevars if is_settled(held(g.primal, v))}

    def count(body: list[ast.stmt]) -> int:
        found = 0
        for s in body:
            if isinstance(s, (ast.If, ast.For, ast.While)):
                found += (1 if isinstance(s, ast.If) else 10) * count([*s.body, *s.orelse])
            else:
                found += sum(isinstance(n, ast.Name) and n.id in names for n in walk(s))
        return found

    return count(g.tree.body)


class Choice:
    """Gives the version for some arguments, or None where there is none."""

    def __init__(self, functions: list[Generated], load: Load | None, objects: Objects | None = None) -> None:
        self._functions, self._load, self._objects = functions, load, objects
        self._outside = Outside(functions)
        parts = bool(functions) and functions[0].parts
        self._simple = SIMPLE - {PersistentArray} if parts else SIMPLE
        self._found: dict[Any, Any] = {}
        self.versions: dict[tuple[Any, ...], types.FunctionType] = {}
        self._alike: dict[tuple[Any, ...], types.FunctionType] = {}  # those of derivatives of the same code, the latest

    def __reduce__(self) -> tuple[type[Choice], tuple[list[Generated], None]]:
        """Without what versions are made from, in another process: there the code serves that serves all kinds."""
        return Choice, ([], None)

    def __call__(self, *args: Any) -> types.FunctionType | None:
        key: tuple[Any, ...] = tuple(map(type, args))
        if not self._simple.issuperset(key):
            if (other := self.other(args)) is not None:
                return other  # type: ignore[no-any-return]
            key += tuple([_held(a, self.names, DEPTH) for a in args if type(a) not in SIMPLE])
        if np.ndarray in key or PersistentArray in key:
            key += tuple([(a.shape, a.dtype) for a in args if type(a) in ARRAYS])
        if self._outside.some:
            key += self._outside.key()
        found = self._found.get(key, 0)
        if type(found) is not int:
            return found  # type: ignore[no-any-return]
        if found < AFTER:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[key] = found + 1
            return None
        made = self._found[key] = self.version(*args)
        return made

    def share(self, other: Choice) -> None:
        """Have the versions in common with the derivative of another function of the same code."""
        self._alike = other._alike

    def begin_anew(self) -> None:
        """Count no call that came before an error: a version does not look at shapes that others have been wrong in."""
        self._found = {key: found for key, found in self._found.items() if type(found) is not int}

    def other(self, args: tuple[Any, ...]) -> Any:
        """The derivative for objects among the arguments; None where there is no other than this."""
        return for_objects(self._functions[0], self._objects, args) if self._functions else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The attributes that objects are asked for, here and there."""
        trees = [g.tree for g in self._functions if g.tree is not None]
        return frozenset(v for tree in trees for n in walk(tree) if (v := _asked_for(n)))

    def version(self, *args: Any) -> types.FunctionType | None:
        """The version for arguments of these kinds, made if there is none yet and they are not too many."""
        from tangent.codegen import versions  # many derivatives never have one: it is loaded with the first

        if not self._functions or self._load is None:
            return None
        kinds = versions.kinds_of(self._functions[0], args, self.names)
        key = tuple(kinds.values())
        if versions.all_unknown(key):
            return None
        key += self._outside.tell()
        if key not in self.versions:
            if len(self.versions) >= MOST:
                return None
            sizes = versions.sizes_of(self._functions[0], args)
            found = versions.made_again(self._alike.get(key), self._functions[0], self._load)
            found = found or versions.made(self._functions[0], kinds, sizes, self._load)
            self.versions[key] = self._alike[key] = found
            while len(self._alike) > MOST:
                self._alike.pop(next(iter(self._alike)))
        return self.versions[key]


def for_objects(entry: Generated, objects: Objects | None, args: tuple[Any, ...]) -> Any:
    """The derivative for objects among the arguments of another one."""
    if objects is None:
        return None
    seeds = entry.seeds.values()
    plain = tuple([a for v, a in zip(parameters_of(entry), args) if v not in seeds])
    return objects(plain) if any(map(looking(entry), plain)) else None


def looking(entry: Generated) -> Callable[[Any], bool]:
    """What tells whether an argument may ask for other code: objects do, and persistent arrays with lasting parts."""
    return _holds_either if entry.parts else may_give_objects


def _holds_either(x: Any) -> bool:
    return may_give_objects(x) or holds_persistent(x)


def _asked_for(n: ast.AST) -> str:
    match n:
        case ast.Attribute(attr=v) | ast.Constant(value=str(v)):
            return v
        case _:
            return ""


def _held(a: Any, names: frozenset[str], depth: int) -> Any:
    """What an object holds, as far as versions tell it apart."""
    if type(a) in SIMPLE:
        return (a.shape, a.dtype) if type(a) in ARRAYS else type(a)
    if depth and is_of_objects(a):
        return (list, frozenset([_held(x, names, depth - 1) for x in a]))
    if depth and is_of_several(a):
        return (list, *[_held(x, names, depth - 1) for x in a])
    held = held_under(a, names) if depth else {}
    return (type(a), *held, *[_held(x, names, depth - 1) for x in held.values()]) if held else form(a)


def parameters_of(g: Generated) -> list[str]:
    assert g.tree is not None
    return [a.arg for a in arguments(g.tree.args)]


def held(primal: types.FunctionType, v: str) -> Any:
    """A run-time function or a module that a derivative of lower order was given under a name; it never changes."""
    cell = (primal.__closure__ or ())[primal.__code__.co_freevars.index(v)]
    try:
        found = cell.cell_contents
    except ValueError:  # not bound yet
        return MISSING
    ours = isinstance(found, types.FunctionType) and (found.__module__ or "").startswith("tangent.runtime")
    given = isinstance(found, types.ModuleType) and v not in getattr(primal, "captures", primal.__code__.co_freevars)
    return found if ours or given else MISSING


def is_generated(function: types.FunctionType) -> bool:
    return function.__code__.co_filename.startswith("<generated by tangent")
