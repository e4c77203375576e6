"""The kinds of what functions of linear algebra give, from those of matrices, and what kernels of their rules do.

np.linalg.solve(a, b)        of b's form
np.linalg.slogdet(a)         two numbers
solve_columns(mT(a), v, b)   ->   np.linalg.solve(a.T, v)
columns(v, b)                ->   v[:, None]
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.shaped.kinds import UNKNOWN, Items, Kind, Number, promoted, same
from tangent.syntax.quote import expression

LIKE = {  # kernels, and which of their arguments has the form of the result
    runtime.cofactors: 0, runtime.slogdet_slope: 1, runtime.cholesky_adjoint: 1, runtime.qr_adjoint: 2,
}  # fmt: skip
OF_MATRICES = (runtime.mT, runtime.as_matrices, runtime.columns, runtime.solve_columns, runtime.slogdet_weight)
LIKE_MATRIX = (np.linalg.inv, np.linalg.cholesky)
SOLVED = (*LIKE_MATRIX, np.linalg.solve, np.linalg.det, np.linalg.slogdet, np.linalg.eigh, np.linalg.qr)


def solved(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of a call of one of these, with nothing but matrices and right sides."""
    numbers = [k for k in kinds if isinstance(k, Number) and k.real and k.rank]
    found = promoted(numbers)
    if len(numbers) != len(kinds) or found is None or len(numbers[0].axes) < 2:
        return UNKNOWN
    a, dtype = numbers[0], found[0]
    number, matrix = Number(a.axes[:-2], dtype), Number(a.axes, dtype)
    if function in LIKE_MATRIX:
        return matrix
    if function is np.linalg.det:
        return number
    if function is np.linalg.slogdet:
        return Items((number, number))
    if function is np.linalg.eigh:
        return Items((Number(a.axes[:-1], dtype), matrix))
    if function is np.linalg.qr:
        return Items((matrix, matrix)) if same(a.axes[-1], a.axes[-2]) else UNKNOWN
    b = numbers[1]
    return Number(b.axes, dtype) if a.rank == 2 and b.rank <= 2 else UNKNOWN


def by_kernel(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of what a kernel of their rules gives."""
    kind = kinds[LIKE[function]] if function in LIKE and len(kinds) > LIKE[function] else UNKNOWN
    return kind if isinstance(kind, Number) and kind.real else UNKNOWN


def plainer(function: Any, e: ast.Call, kinds: list[Kind], use: Callable[[Any, str], str]) -> ast.expr | None:
    """A call of a kernel for matrices, or stacks of these, as what it does with plain ones."""
    ranks = [k.rank if isinstance(k, Number) and k.real else None for k in kinds]
    match e.args:
        case [x] if function is runtime.mT and ranks == [2]:
            return expression("x.T", x=x)
        case [x] if function is runtime.as_matrices and ranks == [0]:
            return x
        case [v, _] if function is runtime.columns and ranks in ([1, 1], [2, 2]):
            return expression("v[:, None]", v=v) if ranks == [1, 1] else v
        case [a, v, _] if function is runtime.solve_columns and ranks in ([2, 1, 1], [2, 2, 2]):
            return expression("np.linalg.solve(a, v)", np=use(np, "np"), a=a, v=v)
        case [ast.Call(args=[weight, _, ast.Constant(value=1)]), _] if function is runtime.slogdet_weight:
            real = isinstance(kinds[1], Items) and all(isinstance(k, Number) and k.real for k in kinds[1].items)
            return weight if real else None
        case _:
            return None


def turned(e: ast.expr, of: Callable[[ast.expr], Kind]) -> ast.expr:
    """`a.T.T` as `a`, and `v[:, None] @ w[:, None].T` as `v[:, None] * w`."""
    match e:
        case ast.Attribute(value=ast.Attribute(value=x, attr="T"), attr="T") if isinstance(of(x), Number):
            return x
        case ast.BinOp(left=left, right=ast.Attribute(value=ast.Subscript(value=w) as part, attr="T")):
            v, row = of(left), of(w)
            column = isinstance(v, Number) and v.rank == 2 and v.axes[1] == 1 and isinstance(row, Number)
            if column and row.rank == 1 and row.dtype == v.dtype and ast.unparse(part).endswith("[:, None]"):  # type: ignore[union-attr]
                return ast.BinOp(left, ast.Mult(), w)
    return e
