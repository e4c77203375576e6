"""The kinds of what calls give back: functions of NumPy and `math`, methods of arrays, run-time functions."""

from __future__ import annotations

import ast
import cmath
import math
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from tangent import runtime
from tangent.analysis.shapes.results import CASTS
from tangent.optimise.settled import OF_TERMS
from tangent.optimise.shaped import containers
from tangent.optimise.shaped.drawn import by_module, generator
from tangent.optimise.shaped.example import by_example, is_formal
from tangent.optimise.shaped.joins import JOINING, joined_list, sections
from tangent.optimise.shaped.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UNKNOWN,
    UNSURE,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Rows,
    Stack,
    any_of,
    broadcast,
    is_single,
    stretched,
)
from tangent.optimise.shaped.making import (
    counted,
    crossed,
    diagonal,
    filled,
    joined,
    made,
    outer,
    product,
    reduced,
    reshaped,
    solved,
    stacked,
    stacked_anew,
    subscripted,
    swapped,
    transposed,
    value_of,
)
from tangent.optimise.shaped.operands import like_operand
from tangent.optimise.shaped.parts import Of, attribute
from tangent.rules.table import table
from tangent.runtime.persistent import PersistentArray, append, setitem

REDUCTIONS = (np.sum, np.mean, np.max, np.min, np.prod, np.amax, np.amin)
OF_ALL = (np.linalg.norm, np.median, np.nansum, np.nanmean)
LIKE_FIRST = (
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.copy,
    runtime.init_grad,
    runtime.lazy_zero,
    runtime.shadow,
    runtime.beside,
    runtime.mirror,
    runtime.about_mean,
)
SCALARS = {np.float64: "f8", np.float32: "f4"}
MAKING_ARRAYS = (np.zeros_like, np.ones_like, np.empty_like, np.copy)  # also of numbers
SAME = (
    runtime.copy,
    runtime.dense,
    runtime.own,
    runtime.add_part,
    runtime.add_cell,
    runtime.with_part,
    runtime.with_cell,
    runtime.clear_item,
    runtime.cleared,
    runtime.sequence,
)
OF_ANY = (runtime.own_any, runtime.content)  # of arrays, an array; what is a number may be in a box
LIKE_SECOND = (
    runtime.spread, runtime.scatter, runtime.winners, runtime.matmul_adjoint_x, runtime.dot_adjoint_a,
    runtime.settled, runtime.as_given, runtime.rejoined, runtime.refit, runtime.add_item, runtime.broadcast_like,
    runtime.unsequence, runtime.fit_grad, runtime.item_grad,
)  # fmt: skip
LIKE_THIRD = (runtime.matmul_adjoint_y, runtime.dot_adjoint_b, runtime.cross_adjoint)
SAME_FORM = (np.flip, np.flipud, np.fliplr, np.roll)
TRIANGLES = (np.triu, np.tril)  # of a vector, of the matrix that has it in every row
KEEPERS = frozenset((*SAME, np.copy))  # give back a persistent array as such
ARITHMETIC = (
    runtime.ratio, runtime.times, runtime.power_slope, runtime.where_nonzero, runtime.safe_ratio, runtime.cosine,
    runtime.gap, runtime.power_log,
)  # fmt: skip
OF_LEGS = (runtime.leg_share, runtime.inverse_real, runtime.inverse_imag)
ELEMENTWISE = (
    runtime.logistic, runtime.logistic2, runtime.hypot_one, runtime.leg_one, runtime.leg_cosh, runtime.leg_tanh,
)  # fmt: skip


def result_of(function: Any, e: ast.Call, of: Of) -> Kind:
    """The kind of a call of a function that is known."""
    if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
        return UNKNOWN
    try:
        return _result_of(function, e, of)
    except TypeError:  # what is not hashable is nothing that is known here
        return UNKNOWN


def _result_of(function: Any, e: ast.Call, of: Of) -> Kind:
    kinds = [of(a) for a in e.args]
    if function is len:
        return _length(kinds[0])
    if function is runtime.heap_first:
        return INT
    if function in (float, int, bool):
        return {float: FLOAT, int: INT, bool: BOOL}[function]
    if function is complex:
        return COMPLEX
    if function in SCALARS and len(kinds) == 1 and isinstance(kinds[0], Number) and not kinds[0].rank:
        return Number((), SCALARS[function]) if kinds[0].dtype != "c16" else UNKNOWN
    if function is abs and len(kinds) == 1 and is_single(kinds[0]):
        return Number((), "f8", kinds[0].weak)
    if getattr(function, "__module__", "") == "cmath":
        return COMPLEX if table().lookup(function) and function is not cmath.phase else UNKNOWN
    if function is runtime.conj_sign and kinds and is_single(kinds[0]):
        return kinds[0] if kinds[0].dtype == "f8" else with_changes(kinds[0], weak=None)
    if getattr(function, "__module__", "") == "math":
        return FLOAT if function not in NOT_FLOATS else UNKNOWN
    if (source := generator(function)) is not None:
        return source
    if (found := by_module(function, e, of)) != UNKNOWN or not kinds:
        return found
    if function in (append, setitem, runtime.extended, runtime.put_rows):
        return grown(kinds[0], function in (append, runtime.extended))
    if function is PersistentArray:
        return Rows(kinds[0]) if isinstance(kinds[0], Number) and kinds[0].rank and len(kinds) == 1 else UNKNOWN
    if function is runtime.with_room:
        return kinds[0].array if isinstance(kinds[0], Rows) else kinds[0]
    if function is runtime.kept_rows and isinstance(kinds[0], Number):
        return Number((*[UNSURE] * (len(kinds) - 1), *kinds[0].axes[1:]), kinds[0].dtype)
    if isinstance(kinds[0], Rows) and function in KEEPERS:
        return UNKNOWN
    kinds = [k.array if isinstance(k, Rows) else k for k in kinds]
    if (getattr(function, "__module__", "") or "").startswith("tangent.runtime"):
        found = _by_runtime(function, kinds)
        if found == UNKNOWN and is_formal(function):
            found = like_gradient(by_example(function, e, of))
        return like_operand(function, kinds) if found == UNKNOWN else found
    if function in REDUCTIONS:
        return reduced(kinds[0], options(e, ("axis", "dtype", "out", "keepdims")))
    if function in (np.std, np.var):
        given = options(e, ("axis", "dtype", "out", "ddof", "keepdims"))
        return reduced(kinds[0], {k: x for k, x in given.items() if k != "ddof"})
    if function in OF_ALL and len(kinds) == 1 and not e.keywords:  # a number
        return reduced(kinds[0], {}) if isinstance(kinds[0], Number) and kinds[0].dtype in ("f8", "f4") else UNKNOWN
    if function in (np.dot, np.matmul) and len(kinds) == 2 and not e.keywords:
        return product(kinds[0], kinds[1], dot=function is np.dot)
    if function is np.vecdot and len(kinds) == 2 and not e.keywords:
        return reduced(broadcast(*kinds), {"axis": ast.Constant(-1)})
    if function is np.einsum and len(kinds) == 3 and not e.keywords:
        whole = broadcast(*kinds[1:])
        if isinstance(whole, Number) and value_of(e.args[0]) == along_rows(whole.rank):
            return reduced(whole, {"axis": ast.Constant(-1)})
    if function is np.einsum and not e.keywords and (found := subscripted(value_of(e.args[0]), kinds[1:])) != UNKNOWN:
        return found
    if function in (np.zeros, np.ones, np.empty) and len(kinds) == 1 and not e.keywords:
        return made(kinds[0])
    if function is np.full and len(kinds) == 2 and not e.keywords:
        return filled(*kinds)
    if function in (np.eye, np.identity) and len(kinds) == 1 and not e.keywords:
        return made(Items((kinds[0], kinds[0])))
    if function in LIKE_FIRST:
        without_axes = function in MAKING_ARRAYS and isinstance(kinds[0], Number) and not kinds[0].axes
        return like(kinds[0]) if len(kinds) == 1 and not e.keywords and not without_axes else UNKNOWN
    if function in (np.array, np.asarray) and len(kinds) == 1 and not e.keywords:
        return stacked(kinds[0])
    if function in JOINING and isinstance(kinds[0], (Stack, Listed)):
        given = options(e, ("axis",) if function in (np.stack, np.concatenate) else ())
        plain = given.keys() <= {"axis"} and not e.keywords[1:]
        return joined_list(function, kinds[0], given.get("axis", ast.Constant(0))) if plain else UNKNOWN
    if function is np.split and {"count"} <= (given := options(e, ("count", "axis"))).keys() <= {"count", "axis"}:
        if (cut := sections(kinds[0], given["count"], given.get("axis", ast.Constant(0)))) != UNKNOWN:
            return cut
    if function is np.concatenate:
        return joined(kinds[0], options(e, ("axis",)).get("axis", ast.Constant(0)))
    if function is np.linalg.solve and len(kinds) == 2 and not e.keywords:
        return solved(*kinds)
    if function in (np.hstack, np.vstack, np.stack):
        return _stack(function, e, kinds[0])
    if function is np.swapaxes and len(e.args) == 3:
        return swapped(kinds[0], value_of(e.args[1]), value_of(e.args[2]))
    if function is np.transpose and len(e.args) <= 2 and not e.keywords:
        return transposed(kinds[0], value_of(e.args[1]) if len(e.args) == 2 else None)
    if function is np.shape and isinstance(kinds[0], Number) and kinds[0].rank:
        return attribute(kinds[0], "shape")
    if function is np.reshape and len(kinds) == 2 and not e.keywords:
        return reshaped(*kinds)
    if function in SAME_FORM or (function in TRIANGLES and _rank(kinds[0]) > 1):
        return like(kinds[0])
    if function is np.where and len(kinds) == 3 and not e.keywords:
        return chosen(strong(broadcast(kinds[1], kinds[2])), kinds[0], kinds[0])
    if function is list and len(kinds) == 1:
        return containers.FLOATS if containers.is_of_floats(kinds[0]) else rows_of(kinds[0])
    if function is sum and len(kinds) == 1:
        plain = containers.is_of_floats(kinds[0])
        return FLOAT if plain else Number((), "f8", None) if containers.is_of_numbers(kinds[0]) else UNKNOWN
    if function in (max, min) and containers.is_of_floats(kinds[0]) and len(kinds) == 1 and not e.keywords:
        return FLOAT
    if function in (max, min) and len(kinds) >= 2 and not e.keywords:
        return _larger(kinds)
    if function is np.cross and len(kinds) == 2 and not e.keywords:
        return crossed(*kinds)
    if function is np.outer and len(kinds) == 2:
        return outer(*kinds)
    if function is np.diag and len(kinds) == 1 and not e.keywords:
        return diagonal(kinds[0])
    if function is np.arange:
        return counted(kinds) if not e.keywords else UNKNOWN
    if function is np.linspace:
        given = options(e, ("stop", "num", "endpoint"))
        plain = {"stop", "num"} <= given.keys() <= {"stop", "num", "endpoint"} and not _rank(kinds[0])
        return made(of(given["num"])) if plain and not _rank(of(given["stop"])) else UNKNOWN
    rules = [table().rules[b.rule] for b in table().lookup(function)]
    if any(r.name in CASTS for r in rules):
        return UNKNOWN
    if rules and all(r.kind == "elementwise" for r in rules) and all(k.arg == "out" for k in e.keywords):
        found = strong(broadcast(*kinds))
        if function is np.float_power and isinstance(found, Number) and found.dtype != "f8":
            return UNKNOWN  # double, at least
        return by_example(function, e, lambda a: some_number(of(a))) if found == UNKNOWN else found
    return by_example(function, e, of) if is_formal(function) else UNKNOWN


def rows_of(kind: Kind) -> Kind:
    """A list of the rows of an array."""
    match kind:
        case Number(axes=(_, *rest)) if kind.real:
            return Listed(Number(tuple(rest), kind.dtype))
        case _:
            return UNKNOWN


def some_number(kind: Kind) -> Kind:
    """An integer that is as good as another: the form of a result does not depend on it."""
    return with_changes(kind, size=2) if isinstance(kind, Number) and not kind.rank and kind.dtype == "i8" else kind


def _rank(kind: Kind) -> int:
    return kind.rank if isinstance(kind, Number) else 1


def along_rows(rank: int) -> str:
    """How `np.einsum` is told to multiply rows.

    >>> along_rows(3)
    'ijk,ijk->ij'
    """
    letters = "ijklmnop"[:rank]
    return f"{letters},{letters}->{letters[:-1]}"


def _stack(function: Any, e: ast.Call, kind: Kind) -> Kind:
    """`np.hstack`, `np.vstack` and `np.stack` of arrays."""
    if function is np.stack:
        return stacked_anew(kind, options(e, ("axis",)).get("axis", ast.Constant(0)))
    ranks = {k.rank for k in kind.items if isinstance(k, Number)} if isinstance(kind, Items) else set()
    if e.keywords or not ranks or min(ranks) < (1 if function is np.hstack else 2):
        return UNKNOWN
    return joined(kind, ast.Constant(1 if function is np.hstack and max(ranks) > 1 else 0))


def _larger(kinds: list[Kind]) -> Kind:
    """`max(a, b)` and `min(a, b)` of numbers."""
    numbers = [k for k in kinds if isinstance(k, Number) and not k.rank]
    if len(numbers) < len(kinds) or not (all(k.real for k in numbers) or all(k.dtype == "i8" for k in numbers)):
        return UNKNOWN
    return any_of(Items(tuple(with_changes(k, size=None) for k in numbers))) or UNKNOWN


NOT_FLOATS = (
    math.floor, math.ceil, math.trunc, math.isnan, math.isinf, math.isfinite, math.gcd, math.frexp, math.modf,
    math.factorial, math.comb, math.perm, math.lcm, math.isqrt, math.prod, math.isclose,
)  # fmt: skip


def _by_runtime(function: Any, kinds: list[Kind]) -> Kind:
    if any(map(containers.is_container, kinds[:2])):
        found = containers.result_of(function, kinds)
        if found != UNKNOWN or any(isinstance(k, (Listed, Fields)) for k in kinds[:2]):
            return found
    if function in LIKE_FIRST:
        return like(kinds[0])
    if function in SAME:
        return kinds[0]
    if function in OF_ANY:
        return kinds[0] if isinstance(kinds[0], Number) and kinds[0].rank else UNKNOWN
    if function in LIKE_SECOND and len(kinds) >= 2:
        return like(kinds[1])
    if function in LIKE_THIRD and len(kinds) >= 3:
        return like(kinds[2])
    if function is runtime.unbroadcast:
        return fitted(*kinds)
    if function in OF_TERMS and len(kinds) == 3 and all(isinstance(k, Number) for k in kinds):
        return fitted(kinds[0], kinds[OF_TERMS[function]])
    if function is runtime.scaled and len(kinds) == 3 and kinds[0] == FLOAT and containers.is_of_floats(kinds[2]):
        return containers.FLOATS
    if function in (runtime.fit_matmul, runtime.fit_dot) and len(kinds) == 3:
        whole = product(kinds[1], kinds[2], dot=function is runtime.fit_dot)
        return whole if isinstance(whole, Number) and whole == kinds[0] else UNKNOWN
    if function in (runtime.ratio, runtime.cosine, runtime.times) and kinds == [FLOAT, FLOAT]:
        return FLOAT
    if function in ELEMENTWISE and len(kinds) == 1:
        return strong(kinds[0], None)
    if function in ARITHMETIC and len(kinds) == 2:
        return strong(broadcast(*kinds), None)
    if function in OF_LEGS and len(kinds) >= 3:
        return _by_runtime(runtime.cosine, [kinds[0], kinds[2]])
    if function is runtime.add_grad:
        return kinds[0] if kinds[0] == kinds[1] else UNKNOWN
    if function is runtime.count:
        return FLOAT
    if function is runtime.portions and isinstance(kinds[-1], Items):
        return Items((like(FLOAT),) * len(kinds[-1].items))
    if function is runtime.scaled and isinstance(kinds[-1], Items) and kinds[0] in (FLOAT, like(FLOAT), strong(FLOAT)):
        return Items((like(FLOAT),) * len(kinds[-1].items))
    if function is runtime.at_rank and len(kinds) == 2:
        b, x = kinds
        plain = isinstance(b, Number) and isinstance(x, Number) and b.dtype == x.dtype == "f8" and not b.rank
        return Number((1,) * x.rank, "f8") if plain and isinstance(x, Number) and x.rank else UNKNOWN
    if function in (runtime.norm_slope, runtime.length_slope) and len(kinds) == 2:
        return like(kinds[0]) if isinstance(kinds[0], Number) and kinds[0].rank else UNKNOWN
    if function is runtime.share and len(kinds) == 3:
        return chosen(*kinds)
    if function in (runtime.split_like, runtime.hsplit_like) and len(kinds) == 2 and isinstance(kinds[1], Items):
        return Items(tuple(like(k) for k in kinds[1].items))
    if function is runtime.undiag and len(kinds) == 2:
        return like(kinds[1])
    if function is runtime.conj_sign:
        return kinds[0]
    if function is runtime.turned and len(kinds) == 3:  # of a complex number, in the form of all three
        b, _, x = kinds
        single = is_single(b) and is_single(x)
        return x if single or (isinstance(x, Number) and x.real) else UNKNOWN
    if function is runtime.check_seed and len(kinds) == 2:
        seed, result = kinds
        if not isinstance(seed, Number) or not isinstance(result, Number) or seed.rank != result.rank:
            return UNKNOWN
        return seed if result.dtype == "f8" else Number((), "f4") if result.dtype == "f4" and not seed.rank else UNKNOWN
    return UNKNOWN


def chosen(b: Kind, mine: Kind, other: Kind) -> Kind:
    """What of b belongs to one of two operands, as masks tell."""
    if b == FLOAT and mine == BOOL == other:
        return FLOAT
    if isinstance(b, Number) and isinstance(mine, Number) and isinstance(other, Number) and b.real:
        return Number(stretched([b.axes, mine.axes, other.axes]), b.dtype)
    return UNKNOWN


def options(e: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """The arguments after the first, by name."""
    return dict(zip(names, e.args[1:])) | {k.arg: k.value for k in e.keywords if k.arg}


def grown(kind: Kind, longer: bool) -> Kind:
    """`append(x, row)` and `setitem(x, index, value)`."""
    match kind:
        case Rows(array=array):
            inner = grown(array, longer)
            return Rows(inner) if isinstance(inner, Number) else UNKNOWN
        case Number(axes=(_, *rest)):
            return Number((UNSURE, *rest), kind.dtype) if longer else kind
        case _:
            return UNKNOWN


def strong(kind: Kind, weak: bool | None = False) -> Kind:
    """What NumPy gives back, also for a number of Python's."""
    if isinstance(kind, Number) and kind.real:
        return Number(kind.axes, kind.dtype, False if kind.axes else weak)
    return UNKNOWN


def like(kind: Kind) -> Kind:
    """A gradient of such a value."""
    if not isinstance(kind, Number) or not kind.real:
        return UNKNOWN
    return Number(kind.axes, kind.dtype, None if not kind.axes else False)


def like_gradient(kind: Kind) -> Kind:
    """What a function of a rule gives, of which it may depend on the seed whether it is a number of Python's."""
    match kind:
        case Number(axes=()):
            return like(kind)
        case Items(items=items):
            return with_changes(kind, items=tuple(map(like_gradient, items)))
        case _:
            return kind


def fitted(b: Kind, x: Kind) -> Kind:
    """`unbroadcast(b, x)`."""
    if isinstance(b, Number) and isinstance(x, Number) and b.real and x.real:
        if x.axes or b.dtype == x.dtype:
            return like(x)
    return UNKNOWN


def _length(kind: Kind) -> Kind:
    match kind:
        case Number(axes=(first, *_)):
            return Number((), "i8", True, first)
        case Items(items=items):
            return Number((), "i8", True, len(items))
        case _:
            return INT
