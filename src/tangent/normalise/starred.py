"""Ufuncs that are given more than they take write into the rest: what a star brings is counted first.

y = np.sin(x, *args)    ->    require_inputs(np.sin, x, *args)
                              y = np.sin(x, *args)
"""

from __future__ import annotations

import ast

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.checks import require_inputs
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import walk


def starred(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Count the arguments of ufuncs where a star may bring too many."""
    if not any(isinstance(n, ast.Starred) for n in walk(f)):
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(value=ast.Call(func=func, args=args)) | ast.Expr(value=ast.Call(func=func, args=args)) if (
                any(isinstance(a, ast.Starred) for a in args) and _takes_fewer(context.scope.resolve(func), len(args))
            ):
                check = ast.Call(name(context.use("require_inputs", require_inputs)), [func, *args], [])
                return [at(ast.Expr(check), s), s]
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _takes_fewer(found: object, count: int) -> bool:
    return isinstance(found, np.ufunc) and found.nin < count
