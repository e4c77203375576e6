"""Kernels of padding: `np.pad` read backward, axis by axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.index import scatter
from tangent.runtime.kernels.order import quantile_weights
from tangent.runtime.kernels.reduce import winners
from tangent.runtime.kernels.shape import past_cut


def pad_widths(x: Any, pad_width: Any) -> list[tuple[int, int]]:
    """The widths before and after, for each axis."""
    if isinstance(pad_width, dict):
        widths: Any = [(0, 0)] * np.ndim(x)
        for axis, width in pad_width.items():
            pair = tuple(int(w) for w in np.broadcast_to(width, 2))
            widths = [*widths[: axis % np.ndim(x)], pair, *widths[axis % np.ndim(x) + 1 :]]
        return list(widths)
    return [(int(before), int(after)) for before, after in np.broadcast_to(pad_width, (np.ndim(x), 2))]


def pad_zero_ended(
    x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    """The part of `np.pad` that is linear in x: constants and ends of ramps are zero."""
    if mode == "mean":
        return np.pad(x, pad_width, mode=mode, stat_length=stat_length)
    if mode == "reflect" or mode == "symmetric":
        return np.pad(x, pad_width, mode=mode, reflect_type=reflect_type)
    if mode in ("constant", "edge", "wrap", "linear_ramp"):
        return np.pad(x, pad_width, mode=mode)
    raise refused_mode(mode)


def refused_mode(mode: Any) -> UnsupportedError:
    """The error for a mode that is a function."""
    return UnsupportedError(
        f"cannot differentiate 'np.pad' with mode={mode!r}",
        why="a function that fills arrays in place has no rule",
        todo="Name one of NumPy's modes, or join the parts with np.concatenate.",
    )


def pad_tangent(
    t: Any, x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    """The tangent of `np.pad(x, pad_width, mode)` for the tangent t of x."""
    if mode == "empty":
        return np.pad(t, pad_width)
    if mode not in STATISTICS:
        return pad_zero_ended(t, pad_width, mode=mode, stat_length=stat_length, reflect_type=reflect_type)
    widths = pad_widths(x, pad_width)
    for axis in range(np.ndim(x)):
        head, tail = statistic_weights(x, widths, axis, mode, stat_length)
        before, after = widths[axis]
        first = np.repeat(np.sum(head * t, axis=axis, keepdims=True), before, axis=axis)
        last = np.repeat(np.sum(tail * t, axis=axis, keepdims=True), after, axis=axis)
        t = np.concatenate([first, t, last], axis=axis)
    return t


def unpad(
    b: Any, x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    """The adjoint of x in `np.pad(x, pad_width, mode)`, axis by axis as NumPy pads."""
    widths = pad_widths(x, pad_width)
    if mode == "constant" or mode == "empty":
        return b[interior(x, widths)]
    if mode in STATISTICS:
        return unpad_statistics(b, x, widths, mode, stat_length)
    lengths = [None] * np.ndim(x) if stat_length is None else np.broadcast_to(stat_length, (np.ndim(x), 2))
    for axis in reversed(range(np.ndim(x))):
        if widths[axis] != (0, 0):
            b = unpad_axis(b, np.shape(x)[axis], axis, widths[axis], mode, lengths[axis], reflect_type)
    return b


# Modes that repeat an extreme or the median of the first and of the last elements, which have constant weights in it.

STATISTICS = ("maximum", "minimum", "median")


def unpad_statistics(b: Any, x: Any, widths: list[tuple[int, int]], mode: str, stat_length: Any) -> Any:
    """The adjoint of x in `np.pad` with one of these modes."""
    for axis in reversed(range(np.ndim(x))):
        head, tail = statistic_weights(x, widths, axis, mode, stat_length)
        n, before = np.shape(x)[axis], widths[axis][0]
        first, middle, last = np.split(b, [before, before + n], axis=axis)
        b = middle + head * np.sum(first, axis=axis, keepdims=True) + tail * np.sum(last, axis=axis, keepdims=True)
    return b


def statistic_weights(x: Any, widths: list[tuple[int, int]], axis: int, mode: str, stat_length: Any) -> tuple[Any, Any]:
    """The weights of elements in what is put before and behind an axis, the axes before it being padded already."""
    done = [width if k < axis else (0, 0) for k, width in enumerate(widths)]
    padded = np.pad(x, done, mode=mode, stat_length=stat_length)  # type: ignore[call-overload]
    n = np.shape(x)[axis]
    lengths = (n, n) if stat_length is None else np.broadcast_to(stat_length, (np.ndim(x), 2))[axis]
    place = np.reshape(np.arange(n), (-1,) + (1,) * (np.ndim(x) - axis - 1))
    return _weights_in(padded, place < lengths[0], axis, mode), _weights_in(padded, place >= n - lengths[1], axis, mode)


def _weights_in(x: Any, inside: Any, axis: int, mode: str) -> Any:
    """The weights of elements in the extreme or the median of those inside."""
    part = np.compress(np.ravel(inside), x, axis=axis)
    if mode == "median":
        weights = quantile_weights(part, 0.5, axis)
    else:
        ends = np.max(part, axis=axis) if mode == "maximum" else np.min(part, axis=axis)
        weights = winners(ends, part, axis)
    return np.moveaxis(scatter(np.moveaxis(weights, axis, 0), np.moveaxis(x, axis, 0), np.ravel(inside)), 0, axis)


def interior(x: Any, widths: list[tuple[int, int]]) -> tuple[slice, ...]:
    """Where x lies in the padded array."""
    return tuple([slice(widths[k][0], widths[k][0] + np.shape(x)[k]) for k in range(np.ndim(x))])


def unpad_axis(
    b: Any, n: int, axis: int, width: tuple[int, int], mode: Any, stat_length: Any, reflect_type: Any
) -> Any:
    """The adjoint of padding one axis of length n: by index where elements are copied, else by the matrix."""
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and reflect_type == "even"):
        source = np.pad(np.arange(n), width, mode=mode)
        return np.moveaxis(scatter(np.moveaxis(b, axis, 0), np.moveaxis(b, axis, 0)[:n], source), 0, axis)
    if callable(mode):
        raise refused_mode(mode)
    lengths = None if stat_length is None else [tuple(stat_length), (1, 1)]
    matrix = pad_zero_ended(
        np.eye(n, dtype=np.result_type(b)), [width, (0, 0)], mode=mode, stat_length=lengths, reflect_type=reflect_type
    )
    return np.moveaxis(np.tensordot(matrix, b, ((0,), (axis,))), 0, axis)


def pad_value_sums(b: Any, x: Any, pad_width: Any, values: Any) -> Any:
    """The adjoint of constant_values in `np.pad`: the sums over the two pads of each axis."""
    b = past_cut(b, x, values)
    widths = pad_widths(x, pad_width)
    sums: list[Any] = []
    for axis in reversed(range(np.ndim(x))):
        rows = np.moveaxis(b, axis, 0)
        before = widths[axis][0]
        n = np.shape(x)[axis]
        sums = [np.stack([np.sum(rows[:before]), np.sum(rows[before + n :])]), *sums]
        b = np.moveaxis(rows[before : before + n], 0, axis)
    return unbroadcast(np.stack(sums), values)


def ramp_end_sums(b: Any, x: Any, pad_width: Any, values: Any) -> Any:
    """The adjoint of end_values in `np.pad(mode="linear_ramp")`: the sums over the two ramps of each axis, weighted."""
    b = past_cut(b, x, values)
    widths = pad_widths(x, pad_width)
    sums: list[Any] = []
    for axis in reversed(range(np.ndim(x))):
        rows = np.moveaxis(b, axis, 0)
        before, after = widths[axis]
        n = np.shape(x)[axis]
        rising, falling = ramp(before)[::-1], ramp(after)
        ends = [np.sum(np.tensordot(rising, rows[:before], 1)), np.sum(np.tensordot(falling, rows[before + n :], 1))]
        sums = [np.stack(ends), *sums]
        b = unpad_axis(b, n, axis, widths[axis], "linear_ramp", None, "even")
    return unbroadcast(np.stack(sums), values)


def ramp(width: int) -> Any:
    """The weights of the end value in a ramp, from beside the edge to the end."""
    return np.arange(1, width + 1) / max(width, 1)
