"""What is returned is nobody else's: an array that was computed here, and that nothing refers to, needs no copy.

bb = bz.sum(axis=0)             bb = bz.sum(axis=0)
return bw, bb.copy()      ->    return bw, bb
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
COMPUTED = (
    np.dot, np.zeros, np.full, np.sum, np.roll, np.linalg.inv, np.linalg.solve, runtime.shadow,
    runtime.cholesky_adjoint,
)  # fmt: skip
LOOKING = (np.flip, np.transpose, np.reshape)  # at an array, which is nobody else's if it was computed for that
METHODS = frozenset({"sum", "copy"})


def owned(body: Body, resolve: Resolve) -> Body:
    if not body or not isinstance(last := body[-1], ast.Return) or last.value is None:
        return body
    rest = body[:-1]

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]) if is_new(inner, resolve):
                return inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as inner, attr="copy"), args=[]):
                return inner if _is_alone(v, rest, last, resolve) else e
            case _:
                return e

    return [*rest, replace(last, value=rebuild(last.value, change))]


def _is_alone(v: str, body: Body, last: ast.stmt, resolve: Resolve) -> bool:
    """Whether a name is bound to new arrays only, and these to no other name."""
    made = [s for s in statements(body) if v in writes(s)]
    for s in made:
        if isinstance(s, ast.AugAssign):
            continue
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name) or not is_new(s.value, resolve):
            return False
    held = sum(1 for n in walk(last) if isinstance(n, ast.Name) and n.id == v)
    return bool(made) and held == 1 and not any(holds(s, v, resolve) for s in statements(body))


def is_new(e: ast.expr, resolve: Resolve) -> bool:
    """Whether the value of an expression is an array of its own."""
    match e:
        case ast.BinOp() | ast.UnaryOp(op=ast.USub()) | ast.ListComp(elt=ast.BinOp()):
            return True
        case ast.Call(args=[first, *_]) if any(resolve(e.func) is f for f in LOOKING):
            return is_new(first, resolve)
        case ast.Call():
            return _only_computes(e, resolve)
        case _:
            return False


def _only_computes(e: ast.Call, resolve: Resolve) -> bool:
    """Whether a call gives a new array and holds on to none of its arguments."""
    if any(k.arg == "out" for k in e.keywords):
        return False
    found = resolve(e.func)
    if isinstance(found, np.ufunc) or any(found is f for f in COMPUTED):
        return True
    if found is np.einsum and len(e.args) > 2:  # of one array it may be a view
        return True
    return found is MISSING and isinstance(e.func, ast.Attribute) and e.func.attr in METHODS


def holds(s: ast.stmt, v: str, resolve: Resolve) -> bool:
    """Whether something else refers to the array after the statement: all but arithmetic and products may."""
    match s:
        case ast.If() | ast.For() | ast.While():
            return False
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            return keeps(value, v, resolve)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=w), slice=index)], value=value) if v == w:
            return keeps(value, v, resolve) or keeps(index, v, resolve)
        case _:
            return any(isinstance(n, ast.Name) and n.id == v for n in walk(s))


def keeps(e: ast.expr, v: str, resolve: Resolve) -> bool:
    """Whether the value of an expression may refer to an array."""
    match e:
        case ast.Name(id=w):
            return v == w
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return any(isinstance(n, ast.Call) and keeps(n, v, resolve) for n in walk(e))
        case ast.Call() if _only_computes(e, resolve):
            return any(isinstance(n, ast.Call) and n is not e and keeps(n, v, resolve) for n in walk(e))
        case _:
            return any(keeps(x, v, resolve) for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr))
