"""Dicts that give a number for a key which they do not have, as plain dicts: `defaultdict(float)`, `Counter()`.

s = defaultdict(float)                   s = {}
for i in range(n):                       for i in range(n):
    s[i % 2] += x * i             ->         k = i % 2
return s[0] * s[1]                           s.setdefault(k, 0.0)
                                             s[k] += x * i
                                         return s.setdefault(0, 0.0) * s.setdefault(1, 0.0)

A Counter gives 0 and keeps nothing: `s.get(k, 0)`. Only where the dict is made once and never handed on, and where
items are only added to and computed with.
"""

from __future__ import annotations

import ast
import collections
import types

from tangent.source.made_once import Body, MadeOnce, Node, for_each_made_once, meaning
from tangent.syntax.quote import assign, at, constant, expression, name, quote
from tangent.syntax.rebuild import replace, walk_scope
from tangent.syntax.walk import walk

ASKED = frozenset("items keys values".split())
FIRST = {float: 0.0, int: 0}


def with_plain_dicts(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with plain dicts in place of those that count."""

    def plain(tree: ast.FunctionDef, made: ast.Assign, v: str) -> ast.FunctionDef:
        first = _first(made.value, tree, function) if isinstance(made.value, ast.Call) else None
        if first is None or not _is_only_asked(tree, made, v):
            return tree
        return _Plain(tree, function, made, v, *first).whole()

    return for_each_made_once(tree, function, plain)


def _first(e: ast.Call, tree: ast.FunctionDef, function: types.FunctionType) -> tuple[float, bool] | None:
    """What a new dict gives for a key that it does not have, and whether it keeps that."""
    made = meaning(e.func, tree, function)
    match e.args:
        case [ast.Name() as kind] if made is collections.defaultdict and not e.keywords:
            found = FIRST.get(meaning(kind, tree, function))
            return None if found is None else (found, True)
        case [] if made is collections.Counter and not e.keywords:
            return 0, False
        case _:
            return None


def _is_only_asked(tree: ast.FunctionDef, made: ast.Assign, v: str) -> bool:
    """Whether a dict is asked for items, its length and what it goes over, and given what is computed.

    What it holds is nobody else's then: items are only computed with.
    """
    found: set[ast.AST] = {made.targets[0]}
    for n in walk_scope(tree):
        match n:
            case (
                ast.AugAssign(target=ast.Subscript(value=ast.Name() as owner))
                | ast.Assign(
                    targets=[ast.Subscript(value=ast.Name() as owner)],
                    value=ast.Constant() | ast.BinOp() | ast.UnaryOp(),
                )
            ):
                found.add(owner)
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=attr)) if attr in ASKED:
                found.add(owner)
            case ast.Call(func=ast.Name(id="len" | "sorted" | "list"), args=[ast.Name() as owner], keywords=[]):
                found.add(owner)
            case ast.For(iter=ast.Name() as owner) | ast.comprehension(iter=ast.Name() as owner):
                found.add(owner)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as owner]):
                found.add(owner)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Return() | ast.Call(func=ast.Attribute()):
                found |= {e.value for e in ast.iter_child_nodes(n) if isinstance(e, ast.Subscript)}
    return all(n in found for n in walk(tree) if isinstance(n, ast.Name) and n.id == v)


class _Plain(MadeOnce):
    """One dict that counts, on its way to a plain one."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, first: float, keeps: bool
    ) -> None:  # fmt: skip
        super().__init__(tree, function, made, v)
        self.first, self.keeps = first, keeps

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign() if s is self.made:
                return [replace(s, value=ast.copy_location(ast.Dict([], []), s.value))]
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=d), slice=key) as place, value=value) if (
                d == self.v
            ):
                return self.added(s, place, self.changed(key), self.changed(value))
            case _:
                return super().statement(s)

    def added(self, s: ast.AugAssign, place: ast.Subscript, key: ast.expr, value: ast.expr) -> Body:
        """`d[k] += v`, where there may be no k."""
        before: Body = []
        if not isinstance(key, (ast.Name, ast.Constant)):
            held = self.names.numbered("key")
            before, key = [assign(held, key, s)], name(held)
        there = at(quote("d.setdefault(k, c)", d=self.v, k=key, c=constant(self.first)), s)
        return [*before, there, replace(s, target=replace(place, slice=key), value=value)]

    def changed(self, node: Node) -> Node:
        """Items that are read, where they may not be there."""
        new = self.inside(node)
        match new:
            case ast.Subscript(value=ast.Name(id=d), slice=key, ctx=ast.Load()) if d == self.v:
                text = "d.setdefault(k, c)" if self.keeps else "d.get(k, c)"
                got = expression(text, d=self.v, k=key, c=constant(self.first))
                return ast.copy_location(got, node)  # type: ignore[return-value]
            case _:
                return new
