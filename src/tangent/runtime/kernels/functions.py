"""Library functions that call functions of the user, in terms of what has rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.shape import uncast
from tangent.runtime.persistent import PersistentArray


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """`np.piecewise`: the last condition that holds decides."""
    x = np.asarray(x)
    here = chosen_pieces(x, condlist, len(funclist))
    out = np.zeros_like(x)
    for k in range(len(funclist)):
        if np.any(here[k]):
            piece = funclist[k](x[here[k]], *args, **kw) if callable(funclist[k]) else funclist[k]
            out = with_piece(out, here[k], piece, x)
    return out


def with_piece(found: Any, here: Any, piece: Any, x: Any) -> Any:
    """What `np.piecewise(x, ...)` has found so far, with another piece, as an array of the dtype of x holds it."""
    new = np.array(found)
    new[here] = piece
    return new


def through_store(b: Any, x: Any, asked: Any) -> Any:
    """What flows through an array of the dtype of x: nothing through integers, but where derivatives by x are asked."""
    return b if asked is None or "x" in asked else uncast(b, x.dtype)


def chosen_pieces(x: Any, condlist: Any, n: int) -> list[Any]:
    """Where each of the n functions of `np.piecewise` is the one that decides."""
    single = np.isscalar(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and np.ndim(x) != 0)
    conditions = np.array([condlist] if single else condlist, dtype=bool)
    if n == len(conditions) + 1:
        conditions = np.concatenate([conditions, ~np.any(conditions, axis=0, keepdims=True)])
    later = np.logical_or.accumulate(conditions[::-1], axis=0)[::-1]
    rest = np.concatenate([later[1:], np.zeros_like(later[:1])])
    return list(conditions & ~rest)


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`: the lines of arr one by one."""
    lines = np.moveaxis(arr, axis, -1)
    results: Any = []
    for index in np.ndindex(np.shape(lines)[:-1]):
        results.append(func1d(lines[index], *args, **kwargs))
    out = np.stack(results)
    if out.dtype != np.asarray(results[0]).dtype:  # the first line decides
        out = out.astype(np.asarray(results[0]).dtype)
    shape = np.shape(out)[1:]
    out = np.reshape(out, np.shape(lines)[:-1] + shape)
    first = axis % np.ndim(arr)
    return np.moveaxis(out, tuple(range(-len(shape), 0)), tuple(range(first, first + len(shape))))


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """`np.apply_over_axes`: one axis after the other, the rank is kept."""
    out = a
    for axis in np.atleast_1d(axes):
        reduced = func(out, int(axis))
        out = reduced if np.ndim(reduced) == np.ndim(a) else np.expand_dims(reduced, int(axis))
    return out


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """`np.fromfunction`: the function of the indices of all elements."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


# Builtins and the standard library


def shallow(x: Any) -> Any:
    """`copy.copy`: another array, list or dict, with the same items; what does not change stands for itself."""
    if hasattr(type(x), "__copy__") and not isinstance(x, np.ndarray | PersistentArray):
        return x.__copy__()
    return x.copy() if isinstance(x, (np.ndarray, PersistentArray, list, dict, set)) else x


class Missing:
    """Stands for a default that is not given."""


def largest(*args: Any, key: Any = None, default: Any = Missing) -> Any:
    """`max` with a key or a default."""
    items = args[0] if len(args) == 1 else args
    if key is None:
        return max(items) if len(items) > 0 or default is Missing else default
    return items[best(items, key, True)] if len(items) > 0 or default is Missing else default


def smallest(*args: Any, key: Any = None, default: Any = Missing) -> Any:
    """`min` with a key or a default."""
    items = args[0] if len(args) == 1 else args
    if key is None:
        return min(items) if len(items) > 0 or default is Missing else default
    return items[best(items, key, False)] if len(items) > 0 or default is Missing else default


def best(items: Any, key: Callable[[Any], Any], most: bool) -> int:
    """The index of the item with the largest or smallest key, the first of several."""
    keys = [key(item) for item in items]
    return keys.index(max(keys) if most else min(keys))


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:
    """`np.fromiter`."""
    items = list(iter)
    return np.array(items if count < 0 else items[:count], dtype=dtype)
