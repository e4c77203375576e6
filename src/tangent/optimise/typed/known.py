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
from tangent.optimise.typed.kinds import Items, Kind, Number
from tangent.optimise.typed.tuples import tuples
from tangent.syntax.quote import constant, expression
from tangent.syntax.rebuild import rebuild
from tangent.transform.generated import Generated

SAME = (runtime.unbroadcast, runtime.broadcast_like)
OWN = (runtime.settled, runtime.as_given, runtime.copy, runtime.dense, runtime.refit, runtime.content)
ZERO = (runtime.lazy_zero, runtime.init_grad)
WALKED = (runtime.sequence, runtime.sequence_tangent, runtime.unsequence)


LEFT = (runtime.matmul_adjoint_x, runtime.dot_adjoint_a)
PRODUCTS = (*LEFT, runtime.matmul_adjoint_y, runtime.dot_adjoint_b)
BY_RANK = {  # the adjoints of x and of y in `x @ y`, by the ranks of both
    (1, 1): ("b * y", "b * x"), (2, 1): ("np.outer(b, y)", "b @ x"), (1, 2): ("y @ b", "np.outer(x, b)"),
    (2, 2): ("b @ turned", "turned @ b"),
}  # fmt: skip


def _product(e: ast.Call, function: Any, args: list[ast.expr], kinds: list[Kind], np_name: str) -> ast.expr:
    b, x, y = args
    ranks = tuple(k.rank for k in kinds[1:] if isinstance(k, Number))
    if ranks not in BY_RANK:
        return e
    text, other = (BY_RANK[ranks][0], y) if function in LEFT else (BY_RANK[ranks][1], x)
    turned = other.value if isinstance(other, ast.Attribute) and other.attr == "T" else expression("a.T", a=other)
    return expression(text, b=b, x=x, y=y, turned=turned, np=np_name)


def known(g: Generated, found: Inference, np_name: str, same: bool) -> list[ast.stmt]:
    """The body of a function with such calls replaced; `same`: arrays of one rank in one operation have one shape."""
    assert g.tree is not None

    def is_new(e: ast.expr) -> bool:
        """Whether an expression gives an array that nothing else holds."""
        match e:
            case ast.BinOp() | ast.Call(func=ast.Attribute(attr="copy"), args=[]):
                return True
            case ast.Call(func=func, args=[first, *_]):
                function = found.resolve(func, g)
                return function is runtime.scatter or (function in (*SAME, runtime.add_item) and is_new(first))
            case _:
                return False

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=args, keywords=[]) if args:
                function, kinds = found.resolve(func, g), [found.of(a, g) for a in args]
                if function is runtime.add_cell and len(args) == 4 and isinstance(kinds[0], Number):
                    args = [args[0], ast.Tuple(list(args[1:3]), ast.Load()), args[3]]
                    function = runtime.add_part
                if function is runtime.factor_part and all(isinstance(k, Number) for k in kinds[1:]):
                    g.externals = {**g.externals, "unbroadcast": runtime.unbroadcast}
                    return change(expression("unbroadcast(b * y, x)", b=args[0], x=args[1], y=args[2]))
                if function is runtime.length_slope and len(args) == 2 and _is_array(kinds[0]) and is_float(kinds[1]):
                    g.externals = {**g.externals, "safe_ratio": runtime.safe_ratio}
                    return expression("safe_ratio(x, y)", x=args[0], y=args[1])
                if function is runtime.with_part and len(args) == 3 and _is_array(kinds[0]):
                    args = [args[0] if is_new(args[0]) else expression("b.copy()", b=args[0]), *args[1:]]
                    function = runtime.add_part
                if function is runtime.add_part and len(args) == 3:
                    g.externals = {**g.externals, "add_item": runtime.add_item}
                    return ast.Call(ast.Name("add_item", ast.Load()), [args[0], constant(None), *args[1:]], [])
                if function in (runtime.fit_matmul, runtime.fit_dot) and kinds[0] == found.of(e, g):
                    return args[0] if same or is_float(kinds[0]) else e
                if same and function in SAME and len(args) == 2 and _of_one_rank(kinds):
                    return args[0]
                if function is isinstance and found.resolve(args[1], g) is np.ndarray and isinstance(kinds[0], Number):
                    return constant(kinds[0].rank > 0)
                if function is runtime.overwritten and is_real(found.of(e, g)) and isinstance(kinds[0], Number):
                    return ast.Subscript(args[0], args[1], ast.Load())
                return _outcome(e, function, args, kinds, np_name)
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]) if is_real(found.of(value, g)):
                return value
            case ast.BinOp(left=ast.Call(func=func, args=[x]), op=ast.Mult(), right=y) if (
                found.resolve(func, g) is runtime.as_matrices and is_real(found.of(x, g)) and _is_array(found.of(y, g))
            ):
                return ast.BinOp(x, ast.Mult(), y)
            case _:
                return e

    return [rebuild(s, change) for s in tuples(g, found)]


def _outcome(e: ast.Call, function: Any, args: list[ast.expr], kinds: list[Kind], np_name: str) -> ast.expr:
    if function is runtime.scatter and len(args) == 3 and isinstance(kinds[1], Items):
        return _placed(e, args, kinds[1].items)
    if function in (*SAME, runtime.check_seed) and len(args) == 2 and is_float(kinds[0]) and is_real(kinds[1]):
        return args[0]
    if function in OWN and is_real(kinds[0]):
        return args[0]
    if function in WALKED and (isinstance(kinds[-1], Items) or _is_array(kinds[-1])):
        return args[0]
    if function is len and isinstance(kinds[0], Items):
        return constant(len(kinds[0].items))
    if function is runtime.as_given and len(args) == 2 and all(isinstance(k, Number) and k.rank for k in kinds):
        return args[0]
    if function in ZERO and is_real(kinds[0]):
        return constant(0.0)
    if function is runtime.mirror and len(args) == 3 and ast.unparse(args[0]) == ast.unparse(args[1]):
        return args[2] if isinstance(kinds[0], Number) and kinds[0].rank else e
    if function is runtime.add_grad and all(isinstance(k, Number) for k in kinds):
        return ast.BinOp(args[0], ast.Add(), args[1])
    if function is np.clip and len(args) == 3 and all(isinstance(k, Number) and k.dtype == "f8" for k in kinds):
        return expression("np.minimum(np.maximum(x, low), high)", np=np_name, x=args[0], low=args[1], high=args[2])
    if function is np.where and len(args) == 3 and all(is_real(k) for k in kinds):
        return ast.IfExp(*args)
    if function in PRODUCTS and len(args) == 3 and all(isinstance(k, Number) and k.dtype == "f8" for k in kinds):
        return _product(e, function, args, kinds, np_name)
    if function is runtime.where_nonzero and all(is_float(k) for k in kinds):
        return ast.IfExp(ast.Compare(args[0], [ast.Eq()], [constant(0.0)]), constant(0.0), args[1])
    return e


def _placed(e: ast.Call, args: list[ast.expr], items: tuple[Kind, ...]) -> ast.expr:
    """A part of a tuple between zeros."""
    b, _, index = args
    match index:
        case ast.Subscript(value=ast.Attribute(attr="s_"), slice=ast.Slice() as cut):
            bounds = [literal(part) for part in (cut.lower, cut.upper, cut.step)]
        case _:
            return e
    if any(isinstance(v, ast.expr) for v in bounds) or not all(is_real(k) for k in items):
        return e
    places = range(len(items))[slice(*bounds)]
    match b:
        case ast.Name():
            parts: list[ast.expr] = [expression("b[i]", b=b, i=constant(i)) for i in range(len(places))]
        case ast.Call(func=ast.Name(id="repack"), args=[_, *parts]) if len(parts) == len(places):
            pass
        case _:
            return e
    return ast.Tuple([parts[places.index(i)] if i in places else constant(0.0) for i in range(len(items))], ast.Load())


def literal(e: ast.expr | None) -> Any:
    """The value of a constant, also of a negative one; itself, if it is none."""
    try:
        return None if e is None else ast.literal_eval(e)
    except ValueError:
        return e


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.rank > 0


def _of_one_rank(kinds: list[Kind]) -> bool:
    a, b = kinds
    arrays = isinstance(a, Number) and isinstance(b, Number) and a.rank == b.rank > 0
    return arrays and a == b and isinstance(a, Number) and a.dtype == "f8"


def is_real(kind: Kind) -> bool:
    """A real number in double precision, an integer or a truth value."""
    return isinstance(kind, Number) and kind.scalar and kind.real


def is_float(kind: Kind) -> bool:
    return is_real(kind) and isinstance(kind, Number) and kind.dtype == "f8"
