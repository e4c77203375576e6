"""The first term of an adjoint is its value.

b = shadow(x)
b += e               ->     b = e

b = shadow(x)
b += spread(e, x)    ->     b = np.full(x.shape, e)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import FLOAT, Kind, Number, alike
from tangent.syntax.quote import at, expression
from tangent.syntax.walk import walk

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
        case ast.AugAssign(
            target=ast.Name(id=v), op=ast.Add(), value=ast.Call(func=func, args=[e, ast.Name() as x], keywords=[])
        ) if v in flow.zeros and v not in flow.user and flow.resolve(func) is runtime.spread:
            if flow.of(e) == FLOAT and _is_like(flow.env.get(v), flow.of(x)):
                full = expression("np.full(x.shape, e)", np=flow.use(np, "np"), x=x, e=flow.rewritten(e))
                return flow.statement(at(ast.Assign([ast.Name(v, ast.Store())], full), s))
    return None


def _is_like(adjoint: Kind | None, x: Kind) -> bool:
    """Whether an adjoint has the axes of an array of floats."""
    if not isinstance(adjoint, Number) or not isinstance(x, Number) or adjoint.dtype != "f8" or x.dtype != "f8":
        return False
    return adjoint.rank == x.rank > 0 and all(map(alike, adjoint.axes, x.axes))


def plain_zeros(target: ast.expr, value: ast.expr, flow: Flow) -> ast.expr:
    """`np.zeros(x.shape)` for the shadow of an array with one axis, where nothing asks how it lies in memory."""
    match target, value:
        case ast.Name(id=v), ast.Call(func=func, args=[ast.Name() as x], keywords=[]) if v not in flow.handed:
            kind = flow.of(x)
            if flow.resolve(func) is runtime.shadow and isinstance(kind, Number) and kind.real and kind.rank == 1:
                return flow.known.zeros(x, kind) or value
    return value


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


def begun_by_zeros(body: Body, resolve: Callable[[ast.expr], Any]) -> set[str]:
    """Variables whose adjoints are zero when the backward pass begins: they are then what they were at last.

    Elsewhere a variable may not have its value back where only its adjoint is begun: a list may have another length.
    """
    made = [n.args[0] for s in body for n in walk(s) if _makes_zero(n, resolve)]  # type: ignore[attr-defined]
    forward = takewhile(lambda s: not any(isinstance(n, ast.Attribute) and n.attr == "pop" for n in walk(s)), body)
    first = {s.value.args[0] for s in forward if isinstance(s, ast.Assign) and _makes_zero(s.value, resolve)}  # type: ignore[attr-defined]
    found = {e.id for e in first if isinstance(e, ast.Name)}
    return found - {e.id for e in made if isinstance(e, ast.Name) and e not in first}


def _makes_zero(n: ast.AST, resolve: Callable[[ast.expr], Any]) -> bool:
    return isinstance(n, ast.Call) and len(n.args) == 1 and resolve(n.func) is runtime.lazy_zero
