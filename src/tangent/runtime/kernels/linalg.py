"""Kernels of linear algebra, over stacks of matrices: inverses, systems and products of many.

An adjoint b pairs with a tangent d as the real part of `sum(b * d)`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import precision, ratio
from tangent.runtime.kernels.factors import svdvals_adjoint, svdvals_tangent
from tangent.runtime.kernels.matrices import as_matrices, from_triangle, in_triangle, mH, power_of_two
from tangent.runtime.kernels.products import mT, with_item
from tangent.runtime.kernels.reduce import as_dtype
from tangent.runtime.kernels.shape import like, sequence_like


def cofactors(a: Any) -> Any:
    """The derivative of the determinant, also of singular matrices."""
    y = np.linalg.det(a)
    return as_matrices(y) * mT(np.linalg.inv(a)) if has_digits(y) else minors(a)


def has_digits(y: Any) -> bool:
    """Whether no determinant is 0, or so small that it has lost digits."""
    return bool(np.all(np.abs(y) >= np.finfo(precision(y)).tiny))


def minors(a: Any) -> Any:
    """The cofactors, each from the determinant of a smaller matrix."""
    rows = np.arange(np.shape(a)[-1])
    out: Any = np.zeros_like(a)
    for i in range(len(rows)):
        for j in range(len(rows)):
            out = out + as_matrices(minor(a, i, j)) * np.logical_and.outer(rows == i, rows == j)
    return out


def minor(a: Any, i: int, j: int) -> Any:
    """One cofactor."""
    return (-1) ** (i + j) * np.linalg.det(crossed_out(a, i, j))


def crossed_out(a: Any, i: int, j: int) -> Any:
    """The matrix without a row and a column."""
    return np.delete(np.delete(a, i, axis=-2), j, axis=-1)


def cofactors_slope(t: Any, a: Any) -> Any:
    """The derivative of the cofactors in the direction t: the second one of the determinant, so it is its transpose."""
    if not is_conditioned(a):
        return minors_slope(t, a)
    u = mT(np.linalg.inv(a))
    return as_matrices(np.linalg.det(a)) * (as_matrices(np.sum(u * t, axis=(-2, -1))) * u - u @ mT(t) @ u)


def is_conditioned(a: Any) -> bool:
    """Whether products of two inverses may be subtracted from each other: far from singular, no digits are lost."""
    if not has_digits(np.linalg.det(a)):
        return False
    sizes = np.max(np.abs(a), axis=(-2, -1), initial=0.0) * np.max(np.abs(np.linalg.inv(a)), axis=(-2, -1), initial=0.0)
    return bool(np.all(sizes < 1e4))


def minors_slope(t: Any, a: Any) -> Any:
    """The same by the cofactors of smaller matrices, also where a is singular."""
    rows = np.arange(np.shape(a)[-1])
    out: Any = np.zeros_like(a)
    for i in range(len(rows)):
        for j in range(len(rows)):
            slope = np.sum(cofactors(crossed_out(a, i, j)) * crossed_out(t, i, j), axis=(-2, -1))
            out = out + as_matrices((-1) ** (i + j) * slope) * np.logical_and.outer(rows == i, rows == j)
    return out


def slogdet_slope(y: Any, a: Any) -> Any:
    """The derivative of `log(det(a))`: infinite where the matrix is singular."""
    return mT(np.linalg.inv(a)) if np.all(y[0] != 0) else ratio(cofactors(a), as_matrices(np.linalg.det(a)))


def slogdet_weight(b: Any, y: Any) -> Any:
    """The adjoint of `log(det(a))` from those of the sign and of the logarithm of the absolute value."""
    return b[1] + 1j * np.imag(b[0] * y[0]) if np.iscomplexobj(y[0]) else b[1]


def slogdet_tangent(y: Any, t: Any) -> tuple[Any, Any]:
    """The tangents of sign and logarithm from that of `log(det(a))`."""
    return (1j * np.imag(t) * y[0] if np.iscomplexobj(y[0]) else 0.0 * t), np.real(t)


def pinv_adjoint(b: Any, y: Any, a: Any, hermitian: bool = False) -> Any:
    """The adjoint of a in its pseudo-inverse y (Golub and Pereyra)."""
    if hermitian:
        return in_triangle(pinv_adjoint(b, y, from_triangle(a)))
    c = power_of_two(a)
    a, y = a / c, c * y
    left = mT(b) - a @ (y @ mT(b))
    right = mT(b) - (mT(b) @ y) @ a
    return (np.conj(left @ y @ mH(y) + mH(y) @ y @ right) - mT(y) @ b @ mT(y)) / c / c


def pinv_tangent(d: Any, y: Any, a: Any, hermitian: bool = False) -> Any:
    """The tangent of the pseudo-inverse y of a."""
    if hermitian:
        return pinv_tangent(from_triangle(d), y, from_triangle(a))
    c = power_of_two(a)
    a, y, d = a / c, c * y, d / c
    left = mH(d) - (mH(d) @ a) @ y
    right = mH(d) - y @ (a @ mH(d))
    return (y @ mH(y) @ left + right @ mH(y) @ y - y @ d @ y) / c


def squared(x: Any) -> Any:
    """A tensor as a square matrix."""
    n = math.isqrt(np.size(x))
    return np.reshape(x, (n, n))


def columns(v: Any, b: Any) -> Any:
    """v as matrices, where b says whether v is one of vectors."""
    return np.expand_dims(v, -1) if np.ndim(b) == 1 else v


def solve_columns(a: Any, v: Any, b: Any) -> Any:
    """`np.linalg.solve(a, v)`, where b says whether v is one of vectors."""
    return np.linalg.solve(a, np.expand_dims(v, -1))[..., 0] if np.ndim(b) == 1 else np.linalg.solve(a, v)


def matmul_columns(a: Any, v: Any, b: Any) -> Any:
    """`a @ v`, where b says whether v is one of vectors."""
    return (a @ np.expand_dims(v, -1))[..., 0] if np.ndim(b) == 1 else a @ v


def system_axes(a: Any, axes: Any) -> list[int]:
    """The order in which `np.tensorsolve` takes the axes of a."""
    last = [] if axes is None else [axis % np.ndim(a) for axis in axes]
    return [k for k in range(np.ndim(a)) if k not in last] + last


def system(a: Any, x: Any, axes: Any = None) -> Any:
    """The matrix of `np.tensorsolve(a, b, axes)`, whose solution is x."""
    return np.reshape(np.transpose(a, system_axes(a, axes)), (np.size(x), np.size(x)))


def from_system(m: Any, a: Any, x: Any, axes: Any = None) -> Any:
    """The transpose of `system`: a matrix as a tensor like a."""
    order = system_axes(a, axes)
    return np.transpose(np.reshape(m, [np.shape(a)[k] for k in order]), np.argsort(order))


def lstsq_pinv(a: Any, rcond: Any) -> Any:
    """The pseudo-inverse with the cutoff of `np.linalg.lstsq`."""
    eps = np.finfo(precision(a)).eps
    return np.linalg.pinv(a, rcond=eps * max(np.shape(a)) if rcond is None else max(rcond, eps))


def lstsq_adjoint_a(g: Any, y: Any, a: Any, b: Any, p: Any, c: Any) -> Any:
    """The adjoint of a from those of solution, residuals and singular values; p is the pseudo-inverse of `a / c`."""
    a, x, gx = a / c, c * columns(y[0], b), columns(g[0], b) / c
    r, u = np.conj(columns(b, b) - a @ x), mT(p) @ gx
    out = -u @ mT(x)
    if y[2] < np.shape(a)[0]:
        out = out + r @ mT(p @ np.conj(u))
    if y[2] < np.shape(a)[1]:
        out = out + mT(p) @ np.conj(x) @ mH(gx - mT(a) @ u)
    if np.size(y[1]) > 0:
        out = out - 2 * (r * g[1]) @ mT(x)
    return svdvals_adjoint(g[3], a) + out / c


def lstsq_adjoint_b(g: Any, y: Any, a: Any, b: Any, p: Any, c: Any) -> Any:
    """The adjoint of b in `np.linalg.lstsq(a, b)`."""
    x, gx = columns(y[0], b), columns(g[0], b)
    out = mT(p) @ (gx / c)
    if np.size(y[1]) > 0:
        out = out + 2 * np.conj(columns(b, b) - a @ x) * g[1]
    return np.reshape(out, np.shape(b))


def lstsq_tangent(da: Any, db: Any, y: Any, a: Any, b: Any, p: Any, c: Any) -> tuple[Any, Any, Any, Any]:
    """The tangent of `np.linalg.lstsq(a, b)`; da or db may be zero numbers."""
    a, x, da = a / c, c * columns(y[0], b), (da + np.zeros_like(a)) / c
    db = columns(db + np.zeros_like(b), b)
    r, dr = columns(b, b) - a @ x, db - da @ x
    dx = p @ dr
    if y[2] < np.shape(a)[0]:
        dx = dx + p @ (mH(p) @ (mH(da) @ r))
    if y[2] < np.shape(a)[1]:
        t = mH(da) @ (mH(p) @ x)
        dx = dx + t - p @ (a @ t)
    residuals = 2 * np.sum(np.real(np.conj(r) * dr), axis=0) if np.size(y[1]) > 0 else 0.0 * y[1]
    return np.reshape(dx / c, np.shape(y[0])), residuals, 0, as_dtype(c[0] * svdvals_tangent(da, a), y[3])


def matrix_power_tangent(d: Any, a: Any, n: int) -> Any:
    """The sum of `a ** i @ d @ a ** (n - 1 - i)`: the corner of a power of `[[a, d], [0, a]]`."""
    m = np.shape(a)[-1]
    return np.linalg.matrix_power(np.block([[a, d], [np.zeros_like(a), a]]), n)[..., :m, m:]


def multi_dot_adjoints(b: Any, xs: Any) -> Any:
    """The adjoints of the factors of `np.linalg.multi_dot(xs)`."""
    out: list[Any] = []
    for i in range(len(xs)):
        out = [*out, multi_dot_adjoint(b, xs, i)]
    return sequence_like(out, xs)


def multi_dot_adjoint(b: Any, xs: Any, i: int) -> Any:
    """The adjoint of factor i of `np.linalg.multi_dot(xs)`, itself a product of many matrices."""
    before: list[Any] = []
    behind: list[Any] = []
    for j in range(len(xs)):
        if j < i:
            before = [mT(factor(xs, j)), *before]
        if j > i:
            behind = [mT(factor(xs, j)), *behind]
    b = np.reshape(b, (np.shape(factor(xs, 0))[0], np.shape(factor(xs, len(xs) - 1))[1]))
    return like(np.linalg.multi_dot([*before, b, *behind]), xs[i])


def factor(xs: Any, j: int) -> Any:
    """Factor j as a matrix: the first may be a row, the last a column."""
    if j == 0:
        return np.atleast_2d(xs[0])
    return xs[j] if np.ndim(xs[j]) == 2 else np.reshape(xs[j], (-1, 1))


def multi_dot_tangent(t: Any, xs: Any) -> Any:
    """The tangent of `np.linalg.multi_dot(xs)`: the sum over the factors, each replaced by its tangent in turn."""
    out: Any = 0.0
    for i in range(len(xs)):
        out = out + np.linalg.multi_dot(with_item(xs, i, t[i]))
    return out
