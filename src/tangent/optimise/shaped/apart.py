"""Adjoints of tuples that are put together and taken apart again.

bt = (bu, bv)              ->
bx = bt[0] * y                   bx = bu * y
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.syntax.rebuild import rebuild, replace, statements, with_blocks
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk


def apart(body: Body) -> Body:
    """Without such tuples, where each of their items has a name that stays what it is."""

    def block(inner: Body) -> Body:
        for i, s in enumerate(inner):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Tuple(elts=parts)):
                    if _stay(parts, v, inner[i + 1 :]) and _is_only_taken_apart(v, inner[i + 1 :], body):
                        return block([*inner[:i], *(_without(x, v, parts) for x in inner[i + 1 :])])
                case _:
                    pass
        return [with_blocks(s, block) if isinstance(s, (ast.If, ast.For, ast.While)) else s for s in inner]

    return block(body)


def _is_only_taken_apart(v: str, rest: Body, body: Body) -> bool:
    """Whether a name is bound once, and then only read by `v[k]`, behind that in its block."""
    if sum(v in writes(s) for s in statements(body)) != 1:
        return False
    nodes = [n for s in rest for n in walk(s)]
    reads = sum(isinstance(n, ast.Name) and n.id == v for n in nodes)
    items = sum(_is_item(n, v) for n in nodes)
    everywhere = sum(isinstance(n, ast.Name) and n.id == v for s in body for n in walk(s))
    return reads == items and everywhere == reads + 1 and not any(isinstance(s, ast.While) for s in rest)


def _is_item(n: ast.AST, v: str) -> bool:
    match n:
        case ast.Subscript(value=ast.Name(id=w), slice=ast.Constant(value=int())):
            return w == v
        case _:
            return False


def _stay(parts: list[ast.expr], v: str, rest: Body) -> bool:
    """Whether all items are names, or constants, that are bound to nothing else as long as they are read."""
    if not all(isinstance(e, (ast.Name, ast.Constant)) for e in parts):
        return False
    names = {e.id for e in parts if isinstance(e, ast.Name)}
    inside = [x for s in rest for x in statements([s])]
    last = max((i for i, s in enumerate(inside) if v in header_reads(s)), default=-1)
    return not any(names.intersection(writes(s)) for s in inside[:last])


def _without(s: ast.stmt, v: str, parts: list[ast.expr]) -> ast.stmt:
    def item(e: ast.expr) -> ast.expr:
        if _is_item(e, v):
            k = e.slice.value  # type: ignore[attr-defined]
            return parts[k] if -len(parts) <= k < len(parts) else e
        return e

    if isinstance(s, (ast.If, ast.For)):
        new = with_blocks(s, lambda inner: [_without(x, v, parts) for x in inner])
        return replace(new, test=rebuild(s.test, item)) if isinstance(s, ast.If) else new
    return rebuild(s, item)
