"""Functions of eigenvalues and singular values alone, of single real matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.factors import (
    EPS,
    are_factors,
    is_real_matrix,
    over_gaps,
    plain,
    symmetric,
    turned,
    which_triangle,
)
from tangent.backends.numba.kinds import implements, jitable, value_of
from tangent.runtime import (
    apart,
    eigen_rates,
    eigen_shares,
    eigen_sum,
    eigen_sum_adjoint,
    eigen_sum_tangent,
    is_given,
    singular_rates,
    singular_shares,
    singular_sum,
    singular_sum_adjoint,
    singular_sum_tangent,
)


@jitable
def is_run(w: Any, b: Any, i: int) -> bool:
    """Whether values i and i + 1, and their numbers b, are equal to rounding."""
    near = abs(w[i + 1] - w[i]) <= EPS * np.max(np.abs(w))
    return bool(near and abs(b[i + 1] - b[i]) <= EPS * np.max(np.abs(b)))


@jitable
def basis(g: Any, w: Any, b: Any) -> Any:
    """What turns the vectors of equal values with equal numbers apart, as g changes them; values are in order."""
    n = len(w)
    out = np.zeros((n, n))
    start = 0
    for i in range(n):
        if i + 1 == n or not is_run(w, b, i):
            if i == start:
                out[i, i] = 1.0
            else:
                out[start : i + 1, start : i + 1] = np.linalg.eigh(plain(g[start : i + 1, start : i + 1]))[1]
            start = i + 1
    return out


@jitable
def weighted(u: Any, b: Any, v: Any) -> Any:
    """`u @ diag(b) @ v.T`"""
    return plain(u * b) @ turned(v)


@jitable
def diagonal_of(u: Any, t: Any, v: Any) -> Any:
    """The diagonal of `u.T @ t @ v`."""
    return np.sum(u * (plain(t) @ plain(v)), axis=0)


@jitable
def changed(t: Any, b: Any, w: Any, v: Any, given: bool) -> Any:
    g = turned(v) @ plain(t) @ v
    x = g * (b.reshape(1, -1) - b.reshape(-1, 1))
    return v @ over_gaps(x, x if given else g, w) @ turned(v)


@jitable
def over_numbers(x: Any, g: Any, s: Any, given: bool) -> Any:
    """`x / s`; where numbers s are 0, nan, but 0 where g, of which x is made, is, or x where the numbers are given."""
    out = np.zeros_like(x)
    bound, largest = EPS * np.max(np.abs(s)), EPS * np.max(np.abs(x if given else g))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if abs(s[i, j]) > bound:
                out[i, j] = x[i, j] / s[i, j]
            elif abs(x[i, j] if given else g[i, j]) > largest:
                out[i, j] = np.nan
    return out


@jitable
def singular_changed(t: Any, b: Any, u: Any, s: Any, v: Any, given: bool) -> Any:
    t = plain(t)
    g = turned(u) @ t @ v
    even, odd = (g + turned(g)) / 2, (g - turned(g)) / 2
    x = even * (b.reshape(1, -1) - b.reshape(-1, 1))
    twice = odd * (b.reshape(1, -1) + b.reshape(-1, 1))
    sums = s.reshape(1, -1) + s.reshape(-1, 1)
    core = over_gaps(x, x if given else even, s) + over_numbers(twice, odd, sums, given)
    left, right = t @ v - u @ g, turned(t) @ u - v @ turned(g)
    left = over_numbers(left * b, left, s.reshape(1, -1) + np.zeros_like(left), given)
    right = over_numbers(right * b, right, s.reshape(1, -1) + np.zeros_like(right), given)
    return u @ core @ turned(v) + left @ turned(v) + u @ turned(right)


@implements(apart)
def of_parts(r: Any, g: Any, w: Any) -> Any:
    return (lambda r, g, w: diagonal_of(basis(g, w, w), g, basis(g, w, w))) if is_real_matrix(g) else None


@implements(eigen_sum)
def of_vectors(b: Any, a: Any, y: Any, UPLO: Any = "L") -> Any:
    return (lambda b, a, y, UPLO="L": weighted(y[1], b, y[1])) if are_factors(y) else None


@implements(eigen_shares)
def of_values(s: Any, y: Any) -> Any:
    return (lambda s, y: diagonal_of(y[1], s, y[1])) if are_factors(y) else None


@implements(eigen_rates)
def rates_of_values(d: Any, y: Any) -> Any:
    if not are_factors(y):
        return None

    def impl(d: Any, y: Any) -> Any:
        w, v = y[0], plain(y[1])
        v = v @ basis(turned(v) @ plain(d) @ v, w, w)
        return diagonal_of(v, d, v)

    return impl


@implements(eigen_sum_adjoint)
def before_vectors(s: Any, b: Any, y: Any, asked: Any = None) -> Any:
    if not are_factors(y):
        return None
    given = is_given("b", value_of(asked))
    return lambda s, b, y, asked=None: changed(s, b, y[0], plain(y[1]), given)


@implements(eigen_sum_tangent, prefer_literal=True)
def tangent_of_vectors(db: Any, da: Any, b: Any, a: Any, y: Any, UPLO: Any = "L", asked: Any = None) -> Any:
    lower = which_triangle(UPLO)
    if not are_factors(y) or lower is None:
        return None
    if is_given("a", value_of(asked)):
        return lambda db, da, b, a, y, UPLO="L", asked=None: weighted(y[1], db, y[1])
    if is_given("b", value_of(asked)):
        return lambda db, da, b, a, y, UPLO="L", asked=None: changed(symmetric(da, lower), b, y[0], plain(y[1]), True)

    def impl(db: Any, da: Any, b: Any, a: Any, y: Any, UPLO: Any = "L", asked: Any = None) -> Any:
        d, w, v = symmetric(da, lower), y[0], plain(y[1])
        v = v @ basis(turned(v) @ d @ v, w, b)
        return changed(d, b, w, v, False) + weighted(v, db, v)

    return impl


@implements(singular_sum)
def of_both_vectors(b: Any, a: Any, y: Any) -> Any:
    return (lambda b, a, y: weighted(y[0], b, y[2])) if are_factors(y) else None


@implements(singular_shares)
def of_singular_values(t: Any, y: Any) -> Any:
    return (lambda t, y: diagonal_of(y[0], t, y[2])) if are_factors(y) else None


@jitable
def turned_apart(d: Any, b: Any, u: Any, s: Any, v: Any) -> Any:
    g = turned(u) @ plain(d) @ v
    q = basis(-(g + turned(g)) / 2, s, b)
    return u @ q, v @ q


@implements(singular_rates)
def rates_of_singular_values(d: Any, y: Any) -> Any:
    if not are_factors(y):
        return None

    def impl(d: Any, y: Any) -> Any:
        u, v = turned_apart(d, y[1], plain(y[0]), y[1], plain(y[2]))
        return diagonal_of(u, d, v)

    return impl


@implements(singular_sum_adjoint)
def before_both_vectors(t: Any, b: Any, y: Any, asked: Any = None) -> Any:
    if not are_factors(y):
        return None
    given = is_given("b", value_of(asked))
    return lambda t, b, y, asked=None: singular_changed(t, b, plain(y[0]), y[1], plain(y[2]), given)


@implements(singular_sum_tangent)
def tangent_of_both_vectors(db: Any, da: Any, b: Any, a: Any, y: Any, asked: Any = None) -> Any:
    if not are_factors(y):
        return None
    if is_given("a", value_of(asked)):
        return lambda db, da, b, a, y, asked=None: weighted(y[0], db, y[2])
    if is_given("b", value_of(asked)):
        return lambda db, da, b, a, y, asked=None: singular_changed(da, b, plain(y[0]), y[1], plain(y[2]), True)

    def impl(db: Any, da: Any, b: Any, a: Any, y: Any, asked: Any = None) -> Any:
        u, v = turned_apart(da, b, plain(y[0]), y[1], plain(y[2]))
        return singular_changed(da, b, u, y[1], v, False) + weighted(u, db, v)

    return impl
