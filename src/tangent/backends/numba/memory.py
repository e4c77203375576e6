"""Where arrays lie in memory, and which of them share it."""

from __future__ import annotations

from typing import Any

from numpy.lib.stride_tricks import as_strided

from tangent.backends.numba.kinds import (
    implements,
    is_array,
    is_dict,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    jitable,
    written,
)
from tangent.errors import InPlaceError
from tangent.runtime import is_part

OVERLAP = (
    "an argument that is written in place shares its memory with another argument: the derivative works on copies\n"
    "Pass a copy of one of them."
)
SHARED = (
    "arrays of one tuple or list share memory and are written in place, which compiled derivatives do not follow\n"
    "Copy one of them, or leave compile='numba' out."
)


@jitable
def refuse_overlap(x: Any, other: Any) -> Any:
    """Arguments that share memory cannot be copied one by one."""
    if shares(x, other):
        raise InPlaceError(OVERLAP)


@jitable
def shares(x: Any, other: Any) -> Any:
    """Whether two arrays lie in the same memory, as far as their ends tell."""
    low, high = extent(x)
    start, end = extent(other)
    return x.size > 0 and other.size > 0 and low < end and start < high


@jitable
def extent(x: Any) -> Any:
    """The memory that an array lies in."""
    low = x.ctypes.data
    high = low + x.itemsize
    for i in range(x.ndim):
        reach = (x.shape[i] - 1) * x.strides[i]
        low += min(reach, 0)
        high += max(reach, 0)
    return low, high


@jitable
def refuse_reaching_out(x: Any, other: Any) -> Any:
    if x.size == 0 or other.size == 0:
        return
    low, high = extent(x)
    start, end = extent(other)
    if low < end and start < high and (start < low or high < end):
        raise InPlaceError("arrays that overlap in part are written in place, which compiled derivatives do not follow")


@jitable
def any_layout(x: Any) -> Any:
    """The same array, by a type that says nothing of how it is laid out."""
    return as_strided(x, x.shape, x.strides)


@jitable
def refuse_shared(x: Any, other: Any) -> Any:
    """Copies of arrays of one container would not share what these share."""
    if shares(x, other):
        raise InPlaceError(SHARED)


def require_apart(x: Any) -> None:
    """Refuse a container whose arrays share memory."""


@implements(require_apart)
def all_apart(x: Any) -> Any:
    if is_tuple(x):
        places = [i for i, t in enumerate(x.types) if is_array(t)]
        lines = [f"    refuse_shared(x[{i}], x[{j}])\n" for i in places for j in places if i < j]
        return written(f"def impl(x):\n{''.join(lines)}    return None\n", refuse_shared=refuse_shared)
    if is_list(x) and is_array(x.dtype):
        return neighbours_apart
    return lambda x: None


def neighbours_apart(x: Any) -> Any:
    refuse_overlaps([extent(v) for v in x if v.size > 0])


@jitable
def refuse_overlaps(ends: Any) -> Any:
    """Of the places where arrays of one container lie."""
    ends.sort()
    for i in range(len(ends) - 1):
        if ends[i][1] > ends[i + 1][0]:
            raise InPlaceError(SHARED)


@implements(is_part)
def part_of(b: Any, shade: Any) -> Any:
    """Whether an array, or each of several, shares memory with another, or with one of several."""
    if is_tuple(b) and all(is_array(t) for t in b.types):
        each = " and ".join(f"is_part(b[{i}], shade)" for i in range(len(b)))
        return written(f"def impl(b, shade):\n    return {each or True}\n", is_part=is_part)
    if is_list(b) and is_array(b.dtype):
        return lambda b, shade: sum([1 for part in b if is_part(part, shade)]) == len(b)
    if not is_array(b):
        return None
    if is_array(shade):
        return lambda b, shade: shares(b, shade)
    if is_list(shade) and is_array(shade.dtype):
        return lambda b, shade: sum([1 for s in shade if shares(b, s)]) > 0
    if is_dict(shade) and is_array(shade.value_type):
        return lambda b, shade: sum([1 for s in shade.values() if shares(b, s)]) > 0
    if is_tuple(shade) and all(_searched(t) for t in shade.types):
        known = [f"is_part(b, shade[{i}])" for i, t in enumerate(shade.types) if not _only_numbers(t)]
        return written(f"def impl(b, shade):\n    return {' or '.join(known) or 'False'}\n", is_part=is_part)
    return None


def _only_numbers(t: Any) -> bool:
    return is_number(t) or is_nothing(t) or (is_list(t) and is_number(t.dtype))


def _searched(t: Any) -> bool:
    """Whether `is_part` looks into it, for what it may hold."""
    if is_tuple(t):
        return all(_searched(part) for part in t.types)
    if is_list(t) or is_dict(t):
        return is_array(t.dtype if is_list(t) else t.value_type) or _only_numbers(t)
    return is_array(t) or _only_numbers(t)
