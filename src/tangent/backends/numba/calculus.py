"""Differences, integrals, convolutions, and what is put behind an array or taken out of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import gradient_type, implements, is_nothing, is_number, rank, value_of, written
from tangent.runtime import (
    appended,
    between_zeros,
    convolve_adjoint,
    diff_adjoint,
    middles,
    stretch,
    trapezoid_nodes,
    trapezoid_weights,
    unappended,
    uncropped,
    undelete,
    undiff,
    unless_given,
)


def along(n: int, axis: Any) -> int | None:
    """An axis of an array of rank n, counted from the front, where it is known beforehand."""
    given = value_of(axis, default=None)
    return given % n if isinstance(given, int) and n else 0 if n == 1 else None


def part(n: int, axis: int, slice: str) -> str:
    """The index of an array of rank n that takes a slice along an axis."""
    return ", ".join(slice if i == axis else ":" for i in range(n))


def longer(v: str, n: int, axis: int, by: str) -> str:
    """The shape of an array v of rank n, longer along an axis."""
    return "(" + "".join(f"{v}.shape[{i}] + {by}, " if i == axis else f"{v}.shape[{i}], " for i in range(n)) + ")"


@implements(stretch)
def taken(b: Any, start: Any, n: Any, axis: Any) -> Any:
    k = along(rank(b), axis)
    if k is None:
        return None
    return written(f"def impl(b, start, n, axis):\n    return b[{part(rank(b), k, 'start : start + n')}]\n")


@implements(between_zeros)
def among_zeros(t: Any, before: Any, behind: Any, axis: Any) -> Any:
    k, kind = along(rank(t), axis), gradient_type(t)
    if k is None:
        return None
    shape = longer("t", rank(t), k, "before + behind")
    text = f"""
def impl(t, before, behind, axis):
    out = np.zeros({shape}, kind)
    out[{part(rank(t), k, f"before : before + t.shape[{k}]")}] = t
    return out
"""
    return written(text, np=np, kind=kind)


@implements(diff_adjoint)
def before_differences(b: Any, n: Any, axis: Any) -> Any:
    k, r, kind = along(rank(b), axis), rank(b), gradient_type(b)
    if k is None:
        return None
    text = f"""
def impl(b, n, axis):
    out = np.zeros({longer("b", r, k, "n")}, kind)
    out[{part(r, k, f": b.shape[{k}]")}] = b
    for step in range(n):
        for i in range(b.shape[{k}] + step, 0, -1):
            out[{part(r, k, "i")}] = out[{part(r, k, "i - 1")}] - out[{part(r, k, "i")}]
        out[{part(r, k, "0")}] = -out[{part(r, k, "0")}]
    return out
"""
    return written(text, np=np, kind=kind)


@implements(undiff)
def in_old_length(b: Any, x: Any, n: Any = 1, axis: Any = -1) -> Any:
    """Where nothing is left of an array, more came out than it has elements."""
    k = along(rank(x), axis)
    if k is None or rank(b) != rank(x):
        return None
    chosen = part(rank(x), k, f": x.shape[{k}]")
    text = f"def impl(b, x, n=1, axis=-1):\n    return diff_adjoint(b, n, {k})[{chosen}]\n"
    return written(text, diff_adjoint=diff_adjoint)


@implements(trapezoid_weights)
def weights(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    kind = gradient_type(y)
    if rank(y) != 1 or not (is_nothing(x) or rank(x) == 1) or not is_number(dx):
        return None
    width = "dx" if is_nothing(x) else "x[i + 1] - x[i]"
    text = f"""
def impl(y, x=None, dx=1.0, axis=-1):
    out = np.zeros(len(y), kind)
    for i in range(len(y) - 1):
        half = 0.5 * ({width})
        out[i] += half
        out[i + 1] += half
    return out
"""
    return written(text, np=np, kind=kind)


@implements(unless_given)
def overridden(other: Any, v: Any) -> Any:
    if is_nothing(other):
        return lambda other, v: v
    return lambda other, v: 0.0 * v


@implements(middles)
def means(y: Any, axis: Any = -1) -> Any:
    place = along(rank(y), axis)
    if place is None:
        return None
    pair = part(rank(y), place, "1:"), part(rank(y), place, ":-1")
    return written(f"def impl(y, axis=-1):\n    return 0.5 * (y[{pair[0]}] + y[{pair[1]}])\n")


@implements(trapezoid_nodes)
def nodes(b: Any, y: Any, x: Any, axis: Any) -> Any:
    if not rank(b) == rank(y) == rank(x) == 1:
        return None
    kind = gradient_type(y)

    def impl(b: Any, y: Any, x: Any, axis: Any) -> Any:
        out = np.zeros(len(y), kind)
        for i in range(len(y) - 1):
            middle = 0.5 * (y[i] + y[i + 1]) * b[0]
            out[i] -= middle
            out[i + 1] += middle
        return out

    return impl


@implements(uncropped)
def in_full(b: Any, na: Any, nv: Any, mode: Any, correlate: Any = False) -> Any:
    if rank(b) != 1:
        return None

    def impl(b: Any, na: Any, nv: Any, mode: Any, correlate: Any = False) -> Any:
        short = min(na, nv)
        first = 0
        if mode == "same":
            first = short // 2 if correlate and nv > na else (short - 1) // 2
        elif mode == "valid":
            first = short - 1
        out = np.zeros(na + nv - 1, b.dtype)
        out[first : first + len(b)] = b
        return out

    return impl


@implements(convolve_adjoint)
def before_convolution(b: Any, a: Any, v: Any) -> Any:
    if not rank(b) == rank(v) == 1:
        return None

    def impl(b: Any, a: Any, v: Any) -> Any:
        out = np.zeros(len(b) - len(v) + 1, b.dtype)
        for i in range(len(out)):
            for j in range(len(v)):
                out[i] += b[i + j] * v[j]
        return out

    return impl


def in_form_of(x: Any, first: str, last: str) -> str:
    """Elements of a vector b in the form of x, as text."""
    if is_number(x):
        return f"b[{first or 0}]"
    return f"b[{first} : {last}]" + ("" if rank(x) == 1 else ".reshape({}.shape)")


@implements(unappended)
def first_part(b: Any, x: Any, axis: Any = None) -> Any:
    if rank(b) != 1 or not (is_nothing(axis) or rank(x) == 1):
        return None
    size = "1" if is_number(x) else "x.size"
    return written(f"def impl(b, x, axis=None):\n    return {in_form_of(x, '', size).format('x')}\n")


@implements(appended)
def last_part(b: Any, x: Any, values: Any, axis: Any = None) -> Any:
    if rank(b) != 1 or not (is_nothing(axis) or rank(x) == rank(values) == 1):
        return None
    size = "1" if is_number(x) else "x.size"
    return written(f"def impl(b, x, values, axis=None):\n    return {in_form_of(values, size, '').format('values')}\n")


@implements(undelete)
def put_back(b: Any, x: Any, obj: Any, axis: Any = None) -> Any:
    if not rank(b) == rank(x) == 1:
        return None

    def impl(b: Any, x: Any, obj: Any, axis: Any = None) -> Any:
        out = np.zeros(len(x), b.dtype)
        places = np.delete(np.arange(len(x)), obj)
        for k in range(len(places)):
            out[places[k]] = b[k]
        return out

    return impl
