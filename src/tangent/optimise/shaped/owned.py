"""What is returned is nobody else's: an array that was computed here, and that nothing refers to, needs no copy.

bb = bz.sum(axis=0)             bb = bz.sum(axis=0)
return bw, bb.copy()      ->    return bw, bb
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.optimise.held import Resolve, holds, is_new
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk


def owned(body: Body, resolve: Resolve) -> Body:
    if not body or not isinstance(last := body[-1], ast.Return) or last.value is None:
        return body
    rest = body[:-1]

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]) if is_new(inner, resolve):
                return inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as inner, attr="copy"), args=[]):
                return inner if _is_alone(v, rest, last, resolve) else e
            case _:
                return e

    return [*rest, replace(last, value=rebuild(last.value, change))]


def _is_alone(v: str, body: Body, last: ast.stmt, resolve: Resolve) -> bool:
    """Whether a name is bound to new arrays only, and these to no other name."""
    made = [s for s in statements(body) if v in writes(s)]
    for s in made:
        if isinstance(s, ast.AugAssign):
            continue
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name) or not is_new(s.value, resolve):
            return False
    held = sum(1 for n in walk(last) if isinstance(n, ast.Name) and n.id == v)
    return bool(made) and held == 1 and not any(holds(s, v, resolve) for s in statements(body))
