"""Defaults of functions that are differentiated here are what these functions capture.

grad(lambda u, k=k: u ** k * x)(x)    ->    grad((lambda k: lambda u: u ** k * x)(k))(x)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk


def fixed(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Fix the defaults of lambdas whose derivatives are asked for, and nothing else."""
    calls = [n for n in walk(f) if isinstance(n, ast.Call) and n.args and _derives(n, context)]
    asked = {n.args[0] for n in calls}
    if not asked:
        return f
    held = {v for v in _lambdas(f) if all(n in asked for n in _loads(f, v))}
    whole = {n.value for n in walk_scope(f) if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
             and n.targets[0].id in held}  # fmt: skip
    wanted = {n for n in asked | whole if isinstance(n, ast.Lambda) and _has_computed(n, context)}
    return rebuild(f, lambda e: _made(e) if e in wanted and isinstance(e, ast.Lambda) else e) if wanted else f


def _derives(e: ast.Call, context: Context) -> bool:
    return bool(getattr(context.scope.resolve(e.func), "makes_derivatives", False))


def _lambdas(f: ast.FunctionDef) -> set[str]:
    assigned = [n for n in walk_scope(f) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)]
    return {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)}


def _loads(f: ast.FunctionDef, v: str) -> list[ast.AST]:
    return [n for n in walk(f) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load)]


def _has_computed(e: ast.Lambda, context: Context) -> bool:
    a = e.args
    plain = not (a.posonlyargs or a.vararg or a.kwonlyargs or a.kwarg) and len(a.defaults) < len(a.args)
    reads = {v for d in a.defaults for v in expression_reads(d)}
    return plain and any(context.scope.lookup(v) is MISSING for v in reads)


def _made(e: ast.Lambda) -> ast.expr:
    """A function that is given the defaults gives the function."""
    count = len(e.args.args) - len(e.args.defaults)
    inner = replace(e, args=replace(e.args, args=e.args.args[:count], defaults=[]))
    given = replace(e.args, args=e.args.args[count:], defaults=[])
    outer = ast.copy_location(ast.Lambda(given, inner), e)
    return ast.copy_location(ast.Call(outer, list(e.args.defaults), []), e)
