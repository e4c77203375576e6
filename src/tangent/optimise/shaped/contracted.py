"""Products of large arrays that are summed along a short last axis: no array is made for the products.

np.sum(d * d, axis=2)    ->    np.einsum("ijk,ijk->ij", d, d)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.optimise.shaped.calls import along_rows, options
from tangent.optimise.shaped.kinds import Axis, Kind, Number
from tangent.optimise.shaped.making import summed_axes, value_of
from tangent.optimise.shaped.parts import Of
from tangent.syntax.quote import constant, expression

Large = Callable[[tuple[Axis, ...]], bool]


def contracted(e: ast.expr, of: Of, resolve: Callable[[ast.expr], Any], large: Large) -> ast.expr:
    """A sum of products as the products of rows. The order of few terms is all that changes."""
    match e:
        case ast.Call(func=ast.Attribute(value=library), args=[inner, *_]) if resolve(e.func) is np.sum:
            factors = _factors(inner)
            if factors is None or not _is_along_rows(e, of(inner), [of(x) for x in factors], large):
                return e
            whole = of(inner)
            assert isinstance(whole, Number)
            over = constant(along_rows(whole.rank))
            return expression("np.einsum(over, x, y)", np=library, over=over, x=factors[0], y=factors[1])
        case _:
            return e


def _factors(e: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The factors of a product; a square of what has a name has two."""
    match e:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return left, right
        case ast.BinOp(left=ast.Name() as base, op=ast.Pow(), right=ast.Constant(value=2 | 2.0)):
            return base, base
        case _:
            return None


def _is_along_rows(e: ast.Call, whole: Kind, factors: list[Kind], large: Large) -> bool:
    given = options(e, ("axis", "dtype", "out", "keepdims"))
    if not isinstance(whole, Number) or not whole.rank or given.keys() != {"axis"}:
        return False
    if summed_axes(whole.rank, value_of(given["axis"])) != (whole.rank - 1,) or not isinstance(whole.axes[-1], int):
        return False
    return whole.rank <= 8 and large(whole.axes) and all(k == whole for k in factors)
