"""Operators and items that are spelled as methods are operators and items.

x.__getitem__(i)   ->   x[i]
x.__add__(y)       ->   x + y
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.rebuild import rebuild
from tangent.syntax.walk import walk

BINARY: dict[str, ast.operator] = {
    "__add__": ast.Add(), "__sub__": ast.Sub(), "__mul__": ast.Mult(), "__truediv__": ast.Div(), "__pow__": ast.Pow(),
    "__mod__": ast.Mod(), "__matmul__": ast.MatMult(), "__floordiv__": ast.FloorDiv(),
}  # fmt: skip
UNARY: dict[str, ast.unaryop] = {"__neg__": ast.USub(), "__pos__": ast.UAdd()}
NAMES = frozenset(("__getitem__", *BINARY, *UNARY))


def spelled(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Not of our own functions, which tell by these names what the user's classes define."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                return e
            case ast.Call(func=ast.Attribute(value=x, attr="__getitem__"), args=[index], keywords=[]):
                return ast.copy_location(ast.Subscript(x, index, ast.Load()), e)
            case ast.Call(func=ast.Attribute(value=x, attr=attr), args=[y], keywords=[]) if attr in BINARY:
                return ast.copy_location(ast.BinOp(x, BINARY[attr], y), e)
            case ast.Call(func=ast.Attribute(value=x, attr=attr), args=[], keywords=[]) if attr in UNARY:
                return ast.copy_location(ast.UnaryOp(UNARY[attr], x), e)
            case _:
                return e

    own = (context.source.function.__module__ or "").startswith("tangent.")
    named = any(isinstance(n, ast.Attribute) and n.attr in NAMES for n in walk(f))
    return rebuild(f, change) if named and not own else f
