"""Parallel loops are loops: what one iteration writes and another reads backward must not race.

for i in numba.prange(n): ...     ->   for i in range(n): ...
"""

from __future__ import annotations

import ast
import sys

from tangent.normalise.context import Context
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.walk import walk


def parallel(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    numba = sys.modules.get("numba")
    if numba is None:
        return f

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name() | ast.Attribute() as func) if context.scope.resolve(func) is numba.prange:
                return replace(e, func=name(context.builtin("range")))
            case _:
                return e

    return rebuild(f, change) if any(isinstance(n, ast.For) for n in walk(f)) else f
