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
import contextlib
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.options import EACH, ITEMS, Given
from tangent.runtime.attributes import is_held
from tangent.source.beginning import assigned_in, attribute_of, changed_in, copied_as, named_in, split
from tangent.source.cells import cells_of
from tangent.source.dissolved import Dissolving
from tangent.source.given_each import GivenEach
from tangent.source.given_lists import GivenColumns
from tangent.source.inlined import Body, CannotWriteOut, Definition, written_anew
from tangent.source.kept import kept
from tangent.source.members import is_plain
from tangent.source.read import definition, read
from tangent.source.stubs import in_place_of
from tangent.syntax.names import identifiers
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments, assigned_inside


def over_attributes(function: types.FunctionType, given: Given) -> types.FunctionType | None:
    """The function over variables in place of objects it is given; None where one of them has to stay."""
    try:
        return kept(("given", function, function.__code__, given), lambda: _made(function, given))
    except CannotWriteOut:
        return None


def _made(function: types.FunctionType, given: Given) -> types.FunctionType:
    source = read(function)
    tree, changes, apart = source.tree, False, set()
    variables = {a.arg: a.arg for a in arguments(tree.args)}  # by the paths to what they hold
    needed: set[str] = set()
    for path, cls, held in given:
        own = path.removesuffix(ITEMS).removesuffix(EACH)
        taken = _taken_apart(tree, function, variables.get(own), path, cls, dict(held))
        if taken is None and own in needed:
            raise CannotWriteOut  # it is a copy that is changed
        if taken is not None:
            tree = taken.result
            apart.add(path)
            variables |= {f"{own}.{attr}": v for attr, v in taken.attributes.items()}
            needed |= {f"{own}.{attr}" for attr in taken.needed}
            changes = changes or taken.changes
    if tree is source.tree:
        raise CannotWriteOut
    made = in_place_of(function, tree, source.file)
    made.changes, made.replaced = changes, apart  # type: ignore[attr-defined]
    return made


def _taken_apart(
    tree: ast.FunctionDef, function: types.FunctionType, v: str | None, path: str, cls: type, held: dict[str, str]
) -> _Given | GivenColumns | GivenEach | None:  # fmt: skip
    """One object, or one list of these, over variables; None where it has to stay."""
    if v is None:
        return None
    if path.endswith(EACH):
        with contextlib.suppress(CannotWriteOut):
            return GivenEach(tree, function, v, len(held))
        return None
    if not path.endswith(ITEMS):
        with contextlib.suppress(CannotWriteOut):
            return _Given(tree, function, definition, v, cls, held)
        return None
    for apart in (False, True):
        with contextlib.suppress(CannotWriteOut):
            return GivenColumns(tree, function, definition, v, cls.__name__, apart, held)
    return None


def outside(function: types.FunctionType) -> Iterator[Any]:
    """What a function finds in its module, or captures, and could be changed: arrays, lists, dicts."""
    cells = cells_of(function)
    for v in _names_in(function, function.__code__):
        found = cells[v].cell_contents if v in cells else function.__globals__.get(v)
        if isinstance(found, (np.ndarray, list, dict)):
            yield found


def _names_in(function: types.FunctionType, code: types.CodeType) -> frozenset[str]:
    """All names in the definition of a function, which every call asks for: it is read once."""
    known = _names.setdefault(function, {})
    if code not in known:
        known.clear()
        known[code] = frozenset(identifiers(read(function).tree))
    return known[code]


_names: weakref.WeakKeyDictionary[types.FunctionType, dict[types.CodeType, frozenset[str]]] = (
    weakref.WeakKeyDictionary()
)


class _Given(Dissolving):
    """One argument, or what one holds, on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, cls: type,
        held: dict[str, str],
    ) -> None:  # fmt: skip
        self.head, rest = split(tree.body, v)
        super().__init__(replace(tree, body=rest), function, definition, v, cls, cls.__name__)
        self.held, self.changes = held, False
        self.needed: set[str] = set()  # attributes with objects that change
        self.attributes = {attr: self.names.fresh(f"{v}_{attr.strip('_') or 'value'}") for attr in held}
        reached = function.__globals__.get(self.path) is cls and self.path not in self.own
        self.is_known = reached and is_plain(cls, function)
        self.relied = {self.path: cls} if self.is_known else {}
        self.result = self.whole()

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
        changed = changed_in(body)
        self.changes = not (changed | assigned_in(body)).isdisjoint(self.attributes.values())
        if self.changes and not self.is_known:
            raise CannotWriteOut
        return written_anew(self.tree, [*self.head, *self.beginning(body, changed), *body], self.relied)

    def beginning(self, body: Body, changed: set[str]) -> Body:
        """What is read of the object, in copies where it changes."""
        found: Body = []
        for attr, form in self.held.items():
            v = self.attributes[attr]
            if v in named_in(body):
                read = attribute_of(self.v, attr)
                found.append(assign(v, copied_as(read, form) if v in changed else read, self.tree))
            if v in changed and form in ("object", "objects"):
                self.needed.add(attr)
        return found
