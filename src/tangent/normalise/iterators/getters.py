"""`itemgetter`, `attrgetter` and `methodcaller` as lambdas."""

from __future__ import annotations

import ast
import operator
from typing import Any

from tangent.normalise.context import Context
from tangent.normalise.iterators.known import any_starred
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import replace


def getter(e: ast.Call, found: Any, context: Context) -> ast.expr | None:
    """`itemgetter(1)` as `lambda v: v[1]`; None where what it gets is not written out.

    What it is told by variables is told when it is made: `itemgetter(i)` is `lambda v, i2=i: v[i2]`.
    """
    if (e.keywords and found is not operator.methodcaller) or not e.args or any_starred(e.args):
        return None
    v = context.names.numbered("v")
    told: dict[str, ast.expr] = {}

    def part(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Constant):
            return e
        held = context.names.numbered("t")
        told[held] = e
        return name(held)

    texts = [a.value if isinstance(a, ast.Constant) else None for a in e.args]
    parts: list[ast.expr] = []
    if found is operator.itemgetter:
        parts = [expression("v[i]", v=v, i=a if isinstance(a, ast.UnaryOp) else part(a)) for a in e.args]
    elif found is operator.attrgetter and all(isinstance(t, str) for t in texts):
        parts = [expression(f"v.{t!s}", v=v) for t in texts]
    elif found is operator.methodcaller and isinstance(texts[0], str):
        if any(k.arg is None for k in e.keywords):
            return None
        named = [replace(k, value=part(k.value)) for k in e.keywords]
        parts = [ast.Call(expression(f"v.{texts[0]}", v=v), [part(a) for a in e.args[1:]], named)]
    if not parts:
        return None
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    args = ast.arguments([], [ast.arg(v), *map(ast.arg, told)], None, [], [], None, list(told.values()))
    return ast.copy_location(ast.Lambda(args, body), e)
