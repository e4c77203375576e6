"""Lists that grew, and whose place another list takes which was filled for that: the variable is bound to a copy.

vs = []                                   vs = []
for x in xs: vs.append(x)                 for x in xs: vs.append(x)
for _ in range(n):                        for _ in range(n):
    parts = []                                parts = []
    for v in vs: parts.append(v * v)   ->     for v in vs: parts.append(v * v)
    vs = parts                                vs = [*parts]

So each list has one name, and those that grow need no memory of who else holds them.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.walk import walk


def renewed(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Copy lists where they take the place of others that grew."""
    if context.memory:
        return f
    grown = {v for n in walk_scope(f) if (v := _grown(n))}
    named = [n.id for n in walk(f) if isinstance(n, ast.Name)]

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [_copied(s, body[:i]) for i, s in enumerate([with_blocks(s, block) for s in body])]

    def _copied(s: ast.stmt, before: list[ast.stmt]) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w) as value) if v != w and {v, w} <= grown:
                made = [i for i, x in enumerate(before) if _begins(x, w)]
                here = [n for x in before[made[-1] :] for n in walk(x)] if made else []
                uses = sum(isinstance(n, ast.Name) and n.id == w for n in here)
                return replace(s, value=expression("[*w]", w=value)) if uses + 1 == named.count(w) else s
            case _:
                return s

    return replace(f, body=block(f.body)) if grown else f


def _grown(n: ast.AST) -> str:
    match n:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"))):
            return v
        case _:
            return ""


def _begins(s: ast.stmt, v: str) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name(id=w)], value=ast.List(elts=[])):
            return v == w
        case _:
            return False
