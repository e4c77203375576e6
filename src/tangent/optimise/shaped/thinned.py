"""Sums that are spread over an array only to meet operands of its shape are left as they are.

b = spread(e, x)                b = e
bx = b * x              ->      bx = b * x
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import UNKNOWN, Kind, Number, alike, broadcast
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk

if TYPE_CHECKING:
    from tangent.optimise.shaped.flow import Flow


def thinned(body: Body, i: int, flow: Flow) -> ast.stmt:
    """`b = spread(e, x)` as `b = e` where arithmetic spreads it anyway, wherever b is read."""
    s = body[i]
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(args=[_, _, *_], keywords=[]) as call) if (
            flow.resolve(call.func) is runtime.spread and v not in flow.user
        ):
            found = flow.known.thin(flow.rewritten(call))
            kind, whole = (UNKNOWN, UNKNOWN) if found is None else (flow.of(found), flow.of(call.args[1]))
            if found is not None and isinstance(whole, Number) and isinstance(kind, Number):
                others = _operands(v, body[i + 1 :], flow.times[v])
                if others and all(_spreads(kind, flow.of(e), whole) for e in others):
                    return replace(s, value=found)
    return s


def _spreads(thin: Kind, other: Kind, whole: Number) -> bool:
    """Whether arithmetic with an operand gives the whole shape."""
    found = broadcast(thin, other)
    if not isinstance(found, Number) or found.dtype != whole.dtype or found.rank != whole.rank:
        return False
    return all(map(alike, found.axes, whole.axes))


def _operands(v: str, body: Body, times: int) -> list[ast.expr]:
    """What a name meets in arithmetic, in statements behind its definition; nothing where it is read otherwise."""
    found: list[ast.expr] = []
    changed: set[str] = set()
    for s in body:
        if isinstance(s, (ast.If, ast.For, ast.While)) or v in changed:
            break
        for n in walk(s):
            if isinstance(n, ast.BinOp) and isinstance(n.op, (ast.Mult, ast.Add, ast.Sub, ast.Div)):
                sides = [_unsigned(n.left), _unsigned(n.right)]
                met = [other for x, other in zip(sides, sides[::-1]) if isinstance(x, ast.Name) and x.id == v]
                if any(expression_reads(e) & (changed | {v}) for e in met):
                    return []
                found += met
        changed |= set(writes(s))
    return found if len(found) == times else []


def _unsigned(e: ast.expr) -> ast.expr:
    return e.operand if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) else e
