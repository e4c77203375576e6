"""The kinds of what functions give that are told by the kinds of their arguments alone: a line for each.

np.reshape(x, (n, 3))          a matrix of what x holds
np.concatenate((u, v))         an array of the rank of both
np.linalg.slogdet(a)           two numbers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.kinds import BOOL, FLOAT, INT, UNKNOWN, Items, Kind, Number, elementwise, inexact, promoted

Rule = Callable[..., Kind]


def result(function: Any, args: list[Kind]) -> Kind:
    """What a function of the table gives; unknown where its arguments are not as the table expects."""
    count, rule = RULES.get(function, (0, None))
    first = args[0]
    if rule is None or len(args) > count or not isinstance(first, (Number, Items)) or None in args:
        return UNKNOWN
    return rule(*args)


def same(x: Kind, *_: Kind) -> Kind:
    """An array like the first argument."""
    return x if _is_array(x) else UNKNOWN


def triangle(x: Kind, *_: Kind) -> Kind:
    """A triangle of matrices; of a vector, that of the matrix which has it in every row."""
    return Number(max(x.rank, 2), x.dtype) if isinstance(x, Number) and _is_array(x) else UNKNOWN


def of_matrix(x: Kind) -> Kind:
    return x if isinstance(x, Number) and x.rank == 2 and x.dtype == "f8" else UNKNOWN


def with_rank(rank: int) -> Rule:
    """An array of numbers like those of the first argument."""
    return lambda x, *_: Number(rank, x.dtype) if _is_array(x) else UNKNOWN


def of_shape(x: Kind, shape: Kind) -> Kind:
    if not isinstance(x, Number):
        return UNKNOWN
    match shape:
        case Items(items=items):
            return Number(len(items), x.dtype)
        case Number(rank=0, dtype="i8"):
            return Number(1, x.dtype)
        case _:
            return UNKNOWN


def counted(*ends: Kind) -> Kind:
    """`np.arange` of integers or floats."""
    if all(isinstance(k, Number) and k.scalar and k.dtype in ("i8", "f8") for k in ends):
        return Number(1, promoted(*(k.dtype for k in ends if isinstance(k, Number))))
    return UNKNOWN


def joined(parts: Kind, *_: Kind) -> Kind:
    """Arrays of one rank behind each other."""
    if not isinstance(parts, Items) or not all(_is_array(k) for k in parts.items):
        return UNKNOWN
    ranks = {k.rank for k in parts.items if isinstance(k, Number)}
    return elementwise(*parts.items) if len(ranks) == 1 else UNKNOWN


def piled(parts: Kind, *_: Kind) -> Kind:
    """Arrays of one rank along a new axis."""
    one = joined(parts)
    return Number(one.rank + 1, one.dtype) if isinstance(one, Number) else UNKNOWN


def diagonal(x: Kind) -> Kind:
    return Number(3 - x.rank, x.dtype) if isinstance(x, Number) and x.rank in (1, 2) else UNKNOWN


def traced(x: Kind) -> Kind:
    return Number(0, x.dtype) if isinstance(x, Number) and x.rank == 2 and x.dtype in ("f8", "i8") else UNKNOWN


def scalar(kind: Kind) -> Rule:
    """A number, of an array."""
    return lambda x: kind if _is_array(x) else UNKNOWN


def paired(x: Kind, y: Kind) -> Kind:
    """The inner product of two vectors."""
    vectors = isinstance(x, Number) and isinstance(y, Number) and x.rank == y.rank == 1 and x.dtype == y.dtype == "f8"
    return FLOAT if vectors else UNKNOWN


def third(y: Kind, b: Kind, x: Kind) -> Kind:
    return inexact(x) if isinstance(x, Number) else UNKNOWN


def like_second(b: Kind, x: Kind, *_: Kind) -> Kind:
    """An array of floats like the second argument."""
    return x if _are_floats(b, x) and isinstance(x, Number) and x.rank else UNKNOWN


def like_first(x: Kind, *rest: Kind) -> Kind:
    """An array of floats like the first argument."""
    return x if _are_floats(x, *rest) and isinstance(x, Number) and x.rank else UNKNOWN


def found(x: Kind, v: Kind) -> Kind:
    """Places in a sorted array."""
    return Number(v.rank, "i8") if _is_array(x) and isinstance(v, Number) else UNKNOWN


def as_columns(v: Kind, b: Kind) -> Kind:
    if not _are_floats(v, b):
        return UNKNOWN
    return Number(2, "f8") if isinstance(b, Number) and b.rank == 1 else v


def _are_floats(*kinds: Kind) -> bool:
    return all(isinstance(k, Number) and k.dtype == "f8" for k in kinds)


def packed(like: Kind, *parts: Kind) -> Kind:
    """The parts as a tuple like another, or numbers as a vector."""
    if isinstance(like, Items) and len(like.items) == len(parts):
        return like.with_items(parts)
    numbers = bool(parts) and all(k == FLOAT for k in parts)
    return like if numbers and isinstance(like, Number) and like.rank == 1 and like.dtype == "f8" else UNKNOWN


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.rank > 0 and kind.dtype in ("f8", "f4", "i8")


MANY = 100

# By function: how many arguments it may have here, and what it gives.
RULES: dict[Any, tuple[int, Rule]] = {
    bool: (1, lambda x: BOOL if isinstance(x, Number) and x.scalar else UNKNOWN),
    np.reshape: (2, of_shape),
    np.broadcast_to: (2, of_shape),
    np.real: (1, lambda x: x if isinstance(x, Number) and x.real else UNKNOWN),
    np.ravel: (1, with_rank(1)),
    np.flip: (1, same),
    np.roll: (2, same),
    np.sort: (1, same),
    np.diff: (1, same),
    np.tril: (2, triangle),
    np.triu: (2, triangle),
    np.swapaxes: (3, same),
    np.cumsum: (1, with_rank(1)),
    np.arange: (3, counted),
    np.concatenate: (2, joined),
    np.hstack: (1, joined),
    np.stack: (2, piled),
    np.diag: (1, diagonal),
    np.expand_dims: (2, lambda x, axis: Number(x.rank + 1, x.dtype) if _is_array(x) and axis == INT else UNKNOWN),
    np.trace: (1, traced),
    np.argmax: (1, scalar(INT)),
    np.argmin: (1, scalar(INT)),
    np.searchsorted: (2, found),
    np.argsort: (1, lambda x: Number(x.rank, "i8") if _is_array(x) else UNKNOWN),
    np.size: (1, lambda x: INT if isinstance(x, Number) else UNKNOWN),
    np.clip: (3, lambda x, a, b: elementwise(x, a, b) if _are_floats(x, a, b) else UNKNOWN),
    np.shape: (1, lambda x: Items((INT,) * x.rank) if isinstance(x, Number) else UNKNOWN),
    np.any: (1, scalar(BOOL)),
    np.all: (1, scalar(BOOL)),
    np.vdot: (2, paired),
    np.inner: (2, paired),
    np.linalg.cholesky: (1, of_matrix),
    np.linalg.slogdet: (1, lambda x: Items((FLOAT, FLOAT)) if isinstance(of_matrix(x), Number) else UNKNOWN),
    runtime.as_matrices: (1, lambda x: Number(x.rank + 2, x.dtype) if isinstance(x, Number) else UNKNOWN),
    runtime.mT: (1, of_matrix),
    runtime.mH: (1, of_matrix),
    runtime.half_triangle: (1, of_matrix),
    runtime.cholesky_adjoint: (2, like_second),
    runtime.cholesky_tangent: (2, like_second),
    runtime.solve_lower: (2, like_second),
    runtime.solve_upper: (2, like_second),
    runtime.slogdet_slope: (2, lambda y, a: of_matrix(a)),
    runtime.cofactors: (1, of_matrix),
    runtime.cofactors_slope: (2, lambda t, a: of_matrix(a)),
    runtime.cross_adjoint: (3, third),
    runtime.turned: (3, lambda b, y, x: x if _are_floats(b, y, x) else UNKNOWN),
    runtime.undiag: (2, like_second),
    runtime.undiff: (2, like_second),
    runtime.winners: (4, like_second),
    runtime.about_mean: (1, like_first),
    runtime.product_of_others: (2, like_first),
    runtime.length_slope: (2, like_first),
    runtime.columns: (2, as_columns),
    runtime.solve_columns: (3, lambda a, v, b: v if _are_floats(a, v, b) else UNKNOWN),
    runtime.matmul_columns: (3, lambda a, v, b: v if _are_floats(a, v, b) else UNKNOWN),
    runtime.uncast: (1, lambda b: b if _are_floats(b) else UNKNOWN),
    runtime.repack: (MANY, packed),
    runtime.rest: (2, same),
}
