"""Dicts: made of keys and values, joined, and what they give to loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import init_grad, repack
from tangent.runtime.objects import is_object


def keys_of(d: Any) -> Any:
    """The keys of a mapping, as a list; what an object of the user's gives under that name."""
    if is_object(d):
        given = d.keys
        return list(given())
    return keys_list(d)


def values_of(d: Any) -> Any:
    """The values of a mapping, as a list."""
    if is_object(d):
        given = d.values
        return list(given())
    return [d[k] for k in keys_list(d)]


def items_of(d: Any) -> Any:
    """The items of a mapping, as a list of pairs."""
    if is_object(d):
        given = d.items
        return list(given())
    return [(k, d[k]) for k in keys_list(d)]


def made_dict(*source: Any, **named: Any) -> Any:
    """`dict(mapping or pairs, name=value)`."""
    if not source:
        return named
    given = source[0]
    if has_keys(given):
        return {**given, **named}
    pairs = list(given)
    keys = [pair[0] for pair in pairs]
    values = [pair[1] for pair in pairs]
    made = dict_of(keys, values)
    return {**made, **named}


def from_keys(keys: Any, value: Any) -> Any:
    """`dict.fromkeys(keys, value)`."""
    return dict.fromkeys(keys, value)


def copied_dict(x: Any) -> Any:
    """`dict(x)`, of a mapping or of pairs."""
    return dict(x)


def copied_grad(b: Any, x: Any) -> Any:
    """What a mapping, or pairs of keys and values, receives from a dict that was made of it."""
    if has_keys(x):
        return {k: b[k] if k in b else init_grad(v) for k, v in x.items()}
    last = {k: i for i, (k, _) in enumerate(x)}
    return repack(x, *(repack(p, None, b[p[0]] if last[p[0]] == i else init_grad(p[1])) for i, p in enumerate(x)))


def copied_tangent(d: Any, x: Any) -> Any:
    """The tangent of `dict(x)`."""
    return dict(d) if has_keys(x) else {k: v[1] for (k, _), v in zip(x, d)}


def has_keys(x: Any) -> bool:
    return hasattr(x, "keys")


def keys_list(d: Any) -> list[Any]:
    """The keys of a mapping; what is no mapping has no items by key."""
    if not isinstance(d, Mapping):
        raise UnsupportedError(
            f"cannot differentiate the items of a {type(d).__name__}", why="it is not a mapping",
            todo="Loop over what it holds.",
        )  # fmt: skip
    return list(d)


def dict_of(keys: Any, parts: Any) -> Any:
    """`dict(zip(keys, parts))`."""
    return dict(zip(keys, parts))


def parts_of(b: Any, keys: Any, parts: Any) -> Any:
    """The transpose of `dict_of`: the item of each key, zero where a later part took its place."""
    last = {k: i for i, k in enumerate(keys)}
    return [b[k] if last[k] == i else init_grad(v) for i, (k, v) in enumerate(zip(keys, parts))]


def subset(x: Any, keys: Any) -> Any:
    """The items of a dict that have these keys."""
    return {k: x[k] for k in keys}


def superset(b: Any, x: Any, keys: Any) -> Any:
    """The transpose of `subset`: zero for the other items."""
    return {k: b[k] if k in keys else init_grad(v) for k, v in x.items()}


def left_items(b: Any, x: Any, y: Any) -> Any:
    """What x receives from `x | y`: of dicts, the items that y does not replace; of bits, nothing."""
    if not isinstance(x, dict):
        return init_grad(x)
    return {k: init_grad(v) if k in y else b[k] for k, v in x.items()}


def right_items(b: Any, y: Any) -> Any:
    """What y receives from `x | y`."""
    return {k: b[k] for k in y} if isinstance(y, dict) else init_grad(y)


def from_left(b: Any, y: Any, z: Any) -> Any:
    """The transpose of `left_items`: the part of the tangent of `z = x | y` that comes from x."""
    if not isinstance(z, dict):
        return init_grad(z)
    return {k: b[k] if k in b and k not in y else init_grad(v) for k, v in z.items()}


def from_right(b: Any, y: Any, z: Any) -> Any:
    """The transpose of `right_items`."""
    if not isinstance(z, dict):
        return init_grad(z)
    return {k: b[k] if k in y else init_grad(v) for k, v in z.items()}
