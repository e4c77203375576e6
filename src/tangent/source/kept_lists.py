"""Dicts of lists with keys that the text names, as variables: histories that one function fills.

kept = {"loss": [], "w": []}            kept_loss, kept_w = [], []
for _ in range(n):               ->     for _ in range(n):
    kept["loss"].append(loss)               kept_loss.append(loss)
return w, kept                          return w, {"loss": kept_loss, "w": kept_w}

Only where the dict is made once, and asked for its items by these keys until it is returned.
"""

from __future__ import annotations

import ast
import types

from tangent.source.made_once import Body, MadeOnce, Node, for_each_made_once
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.walk import walk

GROWING = frozenset("append extend insert pop remove clear reverse".split())


def with_lists(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with variables for the lists that dicts hold, where these lists grow."""

    def apart(tree: ast.FunctionDef, made: ast.Assign, v: str) -> ast.FunctionDef:
        if not isinstance(made.value, ast.Dict) or not _names_keys(made.value) or v in function.__code__.co_cellvars:
            return tree
        keys = _texts(made.value.keys)
        return _Apart(tree, function, made, v, keys).whole() if _stays(tree, made, v, keys) else tree

    return for_each_made_once(tree, function, apart)


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


class _Apart(MadeOnce):
    """One dict on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, keys: list[str]
    ) -> None:  # fmt: skip
        super().__init__(tree, function, made, v)
        self.items = {k: self.names.fresh(f"{v}_{k.strip('_') or 'item'}") for k in keys}

    def statement(self, s: ast.stmt) -> Body:
        if s is self.made:
            assert isinstance(self.made.value, ast.Dict)
            return [assign(v, e, s) for v, e in zip(self.items.values(), self.made.value.values)]
        return super().statement(s)

    def changed(self, node: Node) -> Node:
        """Items of the dict as variables, and the dict, where it is returned, as one made of them."""
        match node:
            case ast.Subscript(value=ast.Name(id=d), slice=ast.Constant(value=key), ctx=ctx) if d == self.v:
                return ast.copy_location(ast.Name(self.items[str(key)], ctx), node)  # type: ignore[return-value]
            case ast.Name(id=d) if d == self.v:
                made = ast.Dict([constant(k) for k in self.items], [name(v) for v in self.items.values()])
                return ast.copy_location(made, node)  # type: ignore[return-value]
        return self.inside(node)
