"""Reductions with tuples of axes and kept dimensions, which Numba lacks, and the kernels of their rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.backends.numba.broadcast import cast, cast_array
from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_complex,
    is_nothing,
    is_number,
    jitable,
    rank,
    value_of,
    written,
)
from tangent.runtime import about_mean, count, spread, winners


def axes_of(axis: Any, n: int) -> tuple[int, ...] | None:
    """The axes of a reduction, counted from the front, where they are known beforehand."""
    given = value_of(axis, default=...)
    if given is None:
        return tuple(range(n))
    if isinstance(given, int):
        given = (given,)
    if not isinstance(given, tuple) or any(not isinstance(i, int) for i in given):
        return None
    return tuple(i % n for i in given) if n else ()


def keeps(keepdims: Any) -> bool | None:
    """Whether reduced axes stay, where that is known beforehand."""
    given = value_of(keepdims, default=...)
    return None if given is ... else bool(given)


def reduction(n: int, axes: tuple[int, ...], keep: bool, start: str, step: str, end: str = "out") -> Any:
    """A function that goes over an array of rank n once.

    For n = 2 and axes = (0,):

    for i0 in range(a.shape[0]):
        for i1 in range(a.shape[1]):
            out[i1] = out[i1] + a[i0, i1]
    """
    kept = [i for i in range(n) if i not in axes]
    shape = "".join(f"a.shape[{i}], " if i in kept else "1, " for i in range(n) if keep or i in kept)
    into = ", ".join(f"i{i}" if i in kept else "0" for i in range(n) if keep or i in kept) or "()"
    lines = ["def impl(a, kind):", f"    out = np.full(({shape}), {start}, kind)"]
    lines += ["    " * (i + 1) + f"for i{i} in range(a.shape[{i}]):" for i in range(n)]
    source = ", ".join(f"i{i}" for i in range(n)) or "()"
    lines.append("    " * (n + 1) + step.format(out=f"out[{into}]", a=f"a[{source}]"))
    result = end if shape else "out[()]"
    lines += [f"    return {result}", ""]
    return jitable(written("\n".join(lines), np=np, math=math))


def of_array(a: Any, axis: Any, keepdims: Any) -> tuple[tuple[int, ...], bool] | None:
    """Axes and whether they stay; None where it is not known, or where Numba's own will do."""
    if not is_array(a):
        return None
    axes, keep = axes_of(axis, rank(a)), keeps(keepdims)
    return None if axes is None or keep is None else (axes, keep)


def size_over(axes: tuple[int, ...]) -> Any:
    product = " * ".join(f"a.shape[{i}]" for i in axes) or "1"
    return jitable(written(f"def impl(a):\n    return {product}\n"))


@implements(np.sum)
def total(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    found = of_array(a, axis, keepdims)
    if found is None or not is_nothing(dtype) or not is_nothing(out):
        return None
    kind = a.dtype if a.dtype == gradient_type(a) else np.intp
    add = reduction(rank(a), *found, "0", "{out} += {a}")
    return lambda a, axis=None, dtype=None, out=None, keepdims=False: add(a, kind)


@implements(np.mean)
def average(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    found = of_array(a, axis, keepdims)
    if found is None or not is_nothing(dtype) or not is_nothing(out):
        return None
    kind, n = gradient_type(a), size_over(found[0])
    add = reduction(rank(a), *found, "0", "{out} += {a}")
    return lambda a, axis=None, dtype=None, out=None, keepdims=False: add(a, kind) / kind(n(a))


def extreme(sign: str) -> Any:
    def largest(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        found = of_array(a, axis, keepdims)
        if found is None or not is_nothing(out):
            return None
        kind = a.dtype
        start = "-math.inf" if sign == ">" else "math.inf"
        if kind != gradient_type(a):
            start = "np.iinfo(np.int64).min" if sign == ">" else "np.iinfo(np.int64).max"
        pick = reduction(rank(a), *found, start, "if {a} " + sign + " {out} or {a} != {a}: {out} = {a}")
        return lambda a, axis=None, out=None, keepdims=False: pick(a, kind)

    return largest


implements(np.max)(extreme(">"))
implements(np.min)(extreme("<"))


@implements(np.prod)
def multiplied(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    found = of_array(a, axis, keepdims)
    if found is None or not is_nothing(dtype) or not is_nothing(out):
        return None
    kind = a.dtype if a.dtype == gradient_type(a) else np.intp
    multiply = reduction(rank(a), *found, "1", "{out} *= {a}")
    return lambda a, axis=None, dtype=None, out=None, keepdims=False: multiply(a, kind)


def scatter_around_mean(root: bool) -> Any:
    def around(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        axes, keep = axes_of(axis, rank(a)), keeps(keepdims)
        plain = is_nothing(dtype) and is_nothing(out) and value_of(ddof) == 0
        if not is_array(a) or is_complex(a) or axes is None or keep is None or not plain or is_nothing(axis):
            return None
        text = (
            "def impl(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):\n"
            f"    d = a - np.mean(a, {axes}, None, None, True)\n"
            f"    return {'np.sqrt' if root else ''}(np.mean(d * d, {axes}, None, None, {keep}))\n"
        )
        return written(text, np=np)

    return around


implements(np.var)(scatter_around_mean(False))
implements(np.std)(scatter_around_mean(True))


@implements(spread)
def spread_out(b: Any, x: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    """b over the axes of x that a reduction has removed."""
    if value_of(where, default=...) is not True:
        return None
    if is_number(x):
        number = cast(b, x) if is_number(b) else None
        return None if number is None else lambda b, x, axis=None, keepdims=False, where=True: number(b)
    kind = gradient_type(x)
    if is_number(b):
        number = cast(b, x)
        return lambda b, x, axis=None, keepdims=False, where=True: np.full(x.shape, number(b), kind)
    axes, keep = axes_of(axis, rank(x)), keeps(keepdims)
    if keep is None or not is_array(b):
        return None
    fit = cast_array(b, x)
    if axes is None and rank(x) == 2 and rank(b) == 1 and is_number(axis):

        def along(b: Any, x: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
            given = fit(b)
            out = np.empty(x.shape, kind)
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    out[i, j] = given[j] if axis % 2 == 0 else given[i]
            return out

        return along
    if axes is None:
        return None
    if keep or is_nothing(axis):
        return lambda b, x, axis=None, keepdims=False, where=True: np.broadcast_to(fit(b), x.shape)
    index = ", ".join("None" if i in axes else ":" for i in range(rank(x)))
    text = "def impl(b, x, axis=None, keepdims=False, where=True):\n"
    return written(text + f"    return np.broadcast_to(fit(b)[{index}], x.shape)\n", np=np, fit=fit)


@implements(count)
def counted(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True, ddof: Any = 0) -> Any:
    axes = axes_of(axis, rank(a))
    if axes is None or value_of(where, default=...) is not True:
        return None
    n = size_over(axes)

    def impl(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True, ddof: Any = 0) -> Any:
        size = n(a) - ddof
        return float(size) if size > 0 else math.nan

    return impl


@implements(about_mean)
def from_mean(a: Any, axis: Any = None, where: Any = True) -> Any:
    axes = axes_of(axis, rank(a))
    if axes is None or value_of(where, default=...) is not True:
        return None
    kind, n = gradient_type(a), size_over(axes)
    add = reduction(rank(a), axes, True, "0", "{out} += {a}")
    if rank(a) == 0:
        return lambda a, axis=None, where=True: np.conj(a - add(a, kind) / kind(n(a)))

    def impl(a: Any, axis: Any = None, where: Any = True) -> Any:
        c = a - add(a, kind) / kind(n(a))
        if a.size > 0 and abs(c.flat[0]) < 2.0**-6 * abs(a.flat[0]):  # far from 0
            c = c - add(c, kind) / kind(n(a))
        return np.conj(c)

    return impl


@implements(winners)
def shares(y: Any, a: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The share of each element in its maximum or minimum."""
    axes, keep = axes_of(axis, rank(a)), keeps(keepdims)
    if axes is None or keep is None or value_of(where, default=...) is not True or not is_nothing(initial):
        return None
    kind = gradient_type(a)
    if is_array(a) and rank(a) == 0:
        share = "1.0 if a[()] == y else np.nan"
        return written(
            f"def impl(y, a, axis=None, keepdims=False, initial=None, where=True):\n"
            f"    return np.full((), {share}, kind)\n",
            np=np, kind=kind,
        )  # fmt: skip
    add = reduction(rank(a), axes, True, "0", "{out} += {a}")
    index = ", ".join("None" if i in axes else ":" for i in range(rank(a)))
    top = "y" if is_number(y) or keep else f"y[{index}]"
    text = [
        "def impl(y, a, axis=None, keepdims=False, initial=None, where=True):",
        f"    won = (a == {top}).astype(kind)",
        "    return won / add(won, kind)",
        "",
    ]
    return written("\n".join(text), add=add, kind=kind)
