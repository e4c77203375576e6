"""Reading `x[index]` backward."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tangent.backends.numba.broadcast import cast, cast_array
from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_list,
    is_number,
    is_record,
    is_tuple,
    jitable,
    per_key,
    rank,
    types,
    value_of,
    written,
)
from tangent.backends.numba.memory import shares
from tangent.runtime import (
    add_cell,
    add_grad,
    add_into,
    add_item,
    add_part,
    clear_item,
    cleared,
    init_grad,
    scatter,
    scatter_cell,
    unread,
    with_cell,
    with_part,
)


def _by_number(operation: Any) -> Any:
    """`s *= a` for an array without axes, which Numba has for arrays alone."""

    def typed(s: Any, a: Any) -> Any:
        if not (is_number(s) and is_array(a) and rank(a) == 0):
            return None
        return lambda s, a: operation(s, a[()])

    return typed


for _in_place, _operation in (
    (operator.iadd, operator.add), (operator.isub, operator.sub), (operator.imul, operator.mul),
    (operator.itruediv, operator.truediv), (operator.ipow, operator.pow),
):  # fmt: skip
    implements(_in_place)(_by_number(_operation))


@implements(operator.getitem)
def of_number(x: Any, index: Any) -> Any:
    """`x[()]` of an array without axes that is a number in compiled code."""
    return (lambda x, index: x) if is_number(x) and is_tuple(index) and not len(index) else None


@implements(operator.setitem)
def number_of_list(xs: Any, index: Any, value: Any) -> Any:
    """A number in the place of an array without axes: shadows of numbers in lists are such arrays."""
    if not (is_list(xs) and is_array(xs.dtype) and rank(xs.dtype) == 0 and is_number(index) and is_number(value)):
        return None
    kind = xs.dtype.dtype

    def impl(xs: Any, index: Any, value: Any) -> Any:
        xs[index] = np.full((), value, kind)

    return impl


def parts_of(index: Any) -> tuple[Any, ...]:
    return tuple(index.types) if is_tuple(index) else (index,)


def may_repeat(index: Any) -> bool:
    """Whether an index can name an element twice: only arrays (and lists) of integers can."""
    return any(
        (is_array(p) or is_list(p)) and isinstance(p.dtype, types.Integer) for p in parts_of(index)
    )  # fmt: skip


@implements(scatter)
def scattered(b: Any, x: Any, index: Any) -> Any:
    if is_array(x):
        kind = gradient_type(x)

        def impl(b: Any, x: Any, index: Any) -> Any:
            out = np.zeros(x.shape, kind)
            add_item(out, out, index, b)
            return out

        return impl
    if isinstance(x, types.Tuple) and is_number(index):  # rules of functions with several results may ask
        return lambda b, x, index: add_item(unread(x), x, index, b)
    if is_tuple(x) or is_list(x) or isinstance(x, types.DictType):
        return lambda b, x, index: add_item(init_grad(x), x, index, b)
    if is_record(x) and value_of(index) in x.fields:

        def placed(key: str) -> str:
            return "b" if key == value_of(index) else f"init_grad(x[{key!r}])"

        return per_key(x, "b, x, index", placed, init_grad=init_grad)
    return None


@implements(add_item, prefer_literal=True)
def added(b: Any, x: Any, index: Any, v: Any) -> Any:
    if is_tuple(b):
        return into_tuple(b, value_of(index), is_number(index))
    if is_list(b) and is_number(index):

        def into_list(b: Any, x: Any, index: Any, v: Any) -> Any:
            b[index] = add_grad(b[index], v)
            return b

        return into_list
    if is_list(b) and isinstance(index, types.SliceType):

        def into_slice(b: Any, x: Any, index: Any, v: Any) -> Any:
            start, _, step = index.indices(len(b))
            place = start
            for part in v:
                b[place] = add_grad(b[place], part)
                place += step
            return b

        return into_slice
    if isinstance(b, types.DictType):

        def into_dict(b: Any, x: Any, index: Any, v: Any) -> Any:
            b[index] = add_grad(b[index], v)
            return b

        return into_dict
    if is_record(b) and value_of(index) in b.fields:

        def with_added(key: str) -> str:
            return f"add_grad(b[{key!r}], v)" if key == value_of(index) else f"b[{key!r}]"

        return per_key(b, "b, x, index, v", with_added, add_grad=add_grad)
    if not is_array(b):
        return None
    fit = cast_array(v, b) if is_array(v) else cast(v, b)
    if may_repeat(index):
        adding = repeated(b, index, fit)
        return adding if adding is None or not is_array(v) else from_apart(adding)

    def impl(b: Any, x: Any, index: Any, v: Any) -> Any:
        b[index] += fit(v)
        return b

    def into_view(b: Any, x: Any, index: Any, v: Any) -> Any:
        add_into(b[index], fit(v))
        return b

    return into_view if is_array(v) and v.ndim and gives_view(b, index) else impl


def gives_view(b: Any, index: Any) -> bool:
    """Whether an index takes a part of an array, and not one element, nor elements here and there."""
    parts = parts_of(index)
    numbers = sum(1 for p in parts if isinstance(p, types.Integer))
    plain = all(isinstance(p, (types.Integer, types.SliceType, types.EllipsisType)) for p in parts)
    return plain and numbers < b.ndim


def from_apart(adding: Any) -> Any:
    """A function that adds what lies in the memory of the sum by way of a copy."""
    add = jitable(adding)
    return lambda b, x, index, v: add(b, x, index, v.copy()) if shares(b, v) else add(b, x, index, v)


@implements(add_part, prefer_literal=True)
def added_part(b: Any, index: Any, v: Any) -> Any:
    return lambda b, index, v: add_item(b, b, index, v)


@implements(with_part, prefer_literal=True)
def with_added_part(b: Any, index: Any, v: Any) -> Any:
    if is_tuple(b) or is_record(b):
        return lambda b, index, v: add_item(b, b, index, v)
    return lambda b, index, v: add_item(b.copy(), b, index, v)


@implements(add_cell, prefer_literal=True)
def added_cell(b: Any, i: Any, j: Any, v: Any) -> Any:
    if is_tuple(b):
        return into_cell(b, value_of(i), "add_part")
    if is_array(b) and b.ndim > 1:
        return lambda b, i, j, v: add_item(b, b, (i, j), v)
    if not (is_list(b) or is_array(b)):
        return None

    def into_item(b: Any, i: Any, j: Any, v: Any) -> Any:
        b[i] = add_part(b[i], j, v)
        return b

    return into_item


@implements(scatter_cell, prefer_literal=True)
def scattered_cell(b: Any, x: Any, i: Any, j: Any) -> Any:
    return lambda b, x, i, j: add_cell(init_grad(x), i, j, b)


@implements(with_cell, prefer_literal=True)
def with_added_cell(b: Any, i: Any, j: Any, v: Any) -> Any:
    if is_tuple(b):
        return into_cell(b, value_of(i), "with_part")
    if is_array(b):
        return lambda b, i, j, v: add_cell(b.copy(), i, j, v)

    def into_copy(b: Any, i: Any, j: Any, v: Any) -> Any:
        out = b.copy()
        out[i] = with_part(b[i], j, v)
        return out

    return into_copy if is_list(b) else None


@implements(clear_item)
def cleared_in_place(b: Any, index: Any) -> Any:
    def impl(b: Any, index: Any) -> Any:
        b[index] = 0.0
        return b

    return impl


@implements(cleared)
def cleared_copy(b: Any, index: Any) -> Any:
    return lambda b, index: clear_item(b.copy(), index)


def into_tuple(b: Any, at: Any, number: bool) -> Any:
    """A new tuple; which item it is must be known, or all are of one type."""
    if isinstance(at, int):
        parts = ["add_grad(b[{i}], v)" if i == at % len(b) else "b[{i}]" for i in range(len(b))]
    elif number and isinstance(b, types.UniTuple):
        parts = ["add_grad(b[{i}], v) if index % n == {i} else b[{i}]"] * len(b)
    else:
        return None
    return new_tuple(b, "b, x, index, v", parts, n=len(b), add_grad=add_grad)


def into_cell(b: Any, at: Any, adding: str) -> Any:
    """A new tuple where something is added inside of an item."""
    if not isinstance(at, int):
        return None
    parts = [f"{adding}(b[{{i}}], j, v)" if i == at % len(b) else "b[{i}]" for i in range(len(b))]
    return new_tuple(b, "b, i, j, v", parts, add_part=add_part, with_part=with_part)


def new_tuple(b: Any, parameters: str, parts: list[str], **names: Any) -> Any:
    """A function that makes a tuple like b of these parts."""
    items = "".join(part.format(i=i) + ", " for i, part in enumerate(parts))
    cls = b.instance_class if isinstance(b, types.BaseNamedTuple) else None
    return written(f"def impl({parameters}):\n    return {'cls' if cls else ''}({items})\n", cls=cls, **names)


def repeated(b: Any, index: Any, fit: Any) -> Any:
    """`np.add.at(b, index, v)` for one array of integers, anywhere among numbers and slices in front."""
    parts = parts_of(index)
    places = [i for i, p in enumerate(parts) if is_array(p) or is_list(p)]
    if len(places) == 1 and all(is_number(p) for p in parts[: places[0]]):
        return one_array(len(parts) if is_tuple(index) else 0, places[0], index)
    if all(is_number(p) or is_array(p) for p in parts) and all(parts[i].ndim == 1 for i in places):
        return several_arrays(parts, places)
    return None


def one_array(count: int, place: int, index: Any) -> Any:
    """One array of integers; what stands behind it in the index goes on inside its rows."""
    lines = ["def impl(b, x, index, v):"]
    lines.append(f"    places = np.asarray(index[{place}])" if count else "    places = np.asarray(index)")
    lines += ["    flat = places.ravel()"]
    before = "".join(f"index[{i}], " for i in range(place))
    behind = "".join(f", index[{i}]" for i in range(place + 1, count))
    lines.append("    return rows(b, flat, places, v, index)")
    body = [
        "def rows(b, flat, places, v, index):",
        "    for k in range(flat.size):",
        f"        b[{before}flat[k]{behind}] += part(v, k, places)",
        "    return b",
    ]
    inner = jitable(written("\n".join(body).replace("def rows", "def impl") + "\n", part=part))
    return written("\n".join(lines) + "\n", np=np, rows=inner)


def several_arrays(parts: tuple[Any, ...], places: list[int]) -> Any:
    """Arrays of integers of rank 1, side by side: pairs (triples, ...) of places."""
    index = ", ".join(f"index[{i}][k]" if i in places else f"index[{i}]" for i in range(len(parts)))
    first = places[0]
    text = [
        "def impl(b, x, index, v):",
        f"    for k in range(index[{first}].size):",
        f"        b[{index}] += part(v, k, index[{first}])",
        "    return b",
    ]
    return written("\n".join(text) + "\n", part=part)


def part(v: Any, k: int, places: Any) -> Any:
    """The slice of v that belongs to place k."""
    return v if np.ndim(v) == 0 else np.reshape(v, (places.size, *v.shape[places.ndim :]))[k]


@implements(part)
def slice_of(v: Any, k: Any, places: Any) -> Any:
    if is_number(v):
        return lambda v, k, places: v
    if v.ndim < places.ndim:
        return None
    if v.ndim == places.ndim:
        return lambda v, k, places: v.flat[k]
    if places.ndim == 1:
        return lambda v, k, places: v[k]
    n = places.ndim
    rows = written(
        f"def impl(v, k, places):\n    rest = v.shape[{n}:]\n"
        "    return np.ascontiguousarray(v).reshape((places.size, *rest))[k]\n",
        np=np,
    )
    return rows
