"""Named tuples: made, and read by the names of their items."""

from __future__ import annotations

from typing import Any

from tangent.backends.numba.kinds import implements, is_tuple, types, value_of, written
from tangent.runtime import attribute_tangent, init_grad, put_attribute, tuple_of


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


@implements(put_attribute, prefer_literal=True)
def in_its_place(b: Any, x: Any, name: Any) -> Any:
    place = place_of(x, name)
    if place is None:
        return None
    parts = ["b" if i == place else f"init_grad(x[{i}])" for i in range(len(x))]
    text = f"def impl(b, x, name):\n    return cls({', '.join(parts)})\n"
    return written(text, cls=x.instance_class, init_grad=init_grad)


@implements(attribute_tangent, prefer_literal=True)
def from_its_place(b: Any, x: Any, name: Any) -> Any:
    place = place_of(x, name)
    if place is None or not is_tuple(b):
        return None
    return written(f"def impl(b, x, name):\n    return b[{place}]\n")
