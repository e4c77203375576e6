"""What was computed here, and nothing else refers to, needs no copy to be returned, or to be written into.

bb = bz.sum(axis=0)             bb = bz.sum(axis=0)
return bw, bb.copy()      ->    return bw, bb

bu = bu.copy()
bu[1:] += bt              ->    bu[1:] += bt
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from tangent.optimise.context import Body
from tangent.optimise.held import Resolve, holds, is_new, keeps
from tangent.syntax.rebuild import exchanged, rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk


def owned(body: Body, parameters: Collection[str], resolve: Resolve) -> Body:
    if not body or not isinstance(last := body[-1], ast.Return) or last.value is None:
        return body
    copies = {s: v for s in statements(body) if (v := _copied(s)) and v not in parameters}
    alone = {v for v in set(copies.values()) if _is_alone(v, body[:-1], resolve)}
    rest = exchanged(body[:-1], {s: None for s, v in copies.items() if v in alone})

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]) if is_new(inner, resolve):
                return inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as inner, attr="copy"), args=[]):
                once = sum(isinstance(n, ast.Name) and n.id == v for n in walk(last)) == 1
                return inner if once and v not in parameters and _is_alone(v, rest, resolve) else e
            case _:
                return e

    return [*rest, replace(last, value=rebuild(last.value, change))]


def _copied(s: ast.stmt) -> str:
    """The array that a statement replaces by a copy of it."""
    match s:
        case ast.Assign(
            targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=w), attr="copy"), args=[])
        ) if v == w:
            return v
        case _:
            return ""


def _is_alone(v: str, body: Body, resolve: Resolve) -> bool:
    """Whether a name is bound to new arrays only, and these to no other name."""
    made = [s for s in statements(body) if v in writes(s)]
    if any(isinstance(s, ast.For) and keeps(s.iter, v, resolve) for s in statements(body)):
        return False
    for s in made:
        if isinstance(s, ast.AugAssign):
            continue
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name) or not is_new(s.value, resolve):
            return False
    return bool(made) and not any(holds(s, v, resolve) for s in statements(body))
