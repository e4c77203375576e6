"""Arrays that are updated by what may lie in their own memory: Numba would read what it has written already.

b[1:] -= b[:-1]                 ->   b[1:] -= b[:-1].copy()
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tangent.optimise.typed.aliases import made_here, shared_by
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number, Unknown
from tangent.syntax.quote import call, expression
from tangent.syntax.rebuild import replace
from tangent.transform.generated import Generated


def overlap(body: list[ast.stmt], g: Generated, found: Inference, apart: Callable[[], str]) -> list[ast.stmt]:
    """`apart` gives the name of what copies arrays alone, for values that may be something else."""
    own = made_here(body, g, found)

    def change(s: ast.AugAssign) -> ast.expr:
        kind, base = found.of(s.value, g), _base(s.target)
        names = shared_by(s.value, g, found)
        if not any(v == base or not (v in own or base in own) for v in names):
            return s.value
        match kind:
            case Number(rank=0):
                return s.value
            case Number():
                return expression("e.copy()", e=s.value)
            case None | Unknown():
                return call(apart(), s.value)
            case _:
                return s.value

    return _updated(body, change)


def _updated(body: list[ast.stmt], change: Callable[[ast.AugAssign], ast.expr]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.AugAssign():
                done.append(replace(s, value=change(s)))
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_updated(then, change), orelse=_updated(other, change)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_updated(inner, change)))
            case _:
                done.append(s)
    return done


def _base(target: ast.expr) -> str:
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""
