"""Sums over axes that broadcasting made: factors that do not change along them stay outside.

(bz * x * w).sum(axis=0)   ->   (bz * x).sum(axis=0) * w
"""

from __future__ import annotations

import ast

from tangent.optimise.shaped.kinds import Kind, Number, alike, broadcast
from tangent.optimise.shaped.making import summed_axes, value_of
from tangent.optimise.shaped.parts import Of

Term = tuple[ast.operator, ast.expr]


class Summed(ast.Call):
    """`e.sum(axis=...)` where broadcasting is reversed: its terms may be put otherwise, unlike those of the user's."""


Summed.__name__ = "Call"  # it is printed as what it is


def summed(e: ast.expr, over: list[int], rank: int, keep: bool) -> Summed:
    """The sum over some axes of an array of this rank."""
    axis = ast.Constant(over[0]) if len(over) == 1 else ast.Tuple([ast.Constant(i) for i in over], ast.Load())
    keywords = [] if len(over) == rank and not keep else [ast.keyword("axis", axis)]
    keywords += [ast.keyword("keepdims", ast.Constant(True))] if keep else []
    return Summed(ast.Attribute(e, "sum", ast.Load()), [], keywords)


def factored(e: Summed, of: Of) -> ast.expr:
    """A sum of a product with the constant factors outside."""
    assert isinstance(e.func, ast.Attribute)
    inner = e.func.value
    if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
        return ast.UnaryOp(ast.USub(), factored(_of(e, inner.operand), of))
    whole = of(inner)
    given = {k.arg: value_of(k.value) for k in e.keywords}
    if not isinstance(whole, Number) or not isinstance(inner, ast.BinOp):
        return e
    over, keep = summed_axes(whole.rank, given.get("axis")), bool(given.get("keepdims"))
    assert over is not None
    terms = _terms(inner)
    outside = [t for t in terms if _is_constant(of(t[1]), over, whole.rank, keep)]
    inside = [t for t in terms if t not in outside]
    if not outside or not inside or not _covers([of(x) for _, x in inside], whole):
        return e
    first = next((t for t in inside if isinstance(t[0], ast.Mult)), None)
    if first is None:
        return e
    product = first[1]
    for op, x in inside:
        product = product if x is first[1] else ast.BinOp(product, op, x)
    found: ast.expr = _of(e, product)
    for op, x in outside:
        found = ast.BinOp(found, op, x)
    return found


def _of(e: Summed, inner: ast.expr) -> Summed:
    return Summed(ast.Attribute(inner, "sum", ast.Load()), [], e.keywords)


def _terms(e: ast.expr) -> list[Term]:
    """The factors of a product from left to right, with how they go into it."""
    match e:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            return [*_terms(left), (op, right)]
        case _:
            return [(ast.Mult(), e)]


def _is_constant(kind: Kind, over: tuple[int, ...], rank: int, keep: bool) -> bool:
    """Whether a factor of an array of this rank is the same all along some axes."""
    if not isinstance(kind, Number) or not (kind.real or kind.weak) or (not keep and kind.rank > rank - len(over)):
        return False
    return all(kind.rank < rank - i or kind.axes[i - rank] == 1 for i in over)


def _covers(kinds: list[Kind], whole: Number) -> bool:
    """Whether a product of such factors has all the axes of the whole."""
    found = broadcast(*kinds)
    if not isinstance(found, Number) or found.rank != whole.rank or found.dtype != whole.dtype:
        return False
    return all(map(alike, found.axes, whole.axes))
