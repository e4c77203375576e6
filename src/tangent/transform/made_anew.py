"""Lists that a loop appends to, and binds anew, too: they are made anew each time, so that one which is kept stays.

xs.append(v)                   xs = [*xs, v]
xs = xs[-2:]           ->      xs = xs[-2:]
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from tangent.analysis.operation import Operation
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import assigned_inside


def lists_made_anew(
    s: ast.For | ast.While, pushed: Collection[str], operations: Mapping[ast.stmt, Operation]
) -> tuple[ast.For | ast.While, list[ast.stmt]]:
    """The loop, and its new statements."""
    again = set(pushed) & assigned_inside(s.body)
    new: list[ast.stmt] = []

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(with_blocks(x, block)) for x in body]

    def statement(x: ast.stmt) -> ast.stmt:
        match x:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v)), args=[item])) if (
                v in again and operations[x].kind == "push"
            ):
                new.append(assign(v, ast.List([ast.Starred(name(v), ast.Load()), item], ast.Load()), x))
                return new[-1]
            case _:
                return x

    return (replace(s, body=block(s.body)) if again else s), new
