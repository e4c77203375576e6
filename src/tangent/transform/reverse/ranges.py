"""Ranges of which a loop has taken the first steps only."""

from __future__ import annotations

import ast

from tangent.syntax.core import is_plain_range
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import replace


def first_steps(e: ast.expr, trips: str) -> ast.expr | None:
    """The first steps of a range, as a range; None of one with steps that is reversed.

    >>> for e in ("range(b)", "range(a, b)", "range(a, b, -1)", "range(a, b, c)", "reversed(range(b))"):
    ...     print(ast.unparse(first_steps(expression(e), "n")))
    range(n)
    range(a, a + n)
    range(a, a - n, -1)
    range(a, a + n * c, c)
    range(b - 1, b - 1 - n, -1)
    """
    assert isinstance(e, ast.Call)
    if not is_plain_range(e):
        return _last_steps(e.args[0], trips)
    match e.args:
        case [start, _]:
            args = [start, expression("a + n", a=start, n=trips)]
        case [start, _, ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) as step]:
            args = [start, expression("a - n", a=start, n=trips), step]
        case [start, _, step]:
            args = [start, expression("a + n * c", a=start, n=trips, c=step), step]
        case _:
            args = [name(trips)]
    return replace(e, args=args)


def _last_steps(e: ast.expr, trips: str) -> ast.expr | None:
    """The last steps of a range, from its end."""
    match e:
        case ast.Call(args=[stop] | [_, stop]) if is_plain_range(e):
            first, last = expression("b - 1", b=stop), expression("b - 1 - n", b=stop, n=trips)
            return replace(e, args=[first, last, expression("-1")])
        case _:
            return None
