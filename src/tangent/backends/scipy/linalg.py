"""`scipy.linalg`: functions that NumPy has, too, and what follows from factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tangent.backends.scipy.kernels import row_order
from tangent.errors import UnsupportedError
from tangent.runtime import from_triangle, mT


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
    """The factor as `cho_solve` takes it."""
    return cholesky(a, lower), lower


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
