"""Dicts of lists with keys that the text names, as variables: histories that one function fills.

kept = {"loss": [], "w": []}            kept_loss, kept_w = [], []
for _ in range(n):               ->     for _ in range(n):
    kept["loss"].append(loss)               kept_loss.append(loss)
return w, kept                          return w, {"loss": kept_loss, "w": kept_w}

Only where the dict is made once, and asked for its items by these keys until it is returned.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any, TypeVar

from tangent.source.inlined import written_anew
from tangent.source.naming import home_of, is_generated
from tangent.syntax.captured import bindings
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.walk import walk

GROWING = frozenset("append extend insert pop remove clear reverse".split())
Body = list[ast.stmt]
Node = TypeVar("Node", bound=ast.AST)


def with_lists(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with variables for the lists that dicts hold, where these lists grow."""
    if is_generated(function) or home_of(function).split(".")[0] == "tangent":
        return tree
    once = bindings(tree)
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Dict(keys=keys) as made) if once[v] == 1:
                if _names_keys(made) and v not in function.__code__.co_cellvars and _stays(tree, s, v, _texts(keys)):
                    tree = _Apart(tree, function, s, v, _texts(keys)).whole()
    return tree


def _texts(keys: list[ast.expr | None]) -> list[str]:
    return [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]


def _names_keys(made: ast.Dict) -> bool:
    texts = _texts(made.keys)
    lists = any(isinstance(e, (ast.List, ast.ListComp)) for e in made.values)
    return lists and len(texts) == len(made.keys) == len(set(texts)) and all(t.isidentifier() for t in texts)


def _stays(tree: ast.FunctionDef, made: ast.Assign, v: str, keys: list[str]) -> bool:
    """Whether a dict is asked for its items alone, some of which grow, and returned at most."""
    items, grown, found = set(), False, {made.targets[0]}
    for n in walk_scope(tree):
        match n:
            case ast.Subscript(value=ast.Name(id=d) as owner, slice=ast.Constant(value=key), ctx=ctx) if d == v:
                if key in keys and not isinstance(ctx, ast.Del):
                    items.add(owner)
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=d)), attr=attr), args=args):
                grown = grown or (d == v and attr in GROWING)
            case ast.Call(func=ast.Name(), args=args):
                grown = grown or any(isinstance(a, ast.Subscript) and _is(a.value, v) for a in args)
            case ast.Return(value=ast.Name(id=d) as whole) if d == v:
                found.add(whole)
            case ast.Return(value=ast.Tuple(elts=elts)):
                found |= {e for e in elts if _is(e, v)}
            case ast.With() | ast.Try() | ast.TryStar():
                return False
    return grown and all(n in items | found for n in walk(tree) if _is(n, v))


def _is(e: ast.AST, v: str) -> bool:
    return isinstance(e, ast.Name) and e.id == v


class _Apart:
    """One dict on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, keys: list[str]
    ) -> None:  # fmt: skip
        self.tree, self.made, self.v = tree, made, v
        names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        self.names = {k: names.fresh(f"{v}_{k.strip('_') or 'item'}") for k in keys}

    def whole(self) -> ast.FunctionDef:
        return written_anew(self.tree, self.block(self.tree.body))

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if s is self.made:
            assert isinstance(self.made.value, ast.Dict)
            return [assign(v, e, s) for v, e in zip(self.names.values(), self.made.value.values)]
        return [self.changed(with_blocks(s, self.block))]

    def changed(self, node: Node) -> Node:
        """Items of the dict as variables, and the dict, where it is returned, as one made of them."""
        match node:
            case ast.Subscript(value=ast.Name(id=d), slice=ast.Constant(value=key), ctx=ctx) if d == self.v:
                return ast.copy_location(ast.Name(self.names[str(key)], ctx), node)  # type: ignore[return-value]
            case ast.Name(id=d) if d == self.v:
                made = ast.Dict([constant(k) for k in self.names], [name(v) for v in self.names.values()])
                return ast.copy_location(made, node)  # type: ignore[return-value]
        changes: dict[str, Any] = {}
        for field in node._fields:
            old = getattr(node, field, None)
            if isinstance(old, ast.AST):
                changes[field] = self.changed(old)
            elif isinstance(old, list):
                changes[field] = [self.changed(x) if isinstance(x, ast.AST) else x for x in old]
        return replace(node, **changes) if any(_is(n, self.v) for n in walk(node)) else node
