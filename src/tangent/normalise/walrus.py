"""Assignment expressions become assignments before the statement, where Python evaluates them first and always.

if (y := x * x) > 1: ...    ->   y = x * x
                                 if y > 1: ...
while (e := f(x)) > tol:    ->   while True:
    ...                              e = f(x)
                                     if not e > tol: break
                                     ...
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS
from tangent.syntax.walk import walk

LATER = (ast.IfExp, ast.BoolOp, ast.Lambda, *COMPREHENSIONS)


def walrus(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(n, ast.NamedExpr) for n in walk(f)):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.With() | ast.Try():
            return [with_blocks(s, lambda body: _block(body, context))]
        case ast.If(test=test, body=body, orelse=orelse):
            before, test = _hoisted(test, s, context)
            return [*before, replace(s, test=test, body=_block(body, context), orelse=_block(orelse, context))]
        case ast.While(test=test, body=body, orelse=orelse):
            before, new = _hoisted(test, s, context)
            inner, rest = _block(body, context), _block(orelse, context)
            if not before:
                return [replace(s, body=inner, orelse=rest)]
            leave = at(ast.If(ast.UnaryOp(ast.Not(), new), [at(ast.Break(), s)], []), s)
            if rest:
                raise context.refuse(s, "'else' of a loop with ':='", "the condition is evaluated inside the loop")
            return [replace(s, test=constant(True), body=[*before, leave, *inner])]
        case ast.For(iter=iter, body=body, orelse=orelse):
            before, iter = _hoisted(iter, s, context)
            return [*before, replace(s, iter=iter, body=_block(body, context), orelse=_block(orelse, context))]
        case (
            ast.Assign(value=ast.expr() as value)
            | ast.Return(value=ast.expr() as value)
            | ast.Expr(value=value)
            | (ast.AugAssign(value=value))
        ):
            before, value = _hoisted(value, s, context)
            if any(isinstance(n, ast.NamedExpr) for n in walk(s)) and not before:
                raise _refusal(s, context)
            return [*before, replace(s, value=value)] if before else [s]
        case _:
            if any(isinstance(n, ast.NamedExpr) for n in walk(s)) and not hasattr(s, "body"):
                raise _refusal(s, context)
            return [s]


def _refusal(node: ast.AST, context: Context) -> Exception:
    return context.refuse(
        node, "':=' here", "whether it is evaluated depends on the rest", "Assign before the statement."
    )


def _hoisted(e: ast.expr, s: ast.stmt, context: Context) -> tuple[list[ast.stmt], ast.expr]:
    """The assignments inside an expression, in order, and the expression that reads their names."""
    before: list[ast.stmt] = []
    for n in walk(e):
        if isinstance(n, LATER) and any(isinstance(m, ast.NamedExpr) for m in walk(n)):
            raise _refusal(n, context)

    def change(x: ast.expr) -> ast.expr:
        if isinstance(x, ast.NamedExpr):
            before.append(assign(x.target.id, x.value, s))
            return name(x.target.id)
        return x

    return before, rebuild(e, change)
