"""Kernels of the norms. A slope g says that the tangent of a norm is the real part of `sum(g * d)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import conj_sign, inexact, precision
from tangent.runtime.kernels.matrices import as_matrices, safe_ratio
from tangent.runtime.kernels.products import mT
from tangent.runtime.kernels.reduce import as_dtype, at_rank
from tangent.runtime.kernels.spectra import singular_sum, thin_svd
from tangent.runtime.kernels.wholes import conj_direction, direction_of, off_direction


def norm_slope(x: Any, y: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The slope of `y = np.linalg.norm(x, ord, axis, keepdims)`."""
    of_vectors = are_of_vectors(x, axis)
    if ord is None or (is_fixed(ord, 2) and of_vectors):
        return length_slope(x, y, axis, keepdims)
    if of_vectors:
        return vector_norm_slope(x, ord=ord, axis=axis)
    rows, cols = (-2, -1) if axis is None else axis
    return np.moveaxis(matrix_norm_slope(np.moveaxis(x, (rows, cols), (-2, -1)), ord=ord), (-2, -1), (rows, cols))


def is_fixed(ord: Any, n: int) -> bool:
    """Whether an order is this integer: one that is a float may vary, and the slope varies with it."""
    return isinstance(ord, int) and ord == n


def length_slope(x: Any, y: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The slope of the length y of x."""
    if np.iscomplexobj(x):
        return conj_direction(x, y, axis, keepdims)
    return direction_of(x, y, axis, keepdims)


def by_order(d: Any, ord: Any) -> Any:
    """The tangent of the order of a norm, none where that is a name."""
    return 0.0 if ord is None or isinstance(ord, str) else d


def norm_order_slope(x: Any, y: Any, ord: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The derivative of `y = np.linalg.norm(x, ord, axis, keepdims)` by the order."""
    return order_slope(x, y, ord, axis, keepdims) if are_of_vectors(x, axis) else np.zeros_like(y)


def are_of_vectors(x: Any, axis: Any) -> bool:
    """Whether `np.linalg.norm(x, ord, axis)` takes norms of vectors."""
    return np.ndim(x) == 1 if axis is None else np.size(axis) == 1


def direction(x: Any) -> Any:
    """The sign of x, also of complex numbers: `x / abs(x)`, but 0 for 0."""
    return safe_ratio(x, np.abs(x)) if np.iscomplexobj(x) else conj_sign(x)


def vector_norm_slope(x: Any, ord: Any = 2, axis: Any = None) -> Any:
    """The slope of a vector norm: 0 where the norm is 0, shared evenly by equal maxima."""
    x, axis = inexact(x), tuple(axis) if isinstance(axis, list) else axis
    if ord == 0:
        return np.zeros_like(x)
    if is_fixed(ord, 1):
        return np.conj(direction(x))
    size = np.abs(x)
    if ord is None or is_fixed(ord, 2):
        return length_slope(x, np.sqrt(np.sum(size * size, axis=axis, keepdims=True)), axis, True)
    if abs(ord) == np.inf:
        ends = (
            np.max(size, axis=axis, keepdims=True, initial=0.0) if ord > 0 else np.min(size, axis=axis, keepdims=True)
        )
        return np.conj(direction(x)) * evenly(size == ends, x, axis)
    return power_norm_slope(x, ord, axis)


def power_norm_slope(x: Any, ord: float = 3, axis: Any = None) -> Any:
    """The slope of the norm `sum(abs(x) ** ord) ** (1 / ord)`: the powers of the elements over it."""
    part, _ = over_norm(x, ord, axis)
    return as_dtype(np.conj(direction(x)) * power_of(part, ord - 1), x)


def over_norm(x: Any, ord: float, axis: Any) -> tuple[Any, Any]:
    """The sizes of x over its norm, and the norm: 0 and 1 where that is 0. No power overflows on the way."""
    size = np.abs(x)
    scale = np.max(size, axis=axis, keepdims=True, initial=0.0) if ord > 0 else np.min(
        size, axis=axis, keepdims=True, initial=np.inf
    )  # fmt: skip
    part = safe_ratio(size, scale)
    total = np.sum(power_of(part, ord), axis=axis, keepdims=True)
    root = np.where(total > 0, total, 1.0) ** (1 / ord)
    return part / root, np.where(total > 0, scale * root, 1.0)


def power_of(part: Any, exponent: float) -> Any:
    """A power of what is not negative; 0 for 0, where its exponent is not."""
    inside = part > 0
    return np.where(inside, np.where(inside, part, 1.0) ** exponent, 1.0 if exponent == 0 else 0.0)


def power_norm_turn(d: Any, x: Any, ord: float = 3, axis: Any = None) -> Any:
    """The derivative of `power_norm_slope(x, ord, axis)` along d, and its transpose: nothing cancels."""
    part, norm = over_norm(x, ord, axis)
    u = np.where(part > 0, np.conj(direction(x)), np.any(part > 0, axis=axis, keepdims=True))
    s, a = power_of(part, ord / 2 - 1), power_of(part, ord / 2)
    turned = (ord - 1) * s * off_direction(s * np.real(u * d), a, a, axis)
    if np.iscomplexobj(x):
        turned = turned - 1j * np.imag(u * d) * power_of(part, ord - 2)
    return as_dtype(u * turned / norm, x)


def power_norm_slope_by_order(x: Any, ord: float = 3, axis: Any = None) -> Any:
    """The derivative of `power_norm_slope(x, ord, axis)` by the order."""
    part, _ = over_norm(x, ord, axis)
    logs = np.log(np.where(part > 0, part, 1.0))
    mean = np.sum(power_of(part, ord) * logs, axis=axis, keepdims=True)
    return power_norm_slope(x, ord, axis) * (logs - (ord - 1) / ord * mean)


def order_slope(x: Any, y: Any, ord: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The derivative of a vector norm y by its order; 0 for the orders of which the next ones are no limit."""
    if ord is None or isinstance(ord, str) or ord == 0 or abs(ord) == np.inf:
        return np.zeros_like(y)
    part = safe_ratio(np.abs(inexact(x)), at_rank(y, x, axis=axis, keepdims=keepdims))
    part = np.where(part > 0, part, 1.0)
    return y / ord * np.sum(part**ord * np.log(part), axis=axis, keepdims=keepdims)


def evenly(chosen: Any, x: Any, axis: Any) -> Any:
    """Weights that sum to 1, equal where chosen, in the precision of x."""
    weights = chosen / np.maximum(np.sum(chosen, axis=axis, keepdims=True), 1)
    return np.asarray(weights, precision(x))


def matrix_norm_slope(x: Any, ord: Any = "fro") -> Any:
    """The slope of a norm of matrices."""
    x = inexact(x)
    if ord is None or ord == "fro" or ord == "f":
        return vector_norm_slope(x, axis=(-2, -1))
    if ord == "nuc" or ord == 2 or ord == -2:
        return singular_slope(x, ord)
    inner, outer = (-2, -1) if abs(ord) == 1 else (-1, -2)
    sums = np.sum(np.abs(x), axis=inner, keepdims=True)
    ends = np.max(sums, axis=outer, keepdims=True, initial=0.0) if ord > 0 else np.min(sums, axis=outer, keepdims=True)
    return np.conj(direction(x)) * evenly(sums == ends, x, outer)


def singular_slope(x: Any, ord: Any) -> Any:
    """The slope of the sum, the largest or the smallest of the singular values."""
    y = thin_svd(x)
    s = y[1]
    ends = s[..., :1] if ord == 2 else s[..., -1:]
    some = as_dtype(np.greater(s, 0), s)
    weight = some if ord == "nuc" else some * evenly(s == ends, s, -1)
    return singular_sum(weight, x, y)


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
    return size_y * matrix_norm_slope(x, ord=p) - (size_x * mT(y)) @ matrix_norm_slope(y, ord=p) @ mT(y)
