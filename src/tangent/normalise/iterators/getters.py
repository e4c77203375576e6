"""`itemgetter`, `attrgetter` and `methodcaller` as lambdas."""

from __future__ import annotations

import ast
import operator
from typing import Any

from tangent.normalise.context import Context
from tangent.normalise.iterators.known import any_starred
from tangent.syntax.quote import expression


def getter(e: ast.Call, found: Any, context: Context) -> ast.expr | None:
    """`itemgetter(1)` as `lambda v: v[1]`; None where what it gets is not written out."""
    if (e.keywords and found is not operator.methodcaller) or not e.args or any_starred(e.args):
        return None
    v = context.names.numbered("v")
    texts = [a.value if isinstance(a, ast.Constant) else None for a in e.args]
    parts: list[ast.expr] = []
    if found is operator.itemgetter:
        if not all(isinstance(a, (ast.Constant, ast.UnaryOp)) for a in e.args):
            return None
        parts = [expression("v[i]", v=v, i=a) for a in e.args]
    elif found is operator.attrgetter and all(isinstance(t, str) for t in texts):
        parts = [expression(f"v.{t!s}", v=v) for t in texts]
    elif found is operator.methodcaller and isinstance(texts[0], str):
        if not all(isinstance(a, ast.Constant) for a in (*e.args, *(k.value for k in e.keywords))):
            return None
        parts = [ast.Call(expression(f"v.{texts[0]}", v=v), list(e.args[1:]), e.keywords)]
    if not parts:
        return None
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    args = ast.arguments([], [ast.arg(v)], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(args, body), e)
