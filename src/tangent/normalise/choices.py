"""Choices between calls, made for their effects, are branches.

fill(a) if c else clear(a)   ->   if c: fill(a)
                                  else: clear(a)
c and fill(a)                ->   if c: fill(a)
c or fill(a)                 ->   if not c: fill(a)
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.quote import at
from tangent.syntax.rebuild import replace, with_blocks


def choices(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=_block(f.body))


def _block(body: list[ast.stmt]) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s)]


def _statement(s: ast.stmt) -> list[ast.stmt]:
    match s:
        case ast.Expr(value=ast.IfExp(test=test, body=one, orelse=two)):
            return [at(ast.If(test, _effect(one, s) or [at(ast.Pass(), s)], _effect(two, s)), s)]
        case ast.Expr(value=ast.BoolOp(op=op, values=[*tests, ast.Call() as last])):
            test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(op, tests), s.value)
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
            return [at(ast.If(test if isinstance(op, ast.And) else negated, _effect(last, s), []), s)]
        case _:
            return [with_blocks(s, _block)]


def _effect(e: ast.expr, s: ast.stmt) -> list[ast.stmt]:
    return [] if isinstance(e, ast.Constant) else _statement(at(ast.Expr(e), s))
