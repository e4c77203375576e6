"""Library functions that call functions of the user, in terms of what has rules. Iterators become lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.kernels.index import scatter


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """`np.piecewise`: the last condition that holds decides."""
    here = chosen_pieces(x, condlist, len(funclist))
    out = np.zeros_like(x)
    for k in range(len(funclist)):
        piece = funclist[k](x[here[k]], *args, **kw) if callable(funclist[k]) else funclist[k]
        out = out + scatter(np.broadcast_to(piece, np.shape(x[here[k]])), x, here[k])
    return out


def chosen_pieces(x: Any, condlist: Any, n: int) -> list[Any]:
    """Where each of the n functions of `np.piecewise` is the one that decides."""
    single = np.isscalar(condlist) or (not isinstance(condlist[0], list | np.ndarray) and np.ndim(x) != 0)
    conditions = np.array([condlist] if single else condlist, dtype=bool)
    if n == len(conditions) + 1:
        conditions = np.concatenate([conditions, ~np.any(conditions, axis=0, keepdims=True)])
    later = np.logical_or.accumulate(conditions[::-1], axis=0)[::-1]
    rest = np.concatenate([later[1:], np.zeros_like(later[:1])])
    return list(conditions & ~rest)


def vectorized(pyfunc: Callable[..., Any], *args: Any) -> Any:
    """`np.vectorize(pyfunc)(*args)`: a call for each element of the arguments, broadcast together."""
    wide = np.broadcast_arrays(*args)
    results: Any = []
    for index in np.ndindex(np.shape(wide[0])):
        items: tuple[Any, ...] = ()
        for one in wide:
            items = (*items, one[index])
        results = [*results, pyfunc(*items)]
    if len(results) > 0 and isinstance(results[0], tuple):
        raise UnsupportedError(
            "cannot differentiate 'np.vectorize' of a function with several results",
            why="their adjoints have no common shape",
            todo="Call np.vectorize once for each result, or write the loop.",
        )
    return np.reshape(np.stack(results), np.shape(wide[0]))


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`: the lines of arr one by one."""
    lines = np.moveaxis(arr, axis, -1)
    results: Any = []
    for index in np.ndindex(np.shape(lines)[:-1]):
        results = [*results, func1d(lines[index], *args, **kwargs)]
    out = np.stack(results)
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


# Builtins


def mapped(function: Callable[..., Any], *iterables: Any) -> list[Any]:
    """`map(function, *iterables)` as a list."""
    out: list[Any] = []
    for k in range(shortest(iterables)):
        items: tuple[Any, ...] = ()
        for one in iterables:
            items = (*items, one[k])
        out = [*out, function(*items)]
    return out


def filtered(function: Callable[..., Any] | None, iterable: Any) -> list[Any]:
    """`filter(function, iterable)` as a list."""
    out: list[Any] = []
    for k in kept_places(function, iterable):
        out = [*out, iterable[k]]
    return out


def kept_places(function: Callable[..., Any] | None, iterable: Any) -> list[int]:
    """The places of what `filter` keeps."""
    return [k for k, v in enumerate(iterable) if (v if function is None else function(v))]


def zipped(*iterables: Any, strict: bool = False) -> list[Any]:
    """`zip(*iterables)` as a list."""
    out: list[Any] = []
    for k in range(shortest(iterables, strict)):
        items: tuple[Any, ...] = ()
        for one in iterables:
            items = (*items, one[k])
        out = [*out, items]
    return out


def shortest(iterables: Any, strict: bool = False) -> int:
    """How many tuples `zip` makes."""
    return len(list(zip(*iterables, strict=strict)))


def enumerated(iterable: Any, start: int = 0) -> list[Any]:
    """`enumerate(iterable, start)` as a list."""
    out: list[Any] = []
    for k in range(len(iterable)):
        out = [*out, (start + k, iterable[k])]
    return out


def backwards(iterable: Any) -> list[Any]:
    """`reversed(iterable)` as a list."""
    return list(iterable[::-1])


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
