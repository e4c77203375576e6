"""Operators on variables that are Counters: functions that drop what is not positive, as these operators do.

c = Counter(a=x) - Counter(b=y)   ->   c = counts_minus(Counter(a=x), Counter(b=y))
n = c.total()                     ->   n = counts_total(c)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from tangent.normalise.context import Context
from tangent.runtime.library import counters as library
from tangent.syntax.quote import call
from tangent.syntax.rebuild import rebuild, walk_scope
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: library.counts_plus, ast.Sub: library.counts_minus,
    ast.BitOr: library.largest_counts, ast.BitAnd: library.smallest_counts,
}  # fmt: skip
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: library.positive_counts, ast.USub: library.negative_counts
}  # fmt: skip


def counters(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(e, ast.Call) and context.scope.resolve(e.func) is Counter for e in walk(f)):
        return f
    known = _known(f, context)

    def counts(e: ast.expr) -> bool:
        return _counts(e, known, context)

    for n in walk_scope(f):
        if isinstance(n, ast.AugAssign) and type(n.op) in BINARY and counts(n.target):
            raise context.refuse(
                n, f"'{ast.unparse(n)}' of a Counter", "what it changes others may hold",
                "Write 'c = c + d', or 'c.update(d)', which drops nothing.",
            )  # fmt: skip

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY and (counts(left) or counts(right)):
                return made(e, BINARY[type(op)], left, right)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY and counts(operand):
                return made(e, UNARY[type(op)], operand)
            case ast.Call(func=ast.Attribute(value=owner, attr="total"), args=[], keywords=[]) if counts(owner):
                return made(e, library.counts_total, owner)
            case _:
                return e

    def made(e: ast.expr, function: Callable[..., Any], *given: ast.expr) -> ast.expr:
        return ast.copy_location(call(context.use(function.__name__, function), *given), e)

    return rebuild(f, change)


def _counts(e: ast.expr, known: set[str], context: Context) -> bool:
    """Whether an expression surely is a Counter."""
    match e:
        case ast.Name(id=v):
            return v in known
        case ast.Call(func=func):
            found = context.scope.resolve(func)
            return found is Counter or found in BINARY.values() or found in UNARY.values()
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return _counts(left, known, context) or _counts(right, known, context)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return _counts(operand, known, context)
        case _:
            return False


def _known(f: ast.FunctionDef, context: Context) -> set[str]:
    """Variables that are Counters wherever they are bound."""
    assigned: dict[str, list[ast.expr]] = {}
    plain: set[ast.AST] = set()
    for n in walk_scope(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v) as t], value=value):
                assigned.setdefault(v, []).append(value)
                plain.add(t)
            case ast.AugAssign(target=ast.Name() as t):
                plain.add(t)
    others = {n.id for n in walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in plain}
    others |= {a.arg for a in arguments(f.args)}
    known: set[str] = set()
    while new := {
        v for v, values in assigned.items()
        if v not in known | others and all(_counts(e, known | {v}, context) for e in values)
        and any(_counts(e, known, context) for e in values)
    }:  # fmt: skip
        known |= new
    return known
