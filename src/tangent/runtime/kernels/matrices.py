"""Kernels of linear algebra that others share: transposes, triangles, identities, quotients that may be 0 / 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import precision
from tangent.runtime.kernels.products import mT


def mH(x: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return np.conj(mT(x))


def as_matrices(x: Any) -> Any:
    """Numbers as 1 x 1 matrices."""
    return np.expand_dims(x, (-2, -1))


def identity(x: Any) -> Any:
    """The identity matrix of the size and precision of the last axis of x."""
    return np.eye(np.shape(x)[-1], dtype=precision(x))


def diagonals(w: Any) -> Any:
    """Diagonal matrices."""
    return np.expand_dims(w, -1) * identity(w)


def power_of_two(a: Any, axis: Any = (-2, -1), where: Any = True) -> Any:
    """The scale of each matrix, or along other axes, which stay: it rounds nothing, and products do not overflow."""
    size = np.max(np.abs(a), axis=axis, keepdims=True, initial=0.0, where=where)
    usual = np.isfinite(size) & (size > 0)
    return np.where(usual, np.exp2(np.floor(np.log2(np.where(usual, size, 1.0)))), 1.0).astype(precision(a))


def triangle(x: Any, UPLO: str, k: int) -> Any:
    """The lower triangle of matrices below diagonal k, or the upper one above it."""
    return np.tril(x, -k) if UPLO.upper() == "L" else np.triu(x, k)


def from_triangle(x: Any, UPLO: str = "L") -> Any:
    """The Hermitian matrix of which x holds one triangle."""
    part = triangle(x, UPLO, 1)
    return part + mH(part) + np.real(x) * identity(x)


def in_triangle(b: Any, UPLO: str = "L") -> Any:
    """The adjoint of `from_triangle`."""
    return triangle(b + mH(b), UPLO, 1) + np.real(b) * identity(b)


def half_triangle(x: Any) -> Any:
    """The lower triangle, with half of the real part of the diagonal."""
    return np.tril(x, -1) + np.real(x) * (identity(x) / 2)


BLOCK = 32  # rows of a triangle, up to which it is inverted


def solve_lower(a: Any, b: Any) -> Any:
    """The x with `a @ x = b` for lower triangles a: half by half, since NumPy has no solver that knows of triangles."""
    n = np.shape(a)[-1]
    if n <= BLOCK:
        return np.linalg.inv(a) @ b
    head = solve_lower(a[..., : n // 2, : n // 2], b[..., : n // 2, :])
    rest = b[..., n // 2 :, :] - a[..., n // 2 :, : n // 2] @ head
    return np.concatenate([head, solve_lower(a[..., n // 2 :, n // 2 :], rest)], axis=-2)


def solve_upper(a: Any, b: Any) -> Any:
    """The x with `a @ x = b` for upper triangles a."""
    n = np.shape(a)[-1]
    if n <= BLOCK:
        return np.linalg.inv(a) @ b
    tail = solve_upper(a[..., n // 2 :, n // 2 :], b[..., n // 2 :, :])
    rest = b[..., : n // 2, :] - a[..., : n // 2, n // 2 :] @ tail
    return np.concatenate([solve_upper(a[..., : n // 2, : n // 2], rest), tail], axis=-2)


def safe_ratio(x: Any, y: Any) -> Any:
    """`x / y`, but 0 where y is 0."""
    nothing = np.equal(y, 0)
    return np.where(nothing, 0.0, x / np.where(nothing, 1.0, y)) if nothing.any() else x / y


def phase_ratio(x: Any, y: Any) -> Any:
    """`x / y`, but 0 where y is 0 to rounding: no phase can be read there."""
    return safe_ratio(x, np.where(np.abs(y) <= 100 * np.finfo(precision(y)).eps, 0.0, y))


def gaps_of(w: Any) -> Any:
    """`w[j] - w[i]`, for each i and j."""
    return np.expand_dims(w, -2) - np.expand_dims(w, -1)


def gap_sums(b: Any) -> Any:
    """What w receives where its gaps receive -b."""
    return np.sum(b, axis=-1) - np.sum(b, axis=-2)


def quotient(x: Any, g: Any, w: Any) -> Any:
    """`x / gap` off the diagonal, where the gap is `w[j] - w[i]`; x is made of g.

    Where values repeat, the vectors that belong to them are any basis: 0 if g has no part among them, else nan.
    """
    same = identity(w) > 0
    eps = 100 * np.finfo(precision(w)).eps
    gap = gaps_of(w)
    close = np.abs(gap) <= eps * np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    size = np.abs(g) + np.abs(mT(g))
    unused = size <= eps * np.max(size, axis=(-2, -1), keepdims=True, initial=0.0)
    part = np.where(close & ~same, np.nan, x / np.where(close, 1.0, gap))
    return np.where(same | (close & unused), 0.0, part)


def among_equal(x: Any, g: Any) -> Any:
    """x without what is rounding beside g: what `quotient` asks for among equal values."""
    bound = 100 * np.finfo(precision(g)).eps * np.max(np.abs(g), axis=(-2, -1), keepdims=True, initial=0.0)
    return np.where(np.abs(x) <= bound, 0.0, x)


def parallel(v: Any, b: Any) -> Any:
    """The scalar products of the columns of v with those of b."""
    return np.sum(np.conj(v) * b, axis=-2, keepdims=True)
