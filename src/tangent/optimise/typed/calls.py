"""The kinds of what library and run-time functions return, and of what is read by index."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.kinds import (
    BOOL,
    FLOAT,
    INT,
    UNKNOWN,
    Items,
    Kind,
    Number,
    Stack,
    elementwise,
    gradient_kind,
    inexact,
    join,
)
from tangent.optimise.typed.results import result

Of = Callable[[ast.expr], Kind]
FACTORS = {np.linalg.eigh: (1, 2), np.linalg.qr: (2, 2), np.linalg.svd: (2, 1, 2)}  # the ranks of what they give
REDUCTIONS = (np.sum, np.mean, np.max, np.min, np.prod, np.var, np.std)
LIKE_FIRST = (np.abs, np.negative, np.sign)
ARRAYS_LIKE_FIRST = (np.zeros_like, np.ones_like, np.empty_like, np.copy, np.ascontiguousarray)
GRADIENT_OF_FIRST = (runtime.init_grad, runtime.lazy_zero)
GRADIENT_OF_SECOND = (
    runtime.unbroadcast, runtime.scatter, runtime.spread, runtime.settled, runtime.matmul_adjoint_x,
    runtime.dot_adjoint_a, runtime.outer_adjoint_a, runtime.like, runtime.restructure, runtime.fit_grad,
    runtime.put_attribute, runtime.put_field, runtime.field_part,
)  # fmt: skip
GRADIENT_OF_THIRD = (runtime.matmul_adjoint_y, runtime.dot_adjoint_b, runtime.outer_adjoint_b)
FIRST = (
    runtime.copy, runtime.dense, runtime.refit, runtime.check_seed, runtime.add_item, runtime.add_part, runtime.own,
    runtime.own_any, runtime.as_given, runtime.content, runtime.with_part, runtime.clear_item, runtime.cleared,
    runtime.sequence, runtime.sequence_tangent, runtime.unsequence,
)  # fmt: skip
BROADCAST = (runtime.ratio, runtime.times, runtime.gap, runtime.power_slope, runtime.power_log, runtime.hypot_one,
             runtime.leg_one, runtime.leg_cosh, runtime.leg_tanh, runtime.logistic, runtime.logistic2,
             runtime.conj_sign, runtime.where_finite, runtime.where_nonzero, runtime.nonzero_part,
             runtime.safe_ratio)  # fmt: skip
MAKERS = (np.zeros, np.ones, np.empty)


def result_of(function: Any, e: ast.Call, of: Of) -> Kind:
    """The kind of a call, as far as it is known; of arguments that nothing is known of yet, nothing yet."""
    args = [of(a) for a in e.args if not isinstance(a, ast.Starred)]
    if len(args) != len(e.args) or not args:
        return UNKNOWN
    found = _result(function, e, args, of)
    return None if found == UNKNOWN and None in args else found


def _result(function: Any, e: ast.Call, args: list[Kind], of: Of) -> Kind:
    first = args[0]
    if function is np.matmul:
        return _dot(*args)
    if isinstance(function, np.ufunc):
        return _ufunc(function, args) if function.nout == 1 and not e.keywords and not function.signature else UNKNOWN
    if getattr(function, "__module__", "") == "math":
        return _of_math(function)
    if function in (max, min) and len(args) > 1 and not e.keywords:
        return elementwise(*args) if all(isinstance(k, Number) and k.scalar for k in args) else UNKNOWN
    if function is tuple and isinstance(first, Items):
        return Items(first.items)
    if function in (float, abs, int, len):
        return _builtin(function, first)
    try:
        hash(function)
    except TypeError:
        return UNKNOWN
    if function is np.float32 and len(args) == 1:
        return Number(first.rank, "f4") if isinstance(first, Number) else first
    if function in FACTORS and len(args) == 1 and all(k.arg == "full_matrices" for k in e.keywords):
        return _factors(first, FACTORS[function])
    if function in REDUCTIONS:
        return reduced(first, e, function)
    if function in LIKE_FIRST and not e.keywords:
        return first
    if function in ARRAYS_LIKE_FIRST and not e.keywords:  # of a number: an array without axes
        return UNKNOWN if isinstance(first, Number) and first.scalar else first
    if function in GRADIENT_OF_FIRST:
        return gradient_kind(first)
    if function in GRADIENT_OF_SECOND and len(args) > 1:
        return gradient_kind(args[1])
    if function in GRADIENT_OF_THIRD and len(args) == 3:
        return gradient_kind(args[2])
    if function in (runtime.scaled, runtime.shares_of):
        return gradient_kind(args[-1])
    if function is runtime.count and len(args) <= 3 and all(k.arg in ("axis", "keepdims") for k in e.keywords):
        return FLOAT
    if function is runtime.weighted:
        return _summed(args[-1])
    if function in FIRST:
        return first
    if function in (runtime.fit_matmul, runtime.fit_dot) and len(args) == 3:
        return _dot(*args[1:])
    if function is runtime.shadow:
        return gradient_kind(first) if isinstance(first, Number) and first.rank else UNKNOWN
    if function is runtime.mirror:
        array = first if isinstance(first, Number) and first.rank and first.dtype == "f8" else UNKNOWN
        return args[2] if ast.unparse(e.args[0]) == ast.unparse(e.args[1]) else array
    if function is runtime.beside:
        return gradient_kind(first)
    if function is runtime.attribute_tangent:
        return gradient_kind(_named_item(args[1], e.args[-1]))
    if function in (runtime.get_attribute, runtime.field):
        return _named_item(first, e.args[-1])
    if function is runtime.as_list:
        return first if isinstance(first, Stack) or first is None else UNKNOWN
    if function is runtime.pop_grad:
        return join(first.item, gradient_kind(args[1])) if isinstance(first, Stack) else UNKNOWN
    if function is runtime.overwritten:
        return subscript(first, e.args[1], of)
    if function in BROADCAST:
        return inexact(elementwise(*args))
    if function is runtime.add_grad:
        return join(first, args[1])
    if function is runtime.broadcast_like:
        return _stretched(first, args[1])
    if function is runtime.factor_part and all(isinstance(k, Number) for k in args[1:]):
        return gradient_kind(args[1])
    if function is runtime.share:
        return elementwise(*(Number(k.rank, "b1") if isinstance(k, Number) else k for k in args[1:]), inexact(first))
    if function is np.where and len(args) == 3:
        chosen = elementwise(*args[1:])
        rank = first.rank if isinstance(first, Number) else 0
        return Number(max(rank, chosen.rank), chosen.dtype) if isinstance(chosen, Number) else chosen
    if function in MAKERS and not e.keywords and len(args) == 1:
        return _made(first)
    if function is np.dot:
        return _dot(*args)
    if function is np.outer:
        both = elementwise(*args)
        return Number(2, both.dtype) if isinstance(both, Number) else both
    if function in (np.eye, np.identity):
        return Number(2, "f8") if not e.keywords and all(k == INT for k in args[:2]) and len(args) < 3 else UNKNOWN
    if function in (np.array, np.asarray) and len(args) == 1 and not e.keywords:
        return _packed(first)
    if function is np.cross and len(args) == 2 and not e.keywords:
        both = elementwise(*args)
        return both if not isinstance(both, Number) or both.rank == 1 else UNKNOWN
    if function is np.full and len(args) == 2 and not e.keywords:
        return _filled(_made(first), args[1])
    if function is np.linalg.norm and len(args) == 1 and not e.keywords:
        return FLOAT if isinstance(first, Number) and first.dtype == "f8" else None if first is None else UNKNOWN
    if function is np.linalg.solve and len(args) == 2:
        return args[1] if _of_floats(*args) else UNKNOWN
    if function is np.linalg.inv:
        return first if _of_floats(first) else UNKNOWN
    if function is np.linalg.det:
        return FLOAT if _of_floats(first) else UNKNOWN
    if function is np.transpose and len(args) == 1 and not e.keywords:
        return first
    return result(function, args) if not e.keywords else UNKNOWN


def _of_floats(*kinds: Kind) -> bool:
    """Whether all are vectors or matrices of floats."""
    return all(isinstance(k, Number) and k.rank in (1, 2) and k.dtype == "f8" for k in kinds)


def _filled(shape: Kind, filling: Kind) -> Kind:
    """An array of this shape with the same number in every element."""
    if shape is None or filling is None:
        return None
    return Number(shape.rank, filling.dtype) if isinstance(shape, Number) and isinstance(filling, Number) else UNKNOWN


def _summed(kind: Kind) -> Kind:
    """The sum of the items of a tuple of numbers."""
    return elementwise(*kind.items) if isinstance(kind, Items) else None if kind is None else UNKNOWN


def _ufunc(function: np.ufunc, args: list[Kind]) -> Kind:
    both = elementwise(*args)
    if not isinstance(both, Number):
        return both
    try:
        *_, out = function.resolve_dtypes((*(np.dtype(a.dtype) for a in args if isinstance(a, Number)), None))
    except TypeError:
        return UNKNOWN
    return Number(both.rank, out.str[1:])


def _of_math(function: Any) -> Kind:
    if function in (math.floor, math.ceil, math.trunc, math.gcd):
        return INT
    if function in (math.isnan, math.isinf, math.isfinite):
        return BOOL
    if function in (math.frexp, math.modf):
        return UNKNOWN
    return FLOAT


def _builtin(function: Any, first: Kind) -> Kind:
    if function in (int, len):
        return INT
    if first is None:
        return None
    if function is float:
        return FLOAT
    return first if isinstance(first, Number) and first.real else UNKNOWN


def reduced(first: Kind, e: ast.Call, function: Any) -> Kind:
    """A reduction over everything is a number; one over an axis that is a constant has one axis less."""
    if not isinstance(first, Number):
        return first if first is None else UNKNOWN
    dtype = first.dtype
    if function in (np.mean, np.var, np.std) and dtype[0] in "iub":
        dtype = "f8"
    if dtype == "b1":
        return UNKNOWN
    if len(e.args) == 1 and not e.keywords:
        return Number(0, dtype)
    axis = e.args[1] if len(e.args) == 2 else e.keywords[0].value if len(e.keywords) == 1 else None
    named = not e.keywords or e.keywords[0].arg == "axis"
    return Number(first.rank - 1, dtype) if named and isinstance(axis, (ast.Constant, ast.UnaryOp)) and (
        not (isinstance(axis, ast.Constant) and axis.value is None)
    ) else UNKNOWN  # fmt: skip


def _factors(matrix: Kind, ranks: tuple[int, ...]) -> Kind:
    """What a real matrix is taken apart into."""
    if isinstance(matrix, Number) and (matrix.rank != 2 or matrix.dtype != "f8"):
        return UNKNOWN
    return Items(tuple(Number(rank, "f8") for rank in ranks)) if isinstance(matrix, Number) else matrix


def _stretched(b: Kind, x: Kind) -> Kind:
    """A tangent in the shape of what it belongs to."""
    if not isinstance(x, Number) or not (x.scalar or (isinstance(b, Number) and b.rank <= x.rank and x.dtype == "f8")):
        return UNKNOWN
    return join(gradient_kind(x), b) if x.scalar else x


def _named_item(kind: Kind, name: ast.expr) -> Kind:
    """An item of a named tuple."""
    match kind, name:
        case Items(items=items, fields=fields), ast.Constant(value=v) if v in fields:
            return items[fields.index(v)]
        case _:
            return UNKNOWN if kind is not None else None


def _made(shape: Kind) -> Kind:
    match shape:
        case Number(rank=0):
            return Number(1, "f8")
        case Items(items=items) if items:
            return Number(len(items), "f8")
        case _:
            return UNKNOWN if shape is not None else None


def _packed(kind: Kind) -> Kind:
    """An array made from a list of numbers or arrays, or from an array."""
    match kind:
        case None | Number():
            return kind if kind is None or kind.rank else UNKNOWN
        case Stack(item=item):
            inner = item if isinstance(item, Number) else _packed(item) if isinstance(item, Stack) else item
            if inner is None:
                return None
            return Number(inner.rank + 1, inner.dtype) if isinstance(inner, Number) else UNKNOWN
        case _:
            return UNKNOWN


def _dot(a: Kind, b: Kind) -> Kind:
    both = elementwise(a, b)
    if isinstance(both, Number) and isinstance(a, Number) and isinstance(b, Number):
        ranks = {(1, 1): 0, (1, 2): 1, (2, 1): 1, (2, 2): 2}
        return Number(ranks[a.rank, b.rank], both.dtype) if (a.rank, b.rank) in ranks else UNKNOWN
    return both


def subscript(owner: Kind, index: ast.expr, of: Of) -> Kind:
    """What is read at an index."""
    match owner:
        case None:
            return None
        case Items(items=items) if isinstance(index, ast.Slice):
            bounds = [_bound(part) for part in (index.lower, index.upper, index.step)]
            return UNKNOWN if any(b is UNKNOWN for b in bounds) else Items(items[slice(*bounds)])
        case Items(items=items):
            at = index.value if isinstance(index, ast.Constant) else None
            if isinstance(at, int):
                return items[at] if -len(items) <= at < len(items) else UNKNOWN
            return items[0] if of(index) == INT and len(set(items)) == 1 else UNKNOWN
        case Stack(item=item):
            return owner if isinstance(index, ast.Slice) else item
        case Number(rank=rank, dtype=dtype) if rank > 0:
            left = rank_after(rank, index, of)
            return UNKNOWN if left is None else Number(left, dtype)
        case _:
            return UNKNOWN


def _bound(e: ast.expr | None) -> Any:
    match e:
        case None:
            return None
        case ast.Constant(value=int(n)):
            return n
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))):
            return -n
        case _:
            return UNKNOWN


def rank_after(rank: int, index: ast.expr, of: Of) -> int | None:
    """The rank of what is read by numbers and slices, or None where the index is something else.

    `a[..., 1]` of a vector is no number, but an array without axes that shows one.
    """
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for part in parts:
        if isinstance(part, ast.Slice):
            continue
        if isinstance(part, ast.Constant) and (part.value is None or part.value is Ellipsis):
            rank += part.value is None
            continue
        kind = of(part)
        if not (isinstance(kind, Number) and kind.scalar and kind.dtype[0] in "iu"):
            return None
        rank -= 1
    shows = not rank and any(isinstance(part, ast.Constant) and part.value is Ellipsis for part in parts)
    return rank if rank >= 0 and not shows else None
