"""The first term of an adjoint is its value.

b = shadow(x)
b += e             ->     b = e
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import Number, alike
from tangent.syntax.quote import at

if TYPE_CHECKING:
    from tangent.optimise.shaped.flow import Flow


def first_term(s: ast.stmt, flow: Flow) -> Body | None:
    """`b += e` where b is still zero is `b = e`."""
    match s:
        case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.BinOp() as value) if (
            v in flow.zeros and v not in flow.user
        ):
            kind, new = flow.env.get(v), flow.of(value)
            if isinstance(kind, Number) and isinstance(new, Number) and kind.dtype == new.dtype:
                if kind.rank == new.rank and all(map(alike, kind.axes, new.axes)):
                    return flow.statement(at(ast.Assign([ast.Name(v, ast.Store())], value), s))
    return None


def zeroed(body: Body, handed: set[str]) -> dict[str, ast.stmt]:
    """Names that statements make zeros."""
    match body:
        case [ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Name(id=maker), args=[_])) as s] if (
            maker.rstrip("_") == "shadow" and v not in handed
        ):
            return {v: s}
        case [ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(attr="zeros"))) as s]:
            return {v: s}
        case _:
            return {}
