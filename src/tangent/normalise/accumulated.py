"""`s += v` in nested functions: `s = s + v`, where s starts as a number and is never held under another name.

An array that such a variable comes to be was made by the addition itself: nobody sees whether it changes or is new.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import children, walk

READING = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.AugAssign, ast.Slice, ast.If, ast.While)


def made_anew(f: ast.FunctionDef, rebound: Iterable[str]) -> set[str]:
    """Of the variables that nested functions rebind, those whose values nobody else holds."""
    if not (rebound := set(rebound)):
        return rebound
    parents = {child: node for node in walk(f) for child in children(node)}
    last = [s.value for s in f.body if isinstance(s, ast.Return)]
    return {v for v in rebound if all(_is_its_own(n, parents, last) for n in _mentions(f, v))}


def _mentions(f: ast.FunctionDef, v: str) -> list[ast.AST]:
    return [n for n in walk(f) if (isinstance(n, ast.Name) and n.id == v) or (isinstance(n, ast.arg) and n.arg == v)]


def _is_its_own(n: ast.AST, parents: dict[ast.AST, ast.AST], last: list[ast.expr | None]) -> bool:
    if not isinstance(n, ast.Name):
        return False
    around = parents[n]
    if isinstance(n.ctx, ast.Load):
        index = isinstance(around, ast.Subscript) and n is around.slice
        counts = isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "range"
        return isinstance(around, READING) or index or counts or n in last
    match around:
        case ast.Assign(
            targets=[ast.Name()], value=ast.Constant(value=int() | float() | complex() | None) | ast.BinOp()
        ):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.UnaryOp(op=ast.USub() | ast.UAdd())):
            return True
        case ast.Tuple(elts=elts):
            pair = parents[around]
            if not isinstance(pair, ast.Assign) or not isinstance(pair.value, ast.Tuple):
                return False
            value = pair.value.elts[elts.index(n)] if len(pair.value.elts) == len(elts) else None
            return isinstance(value, ast.Constant) and isinstance(value.value, (int, float, complex))
        case _:
            return isinstance(around, ast.AugAssign)


def rebinding(body: list[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """The statements with `s += v` as `s = s + v`, for these variables, also in functions inside."""

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.AugAssign(target=ast.Name(id=v), op=op, value=value) if v in names:
                old = ast.copy_location(name(v), s.target)
                return at(ast.Assign([s.target], ast.copy_location(ast.BinOp(old, op, value), s)), s)
            case ast.FunctionDef(body=inner):
                return replace(s, body=rebinding(inner, names))
            case _:
                return with_blocks(s, lambda block: rebinding(block, names))

    return [statement(s) for s in body] if names else body
