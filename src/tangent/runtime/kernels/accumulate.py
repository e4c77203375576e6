"""Kernels of the accumulations: running sums, products and maxima, read backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.kernels.calculus import between_zeros, stretch
from tangent.runtime.kernels.elementwise import precision, real_as
from tangent.runtime.kernels.reduce import Axis, as_dtype, at_rank, gathered, restored


def shifted(g: Any, steps: int, fill: float = 0.0) -> Any:
    """The elements of the last axis moved towards its end."""
    head = np.full_like(g[..., :steps], fill)
    return np.concatenate((head, g[..., :-steps]), axis=-1)


def product_of_others(
    a: Any, y: Any, axis: Axis = None, keepdims: bool = False, initial: Any = 1, where: Any = True
) -> Any:
    """For each element the product of all others along the axis.

    That is the product y over the element, or what is before it times what is behind it where elements are zero or
    small beside others: the derivative of a quotient by them is a difference of large numbers.
    """
    a = real_as(a if where is True else np.where(where, a, 1.0), y)
    if is_regular(y) and is_even(a):
        return at_rank(as_dtype(y, a), a, axis, keepdims) / a
    initial = initial if type(initial) in (int, float) else as_dtype(initial, a)
    g = gathered(a, axis)
    before = np.cumprod(shifted(g, 1, 1.0), axis=-1)
    behind = np.flip(np.cumprod(shifted(np.flip(g, -1), 1, 1.0), axis=-1), -1)
    return restored(initial * before * behind, a, axis)


def product_of_rest(t: Any, a: Any, y: Any, axis: Axis = None, initial: Any = 1, where: Any = True) -> Any:
    """For each element the sum over the others of t there times the product of all but both: the derivative of
    `product_of_others` in the direction t, and its transpose."""
    a = real_as(a if where is True else np.where(where, a, 1.0), y)
    g = gathered(a, axis)
    s = gathered(real_as(t if where is True else np.where(where, t, 0.0), y), axis)
    initial = initial if type(initial) in (int, float) else as_dtype(initial, a)
    before, part_before = _running(g, s)
    behind, part_behind = _running(np.flip(g, -1), np.flip(s, -1))
    pairs = part_before * np.flip(behind, -1) + before * np.flip(part_behind, -1)
    found = restored(initial * pairs, a, axis)
    return found if where is True else np.where(where, found, 0.0)


def _running(g: Any, s: Any) -> tuple[Any, Any]:
    """The products of what is before each element along the last axis, and their derivatives in the direction s."""
    before = shifted(g, 1, 1.0)
    products = np.cumprod(before, axis=-1)
    return products, cumprod_tangent(shifted(s, 1), before, products, -1)


def is_regular(total: Any) -> bool:
    """Whether products can be divided without loss: none is zero, tiny or infinite."""
    size = np.abs(total)
    info = np.finfo(precision(total))
    return bool(np.all((size > info.tiny / info.eps) & np.isfinite(size)))


def is_even(a: Any) -> bool:
    """Whether no element is small beside others."""
    if np.size(a) == 0:
        return True
    if not np.iscomplexobj(a) and (low := np.min(a)) > 0:
        return bool(low > 1e-4 * np.max(a))
    size = np.abs(a)
    return bool(np.min(size) > 1e-4 * np.max(size))


def cumsum_reversed(b: Any, a: Any, axis: int | None = None) -> Any:
    """Cumulative sums from the end, in the shape of a."""
    return np.reshape(np.flip(np.cumsum(np.flip(b, axis), axis=axis), axis), np.shape(a))


def recurrence(a: Any, b: Any) -> Any:
    """The r with `r[k] = a[k] * r[k - 1] + b[k]` along the last axis, in log2(n) steps that double their reach."""
    step = 1
    while step < np.shape(a)[-1]:
        b = b + a * shifted(b, step)
        a = a * shifted(a, step)
        step = 2 * step
    return b


def recurrence_back(a: Any, b: Any) -> Any:
    """The r with `r[k] = a[k + 1] * r[k + 1] + b[k]` along the last axis: the transpose of `recurrence` by b."""
    return np.flip(recurrence(shifted(np.flip(a, -1), 1, 1.0), np.flip(b, -1)), -1)


def cumprod_tangent(t: Any, a: Any, y: Any, axis: int | None = None) -> Any:
    """The tangent of `y = cumprod(a)` for the tangent t of a; zeros in a need no care."""
    if is_regular(y) and is_even(a):
        return y * np.cumsum(t / real_as(a, y), axis=axis)
    g, before = 1.0 * gathered(real_as(a, y), axis), shifted(gathered(y, axis), 1, 1.0)
    return restored(recurrence(g, before * gathered(t, axis)), y, axis)


def cumprod_adjoint(b: Any, a: Any, y: Any, axis: int | None = None) -> Any:
    """The adjoint of a in `y = cumprod(a)` for the adjoint b of y; zeros in a need no care."""
    if is_regular(y) and is_even(a):
        return as_dtype(cumsum_reversed(b * y, a, axis) / real_as(a, y), a)
    g, before = 1.0 * gathered(real_as(a, y), axis), shifted(gathered(y, axis), 1, 1.0)
    return as_dtype(restored(before * recurrence_back(g, gathered(b, axis)), a, axis), a)


def without_first(y: Any, axis: int | None, include_initial: bool) -> Any:
    """y without the initial value that an accumulation has put in front."""
    return stretch(y, 1, np.shape(y)[axis or 0] - 1, axis or 0) if include_initial else y


def with_first(t: Any, axis: int | None, include_initial: bool) -> Any:
    """t behind a zero, if an accumulation has put its initial value in front."""
    return between_zeros(t, 1, 0, axis or 0) if include_initial else t


def last_record(a: Any, y: Any, axis: int = 0) -> Any:
    """For each running maximum or minimum y of a, the index at which it was reached."""
    n = np.reshape(np.arange(np.shape(a)[axis]), (-1,) + (1,) * (np.ndim(a) - 1 - axis % np.ndim(a)))
    changed = np.not_equal(y, np.roll(y, 1, axis=axis)) & (n > 0)
    return np.maximum.accumulate(np.where(changed, n, 0), axis=axis)


def sum_along(b: Any, i: Any, axis: int = 0) -> Any:
    """The transpose of `take_along_axis(a, i, axis)` for an a of the shape of i."""
    out = np.zeros_like(b)
    where = list(np.indices(np.shape(i), sparse=True))
    where[axis] = i
    np.add.at(out, tuple(where), b)
    return out


def outer_operand(x: Any, y: Any) -> Any:
    """x with axes of length 1 for those of y, so that a ufunc of both is its `outer`."""
    return np.reshape(x, np.shape(x) + (1,) * np.ndim(y))


def strong(x: Any) -> Any:
    """x as NumPy has it: its own numbers count in the dtype of a result, as in the `outer` of a ufunc."""
    return np.asarray(x)[()] if isinstance(x, (int, float, complex, list, tuple)) else x


def reduceat_adjoint(b: Any, a: Any, indices: Any, axis: int = 0) -> Any:
    """The transpose of `add.reduceat(a, indices, axis)`."""
    out = np.moveaxis(np.zeros(np.shape(a), np.asarray(b).dtype), axis, 0)
    stops = [*np.asarray(indices)[1:], np.shape(a)[axis]]
    for start, stop, part in zip(indices, stops, np.moveaxis(b, axis, 0)):
        out[start : max(stop, start + 1)] += part
    return np.moveaxis(out, 0, axis)


def rows_along(a: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    """a with an axis moved to the front, in the dtype that the call asks for; without an axis, its elements."""
    a = np.asarray(a, dtype=dtype)
    return np.reshape(a, (-1,)) if axis is None or np.ndim(a) == 0 else np.moveaxis(a, axis, 0)


def rows_behind(initial: Any, rows: Any) -> Any:
    """The rows that a ufunc reduces, behind what it starts with, if that is given; in the dtype of inexact rows."""
    if initial is None:
        return rows
    first = np.broadcast_to(initial, (1, *np.shape(rows)[1:]))
    return np.concatenate([first.astype(rows.dtype) if rows.dtype.kind in "fc" else first, rows])


def masks_behind(initial: Any, where: Any, a: Any, axis: int | None = 0) -> Any:
    """Which elements of the rows of `rows_behind` a ufunc reduces; None if all."""
    if where is True:
        return None
    masks = rows_along(np.broadcast_to(where, np.shape(a)), axis)
    return masks if initial is None else np.concatenate([np.ones_like(masks[:1]), masks])


def refuse_left_out(total: Any, ufunc: np.ufunc, method: str, array: Any, **options: Any) -> None:
    """NumPy may leave out elements where it reduces with powers or arctan2: what it gives is then no fold of them."""
    given = getattr(ufunc, method)(array, **{k: v for k, v in options.items() if k != "initial" or v is not None})
    if np.shape(given) != np.shape(total) or not np.allclose(given, total, 1e-3, 1e-30, equal_nan=True):
        raise UnsupportedError(
            f"cannot differentiate 'np.{ufunc.__name__}.{method}' here",
            why="NumPy leaves out elements of arrays that lie so in memory, on this processor",
            todo=f"Write functools.reduce(np.{ufunc.__name__}, x), or use np.{ufunc.__name__}.accumulate.",
        )


def segments(indices: Any, n: int) -> list[tuple[int, int]]:
    """Where the segments of `reduceat` start and stop: each holds one element at least."""
    starts = [int(i) % n for i in indices]
    return [(start, max(stop, start + 1)) for start, stop in zip(starts, [*starts[1:], n])]
