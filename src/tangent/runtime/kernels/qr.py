"""Kernels of the QR factorisation, in all its modes.

LAPACK gives q as reflectors, in the mode 'raw': `q = I - V T V^H` with V below the diagonal of what it leaves
of a, which are 1 on it, and `tau` on the diagonal of the triangle T. So V is the lower factor of `q - I`, and `-tau` is
the diagonal of the upper one: what is known of q says all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.factors import filled_columns, without_filling, zero_columns
from tangent.runtime.kernels.matrices import from_triangle, identity, mH, solve_lower, solve_upper
from tangent.runtime.kernels.products import mT


def qr_factors(y: Any, a: Any, mode: str) -> Any:
    """The factors q and r of a."""
    if mode == "reduced":
        return y[0], y[1]
    m, n = np.shape(a)[-2:]
    k = min(m, n)
    if mode == "r":
        return divided(a[..., :k], y[..., :k]), y
    return y[0][..., :k], y[1][..., :k, :]


def qr_adjoint(b: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The adjoint of a in its factors q and r; the diagonal of r is real."""
    if mode == "raw":
        return qr_adjoint(reflectors_adjoint(b, y, a), np.linalg.qr(a), a)
    q, r = qr_factors(y, a, mode)
    m, n = np.shape(a)[-2:]
    k = min(m, n)
    if mode == "r":
        bq, br = np.zeros_like(q), np.conj(b)
    elif mode == "reduced":
        bq, br = np.conj(b[0]), np.conj(b[1])
    else:
        bq = without_filling(np.conj(b[0]), y[0], k, "np.linalg.qr(mode='complete')", "Use mode='reduced'.")
        br = np.conj(b[1][..., :k, :])
    if m >= n:
        return np.conj(qr_adjoint_tall(bq, br, q, r))
    tail = br[..., m:]
    head = qr_adjoint_tall(bq + a[..., m:] @ mH(tail), br[..., :m], q, r[..., :m])
    return np.conj(np.concatenate((head, q @ tail), axis=-1))


def qr_adjoint_tall(bq: Any, br: Any, q: Any, r: Any) -> Any:
    """The conjugate of the adjoint of `q @ r` with as many columns as r, from the conjugates of those of q and r."""
    g = np.triu(br) @ mH(r) - mH(q) @ bq
    g = bq + q @ from_triangle(g, UPLO="U")
    return mH(solve_upper(r, mH(g)))


def qr_tangent(d: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The tangents of q and r."""
    if mode == "raw":
        return reflectors_tangent(qr_tangent(d, np.linalg.qr(a), a), y, a)
    q, r = qr_factors(y, a, mode)
    k = min(np.shape(a)[-2:])
    rate = divided(d[..., :k], r[..., :k])
    c = mH(q) @ rate
    low = np.tril(c, -1)
    u = np.triu(c, 1) + mH(low) + np.real(c) * identity(c)
    dq = rate - q @ u
    dr = np.concatenate((u @ r[..., :k], mH(q) @ d[..., k:] + mH(dq) @ a[..., k:]), axis=-1)
    if mode == "r":
        return dr
    return filled_columns(dq, y[0]), mT(zero_columns(mT(dr), mT(y[1])))


# Reflectors


def reflector_factors(y: Any, a: Any) -> Any:
    """The vectors (those of the first rows, and the others), the upper factor of `q - I`, and one that has an inverse.

    Of a matrix that has no more rows than columns, the last reflector does nothing.
    """
    m, n = np.shape(a)[-2:]
    k = min(m, n)
    vectors = np.tril(mT(y[0])[..., :k], -1)
    one = identity(vectors[..., :k, :])
    top = vectors[..., :k, :] + one
    upper = np.triu(solve_lower(top, np.linalg.qr(a)[0][..., :k, :] - one))
    idle = np.arange(k) >= m - 1
    return top, vectors[..., k:, :], upper, np.where(idle[:, None] & idle, one, upper)


def reflectors_tangent(d: Any, y: Any, a: Any) -> tuple[Any, Any]:
    """The tangents of LAPACK's h and tau from those of q and r."""
    top, rest, upper, regular = reflector_factors(y, a)
    k = np.shape(top)[-1]
    c = solve_lower(top, d[0][..., :k, :])
    low = np.tril(divided(c, regular), -1)
    rate = c - low @ upper
    below = divided(d[0][..., k:, :] - rest @ rate, regular)
    vectors = np.concatenate([top @ low, below], axis=-2)
    dh = zero_columns(mT(d[1]), y[0]) + mT(zero_columns(vectors, mT(y[0])))
    return dh, -np.diagonal(rate, axis1=-2, axis2=-1)


def reflectors_adjoint(b: Any, y: Any, a: Any) -> tuple[Any, Any]:
    """The adjoints of q and r from those of LAPACK's h and tau."""
    top, rest, upper, regular = reflector_factors(y, a)
    k = np.shape(top)[-1]
    bh, btau = np.conj(mT(b[0])), np.conj(b[1])
    vectors = np.tril(bh[..., :k], -1)
    below = mH(solve_upper(regular, mH(vectors[..., k:, :])))
    rate = -np.expand_dims(btau, -1) * identity(upper) - mH(rest) @ below
    low = np.tril(mH(top) @ vectors[..., :k, :] - rate @ mH(upper), -1)
    c = rate + mH(solve_upper(regular, mH(low)))
    bq = np.concatenate([solve_upper(mH(top), c), below], axis=-2)
    return np.conj(bq), np.conj(np.triu(bh)[..., :k, :])


def divided(x: Any, r: Any) -> Any:
    """`x` times the inverse of the upper triangle r."""
    return mT(solve_lower(mT(r), mT(x)))
