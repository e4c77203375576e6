"""Functions of libraries are called by the names that libraries give them.

add = np.add
add(x, y, a)     ->   np.add(x, y, a)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.normalise.context import Context
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.walk import walk

Pair = tuple[ast.expr, ast.expr]


def renamed(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """A function in which variables that always stand for one function of a library are not called."""
    found = {v: e for v, e in _named(f) if _is_function(e, context)}
    once = bindings(f) if found else {}
    inside = {v for n in walk(f) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not f for v in _bound(n)}
    known = {v: e for v, e in found.items() if once[v] == 1 and v not in inside | context.declared}
    if not known:
        return f

    def call(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v) as func) if v in known:
                return replace(e, func=ast.copy_location(known[v], func))
            case _:
                return e

    return rebuild(f, call)


def _named(f: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Variables that are assigned outside of branches and loops, and the paths that they are assigned."""
    for s in f.body:
        for t, e in _pairs(s):
            if isinstance(t, ast.Name) and isinstance(e, (ast.Name, ast.Attribute)):
                yield t.id, e


def _pairs(s: ast.stmt) -> Iterator[Pair]:
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Tuple(elts=parts)) if len(slots) == len(parts):
            yield from zip(slots, parts)
        case ast.Assign(targets=targets, value=value):
            yield from ((t, value) for t in targets)


def _is_function(e: ast.expr, context: Context) -> bool:
    found = context.scope.resolve(e)
    return found is not MISSING and callable(found) and not isinstance(found, type) and is_library(found)


def _bound(n: ast.FunctionDef | ast.Lambda) -> set[str]:
    """What a nested function binds."""
    parameters = {a.arg for a in walk(n.args) if isinstance(a, ast.arg)}
    return parameters | {x.id for x in walk(n) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
