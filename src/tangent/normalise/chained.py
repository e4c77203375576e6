"""A `ChainMap` of dicts that do not change is a dict, where it is only read.

c = ChainMap(own, {"a": 1.0})   ->   c = {**{"a": 1.0}, **own}
"""

from __future__ import annotations

import ast
from collections import ChainMap

from tangent.normalise.context import Context
from tangent.syntax.captured import bindings
from tangent.syntax.rebuild import rebuild, walk_scope
from tangent.syntax.walk import walk

READING = frozenset("get items keys values".split())
ASKING = frozenset("len sum dict list sorted max min iter".split())


def chained(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Only of variables that are never anything else; others are refused where they are made."""
    made = {
        n.targets[0].id: n.value for n in walk_scope(f)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and _is_chain(n.value, context)
    }  # fmt: skip
    if not made:
        return f
    once, read = bindings(f), _only_read(f, context)
    known = {e for v, e in made.items() if once[v] == 1 and v in read and all(_stays(a, once, read) for a in _maps(e))}

    def change(e: ast.expr) -> ast.expr:
        if e not in known:
            return e
        maps = _maps(e)
        return ast.copy_location(ast.Dict([None for _ in maps], list(reversed(maps))), e)

    return rebuild(f, change)


def _is_chain(e: ast.expr, context: Context) -> bool:
    plain = isinstance(e, ast.Call) and not e.keywords and not any(isinstance(a, ast.Starred) for a in e.args)
    return plain and isinstance(e, ast.Call) and context.scope.resolve(e.func) is ChainMap


def _maps(e: ast.expr) -> list[ast.expr]:
    assert isinstance(e, ast.Call)
    return e.args


def _stays(a: ast.expr, once: dict[str, int], read: set[str]) -> bool:
    """Whether nobody changes what a chain looks into."""
    return isinstance(a, (ast.Dict, ast.DictComp)) or (isinstance(a, ast.Name) and once[a.id] <= 1 and a.id in read)


def _only_read(f: ast.FunctionDef, context: Context) -> set[str]:
    """Variables that are asked for items, and nothing else."""
    fine: set[ast.AST] = set()
    for n in walk(f):
        match n:
            case ast.Subscript(value=value, ctx=ast.Load()) | ast.comprehension(iter=value) | ast.For(iter=value):
                fine.add(value)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in READING:
                fine.add(value)
            case ast.Call(func=ast.Name(id=v), args=args) if v in ASKING or _is_chain(n, context):
                fine.update(args)
            case ast.Call(args=args) if _is_chain(n, context):
                fine.update(args)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
                fine.add(value)
            case ast.Dict(keys=keys, values=values):
                fine.update(v for k, v in zip(keys, values) if k is None)
    uses = [n for n in walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in uses} - {n.id for n in uses if n not in fine}
