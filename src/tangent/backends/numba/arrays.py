"""Functions of arrays that Numba lacks, and the kernels of their rules: tiles, pads, pieces, grids."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_list,
    is_number,
    is_tuple,
    jitable,
    rank,
    types,
    value_of,
    written,
)
from tangent.runtime import (
    across,
    along,
    pad_tangent,
    rejoined,
    sinc_derivative,
    steps,
    sum_tiles,
    unpad,
)

PIECES = "pieces that overlap have no compiled derivative\nTake slices instead of np.split."


@implements(np.heaviside)
def step(x1: Any, x2: Any) -> Any:
    if is_number(x1) and is_number(x2):
        return lambda x1, x2: math.nan if x1 != x1 else 1.0 if x1 > 0 else 0.0 if x1 < 0 else x2
    return lambda x1, x2: np.where(x1 > 0, 1.0, np.where(x1 == 0, x2, np.where(x1 < 0, 0.0, x1)))


@implements(np.diagonal)
def on_the_diagonal(a: Any, offset: Any = 0) -> Any:
    return (lambda a, offset=0: np.diag(a, offset)) if is_array(a) and rank(a) == 2 else None


@implements(np.flip)
def turned_round(m: Any, axis: Any) -> Any:
    """Along one axis that is known."""
    along = value_of(axis, default=None)
    if not is_array(m) or not isinstance(along, int):
        return None
    index = ", ".join("::-1" if k == along % rank(m) else ":" for k in range(rank(m)))
    return written(f"def impl(m, axis):\n    return m[{index}]\n")


@implements(np.squeeze)
def without_axis(a: Any, axis: Any = None) -> Any:
    """By axes that are known; without them the rank of the result is not."""
    given = value_of(axis, default=None)
    axes = (given,) if isinstance(given, int) else given
    if not is_array(a) or not isinstance(axes, tuple) or not all(isinstance(k, int) for k in axes):
        return None
    gone = {k % rank(a) for k in axes}
    index = ", ".join("0" if k in gone else ":" for k in range(rank(a)))
    lines = [f"    if a.shape[{k}] != 1:\n        raise ValueError('an axis is longer than 1')\n" for k in gone]
    return written(f"def impl(a, axis=None):\n{''.join(lines)}    return a[{index}]\n")


# Tiles


def counts_of(reps: Any) -> list[str]:
    """How often an array is repeated along each axis, as text."""
    return [f"reps[{i}]" for i in range(len(reps))] if is_tuple(reps) else ["reps"]


@implements(np.tile)
def tiled(A: Any, reps: Any) -> Any:
    if not is_array(A) or not (is_tuple(reps) or is_number(reps)):
        return None
    return written(tiles(rank(A), counts_of(reps), "A, reps", "A", "out[{big}] = A[{small}]", False), np=np)


@implements(sum_tiles)
def added(b: Any, x: Any, reps: Any) -> Any:
    if not is_array(x) or not (is_tuple(reps) or is_number(reps)):
        return None
    return written(tiles(rank(x), counts_of(reps), "b, x, reps", "x", "out[{small}] += b[{big}]", True), np=np)


def tiles(n: int, counts: list[str], parameters: str, x: str, step: str, back: bool) -> str:
    """A function that goes over all tiles of an array of rank n."""
    total = max(n, len(counts))
    counts = ["1"] * (total - len(counts)) + counts
    sizes = ["1"] * (total - n) + [f"{x}.shape[{k}]" for k in range(n)]
    shape = "".join(f"{c} * {s}, " for c, s in zip(counts, sizes))
    made = f"np.zeros({x}.shape, b.dtype)" if back else f"np.empty(({shape}), {x}.dtype)"
    lines = [f"def impl({parameters}):", f"    out = {made}"]
    lines += ["    " * (k + 1) + f"for i{k} in range({counts[k]} * {sizes[k]}):" for k in range(total)]
    big = ", ".join(f"i{k}" for k in range(total))
    small = ", ".join(f"i{k} % {sizes[k]}" for k in range(total - n, total))
    return "\n".join([*lines, "    " * (total + 1) + step.format(big=big, small=small), "    return out", ""])


# Pads


def widths_of(pad_width: Any, n: int) -> list[tuple[str, str]] | None:
    """The widths before and after, by axis, as text."""
    if is_number(pad_width):
        return [("pad_width", "pad_width")] * n
    if not is_tuple(pad_width):
        return None
    if len(pad_width) == 2 and all(is_number(t) for t in pad_width.types):
        return [("pad_width[0]", "pad_width[1]")] * n
    if len(pad_width) == n and all(is_tuple(t) and len(t) == 2 for t in pad_width.types):
        return [(f"pad_width[{k}][0]", f"pad_width[{k}][1]") for k in range(n)]
    return None


def inside(widths: list[tuple[str, str]], x: str) -> str:
    return ", ".join(f"{before}:{before} + {x}.shape[{k}]" for k, (before, _) in enumerate(widths))


@implements(np.pad)
def padded(array: Any, pad_width: Any, mode: Any = "constant") -> Any:
    widths = widths_of(pad_width, rank(array)) if is_array(array) else None
    if widths is None or value_of(mode) != "constant":
        return None
    shape = "".join(f"{p} + array.shape[{k}] + {q}, " for k, (p, q) in enumerate(widths))
    text = f"""def impl(array, pad_width, mode="constant"):
    out = np.zeros(({shape}), array.dtype)
    out[{inside(widths, "array")}] = array
    return out
"""
    return written(text, np=np)


@implements(pad_tangent)
def padded_alike(
    t: Any, x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    if value_of(mode) != "constant":
        return None
    return lambda t, x, pad_width, mode="constant", stat_length=None, reflect_type="even": np.pad(t, pad_width)


@implements(unpad)
def without_pad(
    b: Any, x: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, reflect_type: Any = "even"
) -> Any:
    widths = widths_of(pad_width, rank(x)) if is_array(x) else None
    if widths is None or value_of(mode) != "constant":
        return None
    head = "def impl(b, x, pad_width, mode='constant', stat_length=None, reflect_type='even'):\n"
    return written(f"{head}    return b[{inside(widths, 'x')}].copy()\n")


# Pieces and grids


@implements(rejoined)
def joined(parts: Any, x: Any, indices: Any, axis: Any = 0) -> Any:
    if not (is_list(parts) and is_array(parts.dtype) and is_array(x)) or value_of(axis, default=...) != 0:
        return None

    def impl(parts: Any, x: Any, indices: Any, axis: Any = 0) -> Any:
        out = np.zeros(x.shape, x.dtype)
        if sum([len(part) for part in parts]) != len(x):
            raise ValueError(PIECES)
        start = 0
        for part in parts:
            out[start : start + len(part)] = part
            start += len(part)
        return out

    return impl


@implements(steps)
def places(num: Any, endpoint: Any = True) -> Any:
    return lambda num, endpoint=True: np.arange(num) / max(num - 1 if endpoint else num, 1)


@implements(along)
def weighed(b: Any, t: Any, axis: Any = 0) -> Any:
    return (lambda b, t, axis=0: (b * t).sum()) if is_array(b) and rank(b) == 1 else None


@implements(across)
def weights_of(x: Any, t: Any, y: Any, axis: Any = 0) -> Any:
    return (lambda x, t, y, axis=0: x * t) if is_number(x) and rank(y) == 1 else None


# The derivatives of np.sinc


@implements(sinc_derivative, prefer_literal=True)
def of_sinc(x: Any, n: Any) -> Any:
    order = value_of(n, default=None)
    kind = gradient_type(x)
    if not isinstance(order, int) or isinstance(kind, types.Complex):
        return None
    one = _one_of_sinc(order)
    if is_number(x):
        return lambda x, n: kind(one(x))

    def impl(x: Any, n: Any) -> Any:
        out = np.empty(x.shape, kind)
        for i, v in np.ndenumerate(x):
            out[i] = one(v)
        return out

    return impl


def _one_of_sinc(order: int) -> Any:
    """Of one number: by its series near 0, by its recurrence elsewhere."""
    first = (order + 1) // 2
    slopes = tuple(
        (-1.0) ** k * math.perm(2 * k, order) / math.factorial(2 * k + 1) for k in range(first, first + 14 + 2 * order)
    )
    lowest, scale, bound = 2 * first - order, math.pi**order, order + 1.5

    @jitable
    def one(x: Any) -> Any:
        t = x * math.pi
        if abs(t) < bound:
            total = 0.0
            for i in range(len(slopes) - 1, -1, -1):
                total = total * t * t + slopes[i]
            return scale * total * t**lowest
        f = math.sin(t) / t
        for k in range(1, order + 1):
            f = (math.sin(t + k * math.pi / 2) - k * f) / t
        return scale * f

    return one
