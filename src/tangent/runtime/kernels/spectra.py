"""Functions of eigenvalues and singular values alone: their gradient is a sum over vectors, a number for each value.

Vectors of equal values are any basis, and the sum is the same for all of them where their numbers are equal. How it
changes is known in the basis that the change leaves apart; forward mode takes that one. In reverse mode it is nan
unless nothing turns the vectors, or the numbers are given and do not depend on the values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import precision
from tangent.runtime.kernels.matrices import from_triangle, gaps_of, identity, mH, power_of_two, quotient
from tangent.runtime.kernels.products import mT

Factors = tuple[Any, ...]


def tied(w: Any) -> Any:
    """Which pairs of values are equal to rounding."""
    bound = 100 * np.finfo(precision(w)).eps * np.max(np.abs(w), axis=-1, initial=0.0)
    return np.abs(gaps_of(w)) <= bound[..., None, None]


def undetermined(b: Any, g: Any, w: Any) -> Any:
    """Zeros, but nan between equal values w where their numbers b count, or the adjoint g of their vectors does.

    A function of both, `v @ diag(f(w)) @ mH(v)`, is the same in any basis of the vectors of equal values. How it
    depends on the values is known in one basis: b is the diagonal of a matrix, of which nothing else is known.
    """
    row, part = is_used(b, -1), is_used(g, (-2, -1))
    counts = row[..., :, None] | row[..., None, :] | part | mT(part)
    return np.asarray(np.where(unequal_places(w) & counts, np.nan, 0.0), precision(w))


def is_used(x: Any, axis: Any) -> Any:
    """Where numbers are more than rounding beside the largest."""
    return np.abs(x) > 100 * np.finfo(precision(x)).eps * np.max(np.abs(x), axis=axis, keepdims=True, initial=0.0)


def unequal_places(w: Any) -> Any:
    """Which pairs of values are equal and not one."""
    return tied(w) & (identity(w) == 0)


def undetermined_adjoint(d: Any, b: Any, w: Any) -> Any:
    """The adjoint of b in `undetermined`: nan where the adjoint d reads between equal values."""
    return np.asarray(np.sum(np.where(unequal_places(w) & (d != 0), np.nan, 0.0), axis=-1), precision(b))


def undetermined_tangent(db: Any, w: Any) -> Any:
    """The tangent of `undetermined`: nan between equal values whose numbers change."""
    return undetermined(db, np.zeros_like(gaps_of(w)), w)


def unsettled(g: Any, rates: Any) -> Any:
    """What is 0 among equal values only if g leaves their vectors apart, in order: else the vectors jump."""
    jumps = np.abs(np.diagonal(g, axis1=-2, axis2=-1) - rates)
    return np.abs(g) + np.expand_dims(jumps, -1) + np.expand_dims(jumps, -2)


def is_given(operand: str, asked: Any) -> bool:
    """Whether an operand depends on nothing that counts: `asked` names those that do, None means all."""
    return asked is not None and operand not in asked


def turns(g: Any, w: Any, b: Any, vectors: Callable[..., Any]) -> Any:
    """What turns the vectors of equal values w with equal numbers b apart, as g changes them; None if none do."""
    same = tied(w) & tied(b)
    n = np.shape(w)[-1]
    if np.count_nonzero(same) == np.size(w):
        return None
    out = np.zeros(np.shape(g), np.result_type(g, complex) if vectors is np.linalg.eig else np.asarray(g).dtype)
    for i in np.ndindex(np.shape(g)[:-2]):
        left = np.ones(n, bool)
        for k in range(n):
            group = np.flatnonzero(same[i][k] & left)
            if left[k]:
                out[i][np.ix_(group, group)] = vectors(g[i][np.ix_(group, group)])[1]
                left[group] = False
    return out


def apart(r: Any, g: Any, w: Any) -> Any:
    """The diagonal r of Hermitian matrices g; the eigenvalues, in order, of those parts of g that belong to equal w."""
    q = turns(g, w, w, np.linalg.eigh)
    return r if q is None else np.real(np.diagonal(mH(q) @ g @ q, axis1=-2, axis2=-1))


# Hermitian matrices: y is the pair of eigenvalues and eigenvectors of a


def eigen_sum(b: Any, a: Any, y: Factors, UPLO: str = "L") -> Any:
    """The gradient of a function of the eigenvalues of a Hermitian a, b that of each: conj of `v @ diag(b) @ mH(v)`."""
    return np.conj(y[1] * np.expand_dims(b, -2) @ mH(y[1]))


def eigen_shares(s: Any, y: Factors) -> Any:
    """What each eigenvalue gets of a change of its matrix: the transpose of `eigen_sum` in b."""
    return np.real(np.sum(np.conj(y[1]) * (s @ y[1]), axis=-2))


def eigen_rates(d: Any, y: Factors) -> Any:
    """The tangents of the eigenvalues, for that of the matrix: equal ones move apart."""
    w, v = y
    return apart(eigen_shares(d, y), mH(v) @ d @ v, w)


def turned_by(v: Any, g: Any, w: Any, b: Any) -> Any:
    """Eigenvectors v, those of equal values as g leaves them apart."""
    q = turns(g, w, b, np.linalg.eigh)
    return v if q is None else v @ q


def eigen_change(t: Any, b: Any, y: Factors, given: bool = False) -> Any:
    """How `v @ diag(b) @ mH(v)` changes as the matrix does by t, the numbers b aside."""
    w, v = y
    c = power_of_two(w, -1)
    g = mH(v) @ (t / c[..., None]) @ v
    x = g * gaps_of(b)
    return v @ quotient(x, x if given else g, w / c) @ mH(v)


def eigen_sum_adjoint(s: Any, b: Any, y: Factors, asked: Any = None) -> Any:
    """The adjoint of the matrix in `eigen_sum`; `asked` says whether that of b is wanted, too."""
    return np.conj(eigen_change(s, b, y, is_given("b", asked)))


def eigen_sum_tangent(db: Any, da: Any, b: Any, a: Any, y: Factors, UPLO: str = "L", asked: Any = None) -> Any:
    """The tangent of `eigen_sum`."""
    if is_given("a", asked):
        return eigen_sum(db, a, y, UPLO=UPLO)
    w, v = y
    d = from_triangle(da, UPLO=UPLO)
    if is_given("b", asked):
        return np.conj(eigen_change(d, b, y, True))
    v = turned_by(v, mH(v) @ d @ v, w, b)
    return np.conj(eigen_change(d, b, (w, v))) + eigen_sum(db, a, (w, v), UPLO=UPLO)


# Singular values: y holds u, s and v, as many columns as there are values


def thin_svd(a: Any) -> Factors:
    """The factors u, s and v of a, of which the first and the last have as many columns as there are values."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u, s, mH(vh)


def singular_sum(b: Any, a: Any, y: Factors) -> Any:
    """The gradient of a function of the singular values of a, b that of each: conj of `u @ diag(b) @ mH(v)`."""
    return np.conj(y[0] * np.expand_dims(b, -2) @ mH(y[2]))


def singular_shares(t: Any, y: Factors) -> Any:
    """What each singular value gets of a change of its matrix: the transpose of `singular_sum` in b."""
    return np.real(np.sum(np.conj(y[0]) * (t @ y[2]), axis=-2))


def singular_rates(d: Any, y: Factors) -> Any:
    """The tangents of the singular values, for that of the matrix: equal ones move apart."""
    u, s, v = y
    g = mH(u) @ d @ v
    return -apart(-singular_shares(d, y), -(g + mH(g)) / 2, s)


def turned_factors(d: Any, b: Any, y: Factors) -> Factors:
    """The factors, the vectors of equal values with equal numbers b as a change d leaves them apart."""
    u, s, v = y
    g = mH(u) @ d @ v
    q = turns(-(g + mH(g)) / 2, s, b, np.linalg.eigh)
    return y if q is None else (u @ q, s, v @ q)


def singular_change(t: Any, b: Any, y: Factors, given: bool = False) -> Any:
    """How `u @ diag(b) @ mH(v)` changes as the matrix does by t, the numbers b aside."""
    u, s, v = y
    c = power_of_two(s, -1)
    s, t = s / c, t / c[..., None]
    g = mH(u) @ t @ v
    even, odd, row = (g + mH(g)) / 2, (g - mH(g)) / 2, np.expand_dims(b, -2)
    x = even * gaps_of(b)
    core = quotient(x, x if given else even, s) + over_values(odd * (row + mT(row)), odd, sums_of(s), given)
    left = over_values((t @ v - u @ g) * row, t @ v - u @ g, np.expand_dims(s, -2), given)
    right = over_values((mH(t) @ u - v @ mH(g)) * row, mH(t) @ u - v @ mH(g), np.expand_dims(s, -2), given)
    return u @ core @ mH(v) + left @ mH(v) + u @ mH(right)


def sums_of(s: Any) -> Any:
    """`s[i] + s[j]`, for each i and j."""
    return np.expand_dims(s, -2) + np.expand_dims(s, -1)


def over_values(x: Any, g: Any, s: Any, given: bool = False) -> Any:
    """`x / s`; where values s are 0, nan, but 0 where g, of which x is made, is, or x where the numbers are given."""
    eps = 100 * np.finfo(precision(s)).eps
    nothing = np.abs(s) <= eps * np.max(np.abs(s), axis=(-2, -1), keepdims=True, initial=0.0)
    size = np.abs(x if given else g)
    used = size > eps * np.max(size, axis=(-2, -1), keepdims=True, initial=0.0)
    return np.where(nothing & used, np.nan, np.where(nothing, 0.0, x / np.where(nothing, 1.0, s)))


def singular_sum_adjoint(t: Any, b: Any, y: Factors, asked: Any = None) -> Any:
    """The adjoint of the matrix in `singular_sum`; `asked` says whether that of b is wanted, too."""
    return np.conj(singular_change(t, b, y, is_given("b", asked)))


def singular_sum_tangent(db: Any, da: Any, b: Any, a: Any, y: Factors, asked: Any = None) -> Any:
    """The tangent of `singular_sum`."""
    if is_given("a", asked):
        return singular_sum(db, a, y)
    if is_given("b", asked):
        return np.conj(singular_change(da, b, y, True))
    y = turned_factors(da, b, y)
    return np.conj(singular_change(da, b, y)) + singular_sum(db, a, y)


# Matrices of any kind: y is the pair of eigenvalues and eigenvectors of a


def general_sum(b: Any, a: Any, y: Factors) -> Any:
    """The gradient of a function of the eigenvalues of a, b that of each: the transpose of `v @ diag(b) @ inv(v)`."""
    return np.linalg.solve(mT(y[1]), np.expand_dims(b, -1) * mT(y[1]))


def general_shares(t: Any, y: Factors) -> Any:
    """What each eigenvalue gets of a change of its matrix: the transpose of `general_sum` in b."""
    return np.diagonal(np.linalg.solve(y[1], t @ y[1]), axis1=-2, axis2=-1)


def general_rates(d: Any, a: Any, y: Factors) -> Any:
    """The tangents of the eigenvalues of a, for that of a: equal ones move apart."""
    return general_shares(d, turned_pair(d, y[0], y))


def general_rates_tangent(dd: Any, da: Any, d: Any, y: Factors, asked: Any = None) -> Any:
    """The tangent of `general_rates`."""
    w, v = y
    out = general_shares(dd, y)
    if is_given("a", asked):
        return out
    g, t = np.linalg.solve(v, d @ v), np.linalg.solve(v, da @ v)
    turn = quotient(t, t, w)
    return out + np.diagonal(g @ turn - turn @ g, axis1=-2, axis2=-1)


def turned_pair(d: Any, b: Any, y: Factors) -> Factors:
    """Eigenvalues and eigenvectors, those of equal values with equal numbers b as a change d leaves them apart."""
    q = turns(np.linalg.solve(y[1], d @ y[1]), y[0], b, np.linalg.eig)
    return y if q is None else (y[0], y[1] @ q)


def general_change(t: Any, b: Any, y: Factors, given: bool = False) -> Any:
    """How the transpose of `v @ diag(b) @ inv(v)` changes as the matrix does by t, the numbers b aside."""
    w, v = y
    c = power_of_two(w, -1)
    g = np.linalg.solve(v, t / c[..., None] @ v)
    x = g * gaps_of(b)
    return np.linalg.solve(mT(v), mT(v @ quotient(x, x if given else g, w / c)))


def general_sum_adjoint(t: Any, b: Any, y: Factors, asked: Any = None) -> Any:
    """The adjoint of the matrix in `general_sum`; `asked` says whether that of b is wanted, too."""
    return general_change(t, b, y, is_given("b", asked))


def general_sum_tangent(db: Any, da: Any, b: Any, a: Any, y: Factors, asked: Any = None) -> Any:
    """The tangent of `general_sum`."""
    if is_given("a", asked):
        return general_sum(db, a, y)
    if is_given("b", asked):
        return general_change(da, b, y, True)
    y = turned_pair(da, b, y)
    return general_change(da, b, y) + general_sum(db, a, y)
