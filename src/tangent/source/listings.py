"""Iterators of the user's classes as functions that give a list, for loops that run to the end.

def __iter__(self):                    def __iter__(self):
    return iter(self.items)      ->        return iterated(self.items)

def __next__(self):                    def __next__(self):
    if self.i == self.n:                   if self.i == self.n:
        raise StopIteration      ->            return ENDED
    ...                                    ...
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tangent.errors import UnsupportedError
from tangent.runtime import operators
from tangent.runtime.classes import ENDED, LISTINGS
from tangent.source.cells import cells_of
from tangent.source.generators import collecting, is_generator
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import assigned_inside

_known: weakref.WeakKeyDictionary[types.FunctionType, dict[Any, types.FunctionType]] = weakref.WeakKeyDictionary()


def listing(cls: type, title: str) -> types.FunctionType:
    """The function that gives all that `__iter__` or `__reversed__` of a class does."""
    return _once(cls, title, _listing)


def step(cls: type) -> types.FunctionType:
    """The function that gives the next item, or what stands for none."""
    return _once(cls, "__next__", _step)


class _Writers:
    listing, step = staticmethod(listing), staticmethod(step)


LISTINGS.append(_Writers)


def _once(cls: type, title: str, make: Callable[[types.FunctionType], types.FunctionType | None]) -> types.FunctionType:
    function = inspect.getattr_static(cls, title)
    known = _known.setdefault(function, {})
    if function.__code__ not in known:
        made = make(function)
        if made is None:
            raise UnsupportedError(
                f"cannot differentiate a loop over a {cls.__name__}",
                why=f"its items are not read one after the other where '{title}' is written otherwise",
                todo="Give it a method that returns a list, and loop over that.",
            )
        known[function.__code__] = made
    return known[function.__code__]


def in_order(self: Any) -> list[Any]:
    """What `collections.abc.Sequence` gives in a loop; methods, since operators are those of arrays here."""
    return [self.__getitem__(i) for i in range(self.__len__())]


def _listing(function: types.FunctionType) -> types.FunctionType | None:
    if function is Sequence.__iter__:
        return in_order  # type: ignore[return-value]
    if is_generator(function):
        return collecting(function, turns=True)
    tree = read(function).tree
    scope = Scope(function, assigned_inside(tree.body))

    def given(e: ast.expr, used: _Used) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[inner], keywords=[]) if scope.resolve(func) is iter:
                return used.call(operators.iterated, inner)
            case ast.GeneratorExp(elt=elt, generators=generators):
                return ast.copy_location(ast.ListComp(elt, generators), e)
            case ast.Call(func=func) if (found := scope.resolve(func)) is not MISSING and isinstance(found, type):
                if found.__module__ in ("builtins", "itertools"):
                    return ast.copy_location(ast.Call(name(used.name(list, "list")), [e], []), e)
        return used.call(operators.drained, e)

    def statement(s: ast.stmt, used: _Used) -> ast.stmt:
        return replace(s, value=given(s.value, used)) if isinstance(s, ast.Return) and s.value is not None else s

    return _rewritten(function, tree, statement)


def _step(function: types.FunctionType) -> types.FunctionType | None:
    if is_generator(function):
        return None
    tree = read(function).tree
    scope = Scope(function, assigned_inside(tree.body))
    calls = [scope.resolve(n.func) for n in walk_scope(tree) if isinstance(n, ast.Call)]
    if next in calls or any(isinstance(n, (ast.Try, ast.With)) for n in walk_scope(tree)):
        return None

    def statement(s: ast.stmt, used: _Used) -> ast.stmt:
        match s:
            case ast.Raise(exc=ast.Name() | ast.Call(func=ast.Name(), args=[]) as error, cause=None):
                if scope.resolve(error.func if isinstance(error, ast.Call) else error) is StopIteration:
                    return at(ast.Return(name(used.name(ENDED, "ENDED"))), s)
        return s

    return _rewritten(function, tree, statement)


class _Used:
    """Names for what a rewritten method refers to."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.names, self.cells = Names(identifiers(tree)), dict[str, types.CellType]()

    def name(self, value: Any, base: str) -> str:
        known = next((v for v, cell in self.cells.items() if cell.cell_contents is value), None)
        if known is None:
            known = self.names.fresh(base)
            self.cells[known] = types.CellType(value)
        return known

    def call(self, function: Any, e: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(name(self.name(function, function.__name__)), [e], []), e)


def _rewritten(
    function: types.FunctionType, tree: ast.FunctionDef, change: Callable[[ast.stmt, _Used], ast.stmt]
) -> types.FunctionType:
    used = _Used(tree)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [change(with_blocks(s, block), used) for s in body]

    tree = replace(tree, body=block(tree.body), decorator_list=[], returns=None)
    made = stub(function, tree, {**cells_of(function), **used.cells}, read(function).file)
    made.__kwdefaults__ = function.__kwdefaults__
    made.captures = tuple(v for v in function.__code__.co_freevars if v != "__class__")  # type: ignore[attr-defined]
    return made
