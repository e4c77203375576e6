"""Kernels of linear algebra, for single matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_complex,
    is_nothing,
    is_number,
    jitable,
    rank,
    value_of,
    written,
)
from tangent.backends.numba.reduce import axes_of, reduction
from tangent.runtime import (
    as_matrices,
    at_rank,
    cholesky_adjoint,
    cholesky_tangent,
    cofactors,
    cofactors_slope,
    columns,
    direction_of,
    half_triangle,
    identity,
    length_slope,
    matmul_columns,
    mH,
    mT,
    norm_slope,
    off_direction,
    safe_ratio,
    slogdet_slope,
    slogdet_tangent,
    slogdet_weight,
    solve_columns,
    solve_lower,
    solve_upper,
    vector_norm_slope,
)


@implements(columns)
def as_columns(v: Any, b: Any) -> Any:
    if rank(b) == 1:
        return lambda v, b: v.reshape((-1, 1))
    return lambda v, b: v


@implements(solve_columns)
def solved(a: Any, v: Any, b: Any) -> Any:
    if rank(a) != 2:
        return None
    return lambda a, v, b: np.linalg.solve(np.ascontiguousarray(a), np.ascontiguousarray(v))


@implements(matmul_columns)
def multiplied(a: Any, v: Any, b: Any) -> Any:
    return lambda a, v, b: np.dot(np.ascontiguousarray(a), np.ascontiguousarray(v))


@implements(mH)
def conjugate_transpose(x: Any) -> Any:
    return lambda x: np.conj(mT(x))


@implements(as_matrices)
def matrices(x: Any) -> Any:
    if is_number(x):
        return lambda x: np.full((1, 1), x)
    return (lambda x: x.reshape(1, 1)) if rank(x) == 0 else None


@implements(identity)
def unit_matrix(x: Any) -> Any:
    return lambda x: np.eye(x.shape[-1])


@implements(cofactors)
def of_determinant(a: Any) -> Any:
    if rank(a) != 2:
        return None

    def impl(a: Any) -> Any:
        y = np.linalg.det(a)
        return y * np.linalg.inv(a).T.copy() if y != 0 else minors(a)

    return impl


@implements(cofactors_slope)
def of_cofactors(t: Any, a: Any) -> Any:
    if rank(a) != 2 or rank(t) != 2:
        return None

    def impl(t: Any, a: Any) -> Any:
        y = np.linalg.det(a)
        if y == 0:
            return minors_slope(t, a)
        u = np.ascontiguousarray(np.linalg.inv(a).T)
        if np.max(np.abs(a)) * np.max(np.abs(u)) >= 1e4:
            return minors_slope(t, a)
        return y * (np.sum(u * t) * u - u @ np.ascontiguousarray(t.T) @ u)

    return impl


@jitable
def minors_slope(t: Any, a: Any) -> Any:
    """How the cofactors change in the direction t, by those of smaller matrices."""
    n = a.shape[0]
    out = np.zeros_like(a)
    if n > 1:
        for i in range(n):
            for j in range(n):
                slope = np.sum(cofactors(crossed_out(a, i, j)) * crossed_out(t, i, j))
                out[i, j] = (-1) ** (i + j) * slope
    return out


@jitable
def crossed_out(a: Any, i: int, j: int) -> Any:
    """The matrix without a row and a column."""
    n = a.shape[0]
    part = np.empty((n - 1, n - 1), a.dtype)
    for k in range(n - 1):
        for m in range(n - 1):
            part[k, m] = a[k + (1 if k >= i else 0), m + (1 if m >= j else 0)]
    return part


@jitable
def minors(a: Any) -> Any:
    """The cofactors of a singular matrix, each from the determinant of a smaller one."""
    n = a.shape[0]
    out = np.zeros_like(a)
    for i in range(n):
        for j in range(n):
            out[i, j] = (-1) ** (i + j) * np.linalg.det(crossed_out(a, i, j))
    return out


@implements(cholesky_adjoint)
def before_factor(b: Any, y: Any, upper: Any = False) -> Any:
    if rank(y) != 2 or is_complex(y) or value_of(upper) is not False:
        return None

    def impl(b: Any, y: Any, upper: Any = False) -> Any:
        turned = np.ascontiguousarray(y.T)
        g = mirrored(turned @ lower_triangle(b, 1.0))
        return lower_triangle(solved_upward(turned, solved_upward(turned, g).T), 0.5)

    return impl


@implements(cholesky_tangent)
def of_factor(d: Any, y: Any, upper: Any = False) -> Any:
    if rank(y) != 2 or is_complex(y) or value_of(upper) is not False:
        return None

    def impl(d: Any, y: Any, upper: Any = False) -> Any:
        inner = solved_downward(y, solved_downward(y, mirrored(d)).T)
        return np.ascontiguousarray(y) @ lower_triangle(inner, 0.5)

    return impl


@jitable
def lower_triangle(x: Any, share: float) -> Any:
    """The lower triangle, with a share of the diagonal."""
    n = x.shape[0]
    out = np.zeros((n, n), x.dtype)
    for i in range(n):
        for j in range(i):
            out[i, j] = x[i, j]
        out[i, i] = x[i, i] * share
    return out


@jitable
def mirrored(x: Any) -> Any:
    """The symmetric matrix with this lower triangle."""
    n = x.shape[0]
    out = np.empty((n, n), x.dtype)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = out[j, i] = x[i, j]
    return out


@jitable
def solved_downward(a: Any, b: Any) -> Any:
    """The x with `a @ x = b` for a lower triangle a."""
    out = np.empty(b.shape, b.dtype)
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = b[i, j]
        for k in range(i):
            for j in range(b.shape[1]):
                out[i, j] -= a[i, k] * out[k, j]
        for j in range(b.shape[1]):
            out[i, j] /= a[i, i]
    return out


@jitable
def solved_upward(a: Any, b: Any) -> Any:
    """The x with `a @ x = b` for an upper triangle a."""
    n = b.shape[0]
    out = np.empty(b.shape, b.dtype)
    for i in range(n - 1, -1, -1):
        for j in range(b.shape[1]):
            out[i, j] = b[i, j]
        for k in range(i + 1, n):
            for j in range(b.shape[1]):
                out[i, j] -= a[i, k] * out[k, j]
        for j in range(b.shape[1]):
            out[i, j] /= a[i, i]
    return out


@implements(solve_lower)
def under_triangle(a: Any, b: Any) -> Any:
    return (lambda a, b: solved_downward(a, b)) if rank(a) == rank(b) == 2 else None


@implements(solve_upper)
def over_triangle(a: Any, b: Any) -> Any:
    return (lambda a, b: solved_upward(a, b)) if rank(a) == rank(b) == 2 else None


@implements(half_triangle)
def with_half_diagonal(x: Any) -> Any:
    if rank(x) != 2 or is_complex(x):
        return None
    return lambda x: lower_triangle(x, 0.5)


@implements(slogdet_slope)
def of_logarithm(y: Any, a: Any) -> Any:
    return (lambda y, a: np.linalg.inv(a).T.copy()) if rank(a) == 2 else None


@implements(slogdet_weight)
def weight(b: Any, y: Any) -> Any:
    return None if is_complex(y[0]) else lambda b, y: b[1]


@implements(slogdet_tangent)
def sign_and_logarithm(y: Any, t: Any) -> Any:
    return None if is_complex(y[0]) else lambda y, t: (0.0 * t, t)


@implements(safe_ratio)
def quotient(x: Any, y: Any) -> Any:
    kind = gradient_type(x)
    nothing = kind(0)
    if is_number(x) and is_number(y):
        return lambda x, y: nothing if y == 0 else x / y
    one = kind(1)
    return lambda x, y: np.where(y == 0, nothing, x / np.where(y == 0, one, y))


@implements(at_rank)
def with_rank(b: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if is_number(b) or value_of(keepdims) is True or rank(b) == rank(x):
        return lambda b, x, axis=None, keepdims=False: b
    axes = axes_of(axis, rank(x))
    if axes is None:
        return None
    index = ", ".join("None" if i in axes else ":" for i in range(rank(x)))
    return written(f"def impl(b, x, axis=None, keepdims=False):\n    return b[{index}]\n")


@implements(norm_slope)
def slope_of_norm(x: Any, y: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if not is_nothing(ord) and (rank(x) != 1 or value_of(ord) not in (1, 2)):
        return None
    order = 2 if is_nothing(ord) else value_of(ord)
    return lambda x, y, ord=None, axis=None, keepdims=False: vector_norm_slope(x, order, axis)


@implements(length_slope)
def slope_of_length(x: Any, y: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if is_complex(x):
        return None
    return lambda x, y, axis=None, keepdims=False: direction_of(x, y, axis, keepdims)


@implements(direction_of)
def parts_of_length(x: Any, r: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return lambda x, r, axis=None, keepdims=False: safe_ratio(x, at_rank(r, x, axis, keepdims))


@implements(off_direction)
def part_across(t: Any, u: Any, w: Any, axis: Any = None) -> Any:
    if not is_nothing(axis):
        return None

    def impl(t: Any, u: Any, w: Any, axis: Any = None) -> Any:
        most = u * w > 0.75
        others = np.where(most, 0.0, w)
        left = t * np.sum(others * u) - u * np.sum(others * t)
        return np.where(most, left, t - u * np.sum(w * t))

    return impl


@implements(vector_norm_slope, prefer_literal=True)
def slope_of_vector_norm(x: Any, ord: Any = 2, axis: Any = None) -> Any:
    axes = axes_of(axis, rank(x))
    if axes is None or is_complex(x) or value_of(ord) not in (1, 2):
        return None
    if value_of(ord) == 1:
        return lambda x, ord=2, axis=None: np.sign(x)
    kind = gradient_type(x)
    squares = reduction(rank(x), axes, True, "0", "{out} += {a} * {a}")
    return lambda x, ord=2, axis=None: safe_ratio(x, np.sqrt(squares(x, kind)))
