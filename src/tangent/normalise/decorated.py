"""Decorators of nested functions are called: what they give gets a name of its own.

@repeat(3)                    decorate = repeat(3)
def step(v):                  def step(v):
    return v * x        ->        return v * x
                              step_decorated = decorate(step)
y = step(x)                   y = step_decorated(x)

So the function behind has the name that it says (`f.__name__`). Where the name is bound elsewhere, too, it has another.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.captured import bindings, declared
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments


def decorated(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Call the decorators."""
    found = [n for n in walk_scope(f) if isinstance(n, ast.FunctionDef) and n.decorator_list]
    if not found:
        return f
    once, shared = bindings(f), declared(f) | {a.arg for a in arguments(f.args)}
    alone = [n.name for n in found if once[n.name] == 1 and n.name not in shared]
    given = {v: context.names.numbered(f"{v}_decorated") for v in alone}
    context.scope.local |= set(given.values())
    return replace(f, body=_block([rename(s, given) for s in f.body], given, context))


def _block(body: list[ast.stmt], given: dict[str, str], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, given, context)]


def _statement(s: ast.stmt, given: dict[str, str], context: Context) -> list[ast.stmt]:
    match s:
        case ast.FunctionDef(decorator_list=[_, *_] as decorators):
            return _called(s, given.get(s.name, ""), decorators, context)
        case ast.FunctionDef() | ast.ClassDef():
            return [s]
        case _:
            return [with_blocks(s, lambda body: _block(body, given, context))]


def _called(s: ast.FunctionDef, given: str, decorators: list[ast.expr], context: Context) -> list[ast.stmt]:
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
    inner = s.name if given else context.names.numbered(f"{s.name}_plain")
    value: ast.expr = name(inner)
    for d in reversed(held):
        value = ast.copy_location(ast.Call(d, [value], []), d)
    context.scope.local.add(inner)
    return [*before, replace(s, name=inner, decorator_list=[]), assign(given or s.name, value, s)]
