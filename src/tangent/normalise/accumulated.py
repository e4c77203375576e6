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
    counts = _counts(f)
    return {v for v in rebound if all(_is_its_own(n, parents, last, counts) for n in _mentions(f, v))}


def _counts(f: ast.FunctionDef) -> set[str]:
    """Variables that are bound once and that some loop counts to: integers."""
    counted = {
        a.id for n in walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "range"
        for a in n.args if isinstance(a, ast.Name)
    }  # fmt: skip
    return {v for v in counted if sum(_binds(n) for n in _mentions(f, v)) == 1}


def _binds(n: ast.AST) -> bool:
    return isinstance(n, ast.arg) or not isinstance(n.ctx, ast.Load)  # type: ignore[attr-defined]


def _is_count(e: ast.expr, counts: set[str]) -> bool:
    """Whether an expression is surely an integer: a length, or what a loop counts to."""
    match e:
        case ast.Name(id=v):
            return v in counts
        case ast.Call(func=ast.Name(id="len"), args=[_]) | ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case _:
            return False


def _mentions(f: ast.FunctionDef, v: str) -> list[ast.AST]:
    return [n for n in walk(f) if (isinstance(n, ast.Name) and n.id == v) or (isinstance(n, ast.arg) and n.arg == v)]


def _is_its_own(n: ast.AST, parents: dict[ast.AST, ast.AST], last: list[ast.expr | None], counts: set[str]) -> bool:
    if not isinstance(n, ast.Name):
        return False
    around = parents[n]
    if isinstance(n.ctx, ast.Load):
        index = isinstance(around, ast.Subscript) and n is around.slice
        counted = isinstance(around, ast.Call) and isinstance(around.func, ast.Name) and around.func.id == "range"
        return isinstance(around, READING) or index or counted or n in last
    match around:
        case ast.Assign(
            targets=[ast.Name()], value=ast.Constant(value=int() | float() | complex() | None) | ast.BinOp()
        ):
            return True
        case ast.Assign(targets=[ast.Name()], value=value) if _is_count(value, counts):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.UnaryOp(op=ast.USub() | ast.UAdd())):
            return True
        case ast.Tuple(elts=elts):
            pair = parents[around]
            if not isinstance(pair, ast.Assign) or not isinstance(pair.value, ast.Tuple):
                return False
            if len(pair.value.elts) != len(elts):
                return False
            value = pair.value.elts[elts.index(n)]
            number = isinstance(value, ast.Constant) and isinstance(value.value, (int, float, complex))
            return number or isinstance(value, ast.BinOp) or _is_count(value, counts)
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
