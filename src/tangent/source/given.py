"""Functions that are given objects and change them, over variables: what the objects hold is read at the beginning.

def f(p, dt, n):                       def f(p, dt, n):
    for _ in range(n):                     p_x, p_v = +p.x, +p.v
        p.kick(-p.x, dt)        ->         for _ in range(n):
    return p.x                                 p_v += -p_x * dt
                                               p_x += p_v * dt
                                           return p_x

What is changed is a copy: a derivative never changes what it was given. The classes of the objects, and what kinds of
things they hold, are known when a derivative is called. Only where an object is asked for attributes and methods
alone, as for those that a function makes itself (dissolved.py).
"""

from __future__ import annotations

import ast
import contextlib
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.options import Given
from tangent.source.cells import cells_of
from tangent.source.dissolved import CHANGING, Dissolving
from tangent.source.inlined import Body, CannotWriteOut, Definition, written_anew
from tangent.source.members import is_plain
from tangent.source.read import definition, read
from tangent.source.stubs import stub
from tangent.syntax.names import identifiers
from tangent.syntax.quote import assign, expression
from tangent.syntax.walk import walk

COPIES = {"value": "+x", "list": "[*x]", "dict": "{**x}"}
_known: weakref.WeakKeyDictionary[types.FunctionType, dict[tuple[types.CodeType, Given], types.FunctionType | None]]
_known = weakref.WeakKeyDictionary()


def over_attributes(function: types.FunctionType, given: Given) -> types.FunctionType | None:
    """The function over variables in place of objects it is given; None where one of them has to stay."""
    known = _known.setdefault(function, {})
    key = function.__code__, given
    if key not in known:
        try:
            known[key] = _made(function, given)
        except CannotWriteOut:
            known[key] = None
    return known[key]


def _made(function: types.FunctionType, given: Given) -> types.FunctionType:
    source = read(function)
    tree = source.tree
    for v, cls, held in given:
        with contextlib.suppress(_OnlyRead):
            tree = _Given(tree, function, definition, v, cls, dict(held)).whole()
    if tree is source.tree:
        raise CannotWriteOut
    made = stub(function, tree, cells_of(function), source.file)
    made.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


class _OnlyRead(Exception):
    """An object that stays as it is needs no variables."""


def outside(function: types.FunctionType) -> Iterator[Any]:
    """What a function finds in its module, or captures, and could be changed: arrays, lists, dicts."""
    cells = cells_of(function)
    for v in identifiers(read(function).tree):
        found = cells[v].cell_contents if v in cells else function.__globals__.get(v)
        if isinstance(found, (np.ndarray, list, dict)):
            yield found


class _Given(Dissolving):
    """One argument on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, cls: type,
        held: dict[str, str],
    ) -> None:  # fmt: skip
        super().__init__(tree, function, definition, v, cls, cls.__name__)
        self.held = held
        self.attributes = {attr: self.names.fresh(f"{v}_{attr.strip('_') or 'value'}") for attr in held}

    def whole(self) -> ast.FunctionDef:
        reached = self.function.__globals__.get(self.path) is self.cls and self.path not in self.own
        if not reached or not is_plain(self.cls, self.function) or self.v in self.tree_targets():
            raise CannotWriteOut
        body = self.body()
        changed = {v for s in body for n in walk(s) for v in _changed(n)}
        assigned = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if (changed | assigned).isdisjoint(self.attributes.values()):
            raise _OnlyRead
        return written_anew(self.tree, [*self.beginning(body, changed), *body], self.relied)

    def tree_targets(self) -> set[str]:
        return {n.id for n in walk(self.tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}

    def beginning(self, body: Body, changed: set[str]) -> Body:
        """What is read of the object, in copies where it changes."""
        named = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name)}
        found: Body = []
        for attr, form in self.held.items():
            v = self.attributes[attr]
            if v in changed and form == "other":
                raise CannotWriteOut
            if v in named:
                read = ast.Attribute(ast.Name(self.v, ast.Load()), attr, ast.Load())
                copied = v in changed and form in COPIES
                found.append(assign(v, expression(COPIES[form], x=read) if copied else read, self.tree))
        return found


def _changed(n: ast.AST) -> set[str]:
    """The variables whose content a statement or call changes."""
    match n:
        case ast.AugAssign(target=ast.Name(id=v)):
            return {v}
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return {x.id for x in walk(n.value) if isinstance(x, ast.Name)}
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in CHANGING:
            return {x.id for x in walk(owner) if isinstance(x, ast.Name)}
        case _:
            return set()
