"""Kernels of the factorisations: Cholesky, eigenvalues and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.kernels.elementwise import ratio
from tangent.runtime.kernels.index import is_lazy_zero
from tangent.runtime.kernels.matrices import (
    among_equal,
    diagonals,
    from_triangle,
    half_triangle,
    in_triangle,
    mH,
    parallel,
    phase_ratio,
    quotient,
    solve_lower,
    solve_upper,
)
from tangent.runtime.kernels.products import mT
from tangent.runtime.kernels.spectra import (
    eigen_rates,
    eigen_sum,
    general_rates,
    general_sum,
    over_values,
    singular_rates,
    singular_sum,
    sums_of,
    thin_svd,
    undetermined,
    unsettled,
)


def cholesky_adjoint(b: Any, y: Any, upper: bool = False) -> Any:
    """The adjoint of a in its Cholesky factor y, in the triangle that is read."""
    if upper:
        return mH(cholesky_adjoint(mH(b), mH(y)))
    u = mH(y)
    g = half_triangle(u @ np.conj(np.tril(b)))
    g = solve_upper(u, mH(solve_upper(u, g + mH(g))))
    return half_triangle(np.conj(g))


def cholesky_tangent(d: Any, y: Any, upper: bool = False) -> Any:
    """The tangent of the Cholesky factor y."""
    if upper:
        return mH(cholesky_tangent(mH(d), mH(y)))
    return y @ half_triangle(solve_lower(y, mH(solve_lower(y, from_triangle(d)))))


def refuse_turned(g: Any, function: str, todo: str) -> None:
    """Vectors that only fill up a basis may be turned in the space they span: what sees that has no derivative."""
    if np.any(np.abs(g - mH(g)) > 1e-4 * np.max(np.abs(g), initial=0.0) + 1e-12):
        raise UnsupportedError(
            f"cannot differentiate '{function}' by the vectors that fill up a basis",
            why="they are any orthogonal vectors, not a function of the matrix, and the result depends on which",
            todo=todo,
        )


def without_filling(b: Any, u: Any, k: int, function: str, todo: str) -> Any:
    """The (conjugated) adjoint of the first k columns of a unitary u, where b is that of all: the others fill it up."""
    if np.shape(u)[-1] == k:
        return b
    rest = b[..., k:]
    filling = u[..., k:] if np.any(rest) else filling_of(u, k)  # what is multiplied by 0 need not be known
    refuse_turned(mH(filling) @ rest, function, todo)
    return b[..., :k] - filling @ mH(rest) @ u[..., :k]


def filling_of(u: Any, k: int) -> Any:
    """The columns of a unitary u behind the first k: they turn no more than these make them."""
    return u[..., k:]


def filling_tangent(d: Any, u: Any, y: Any, k: int) -> Any:
    """The tangent of the columns y that fill up u, for the tangent d of u, of which the first k columns count."""
    return -u[..., :k] @ mH(d[..., :k]) @ y


def filling_adjoint(b: Any, u: Any, y: Any, k: int) -> Any:
    """The transpose of `filling_tangent`."""
    return np.concatenate([-np.conj(y @ mT(b) @ u[..., :k]), np.zeros_like(b)], axis=-1)


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


def eigh_adjoint(b: Any, y: Any, a: Any, UPLO: str = "L") -> Any:
    """The adjoint of a Hermitian matrix in its eigenvalues and eigenvectors y."""
    w, v = y
    if is_lazy_zero(b[1]):
        return eigen_sum(b[0], a, y, UPLO=UPLO)
    bv = np.conj(b[1])
    if np.iscomplexobj(v):
        bv = bv + unturn(np.imag(parallel(v, bv)), v, phase_row(UPLO))
    g = mH(v) @ bv
    x = (g - mH(g)) / 2
    return np.conj(v @ with_numbers(quotient(x, among_equal(x, g), w), b[0], g, w) @ mH(v))


def with_numbers(core: Any, b: Any, g: Any, w: Any) -> Any:
    """The adjoint core of the vectors in their basis, made of g, with b, that of the values."""
    return core if is_lazy_zero(b) else core + diagonals(b) + undetermined(b, g, w)


def eigh_tangent(d: Any, y: Any, UPLO: str = "L") -> tuple[Any, Any]:
    """The tangents of eigenvalues and eigenvectors."""
    w, v = y
    g, dw = mH(v) @ d @ v, eigen_rates(d, y)
    dv = v @ quotient(g, unsettled(g, dw), w)
    if np.iscomplexobj(v):
        dv = dv + v * turn(dv, v, phase_row(UPLO))
    return dw, dv


def eig_adjoint(b: Any, y: Any, a: Any) -> Any:
    """The adjoint of a in its eigenvalues and eigenvectors y, which have norm 1 and a real largest component."""
    w, v = y
    if is_lazy_zero(b[1]):
        return general_sum(b[0], a, y)
    bv = np.conj(b[1])
    along_v = parallel(v, bv)
    bv = bv - np.real(along_v) * v
    if np.iscomplexobj(v):
        bv = bv - 1j * np.imag(along_v) * largest_rows(v) / largest_entries(v)
    g = mT(v) @ np.conj(bv)
    return np.linalg.solve(mT(v), with_numbers(quotient(g, g, w), b[0], g, w) @ mT(v))


def eig_tangent(d: Any, y: Any, a: Any) -> tuple[Any, Any]:
    """The tangents of eigenvalues and eigenvectors."""
    w, v = y
    g, dw = np.linalg.solve(v, d @ v), general_rates(d, a, y)
    dv = v @ quotient(g, unsettled(g, dw), w)
    scale = -np.real(parallel(v, dv))
    if np.iscomplexobj(v):
        scale = scale - 1j * np.sum(np.imag(dv) * largest_rows(v), axis=-2, keepdims=True) / largest_entries(v)
    return dw, dv + v * scale


def largest_rows(v: Any) -> Any:
    """Where in each column the component of largest absolute value is."""
    rows = np.expand_dims(np.arange(np.shape(v)[-2]), -1)
    return rows == np.argmax(np.abs(v), axis=-2, keepdims=True)


def largest_entries(v: Any) -> Any:
    """The component of largest absolute value in each column, which is real."""
    return np.sum(np.real(v) * largest_rows(v), axis=-2, keepdims=True)


def svd_adjoint(b: Any, y: Any, a: Any, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The adjoint of a in its singular value decomposition y."""
    if np.size(a) == 0:
        return np.zeros_like(a)
    if hermitian:
        return in_triangle(svd_hermitian_adjoint(b, y, from_triangle(a), compute_uv))
    if not compute_uv:
        return svdvals_adjoint(b, a)
    u, s, v = thin(y)
    if is_lazy_zero(b[0]) and is_lazy_zero(b[2]):
        return singular_sum(b[1], a, (u, s, v))
    k = np.shape(s)[-1]
    bu = without_filling(np.conj(b[0]), y[0], k, "np.linalg.svd", "Use full_matrices=False.")
    bv = without_filling(mT(b[2]), mH(y[2]), k, "np.linalg.svd", "Use full_matrices=False.")
    if np.iscomplexobj(u):
        bu, bv = svd_unturn(bu, bv, u, v)
    g, h, row = mH(u) @ bu, mH(v) @ bv, np.expand_dims(s, -2)
    both, apart = (g - mH(g) + h - mH(h)) / 2, (g - mH(g) - h + mH(h)) / 2
    size = np.abs(g) + np.abs(h)
    core = quotient(both, among_equal(both, size), s) + over_values(apart, apart, sums_of(s))
    core = with_numbers(core, b[1], size, s)
    return np.conj(u @ core @ mH(v) + ratio(bu - u @ g, row) @ mH(v) + u @ mH(ratio(bv - v @ h, row)))


def svd_tangent(d: Any, y: Any, a: Any, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The tangents of the singular value decomposition; nan for the vectors that make the matrices square."""
    if hermitian:
        return svd_hermitian_tangent(from_triangle(d), y, from_triangle(a), compute_uv)
    if not compute_uv:
        return svdvals_tangent(d, a)
    if np.size(a) == 0:
        return np.zeros_like(y[0]), np.zeros_like(y[1]), np.zeros_like(y[2])
    u, s, v = thin(y)
    g, row = mH(u) @ d @ v, np.expand_dims(s, -2)
    even, odd, ds = (g + mH(g)) / 2, (g - mH(g)) / 2, singular_rates(d, (u, s, v))
    both, apart = quotient(even, unsettled(even, ds), s), over_values(odd, odd, sums_of(s))
    du = u @ (both + apart) + ratio(d @ v - u @ g, row)
    dv = v @ (both - apart) + ratio(mH(d) @ u - v @ mH(g), row)
    if np.iscomplexobj(u):
        rate = turn(dv, v, 0) if is_tall(u, v) else turn(du, u, 0)
        du, dv = du + u * rate, dv + v * rate
    return filled_columns(du, y[0]), ds, mH(filled_columns(dv, mH(y[2])))


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


def filled_columns(d: Any, u: Any) -> Any:
    """The tangent of a unitary u, d that of its first columns: nan unless one real column fills it up."""
    k = np.shape(d)[-1]
    if np.shape(u)[-1] == k:
        return d
    if np.shape(u)[-1] > k + 1 or np.iscomplexobj(u):
        return np.concatenate([d, np.full_like(u[..., k:], np.nan)], axis=-1)
    return np.concatenate([d, -u[..., :k] @ mH(d) @ u[..., k:]], axis=-1)


def zero_columns(d: Any, x: Any) -> Any:
    """d with columns of zeros, as many as x has more."""
    k = np.shape(d)[-1]
    return d if np.shape(x)[-1] == k else np.concatenate([d, np.zeros_like(x[..., k:])], axis=-1)


def svd_hermitian_adjoint(b: Any, y: Any, a: Any, compute_uv: bool) -> Any:
    """The adjoint of a Hermitian matrix in the decomposition that NumPy makes of its eigenvalues."""
    if not compute_uv:
        return svdvals_adjoint(b, a)
    signs = np.real(parallel(y[0], mH(y[2])))[..., 0, :]
    bw = b[1] if is_lazy_zero(b[1]) else b[1] * signs
    bv = b[0] if is_lazy_zero(b[2]) else b[0] + np.conj(mT(b[2])) * np.expand_dims(signs, -2)
    return eigh_adjoint((bw, bv), (y[1] * signs, y[0]), a)


def svd_hermitian_tangent(d: Any, y: Any, a: Any, compute_uv: bool) -> Any:
    """The tangents of the decomposition that NumPy makes of the eigenvalues of a Hermitian matrix."""
    if not compute_uv:
        return svdvals_tangent(d, a)
    signs = np.real(parallel(y[0], mH(y[2])))[..., 0, :]
    dw, du = eigh_tangent(d, (y[1] * signs, y[0]))
    return du, dw * signs, mH(du * np.expand_dims(signs, -2))


def svdvals_adjoint(b: Any, a: Any) -> Any:
    """The adjoint of a in its singular values."""
    return singular_sum(b, a, thin_svd(a))


def svdvals_tangent(d: Any, a: Any) -> Any:
    """The tangent of the singular values of a."""
    return singular_rates(d, thin_svd(a))
