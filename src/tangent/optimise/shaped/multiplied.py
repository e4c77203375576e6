"""What a product tells of the lengths of its operands: where it was computed, they fit.

z = np.concatenate([h, x])        # as long as both
u = w @ z                         # and as long as the rows of w
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tangent.optimise.shaped.kinds import UNSURE, Axis, Number
from tangent.optimise.shaped.parts import Of
from tangent.syntax.uses import COMPREHENSIONS
from tangent.syntax.walk import walk

PRODUCTS = (np.dot, np.matmul)
CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, *COMPREHENSIONS)


def fitting(e: ast.expr, of: Of, resolve: Callable[[ast.expr], Any]) -> Iterator[tuple[str, Number]]:
    """Variables that are multiplied in an expression, with what is known of them since that went well."""
    parts = walk(e)
    if any(isinstance(n, CONDITIONAL) for n in parts):
        return
    for n in parts:
        match n:
            case ast.BinOp(left=x, op=ast.MatMult(), right=y):
                yield from _fitted(x, y, of)
            case ast.Call(func=func, args=[x, y], keywords=[]) if resolve(func) in PRODUCTS:
                yield from _fitted(x, y, of)


def _fitted(x: ast.expr, y: ast.expr, of: Of) -> Iterator[tuple[str, Number]]:
    p, q = of(x), of(y)
    if not isinstance(p, Number) or not isinstance(q, Number) or not {p.rank, q.rank} <= {1, 2}:
        return
    across = -min(q.rank, 2)
    if isinstance(x, ast.Name) and _is_open(p.axes[-1]) and not _is_open(q.axes[across]):
        yield x.id, _with_axis(p, -1, q.axes[across])
    if isinstance(y, ast.Name) and _is_open(q.axes[across]) and not _is_open(p.axes[-1]):
        yield y.id, _with_axis(q, across, p.axes[-1])


def _is_open(n: Axis) -> bool:
    return isinstance(n, str) and n.startswith(UNSURE)


def _with_axis(kind: Number, at: int, n: Axis) -> Number:
    axes = list(kind.axes)
    axes[at] = n
    return replace(kind, axes=tuple(axes))
