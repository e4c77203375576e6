"""Eigenvalues of symmetric matrices, QR factors, singular values and pseudo-inverses of single real matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_complex, is_tuple, jitable, rank, value_of
from tangent.backends.numba.zeros import is_unread
from tangent.runtime import (
    among_equal,
    eigen_rates,
    eigh_adjoint,
    eigh_tangent,
    filling_adjoint,
    filling_of,
    filling_tangent,
    from_triangle,
    gap_sums,
    gaps_of,
    in_triangle,
    over_values,
    pinv_adjoint,
    pinv_tangent,
    qr_adjoint,
    qr_tangent,
    quotient,
    refuse_turned,
    singular_rates,
    svd_adjoint,
    svd_tangent,
    undetermined,
    undetermined_adjoint,
    undetermined_tangent,
    unsettled,
)

EPS = 100 * float(np.finfo(np.float64).eps)


def is_real_matrix(t: Any) -> bool:
    return rank(t) == 2 and not is_complex(t)


def are_factors(y: Any) -> bool:
    """Whether vectors or matrices were made of a real matrix."""
    return is_tuple(y) and all(rank(t) in (1, 2) and not is_complex(t) for t in y.types)


@jitable
def turned(x: Any) -> Any:
    """The transpose, in memory of its own: products need that."""
    return np.ascontiguousarray(x.T)


@jitable
def plain(x: Any) -> Any:
    return np.ascontiguousarray(x)


@jitable
def symmetric(x: Any, lower: bool) -> Any:
    out = np.empty_like(x)
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = out[j, i] = x[i, j] if lower else x[j, i]
    return out


@jitable
def folded(b: Any, lower: bool) -> Any:
    """The transpose of `symmetric`."""
    out = np.zeros_like(b)
    n = b.shape[0]
    for i in range(n):
        out[i, i] = b[i, i]
        for j in range(i):
            both = b[i, j] + b[j, i]
            if lower:
                out[i, j] = both
            else:
                out[j, i] = both
    return out


@jitable
def over_gaps(x: Any, g: Any, w: Any) -> Any:
    """`x / gap` off the diagonal; where values repeat, 0 if g has no part there, else nan."""
    n = len(w)
    out = np.zeros((n, n))
    bound = EPS * np.max(np.abs(w)) if n else 0.0
    largest = 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(g[i, j]) + abs(g[j, i]))
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            gap = w[j] - w[i]
            if abs(gap) > bound:
                out[i, j] = x[i, j] / gap
            elif abs(g[i, j]) + abs(g[j, i]) > EPS * largest:
                out[i, j] = np.nan
    return out


@jitable
def beside(x: Any, g: Any) -> Any:
    """x without what is rounding beside g."""
    return np.where(np.abs(x) <= EPS * np.max(np.abs(g)), 0.0, x) if x.size else x


@jitable
def over_sums(x: Any, s: Any) -> Any:
    """`x / (s[i] + s[j])`; where both are 0, nan, but 0 where x is."""
    out = np.zeros_like(x)
    bound, largest = (2 * EPS * np.max(s), EPS * np.max(np.abs(x))) if x.size else (0.0, 0.0)
    for i in range(len(s)):
        for j in range(len(s)):
            if s[i] + s[j] > bound:
                out[i, j] = x[i, j] / (s[i] + s[j])
            elif abs(x[i, j]) > largest:
                out[i, j] = np.nan
    return out


@jitable
def over_each(x: Any, g: Any, s: Any) -> Any:
    """`x / s`, of a row or a matrix s; where s is 0, nan, but 0 where g is."""
    out = np.zeros_like(x)
    bound, largest = (EPS * np.max(np.abs(s)), EPS * np.max(np.abs(g))) if x.size else (0.0, 0.0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = s[i if s.shape[0] > 1 else 0, j]
            if abs(value) > bound:
                out[i, j] = x[i, j] / value
            elif abs(g[i, j]) > largest:
                out[i, j] = np.nan
    return out


@implements(over_values)
def over_numbers(x: Any, g: Any, s: Any, given: Any = False) -> Any:
    if not is_real_matrix(x) or not is_real_matrix(s):
        return None
    return lambda x, g, s, given=False: over_each(x, x if given else g, s)


@jitable
def jumping(g: Any, rates: Any) -> Any:
    jumps = np.abs(np.diag(g) - rates)
    return np.abs(g) + jumps.reshape(1, -1) + jumps.reshape(-1, 1)


@jitable
def with_values(core: Any, b: Any, g: Any, w: Any, read: bool) -> Any:
    """The adjoint of vectors in their basis, made of g, with b, that of the values; nan where it is not known.

    `read`: whether anything reads both the vectors and the values.
    """
    out = core + np.diag(b)
    if not read or not len(w):
        return out
    bound, least, small = EPS * np.max(np.abs(w)), EPS * np.max(np.abs(b)), EPS * np.max(np.abs(g))
    for i in range(len(w)):
        for j in range(len(w)):
            used = abs(b[i]) > least or abs(b[j]) > least or abs(g[i, j]) > small or abs(g[j, i]) > small
            if i != j and used and abs(w[j] - w[i]) <= bound:
                out[i, j] = np.nan
    return out


@implements(among_equal)
def beside_adjoint(x: Any, g: Any) -> Any:
    return beside if is_real_matrix(x) and is_real_matrix(g) else None


@implements(unsettled)
def jumps(g: Any, rates: Any) -> Any:
    return jumping if is_real_matrix(g) else None


@implements(undetermined)
def unknown(b: Any, g: Any, w: Any) -> Any:
    return (lambda b, g, w: with_values(np.zeros_like(g), b, g, w, True) - np.diag(b)) if is_real_matrix(g) else None


@implements(undetermined_adjoint)
def before_unknown(d: Any, b: Any, w: Any) -> Any:
    if not is_real_matrix(d):
        return None

    def impl(d: Any, b: Any, w: Any) -> Any:
        out = np.zeros_like(b)
        for i in range(len(w)):
            for j in range(len(w)):
                if i != j and d[i, j] != 0.0 and abs(w[j] - w[i]) <= EPS * np.max(np.abs(w)):
                    out[i] = np.nan
        return out

    return impl


@implements(undetermined_tangent)
def of_unknown(db: Any, w: Any) -> Any:
    def impl(db: Any, w: Any) -> Any:
        nothing = np.zeros((len(w), len(w)))
        return with_values(nothing, db, nothing, w, True) - np.diag(db)

    return impl


@implements(quotient)
def off_diagonal(x: Any, g: Any, w: Any) -> Any:
    return over_gaps if is_real_matrix(x) and is_real_matrix(g) else None


@implements(gaps_of)
def gaps(w: Any) -> Any:
    return (lambda w: w.reshape(1, -1) - w.reshape(-1, 1)) if rank(w) == 1 else None


@implements(gap_sums)
def sums_of_gaps(b: Any) -> Any:
    return (lambda b: np.sum(b, axis=1) - np.sum(b, axis=0)) if rank(b) == 2 else None


@implements(refuse_turned)
def refused_turns(g: Any, function: Any, todo: Any) -> Any:
    if not is_real_matrix(g):
        return None

    def impl(g: Any, function: Any, todo: Any) -> None:
        if g.size and np.max(np.abs(g - g.T)) > 1e-4 * np.max(np.abs(g)) + 1e-12:
            raise ValueError("the vectors that fill up a basis have no derivative: use full_matrices=False")

    return impl


@implements(filling_of)
def filling(u: Any, k: Any) -> Any:
    return (lambda u, k: plain(u[:, k:])) if is_real_matrix(u) else None


@implements(filling_tangent)
def of_filling(d: Any, u: Any, y: Any, k: Any) -> Any:
    return (lambda d, u, y, k: -plain(u[:, :k]) @ turned(d[:, :k]) @ plain(y)) if is_real_matrix(u) else None


@implements(filling_adjoint)
def before_filling(b: Any, u: Any, y: Any, k: Any) -> Any:
    if not is_real_matrix(u):
        return None
    return lambda b, u, y, k: np.concatenate((-plain(y) @ turned(b) @ plain(u[:, :k]), np.zeros_like(b)), axis=1)


def which_triangle(UPLO: Any) -> bool | None:
    """Whether the lower triangle is meant, by the type of a literal: to compare texts takes Numba two seconds."""
    known = value_of(UPLO)
    return known.upper() == "L" if isinstance(known, str) else None


@implements(from_triangle, prefer_literal=True)
def whole(x: Any, UPLO: Any = "L") -> Any:
    lower = which_triangle(UPLO)
    return (lambda x, UPLO="L": symmetric(x, lower)) if is_real_matrix(x) and lower is not None else None


@implements(in_triangle, prefer_literal=True)
def triangle(b: Any, UPLO: Any = "L") -> Any:
    lower = which_triangle(UPLO)
    return (lambda b, UPLO="L": folded(b, lower)) if is_real_matrix(b) and lower is not None else None


@implements(eigh_adjoint)
def before_eigenvalues(b: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
    if not are_factors(y) or not are_factors(b):
        return None

    def impl(b: Any, y: Any, a: Any, UPLO: Any = "L") -> Any:
        w, v = y[0], plain(y[1])
        g = turned(v) @ plain(b[1])
        x = (g - g.T) / 2
        read = not is_unread(b[0]) and not is_unread(b[1])
        return v @ with_values(over_gaps(x, beside(x, g), w), plain(b[0]), g, w, read) @ turned(v)

    return impl


@implements(eigh_tangent)
def of_eigenvalues(d: Any, y: Any, UPLO: Any = "L") -> Any:
    if not are_factors(y):
        return None

    def impl(d: Any, y: Any, UPLO: Any = "L") -> Any:
        w, v = y[0], plain(y[1])
        g, dw = turned(v) @ plain(d) @ v, eigen_rates(d, y)
        return dw, v @ over_gaps(g, jumping(g, dw), w)

    return impl


@jitable
def before_tall(bq: Any, br: Any, q: Any, r: Any) -> Any:
    """The adjoint of `q @ r` with as many columns as r has rows."""
    g = np.triu(br) @ turned(r) - turned(q) @ bq
    return turned(np.linalg.solve(plain(r), turned(bq + q @ symmetric(g, False))))


@implements(qr_adjoint)
def before_triangle(b: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
    if not are_factors(y) or not are_factors(b) or value_of(mode) != "reduced":
        return None

    def impl(b: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
        q, r, bq, br = plain(y[0]), plain(y[1]), plain(b[0]), plain(b[1])
        m, n = a.shape
        if m >= n:
            return before_tall(bq, br, q, r)
        tail = plain(br[:, m:])
        head = before_tall(bq + plain(a[:, m:]) @ turned(tail), plain(br[:, :m]), q, plain(r[:, :m]))
        return np.concatenate((head, q @ tail), axis=1)

    return impl


@implements(qr_tangent)
def of_triangle(d: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
    if not are_factors(y) or value_of(mode) != "reduced":
        return None

    def impl(d: Any, y: Any, a: Any, mode: Any = "reduced") -> Any:
        q, r = plain(y[0]), plain(y[1])
        k = min(a.shape[0], a.shape[1])
        rate = turned(np.linalg.solve(turned(r[:, :k]), turned(d[:, :k])))
        c = turned(q) @ rate
        u = np.triu(c) + np.tril(c, -1).T
        dq = rate - q @ u
        rest = turned(q) @ plain(d[:, k:]) + turned(dq) @ plain(a[:, k:])
        return dq, np.concatenate((u @ plain(r[:, :k]), rest), axis=1)

    return impl


@jitable
def only_columns(b: Any, u: Any, k: int) -> Any:
    """The adjoint of the first k columns of u, where nothing depends on the others."""
    for i in range(b.shape[0]):
        for j in range(k, b.shape[1]):
            if b[i, j] != 0.0:
                raise ValueError("the vectors that fill up a basis have no derivative: use full_matrices=False")
    return plain(b[:, :k])


@implements(svd_adjoint)
def before_singular_values(b: Any, y: Any, a: Any, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if not are_factors(y) or not are_factors(b) or len(y) != 3 or value_of(hermitian) is not False:
        return None

    def impl(b: Any, y: Any, a: Any, compute_uv: Any = True, hermitian: Any = False) -> Any:
        k = len(y[1])
        u, s, v = plain(y[0][:, :k]), y[1], turned(y[2][:k])
        bu, bv = only_columns(b[0], y[0], k), only_columns(b[2].T, y[2].T, k)
        g, h = turned(u) @ bu, turned(v) @ bv
        both, apart, size = (g - g.T + h - h.T) / 2, (g - g.T - h + h.T) / 2, np.abs(g) + np.abs(h)
        core = over_gaps(both, beside(both, size), s) + over_sums(apart, s)
        read = not is_unread(b[1]) and not (is_unread(b[0]) and is_unread(b[2]))
        out = u @ with_values(core, plain(b[1]), size, s, read) @ turned(v)
        return out + over(bu - u @ g, s) @ turned(v) + u @ turned(over(bv - v @ h, s))

    return impl


@jitable
def over(x: Any, s: Any) -> Any:
    """Columns divided by numbers; 0 stays 0."""
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] != 0.0:
                out[i, j] = x[i, j] / s[j] if s[j] != 0.0 else np.nan
    return out


@implements(svd_tangent)
def of_singular_values(d: Any, y: Any, a: Any, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if not are_factors(y) or len(y) != 3 or value_of(hermitian) is not False:
        return None

    def impl(d: Any, y: Any, a: Any, compute_uv: Any = True, hermitian: Any = False) -> Any:
        k = len(y[1])
        u, s, v = plain(y[0][:, :k]), y[1], turned(y[2][:k])
        g, ds = turned(u) @ plain(d) @ v, singular_rates(d, (u, s, v))
        even = (g + g.T) / 2
        both, apart = over_gaps(even, jumping(even, ds), s), over_sums((g - g.T) / 2, s)
        du = u @ (both + apart) + over(plain(d) @ v - u @ g, s)
        dv = v @ (both - apart) + over(turned(d) @ u - v @ turned(g), s)
        return filled(du, y[0]), ds, turned(filled(dv, y[2].T))

    return impl


@jitable
def filled(d: Any, u: Any) -> Any:
    """The tangent of an orthogonal u, d that of its first columns: nan unless one column fills it up."""
    k = d.shape[1]
    out = np.full(u.shape, np.nan)
    for i in range(d.shape[0]):  # Numba compiles stores into slices slowly
        for j in range(k):
            out[i, j] = d[i, j]
    if u.shape[1] == k + 1:
        last = -plain(u[:, :k]) @ (turned(d) @ plain(u[:, k]))
        for i in range(d.shape[0]):
            out[i, k] = last[i]
    return out


@implements(pinv_adjoint)
def before_inverse(b: Any, y: Any, a: Any, hermitian: Any = False) -> Any:
    if not is_real_matrix(a) or not is_real_matrix(b) or value_of(hermitian) is not False:
        return None

    def impl(b: Any, y: Any, a: Any, hermitian: Any = False) -> Any:
        t, a, y, z = turned(b), plain(a), plain(y), turned(y)
        left, right = t - a @ (y @ t), t - (t @ y) @ a
        return left @ (y @ z) + (z @ y) @ right - z @ plain(b) @ z

    return impl


@implements(pinv_tangent)
def of_inverse(d: Any, y: Any, a: Any, hermitian: Any = False) -> Any:
    if not is_real_matrix(a) or not is_real_matrix(d) or value_of(hermitian) is not False:
        return None

    def impl(d: Any, y: Any, a: Any, hermitian: Any = False) -> Any:
        t, a, y, z = turned(d), plain(a), plain(y), turned(y)
        left, right = t - (t @ a) @ y, t - y @ (a @ t)
        return (y @ z) @ left + right @ (z @ y) - y @ plain(d) @ y

    return impl
