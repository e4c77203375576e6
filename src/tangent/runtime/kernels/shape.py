"""Kernels of the linear rules: transposes of joins, repetitions, diagonals and padding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import init_grad
from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.index import scatter, untake
from tangent.runtime.kernels.reduce import as_dtype

# Axes and orders


def inverse_axes(axes: Any) -> Any:
    """The axes that undo `np.transpose(x, axes)`."""
    if axes is None:
        return None
    return tuple([int(i) for i in np.argsort([axis % len(axes) for axis in axes])])


def rolled_axis(ndim: int, axis: int, start: int) -> int:
    """Where `np.rollaxis` puts an axis."""
    axis, start = axis % ndim, start + ndim if start < 0 else start
    return start - 1 if axis < start else start


def layout(x: Any, order: str) -> Literal["C", "F"]:
    """The order "A" said in terms of "C" and "F", which do not depend on memory."""
    flags = np.asarray(x).flags
    turned = flags.f_contiguous and not flags.c_contiguous
    return "F" if order == "F" or (order != "C" and turned) else "C"


def ravelled(t: Any, x: Any, order: str) -> Any:
    """t, which has the shape of x, with its elements in the order in which `np.ravel(x, order)` has those of x."""
    if order == "K":
        return np.reshape(np.transpose(t, memory_axes(x)), -1)
    return np.reshape(t, -1, order=layout(x, order))


def unravelled(b: Any, x: Any, order: str) -> Any:
    """The inverse of `ravelled`."""
    if order != "K":
        return np.reshape(b, np.shape(x), order=layout(x, order))
    axes = memory_axes(x)
    return np.transpose(np.reshape(b, [np.shape(x)[i] for i in axes]), inverse_axes(axes))


def seen_as(t: Any, x: Any, like: Any) -> Any:
    """A change of x as `x.view(dtype)` shows it, which is `like`: complex numbers as pairs, or pairs as these.

    >>> seen_as(np.array([1j]), np.array([2j]), np.zeros(2))
    array([0., 1.])
    """
    if x.dtype == like.dtype:
        return t
    _require_same_numbers(x, like)
    if isinstance(t, np.ndarray) and t.dtype == x.dtype and t.shape == x.shape and t.strides == x.strides:
        return t.view(like.dtype)
    found = np.ascontiguousarray(np.broadcast_to(t, np.shape(x)), x.dtype).view(like.dtype)
    found.flags.writeable = False  # nobody would see it in t
    return found


def seen_back(b: Any, x: Any, like: Any) -> Any:
    """The adjoint of `seen_as`; that of an imaginary part is negative.

    >>> seen_back(np.array([0.0, 1.0]), np.array([2j]), np.zeros(2))
    array([0.-1.j])
    """
    if x.dtype == like.dtype:
        return b
    _require_same_numbers(x, like)
    b = b.real if like.dtype.kind == "f" else np.conj(b)
    found = np.ascontiguousarray(np.broadcast_to(b, np.shape(like)), like.dtype).view(x.dtype)
    return np.conj(found) if x.dtype.kind == "c" else found


def _require_same_numbers(x: Any, like: Any) -> None:
    if x.dtype.kind not in "fc" or like.dtype.kind not in "fc" or x.real.dtype != like.real.dtype:
        raise UnsupportedError(
            f"cannot differentiate a view of {x.dtype} as {like.dtype}",
            why="it shows the bits of the numbers, not the numbers", todo="Convert them: x.astype(dtype).",
        )  # fmt: skip


def memory_axes(x: Any) -> list[int]:
    """The axes of x in NumPy's order "K": from the longest step in memory to the shortest, by insertion from behind."""
    steps = [abs(step) if n > 1 else 0 for step, n in zip(np.asarray(x).strides, np.shape(x))]
    axes: list[int] = []
    for i in reversed(range(np.ndim(x))):
        place = len(axes)
        for k in reversed(range(len(axes))):
            if steps[i] and steps[axes[k]]:
                if steps[axes[k]] <= steps[i]:
                    break
                place = k
        axes.insert(place, i)
    return axes[::-1]


# Structure


def sequence_like(parts: list[Any], x: Any) -> Any:
    """Parts as a list, tuple or array, whichever x is."""
    if isinstance(x, list):
        return parts
    if isinstance(x, tuple):
        return tuple(parts)
    return np.stack(parts) if parts else np.zeros(np.shape(x))


def like(b: Any, x: Any) -> Any:
    """b, which has as many elements as x, in the shape and dtype of x, or in lists like those of x."""
    if isinstance(x, (list, tuple)):
        return restructure(np.reshape(b, np.shape(x)), x)
    return unbroadcast(b if np.shape(b) == np.shape(x) else np.reshape(b, np.shape(x)), x)


def given_array(x: Any) -> Any:
    """`np.asarray(x)`, and None where an operand is not given."""
    return None if x is None else np.asarray(x)


def restructure(b: Any, x: Any, dtype: Any = None) -> Any:
    """The adjoint of `np.array(x, dtype)`, with the structure of x: an array, or nested lists and tuples."""
    if not isinstance(x, (list, tuple)):
        return like(uncast(b, dtype), x)
    levels = max(1, depth(x))
    if np.ndim(b) != levels:
        b = np.reshape(b, np.shape(b)[np.ndim(b) - levels :])
    return restructured(b, x, dtype)


def depth(x: Any) -> int:
    """How many axes nested lists and tuples make: `np.ndim`, without the array."""
    if not isinstance(x, (list, tuple)):
        return np.ndim(x)
    return 1 + (depth(x[0]) if x else 0)


def restructured(b: Any, x: Any, dtype: Any = None) -> Any:
    """`restructure` for a b with as many axes as x has levels."""
    if isinstance(x, (list, tuple)):
        return sequence_like([restructured(part, v, dtype) for part, v in zip(b, x)], x)
    if dtype is None and isinstance(b, float) and isinstance(x, float):
        return b
    return like(uncast(b, dtype), x)


def uncast(b: Any, dtype: Any = None) -> Any:
    """The adjoint of a cast to dtype: b, but zero if the cast is to integers."""
    return b if dtype is None or np.dtype(dtype).kind in "fcO" else np.zeros_like(b)


def past_cut(b: Any, x: Any, v: Any) -> Any:
    """What flows to v, or from it, where it is put into an array of the dtype of x: nothing if integers are left of it.

    >>> past_cut(2.0, np.array([1.0, 2.0]), 0.3), past_cut(2.0, np.array([1, 2]), 0.3)
    (2.0, array(0.))
    """
    return np.zeros_like(b) if np.asarray(x).dtype.kind in "iub" and np.asarray(v).dtype.kind in "fc" else b


def off_mesh(b: Any, xs: Any) -> Any:
    """The adjoints of the vectors that `np.ix_` has given axes of their own; masks have none."""
    return tuple([
        restructure(np.reshape(b[i], np.shape(xs[i])), xs[i]) if np.size(b[i]) == np.size(xs[i]) else init_grad(xs[i])
        for i in range(len(xs))
    ])  # fmt: skip


def on_mesh(t: Any, ys: Any) -> Any:
    """The tangents of the vectors of `np.ix_`, in the shapes of its results."""
    return tuple([
        np.reshape(t[i], np.shape(ys[i])) if np.size(t[i]) == np.size(ys[i]) else init_grad(ys[i])
        for i in range(len(ys))
    ])  # fmt: skip


def unbroadcast_each(b: Any, xs: Any) -> Any:
    """The adjoints of arrays that were broadcast together."""
    return tuple([unbroadcast(b[i], xs[i]) for i in range(len(xs))])


def broadcast_each(b: Any, xs: Any) -> Any:
    """Each b broadcast to the shape of its x."""
    return tuple([np.broadcast_to(b[i], np.shape(xs[i])) for i in range(len(xs))])


def sum_grids(b: Any, xs: Any, indexing: str = "xy") -> Any:
    """The adjoint of `np.meshgrid(*xs)`: each grid summed over the axes along which it is constant."""
    n = len(xs)
    place = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    return tuple([like(np.sum(b[i], axis=others(place[i], n)), xs[i]) for i in range(n)])


def spread_grids(xs: Any, grids: Any, indexing: str = "xy") -> Any:
    """`np.meshgrid(*xs)`, sparse if the grids are."""
    n = len(xs)
    place = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    lines = [np.expand_dims(np.ravel(xs[i]), others(place[i], n)) for i in range(n)]
    return tuple([np.broadcast_to(lines[i], np.shape(grids[i])) for i in range(n)])


def others(axis: int, ndim: int) -> tuple[int, ...]:
    """All axes but one."""
    return tuple([i for i in range(ndim) if i != axis])


# Joins


def split_like(b: Any, xs: Any, axis: Any = 0) -> Any:
    """The adjoint of a join along an axis: b cut into pieces. An operand of lower rank is one slice of it."""
    if axis is None:
        ends = np.cumsum([np.size(x) for x in xs])
        return sequence_like([like(b[ends[i] - np.size(xs[i]) : ends[i]], xs[i]) for i in range(len(xs))], xs)
    ends = np.cumsum([np.shape(x)[axis] if np.ndim(x) == np.ndim(b) else 1 for x in xs])
    parts = np.split(b, ends[:-1], axis=axis)
    return sequence_like([like(parts[i], xs[i]) for i in range(len(xs))], xs)


def join_like(parts: Any, x: Any, axis: Any = 0) -> Any:
    """Parts joined along an axis to an array like x: the transpose of `split_like`."""
    if axis is None:
        return np.concatenate([np.ravel(part) for part in parts])
    return np.concatenate([raised(part, x, axis) for part in parts], axis=axis)


def rejoined(parts: Any, x: Any, indices: Any, axis: int = 0) -> Any:
    """The adjoint of a split: the pieces joined, or added where they overlap."""
    joined = np.concatenate(parts, axis=axis)
    if np.shape(joined) == np.shape(x):
        return joined
    ends = [0, *indices, np.shape(x)[axis]]
    before = (slice(None),) * (axis % np.ndim(x))
    pieces = [scatter(b, x, (*before, slice(i, j))) for b, i, j in zip(parts, ends, ends[1:])]
    return np.sum(pieces, axis=0)


def sum_windows(b: Any, x: Any, window_shape: Any, axis: Any = None) -> Any:
    """The adjoint of `sliding_window_view(x, window_shape, axis)`: each element in all windows that it is in."""
    axes = range(np.ndim(x)) if axis is None else np.atleast_1d(axis)
    counts, out = np.shape(b)[: np.ndim(x)], np.zeros(np.shape(x), np.asarray(b).dtype)
    for offset in np.ndindex(*np.atleast_1d(window_shape)):
        starts = [sum(o for a, o in zip(axes, offset, strict=True) if a % out.ndim == k) for k in range(out.ndim)]
        out[tuple(slice(s, s + n) for s, n in zip(starts, counts, strict=True))] += b[(..., *offset)]
    return out


def with_axes(x: Any, rank: int, place: int) -> Any:
    """An array of at least that rank; its own axes begin at `place` among them, as `np.r_` says it."""
    missing = rank - np.ndim(x)
    if missing <= 0:
        return np.asarray(x)
    first = place if place >= 0 else place + missing + 1
    axes = range(rank)
    order = (*axes[:first], *axes[missing:], *axes[first:missing])
    return np.transpose(np.array(x, ndmin=rank), order)


def raised(part: Any, x: Any, axis: int) -> Any:
    """One part of a join: itself, or the slice of x that it fills if it is of lower rank."""
    shape = np.shape(x)
    return part if np.ndim(part) == len(shape) else np.reshape(part, (*shape[:axis], 1, *shape[axis + 1 :]))


def hsplit_like(b: Any, xs: Any) -> Any:
    """The adjoint of `np.hstack(xs)`."""
    return split_like(b, xs, axis=0 if np.ndim(b) == 1 else 1)


def unstack_like(b: Any, xs: Any, axis: int = 0) -> Any:
    """The adjoint of `np.stack(xs, axis)`."""
    slices = np.moveaxis(b, axis, 0)
    return sequence_like([like(slices[i], xs[i]) for i in range(len(xs))], xs)


def stacked_like(b: Any, x: Any, axis: int = 0) -> Any:
    """The adjoint of `np.unstack(x, axis)`."""
    return np.stack(b, axis=axis) if len(b) > 0 else init_grad(x)


def unblock(b: Any, blocks: Any) -> Any:
    """The adjoint of `np.block(blocks)`, in nested lists like blocks."""
    if not isinstance(blocks, list):
        return like(b, blocks)
    axis = -nesting(blocks)
    ends = np.cumsum([block_length(block, axis) for block in blocks])
    parts = np.split(b, ends[:-1], axis=axis)
    return [unblock(parts[i], blocks[i]) for i in range(len(blocks))]


def nesting(blocks: Any) -> int:
    """How deep lists are nested."""
    return 1 + nesting(blocks[0]) if isinstance(blocks, list) else 0


def block_length(block: Any, axis: int) -> int:
    """The length along a negative axis of what `np.block` makes of a block."""
    if not isinstance(block, list):
        return int(np.shape(block)[axis]) if np.ndim(block) >= -axis else 1
    if nesting(block) == -axis:
        return sum([block_length(part, axis) for part in block])
    return block_length(block[0], axis)


def unappended(b: Any, x: Any, axis: Any = None) -> Any:
    """The adjoint of x in `np.append(x, values, axis)`."""
    if axis is None:
        return like(b[: np.size(x)], x)
    return unbroadcast(np.take(b, np.arange(np.shape(x)[axis]), axis=axis), x)


def appended(b: Any, x: Any, values: Any, axis: Any = None) -> Any:
    """The adjoint of values in `np.append(x, values, axis)`."""
    if axis is None:
        return like(b[np.size(x) :], values)
    return unbroadcast(np.take(b, np.arange(np.shape(x)[axis], np.shape(b)[axis]), axis=axis), values)


def insertion(b: Any, x: Any, obj: Any, axis: Any) -> Any:
    """What `np.insert` put where along an axis: k for slice k of x, -1 - j for slice j of the values."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    return np.insert(np.arange(n), obj, -1 - np.arange(np.shape(b)[axis or 0] - n))


def uninserted(b: Any, x: Any, obj: Any, axis: Any = None) -> Any:
    """The adjoint of x in `np.insert(x, obj, values, axis)`."""
    return like(np.compress(insertion(b, x, obj, axis) >= 0, b, axis=axis or 0), x)


def inserted(b: Any, x: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """The adjoint of values in `np.insert(x, obj, values, axis)`."""
    b = past_cut(b, x, values)
    labels = insertion(b, x, obj, axis)
    part = np.take(b, np.argsort(-labels)[np.sum(labels >= 0) :], axis=axis or 0)
    whole_slices = np.ndim(obj) > 0 or isinstance(obj, slice)
    return unbroadcast(part if whole_slices else np.moveaxis(part, axis or 0, 0), values)


# Repetition


def sum_tiles(b: Any, x: Any, reps: Any) -> Any:
    """The adjoint of `np.tile(x, reps)`: the sum of the tiles."""
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    n = max(len(counts), np.ndim(x))
    counts = (1,) * (n - len(counts)) + counts
    sizes = (1,) * (n - np.ndim(x)) + np.shape(x)
    tiles = np.reshape(b, tuple([length for pair in zip(counts, sizes) for length in pair]))
    return np.reshape(np.sum(tiles, axis=tuple(range(0, 2 * n, 2))), np.shape(x))[()]


def sum_repeats(b: Any, x: Any, repeats: Any, axis: Any = None) -> Any:
    """The adjoint of `np.repeat(x, repeats, axis)`: the sum of the repetitions."""
    if axis is None or np.ndim(x) == 0:
        return np.reshape(sum_repeats(b, np.ravel(x), repeats, 0), np.shape(x))[()]
    shape, axis = np.shape(x), axis % np.ndim(x)
    if np.size(repeats) == 1:
        runs = (*shape[: axis + 1], int(np.ravel(repeats)[0]), *shape[axis + 1 :])
        return np.sum(np.reshape(b, runs), axis=axis + 1)
    return untake(b, x, np.repeat(np.arange(shape[axis]), repeats), axis=axis)


def sum_cycles(b: Any, x: Any) -> Any:
    """The adjoint of `np.resize(x, shape)`, which repeats x until the shape is full."""
    if np.size(x) == 0 or np.size(b) == 0:
        return init_grad(x)
    return untake(b, x, np.reshape(np.arange(np.size(b)) % np.size(x), np.shape(b)))


# Diagonals


def undiag(b: Any, x: Any, k: int = 0) -> Any:
    """The adjoint of `np.diag(x, k)`."""
    return np.diagonal(b, k) if np.ndim(x) == 1 else on_diagonal(b, x, k)


def on_diagonal(b: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The adjoint of `np.diagonal(x, offset, axis1, axis2)`: zeros like x with b on the diagonal."""
    out = np.zeros(np.shape(x), np.asarray(b).dtype)
    below, right = max(-offset, 0), max(offset, 0)
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    k = np.arange(min(np.shape(x)[axis1] - below, np.shape(x)[axis2] - right))
    matrices[..., k + below, k + right] = b
    return out


def along_diagonal(b: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The adjoint of `np.trace(x, offset, axis1, axis2)`: zeros like x with b all along the diagonal."""
    return on_diagonal(np.expand_dims(as_dtype(b, x), -1), x, offset, axis1, axis2)
