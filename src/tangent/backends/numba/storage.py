"""Storage: copies, shadows, and what is written over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload_method

from tangent.backends.numba.broadcast import cast, cast_array
from tangent.backends.numba.functions import apart, fill_array, set_back
from tangent.backends.numba.index import may_repeat
from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_dict,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    jitable,
    per_item,
    rank,
    types,
    value_of,
    written,
)
from tangent.backends.numba.memory import any_layout, refuse_overlap, require_apart, shares
from tangent.errors import InPlaceError
from tangent.runtime import (
    add_at,
    add_into,
    add_item,
    beside,
    content,
    content_beside,
    is_part,
    item_content,
    overwritten,
    own,
    own_any,
    put_item_back,
    refilled,
    shadow,
    take_item,
    unboxed,
)
from tangent.runtime.storage.copies import require_apart as require_given_apart
from tangent.runtime.storage.crossed import require_uncrossed


def number_itself(x: Any) -> Any:
    """Numbers of NumPy have a method that Numba's lack."""
    return lambda x: x


register_method: Any = overload_method
for _number in (types.Float, types.Integer, types.Complex, types.Boolean):
    register_method(_number, "copy", strict=False)(number_itself)


def copied(x: Any, *others: Any) -> Any:
    """A copy of an argument that is written into; it may not overlap the others."""
    if len(others) == 1 and isinstance(others[0], tuple):
        others = others[0]
    if is_number(x):
        return lambda x, *others: x
    if is_list(x) and is_number(x.dtype) and not any(is_list(other) for other in others):
        return lambda x, *others: [v for v in x]  # noqa: C416
    if is_list(x) or is_tuple(x):
        return None
    places = tuple(i for i, other in enumerate(others) if is_array(other))
    if not places:
        return lambda x, *others: x.copy()
    text = "def impl(x, *others):\n"
    for i in places:
        text += f"    refuse_overlap(x, others[{i}])\n"
    return written(text + "    return x.copy()\n", refuse_overlap=refuse_overlap)


implements(own)(copied)


@implements(own_any)
def copied_with_items(x: Any, *others: Any) -> Any:
    if len(others) == 1 and isinstance(others[0], tuple):
        others = others[0]
    if is_tuple(x) or (is_list(x) and not is_number(x.dtype)):
        return (lambda x, *others: content(x)) if all(map(is_number, others)) else None
    return copied(x, *others)


@implements(require_given_apart)
def refused_overlap(x: Any, others: Any, file: Any, line: Any, text: Any) -> Any:
    if not (is_array(x) and is_tuple(others) and all(is_array(t) or is_number(t) for t in others.types)):
        return None
    places = [i for i, t in enumerate(others.types) if is_array(t)]
    checks = "".join(f"    refuse_overlap(x, others[{i}])\n" for i in places)
    return written(f"def impl(x, others, file, line, text):\n{checks}    return None\n", refuse_overlap=refuse_overlap)


@implements(require_uncrossed)
def uncrossed(place: Any, value: Any) -> Any:
    return lambda place, value: None  # Numba copies what may overlap before it assigns


def exactly_filled(x: Any, content: Any = None) -> Any:
    """A copy of the content (which compiles much faster than an assignment that could broadcast)."""
    if content.shape != x.shape:
        raise ValueError("a gradient has another shape than what it belongs to")
    return content.copy()


@implements(shadow)
def shadowed(x: Any, content: Any = None) -> Any:
    if is_array(x):
        kind = gradient_type(x)
        if kind != x.dtype:
            return None
        if is_nothing(content) and x.layout == "C":  # much faster than Numba's np.zeros_like
            return lambda x, content=None: np.zeros(x.shape, kind)
        if is_nothing(content):
            return lambda x, content=None: np.zeros_like(x)
        alike = is_array(content) and content.ndim == x.ndim and content.dtype == x.dtype
        if alike and content.layout == x.layout == "C":
            return exactly_filled
        fit = cast_array(content, x) if is_array(content) else cast(content, x)

        def filled(x: Any, content: Any = None) -> Any:
            made = np.zeros_like(x)
            made[...] = fit(content)
            return made

        return filled
    if is_number(x):
        kind = gradient_type(x)
        if is_nothing(content):
            return lambda x, content=None: np.zeros((), kind)
        return lambda x, content=None: np.full((), content, kind)
    if is_list(x) and is_nothing(content):
        return of_all_arrays if is_array(x.dtype) else of_all
    if is_tuple(x) and is_nothing(content):
        return per_item(x, "x, content=None", "shadow(x[{i}])", "require_apart(x)", **INSIDE)
    return None


INSIDE = {"shadow": shadow, "content": content, "require_apart": require_apart}


def of_all(x: Any, content: Any = None) -> Any:
    return [shadow(v) for v in x]


def of_all_arrays(x: Any, content: Any = None) -> Any:
    """A list that may get views later, and is of one type from the start."""
    require_apart(x)
    return [any_layout(shadow(v)) for v in x]


@implements(unboxed)
def number_in(b: Any, x: Any) -> Any:
    if is_array(b) and rank(b) == 0 and not is_array(x):
        return lambda b, x: b[()]
    return lambda b, x: b


@implements(beside)
def tangent_beside(x: Any, content: Any = None) -> Any:
    if is_number(x):
        kind = gradient_type(x)
        return (lambda x, content=None: kind(0)) if is_nothing(content) else (lambda x, content=None: content)
    if is_list(x):
        return tangents_of_all if is_nothing(content) else tangents_with
    if is_tuple(x):
        item = "beside(x[{i}])" if is_nothing(content) else "beside(x[{i}], content[{i}])"
        return per_item(x, "x, content=None", item, "require_apart(x)", beside=beside, require_apart=require_apart)
    return (lambda x, content=None: shadow(x, content)) if is_array(x) else None


def tangents_of_all(x: Any, content: Any = None) -> Any:
    require_apart(x)
    return [beside(v) for v in x]


def tangents_with(x: Any, content: Any = None) -> Any:
    require_apart(x)
    return [beside(x[i], content[i]) for i in range(len(x))]


@implements(content)
def held(x: Any) -> Any:
    if is_tuple(x):
        return per_item(x, "x", "content(x[{i}])", "require_apart(x)", **INSIDE)
    if is_list(x):
        return held_by_list
    return (lambda x: x.copy()) if is_array(x) else (lambda x: x)


def held_by_list(x: Any) -> Any:
    require_apart(x)
    return [content(v) for v in x]


@implements(content_beside)
def held_beside(d: Any, x: Any, others: Any, tangents: Any) -> Any:
    if is_tuple(d) and is_tuple(x):
        item = "content_beside(d[{i}], x[{i}], others, tangents)"
        first = "require_apart(x)"
        names = {"content_beside": content_beside, "require_apart": require_apart}
        return per_item(d, "d, x, others, tangents", item, first, **names)
    if is_array(d) and is_array(x):
        return lambda d, x, others, tangents: d if is_part(x, others) else d.copy()
    if is_list(d) and is_list(x):
        return lambda d, x, others, tangents: [content_beside(p, q, others, tangents) for p, q in zip(d, x)]
    if is_array(d):
        return lambda d, x, others, tangents: d.copy()
    return lambda d, x, others, tangents: d


@implements(add_at, prefer_literal=True)
def added_at(b: Any, index: Any, v: Any) -> Any:
    if is_tuple(b) and isinstance(value_of(index), int):
        place = value_of(index)
        return lambda b, index, v: add_into(b[place], v)

    def impl(b: Any, index: Any, v: Any) -> Any:
        add_item(b, b, index, v)

    return impl if is_array(b) or is_list(b) else None


@implements(add_into)
def added_into(b: Any, v: Any) -> Any:
    if is_list(b):
        inside = is_array(b.dtype) or is_list(b.dtype)
        return into_rows if inside else into_numbers if is_number(b.dtype) else None
    if is_tuple(b) and is_tuple(v):
        lines = "".join(f"    add_into(b[{i}], v[{i}])\n" for i in range(len(b)))
        return written(f"def impl(b, v):\n{lines or '    pass'}\n", add_into=add_into)
    if is_dict(b) and is_dict(v) and is_array(b.value_type):
        return into_items
    return into_elements(b, v) if is_array(b) else None


def into_elements(b: Any, v: Any) -> Any:
    """Into an array; what may lie in its memory is read before anything is written."""

    def number(b: Any, v: Any) -> Any:
        b += v

    if not is_array(v) or rank(v) == 0 or rank(v) > rank(b):
        return number
    add = elements_added(rank(b), rank(v))

    def impl(b: Any, v: Any) -> Any:
        if shares(b, v):
            add(b, v.copy())
        else:
            add(b, v)

    return impl


def elements_added(n: int, m: int) -> Any:
    """A function that adds an array of rank m, as wide as it has to be, to one of rank n.

    For n = 2 and m = 1:

    for i0 in range(b.shape[0]):
        for i1 in range(b.shape[1]):
            b[i0, i1] += v[i1 if v.shape[0] != 1 else 0]
    """
    lines = ["def impl(b, v):"]
    for j in range(m):
        lines.append(f"    one{j} = 1 if v.shape[{j}] != 1 else 0")
        lines.append(f"    if one{j} and v.shape[{j}] != b.shape[{j + n - m}]:")
        lines.append("        raise ValueError('shapes do not fit')")
    lines += ["    " * (i + 1) + f"for i{i} in range(b.shape[{i}]):" for i in range(n)]
    into = ", ".join(f"i{i}" for i in range(n))
    source = ", ".join(f"i{j + n - m} * one{j}" for j in range(m))
    return jitable(written("\n".join([*lines, "    " * (n + 1) + f"b[{into}] += v[{source}]", ""])))


def into_items(b: Any, v: Any) -> Any:
    for k in v:
        add_into(b[k], v[k])


SHORTER = (
    "cannot differentiate again what keeps a list and takes from it: the list is shorter by the time that its adjoint "
    "is made\nTake the second derivative forward over reverse: tangent.jvp(tangent.grad(f)), hessian, hvp."
)


def into_rows(b: Any, v: Any) -> Any:
    if len(v) != 0 and len(b) != len(v):
        raise InPlaceError(SHORTER)
    for i in range(len(v)):
        add_into(b[i], v[i])


def into_numbers(b: Any, v: Any) -> Any:
    if len(v) != 0 and len(b) != len(v):
        raise InPlaceError(SHORTER)
    for i in range(len(v)):
        b[i] += v[i]


@implements(overwritten)
def written_over(b: Any, index: Any) -> Any:
    if may_repeat(index):
        return last_of_each if is_array(b) and is_array(index) and rank(index) == 1 else None
    if is_array(b):
        return lambda b, index: content(b[index])
    return None


def last_of_each(b: Any, index: Any) -> Any:
    """Of an element that is named twice only the last counts."""
    found = b[index]
    last = np.empty(b.shape[0], np.intp)
    for k in range(len(index)):
        last[index[k]] = k
    for k in range(len(index)):
        if last[index[k]] != k:
            found[k] = 0.0
    return found


@implements(set_back)
def restored(a: Any, kept: Any) -> Any:
    def impl(a: Any, kept: Any) -> Any:
        a[...] = kept
        return a

    return impl if is_array(a) else (lambda a, kept: refilled(a, kept))


@implements(fill_array)
def filled(a: Any, kept: Any) -> Any:
    def impl(a: Any, kept: Any) -> Any:
        a[...] = kept

    return impl if is_array(a) else (lambda a, kept: None)


@implements(apart)
def not_shared(v: Any) -> Any:
    return (lambda v: v.copy()) if is_array(v) else (lambda v: v)


@implements(item_content)
def item_held(x: Any, key: Any) -> Any:
    """Of a list of arrays the array itself, too: it may have other names."""
    if is_list(x) and is_array(x.dtype) and is_number(key):
        return lambda x, key: (x[key], content(x[key]))
    return (lambda x, key: content(x[key])) if is_array(x) or is_list(x) else None


@implements(put_item_back)
def item_restored(x: Any, key: Any, kept: Any) -> Any:
    if is_list(x) and is_array(x.dtype) and is_tuple(kept):
        return array_restored

    def impl(x: Any, key: Any, kept: Any) -> Any:
        x[key] = kept

    return impl if is_array(x) or is_list(x) else None


def array_restored(x: Any, key: Any, kept: Any) -> None:
    item, old = kept
    item[...] = old
    x[key] = item


@implements(take_item)
def item_taken(b: Any, key: Any, x: Any, kept: Any) -> Any:
    def of_array(b: Any, key: Any, x: Any, kept: Any) -> Any:
        found = overwritten(b, key)
        b[key] = 0.0
        return found

    def of_list(b: Any, key: Any, x: Any, kept: Any) -> Any:
        found = b[key]
        b[key] = 0.0
        return found

    if is_list(b) and not is_number(b.dtype):
        return None
    return of_array if is_array(b) else of_list if is_list(b) else None
