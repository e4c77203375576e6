"""What run-time functions do with tuples of a few floats, written as tuples.

lazy_zero(t)              ->   (0.0, 0.0)
scatter(v, t, 1)          ->   (0.0, v)
put_attribute(v, t, "y")  ->   (0.0, v)          where t is a named tuple
add_part((u, v), 0, w)    ->   (u + w, v)
add_grad((u, v), b)       ->   (u + b[0], v + b[1])
settled(b, t)             ->   b
"""

from __future__ import annotations

import ast
import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.settled import OWN, ZERO
from tangent.optimise.shaped.kinds import Items, Kind, is_float
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.quote import constant
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

BY_NAME = (runtime.replace_field, runtime.get_attribute, runtime.put_field, runtime.field_part)
CALLING = runtime.put_attribute.__module__
FEW = 16  # items that are written one by one
GETTER = type(inspect.getattr_static(namedtuple("One", "item"), "item"))


def is_tuple_of_numbers(kind: Kind) -> bool:
    return isinstance(kind, Items) and kind.fixed and len(kind.items) <= FEW and all(map(is_float, kind.items))


def names_of(cls: Any) -> tuple[str, ...]:
    """The names of the items of a named tuple, by which these are read; none where a class does that another way."""
    names: tuple[str, ...] = getattr(cls, "_fields", ()) if isinstance(cls, type) else ()
    return names if all(isinstance(inspect.getattr_static(cls, v), GETTER) for v in names) else ()


def read_by_index(functions: list[Generated], resolve: Callable[[ast.expr, Generated], Any]) -> bool:
    """Whether nothing reads gradients of named tuples by name, so that plain tuples will do."""
    for g in functions:
        assert g.tree is not None
        nodes = walk(g.tree)
        if any(isinstance(n, InsertedCode) for n in nodes):
            return False
        if any(isinstance(n, ast.Call) and _asks_for_names(resolve(n.func, g)) for n in nodes):
            return False
    return True


def _asks_for_names(function: Any) -> bool:
    """Whether a function may read an item of a gradient by its name, or hand the gradient to one that does."""
    if any(function is f for f in BY_NAME):
        return True
    return getattr(function, "__module__", "") == CALLING and function is not runtime.put_attribute


def of_tuples(function: Any, args: list[ast.expr], kinds: list[Kind]) -> ast.expr | None:
    """A call of such a function with tuples, as what it does; None where that is not known."""
    match args, kinds:
        case [_], [Items(items=items) as kind] if function in ZERO and is_tuple_of_numbers(kind):
            return ast.Tuple([constant(0.0) for _ in items], ast.Load())
        case [v, _, ast.Constant(value=int(i))], [number, Items(items=items) as kind, _] if (
            function is runtime.scatter and is_tuple_of_numbers(kind) and is_float(number)
        ):
            return _with_sum([constant(0.0) for _ in items], i, v)
        case [v, _, ast.Constant(value=str(name))], [number, Items(items=items, names=names) as kind, _] if (
            function is runtime.put_attribute and name in names and is_tuple_of_numbers(kind) and is_float(number)
        ):
            return _with_sum([constant(0.0) for _ in items], names.index(name), v)
        case [t], [Items(names=()) as kind] if function is tuple and is_tuple_of_numbers(kind):
            return t
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
