"""Linear algebra of matrices: the run-time functions of its rules as what they do.

mT(a)                          ->   a.T
solve_columns(a, v, b)         ->   np.linalg.solve(a, v)
columns(g, b) @ columns(x, b).T   ->   g[:, None] * x
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.shaped.kinds import Items, Kind, Number
from tangent.optimise.simplify import positive
from tangent.syntax.quote import expression

FACTORS = (runtime.as_matrices, runtime.at_rank)  # what is multiplied by a matrix, or by an array
SOLVED = {runtime.solve_columns: "np.linalg.solve(a, v)", runtime.matmul_columns: "a @ v"}


def written(function: Any, args: list[ast.expr], kinds: list[Kind], np_name: str) -> ast.expr | None:
    """A call of a run-time function of these rules as what it does, where that is known."""
    match kinds:
        case [Number(axes=[_, _])] if function is runtime.mT:
            return expression("a.T", a=args[0])
        case [Number(axes=[])] | [Number(axes=[]), Number(axes=[_, *_])] if function in FACTORS:
            return args[0]
        case [Number(axes=[_]), Number(axes=[_])] if function is runtime.columns:
            return expression("v[:, None]", v=args[0])
        case [Number(axes=[_, _]), Number(axes=[_, _])] if function is runtime.columns:
            return args[0]
        case [Number(axes=[_, _]), Number() as v, Number() as b] if function in SOLVED and v.rank == b.rank in (1, 2):
            return expression(SOLVED[function], a=args[0], v=args[1], np=np_name)
        case [Items(items=[_, _]), Items(items=[Number() as sign, _])] if function is runtime.slogdet_weight:
            return expression("b[1]", b=args[0]) if sign.real else None
        case _:
            return None


def multiplied(e: ast.BinOp) -> ast.expr:
    """A column times a row: `x[:, None] @ y[:, None].T` is `x[:, None] * y`."""
    match e:
        case ast.BinOp(left=x, op=ast.MatMult(), right=ast.Attribute(value=ast.Subscript(value=y) as column, attr="T")):
            return ast.BinOp(x, ast.Mult(), y) if _is_column(positive(x) or x) and _is_column(column) else e
        case _:
            return e


def turned(e: ast.expr, rank: Callable[[ast.expr], int], resolve: Callable[[ast.expr], Any]) -> ast.expr:
    """A matrix that is turned around twice, or a product of which the factors can be.

    x.T.T                        ->   x
    np.transpose(np.dot(x, y))   ->   np.dot(y.T, x.T)
    np.transpose(x[:, None] * y) ->   y[:, None] * x
    """
    match e:
        case ast.Attribute(value=ast.Attribute(value=x, attr="T"), attr="T") if rank(x) >= 0:
            return x
        case ast.Call(func=func, args=[ast.Call(func=dot, args=[x, y], keywords=[])], keywords=[]) if (
            resolve(func) is np.transpose and resolve(dot) is np.dot and rank(x) == rank(y) == 2
        ):
            return ast.Call(dot, [turned(expression("x.T", x=z), rank, resolve) for z in (y, x)], [])
        case ast.Call(func=func, args=[ast.BinOp(left=x, op=ast.Mult(), right=y)], keywords=[]) if (
            resolve(func) is np.transpose and _is_column(positive(x) or x) and rank(y) == 1
        ):
            column = positive(x) or x
            assert isinstance(column, ast.Subscript)
            new = ast.BinOp(expression("y[:, None]", y=y), ast.Mult(), column.value)
            return new if column is x else expression("-y[:, None] * x", y=y, x=column.value)
        case _:
            return e


def _is_column(e: ast.expr) -> bool:
    """Whether an expression is `v[:, None]`."""
    match e:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice() as whole, ast.Constant(value=None)])):
            return whole.lower is whole.upper is whole.step is None
        case _:
            return False
