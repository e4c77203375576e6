"""Which part of a shadow belongs to a view, and what of a result's shadow goes back."""

from __future__ import annotations

from typing import Any

import numpy as np
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
    not_none,
    per_item,
    types,
    written,
)
from tangent.backends.numba.memory import extent, refuse_reaching_out, require_apart, shares
from tangent.errors import InPlaceError
from tangent.runtime import is_part, mirror, rest, returned_rest, shadow, unmirror

LOST_VIEW = (
    "cannot follow a view that is written in place: its memory is laid out in another way\nWrite into the array itself."
)


@implements(mirror)
def same_view(v: Any, base: Any, shade: Any) -> Any:
    """The view of a shadow that belongs to a view of what it shadows; a number is no view."""
    if is_number(v):
        return lambda v, base, shade: shadow(v)
    if is_tuple(v):
        return per_item(v, "v, base, shade", "mirror(v[{i}], base, shade)", mirror=mirror)
    if is_list(v) and is_array(v.dtype) and is_array(base):
        return lambda v, base, shade: [mirror(part, base, shade) for part in v]
    if isinstance(v, types.Optional):
        return lambda v, base, shade: mirror(not_none(v), base, shade)
    if not is_array(v):
        return None
    if is_array(base) and is_array(shade):
        return _in_array(v, base, shade)
    if is_list(base) and is_list(shade) and _alike(v, base.dtype, shade.dtype):
        return in_list
    if is_dict(base) and is_dict(shade) and _alike(v, base.value_type, shade.value_type):
        return in_dict
    if is_tuple(base) and is_tuple(shade) and len(base) == len(shade):
        return _in_tuple(v, base, shade)
    return None


def _alike(v: Any, x: Any, b: Any) -> bool:
    return all(isinstance(t, types.Array) for t in (v, x, b)) and v.dtype == x.dtype == b.dtype


def _in_array(v: Any, base: Any, shade: Any) -> Any:
    if not _alike(v, base, shade):
        return None

    def impl(v: Any, base: Any, shade: Any) -> Any:
        return part_of_shadow(v, base, shade) if shares(v, base) else unrelated(v)

    return impl if base.layout == "C" or base.ndim == 1 else None


def in_list(v: Any, base: Any, shade: Any) -> Any:
    for i in range(len(base)):
        if shares(v, base[i]):
            return part_of_shadow(v, base[i], shade[i])
    return unrelated(v)


def in_dict(v: Any, base: Any, shade: Any) -> Any:
    for k, x in base.items():
        if shares(v, x):
            return part_of_shadow(v, x, shade[k])
    return unrelated(v)


def _in_tuple(v: Any, base: Any, shade: Any) -> Any:
    text, last = "def impl(v, base, shade):\n", ""
    for i, (x, b) in enumerate(zip(base.types, shade.types)):
        if is_nothing(b) and is_array(x) and x.dtype == v.dtype:
            last += f"    refuse_reaching_out(v, base[{i}])\n"
            continue
        empty = is_tuple(x) and not len(x)
        by_key = is_dict(x) and is_dict(b) and _alike(v, x.value_type, b.value_type)
        if not (empty or is_number(x) or is_nothing(x) or by_key or _alike(v, x, b)):
            return None
        if by_key:
            text += f"    for k, x in base[{i}].items():\n        if shares(v, x):\n"
            text += f"            return part_of_shadow(v, x, shade[{i}][k])\n"
        if is_array(x):
            text += f"    if shares(v, base[{i}]):\n        return part_of_shadow(v, base[{i}], shade[{i}])\n"
    names = {"shares": shares, "part_of_shadow": part_of_shadow, "unrelated": unrelated}
    return written(text + last + "    return unrelated(v)\n", refuse_reaching_out=refuse_reaching_out, **names)


@jitable
def unrelated(v: Any) -> Any:
    """A new shadow, with the type of a view."""
    made = np.zeros_like(v)
    return as_strided(made, made.shape, made.strides)


def part_of_shadow(v: Any, x: Any, b: Any) -> Any:
    """What v, which shares memory with x, is of x's shadow."""
    raise NotImplementedError


@implements(part_of_shadow)
def as_part(v: Any, x: Any, b: Any) -> Any:
    if x.ndim == b.ndim == 1:
        return _of_vector(v.ndim)
    contiguous = b.layout == "C"
    same_rank = v.ndim == x.ndim

    def impl(v: Any, x: Any, b: Any) -> Any:
        if same_rank and v.ctypes.data == x.ctypes.data and v.shape == x.shape and v.strides == x.strides:
            return as_strided(b, b.shape, b.strides)
        low, high = extent(x)
        start, end = extent(v)
        if not contiguous or x.strides != b.strides or start < low or end > high:
            raise InPlaceError(LOST_VIEW)
        offset = (v.ctypes.data - x.ctypes.data) // x.itemsize
        return as_strided(b.ravel()[offset:], v.shape, v.strides)

    return impl


def _of_vector(rank: int) -> Any:
    """Places in an array of one axis are counted, whatever lies between its elements, and those of its shadow."""
    steps = "".join(f"moved(v.strides[{i}], v.shape[{i}], x, b), " for i in range(rank))
    text = [
        "def impl(v, x, b):",
        "    offset = v.ctypes.data - x.ctypes.data",
        "    if x.strides[0] == 0 or offset % x.strides[0] != 0:",
        "        raise InPlaceError(LOST_VIEW)",
        f"    return as_strided(b[offset // x.strides[0] :], v.shape, ({steps}))",
        "",
    ]
    names = {"moved": moved, "as_strided": as_strided, "InPlaceError": InPlaceError, "LOST_VIEW": LOST_VIEW}
    return written("\n".join(text), **names)


@jitable
def moved(step: int, length: int, x: Any, b: Any) -> Any:
    """A stride among the elements of x, among those of its shadow."""
    if length > 1 and step % x.strides[0] != 0:
        raise InPlaceError(LOST_VIEW)
    return step // x.strides[0] * b.strides[0]


@implements(unmirror)
def read_through(b: Any, v: Any, base: Any, shade: Any) -> Any:
    if not (is_array(v) and is_array(base) and is_array(shade)):
        return (lambda b, v, base, shade: shadow(shade)) if is_number(v) else None

    def impl(b: Any, v: Any, base: Any, shade: Any) -> Any:
        found = shadow(shade)
        part = mirror(v, base, found)
        part += b
        return found

    return impl


@implements(rest)
def handed_back(b: Any, shade: Any) -> Any:
    """Nothing, where the shadow of a result is part of that of an argument."""
    return lambda b, shade: returned_rest(b, b, shade)


@implements(returned_rest)
def nothing_of_a_part(v: Any, b: Any, shade: Any) -> Any:
    if is_number(b) or is_nothing(b):
        return lambda v, b, shade: v
    if is_array(b) and is_array(v):
        if is_tuple(shade) and not len(shade):
            return lambda v, b, shade: v
        return lambda v, b, shade: np.zeros_like(v) if is_part(b, shade) else v
    if is_list(b) and is_array(b.dtype):
        return of_list_items
    if is_tuple(b) and all(is_array(t) or is_number(t) or is_nothing(t) for t in b.types):
        return _of_items(b)
    return None


def of_list_items(v: Any, b: Any, shade: Any) -> Any:
    require_apart([part for part in b if not is_part(part, shade)])
    return [returned_rest(v[i], b[i], shade) for i in range(len(b))]


def _of_items(b: Any) -> Any:
    """Of each item; those that share memory and would both go back are refused."""
    items = "".join(f"returned_rest(v[{i}], b[{i}], shade), " for i in range(len(b)))
    arrays = [i for i, t in enumerate(b.types) if is_array(t)]
    text = "def impl(v, b, shade):\n"
    for i in arrays:
        for j in arrays[: arrays.index(i)]:
            text += f"    if shares(b[{i}], b[{j}]) and not is_part(b[{i}], shade):\n        require_apart(b)\n"
    names = {"returned_rest": returned_rest, "shares": shares, "is_part": is_part, "require_apart": require_apart}
    return written(f"{text}    return ({items})\n", **names)
