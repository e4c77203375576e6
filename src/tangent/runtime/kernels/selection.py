"""Kernels of the linear rules that select: transposes of taking, deleting and choosing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.index import scatter
from tangent.runtime.kernels.shape import restructure, sequence_like


def untake_along_axis(b: Any, x: Any, indices: Any, axis: Any = -1) -> Any:
    """The adjoint of `np.take_along_axis(x, indices, axis)`."""
    if axis is None:
        return np.reshape(scatter(b, np.ravel(x), np.ravel(indices)), np.shape(x))
    grid: list[Any] = list(np.ix_(*[np.arange(n) for n in np.shape(x)]))
    axis = axis % np.ndim(x)
    return scatter(b, x, (*grid[:axis], np.asarray(indices), *grid[axis + 1 :]))


def undelete(b: Any, x: Any, obj: Any, axis: Any = None) -> Any:
    """The adjoint of `np.delete(x, obj, axis)`."""
    if axis is None:
        return np.reshape(undelete(b, np.ravel(x), obj, 0), np.shape(x))
    return put_once(b, x, np.delete(np.arange(np.shape(x)[axis]), obj), axis)


def uncompress(b: Any, x: Any, condition: Any, axis: Any = None) -> Any:
    """The adjoint of `np.compress(condition, x, axis)`."""
    if axis is None or np.ndim(x) == 0:
        return np.reshape(put_once(b, np.ravel(x), np.flatnonzero(condition), 0), np.shape(x))
    return put_once(b, x, np.flatnonzero(condition), axis)


def put_once(b: Any, x: Any, places: Any, axis: int) -> Any:
    """Zeros like x with b at some places along an axis, in their order: each is taken once, and none is added to."""
    taken = np.zeros(np.shape(x)[axis], bool)
    taken[places] = True
    return scatter(b, x, (slice(None),) * (axis % np.ndim(x)) + (taken,))


def trimmed(x: Any, i: tuple[slice, ...]) -> Any:
    """What some slices keep of an array or of a list of numbers."""
    return x[i] if isinstance(x, np.ndarray) else x[i[0]]


def trimmed_slices(x: Any, trim: str = "fb", axis: Any = None) -> tuple[slice, ...]:
    """What `np.trim_zeros(x, trim, axis)` keeps, as slices."""
    ndim = np.ndim(x)
    axes = range(ndim) if axis is None else [k % ndim for k in np.atleast_1d(axis)]
    places = np.nonzero(np.asarray(x))
    out = [slice(None)] * ndim
    for k in axes:
        empty = len(places[k]) == 0
        start = 0 if empty else int(np.min(places[k]))
        stop = 0 if empty else int(np.max(places[k])) + 1
        keep = slice(start if "f" in trim.lower() else None, stop if "b" in trim.lower() else None)
        out = [*out[:k], keep, *out[k + 1 :]]
    return tuple(out)


def unchoose(b: Any, a: Any, choices: Any, mode: str = "raise") -> Any:
    """The adjoint of choices in `np.choose(a, choices, mode)`."""
    n = len(choices)
    if mode == "wrap":
        a = np.asarray(a) % n
    elif mode == "clip":
        a = np.clip(a, 0, n - 1)
    parts = [unbroadcast(np.where(np.equal(a, k), b, 0.0), choices[k]) for k in range(n)]
    return sequence_like([restructure(part, choice) for part, choice in zip(parts, choices)], choices)


def unselect(b: Any, conditions: Any, choices: Any) -> Any:
    """The adjoint of choices in `np.select(conditions, choices)`: b where a condition is the first to hold."""
    first = np.select(conditions, list(range(len(conditions))), -1)
    return sequence_like([unbroadcast(np.where(first == k, b, 0.0), choices[k]) for k in range(len(choices))], choices)
