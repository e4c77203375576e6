"""Copies of lists and dicts that are made here are said to be what they are: they hold the same items.

xs = [a, b]; ys = xs.copy()     ->   ys = list(xs)
d = {"w": a}; e = copy.copy(d)  ->   e = dict(d)
"""

from __future__ import annotations

import ast
import copy

from tangent.normalise.context import Context
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, walk_scope
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk

MADE = {ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict"}


def copies(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Only of variables that are never anything else."""
    if context.memory or not any(_copied(e, context) for e in walk(f)):
        return f
    kinds = _kinds(f, context)

    def change(e: ast.expr) -> ast.expr:
        v = _copied(e, context)
        if v is None or v not in kinds:
            return e
        return ast.copy_location(ast.Call(name(context.builtin(kinds[v])), [name(v)], []), e)

    return rebuild(f, change)


def _copied(e: ast.AST, context: Context) -> str | None:
    """The variable that is copied."""
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="copy"), args=[], keywords=[]):
            return v if v in context.scope.local else None
        case ast.Call(func=func, args=[ast.Name(id=v)], keywords=[]) if context.scope.resolve(func) is copy.copy:
            return v
        case _:
            return None


def _kinds(f: ast.FunctionDef, context: Context) -> dict[str, str]:
    """Variables that are lists or dicts wherever they are bound."""
    assigned: dict[str, list[ast.expr]] = {}
    plain: set[ast.AST] = set()
    for n in walk_scope(f):
        if isinstance(n, ast.Assign) and all(isinstance(t, ast.Name) for t in n.targets):
            for t in n.targets:
                assert isinstance(t, ast.Name)
                assigned.setdefault(t.id, []).append(n.value)
                plain.add(t)
    others = {n.id for n in walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in plain}
    others |= {a.arg for a in arguments(f.args)}
    assigned = {v: values for v, values in assigned.items() if v not in others}
    found: dict[str, str] = {}
    size = -1
    while size != (size := len(found)):
        known = {v: {_kind(e, found, context) for e in values} - {None} for v, values in assigned.items()}
        found |= {v: str(kinds.pop()) for v, kinds in known.items() if len(kinds) == 1 and v not in found}
    while wrong := [v for v, kind in found.items() if {_kind(e, found, context) for e in assigned[v]} != {kind}]:
        for v in wrong:
            del found[v]
    return found


def _kind(e: ast.expr, known: dict[str, str], context: Context) -> str | None:
    match e:
        case ast.Call(func=ast.Name(id="list" | "dict" as kind)) if context.builtin(kind) == kind:
            return kind
        case ast.Name(id=v) | ast.Subscript(value=ast.Name(id=v), slice=ast.Slice()):
            return known.get(v)
        case ast.Call(func=ast.Name(id="sorted")) if context.builtin("sorted") == "sorted":
            return "list"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            both = {_kind(left, known, context), _kind(right, known, context)}
            return "list" if both == {"list"} else None
        case ast.Call(func=func, args=[ast.Name(id=v)], keywords=[]) if context.scope.resolve(func) is copy.deepcopy:
            return known.get(v)
        case _:
            copied = _copied(e, context)
            return MADE.get(type(e)) if copied is None else known.get(copied)
