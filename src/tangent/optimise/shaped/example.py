"""The kind of what a function gives, found by calling it on small arrays of the kinds it is given.

Lengths that have names stand for numbers, and for others the second time: an axis of the result that is each time as
long as one of them has its name. That is for functions whose results have a form that values do not decide.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from tangent.optimise.shaped.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOT_ONE,
    SMALL,
    UNKNOWN,
    UNSURE,
    Axis,
    Items,
    Kind,
    Number,
    not_one,
)  # fmt: skip

FUNCTIONS = frozenset(
    """
    cumsum cumprod nancumsum nancumprod diff ediff1d sort argsort argmax argmin einsum tensordot inner vdot tile
    repeat squeeze expand_dims moveaxis rollaxis atleast_1d atleast_2d atleast_3d column_stack dstack ravel diagonal
    broadcast_to trace pad rot90 convolve correlate gradient trapezoid ptp average median quantile percentile var std
    cov corrcoef interp linspace vander polyval split array_split hsplit vsplit meshgrid take take_along_axis tril triu
    nansum nanmean nanmax nanmin nanvar nanstd logaddexp append insert delete cumulative_sum cumulative_prod matvec
    vecmat vecdot matrix_transpose permute_dims count_nonzero any all floor ceil rint trunc fix round around
    floor_divide partition kron select
    """.split()
)
MATRICES = frozenset(
    """
    inv det slogdet solve cholesky eigh eigvalsh svd svdvals qr pinv norm vector_norm matrix_norm matrix_power
    multi_dot outer trace matmul diagonal cross vecdot tensordot cond
    """.split()
)
METHODS = frozenset(
    """
    cumsum cumprod std var transpose swapaxes ravel flatten squeeze dot diagonal trace clip repeat argmax argmin argsort
    any all round take
    """.split()
)
KERNELS = frozenset(
    """
    linalg matrices norms factors qr reduce accumulate calculus elementwise products axes shape windows padding
    polynomial order einsum vectors statistics fits wholes spectra running
    """.split()
)
INDEXED = frozenset(
    """
    take take_along_axis cumsum cumprod sort argsort argmax argmin any all count_nonzero ravel flatten diagonal squeeze
    expand_dims interp trace round clip einsum inner vdot tensordot transpose swapaxes sum_along
    """.split()
)  # integers among what these are given do not decide about a form, as the counts of np.repeat do
DROPPING = frozenset("squeeze cov corrcoef gram gram_tangent correlation_tangent".split())  # axes of length 1
# Lengths of axes, the one and the other time: of any two, each is once the shorter.
FIRST, SECOND = (17, 19, 23, 29, 31, 37, 41, 43), (35, 34, 29, 28, 24, 21, 20, 19)
Given = tuple[tuple[str, Any], ...]  # names of keywords, empty for others, and what is known of the arguments


def is_formal(function: Any) -> bool:
    """Whether the form of what a function gives depends on the forms of its arguments alone."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "") or ""
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return name in ("accumulate", "reduceat", "outer", "reduce")
    if module == "numpy.linalg":
        return name in MATRICES and getattr(np.linalg, name, None) is function
    if module.startswith("tangent.runtime.kernels."):
        return module.rpartition(".")[2] in KERNELS
    return name in FUNCTIONS and getattr(np, name, None) is function


def by_example(function: Any, e: ast.Call, of: Callable[[ast.expr], Kind], *owner: Kind) -> Kind:
    """The kind of a call, of which `owner` is the first argument where it is one of a method."""
    args = [("", k) for k in owner] + [("", _told(a, of)) for a in e.args]
    given = (*args, *((k.arg or "", _told(k.value, of)) for k in e.keywords))
    if any(x is UNKNOWN for _, x in given) or any(k.arg in (None, "out", "where") for k in e.keywords):
        return UNKNOWN
    numbers = [x for _, x in given if isinstance(x, Number)]
    if any(x.rank and not x.real for x in numbers) and not _takes_integers(function):
        return UNKNOWN
    if function.__name__ in DROPPING and any(n != 1 and not not_one(n) for x in numbers for n in x.axes):
        return UNKNOWN
    if any(x.weak is None for x in numbers) and any(x.dtype == "f4" for x in numbers):  # which of them has the say?
        return UNKNOWN
    return _found(function, given)


def _takes_integers(function: Any) -> bool:
    """Whether arrays of integers and truths are values or indices, and no more."""
    return isinstance(function, np.ufunc) or function.__name__ in INDEXED


def _told(e: ast.expr, of: Callable[[ast.expr], Kind]) -> Kind | _Literal:
    """What is known of an argument."""
    try:
        ast.literal_eval(e)
    except (ValueError, TypeError):
        return of(e)
    return _Literal(ast.unparse(e))


@dataclass(frozen=True)
class _Literal:
    """A constant, or a list of some, by its text."""

    text: str


@lru_cache(maxsize=2048)
def _found(function: Any, given: Given) -> Kind:
    """The kind of a result; where lengths of different names have to be the same, they are."""
    apart = [_Run(FIRST, 0), _Run(SECOND, 1)]
    alike = [_Run(FIRST[:1], 0), _Run(SECOND[:1], 1)]
    for runs in (apart, alike):
        results = [_result(function, given, run) for run in runs]
        if not any(r is UNKNOWN for r in results):
            return _kind(results, runs)
    return UNKNOWN


def _result(function: Any, given: Given, run: _Run) -> Any:
    try:
        args, options = run.arguments(given)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **options)
    except Exception:  # arguments that do not fit: the call itself will tell
        return UNKNOWN


class _NotKnown(Exception):
    """There is no example of something."""


@dataclass
class _Run:
    """Examples with certain lengths and values; where there is but one length, all axes with names have it."""

    lengths: tuple[int, ...]
    number: int
    sizes: dict[str, int] = field(default_factory=dict)

    def arguments(self, given: Given) -> tuple[list[Any], dict[str, Any]]:
        made = [(v, self.example(x)) for v, x in given]
        return [x for v, x in made if not v], {v: x for v, x in made if v}

    def example(self, told: Any) -> Any:
        match told:
            case Number(axes=()):
                return self.scalar(told)
            case Number():
                return self.array(told)
            case Items(items=items):
                return [self.example(k) for k in items] if told.listed else tuple(self.example(k) for k in items)
            case _Literal(text=text):
                return ast.literal_eval(text)
            case _:
                raise _NotKnown

    def scalar(self, kind: Number) -> Any:
        if kind.dtype == "i8" and kind.size is not None:
            return self.length(kind.size)
        if kind.dtype not in ("f8", "f4"):
            raise _NotKnown
        return 0.5 if kind.weak else np.dtype(kind.dtype).type(0.5)

    def array(self, kind: Number) -> np.ndarray:
        shape = tuple(self.length(n) for n in kind.axes)
        if not kind.real:
            return np.zeros(shape, kind.dtype)
        values = 1.0 + self.number * np.linspace(0.0, 0.5, int(np.prod(shape))).reshape(shape)
        if len(shape) > 1 and shape[-1] == shape[-2]:
            values = (values + np.swapaxes(values, -1, -2)) * self.number + 4.0 * shape[-1] * np.eye(shape[-1])
        return values.astype(kind.dtype)

    def length(self, n: Axis) -> int:
        if isinstance(n, int):
            return n
        base, _, less = n.partition("-")
        if less.isdigit():
            return self.length(base) - int(less)
        if n in (UNSURE, NOT_ONE):  # any length, not that of another axis
            n = f"{n}{len(self.sizes)}"
        if n not in self.sizes:
            if len(self.sizes) >= len(self.lengths) > 1:
                raise _NotKnown
            self.sizes[n] = self.lengths[len(self.sizes) % len(self.lengths)]
        return self.sizes[n]


def _kind(results: list[Any], runs: list[_Run]) -> Kind:
    """The kind of two results."""
    first, second = results
    if type(first) is not type(second):
        return UNKNOWN
    if isinstance(first, tuple) and len(first) == len(second):
        return Items(tuple(_kind([p, q], runs) for p, q in zip(first, second)), fixed=True)
    if type(first) in (float, int, bool):
        return {float: FLOAT, int: INT, bool: BOOL}[type(first)]
    if not isinstance(first, (np.ndarray, np.generic)) or first.dtype != second.dtype or first.ndim != second.ndim:
        return UNKNOWN
    if isinstance(first, np.ndarray) and not first.ndim:
        return UNKNOWN
    axes = tuple(_axis((n, m), runs) for n, m in zip(first.shape, second.shape))
    return Number(axes, first.dtype.str[1:])


def _axis(lengths: tuple[int, int], runs: list[_Run]) -> Axis:
    """What is known of an axis of the result, which is as long as this the one and the other time."""
    if lengths[0] == lengths[1]:
        return lengths[0]
    found = [n for n in runs[0].sizes if tuple(run.sizes[n] for run in runs) == lengths]
    if len(found) == 1:
        return found[0][0] if found[0][1:].isdigit() else found[0]
    if found:
        return UNSURE if any(n.startswith(UNSURE) for n in found) else NOT_ONE
    shorter = [(n, k) for n in runs[0].sizes if (k := runs[0].sizes[n] - lengths[0]) == runs[1].sizes[n] - lengths[1]]
    sure = [(n, k) for n, k in shorter if 0 < k < SMALL and "/" not in n and n[0] not in (UNSURE, NOT_ONE)]
    return f"{sure[0][0]}-{sure[0][1]}" if len(runs[0].lengths) > 1 and sure else UNSURE
