"""Functions of libraries, and methods that fill arrays, are called by the names that libraries give them.

add, put = np.add, a.fill
add(x, y, a)                ->   np.add(x, y, a)
put(v)                           a.fill(v)
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
    filling = {v: e for v, e in _named(f) if _is_filling(e, context) and _only_called(v, f)}
    found = {v: e for v, e in _named(f) if _is_function(e, context)} | filling
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

    made = rebuild(f, call)
    gone = filling.keys() & known.keys()
    return replace(made, body=[s for s in made.body if not _binds(s, gone)]) if gone else made


def _is_filling(e: ast.expr, context: Context) -> bool:
    """Whether an expression is a method, of an array that is not bound anew, which fills it."""
    match e:
        case ast.Attribute(value=ast.Name(id=a), attr="fill" | "sort" | "put" | "partition"):
            return a in context.scope.local and bindings(context.source.tree)[a] == 1
        case _:
            return False


def _only_called(v: str, f: ast.FunctionDef) -> bool:
    """Whether a variable that one statement binds is only called."""
    called = {n.func for n in walk(f) if isinstance(n, ast.Call)}
    reads = [n for n in walk(f) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load)]
    return any(_binds(s, {v}) for s in f.body) and all(n in called for n in reads)


def _binds(s: ast.stmt, names: set[str]) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)]):
            return v in names
        case _:
            return False


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
