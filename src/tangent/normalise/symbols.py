"""Functions of the module `operator` are the operators that they stand for, which classes may define.

operator.mul(x, y)        ->   x * y
operator.getitem(x, i)    ->   x[i]
pow(x, 3)                 ->   x ** 3
reduce(operator.mul, xs)  ->   reduce(lambda a, b: a * b, xs), where a class of the user's defines operators
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.walk import walk

BINARY: dict[Callable[..., Any], type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div,
    operator.pow: ast.Pow, operator.mod: ast.Mod, operator.matmul: ast.MatMult, operator.floordiv: ast.FloorDiv,
    operator.concat: ast.Add, pow: ast.Pow,
}  # fmt: skip
COMPARED: dict[Callable[..., Any], type[ast.cmpop]] = {
    operator.lt: ast.Lt, operator.le: ast.LtE, operator.gt: ast.Gt, operator.ge: ast.GtE, operator.eq: ast.Eq,
    operator.ne: ast.NotEq, operator.is_: ast.Is, operator.is_not: ast.IsNot,
}  # fmt: skip
UNARY: dict[Callable[..., Any], type[ast.unaryop]] = {
    operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert, operator.inv: ast.Invert,
}  # fmt: skip
KNOWN = {id(f) for f in (*BINARY, *COMPARED, *UNARY, operator.getitem, operator.abs, operator.call)}


def symbols(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    def found(e: ast.Call) -> Any:
        function = context.scope.resolve(e.func)
        return function if function is not MISSING and id(function) in KNOWN and not e.keywords else None

    def handed(e: ast.expr) -> ast.expr:
        """A function that is handed on as one that is written out."""
        function = context.scope.resolve(e) if isinstance(e, (ast.Name, ast.Attribute)) else MISSING
        if function is MISSING or id(function) not in KNOWN or function in (pow, operator.call):
            return e
        names = ["a", "b"][: 1 if function in UNARY or function is operator.abs else 2]
        made = ast.Lambda(_parameters(names), change(ast.Call(e, [ast.Name(v, ast.Load()) for v in names], [])))
        return ast.fix_missing_locations(ast.copy_location(made, e))

    def change(e: ast.expr) -> ast.expr:
        if context.overloads(*context.objects):
            e = _with_values(e, handed)
        if not isinstance(e, ast.Call) or any(isinstance(a, ast.Starred) for a in e.args):
            return e
        function = found(e)
        match function, e.args:
            case None, _:
                return e
            case operator.abs, [_]:
                return replace(e, func=ast.copy_location(ast.Name(context.builtin("abs"), ast.Load()), e.func))
            case operator.call, [called, *rest]:
                return replace(e, func=called, args=rest)
            case operator.getitem, [x, index]:
                new: ast.expr = ast.Subscript(x, index, ast.Load())
            case _, [x] if function in UNARY:
                new = ast.UnaryOp(UNARY[function](), x)
            case _, [x, y] if function in BINARY:
                new = ast.BinOp(x, BINARY[function](), y)
            case _, [x, y] if function in COMPARED:
                new = ast.Compare(x, [COMPARED[function]()], [y])
            case _:
                return e
        return ast.copy_location(new, e)

    named = any(isinstance(n, (ast.Name, ast.Attribute)) and id(context.scope.resolve(n)) in KNOWN for n in walk(f))
    return rebuild(f, change) if named else f


def _with_values(e: ast.expr, handed: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """An expression whose parts that are values, and not called, are changed."""
    match e:
        case ast.Call(args=args, keywords=keywords):
            given = [replace(k, value=handed(k.value)) for k in keywords]
            return replace(e, args=[handed(a) for a in args], keywords=given)
        case ast.Tuple(elts=elts, ctx=ast.Load()) | ast.List(elts=elts, ctx=ast.Load()):
            return replace(e, elts=[handed(x) for x in elts])
        case ast.Dict(values=values):
            return replace(e, values=[handed(v) for v in values])
        case _:
            return e


def _parameters(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(v) for v in names], None, [], [], None, [])
