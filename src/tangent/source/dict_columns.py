"""Dicts of objects that one function makes and nobody else sees, as dicts of their attributes.

d = {k: Account(x) for k in "ab"}               d_balance = {}
for k in d:                                     for k in "ab":
    d[k].earn(rate)                   ->            d_balance[k] = x
return sum(a.balance for a in d.values())       for k in d_balance:
                                                    d_balance[k] *= 1.0 + rate
                                                return sum(d_balance[a] for a in d_balance)

An object is the key that it has in the dict, as in lists of objects the place (columns.py). Only where no variable may
refer to an object whose key another one gets.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tangent.source.called import as_loops, located
from tangent.source.columns import Columns
from tangent.source.elements import Elements
from tangent.source.inlined import Body, CannotWriteOut, Definition
from tangent.syntax.captured import bindings, mentioned_inside
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import replace, walk_scope
from tangent.syntax.walk import walk

OF_KEYS = (sorted, list, tuple, min, max, set)  # functions that take a dict for its keys


def dict_columns(tree: ast.FunctionDef, function: types.FunctionType, definition: Definition) -> ast.FunctionDef | None:
    """The definition with dicts of attributes in place of a dict of objects; None where there is no such dict."""
    once, inside = bindings(tree), mentioned_inside(tree)
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Dict() | ast.DictComp() as made) if once[v] == 1:
                if (path := _class_of(made, v, tree)) and v not in inside:
                    try:
                        return DictColumns(tree, function, definition, v, path, False).whole()
                    except CannotWriteOut:
                        continue
    return None


def _class_of(made: ast.expr, v: str, tree: ast.FunctionDef) -> str:
    """The name of the class of which a dict is made, where all its objects are of one."""
    found = list(made.values) if isinstance(made, ast.Dict) else [made.value] if isinstance(made, ast.DictComp) else []
    found += [s.value for s in walk_scope(tree) if isinstance(s, ast.Assign) and _stores(s, v)]
    names = {e.func.id if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) else "" for e in found}
    return names.pop() if len(names) == 1 else ""


def _stores(s: ast.AST, v: str) -> bool:
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner))]):
            return owner == v
        case _:
            return False


class _Elements(Elements):
    """The names of objects of a dict."""

    def __init__(self, dicts: set[str], resolve: Callable[[ast.expr], Any], stored: bool) -> None:
        super().__init__(dicts, resolve)
        self.stored = stored

    def find(self, body: Iterable[ast.AST], born: Iterable[ast.AST] = ()) -> None:
        super().find(body, born)
        if self.stored and any(self.is_one(s.value) for x in body for s in walk(x) if isinstance(s, ast.Assign)):
            raise CannotWriteOut  # another object may get its key

    def is_part(self, e: ast.expr) -> bool:
        return False

    def _put(self, nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
        return {}  # a key may be that of another object later

    def asked(self, e: ast.AST) -> str:
        """`values`, `items` or `keys`, of which a loop asks the dict."""
        match e:
            case ast.Call(func=ast.Attribute(value=owner, attr="values" | "items" | "keys" as attr), args=[]):
                return attr if self.is_list(owner) else ""
            case _:
                return ""

    def _given(self, target: ast.expr, iter: ast.expr) -> Iterator[ast.AST]:
        match target, self.asked(iter):
            case ast.Name(), "values":
                yield target
            case ast.Tuple(elts=[_, t]), "items":
                yield t
            case _ if not self.is_list(iter):
                yield from super()._given(target, iter)


class DictColumns(Columns):
    """One dict on its way to dicts of attributes."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, path: str,
        apart: bool,
    ) -> None:  # fmt: skip
        super().__init__(tree, function, definition, v, path, apart)
        self.births = {}
        stores = [s for s in walk(self.tree) if _stores(s, v)]
        self.elements = self.keyed = _Elements({v}, self.around, bool(stores))
        for n in walk(self.tree):
            if isinstance(n, ast.For) and any(s in stores for s in walk(n)) and self.runs_over(n.iter):
                raise CannotWriteOut
        if stores:
            self.require_inside(v)

    def runs_over(self, e: ast.expr) -> bool:
        return any(self.keyed.is_list(n) for n in walk(e))

    def require_inside(self, v: str) -> None:
        """Names that loops give to objects are used in these loops alone."""
        loops = [n for n in walk(self.tree) if isinstance(n, ast.For) and self.keyed.asked(n.iter)]
        bound = {n.id for loop in loops for t in self.keyed._given(loop.target, loop.iter) for n in walk(t)
                 if isinstance(n, ast.Name)}  # fmt: skip
        inside = {n for loop in loops for n in walk(loop)}
        if any(isinstance(n, ast.Name) and n.id in bound and n not in inside for n in walk(self.tree)):
            raise CannotWriteOut

    def made(self, e: ast.expr, s: ast.stmt) -> Body:
        done: Body = [assign(column, ast.Dict([], []), s) for column in self.columns.values()]
        match e:
            case ast.Dict(keys=keys, values=values) if all(keys):
                return [*done, *(x for k, e in zip(keys, values) if k is not None for x in self.entered(k, e, s))]
            case ast.DictComp(key=key, value=value, generators=generators):
                slot = ast.Subscript(name(self.v), key, ast.Store())
                return [*done, *self.statement(as_loops(at(ast.Assign([slot], value), s), generators, s))]
            case _:
                raise CannotWriteOut

    def entered(self, key: ast.expr, e: ast.expr, s: ast.stmt) -> Body:
        """`d[key] = C(x)`."""
        body, held = self.constructed(e, s)
        if held.keys() != self.columns.keys() or self.works(key) or self.depth:
            raise CannotWriteOut
        place = self.plain(key)
        if not isinstance(place, (ast.Name, ast.Constant)):
            body.append(assign(v := self.names.numbered("key"), place, s))
            place = name(v)
        slots = [ast.Subscript(name(c), place, ast.Store()) for c in self.columns.values()]
        return [*body, *(located(at(ast.Assign([t], name(held[a])), s), s) for t, a in zip(slots, self.columns))]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if self.keyed.is_list(owner):
                return self.entered(key, value, s)
            case ast.For(target=ast.Tuple(elts=[ast.Name() as k, ast.Name(id=o)]), iter=iter) if (
                self.keyed.asked(iter) == "items"
            ):
                same = assign(o, replace(k, ctx=ast.Load()), s)
                return [located(replace(s, target=k, iter=self.keys(), body=[same, *self.block(s.body)]), s)]
            case _:
                return super().statement(s)

    def keys(self) -> ast.expr:
        return name(next(iter(self.columns.values())))

    def place(self, e: ast.expr) -> ast.expr:
        return self.plain(e.slice) if isinstance(e, ast.Subscript) else super().place(e)

    def ranges(self, e: ast.expr) -> ast.expr:
        match self.keyed.asked(e):
            case "values" | "keys":
                return self.keys()
            case "items":
                return expression("zip(a, b)", a=self.keys(), b=self.keys())
            case _:
                return self.keys() if self.keyed.is_list(e) else super().ranges(e)

    def changed(self, node: Any) -> Any:
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], left=left, comparators=[e]) if self.keyed.is_list(e):
                return replace(node, left=self.changed(left), comparators=[self.keys()])
            case ast.Call(func=func, args=[e], keywords=[]) if (
                (self.keyed.is_list(e) or self.keyed.asked(e) == "keys") and self.around(func) in OF_KEYS
            ):
                return replace(node, args=[self.keys()])
            case _:
                return super().changed(node)
