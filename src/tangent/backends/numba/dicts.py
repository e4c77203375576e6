"""Dicts that are filled in place: what they held under a key, and the dicts of their adjoints and tangents."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.functions import tangent_at
from tangent.backends.numba.kinds import implements, is_array, is_dict, is_number, is_tuple, not_none, types
from tangent.backends.numba.memory import require_apart
from tangent.runtime import (
    add_grad,
    add_items,
    beside,
    copied_dict,
    copied_grad,
    copied_tangent,
    init_grad,
    item_grad,
    items_like,
    kept_item,
    keys_list,
    restore_item,
    sequence,
    shadow,
)


@implements(kept_item)
def held(x: Any, key: Any) -> Any:
    """Whether there is an item, and which; something of its type where there is none."""
    if not is_dict(x):
        return None
    kind, n = x.value_type, getattr(x.value_type, "ndim", 0)
    if is_number(kind):
        return lambda x, key: (True, x[key]) if key in x else (False, kind(0))
    if is_array(kind) and kind.layout == "C":
        shape, dtype = (0,) * n, kind.dtype
        return lambda x, key: (True, x[key]) if key in x else (False, np.empty(shape, dtype))
    return None


@implements(tangent_at)
def tangent_or_zero(d: Any, key: Any) -> Any:
    if not is_dict(d):
        return None
    kind = d.value_type
    return (lambda d, key: d[key] if key in d else kind(0)) if is_number(kind) else lambda d, key: d.get(key)


@implements(restore_item)
def put_back(x: Any, key: Any, kept: Any) -> Any:
    def impl(x: Any, key: Any, kept: Any) -> Any:
        there, item = kept
        if there:
            x[key] = item
        elif key in x:
            del x[key]

    return impl if is_dict(x) else None


@implements(item_grad)
def received(b: Any, x: Any) -> Any:
    if isinstance(b, types.Optional):
        return lambda b, x: init_grad(x) if b is None else not_none(b)
    return lambda b, x: b


@implements(add_items)
def with_items(b: Any, v: Any) -> Any:
    def impl(b: Any, v: Any) -> Any:
        for k, part in v.items():
            b[k] = add_grad(b[k], part) if k in b else part

    return impl if is_dict(b) and is_dict(v) else None


@implements(sequence)
def keys_of(xs: Any, ahead: Any = False) -> Any:
    return (lambda xs, ahead=False: [k for k in xs]) if is_dict(xs) else None  # noqa: C416  (Numba's list() takes no dict)


@implements(items_like)
def with_all_keys(b: Any, x: Any, later: Any) -> Any:
    if not (is_dict(b) and is_dict(x) and is_tuple(later) and not len(later)):
        return None
    return lambda b, x, later: {k: b[k] if k in b else init_grad(v) for k, v in x.items()}


@implements(keys_list)
def keys_listed(d: Any) -> Any:
    return (lambda d: [k for k in d]) if is_dict(d) else None  # noqa: C416


@implements(copied_dict)
def dict_copied(x: Any) -> Any:
    return (lambda x: x.copy()) if is_dict(x) else None


@implements(copied_grad)
def of_copied_dict(b: Any, x: Any) -> Any:
    if not (is_dict(b) and is_dict(x)):
        return None
    return lambda b, x: {k: b[k] if k in b else init_grad(v) for k, v in x.items()}


@implements(copied_tangent)
def tangents_of_copied_dict(t: Any, x: Any) -> Any:
    return (lambda t, x: t.copy()) if is_dict(t) and is_dict(x) else None


@implements(beside)
def tangents_by_key(x: Any, content: Any = None) -> Any:
    if not is_dict(x):
        return None
    if is_dict(content):
        return lambda x, content=None: _apart(x, {k: beside(v, content[k]) for k, v in x.items()})
    return lambda x, content=None: _apart(x, {k: beside(v) for k, v in x.items()})


@implements(shadow)
def shadows_by_key(x: Any, content: Any = None) -> Any:
    """Of arrays; a number in a dict has a value for its adjoint."""
    if not (is_dict(x) and is_array(x.value_type)):
        return None
    if is_dict(content):
        return lambda x, content=None: _apart(x, {k: shadow(v, content[k]) for k, v in x.items()})
    return lambda x, content=None: _apart(x, {k: shadow(v) for k, v in x.items()})


def _apart(x: Any, made: Any) -> Any:
    """What was made for each item of a dict, whose arrays share no memory."""
    require_apart([v for v in x.values()])  # noqa: C416
    return made


@implements(_apart)
def checked(x: Any, made: Any) -> Any:
    if not is_array(x.value_type):
        return lambda x, made: made

    def impl(x: Any, made: Any) -> Any:
        require_apart([v for v in x.values()])  # noqa: C416
        return made

    return impl
