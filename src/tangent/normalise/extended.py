"""Lists that are joined to by what a call gives: `+=` extends them.

out = []                          out = []
out += layer.parameters()   ->    out.extend(layer.parameters())

Not where an array is added: a list and an array make an array.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.source.naming import home_of
from tangent.syntax.captured import bindings
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import target_names


def extended(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Extend lists that are known as such where `+=` does not say what it joins."""
    if not any(isinstance(n, ast.AugAssign) and isinstance(n.value, ast.Call) for n in walk_scope(f)):
        return f
    lists = _lists(f)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body]

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.AugAssign(target=ast.Name(id=v), op=ast.Add(), value=ast.Call(func=func) as value) if (
                v in lists and not home_of(context.scope.resolve(func)).startswith("numpy")
            ):
                method = ast.copy_location(ast.Attribute(name(v), "extend", ast.Load()), s)
                return at(ast.Expr(ast.copy_location(ast.Call(method, [value], []), s)), s)
            case ast.FunctionDef() | ast.ClassDef():
                return s
            case _:
                return with_blocks(s, block)

    return replace(f, body=block(f.body)) if lists else f


def _lists(f: ast.FunctionDef) -> set[str]:
    """Variables that are bound to empty lists, and to nothing else."""
    made: dict[str, int] = {}
    for n in walk_scope(f):
        match n:
            case (
                ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[]))
                | ast.AugAssign(target=ast.Name(id=v), op=ast.Add())
            ):
                made[v] = made.get(v, 0) + 1
    once = bindings(f)
    assigned = {v for n in walk_scope(f) if isinstance(n, ast.Assign) for v in target_names(n.targets[0])}
    said = {v for n in walk_scope(f) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}
    return {v for v, count in made.items() if count == once[v] and v in assigned} - said
