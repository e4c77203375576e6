"""Matrix products of any rank, and the adjoints of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.np.numpy_support import as_dtype, from_dtype

from tangent.backends.numba.broadcast import sum_to
from tangent.backends.numba.functions import matmul
from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_nothing,
    is_number,
    not_none,
    rank,
    types,
    value_of,
    written,
)
from tangent.runtime import (
    cross_adjoint,
    dot_adjoint_a,
    dot_adjoint_b,
    fit_dot,
    fit_matmul,
    inner_adjoint_a,
    inner_adjoint_b,
    matmul_adjoint_x,
    matmul_adjoint_y,
    mT,
    outer_adjoint_a,
    outer_adjoint_b,
    unbroadcast,
)


@implements(matmul)
def product(x: Any, y: Any) -> Any:
    if not (is_array(x) and is_array(y)) or 0 in (rank(x), rank(y)):
        return None
    if rank(x) <= 2 and rank(y) <= 2:
        return lambda x, y: np.dot(np.ascontiguousarray(x), np.ascontiguousarray(y))
    return stacked(rank(x), rank(y), from_dtype(np.result_type(as_dtype(x.dtype), as_dtype(y.dtype))))


def stacked(n: int, m: int, dtype: Any) -> Any:
    """A product of stacks of matrices, matrix by matrix; the stacks are broadcast."""
    depth = max(n, m) - 2
    lines = ["def impl(x, y):"]
    if n == 1:
        lines.append("    p = x.reshape((1, x.shape[0]))")
    if m == 1:
        lines.append("    q = y.reshape((y.shape[0], 1))")
    p, q = ("p" if n == 1 else "x"), ("q" if m == 1 else "y")
    n, m, given = max(n, 2), max(m, 2), (n, m)
    sizes = []
    for k in range(depth):
        ends = [f"{v}.shape[{k - depth + r - 2}]" for v, r in ((p, n), (q, m)) if k - depth + r - 2 >= 0]
        lines.append(f"    n{k} = max({', '.join(ends)})" if len(ends) > 1 else f"    n{k} = {ends[0]}")
        sizes.append(f"n{k}")
    shape = ", ".join([*sizes, f"{p}.shape[{n - 2}]", f"{q}.shape[{m - 1}]"])
    lines.append(f"    out = np.empty(({shape}), dtype)")
    for k in range(depth):
        lines.append("    " * (k + 1) + f"for i{k} in range(n{k}):")

    def at(v: str, r: int) -> str:
        places = [(k, k - depth + r - 2) for k in range(depth) if k - depth + r - 2 >= 0]
        inside = ", ".join(f"i{k} if {v}.shape[{j}] > 1 else 0" for k, j in places)
        return f"np.ascontiguousarray({v}[{inside}])" if inside else f"np.ascontiguousarray({v})"

    here = ", ".join(f"i{k}" for k in range(depth))
    lines.append("    " * (depth + 1) + f"out[{here}] = np.dot({at(p, n)}, {at(q, m)})")
    result = "out" if 1 not in given else "out[..., 0, :]" if given[0] == 1 else "out[..., 0]"
    lines += [f"    return {result}", ""]
    return written("\n".join(lines), np=np, dtype=dtype)


@implements(mT)
def transposed(x: Any) -> Any:
    if rank(x) == 2:
        return lambda x: x.T
    return lambda x: np.swapaxes(x, -1, -2)


@implements(matmul_adjoint_x)
def by_left(b: Any, x: Any, y: Any) -> Any:
    n, m = rank(x), rank(y)
    if n == 1 and m == 1:
        return lambda b, x, y: unbroadcast(b * y, x)
    if n == 2 and m == 1:
        return lambda b, x, y: unbroadcast(np.outer(b, y), x)
    if n == 1 and m == 2:
        return lambda b, x, y: unbroadcast(np.dot(np.ascontiguousarray(y), np.ascontiguousarray(b)), x)
    if n == 2 and m == 2:
        return lambda b, x, y: unbroadcast(np.dot(np.ascontiguousarray(b), np.ascontiguousarray(y.T)), x)
    if m == 1:
        return lambda b, x, y: unbroadcast(np.expand_dims(b, -1) * y, x)
    if n == 1:
        return lambda b, x, y: unbroadcast(matmul(y, np.expand_dims(b, -1))[..., 0], x)
    return lambda b, x, y: unbroadcast(matmul(b, np.swapaxes(y, -1, -2)), x)


@implements(matmul_adjoint_y)
def by_right(b: Any, x: Any, y: Any) -> Any:
    n, m = rank(x), rank(y)
    if n == 1 and m == 1:
        return lambda b, x, y: unbroadcast(b * x, y)
    if n == 2 and m == 1:
        return lambda b, x, y: unbroadcast(np.dot(np.ascontiguousarray(b), np.ascontiguousarray(x)), y)
    if n == 1 and m == 2:
        return lambda b, x, y: unbroadcast(np.outer(x, b), y)
    if n == 2 and m == 2:
        return lambda b, x, y: unbroadcast(np.dot(np.ascontiguousarray(x.T), np.ascontiguousarray(b)), y)
    if n == 1:
        return lambda b, x, y: unbroadcast(np.expand_dims(b, -2) * np.expand_dims(x, -1), y)
    if m == 1:
        return lambda b, x, y: unbroadcast(np.expand_dims(b, -1) * x, y)
    return lambda b, x, y: unbroadcast(matmul(np.swapaxes(x, -1, -2), b), y)


def as_matmul(adjoint: Any, other: str) -> Any:
    """`np.dot` is `np.matmul` up to rank 2, and a product where one operand is a number."""

    def of_dot(b: Any, x: Any, y: Any) -> Any:
        if is_number(x) or is_number(y):
            mine = "x" if other == "y" else "y"
            return written(
                f"def impl(b, x, y):\n    return unbroadcast(b * {other}, {mine})\n", unbroadcast=unbroadcast
            )
        if rank(x) > 2 or rank(y) > 2:
            return None
        return lambda b, x, y: adjoint(b, x, y)

    return of_dot


implements(dot_adjoint_a)(as_matmul(matmul_adjoint_x, "y"))
implements(dot_adjoint_b)(as_matmul(matmul_adjoint_y, "x"))


def fitted(b: Any, x: Any, y: Any) -> Any:
    """b summed to the shape of a product of vectors and matrices."""
    n, m = rank(x), rank(y)
    if not (n in (1, 2) and m in (1, 2)):
        return None
    parts = ["x.shape[0]"] * (n == 2) + ["y.shape[1]"] * (m == 2)
    if is_number(b):
        return (lambda b, x, y: b) if not parts else None
    shape = "".join(part + ", " for part in parts)
    kind, add = gradient_type(b), sum_to(rank(b), len(parts))
    lines = ["def impl(b, x, y):", f"    shape = ({shape})"]
    if rank(b) == len(parts):
        lines += ["    if b.shape == shape:", "        return b"]
    lines.append("    return add(b, shape, kind)" if parts else "    return add(b, (), kind)[()]")
    return written("\n".join(lines) + "\n", add=add, kind=kind)


implements(fit_matmul)(fitted)
implements(fit_dot)(fitted)


@implements(inner_adjoint_a)
def by_left_inner(b: Any, x: Any, y: Any) -> Any:
    if (rank(x) == 1 and rank(y) == 1) or is_number(x) or is_number(y):
        return lambda b, x, y: unbroadcast(b * y, x)
    return None


@implements(inner_adjoint_b)
def by_right_inner(b: Any, x: Any, y: Any) -> Any:
    if (rank(x) == 1 and rank(y) == 1) or is_number(x) or is_number(y):
        return lambda b, x, y: unbroadcast(b * x, y)
    return None


@implements(outer_adjoint_a)
def by_left_outer(b: Any, x: Any, y: Any) -> Any:
    return lambda b, x, y: unbroadcast(np.dot(b, np.ravel(y)).reshape(x.shape), x)


@implements(outer_adjoint_b)
def by_right_outer(b: Any, x: Any, y: Any) -> Any:
    return lambda b, x, y: unbroadcast(np.dot(np.ravel(x), b).reshape(y.shape), y)


@implements(cross_adjoint, prefer_literal=True)
def by_crossed(y: Any, b: Any, x: Any, axisb: Any = -1, axisc: Any = -1, axisa: Any = -1, axis: Any = None) -> Any:
    """Of vectors along the last axis; Numba has no cross product of two vectors of the plane."""
    last = all(value_of(t, 0) == -1 for t in (axisa, axisb, axisc)) and is_nothing(axis)
    if not (last and is_array(x) and is_array(y) and rank(b) == max(rank(x), rank(y))):
        return None
    v, w, u = (f"not_none({k})" if isinstance(t, types.Optional) else k for k, t in (("y", y), ("b", b), ("x", x)))
    text = f"""def impl(y, b, x, axisb=-1, axisc=-1, axisa=-1, axis=None):
    u = {u}
    return unbroadcast(np.cross({v}, {w})[..., : u.shape[-1]], u)
"""
    return written(text, np=np, unbroadcast=unbroadcast, not_none=not_none)
