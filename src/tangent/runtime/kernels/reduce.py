"""Kernels of the reductions: axes, counts, deviations, and the shares of what ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.kernels.elementwise import is_whole, precision, real_as
from tangent.runtime.zeros import dtype_of, gradient_dtype

# An axis as NumPy takes it: all axes, one, or several.
Axis = int | tuple[int, ...] | None


def spread(b: Any, x: Any, axis: Axis = None, keepdims: bool = False, where: Any = True) -> Any:
    """b over the axes of x that a reduction has removed, 0 outside of `where`, in the dtype of x."""
    if type(x) is np.ndarray and x.size <= SMALL and where is True and x.dtype.kind == "f":
        return filled(b, x, axis, keepdims)
    if axis is not None and not keepdims and np.ndim(x) > 0:
        b = np.expand_dims(b, axis)
    whole = axis is None and not keepdims
    if isinstance(x, np.ndarray) and x.dtype.kind == "O" and np.ndim(b) > (0 if whole else x.ndim):
        raise UnsupportedError(
            "cannot differentiate a reduction of an array of arrays", why="its items have axes of their own",
            todo="Make one array of them (np.stack), or add them in a loop.",
        )  # fmt: skip
    b = as_dtype(b, x)
    return np.broadcast_to(b if where is True else np.where(where, b, 0.0), np.shape(x))[()]


SMALL = 4096  # elements, up to which filling is faster than broadcasting


def filled(b: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """`spread` for a small array of floats: b itself in all places, instead of a view that repeats it."""
    if axis is not None and not keepdims and x.ndim > 0:
        axes = reduced_axes(x, axis)
        b = np.reshape(b, [1 if i in axes else n for i, n in enumerate(x.shape)])
    out = np.empty(x.shape, x.dtype)
    out[...] = b.real if isinstance(b, (complex, np.ndarray, np.generic)) else b
    return out[()]


def as_dtype(b: Any, x: Any) -> Any:
    """b in the dtype of derivatives of x: its real part if x is real."""
    to = gradient_dtype(dtype_of(x))
    return np.asarray(np.real(b) if to.kind == "f" and np.iscomplexobj(b) else b, to)


def computed_in(a: Any, dtype: Any) -> Any:
    """The operand of a call that says in which dtype it computes, as it takes it."""
    return a if dtype is None else np.asarray(a, dtype)


def taken_back(w: Any, a: Any, dtype: Any) -> Any:
    """A factor that was computed in some dtype, in that of the operand a."""
    return w if dtype is None else as_dtype(w, a)


def count(a: Any, axis: Axis = None, keepdims: bool = False, where: Any = True, ddof: float = 0) -> Any:
    """How many elements of a go into one of its sums, less ddof: nan if none are left, so that nothing divides by 0."""
    if where is not True:
        n = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims) - ddof
        return np.where(n > 0, n, np.nan).astype(precision(a))[()]
    size = math.prod(np.shape(a)[i] for i in reduced_axes(a, axis)) - (
        ddof.item() if isinstance(ddof, np.generic) else ddof
    )
    return size if size > 0 else math.nan


def reduced_axes(a: Any, axis: Axis) -> tuple[int, ...]:
    """The axes over which a reduction of a goes, counted from the front."""
    if axis is None or np.ndim(a) == 0:
        return tuple(range(np.ndim(a)))
    return tuple(i % np.ndim(a) for i in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def at_rank(b: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """b, of the shape of x reduced over the axes, with the rank of x."""
    if keepdims or np.ndim(b) == np.ndim(x):
        return b
    return np.asarray(b)[(None,) * np.ndim(x)] if axis is None else np.expand_dims(b, axis)


def from_end(a: Any, axis: Axis) -> tuple[int, ...]:
    """The axes over which a reduction of a goes, counted from the end."""
    return tuple(i - np.ndim(a) for i in reduced_axes(a, axis))


def deviation(a: Any, axis: Axis = None, where: Any = True, mean: Any = None, dtype: Any = None) -> Any:
    """`conj(a - mean)`, 0 outside of `where`; far from 0 a mean is taken again, as its rounding does not cancel."""
    if mean is None:
        mean = np.mean(a, axis=axis, dtype=dtype, keepdims=True, where=where)
        if where is not True or is_far(a, mean, axis):
            rest = a - mean
            return deviation(rest, axis, where, np.mean(rest, axis=axis, dtype=dtype, keepdims=True, where=where))
    elif is_whole(mean):
        mean = 1.0 * np.asarray(mean)  # unsigned differences wrap around
    c = np.conj(a - mean) if np.iscomplexobj(a) else a - mean
    return c if where is True else np.where(where, c, 0.0)


def about_mean(a: Any, axis: Axis = None, where: Any = True) -> Any:
    """`conj(a - mean)` about the mean of a itself: linear, and its own transpose."""
    return deviation(a, axis, where)


def is_far(a: Any, mean: Any, axis: Axis = None) -> bool:
    """Whether a mean is much larger than what the first of its elements differ from it by."""
    if axis is None and type(a) is np.ndarray and a.size:
        return bool(abs(a.item(0) - mean.item()) < 2.0**-6 * abs(mean.item()))
    over = reduced_axes(a, axis)
    first = np.asarray(a)[tuple([slice(1) if i in over else slice(None) for i in range(np.ndim(a))])]
    return bool(np.any(np.abs(first - mean) < 2.0**-6 * np.abs(mean)))


def own_deviation(a: Any, axis: Axis = None, where: Any = True, mean: Any = None, dtype: Any = None) -> Any:
    """`deviation` in the dtype of a, into whose memory `np.nanvar` subtracts the mean."""
    if dtype is not None and np.iscomplexobj(mean) and not np.iscomplexobj(a):
        raise UnsupportedError(
            "cannot differentiate 'np.nanvar' or 'np.nanstd' of real numbers with a complex 'mean' and a 'dtype'",
            why="NumPy drops the imaginary part of the mean, and not that of the result",
            todo="Give its real part: mean=np.real(m).",
        )
    return as_dtype(deviation(a, axis, where, mean, dtype), a)


def winners(y: Any, a: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """The share of each element of a in its maximum or minimum y: those that tie share evenly, with `initial` too."""
    won = np.equal(real_as(a, y), spread(y, a, axis, keepdims))
    if where is not True:
        won = won & where
    if initial is None and where is True and np.count_nonzero(won) == np.size(y) and not np.any(np.not_equal(y, y)):
        return as_dtype(won, a)  # one each, since a maximum that is no nan is one of the elements
    ties = np.sum(won, axis=axis, keepdims=True)
    if initial is not None:
        ties = ties + np.reshape(np.equal(y, initial), np.shape(ties))
    return as_dtype(won / np.maximum(ties, 1) if np.any(ties > 1) else won, a)


def remainder_at(initial: Any, y: Any, w: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The share of `initial` in the maximum or minimum y, where the elements have the shares w."""
    return np.where(np.equal(y, initial), 1.0 - np.sum(w, axis=axis, keepdims=keepdims), 0.0)[()]


def gathered(a: Any, axis: Axis) -> Any:
    """The axes of a reduction moved behind the others and made one."""
    if axis is None:
        return np.reshape(a, (-1,))
    axes = reduced_axes(a, axis)
    moved = np.moveaxis(a, axes, range(-len(axes), 0))
    rest = np.shape(moved)[: np.ndim(a) - len(axes)]
    return np.reshape(moved, (*rest, math.prod(np.shape(moved)[len(rest) :])))


def restored(g: Any, a: Any, axis: Axis) -> Any:
    """The inverse of `gathered`: g has the elements of a, behind axes of its own if it has more."""
    axes = reduced_axes(a, axis)
    if axis is None:
        return np.reshape(g, np.shape(g)[:-1] + np.shape(a))
    g = np.reshape(g, np.shape(g)[:-1] + tuple(np.shape(a)[i] for i in axes))
    return np.moveaxis(g, range(-len(axes), 0), from_end(a, axis))


def present(a: Any, where: Any = True) -> Any:
    """Where a is not nan."""
    return ~np.isnan(a) & where


def weights_over(weights: Any, a: Any, axis: Axis = None) -> Any:
    """Weights of all elements, or those of some axes, so that they broadcast with a."""
    if weights is None:
        return 1.0
    if np.shape(weights) == np.shape(a):
        return np.asarray(weights)
    axes = reduced_axes(a, axis)
    return np.reshape(np.transpose(weights, np.argsort(axes)), shape_along(a, axes))


def shape_along(a: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a along some axes, 1 along the others."""
    return tuple(np.shape(a)[i] if i in axes else 1 for i in range(np.ndim(a)))


def weights_adjoint(b: Any, weights: Any, axis: Axis = None) -> Any:
    """The transpose of `weights_over`."""
    if np.shape(weights) == np.shape(b):
        return b
    axes = reduced_axes(b, axis)
    kept = np.sum(b, axis=tuple(i for i in range(np.ndim(b)) if i not in axes))
    return np.transpose(kept, np.argsort(np.argsort(axes)))


def first_against_rest(a: Any, axis: int = 0) -> Any:
    """1 for the first element along the axis, -1 for the others."""
    n = np.shape(a)[axis]
    signs = np.where(np.arange(n) == 0, 1.0, -1.0).astype(precision(a))
    return np.reshape(signs, (n,) + (1,) * (np.ndim(a) - 1 - axis % np.ndim(a)))
