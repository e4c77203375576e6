"""Functions without a name that are handed to others which only call them get one, so that they can be taken out.

y = newton(lambda x: x * x - a, 1.0)    ->    def f(x): return x * x - a
                                              y = newton(f, 1.0)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.handed import handed
from tangent.normalise.lifting import lifted_by_name
from tangent.normalise.named import definition
from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, replace, walk_scope, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk


def closures(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Name the lambdas that lifting can take out then."""
    inherited = getattr(context.source.function, "lifted", {})
    bound = {a.arg for a in arguments(f.args)} | assigned_inside(f.body)
    context.lifted = {v: g for v, g in inherited.items() if v not in bound}
    for v, g in context.lifted.items():
        context.scope.externals[v] = g.function
    if context.memory or not any(isinstance(n, ast.Lambda) for n in walk_scope(f)):
        return f
    lambdas = _candidates(f, context)
    while lambdas:
        names = dict(zip(_named(lambdas, f, context), lambdas))
        new = _with(f, names)
        taken = lifted_by_name(new, context)
        if taken.keys() >= names.keys():
            context.names.taken |= names.keys()
            context.scope.local |= names.keys()
            return new
        lambdas = {e: p for v, (e, p) in zip(names, lambdas.items()) if v in taken}
    return f


def _candidates(f: ast.FunctionDef, context: Context) -> dict[ast.Lambda, str]:
    """Lambdas that are handed on and capture variables, also under a name, with names for them."""
    own, once = own_variables(f), bindings(f)
    repeated = {n for c in walk_scope(f) if isinstance(c, COMPREHENSIONS) for n in walk(c)}
    found: dict[ast.Lambda, str] = {}
    given = {a.id for _, _, a in handed(f, context.scope, context.has_rule) if isinstance(a, ast.Name)}
    for s in walk_scope(f):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Lambda() as e) if v in given and once[v] == 1:
                found[e] = v
    for _, p, a in handed(f, context.scope, context.has_rule):
        if isinstance(a, ast.Lambda) and a not in repeated:
            found[a] = p
    return {e: p for e, p in found.items() if expression_reads(e) & own}


def _named(lambdas: dict[ast.Lambda, str], f: ast.FunctionDef, context: Context) -> list[str]:
    """Names for lambdas: their own, or those of the parameters that they are given to."""
    taken = set(context.names.taken)
    found = []
    assigned = {s.value for s in walk_scope(f) if isinstance(s, ast.Assign)}
    for e, p in lambdas.items():
        v, n = p, 2
        while v in taken and e not in assigned:
            v, n = f"{p}{n}", n + 1
        taken.add(v)
        found.append(v)
    return found


def _with(f: ast.FunctionDef, names: dict[str, ast.Lambda]) -> ast.FunctionDef:
    """The function with definitions of such names."""
    places = {e: v for v, e in names.items()}
    first: list[ast.stmt] = []

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body]

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Lambda() as e) if names.get(v) is e:
                del places[e]
                return definition(v, e, s)
            case _:
                return with_blocks(s, block)

    body = block(f.body)
    for e, v in places.items():
        first.append(definition(v, e, e))
    known = {e: name(v) for e, v in places.items()}
    body = [
        rebuild(s, lambda e: ast.copy_location(known[e], e) if isinstance(e, ast.Lambda) and e in known else e)
        for s in body
    ]
    return replace(f, body=[*first, *body])
