"""Decorators of nested functions are called: the function behind gets a name of its own.

@repeat(3)                    decorate = repeat(3)
def step(v):                  def step_plain(v):
    return v * x        ->        return v * x
                              step = decorate(step_plain)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks


def decorated(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Call the decorators."""
    if not any(isinstance(n, ast.FunctionDef) and n.decorator_list for n in walk_scope(f)):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.FunctionDef(name=v, decorator_list=[_, *_] as decorators):
            return _called(s, v, decorators, context)
        case ast.FunctionDef() | ast.ClassDef():
            return [s]
        case _:
            return [with_blocks(s, lambda body: _block(body, context))]


def _called(s: ast.FunctionDef, v: str, decorators: list[ast.expr], context: Context) -> list[ast.stmt]:
    """Decorators are evaluated first, from the top, and called last, from the bottom."""
    before: list[ast.stmt] = []
    held: list[ast.expr] = []
    for d in decorators:
        if isinstance(d, (ast.Name, ast.Attribute)):
            held.append(d)
        else:
            maker = context.names.numbered("decorate")
            context.scope.local.add(maker)
            before.append(assign(maker, d, s))
            held.append(name(maker))
    inner = context.names.numbered(f"{v}_plain")
    value: ast.expr = name(inner)
    for d in reversed(held):
        value = ast.copy_location(ast.Call(d, [value], []), d)
    context.scope.local.add(inner)
    return [*before, replace(s, name=inner, decorator_list=[]), assign(v, value, s)]
