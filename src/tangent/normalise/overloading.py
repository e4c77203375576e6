"""Operators on what may be objects of the user's classes: functions that look for what the class defines.

z = v @ w   ->   z = matrix_times(v, w)          (runtime/operators.py)

Only where an argument is such an object; the derivative finds that out when it is called.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime import operators
from tangent.syntax.quote import call
from tangent.syntax.rebuild import replace, with_blocks


def overloading(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    own = (context.source.function.__module__ or "").split(".")[0] == "tangent"
    if not context.objects or own:
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [_statement(s, context) for s in body]


def _statement(s: ast.stmt, context: Context) -> ast.stmt:
    match s:
        case ast.Assign(value=value):
            return replace(s, value=_value(value, context))
        case _:
            return with_blocks(s, lambda body: _block(body, context))


def _value(e: ast.expr, context: Context) -> ast.expr:
    match e:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY and _may_be_object(left, right):
            function = BINARY[type(op)]
            return ast.copy_location(call(context.use(function.__name__, function), left, right), e)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if _may_be_object(operand):
            return ast.copy_location(call(context.use("negated", operators.negated), operand), e)
        case ast.Subscript(value=value, slice=index) if isinstance(index, ast.Name | ast.Constant):
            return ast.copy_location(call(context.use("item_of", operators.item_of), value, index), e)
        case _:
            return e


BINARY = {
    ast.Add: operators.plus, ast.Sub: operators.minus, ast.Mult: operators.times, ast.Div: operators.over_by,
    ast.MatMult: operators.matrix_times, ast.Pow: operators.to_the, ast.Mod: operators.modulo,
}  # fmt: skip


def _may_be_object(*operands: ast.expr) -> bool:
    return any(isinstance(e, ast.Name) for e in operands)
