"""Running sums and products, read backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_array, is_nothing, is_number, rank, value_of, written
from tangent.runtime import (
    cumprod_adjoint,
    cumprod_tangent,
    cumsum_reversed,
    is_even,
    is_regular,
    product_of_others,
    product_of_rest,
    recurrence,
    recurrence_back,
    shifted,
)

# Up and then down: what it begins with, and what it does at an element, before and after it takes that element in.
Steps = list[tuple[str, str, str]]
SMALLEST = float(np.finfo(np.float64).tiny)


@implements(cumsum_reversed)
def from_the_end(b: Any, a: Any, axis: Any = None) -> Any:
    if rank(a) == 1 and rank(b) == 1:
        return lambda b, a, axis=None: np.cumsum(b[::-1])[::-1]
    if is_array(a) and is_nothing(axis):
        return lambda b, a, axis=None: np.cumsum(b[::-1])[::-1].copy().reshape(a.shape)
    if rank(a) == 2 and rank(b) == 2 and is_number(axis):

        def along(b: Any, a: Any, axis: Any = None) -> Any:
            out = b.copy()
            rows, columns = b.shape
            if axis % 2 == 0:
                for i in range(rows - 2, -1, -1):
                    for j in range(columns):
                        out[i, j] += out[i + 1, j]
            else:
                for i in range(rows):
                    for j in range(columns - 2, -1, -1):
                        out[i, j] += out[i, j + 1]
            return out

        return along
    return None


@implements(cumprod_tangent)
def tangent(t: Any, a: Any, y: Any, axis: Any = None) -> Any:
    if rank(a) != 1:
        return None

    def impl(t: Any, a: Any, y: Any, axis: Any = None) -> Any:
        out = np.empty_like(y)
        before, running = y.dtype.type(1), y.dtype.type(0)
        for i in range(len(a)):
            running = running * a[i] + before * t[i]
            before = y[i]
            out[i] = running
        return out

    return impl


@implements(cumprod_adjoint)
def adjoint(b: Any, a: Any, y: Any, axis: Any = None) -> Any:
    if rank(a) != 1:
        return None

    def impl(b: Any, a: Any, y: Any, axis: Any = None) -> Any:
        out = np.empty_like(y)
        behind = y.dtype.type(0)
        for i in range(len(a) - 1, -1, -1):
            behind = b[i] + (behind * a[i + 1] if i + 1 < len(a) else y.dtype.type(0))
            out[i] = behind * (y[i - 1] if i > 0 else y.dtype.type(1))
        return out

    return impl


@implements(is_regular)
def regular(total: Any) -> Any:
    if is_number(total):
        return lambda total: bool(np.isfinite(total) and np.abs(total) > 1e8 * SMALLEST)
    if not is_array(total):
        return None
    smallest = 1e8 * float(np.finfo(str(total.dtype)).tiny)

    def impl(total: Any) -> Any:
        good = True
        for x in total.flat:
            good = good and np.isfinite(x) and np.abs(x) > smallest
        return good

    return impl


@implements(is_even)
def even(a: Any) -> Any:
    if is_number(a):
        return lambda a: bool(np.abs(a) > 0)
    if not is_array(a):
        return None

    def impl(a: Any) -> Any:
        size = np.abs(a)
        return a.size == 0 or bool(np.min(size) > 1e-4 * np.max(size))

    return impl


@implements(shifted)
def moved(g: Any, steps: Any, fill: Any = 0.0) -> Any:
    if rank(g) != 1:
        return None

    def impl(g: Any, steps: Any, fill: Any = 0.0) -> Any:
        out = np.empty_like(g)
        for k in range(len(g)):
            out[k] = g[k - steps] if k >= steps else fill
        return out

    return impl


@implements(recurrence)
def upward(a: Any, b: Any) -> Any:
    if rank(a) != 1 or rank(b) != 1:
        return None

    def impl(a: Any, b: Any) -> Any:
        out = b.copy()
        for k in range(1, len(a)):
            out[k] += a[k] * out[k - 1]
        return out

    return impl


@implements(recurrence_back)
def downward(a: Any, b: Any) -> Any:
    if rank(a) != 1 or rank(b) != 1:
        return None

    def impl(a: Any, b: Any) -> Any:
        out = b.copy()
        for k in range(len(a) - 2, -1, -1):
            out[k] += a[k + 1] * out[k + 1]
        return out

    return impl


@implements(product_of_others)
def others(a: Any, y: Any, axis: Any = None, keepdims: Any = False, initial: Any = 1, where: Any = True) -> Any:
    """All but one: what is before it times what is behind it."""
    if not is_array(a) or value_of(where, default=...) is not True:
        return None
    head = "def impl(a, y, axis=None, keepdims=False, initial=1, where=True):"
    steps = [
        ("running = kind(initial)", "out[{i}] = running", "running = running * a[{i}]"),
        ("running = kind(1)", "out[{i}] *= running", "running = running * a[{i}]"),
    ]
    return up_and_down(head, rank(a), axis, steps, "a")


@implements(product_of_rest)
def rest(t: Any, a: Any, y: Any, axis: Any = None, initial: Any = 1, where: Any = True) -> Any:
    """The derivative of that: products of what is before and behind, and how both change."""
    if not is_array(a) or not is_array(t) or value_of(where, default=...) is not True:
        return None
    head = "def impl(t, a, y, axis=None, initial=1, where=True):"
    change = "part, running = part * a[{i}] + running * t[{i}], running * a[{i}]"
    steps = [
        ("part, running = kind(0), kind(initial)", "out[{i}], before[{i}] = part, running", change),
        ("part, running = kind(0), kind(1)", "out[{i}] = out[{i}] * running + before[{i}] * part", change),
    ]
    return up_and_down(head, rank(a), axis, steps, "at", "before")


def up_and_down(head: str, n: int, axis: Any, steps: Steps, arrays: str, *more: str) -> Any:
    """A function that runs up and down along an axis, or through all elements of some arrays."""
    over = value_of(axis, default=...)
    flat = is_nothing(axis) or n == 1
    if not flat and not isinstance(over, int):
        return None
    along = 0 if flat else over % n
    lines = [head, "    kind = a.dtype.type"]
    if flat:
        lines += ["    shape = a.shape", *(f"    {v} = {v}.ravel()" for v in arrays)]
    lines += [f"    {v} = np.empty(a.shape, a.dtype)" for v in ("out", *more)]
    others = [] if flat else [k for k in range(n) if k != along]
    for depth, k in enumerate(others, 1):
        lines.append("    " * depth + f"for i{k} in range(a.shape[{k}]):")
    here = "i0" if flat else ", ".join(f"i{k}" for k in range(n))
    pad = "    " * (len(others) + 1)
    orders = (f"range(a.shape[{along}])", f"range(a.shape[{along}] - 1, -1, -1)")
    for (start, first, then), order in zip(steps, orders):
        lines += [f"{pad}{start}", f"{pad}for i{along} in {order}:"]
        lines += [f"{pad}    {s.format(i=here)}" for s in (first, then)]
    return written("\n".join([*lines, "    return out.reshape(shape)" if flat else "    return out", ""]), np=np)
