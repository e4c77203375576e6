"""`scipy.linalg`: functions that NumPy has, too, and what follows from factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tangent.backends.scipy.kernels import frechet, given_toeplitz, row_order, shifted
from tangent.errors import UnsupportedError
from tangent.runtime import from_triangle, mH, mT


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The inverse."""
    return np.linalg.inv(a)


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinant, in double precision."""
    a = np.asarray(a)
    return np.linalg.det(a.astype(np.result_type(a, float)))


def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: Any = None, transposed: bool = False,
) -> Any:  # fmt: skip
    """A linear system; of a symmetric matrix one triangle is read."""
    if assume_a in ("sym", "her", "pos", "symmetric", "hermitian", "positive definite"):
        a = from_triangle(a, "L" if lower else "U")
    elif assume_a not in (None, "gen", "general"):
        raise UnsupportedError(
            f"cannot differentiate 'scipy.linalg.solve' with assume_a={assume_a!r}",
            why="it reads only a part of the matrix",
            todo="Leave 'assume_a' out.",
        )
    return np.linalg.solve(mT(a) if transposed else a, b)


def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The triangular factor, of the triangle that it has itself."""
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a, upper=True)


def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The factor as `cho_solve` takes it: the other triangle is that of the matrix."""
    a = np.asarray(a)
    return (np.tril(cholesky(a, True)) + np.triu(a, 1) if lower else np.triu(cholesky(a)) + np.tril(a, -1)), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """A linear system from the factor of its matrix."""
    c, lower = c_and_lower
    y = linalg.solve_triangular(c, b, 0 if lower else "C", lower)
    return linalg.solve_triangular(c, y, "C" if lower else 0, lower)


def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> Any:
    """The factors of one square matrix: the rows change places, which has no derivative."""
    if np.ndim(a) != 2 or np.shape(a)[0] != np.shape(a)[1]:
        raise UnsupportedError(
            "cannot differentiate 'scipy.linalg.lu' of what is not one square matrix",
            why="its rule follows from 'scipy.linalg.lu_factor', which takes such",
            todo="Use scipy.linalg.qr, or factorise the matrices of a stack one by one.",
        )
    both, piv = linalg.lu_factor(a)
    places = np.argsort(row_order(piv))
    low, up = np.tril(both, -1) + np.eye(len(piv), dtype=both.dtype), np.triu(both)
    if permute_l:
        return low[places], up
    return (places if p_indices else np.eye(len(piv), dtype=np.real(both).dtype)[places]), low, up


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """A linear system from the factors of its matrix."""
    lu, piv = lu_and_piv
    order = row_order(piv)
    if trans == 0:
        y = linalg.solve_triangular(lu, np.asarray(b)[order], 0, True, True)
        return linalg.solve_triangular(lu, y)
    y = linalg.solve_triangular(lu, np.asarray(b), trans)
    return linalg.solve_triangular(lu, y, trans, True, True)[np.argsort(order)]


def block_diag(*arrs: Any) -> Any:
    """Matrices along the diagonal of a larger one."""
    dtype = np.result_type(*arrs)
    rows: Any = []
    for i in range(len(arrs)):
        row: Any = []
        for j in range(len(arrs)):
            one = np.atleast_2d(arrs[j])
            row = [*row, one if i == j else np.zeros((np.shape(np.atleast_2d(arrs[i]))[0], np.shape(one)[1]), dtype)]
        rows = [*rows, row]
    return np.block(rows)


def toeplitz(c: Any, r: Any = None) -> Any:
    """A matrix that is constant along its diagonals."""
    if np.ndim(c) > 1 or (r is not None and np.ndim(r) > 1):
        raise UnsupportedError(
            "cannot differentiate 'scipy.linalg.toeplitz' of an array with several axes",
            why="it makes one matrix or many, as SciPy's version has it",
            todo="Stack the matrices of its rows: np.stack([toeplitz(row) for row in c]).",
        )
    c = np.ravel(c)
    r = np.conj(c) if r is None else np.ravel(r)
    n, m = len(c), len(r)
    both = np.concatenate([np.flip(c), r[1:]])
    return both[np.arange(n - 1, -1, -1)[:, None] + np.arange(m)]


def circulant(c: Any) -> Any:
    """A matrix whose columns are the first one, turned around."""
    n = len(c)
    return np.asarray(c)[(np.arange(n)[:, None] - np.arange(n)) % n]


def hankel(c: Any, r: Any = None) -> Any:
    """A matrix that is constant along its other diagonals."""
    c = np.ravel(c)
    both = np.concatenate([c, np.zeros_like(c[1:]) if r is None else np.ravel(r)[1:]])
    n = len(c)
    return both[np.arange(n)[:, None] + np.arange(len(both) - n + 1)]


def solveh_banded(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """A linear system of a Hermitian matrix with few diagonals."""
    ab = np.asarray(ab)
    n = len(ab) - 1
    if lower:
        others = [shifted(np.conj(ab[k]), -k) for k in range(n, 0, -1)]
        return linalg.solve_banded((n, n), np.concatenate([np.reshape(others, (n, -1)), ab]), b)
    others = [shifted(np.conj(ab[n - k]), k) for k in range(1, n + 1)]
    return linalg.solve_banded((n, n), np.concatenate([ab, np.reshape(others, (n, -1))]), b)


def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    return np.linalg.solve(given_toeplitz(c_or_cr), b)


def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: bool = False, workers: Any = None) -> Any:
    return given_toeplitz(c_or_cr) @ np.asarray(x)


def solve_circulant(c: Any, b: Any) -> Any:
    return np.linalg.solve(circulant(c), b)


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    a = np.asarray(a)
    return linalg.solve_sylvester(a, mH(a), q)


def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    a, q = np.asarray(a), np.asarray(q)
    n = len(a)
    return np.reshape(np.linalg.solve(np.eye(n * n) - np.kron(a, np.conj(a)), np.ravel(q)), np.shape(q))


def pinv(
    a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True
) -> Any:
    if atol is not None or return_rank:
        raise UnsupportedError(
            "cannot differentiate 'scipy.linalg.pinv' with 'atol' or 'return_rank'",
            why="it is written out by np.linalg.pinv",
            todo="Leave them out, or pass 'rtol'.",
        )
    a = np.asarray(a)
    least = max(np.shape(a)[-2:]) * np.finfo(np.result_type(a, np.float32)).eps
    return np.linalg.pinv(a, rcond=least if rtol is None else rtol)


def lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    lapack_driver: Any = None,
) -> Any:  # fmt: skip
    return np.linalg.lstsq(a, b, cond)


def eigvals(a: Any, b: Any = None, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The eigenvalues, complex numbers."""
    return np.linalg.eigvals(np.asarray(a) if b is None else np.linalg.solve(b, a)) + 0j


def polar(a: Any, side: str = "right") -> Any:
    """A matrix with orthonormal columns, and one that is Hermitian."""
    w, s, vh = np.linalg.svd(a, full_matrices=False)
    return w @ vh, ((mH(vh) * s) @ vh if side == "right" else (w * s) @ mH(w))


def expm_frechet(A: Any, E: Any, method: Any = None, compute_expm: bool = True, check_finite: bool = True) -> Any:
    moved = frechet(np.asarray(E), np.asarray(A))
    return (linalg.expm(A), moved) if compute_expm else moved


def cosm(A: Any) -> Any:
    A = np.asarray(A)
    return 0.5 * (linalg.expm(1j * A) + linalg.expm(-1j * A)) if np.iscomplexobj(A) else np.real(linalg.expm(1j * A))


def sinm(A: Any) -> Any:
    A = np.asarray(A)
    return -0.5j * (linalg.expm(1j * A) - linalg.expm(-1j * A)) if np.iscomplexobj(A) else np.imag(linalg.expm(1j * A))


def tanm(A: Any) -> Any:
    return np.linalg.solve(cosm(A), sinm(A))


def coshm(A: Any) -> Any:
    A = np.asarray(A)
    return 0.5 * (linalg.expm(A) + linalg.expm(-A))


def sinhm(A: Any) -> Any:
    A = np.asarray(A)
    return 0.5 * (linalg.expm(A) - linalg.expm(-A))


def tanhm(A: Any) -> Any:
    return np.linalg.solve(coshm(A), sinhm(A))


def khatri_rao(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    return np.reshape(a[:, None, :] * b[None, :, :], (-1, np.shape(a)[1]))


def eigh_tridiagonal(d: Any, e: Any, eigvals_only: Any = False) -> Any:
    whole = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    return np.linalg.eigvalsh(whole) if eigvals_only else tuple(np.linalg.eigh(whole))
