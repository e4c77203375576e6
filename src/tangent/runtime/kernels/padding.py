"""Kernels of padding: `np.pad` read backward, axis by axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import unbroadcast
from tangent.runtime.kernels.index import scatter


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
    raise UnsupportedError(f"np.pad(mode={mode!r}) has no derivative rule: pad with one of the linear modes")


def unpad(
    b: Any, x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    """The adjoint of x in `np.pad(x, pad_width, mode)`, axis by axis as NumPy pads."""
    widths = pad_widths(x, pad_width)
    lengths = [None] * np.ndim(x) if stat_length is None else np.broadcast_to(stat_length, (np.ndim(x), 2))
    if mode == "constant":
        return b[interior(x, widths)]
    for axis in reversed(range(np.ndim(x))):
        if widths[axis] != (0, 0):
            b = unpad_axis(b, np.shape(x)[axis], axis, widths[axis], mode, lengths[axis], reflect_type)
    return b


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
    lengths = None if stat_length is None else [tuple(stat_length), (1, 1)]
    matrix = pad_zero_ended(
        np.eye(n, dtype=np.result_type(b)), [width, (0, 0)], mode=mode, stat_length=lengths, reflect_type=reflect_type
    )
    return np.moveaxis(np.tensordot(matrix, b, ((0,), (axis,))), 0, axis)


def pad_value_sums(b: Any, x: Any, pad_width: Any, values: Any) -> Any:
    """The adjoint of constant_values in `np.pad`: the sums over the two pads of each axis."""
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
