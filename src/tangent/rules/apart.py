"""Sums in place go into arrays of their own, where the derivative reads what was there before.

t = b / x                          t = b / x
c = unbroadcast(t, x)       ->     c = unbroadcast(t, x)
c2 = add_part(c, 0, v)             c2 = with_part(c, 0, v)

A gradient writes into what it has just computed, since nobody reads it again. Its own derivative may: that of a
quotient is written with the quotient.
"""

from __future__ import annotations

import ast
from collections.abc import Container

from tangent.analysis.operation import Operation, Operations
from tangent.normalise.context import Context
from tangent.runtime.kernels.index import cleared, with_cell, with_part
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, replace

ANEW = {"add_part": with_part, "add_cell": with_cell, "clear_item": cleared}
HANDED_ON = frozenset({"unbroadcast", "fit", "as_given"})  # what may give back what it was given


def sums_apart(f: ast.FunctionDef, operations: Operations, context: Context) -> ast.FunctionDef:
    """The function with new arrays in the place of results that are written into and read again."""
    written = {op.value: op for op in operations.values() if _named(op, ANEW)}
    held = _read_again(operations) if written else set()
    apart = {e: ANEW[op.rule.name] for e, op in written.items() if _first(op) in held}

    def change(e: ast.expr) -> ast.expr:
        if not isinstance(e, ast.Call) or e not in apart:
            return e
        return replace(e, func=ast.copy_location(name(context.use(apart[e].__name__, apart[e])), e.func))

    return rebuild(f, change) if apart else f


def _read_again(operations: Operations) -> set[str]:
    """The variables that may hold the very array whose operation is differentiated by reading its result."""
    held = {op.targets[0] for op in operations.values() if op.kind == "rule" and _reads_result(op)}
    size = -1
    while size < len(held):
        size = len(held)
        held |= {op.targets[0] for op in operations.values() if _hands_on(op) and _first(op) in held}
    return held


def _reads_result(op: Operation) -> bool:
    return op.rule.result in op.rule.reads(op.rule.operands)


def _hands_on(op: Operation) -> bool:
    return op.kind == "copy" or _named(op, HANDED_ON)


def _named(op: Operation, names: Container[str]) -> bool:
    return op.kind == "rule" and op.rule.name in names


def _first(op: Operation) -> str | None:
    """The variable that an operation is given first."""
    match op.value:
        case ast.Name(id=v) | ast.Call(args=[ast.Name(id=v), *_]):
            return v
        case _:
            return None
