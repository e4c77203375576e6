"""Short loops over constant ranges, step by step, where their variable is an index.

for k in range(3):            d[0] = x[0] - c[0]
    d[k] = x[k] - c[k]   ->   d[1] = x[1] - c[1]
                              d[2] = x[2] - c[2]
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.optimise.small.places import moved
from tangent.syntax.quote import assign, constant
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import arguments, assigned_inside, writes

STEPS, COPIES = 4, 64


def unrolled(body: list[ast.stmt], numbers: dict[str, int], context: Context) -> list[ast.stmt]:
    """`numbers` are names that stand for one integer."""
    return [new for s in body for new in _statement(s, numbers, context)]


def _statement(s: ast.stmt, numbers: dict[str, int], context: Context) -> list[ast.stmt]:
    match s:
        case ast.If(body=then, orelse=other):
            return [replace(s, body=unrolled(then, numbers, context), orelse=unrolled(other, numbers, context))]
        case ast.While(body=inner):
            return [replace(s, body=unrolled(inner, numbers, context))]
        case ast.For(target=ast.Name(id=v), iter=iter, body=inner):
            inner = unrolled(inner, numbers, context)
            steps = constant_range(iter, numbers)
            if steps is None or not 0 < len(steps) <= STEPS or not _indexes(inner, v):
                return [replace(s, body=inner)]
            size = len(list(statements(inner)))
            if size * len(steps) > 4 * COPIES or v in assigned_inside(inner) or _breaks(inner):
                return [replace(s, body=inner)]
            done = [x for k in steps for x in moved([_with(x, v, k) for x in inner], context)]
            return [*done, assign(v, constant(steps[-1]), s)]
        case _:
            return [s]


def constant_range(e: ast.expr, numbers: dict[str, int]) -> range | None:
    match e:
        case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
            found = [whole(a, numbers) for a in args]
            if any(k is None for k in found) or not 1 <= len(found) <= 3 or (len(found) == 3 and not found[2]):
                return None
            return range(*(k for k in found if k is not None))
        case _:
            return None


def whole(e: ast.expr | None, numbers: dict[str, int]) -> int | None:
    """The value of an expression of integers that are known.

    >>> whole(ast.parse("n - 2 * 3", mode="eval").body, {"n": 7})
    1
    """
    match e:
        case ast.Constant(value=int(k)) if not isinstance(k, bool):
            return k
        case ast.Name(id=v):
            return numbers.get(v)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = whole(operand, numbers)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            a, b = whole(left, numbers), whole(right, numbers)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
        case _:
            return None


def whole_numbers(body: list[ast.stmt], args: ast.arguments) -> dict[str, int]:
    """Names that are assigned once, an integer."""
    times: dict[str, int] = {a.arg: 1 for a in arguments(args)}
    found: dict[str, int] = {}
    for s in statements(body):
        for v in writes(s):
            times[v] = times.get(v, 0) + 1
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if (k := whole(value, found)) is not None:
                found[v] = k
    return {v: k for v, k in found.items() if times[v] == 1}


def _with(s: ast.stmt, v: str, k: int) -> ast.stmt:
    """A statement with a number in place of a variable."""

    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Name) and e.id == v:
            return constant(k)
        if isinstance(e, (ast.BinOp, ast.UnaryOp)) and (found := whole(e, {})) is not None:
            return constant(found)
        return e

    return rebuild(s, change)


def _indexes(body: list[ast.stmt], v: str) -> bool:
    """Whether a variable, or a name that stands for it, is part of an index."""
    names = {v}
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=w)) if w in names:
                names.add(other)
    return any(
        isinstance(n, ast.Subscript) and any(isinstance(m, ast.Name) and m.id in names for m in ast.walk(n.slice))
        for s in body
        for n in ast.walk(s)
    )


def _breaks(body: list[ast.stmt]) -> bool:
    return any(isinstance(s, (ast.Break, ast.Continue)) for s in statements(body))
