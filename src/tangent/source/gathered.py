"""Dicts that are made and then filled under keys that the text names, as one display where they are first used whole.

grads = {}                              grads_b = np.sum(dy)
grads["b"] = np.sum(dy)                 dh = dy @ w
dh = dy @ w                      ->     grads_w = x.T @ dh
grads["w"] = x.T @ dh                   grads_w += w
grads["w"] += w                         grads = {"b": grads_b, "w": grads_w}
return loss, grads                      return loss, grads

Only where the dict is made once, and all that is done with it stands in the block where it is made.
"""

from __future__ import annotations

import ast
import types

from tangent.source.made_once import Body, MadeOnce, Node, for_each_made_once
from tangent.syntax.names import as_identifier
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import blocks, walk_scope
from tangent.syntax.walk import walk


def with_displays(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with displays in place of dicts that are filled item by item."""
    if any(isinstance(n, (ast.With, ast.Try, ast.TryStar)) for n in walk_scope(tree)):
        return tree  # a block that is left in between shows a dict that is filled in part

    def gathered(tree: ast.FunctionDef, made: ast.Assign, v: str) -> ast.FunctionDef:
        if not isinstance(made.value, ast.Dict) or v in function.__code__.co_cellvars:
            return tree
        keys = [k.value for k in made.value.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
        if len(set(keys)) < len(made.value.keys):
            return tree
        block = next((b for b in blocks(tree.body) if made in b), None)
        if block is None:
            return tree
        found = _Gathered(tree, function, made, v, keys, block)
        return found.whole() if found.is_filled() else tree

    return for_each_made_once(tree, function, gathered)


class _Gathered(MadeOnce):
    """One dict on its way to a display."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str, keys: list[str],
        block: Body,
    ) -> None:  # fmt: skip
        super().__init__(tree, function, made, v)
        self.items: dict[str, str] = {}
        self.first = keys
        self.part, self.rest = self._parts(block)

    def _parts(self, block: Body) -> tuple[Body, Body]:
        """The statements that fill the dict, and the rest of the block, which begins with one that uses it whole."""
        start = block.index(self.made)
        self._know(self.first)
        for i, s in enumerate(block[start + 1 :], start + 1):
            if not self._fills(s):
                return block[start:i], block[i:]
        return block[start:], []

    def _know(self, keys: list[str]) -> None:
        for key in keys:
            if key not in self.items:
                self.items[key] = self.names.fresh(f"{self.v}_{as_identifier(key).strip('_') or 'item'}")

    def _fills(self, s: ast.stmt) -> bool:
        """Whether a statement asks the dict for items that it has, or stores new ones."""
        asked = {n: k for n in walk(s) if (k := self._key(n)) is not None}
        new = [k for t in getattr(s, "targets", []) for n in walk(t) if n in asked and (k := asked[n])]
        if self._mentions(s) > len(asked):
            return False
        known = {*self.items, *new}
        if any(k not in (self.items if _is_read(n) else known) for n, k in asked.items()):
            return False
        self._know(new)
        return True

    def _key(self, n: ast.AST) -> str | None:
        """The key that a part of a statement asks for, or stores."""
        match n:
            case ast.Subscript(value=ast.Name(id=d), slice=ast.Constant(value=str(key)), ctx=ast.Load() | ast.Store()):
                return key if d == self.v else None
            case _:
                return None

    def _mentions(self, s: ast.AST) -> int:
        return sum(isinstance(n, ast.Name) and n.id == self.v for n in walk(s))

    def is_filled(self) -> bool:
        """Whether items are stored before the dict is used whole, and nobody else asks for it."""
        here = sum(self._mentions(s) for s in (*self.part, *self.rest))
        return len(self.items) > len(self.first) and here == self._mentions(self.tree)

    def statement(self, s: ast.stmt) -> Body:
        if s is self.made:
            assert isinstance(self.made.value, ast.Dict)
            return [assign(self.items[k], e, s) for k, e in zip(self.first, self.made.value.values)]
        if s in self.rest:
            return [self._display(), s] if s is self.rest[0] else [s]
        return super().statement(s)

    def _display(self) -> ast.stmt:
        whole = ast.Dict([constant(k) for k in self.items], [name(v) for v in self.items.values()])
        return assign(self.v, whole, self.made)

    def changed(self, node: Node) -> Node:
        """Items of the dict as variables."""
        if (key := self._key(node)) is not None:
            return ast.copy_location(ast.Name(self.items[key], node.ctx), node)  # type: ignore[return-value, attr-defined]
        return self.inside(node)


def _is_read(n: ast.AST) -> bool:
    return isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)
