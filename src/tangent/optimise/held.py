"""What an expression has of an array: whether its value is new, may refer to the array, or asks for its extent only."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.source.resolve import MISSING
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import rebuild
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
COMPUTED = (
    np.dot, np.zeros, np.full, np.sum, np.roll, np.linalg.inv, np.linalg.solve, runtime.shadow,
    runtime.init_grad, runtime.cholesky_adjoint,
)  # fmt: skip
LOOKING = (np.flip, np.transpose, np.reshape)  # at an array, which is nobody else's if it was computed for that
FITTING = (runtime.unbroadcast, runtime.spread, runtime.broadcast_like)  # to what they look at the shape of
METHODS = frozenset({"sum", "copy"})


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
        case _ if measured(e):
            return False
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return any(isinstance(n, ast.Call) and keeps(n, v, resolve) for n in walk(e))
        case ast.Call(args=[first, ast.Name()]) if any(resolve(e.func) is f for f in FITTING):
            return keeps(first, v, resolve)
        case ast.Call() if _only_computes(e, resolve):
            return any(isinstance(n, ast.Call) and n is not e and keeps(n, v, resolve) for n in walk(e))
        case _:
            return any(keeps(x, v, resolve) for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr))


def measured(e: ast.expr) -> str:
    """The array that `a.shape[0]`, `a.size` and the like ask for its extent."""
    match e:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=v), attr="shape"), slice=ast.Constant()):
            return v
        case ast.Attribute(value=ast.Name(id=v), attr="shape" | "size" | "ndim"):
            return v
        case _:
            return ""


def content_reads(e: ast.expr) -> frozenset[str]:
    """The variables that an expression reads, but for those that it asks for their extent only."""
    return frozenset(expression_reads(rebuild(e, lambda x: constant(None) if measured(x) else x)))
