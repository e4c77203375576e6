"""Kernels of the products: transposes of contractions for operands of any rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.dispatch import init_grad
from tangent.runtime.fit import fitted, unbroadcast
from tangent.runtime.objects import is_sparse


def mT(x: Any) -> Any:
    """The last two axes swapped."""
    return np.swapaxes(x, -1, -2)


def are_matrices(b: Any, x: Any, y: Any) -> bool:
    """Whether three arrays are plain matrices of one dtype, as they nearly always are."""
    return (
        type(b) is type(x) is type(y) is np.ndarray
        and b.ndim == x.ndim == y.ndim == 2
        and b.dtype == x.dtype == y.dtype
    )


def are_vectors(b: Any, x: Any, y: Any) -> bool:
    """Whether x is a plain matrix and the others vectors, of one dtype."""
    return (
        type(b) is type(x) is type(y) is np.ndarray
        and b.ndim == y.ndim == 1
        and x.ndim == 2
        and b.dtype == x.dtype == y.dtype
    )


def is_scalar_product(x: Any, y: Any) -> bool:
    """Whether two arrays are vectors of double precision: their product is a number."""
    return type(x) is type(y) is np.ndarray and x.ndim == y.ndim == 1 and x.dtype == y.dtype == np.float64


def _is_constant(x: Any) -> bool:
    return x is None or is_sparse(x)


def _sparse_shape(x: Any, y: Any) -> tuple[int, ...]:
    """The shape of a product of which an operand is sparse."""
    m, n = (v.shape if is_sparse(v) else np.shape(v) for v in (x, y))
    return (*m[:-1], *n[1:])


def _sparse_adjoint_x(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x, where one of the two is sparse, a constant without a gradient, or the tangent of such a one."""
    if x is None or is_sparse(x):
        return None
    return init_grad(x) if y is None else unbroadcast(b @ y.T, x)


def _sparse_adjoint_y(b: Any, x: Any, y: Any) -> Any:
    if y is None or is_sparse(y):
        return None
    return init_grad(y) if x is None else unbroadcast(x.T @ b, y)


def matmul_adjoint_x(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `x @ y`."""
    if are_matrices(b, x, y):
        return np.dot(b, y.T)
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0) * y
    if _is_constant(x) or _is_constant(y):
        return _sparse_adjoint_x(b, x, y)
    if np.ndim(y) == 1:
        if are_vectors(b, x, y):
            return b[:, None] * y
        return unbroadcast(np.multiply.outer(b, y), x)
    if np.ndim(x) == 1:
        return unbroadcast(np.matmul(y, np.expand_dims(b, -1))[..., 0], x)
    if np.ndim(x) == 2 and np.ndim(y) > 2:
        rest = (*leading(b, 2), np.ndim(b) - 1)
        return unbroadcast(np.tensordot(b, y, (rest, rest)), x)
    return unbroadcast(np.matmul(b, mT(y)), x)


def matmul_adjoint_y(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of y in `x @ y`."""
    if are_matrices(b, x, y):
        return np.dot(x.T, b)
    if are_vectors(b, x, y):
        return np.dot(b, x)
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0) * x
    if _is_constant(x) or _is_constant(y):
        return _sparse_adjoint_y(b, x, y)
    if np.ndim(x) == 1:
        return (
            unbroadcast(np.expand_dims(b, -2) * np.expand_dims(x, -1), y)
            if np.ndim(y) > 1
            else unbroadcast(np.multiply(b, x), y)
        )
    if np.ndim(y) == 1:
        return unbroadcast(np.dot(b, x) if np.ndim(x) == 2 else np.tensordot(b, x, np.ndim(b)), y)
    if np.ndim(y) == 2 and np.ndim(x) > 2:
        return unbroadcast(np.tensordot(x, b, (leading(x, 1), leading(b, 1))), y)
    return unbroadcast(np.matmul(mT(x), b), y)


def fit_matmul(b: Any, x: Any, y: Any) -> Any:
    """b, summed to the shape of `x @ y`, which was broadcast.

    >>> fit_matmul(np.ones((3, 2)), np.ones(4), np.ones((4, 2)))
    array([3., 3.])
    """
    if are_matrices(b, x, y) and b.shape == (len(x), y.shape[1]):
        return b
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0)
    if is_sparse(x) or is_sparse(y):
        return fitted(b, _sparse_shape(x, y))
    m, n = np.shape(x), np.shape(y)
    batch = np.broadcast_shapes(m[:-2], n[:-2]) if len(m) > 2 or len(n) > 2 else ()
    return fitted(b, (*batch, *m[-2:-1], *(n[-1:] if len(n) > 1 else ())))


def fit_dot(b: Any, x: Any, y: Any) -> Any:
    """b, summed to the shape of `np.dot(x, y)`, which was broadcast."""
    if are_matrices(b, x, y) and b.shape == (len(x), y.shape[1]):
        return b
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0)
    if is_sparse(x) or is_sparse(y):
        return fitted(b, _sparse_shape(x, y))
    m, n = np.shape(x), np.shape(y)
    return fitted(b, (*m[:-1], *n[:-2], *(n[-1:] if len(n) > 1 else ())) if m and n else m + n)


def leading(x: Any, dropped: int) -> tuple[int, ...]:
    """All axes of x but the last ones."""
    return tuple(range(np.ndim(x) - dropped))


def dot_adjoint_a(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `np.dot(x, y)`."""
    if are_matrices(b, x, y):
        return np.dot(b, y.T)
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0) * y
    if _is_constant(x) or _is_constant(y):
        return _sparse_adjoint_x(b, x, y)
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(b * y, x)
    if np.ndim(y) == 1:
        return unbroadcast(np.multiply.outer(b, y), x)
    free = (*leading(y, 2), np.ndim(y) - 1)
    return unbroadcast(np.tensordot(b, y, (tuple(range(np.ndim(x) - 1, np.ndim(b))), free)), x)


def dot_adjoint_b(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of y in `np.dot(x, y)`."""
    if are_matrices(b, x, y):
        return np.dot(x.T, b)
    if is_scalar_product(x, y):
        return unbroadcast(b, 0.0) * x
    if _is_constant(x) or _is_constant(y):
        return _sparse_adjoint_y(b, x, y)
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(b * x, y)
    free = leading(x, 1)
    if np.ndim(y) == 1:
        return unbroadcast(np.dot(b, x) if np.ndim(x) <= 2 and np.ndim(b) < 2 else np.tensordot(b, x, (free, free)), y)
    return unbroadcast(np.moveaxis(np.tensordot(x, b, (free, free)), 0, -2), y)


def inner_adjoint_a(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `np.inner(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(b * y, x)
    return unbroadcast(np.tensordot(b, y, np.ndim(y) - 1), x)


def inner_adjoint_b(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of y in `np.inner(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(b * x, y)
    free = leading(x, 1)
    return unbroadcast(np.tensordot(b, x, (free, free)), y)


def outer_adjoint_a(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `np.outer(x, y)`."""
    return unbroadcast(np.reshape(np.dot(b, np.ravel(y)), np.shape(x)), x)


def outer_adjoint_b(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of y in `np.outer(x, y)`."""
    return unbroadcast(np.reshape(np.dot(np.ravel(x), b), np.shape(y)), y)


def vecdot_adjoint(b: Any, x: Any, y: Any, axis: int = -1) -> Any:
    """The adjoint of x in `sum(x * y, axis)`, where both operands are broadcast but for their axis."""
    g = np.expand_dims(b, -1) * np.moveaxis(y, axis, -1)
    return np.moveaxis(unbroadcast(g, np.moveaxis(x, axis, -1)), -1, axis)


def tensordot_adjoint_a(b: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of x in `np.tensordot(x, y, axes)`."""
    over_x, over_y, free_x, free_y = contraction(np.ndim(x), np.ndim(y), axes)
    g = np.tensordot(b, y, (tuple(range(len(free_x), np.ndim(b))), free_y))
    return unbroadcast(np.transpose(g, inverse_order(free_x + matched(over_y, over_x))), x)


def tensordot_adjoint_b(b: Any, x: Any, y: Any, axes: Any = 2) -> Any:
    """The adjoint of y in `np.tensordot(x, y, axes)`."""
    over_x, over_y, free_x, free_y = contraction(np.ndim(x), np.ndim(y), axes)
    g = np.tensordot(x, b, (free_x, tuple(range(len(free_x)))))
    return unbroadcast(np.transpose(g, inverse_order(matched(over_x, over_y) + free_y)), y)


def contraction(nx: int, ny: int, axes: Any) -> tuple[tuple[int, ...], ...]:
    """The axes of `np.tensordot` as four tuples: contracted of x, contracted of y, free of x, free of y."""
    if np.ndim(axes) == 0 and not isinstance(axes, (list, tuple)):
        over_x, over_y = tuple(range(nx - axes, nx)), tuple(range(axes))
    else:
        over_x = tuple(int(i) % nx for i in np.atleast_1d(np.asarray(axes[0], int)))
        over_y = tuple(int(i) % ny for i in np.atleast_1d(np.asarray(axes[1], int)))
    free_x = tuple(i for i in range(nx) if i not in over_x)
    free_y = tuple(i for i in range(ny) if i not in over_y)
    return over_x, over_y, free_x, free_y


def matched(keys: tuple[int, ...], values: tuple[int, ...]) -> tuple[int, ...]:
    """The values in ascending order of their keys."""
    return tuple(v for _, v in sorted(zip(keys, values)))


def inverse_order(order: tuple[int, ...]) -> tuple[int, ...]:
    """The inverse of a permutation."""
    return tuple(int(i) for i in np.argsort(order))


def kron_adjoint_a(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `np.kron(x, y)`."""
    n = max(np.ndim(x), np.ndim(y))
    blocks = np.reshape(b, interleaved(ranked(x, n), ranked(y, n)))
    g = np.tensordot(blocks, np.reshape(y, ranked(y, n)), (range(1, 2 * n, 2), range(n)))
    return unbroadcast(np.reshape(g, np.shape(x)), x)


def kron_adjoint_b(b: Any, x: Any, y: Any) -> Any:
    """The adjoint of y in `np.kron(x, y)`."""
    n = max(np.ndim(x), np.ndim(y))
    blocks = np.reshape(b, interleaved(ranked(x, n), ranked(y, n)))
    g = np.tensordot(blocks, np.reshape(x, ranked(x, n)), (range(0, 2 * n, 2), range(n)))
    return unbroadcast(np.reshape(g, np.shape(y)), y)


def ranked(x: Any, n: int) -> tuple[int, ...]:
    """The shape of x with ones before it, n long."""
    return (*[1] * (n - np.ndim(x)), *np.shape(x))


def interleaved(p: tuple[int, ...], q: tuple[int, ...]) -> tuple[int, ...]:
    """`(p0, q0, p1, q1, ...)`."""
    return tuple(n for pair in zip(p, q) for n in pair)


def cross_adjoint(y: Any, b: Any, x: Any, axisb: int = -1, axisc: int = -1, axisa: int = -1, axis: Any = None) -> Any:
    """The adjoint of x in the cross product x with y: `y` cross b, with the axes of the call."""
    if np.shape(x) == np.shape(y) == np.shape(b) == (3,):
        return unbroadcast(np.cross(y, b), x)
    if axis is not None:
        axisa = axisb = axisc = axis
    u, v = np.moveaxis(x, axisa, -1), np.moveaxis(y, axisb, -1)
    planar = np.shape(u)[-1] == 2 and np.shape(v)[-1] == 2
    w = upright(b) if planar else np.moveaxis(b, axisc, -1)
    return np.moveaxis(unbroadcast(np.cross(spatial(v), w)[..., : np.shape(u)[-1]], u), -1, axisa)


def upright(b: Any) -> Any:
    """Numbers as vectors along the third axis of space."""
    return np.stack([np.zeros_like(b), np.zeros_like(b), b], axis=-1)


def spatial(v: Any) -> Any:
    """Vectors of the plane as vectors of space."""
    return np.concatenate([v, np.zeros_like(v[..., :1])], axis=-1) if np.shape(v)[-1] == 2 else v


def with_item(xs: Any, i: int, v: Any) -> tuple[Any, ...]:
    """xs with v in place i."""
    return (*xs[:i], v, *xs[i + 1 :])
