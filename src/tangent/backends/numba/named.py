"""Named tuples: made, and read by the names of their items."""

from __future__ import annotations

from typing import Any

from tangent.backends.numba.kinds import implements, is_tuple, types, value_of, written
from tangent.runtime import (
    attribute_tangent,
    field,
    field_part,
    get_attribute,
    init_grad,
    put_attribute,
    put_field,
    tuple_of,
)


@implements(tuple_of)
def named_tuple(cls: Any, *parts: Any) -> Any:
    if len(parts) == 1 and isinstance(parts[0], tuple):
        parts = parts[0]
    if not isinstance(cls, types.NamedTupleClass):
        return None
    items = ", ".join(f"parts[{i}]" for i in range(len(parts)))
    return written(f"def impl(cls, *parts):\n    return cls({items})\n")


def place_of(x: Any, name: Any) -> int | None:
    """Which item of a named tuple has a name that is known."""
    if not isinstance(x, types.BaseNamedTuple) or value_of(name) not in x.fields:
        return None
    return int(x.fields.index(value_of(name)))


def is_text(name: Any) -> bool:
    """A name that was kept with others: it is known when the code runs."""
    return isinstance(name, types.UnicodeType)


@implements(put_field, prefer_literal=True)
@implements(put_attribute, prefer_literal=True)
def in_its_place(b: Any, x: Any, name: Any) -> Any:
    place = place_of(x, name)
    if place is None and not (isinstance(x, types.BaseNamedTuple) and is_text(name)):
        return None
    parts = [_put(i, field, place) for i, field in enumerate(x.fields)]
    text = f"def impl(b, x, name):\n    return cls({', '.join(parts)})\n"
    return written(text, cls=x.instance_class, init_grad=init_grad)


def _put(i: int, field: str, place: int | None) -> str:
    zero = f"init_grad(x[{i}])"
    if place is None:
        return f"b if name == {field!r} else {zero}"
    return "b" if i == place else zero


@implements(attribute_tangent, prefer_literal=True)
def from_its_place(b: Any, x: Any, name: Any) -> Any:
    return _item("b, x, name", "b", x, name) if is_tuple(b) else None


@implements(get_attribute, prefer_literal=True)
def item_of(x: Any, name: Any) -> Any:
    return _item("x, name", "x", x, name)


@implements(field, prefer_literal=True)
def field_of(x: Any, name: Any) -> Any:
    return _item("x, name", "x", x, name)


@implements(field_part, prefer_literal=True)
def part_of(g: Any, b: Any, x: Any, name: Any) -> Any:
    return _item("g, b, x, name", "g", x, name) if is_tuple(g) else None


def _item(parameters: str, of: str, x: Any, name: Any) -> Any:
    """A function that reads the item which has a name in x."""
    place = place_of(x, name)
    if place is not None:
        return written(f"def impl({parameters}):\n    return {of}[{place}]\n")
    if not isinstance(x, types.BaseNamedTuple) or not is_text(name):
        return None
    tests = "".join(f"    if name == {f!r}:\n        return {of}[{i}]\n" for i, f in enumerate(x.fields[:-1]))
    return written(f"def impl({parameters}):\n{tests}    return {of}[{len(x.fields) - 1}]\n")
