"""Tuples of the numbers in an array, of which items are read by number, are copies of the array: Numba has no others.

parts = tuple(b)            ->   parts = b.copy()
bx = parts[0] * 2.0              bx = parts[0] * 2.0
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import rebuild, statements
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated


def tuples(g: Generated, found: Inference) -> list[ast.stmt]:
    """The body of a function with such tuples replaced."""
    assert g.tree is not None
    body = g.tree.body
    made = {v: call for s in statements(body) for v, call in _made(s, g, found)}
    if not made:
        return body
    reads: Counter[str] = Counter()
    for n in (n for s in body for n in walk(s)):
        match n:
            case ast.Subscript(value=ast.Name(id=v), slice=ast.Constant()):
                reads[v] -= 1
            case ast.Name(id=v, ctx=ast.Load()):
                reads[v] += 1
    calls = [call for v, call in made.items() if not reads[v]]

    def change(e: ast.expr) -> ast.expr:
        return expression("b.copy()", b=e.args[0]) if isinstance(e, ast.Call) and e in calls else e

    return [rebuild(s, change) for s in body]


def _made(s: ast.stmt, g: Generated, found: Inference) -> Iterator[tuple[str, ast.Call]]:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func, args=[b], keywords=[]) as call):
            kind = found.of(b, g)
            if found.resolve(func, g) is tuple and isinstance(kind, Number) and kind.rank == 1:
                yield v, call
