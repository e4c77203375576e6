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
from tangent.backends.numba.memory import (
    any_layout,
    extent,
    refuse_overlaps,
    refuse_reaching_out,
    require_apart,
    shares,
)
from tangent.errors import InPlaceError
from tangent.runtime import is_part, mirror, rest, returned_rest, shadow, unmirror

LOST_VIEW = (
    "cannot follow a view that is written in place: its memory is laid out in another way\nWrite into the array itself."
)

SAME_LIST = "one list has two names, which compiled derivatives do not follow\nCopy it, or leave compile='numba' out."


@implements(mirror)
def same_view(v: Any, base: Any, shade: Any) -> Any:
    """The view of a shadow that belongs to a view of what it shadows; a number is no view."""
    if is_number(v):
        return lambda v, base, shade: shadow(v)
    if is_tuple(v):
        return per_item(v, "v, base, shade", "mirror(v[{i}], base, shade)", mirror=mirror)
    if is_list(v) and is_number(v.dtype) and not _may_hold(base, v):
        return lambda v, base, shade: shadow(v)
    if is_list(v) and is_array(v.dtype) and is_array(base):
        return lambda v, base, shade: [mirror(part, base, shade) for part in v]
    if is_list(v) and v == base and is_array(v.dtype) and is_list(shade):
        return items_of_shadow
    if is_list(v):
        return _one_of_lists(v, base, shade)
    if isinstance(v, types.Optional):
        return lambda v, base, shade: mirror(not_none(v), base, shade)
    if not is_array(v):
        return None
    if is_array(base) and is_array(shade):
        return _in_array(v, base, shade)
    return _in_container(v, base, shade)


def items_of_shadow(v: Any, base: Any, shade: Any) -> Any:
    """Of another list of the same arrays, as a slice of one is; the list itself has its shadow under its name."""
    if v is base:
        raise InPlaceError(SAME_LIST)
    return [mirror(part, base, shade) for part in v]


def _one_of_lists(v: Any, base: Any, shade: Any) -> Any:
    """The shadow of the list that v is; of numbers, v may be a new one.

    if v is base[1]:
        return shade[1]
    return shadow(v)
    """
    places = _places_of(v, base, shade, "base", "shade")
    if not places:
        return None
    lines = [line for x, b in places for line in (f"if v is {x}:", f"    return {b}")]
    lines.append("return shadow(v)" if is_number(v.dtype) else "raise InPlaceError(SAME_LIST)")
    text = "".join(f"    {line}\n" for line in lines)
    return written(f"def impl(v, base, shade):\n{text}", shadow=shadow, InPlaceError=InPlaceError, SAME_LIST=SAME_LIST)


def _places_of(v: Any, x: Any, b: Any, whole: str, shadows: str) -> list[tuple[str, str]] | None:
    """Where a list of the type of v stands in x, and its shadow in b; None where it may be hidden."""
    if v == x and is_list(b):
        return [(whole, shadows)]
    if is_tuple(x) and is_tuple(b) and len(x) == len(b):
        items = enumerate(zip(x.types, b.types))
        parts = [_places_of(v, t, s, f"{whole}[{i}]", f"{shadows}[{i}]") for i, (t, s) in items]
        return None if None in parts else [place for part in parts for place in part or ()]
    return None if _may_hold(x, v) else []


def _may_hold(base: Any, v: Any) -> bool:
    """Whether a list of numbers may be one of those that base is or holds."""
    if is_list(base):
        return bool(base == v) or _may_hold(base.dtype, v)
    if is_tuple(base):
        return any(_may_hold(part, v) for part in base.types)
    return not (is_array(base) or is_number(base) or is_nothing(base))


def _alike(v: Any, x: Any, b: Any) -> bool:
    return all(isinstance(t, types.Array) for t in (v, x, b)) and v.dtype == x.dtype == b.dtype


def _in_array(v: Any, base: Any, shade: Any) -> Any:
    if isinstance(base.dtype, types.Complex) and base.dtype == shade.dtype and isinstance(v.dtype, types.Float):
        return real_part_of_shadow
    if not _alike(v, base, shade):
        return None
    if v.ndim == base.ndim == 0:
        return lambda v, base, shade: shade if shares(v, base) else shadow(v)

    def impl(v: Any, base: Any, shade: Any) -> Any:
        return part_of_shadow(v, base, shade) if shares(v, base) else unrelated(v)

    return impl if base.layout != "F" or base.ndim == 1 else None


def real_part_of_shadow(v: Any, base: Any, shade: Any) -> Any:
    """Of the real parts of complex numbers; of imaginary parts there is no view."""
    return part_of_shadow(v, base, shade).real if shares(v, base) else unrelated(v)


def _in_container(v: Any, base: Any, shade: Any) -> Any:
    """Looks for v among the items of a list, dict or tuple, and in what these hold."""
    found = _found_in(v, base, shade, "base", "shade")
    if found is None:
        return None
    lines = [*found, *_reaching_out(v, base, shade, "base"), "return unrelated(v)"]
    text = "".join(f"    {line}\n" for line in lines)
    names = {"shares": shares, "part_of_shadow": part_of_shadow, "unrelated": unrelated}
    return written(f"def impl(v, base, shade):\n{text}", refuse_reaching_out=refuse_reaching_out, **names)


def _found_in(v: Any, x: Any, b: Any, whole: str, shadows: str) -> list[str] | None:
    """The lines that look for v in x, which is written `whole`; `shadows` is its shadow. None: it may be hidden there.

    if shares(v, base[0]):
        return part_of_shadow(v, base[0], shade[0])
    """
    if _alike(v, x, b):
        return [f"if shares(v, {whole}):", f"    return part_of_shadow(v, {whole}, {shadows})"]
    if is_tuple(x) and is_tuple(b) and len(x) == len(b):
        items = enumerate(zip(x.types, b.types))
        parts = [_found_in(v, t, s, f"{whole}[{i}]", f"{shadows}[{i}]") for i, (t, s) in items]
        return None if None in parts else [line for part in parts for line in part or ()]
    if is_list(x) and is_list(b) and _alike(v, x.dtype, b.dtype):
        inner = _found_in(v, x.dtype, b.dtype, f"{whole}[k]", f"{shadows}[k]") or []
        return [f"for k in range(len({whole})):", *(f"    {line}" for line in inner)]
    if is_dict(x) and is_dict(b) and _alike(v, x.value_type, b.value_type):
        inner = _found_in(v, x.value_type, b.value_type, "x", f"{shadows}[k]") or []
        return [f"for k, x in {whole}.items():", *(f"    {line}" for line in inner)]
    return [] if _without_floats(x) or _is_unshadowed(v, x, b) else None


def _is_unshadowed(v: Any, x: Any, b: Any) -> bool:
    return is_nothing(b) and is_array(x) and bool(x.dtype == v.dtype)


def _reaching_out(v: Any, x: Any, b: Any, whole: str) -> list[str]:
    """The lines that refuse a v which is found nowhere, and overlaps in part with an array that has no shadow."""
    if _is_unshadowed(v, x, b):
        return [f"refuse_reaching_out(v, {whole})"]
    items = enumerate(zip(x.types, b.types)) if is_tuple(x) and is_tuple(b) else ()
    return [line for i, (t, s) in items for line in _reaching_out(v, t, s, f"{whole}[{i}]")]


def _without_floats(x: Any) -> bool:
    """Whether x is nothing that an array of floats may be a view of: a number, a list of them, an array of integers."""
    if is_list(x):
        return is_number(x.dtype)
    if is_array(x):
        return isinstance(x.dtype, (types.Integer, types.Boolean))
    return is_number(x) or is_nothing(x)


@jitable
def unrelated(v: Any) -> Any:
    """A new shadow, with the type of a view."""
    return any_layout(np.zeros_like(v))


def part_of_shadow(v: Any, x: Any, b: Any) -> Any:
    """What v, which shares memory with x, is of x's shadow."""
    raise NotImplementedError


@implements(part_of_shadow)
def as_part(v: Any, x: Any, b: Any) -> Any:
    return _of_vector(v.ndim) if x.ndim == b.ndim == 1 else _of_array(v.ndim, x.ndim)


def _of_array(rank: int, axes: int) -> Any:
    """A view begins where one index of each axis leads: x and its shadow have the same strides. For two axes:

    i0 = offset // x.strides[0]
    offset -= i0 * x.strides[0]
    i1 = offset // x.strides[1]
    ...
    return as_strided(b[i0:, i1:], v.shape, v.strides)
    """
    text = ["def impl(v, x, b):"]
    if rank == axes:
        text += ["    if v.ctypes.data == x.ctypes.data and v.shape == x.shape and v.strides == x.strides:"]
        text += ["        return any_layout(b)"]
    text += [
        "    (low, high), (start, end) = extent(x), extent(v)",
        "    if min(x.strides) <= 0 or x.strides != b.strides or start < low or end > high:",
        "        raise InPlaceError(LOST_VIEW)",
        "    offset = v.ctypes.data - x.ctypes.data",
    ]
    for i in range(axes):
        text += [f"    i{i} = offset // x.strides[{i}]", f"    offset -= i{i} * x.strides[{i}]"]
    outside = " or ".join(f"i{i} >= x.shape[{i}]" for i in range(axes))
    first = ", ".join(f"i{i}:" for i in range(axes))
    text += [
        f"    if offset != 0 or {outside}:",
        "        raise InPlaceError(LOST_VIEW)",
        f"    return as_strided(b[{first}], v.shape, v.strides)",
        "",
    ]
    names = {"extent": extent, "any_layout": any_layout, "as_strided": as_strided}
    return written("\n".join(text), InPlaceError=InPlaceError, LOST_VIEW=LOST_VIEW, **names)


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
    if is_number(v):
        return lambda b, v, base, shade: shadow(shade)
    if not is_array(v):
        return None

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
    if is_list(b):
        return of_list_items if is_array(b.dtype) else (lambda v, b, shade: v) if is_number(b.dtype) else None
    return _of_items(b) if is_tuple(b) else None


def of_list_items(v: Any, b: Any, shade: Any) -> Any:
    require_apart([part for part in b if not is_part(part, shade)])
    return [returned_rest(v[i], b[i], shade) for i in range(len(b))]


def _of_items(b: Any) -> Any:
    """Of each item; those that share memory and would both go back are refused."""
    items = "".join(f"returned_rest(v[{i}], b[{i}], shade), " for i in range(len(b)))
    found = _going_back(b, "b")
    lines = ["ends = [extent(np.empty(0))]", "ends.clear()", *found, "refuse_overlaps(ends)"] if len(found) > 2 else []
    text = "".join(f"    {line}\n" for line in [*lines, f"return ({items})"])
    names = {"returned_rest": returned_rest, "refuse_overlaps": refuse_overlaps, "extent": extent, "is_part": is_part}
    return written(f"def impl(v, b, shade):\n{text}", np=np, **names)


def _going_back(t: Any, place: str) -> list[str]:
    """The lines that put down where the arrays lie that are no part of the shadow."""
    if is_array(t):
        return [f"if {place}.size > 0 and not is_part({place}, shade):", f"    ends.append(extent({place}))"]
    if is_list(t) and is_array(t.dtype):
        return [f"for part in {place}:", *(f"    {line}" for line in _going_back(t.dtype, "part"))]
    if is_tuple(t):
        return [line for i, part in enumerate(t.types) for line in _going_back(part, f"{place}[{i}]")]
    return []
