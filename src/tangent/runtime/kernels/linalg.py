"""Kernels of linear algebra, over stacks of matrices. An adjoint b pairs with a tangent d as the real part of
`sum(b * d)`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.runtime.dispatch import add_grad
from tangent.runtime.kernels.elementwise import ratio
from tangent.runtime.kernels.products import active_items, mT, with_item
from tangent.runtime.kernels.shape import like, sequence_like


def mH(x: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return np.conj(mT(x))


def as_matrices(x: Any) -> Any:
    """Numbers as 1 x 1 matrices."""
    return np.expand_dims(x, (-2, -1))


def quotient(x: Any, g: Any, w: Any) -> Any:
    """`x / gap` off the diagonal, where the gap is `w[j] - w[i]`; x is made of g.

    Where values repeat, the vectors that belong to them are any basis: 0 if g has no part among them, else nan.
    """
    same = identity(w) > 0
    eps = 100 * np.finfo(np.result_type(w)).eps
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    close = np.abs(gap) <= eps * np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    size = np.abs(g) + np.abs(mT(g))
    unused = size <= eps * np.max(size, axis=(-2, -1), keepdims=True, initial=0.0)
    part = np.where(close & ~same, np.nan, x / np.where(close, 1.0, gap))
    return np.where(same | (close & unused), 0.0, part)


# Hermitian matrices, of which only one triangle is read


def triangle(x: Any, UPLO: str, k: int) -> Any:
    """The lower triangle of matrices below diagonal k, or the upper one above it."""
    return np.tril(x, -k) if UPLO.upper() == "L" else np.triu(x, k)


def identity(x: Any) -> Any:
    """The identity matrix of the size and precision of the last axis of x."""
    return np.eye(np.shape(x)[-1], dtype=np.finfo(np.result_type(x)).dtype)


def from_triangle(x: Any, UPLO: str = "L") -> Any:
    """The Hermitian matrix of which x holds one triangle."""
    part = triangle(x, UPLO, 1)
    return part + mH(part) + np.real(x) * identity(x)


def in_triangle(b: Any, UPLO: str = "L") -> Any:
    """The adjoint of `from_triangle`."""
    return triangle(b + mH(b), UPLO, 1) + np.real(b) * identity(b)


# Determinants and inverses


def cofactors(a: Any) -> Any:
    """The derivative of the determinant, also of singular matrices."""
    y = np.linalg.det(a)
    return as_matrices(y) * mT(np.linalg.inv(a)) if np.all(y != 0) else minors(a)


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
    return (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, axis=-2), j, axis=-1))


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
    left = mT(b) - a @ (y @ mT(b))
    right = mT(b) - (mT(b) @ y) @ a
    return np.conj(left @ y @ mH(y) + mH(y) @ y @ right) - mT(y) @ b @ mT(y)


def pinv_tangent(d: Any, y: Any, a: Any, hermitian: bool = False) -> Any:
    """The tangent of the pseudo-inverse y of a."""
    if hermitian:
        return pinv_tangent(from_triangle(d), y, from_triangle(a))
    left = mH(d) - (mH(d) @ a) @ y
    right = mH(d) - y @ (a @ mH(d))
    return y @ mH(y) @ left + right @ mH(y) @ y - y @ d @ y


def squared(x: Any) -> Any:
    """A tensor as a square matrix."""
    n = math.isqrt(np.size(x))
    return np.reshape(x, (n, n))


# Linear systems, whose right side is a vector or a stack of matrices of columns


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


def system(a: Any, x: Any, axes: Any) -> Any:
    """The matrix of `np.tensorsolve(a, b, axes)`, whose solution is x."""
    return np.reshape(np.transpose(a, system_axes(a, axes)), (-1, np.size(x)))


def from_system(m: Any, a: Any, x: Any, axes: Any) -> Any:
    """The transpose of `system`: a matrix as a tensor like a."""
    order = system_axes(a, axes)
    return np.transpose(np.reshape(m, [np.shape(a)[k] for k in order]), np.argsort(order))


def lstsq_pinv(a: Any, rcond: Any) -> Any:
    """The pseudo-inverse with the cutoff of `np.linalg.lstsq`."""
    eps = np.finfo(np.result_type(a, 0.0)).eps
    return np.linalg.pinv(a, rcond=eps * max(np.shape(a)) if rcond is None else max(rcond, eps))


def lstsq_adjoint_a(g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    """The adjoint of a in `np.linalg.lstsq(a, b)`, from those of solution, residuals and singular values."""
    p, x, gx = lstsq_pinv(a, rcond), columns(y[0], b), columns(g[0], b)
    out = pinv_adjoint(gx @ mT(columns(b, b)), p, a) + svdvals_adjoint(g[3], a)
    if np.size(y[1]) > 0:
        out = out - 2 * (np.conj(columns(b, b) - a @ x) * g[1]) @ mT(x)
    return out


def lstsq_adjoint_b(g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    """The adjoint of b in `np.linalg.lstsq(a, b)`."""
    p, x, gx = lstsq_pinv(a, rcond), columns(y[0], b), columns(g[0], b)
    out = mT(p) @ gx
    if np.size(y[1]) > 0:
        out = out + 2 * np.conj(columns(b, b) - a @ x) * g[1]
    return np.reshape(out, np.shape(b))


def lstsq_tangent(da: Any, db: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """The tangent of `np.linalg.lstsq(a, b)`; da or db may be zero numbers."""
    p, x, da = lstsq_pinv(a, rcond), columns(y[0], b), da + np.zeros_like(a)
    db = columns(db + np.zeros_like(b), b)
    dx = pinv_tangent(da, p, a) @ columns(b, b) + p @ db
    r = columns(b, b) - a @ x
    residuals = 2 * np.sum(np.real(np.conj(r) * (db - da @ x)), axis=0) if np.size(y[1]) > 0 else 0.0 * y[1]
    return np.reshape(dx, np.shape(y[0])), residuals, 0, svdvals_tangent(da, a)


# Products of many


def matrix_power_tangent(d: Any, a: Any, n: int) -> Any:
    """The sum of `a ** i @ d @ a ** (n - 1 - i)`: the corner of a power of `[[a, d], [0, a]]`."""
    m = np.shape(a)[-1]
    return np.linalg.matrix_power(np.block([[a, d], [np.zeros_like(a), a]]), n)[..., :m, m:]


def multi_dot_adjoints(b: Any, xs: Any) -> Any:
    """The adjoints of the factors of `np.linalg.multi_dot(xs)`."""
    return sequence_like([multi_dot_adjoint(b, xs, i) for i in range(len(xs))], xs)


def multi_dot_adjoint(b: Any, xs: Any, i: int) -> Any:
    """The adjoint of factor i of `np.linalg.multi_dot(xs)`, itself a product of many matrices."""
    first, last = np.atleast_2d(xs[0]), np.reshape(xs[-1], (np.shape(xs[-1])[0], -1))
    factors = [mT(x) for x in (first, *xs[1:-1], last)]
    b = np.reshape(b, (np.shape(first)[0], np.shape(last)[1]))
    return like(np.linalg.multi_dot([*factors[:i][::-1], b, *factors[i + 1 :][::-1]]), xs[i])


def multi_dot_tangent(t: Any, xs: Any) -> Any:
    """The tangent of `np.linalg.multi_dot(xs)`: the sum over the factors, each replaced by its tangent in turn."""
    parts = [np.linalg.multi_dot(with_item(xs, i, t[i])) for i in active_items(t)]
    return sum(parts[1:], parts[0])


def multi_dot_tangent_twice(t: Any, u: Any, xs: Any) -> Any:
    """The second tangent of `np.linalg.multi_dot(xs)` along t and u."""
    out: Any = 0.0
    for i in active_items(t):
        for j in active_items(u):
            if i != j:
                out = out + np.linalg.multi_dot(with_item(with_item(xs, i, t[i]), j, u[j]))
    return out


def multi_dot_cross(t: Any, b: Any, xs: Any) -> Any:
    """The tangent of `multi_dot_adjoints` along t, one direction a factor; it is symmetric, so also the adjoint."""
    out = []
    for j in range(len(xs)):
        parts = [multi_dot_adjoint(b, with_item(xs, i, t[i]), j) for i in active_items(t) if i != j]
        out.append(sum(parts, np.zeros_like(xs[j])))
    return sequence_like(out, xs)


def multi_dot_adjoints_tangent(db: Any, t: Any, b: Any, xs: Any) -> Any:
    """The tangent of `multi_dot_adjoints`; db or t may be a zero number."""
    parts = multi_dot_adjoints(db + np.zeros_like(b), xs)
    return add_grad(parts, multi_dot_cross(t, b, xs)) if isinstance(t, list | tuple) else parts


# Factorisations


def cholesky_adjoint(b: Any, y: Any, upper: bool = False) -> Any:
    """The adjoint of a in its Cholesky factor y, in the triangle that is read."""
    if upper:
        return mH(cholesky_adjoint(mH(b), mH(y)))
    g = half_triangle(mH(y) @ np.conj(np.tril(b)))
    g = np.linalg.solve(mH(y), mH(np.linalg.solve(mH(y), mH(g + mH(g)))))
    return in_triangle(np.conj(g) / 2)


def cholesky_tangent(d: Any, y: Any, upper: bool = False) -> Any:
    """The tangent of the Cholesky factor y."""
    if upper:
        return mH(cholesky_tangent(mH(d), mH(y)))
    return y @ half_triangle(np.linalg.solve(y, mH(np.linalg.solve(y, from_triangle(d)))))


def half_triangle(x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return np.tril(x) - x * identity(x) / 2


def qr_factors(y: Any, a: Any, mode: str) -> Any:
    """The factors q and r, if the mode is one with a derivative."""
    m, n = np.shape(a)[-2:]
    if mode == "r":
        k = min(m, n)
        return mT(np.linalg.solve(mT(y[..., :k]), mT(a[..., :k]))), y
    if mode == "reduced" or (mode == "complete" and m <= n):
        return y[0], y[1]
    raise NotImplementedError(
        f"np.linalg.qr(mode={mode!r}) of {m} x {n} matrices has no derivative: use mode='reduced'"
    )


def qr_adjoint(b: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The adjoint of a in its factors q and r; the diagonal of r is real."""
    q, r = qr_factors(y, a, mode)
    bq, br = (np.zeros_like(q), np.conj(b)) if mode == "r" else (np.conj(b[0]), np.conj(b[1]))
    m, n = np.shape(a)[-2:]
    if m >= n:
        return np.conj(qr_adjoint_tall(bq, br, q, r))
    tail = br[..., m:]
    head = qr_adjoint_tall(bq + a[..., m:] @ mH(tail), br[..., :m], q, r[..., :m])
    return np.conj(np.concatenate([head, q @ tail], axis=-1))


def qr_adjoint_tall(bq: Any, br: Any, q: Any, r: Any) -> Any:
    """The conjugate of the adjoint of `q @ r` with as many columns as r, from the conjugates of those of q and r."""
    g = np.triu(br) @ mH(r) - mH(q) @ bq
    g = bq + q @ from_triangle(g, UPLO="U")
    return mH(np.linalg.solve(r, mH(g)))


def qr_tangent(d: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The tangents of q and r."""
    q, r = qr_factors(y, a, mode)
    k = min(np.shape(a)[-2:])
    rate = mT(np.linalg.solve(mT(r[..., :k]), mT(d[..., :k])))
    c = mH(q) @ rate
    low = np.tril(c, -1)
    u = np.triu(c, 1) + mH(low) + np.real(c) * identity(c)
    dq = rate - q @ u
    dr = np.concatenate([u @ r[..., :k], mH(q) @ d[..., k:] + mH(dq) @ a[..., k:]], axis=-1)
    return dr if mode == "r" else (dq, dr)


def diagonals(w: Any) -> Any:
    """Diagonal matrices."""
    return np.expand_dims(w, -1) * identity(w)


def safe_ratio(x: Any, y: Any) -> Any:
    """`x / y`, but 0 where y is 0."""
    return np.where(y == 0, 0.0, x / np.where(y == 0, 1.0, y))


def phase_ratio(x: Any, y: Any) -> Any:
    """`x / y`, but 0 where y is 0 to rounding: no phase can be read there."""
    return safe_ratio(x, np.where(np.abs(y) <= 100 * np.finfo(np.result_type(y)).eps, 0.0, y))


def phase_row(UPLO: str) -> int:
    """The row of complex eigenvectors of Hermitian matrices that LAPACK makes real."""
    return 0 if UPLO.upper() == "L" else -1


def turn(d: Any, v: Any, k: int) -> Any:
    """The rates at which the columns of v turn so that row k stays real when d is added to them."""
    return -1j * phase_ratio(np.imag(d[..., [k], :]), np.real(v[..., [k], :]))


def unturn(rate: Any, v: Any, k: int) -> Any:
    """The (conjugated) adjoint of d in `turn(d, v, k)`."""
    row = np.expand_dims(np.arange(np.shape(v)[-2]) == k % np.shape(v)[-2], -1)
    return -1j * phase_ratio(rate, np.real(v[..., [k], :])) * row


def parallel(v: Any, b: Any) -> Any:
    """The scalar products of the columns of v with those of b."""
    return np.sum(np.conj(v) * b, axis=-2, keepdims=True)


def eigh_adjoint(b: Any, y: Any, UPLO: str = "L") -> Any:
    """The adjoint of a Hermitian matrix in its eigenvalues and eigenvectors y."""
    w, v = y
    bv = np.conj(b[1])
    if np.iscomplexobj(v):
        bv = bv + unturn(np.imag(parallel(v, bv)), v, phase_row(UPLO))
    g = mH(v) @ bv
    return np.conj(v @ (quotient((g - mH(g)) / 2, g, w) + diagonals(b[0])) @ mH(v))


def eigh_tangent(d: Any, y: Any, UPLO: str = "L") -> tuple[Any, Any]:
    """The tangents of eigenvalues and eigenvectors."""
    w, v = y
    g = mH(v) @ d @ v
    dv = v @ quotient(g, g, w)
    if np.iscomplexobj(v):
        dv = dv + v * turn(dv, v, phase_row(UPLO))
    return np.real(np.diagonal(g, axis1=-2, axis2=-1)), dv


def eig_adjoint(b: Any, y: Any) -> Any:
    """The adjoint of a in its eigenvalues and eigenvectors y, which have norm 1 and a real largest component."""
    w, v = y
    bv = np.conj(b[1])
    along_v = parallel(v, bv)
    bv = bv - np.real(along_v) * v
    if np.iscomplexobj(v):
        bv = bv - 1j * np.imag(along_v) * largest_rows(v) / largest_entries(v)
    g = mT(v) @ np.conj(bv)
    return np.linalg.solve(mT(v), (quotient(g, g, w) + diagonals(b[0])) @ mT(v))


def eig_tangent(d: Any, y: Any) -> tuple[Any, Any]:
    """The tangents of eigenvalues and eigenvectors."""
    w, v = y
    g = np.linalg.solve(v, d @ v)
    dv = v @ quotient(g, g, w)
    scale = -np.real(parallel(v, dv))
    if np.iscomplexobj(v):
        scale = scale - 1j * np.sum(np.imag(dv) * largest_rows(v), axis=-2, keepdims=True) / largest_entries(v)
    return np.diagonal(g, axis1=-2, axis2=-1), dv + v * scale


def largest_rows(v: Any) -> Any:
    """Where in each column the component of largest absolute value is."""
    rows = np.expand_dims(np.arange(np.shape(v)[-2]), -1)
    return rows == np.argmax(np.abs(v), axis=-2, keepdims=True)


def largest_entries(v: Any) -> Any:
    """The component of largest absolute value in each column, which is real."""
    return np.sum(np.real(v) * largest_rows(v), axis=-2, keepdims=True)


# Singular values


def svd_adjoint(b: Any, y: Any, a: Any, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The adjoint of a in its singular value decomposition y."""
    if hermitian:
        return in_triangle(svd_hermitian_adjoint(b, y, from_triangle(a), compute_uv))
    if not compute_uv:
        return svdvals_adjoint(b, a)
    u, s, v = thin(y)
    if np.any(b[0][..., np.shape(s)[-1] :]) or np.any(b[2][..., np.shape(s)[-1] :, :]):
        raise ValueError(
            "the vectors that np.linalg.svd adds to make square matrices have no derivative: use full_matrices=False"
        )
    bu, bv = np.conj(b[0][..., : np.shape(s)[-1]]), mT(b[2][..., : np.shape(s)[-1], :])
    if np.iscomplexobj(u):
        bu, bv = svd_unturn(bu, bv, u, v)
    g, h, row = mH(u) @ bu, mH(v) @ bv, np.expand_dims(s, -2)
    core = quotient(g - mH(g), g, s * s) * row + mT(row) * quotient(h - mH(h), h, s * s) + diagonals(b[1])
    if np.iscomplexobj(u):
        core = core + 1j * diagonals(ratio(np.imag(np.diagonal(g, axis1=-2, axis2=-1)), s))
    return np.conj(u @ core @ mH(v) + ratio(bu - u @ g, row) @ mH(v) + u @ mH(ratio(bv - v @ h, row)))


def svd_tangent(d: Any, y: Any, a: Any, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The tangents of the singular value decomposition; nan for the vectors that make the matrices square."""
    if hermitian:
        return svd_hermitian_tangent(from_triangle(d), y, from_triangle(a), compute_uv)
    if not compute_uv:
        return svdvals_tangent(d, a)
    u, s, v = thin(y)
    g, row = mH(u) @ d @ v, np.expand_dims(s, -2)
    ds = np.diagonal(g, axis1=-2, axis2=-1)
    du = u @ quotient(g * row + mT(row) * mH(g), g, s * s) + ratio(d @ v - u @ g, row)
    dv = v @ quotient(mT(row) * g + mH(g) * row, g, s * s) + ratio(mH(d) @ u - v @ mH(g), row)
    if np.iscomplexobj(u):
        du = du + 1j * u * ratio(np.imag(np.expand_dims(ds, -2)), row)
        rate = turn(dv, v, 0) if is_tall(u, v) else turn(du, u, 0)
        du, dv = du + u * rate, dv + v * rate
    return undefined_columns(du, y[0]), np.real(ds), mH(undefined_columns(dv, mT(y[2])))


def thin(y: Any) -> tuple[Any, Any, Any]:
    """The factors u, s, v without the vectors that make the matrices square."""
    k = np.shape(y[1])[-1]
    return y[0][..., :k], y[1], mH(y[2][..., :k, :])


def is_tall(u: Any, v: Any) -> bool:
    """Whether LAPACK makes the first row of v real, else it is that of u."""
    return bool(np.shape(u)[-2] >= np.shape(v)[-2])


def svd_unturn(bu: Any, bv: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """The adjoints (conjugated) of singular vectors before both were turned so that the first row of one is real."""
    rate = np.imag(parallel(u, bu) + parallel(v, bv))
    return (bu, bv + unturn(rate, v, 0)) if is_tall(u, v) else (bu + unturn(rate, u, 0), bv)


def undefined_columns(d: Any, x: Any) -> Any:
    """d with columns of nan, as many as x has more."""
    k = np.shape(d)[-1]
    return d if np.shape(x)[-1] == k else np.concatenate([d, np.full_like(x[..., k:], np.nan)], axis=-1)


def svd_hermitian_adjoint(b: Any, y: Any, a: Any, compute_uv: bool) -> Any:
    """The adjoint of a Hermitian matrix in the decomposition that NumPy makes of its eigenvalues."""
    if not compute_uv:
        return svdvals_adjoint(b, a)
    signs = np.real(parallel(y[0], mH(y[2])))[..., 0, :]
    bv = b[0] + np.conj(mT(b[2])) * np.expand_dims(signs, -2)
    return eigh_adjoint((b[1] * signs, bv), (y[1] * signs, y[0]))


def svd_hermitian_tangent(d: Any, y: Any, a: Any, compute_uv: bool) -> Any:
    """The tangents of the decomposition that NumPy makes of the eigenvalues of a Hermitian matrix."""
    if not compute_uv:
        return svdvals_tangent(d, a)
    signs = np.real(parallel(y[0], mH(y[2])))[..., 0, :]
    dw, du = eigh_tangent(d, (y[1] * signs, y[0]))
    return du, dw * signs, mH(du * np.expand_dims(signs, -2))


def svdvals_adjoint(b: Any, a: Any) -> Any:
    """The adjoint of a in its singular values."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.conj(u * np.expand_dims(b, -2) @ vh)


def svdvals_tangent(d: Any, a: Any) -> Any:
    """The tangent of the singular values of a."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.real(np.sum(np.conj(u) * (d @ mH(vh)), axis=-2))


# Norms. A slope g says that the tangent of the norm is the real part of `sum(g * d)`.


def at_rank(b: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """b, of the shape of x reduced over the axes, with the rank of x."""
    if keepdims or np.ndim(b) == np.ndim(x):
        return b
    return np.expand_dims(b, tuple(range(np.ndim(x))) if axis is None else axis)


def norm_slope(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """The slope of `np.linalg.norm(x, ord, axis)`."""
    if ord is None or (np.ndim(x) == 1 if axis is None else np.size(axis) == 1):
        return vector_norm_slope(x, ord=2 if ord is None else ord, axis=axis)
    rows, cols = (-2, -1) if axis is None else axis
    return np.moveaxis(matrix_norm_slope(np.moveaxis(x, (rows, cols), (-2, -1)), ord=ord), (-2, -1), (rows, cols))


def direction(x: Any) -> Any:
    """The sign of x, also of complex numbers: `x / abs(x)`, but 0 for 0."""
    return safe_ratio(x, np.abs(x)) if np.iscomplexobj(x) else np.sign(x)


def vector_norm_slope(x: Any, ord: Any = 2, axis: Any = None) -> Any:
    """The slope of a vector norm: 0 where the norm is 0, shared evenly by equal maxima."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    if ord == 0:
        return np.zeros_like(x)
    size = np.abs(x)
    if ord == 1:
        return np.conj(direction(x))
    if abs(ord) == np.inf:
        ends = np.max(size, axis=axis, keepdims=True) if ord > 0 else np.min(size, axis=axis, keepdims=True)
        return np.conj(direction(x)) * evenly(size == ends, x, axis)
    if ord == 2:
        return safe_ratio(np.conj(x), np.sqrt(np.sum(size * size, axis=axis, keepdims=True)))
    return power_norm_slope(x, size, ord, axis)


def power_norm_slope(x: Any, size: Any, ord: float, axis: Any) -> Any:
    """The slope of the norm `sum(abs(x) ** ord) ** (1 / ord)`."""
    scale = np.max(size, axis=axis, keepdims=True, initial=0.0)
    part = safe_ratio(size, scale)
    inside = part > 0
    powers = np.where(inside, np.where(inside, part, 1.0) ** (ord - 1), 0.0)
    total = np.sum(powers * part, axis=axis, keepdims=True)
    if ord < 0:
        total = np.where(np.all(inside, axis=axis, keepdims=True), total, 0.0)
    return np.conj(direction(x)) * safe_ratio(powers, np.where(total == 0, 1.0, total) ** (1 - 1 / ord)) * (total != 0)


def evenly(chosen: Any, x: Any, axis: Any) -> Any:
    """Weights that sum to 1, equal where chosen, in the precision of x."""
    weights = chosen / np.maximum(np.sum(chosen, axis=axis, keepdims=True), 1)
    return weights.astype(np.finfo(np.result_type(x)).dtype)


def matrix_norm_slope(x: Any, ord: Any = "fro") -> Any:
    """The slope of a norm of matrices."""
    if ord is None or ord == "fro" or ord == "f":
        return vector_norm_slope(x, axis=(-2, -1))
    if ord == "nuc" or ord == 2 or ord == -2:
        return singular_slope(x, ord)
    inner, outer = (-2, -1) if abs(ord) == 1 else (-1, -2)
    sums = np.sum(np.abs(x), axis=inner, keepdims=True)
    ends = np.max(sums, axis=outer, keepdims=True) if ord > 0 else np.min(sums, axis=outer, keepdims=True)
    return np.conj(direction(x)) * evenly(sums == ends, x, outer)


def singular_slope(x: Any, ord: Any) -> Any:
    """The slope of the sum, the largest or the smallest of the singular values."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    ends = s[..., :1] if ord == 2 else s[..., -1:]
    weight = np.sign(s) if ord == "nuc" else np.sign(s) * evenly(s == ends, s, -1)
    return np.conj(u * np.expand_dims(weight, -2) @ vh)


def cond_slope(x: Any, p: Any = None) -> Any:
    """The slope of the condition number."""
    if p is None or p == 2 or p == -2:
        s = np.linalg.svd(x, compute_uv=False)
        top, low = as_matrices(s[..., 0]), as_matrices(s[..., -1])
        high, small = singular_slope(x, 2), singular_slope(x, -2)
        return (small - low / top * high) / top if p == -2 else (high - top / low * small) / low
    y = np.linalg.inv(x)
    size_x = np.linalg.norm(x, ord=p, axis=(-2, -1), keepdims=True)
    size_y = np.linalg.norm(y, ord=p, axis=(-2, -1), keepdims=True)
    return size_y * matrix_norm_slope(x, ord=p) - size_x * (mT(y) @ matrix_norm_slope(y, ord=p) @ mT(y))
