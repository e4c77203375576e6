"""Parts of a list that is taken apart: Numba makes no tuples of lists, and needs none to read their items.

parts = tuple(bout)                   bx = bout[0]
bx = parts[0]                  ->     by = bout[1]
by = parts[1]
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes

Resolve = Callable[[ast.expr], Any]


def without_tuples(tree: ast.FunctionDef, resolve: Resolve) -> ast.FunctionDef:
    """Items of `tuple(x)` are items of x, where nothing else is done with the tuple, nor with what it is made of."""
    made = {v: e for v, e in _made(tree, resolve).items() if _only_taken_apart(v, tree)}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=int())) if _is_tuple(call, resolve):
                return replace(e, value=call.args[0])
            case _:
                return e

    def plain(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if v in made:
                return replace(s, value=made[v])
            case ast.If(body=then, orelse=other):
                return replace(s, body=[plain(x) for x in then], orelse=[plain(x) for x in other])
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=[plain(x) for x in inner])
            case _:
                return s

    return replace(tree, body=[rebuild(plain(s), change) for s in tree.body])


def _made(tree: ast.FunctionDef, resolve: Resolve) -> dict[str, ast.expr]:
    """Names that are set once, to the tuple of what a call gives, or of an argument that nobody writes into."""
    times = Counter(v for s in statements(tree.body) for v in writes(s))
    found: dict[str, ast.expr] = {}
    for s in statements(tree.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(args=[x]) as call) if times[v] == 1 and _is_tuple(
                call, resolve
            ):
                if isinstance(x, ast.Call) or (isinstance(x, ast.Name) and _only_read(x.id, tree)):
                    found[v] = x
    return found


def _is_tuple(call: ast.Call, resolve: Resolve) -> bool:
    one = len(call.args) == 1 and not call.keywords
    return one and isinstance(call.func, ast.Name) and resolve(call.func) is tuple


def _only_taken_apart(v: str, tree: ast.FunctionDef) -> bool:
    """Whether a name is only read as `v[0]`."""
    nodes = list(ast.walk(tree))
    reads = sum(isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load) for n in nodes)
    items = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == v]
    return reads == len(items) and all(
        isinstance(n.ctx, ast.Load) and isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, int)
        for n in items
    )


def _only_read(v: str, tree: ast.FunctionDef) -> bool:
    """Whether nothing but `tuple(v)` and checks of it mention an argument."""
    nodes = list(ast.walk(tree))
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "tuple"]
    inside = sum(isinstance(a, ast.Name) and a.id == v for n in calls for a in n.args)
    return inside == sum(isinstance(n, ast.Name) and n.id == v for n in nodes)
