"""Calls whose outcome is known with the types: what the run-time functions do for numbers, written out.

bh = unbroadcast(bh * 0.5, h)         ->   bh = bh * 0.5
bx = lazy_zero(x)                     ->   bx = 0.0
bt = ba[i].copy()                     ->   bt = ba[i]
return settled(bx, x)                 ->   return bx
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Kind, Number
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import rebuild
from tangent.transform.module import Generated

SAME = (runtime.unbroadcast, runtime.broadcast_like, runtime.check_seed)
OWN = (runtime.settled, runtime.copy, runtime.dense, runtime.refit, runtime.content)
ZERO = (runtime.lazy_zero, runtime.init_grad)


def known(g: Generated, found: Inference) -> list[ast.stmt]:
    """The body of a function with such calls replaced."""
    assert g.tree is not None

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=args, keywords=[]) if args:
                return _outcome(e, found.resolve(func, g), args, [found.of(a, g) for a in args])
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]) if is_real(found.of(value, g)):
                return value
            case _:
                return e

    return [rebuild(s, change) for s in g.tree.body]


def _outcome(e: ast.Call, function: Any, args: list[ast.expr], kinds: list[Kind]) -> ast.expr:
    if function in SAME and len(args) == 2 and is_float(kinds[0]) and is_real(kinds[1]):
        return args[0]
    if function in OWN and is_real(kinds[0]):
        return args[0]
    if function in ZERO and is_real(kinds[0]):
        return constant(0.0)
    if function is runtime.add_grad and all(isinstance(k, Number) for k in kinds):
        return ast.BinOp(args[0], ast.Add(), args[1])
    if function is np.where and len(args) == 3 and all(is_real(k) for k in kinds):
        return ast.IfExp(*args)
    if function is runtime.where_nonzero and all(is_float(k) for k in kinds):
        return ast.IfExp(ast.Compare(args[0], [ast.Eq()], [constant(0.0)]), constant(0.0), args[1])
    return e


def is_real(kind: Kind) -> bool:
    """A real number in double precision, an integer or a truth value."""
    return isinstance(kind, Number) and kind.scalar and kind.real


def is_float(kind: Kind) -> bool:
    return is_real(kind) and isinstance(kind, Number) and kind.dtype == "f8"
