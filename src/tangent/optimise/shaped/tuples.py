"""What run-time functions do with tuples of a few floats, written as tuples.

lazy_zero(t)              ->   (0.0, 0.0)
scatter(v, t, 1)          ->   (0.0, v)
add_part((u, v), 0, w)    ->   (u + w, v)
add_grad((u, v), b)       ->   (u + b[0], v + b[1])
settled(b, t)             ->   b
"""

from __future__ import annotations

import ast
from typing import Any

from tangent import runtime
from tangent.optimise.settled import OWN, ZERO
from tangent.optimise.shaped.kinds import Items, Kind, is_float
from tangent.syntax.quote import constant

FEW = 16  # items that are written one by one


def is_tuple_of_numbers(kind: Kind) -> bool:
    return isinstance(kind, Items) and kind.fixed and len(kind.items) <= FEW and all(map(is_float, kind.items))


def of_tuples(function: Any, args: list[ast.expr], kinds: list[Kind]) -> ast.expr | None:
    """A call of such a function with tuples, as what it does; None where that is not known."""
    match args, kinds:
        case [_], [Items(items=items) as kind] if function in ZERO and is_tuple_of_numbers(kind):
            return ast.Tuple([constant(0.0) for _ in items], ast.Load())
        case [v, _, ast.Constant(value=int(i))], [number, Items(items=items) as kind, _] if (
            function is runtime.scatter and is_tuple_of_numbers(kind) and is_float(number)
        ):
            return _with_sum([constant(0.0) for _ in items], i, v)
        case [t, ast.Constant(value=int(i)), v], [kind, _, number] if (
            function is runtime.add_part and is_tuple_of_numbers(kind) and is_float(number)
        ):
            parts = _parts(t, kind)
            return None if parts is None else _with_sum(parts, i, v)
        case [a, b], [p, q] if is_tuple_of_numbers(p) and is_tuple_of_numbers(q):
            return _of_two(function, a, b, p, q)
        case _:
            return None


def _of_two(function: Any, a: ast.expr, b: ast.expr, p: Kind, q: Kind) -> ast.expr | None:
    if function in OWN:
        return a
    left, right = _parts(a, p), _parts(b, q)
    if function is not runtime.add_grad or left is None or right is None or len(left) != len(right):
        return None
    return ast.Tuple([_sum(x, y) for x, y in zip(left, right)], ast.Load())


def _parts(e: ast.expr, kind: Kind) -> list[ast.expr] | None:
    """The items of a tuple that is written out, or has a name."""
    if isinstance(e, ast.Tuple):
        return e.elts
    if not isinstance(e, ast.Name) or not isinstance(kind, Items):
        return None
    return [ast.Subscript(e, constant(k), ast.Load()) for k in range(len(kind.items))]


def _with_sum(parts: list[ast.expr], i: int, v: ast.expr) -> ast.expr | None:
    if not -len(parts) <= i < len(parts):
        return None
    new = list(parts)
    new[i] = _sum(new[i], v)
    return ast.Tuple(new, ast.Load())


def _sum(x: ast.expr, y: ast.expr) -> ast.expr:
    """The sum of two numbers; what begins with zero is the other."""
    if _is_zero(x):
        return y
    return x if _is_zero(y) else ast.BinOp(x, ast.Add(), y)


def _is_zero(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and type(e.value) is float and e.value == 0.0
