"""Running sums and products, read backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_array, is_nothing, is_number, rank, value_of, written
from tangent.runtime import cumprod_adjoint, cumprod_tangent, cumsum_reversed, product_of_others


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


@implements(product_of_others)
def others(a: Any, y: Any, axis: Any = None, keepdims: Any = False, initial: Any = 1, where: Any = True) -> Any:
    """All but one: what is before it times what is behind it."""
    if not is_array(a) or value_of(where, default=...) is not True:
        return None
    if not is_nothing(axis) and rank(a) > 1:
        return others_along(rank(a), value_of(axis, default=...))

    def impl(a: Any, y: Any, axis: Any = None, keepdims: Any = False, initial: Any = 1, where: Any = True) -> Any:
        flat = a.ravel()
        out = np.empty_like(flat)
        running = flat.dtype.type(initial)
        for i in range(len(flat)):
            out[i] = running
            running = running * flat[i]
        running = flat.dtype.type(1)
        for i in range(len(flat) - 1, -1, -1):
            out[i] = out[i] * running
            running = running * flat[i]
        return out.reshape(a.shape)

    return impl


def others_along(n: int, axis: Any) -> Any:
    """The same along one axis that is known."""
    if not isinstance(axis, int):
        return None
    axis %= n
    lines = [
        "def impl(a, y, axis=None, keepdims=False, initial=1, where=True):",
        "    out = np.empty(a.shape, a.dtype)",
    ]
    depth = 1
    for k in range(n):
        if k != axis:
            lines.append("    " * depth + f"for i{k} in range(a.shape[{k}]):")
            depth += 1
    here = ", ".join(f"i{k}" for k in range(n))
    pad = "    " * depth
    for start, order, step in (
        ("a.dtype.type(initial)", f"range(a.shape[{axis}])", f"out[{here}] = running"),
        ("a.dtype.type(1)", f"range(a.shape[{axis}] - 1, -1, -1)", f"out[{here}] *= running"),
    ):
        lines += [f"{pad}running = {start}", f"{pad}for i{axis} in {order}:"]
        lines += [f"{pad}    {step}", f"{pad}    running = running * a[{here}]"]
    return written("\n".join([*lines, "    return out", ""]), np=np)
