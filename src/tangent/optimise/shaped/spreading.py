"""What a sum spreads backward over the axes it went along, where arithmetic spreads it anyway.

spread(bs, y, 1) * y    ->    bs[:, None] * y
p + spread(bs, y)       ->    p + bs
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.shaped.kinds import Kind, Number, alike
from tangent.optimise.shaped.making import summed_axes, value_of
from tangent.optimise.shaped.parts import Of
from tangent.syntax.quote import constant


class Spreading:
    """Rewrites of expressions; `of` tells kinds."""

    def __init__(self, of: Of, resolve: Callable[[ast.expr], Any]) -> None:
        self.of, self.resolve = of, resolve

    def unspread(self, e: ast.BinOp) -> ast.expr:
        for side, other in (("left", "right"), ("right", "left")):
            part, rest = getattr(e, side), getattr(e, other)
            inner = part.operand if isinstance(part, ast.UnaryOp) else part
            if isinstance(inner, ast.Call) and self.resolve(inner.func) is runtime.spread and not inner.keywords:
                found = self.unspread_by(inner, self.of(rest))
                if found is not None:
                    found = ast.UnaryOp(part.op, found) if isinstance(part, ast.UnaryOp) else found
                    return _with_side(e, side, found)
        return e

    def thin(self, e: ast.expr) -> ast.expr | None:
        """What `spread` spreads, in a form that meets operands of the full shape."""
        if not isinstance(e, ast.Call) or self.resolve(e.func) is not runtime.spread or e.keywords:
            return None
        found = self.unspread_by(e, self.of(e.args[1]))
        match found:
            case ast.Subscript(value=inner, slice=ast.Constant(value=None)):
                return inner  # axes in front come by themselves
            case _:
                return found

    def unspread_by(self, e: ast.Call, other: Kind) -> ast.expr | None:
        """What is to be spread, in a form that meets an operand of the full shape."""
        if len(e.args) > 4:  # with a mask
            return None
        inner, x = self.number_spread(e.args[0]), self.of(e.args[1])
        b = self.of(inner)
        if not (isinstance(b, Number) and isinstance(x, Number) and isinstance(other, Number)):
            return None
        if not (b.real and x.real and x.rank and other.dtype == x.dtype and other.rank == x.rank):
            return None
        if b.dtype != x.dtype and not b.weak:
            return None
        if not all(map(alike, other.axes, x.axes)):
            return None
        axis, keep = (value_of(a) for a in (*e.args[2:4], *[constant(None)] * (4 - len(e.args))))
        if not b.rank:
            return inner
        if keep is True and b.rank == x.rank:
            return e.args[0]
        over = summed_axes(x.rank, axis)
        if over is None or keep or b.rank + len(over) != x.rank:
            return None
        index = ast.Tuple([constant(None) if i in over else ast.Slice() for i in range(x.rank)], ast.Load())
        while len(index.elts) > 1 and isinstance(index.elts[-1], ast.Slice):
            index.elts.pop()
        return ast.Subscript(e.args[0], index if len(index.elts) > 1 else index.elts[0], ast.Load())

    def number_spread(self, e: ast.expr) -> ast.expr:
        """The number, where an expression is that number all over an array."""
        match e:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.number_spread(operand)
                return e if inner is operand else ast.UnaryOp(ast.USub(), inner)
            case ast.Call(args=[inner, x], keywords=[]) if self.resolve(e.func) is runtime.spread:
                b, whole = self.of(inner), self.of(x)
                if isinstance(b, Number) and isinstance(whole, Number) and not b.rank:
                    return inner if b.weak or b.dtype == whole.dtype else e
        return e


def _with_side(e: ast.BinOp, side: str, value: ast.expr) -> ast.BinOp:
    left, right = (value, e.right) if side == "left" else (e.left, value)
    return ast.BinOp(left, e.op, right)
