"""Zeros with sums at places.

add_part(scatter(u, xs, 1), 0, v): u is added at 1, v at 0
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime


def scattered(e: ast.expr, resolve: Callable[[ast.expr], Any]) -> list[tuple[ast.expr, ast.expr]]:
    """Places of zeros, and what is added there; none, if that is not all."""
    match e:
        case ast.Call(func=func, args=[value, _, index], keywords=[]) if resolve(func) is runtime.scatter:
            return [(index, value)]
        case ast.Call(func=func, args=[inner, index, value], keywords=[]) if resolve(func) is runtime.add_part:
            before = scattered(inner, resolve)
            return [*before, (index, value)] if before else []
        case _:
            return []
