"""Adjoints add up: the first contribution is an assignment, later ones are sums; zeros where ways meet."""

from __future__ import annotations

import ast

from tangent.syntax.cells import Cell
from tangent.syntax.quote import assign, constant, name
from tangent.transform.reverse.state import State
from tangent.transform.reverse.temporaries import Temporaries
from tangent.transform.rows import Part


class Sums(Temporaries):
    def zero(self, v: str, state: State, like: ast.stmt, dense: bool = False) -> ast.stmt:
        """`bv = 0`, as lazily as possible."""
        state.held.add(v)
        self.zeroed.add(v)
        if v in self.lists:
            state.owned.add(v)
            return assign(self.adjoint(v), self.no_items(v), like)
        if self.shapes.of(name(v)).scalar:
            state.owned.add(v)
            return assign(self.adjoint(v), constant(0.0), like)
        if dense:
            state.owned.add(v)
            return assign(self.adjoint(v), self.scribe.call("init_grad", name(v)), like)
        state.lazy.add(v)
        state.owned.discard(v)
        return assign(self.adjoint(v), self.scribe.call("lazy_zero", name(v)), like)

    def joined(self, parts: list[Part]) -> list[Part]:
        """Contributions to the adjoint that they are computed from: one sum, so that each reads the old value."""
        first, *rest = parts
        for part in rest:
            number = first.number or part.number
            value: ast.expr = ast.BinOp(first.value, ast.Add(), part.value)
            if not number:
                value = self.scribe.call("add_grad", first.value, part.value)
            first = Part(value, number, number)
        return [first]

    def accumulate(self, v: str, part: Part, state: State, like: ast.stmt) -> ast.stmt:
        """`bv = part`, or `bv = bv + part`."""
        b = self.adjoint(v)
        self.computed[v] = part.number and self.computed.get(v, True)
        if v in self.stores.shadowed:
            if part.index is not None and self.stores.is_dict(v):
                return self.stores.add_key(v, part, like)
            if part.index is not None:
                return self.stores.add_item(v, part.index, part.value, like)
            return self.stores.add(v, part.value, like)
        if part.index is not None:
            return self.accumulate_item(v, part, state, like)
        if v in self.lists:
            value = part.value if v not in state.held else self.scribe.call("add_grad", name(b), part.value)
            state.held.add(v)
            state.owned.add(v)
            value = self.scribe.call("copy", value) if v in self.celled else value
            return assign(b, self.scribe.call("as_list", value), like)
        if v not in state.held:
            state.held.add(v)
            (state.owned.add if part.fresh and v not in self.celled else state.owned.discard)(v)
            return assign(b, part.value, like)
        if v in self.celled:
            state.owned.discard(v)
        elif v not in state.lazy:
            state.owned.add(v)
        state.lazy.discard(v)
        if part.number or self.shapes.of(name(v)).number:
            return assign(b, ast.BinOp(name(b), ast.Add(), part.value), like)
        return assign(b, self.scribe.call("add_grad", name(b), part.value), like)

    def accumulate_item(self, v: str, part: Part, state: State, like: ast.stmt) -> ast.stmt:
        """A contribution to one item: in place where the adjoint is nobody else's."""
        if isinstance(part.index, Cell):
            return self.accumulate_cell(v, part.index, part.value, state, like)
        b, index = self.adjoint(v), self.scribe.as_argument(part.index) if part.index is not None else None
        assert index is not None
        scattered = self.scribe.call("scatter", part.value, name(v), index)
        held, owned = v in state.held, v in state.owned
        state.held.add(v)
        (state.owned.add if owned or v not in self.celled else state.owned.discard)(v)
        state.lazy.discard(v)
        if not held:
            return assign(b, scattered, like)
        if owned and v not in self.lists:
            return assign(b, self.scribe.call("add_part", name(b), index, part.value), like)
        if v in self.lists:
            return assign(b, self.scribe.call("add_item", name(b), name(v), index, part.value), like)
        return assign(b, self.scribe.call("add_grad", name(b), scattered), like)

    def accumulate_cell(self, v: str, index: Cell, value: ast.expr, state: State, like: ast.stmt) -> ast.stmt:
        """A contribution to an item of an item: what the adjoint holds must be nobody else's, too."""
        b: ast.expr = name(self.adjoint(v))
        held, owned = v in state.held, v in state.owned
        state.held.add(v)
        state.owned.add(v)
        state.lazy.discard(v)
        if not held:
            return assign(self.adjoint(v), self.scribe.call("scatter_cell", value, name(v), *index.elts), like)
        if not owned:
            b = self.scribe.call("copy", b)
        return assign(self.adjoint(v), self.scribe.call("add_cell", b, *index.elts, value), like)
