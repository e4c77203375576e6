"""Functions that are given objects, over variables: what the objects hold is read at the beginning.

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
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.options import Given
from tangent.runtime.attributes import is_held
from tangent.source.cells import cells_of
from tangent.source.dissolved import CHANGING, Dissolving
from tangent.source.inlined import Body, CannotWriteOut, Definition, written_anew
from tangent.source.kept import kept
from tangent.source.members import is_plain
from tangent.source.read import definition, read
from tangent.source.stubs import stub
from tangent.syntax.names import identifiers
from tangent.syntax.quote import assign, expression
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.syntax.walk import walk

COPIES = {"value": "+x", "list": "[*x]", "dict": "{**x}"}


def over_attributes(function: types.FunctionType, given: Given) -> types.FunctionType | None:
    """The function over variables in place of objects it is given; None where one of them has to stay."""
    try:
        return kept(("given", function, function.__code__, given), lambda: _made(function, given))
    except CannotWriteOut:
        return None


def _made(function: types.FunctionType, given: Given) -> types.FunctionType:
    source = read(function)
    tree, changes = source.tree, False
    variables = {a.arg: a.arg for a in arguments(tree.args)}  # by the paths to what they hold
    needed: set[str] = set()
    for path, cls, held in given:
        taken = _Given(tree, function, definition, variables[path], cls, dict(held)) if path in variables else None
        try:
            tree = taken.whole() if taken is not None else tree
        except CannotWriteOut:
            taken = None
        if taken is None and path in needed:
            raise CannotWriteOut  # it is a copy that is changed
        if taken is not None:
            variables |= {f"{path}.{attr}": v for attr, v in taken.attributes.items()}
            needed |= {f"{path}.{attr}" for attr in taken.needed}
            changes = changes or taken.changes
    if tree is source.tree:
        raise CannotWriteOut
    made = stub(function, tree, cells_of(function), source.file)
    made.captures = getattr(function, "captures", function.__code__.co_freevars)  # type: ignore[attr-defined]
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.changes = changes  # type: ignore[attr-defined]
    return made


def outside(function: types.FunctionType) -> Iterator[Any]:
    """What a function finds in its module, or captures, and could be changed: arrays, lists, dicts."""
    cells = cells_of(function)
    for v in identifiers(read(function).tree):
        found = cells[v].cell_contents if v in cells else function.__globals__.get(v)
        if isinstance(found, (np.ndarray, list, dict)):
            yield found


class _Given(Dissolving):
    """One argument, or what one holds, on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, cls: type,
        held: dict[str, str],
    ) -> None:  # fmt: skip
        self.head, rest = _split(tree.body, v)
        super().__init__(replace(tree, body=rest), function, definition, v, cls, cls.__name__)
        self.held, self.changes = held, False
        self.needed: set[str] = set()  # attributes with objects that change
        self.attributes = {attr: self.names.fresh(f"{v}_{attr.strip('_') or 'value'}") for attr in held}
        reached = function.__globals__.get(self.path) is cls and self.path not in self.own
        self.is_known = reached and is_plain(cls, function)
        self.relied = {self.path: cls} if self.is_known else {}

    def kind(self, attr: str) -> str:
        """What the class says of an attribute; one that the function cannot name only tells what its objects hold."""
        if attr in self.held and is_held(self.cls, attr):
            return "holds"
        found = super().kind(attr)
        if not self.is_known and found != "holds":
            raise CannotWriteOut
        return found

    def whole(self) -> ast.FunctionDef:
        if self.v in assigned_inside(self.tree.body):
            raise CannotWriteOut
        body = self.body()
        changed = {v for s in body for n in walk(s) for v in _changed(n)}
        assigned = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.changes = not (changed | assigned).isdisjoint(self.attributes.values())
        if self.changes and not self.is_known:
            raise CannotWriteOut
        return written_anew(self.tree, [*self.head, *self.beginning(body, changed), *body], self.relied)

    def beginning(self, body: Body, changed: set[str]) -> Body:
        """What is read of the object, in copies where it changes."""
        named = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name)}
        found: Body = []
        for attr, form in self.held.items():
            v = self.attributes[attr]
            if v in changed and form == "other":
                raise CannotWriteOut
            if v in changed and form == "object":
                self.needed.add(attr)
            if v in named:
                read = ast.Attribute(ast.Name(self.v, ast.Load()), attr, ast.Load())
                copied = v in changed and form in COPIES
                found.append(assign(v, expression(COPIES[form], x=read) if copied else read, self.tree))
        return found


def _split(body: Body, v: str) -> tuple[Body, Body]:
    """Statements up to that which binds a variable at the beginning, and those behind; none where it is a parameter."""
    last = max((i + 1 for i, s in enumerate(body) if v in writes(s)), default=0)
    return body[:last], body[last:]


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
