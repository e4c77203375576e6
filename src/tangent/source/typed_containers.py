"""Lists and dicts of `numba.typed` are those of Python: what they hold has one type, and that is all.

xs = numba.typed.List()                      ->   xs = []
ys = numba.typed.List(xs)                    ->   ys = [*xs]
d = numba.typed.Dict.empty(int64, float64)   ->   d = {}
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from tangent.source.made_once import meaning
from tangent.syntax.rebuild import rebuild
from tangent.syntax.walk import walk


def with_plain_containers(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition with displays in their place."""
    typed = sys.modules.get("numba.typed")
    if typed is None or not any(isinstance(n, ast.Call) for n in walk(tree)):
        return tree
    made: list[tuple[Any, type[ast.List | ast.Dict]]] = [(typed.List, ast.List), (typed.Dict, ast.Dict)]

    def display(func: ast.expr) -> type[ast.List | ast.Dict] | None:
        found = _meant(func, tree, function)
        return next((kind for container, kind in made if found is container), None)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=owner, attr="empty_list" | "empty")) if kind := display(owner):
                return ast.copy_location(_filled(kind, []), e)
            case ast.Call(func=func, args=args, keywords=[]) if len(args) < 2 and (kind := display(func)):
                return ast.copy_location(_filled(kind, args), e)
            case _:
                return e

    return rebuild(tree, change)


def _filled(kind: type[ast.List | ast.Dict], given: list[ast.expr]) -> ast.expr:
    if kind is ast.Dict:
        return ast.Dict([None for _ in given], given)
    return ast.List([ast.copy_location(ast.Starred(e, ast.Load()), e) for e in given], ast.Load())


def _meant(e: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> Any:
    """What a name of the module stands for, or an attribute of modules in it."""
    match e:
        case ast.Attribute(value=ast.Attribute() as inner, attr=attr):
            module = _meant(inner, tree, function)
            return getattr(module, attr, None) if isinstance(module, types.ModuleType) else None
        case _:
            return meaning(e, tree, function)
