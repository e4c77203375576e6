"""Kernels of the rules of SciPy, and of what is written out beside this file."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special

from tangent.errors import UnsupportedError
from tangent.runtime import mT

# Special functions


def no_slope(b: Any, function: str, parameter: str) -> Any:
    """Nothing: SciPy has no function for this slope."""
    raise UnsupportedError(
        f"cannot differentiate '{function}' by '{parameter}'",
        why="there is no closed form that SciPy offers",
        todo=f"Keep '{parameter}' away from what the derivative depends on, or give the function a rule of your own.",
    )


# The slopes of incomplete gamma and beta functions by their first parameters are sums of positive terms, of which
# enough are taken for the largest argument.


def gammainc_slope(a: Any, x: Any) -> Any:
    """The slope of `gammainc(a, x)` by a."""
    inside = np.where(x > 0, x, 1.0)
    n = term_numbers("gammainc", "a", np.max(inside) + 10.0 * np.sqrt(np.max(inside)) + 50.0, np.result_type(a, x))
    level, power = np.expand_dims(a, -1) + n, np.expand_dims(np.log(inside), -1)
    terms = np.exp(level * power - np.expand_dims(inside, -1) - special.gammaln(level + 1.0))
    slope = np.sum(terms * (power - special.digamma(level + 1.0)), axis=-1)
    return np.where(x > 0, slope, 0.0)


def betainc_slopes(a: Any, b: Any, x: Any) -> Any:
    """The slopes of `betainc(a, b, x)` by a and by b, from whichever end is closer."""
    a, b, x = np.broadcast_arrays(a, b, x)
    far, inside = x > 0.5, (x > 0) & (x < 1)
    p, q = np.where(far, b, a), np.where(far, a, b)
    z = np.where(inside, np.where(far, 1.0 - x, x), 0.5)
    n = term_numbers("betainc", "a", 2.0 * np.max(z * (p + q) / (1.0 - z)) + 100.0, np.result_type(a, b, x))
    p, q, z = np.expand_dims(p, -1), np.expand_dims(q, -1), np.expand_dims(z, -1)
    whole = special.gammaln(p + q + n) - special.gammaln(q) - special.gammaln(p + n + 1.0)
    terms = np.exp((p + n) * np.log(z) + q * np.log1p(-z) + whole)
    first = np.sum(terms * (np.log(z) + special.digamma(p + q + n) - special.digamma(p + n + 1.0)), axis=-1)
    second = np.sum(terms * (np.log1p(-z) + special.digamma(p + q + n) - special.digamma(q)), axis=-1)
    by_a, by_b = np.where(far, -second, first), np.where(far, -first, second)
    return np.where(inside, by_a, 0.0), np.where(inside, by_b, 0.0)


def stdtr_slope(df: Any, t: Any) -> Any:
    """The slope of `stdtr(df, t)` by df."""
    x = df / (df + t * t)
    density = np.exp(special.xlogy(0.5 * df - 1.0, x) + special.xlog1py(-0.5, -x) - special.betaln(0.5 * df, 0.5))
    moved = np.where(t == 0, 0.0, density * t * t / np.square(df + t * t))
    return -0.5 * np.sign(t) * (0.5 * betainc_slopes(0.5 * df, 0.5, x)[0] + moved)


def term_numbers(function: str, parameter: str, count: Any, dtype: Any) -> Any:
    """The numbers of the terms of a sum, if they are not too many."""
    if not count < MANY:
        no_slope(0.0, f"scipy.special.{function}", parameter)
    return np.arange(int(count), dtype=np.result_type(dtype, np.float32))


MANY = 100_000


def sine_integral(x: Any) -> Any:
    return special.sici(x)[0]


def cosine_integral(x: Any) -> Any:
    return special.sici(x)[1]


def fresnel_sine(x: Any) -> Any:
    return special.fresnel(x)[0]


def fresnel_cosine(x: Any) -> Any:
    return special.fresnel(x)[1]


def hyperbolic_sine_integral(x: Any) -> Any:
    return special.shichi(x)[0]


def hyperbolic_cosine_integral(x: Any) -> Any:
    return special.shichi(x)[1]


def expn_below(n: Any, x: Any) -> Any:
    """The exponential integral of the order below n; that of the order -1, which SciPy lacks, is elementary."""
    return np.where(np.equal(n, 0), np.exp(-x) * (1.0 + 1.0 / x) / x, special.expn(np.maximum(n - 1, 0), x))


def largest_finite(a: Any, axis: Any) -> Any:
    """The maximum, which exponents are shifted by; 0 where it is not finite."""
    top = np.max(a, axis=axis, keepdims=True)
    return np.where(np.isfinite(top), top, 0.0)


# Distributions


def double(x: Any) -> Any:
    """An array in double precision, in which SciPy computes here, at least."""
    x = np.asarray(x)
    return np.asarray(x, np.result_type(x, float))


def log_of(p: Any, rest: Any) -> Any:
    """The logarithm of a probability, whose counterpart is the rest: no digits are lost near 1."""
    low = (p > 0) & (p < 0.5)
    near_one = np.log1p(-np.where(p < 0.5, 0.0, rest))
    return np.where(p < 0.5, np.where(low, np.log(np.where(low, p, 1.0)), -np.inf), near_one)


def within(value: Any, k: Any, low: Any, high: Any = np.inf) -> Any:
    """A logarithm of a probability: none of numbers that are not whole, or out of bounds."""
    return np.where((k >= low) & (k <= high) & (k == np.floor(k)), value, -np.inf)


def covariance_of(cov: Any, mean: Any) -> Any:
    """The matrix: of one number, that times the identity, and of a vector, what has it on the diagonal."""
    if np.ndim(cov) == 0:
        return cov * np.eye(1 if mean is None else np.size(mean))
    return np.diag(cov) if np.ndim(cov) == 1 else cov


def points_of(x: Any, d: int) -> Any:
    """Points of d coordinates: a number is one, and a vector is one point, or many with one coordinate."""
    if np.ndim(x) == 0:
        return np.reshape(x, (1,))
    return np.expand_dims(x, -1) if np.ndim(x) == 1 and d == 1 else x


# Linear algebra


def solve_turned(a: Any, b: Any, trans: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution of the transposed system."""
    if trans in (0, "N"):
        return linalg.solve_triangular(a, b, "T", lower, unit_diagonal)
    return linalg.solve_triangular(a if trans in (1, "T") else np.conj(a), b, "N", lower, unit_diagonal)


def in_triangle_of(x: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The part of a matrix that a triangular solver reads."""
    k = 1 if unit_diagonal else 0
    return np.tril(x, -k) if lower else np.triu(x, k)


def system_outer(g: Any, x: Any, trans: Any) -> Any:
    """The product of the adjoint g of the right side and the solution x, in the place of the matrix."""
    g, x = np.reshape(g, (np.shape(g)[0], -1)), np.reshape(x, (np.shape(x)[0], -1))
    if trans in (0, "N"):
        return g @ mT(x)
    return x @ mT(g) if trans in (1, "T") else np.conj(x @ mT(g))


def applied(a: Any, x: Any, trans: Any) -> Any:
    """The matrix, or its transpose, conjugate or not, times x."""
    if trans in (0, "N"):
        return a @ x
    return mT(a) @ x if trans in (1, "T") else np.conj(mT(a)) @ x


def frechet(d: Any, a: Any) -> Any:
    """The derivative of `expm(a)` in the direction d: the corner of the exponential of `[[a, d], [0, a]]`."""
    n = np.shape(a)[-1]
    return linalg.expm(np.block([[a, d], [np.zeros_like(a), a]]))[..., :n, n:]


def log_frechet(d: Any, a: Any) -> Any:
    """The derivative of `logm(a)` in the direction d: the corner of the logarithm of `[[a, d], [0, a]]`."""
    n = np.shape(a)[-1]
    return linalg.logm(np.block([[a, d], [np.zeros_like(a), a]]))[..., :n, n:]


def row_order(piv: Any) -> Any:
    """The order of the rows after the exchanges that a factorisation made."""
    order = np.arange(len(piv))
    for i, j in enumerate(piv):
        order[[i, j]] = order[[j, i]]
    return order


def lu_rate(d: Any, lu: Any, piv: Any) -> Any:
    """`inv(l) @ p @ d @ inv(u)`."""
    left = linalg.solve_triangular(lu, d[row_order(piv)], 0, True, True)
    return mT(linalg.solve_triangular(lu, mT(left), 1))


def lu_tangent(d: Any, lu: Any, piv: Any) -> Any:
    """The tangent of the factors, both in one matrix."""
    rate = lu_rate(d, lu, piv)
    low = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype)
    return np.tril(low @ np.tril(rate, -1), -1) + np.triu(np.triu(rate) @ np.triu(lu))


def lu_adjoint(b: Any, lu: Any, piv: Any) -> Any:
    """The transpose of `lu_tangent`."""
    low = np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype)
    g = np.tril(mT(low) @ np.tril(b, -1), -1) + np.triu(np.triu(b) @ mT(np.triu(lu)))
    g = mT(linalg.solve_triangular(lu, mT(g)))
    g = linalg.solve_triangular(lu, g, 1, True, True)
    return g[np.argsort(row_order(piv))]


def side(lower: bool) -> str:
    """The triangle as NumPy names it."""
    return "L" if lower else "U"


def numpy_mode(mode: str) -> str:
    """The mode of a QR factorisation as NumPy names it."""
    if mode in ("full", "economic"):
        return "complete" if mode == "full" else "reduced"
    raise UnsupportedError(
        f"cannot differentiate 'scipy.linalg.qr' with mode={mode!r}",
        why="the factor stands alone there, or as reflectors",
        todo="Use mode='economic', or np.linalg.qr(a, mode='r').",
    )


def given_toeplitz(c_or_cr: Any) -> Any:
    """The matrix of its first column, or of that and its first row."""
    return linalg.toeplitz(*c_or_cr) if isinstance(c_or_cr, tuple) else linalg.toeplitz(c_or_cr)


# Matrices with few diagonals: a[u + i - j, j] stands for the element at i, j


def shifted(v: Any, k: int) -> Any:
    """The rows that stand k places behind, zero where there are none."""
    zeros = np.zeros((abs(k), *np.shape(v)[1:]), v.dtype)
    return np.concatenate([v[k:], zeros]) if k > 0 else np.concatenate([zeros, v[:k]]) if k < 0 else v


def banded_turned(ab: Any, l_and_u: Any) -> Any:
    """The transposed matrix."""
    low, up = l_and_u
    return np.stack([shifted(ab[up - k], k) for k in range(-low, up + 1)])


def banded_product(ab: Any, x: Any, l_and_u: Any) -> Any:
    """The matrix times x."""
    low, up = l_and_u
    columns = np.reshape(x, (np.shape(x)[0], -1))
    parts = [shifted(np.reshape(ab[up - k], (-1, 1)) * columns, k) for k in range(-low, up + 1)]
    return np.reshape(np.sum(np.stack(parts), axis=0), np.shape(x))


def banded_outer(g: Any, x: Any, l_and_u: Any) -> Any:
    """The product of the adjoint g of the right side and the solution x, where the matrix has its diagonals."""
    low, up = l_and_u
    g, x = np.reshape(g, (np.shape(g)[0], -1)), np.reshape(x, (np.shape(x)[0], -1))
    return np.stack([np.sum(shifted(g, k) * x, axis=1) for k in range(-up, low + 1)])
