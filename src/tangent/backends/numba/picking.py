"""Items that are picked by order or by key, and given back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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
    rank,
    types,
    written,
)
from tangent.errors import InPlaceError
from tangent.runtime import (
    cis,
    default_part,
    dict_of,
    get_either,
    init_grad,
    parts_of,
    picked,
    put_back,
    put_key,
    ranking,
    require_count,
    scatter,
    sorted_order,
)
from tangent.runtime.library.functions import sorted_by

NO_LIST = (
    "cannot differentiate a write into what a list of one item times an array gives: it was taken for a list that is "
    "repeated\nUse np.zeros, np.full or an array of one number."
)


def item_type(xs: Any) -> Any:
    """The type that all items have, if they have one."""
    if is_tuple(xs):
        return xs.dtype if isinstance(xs, types.UniTuple) else None
    return xs.dtype if is_list(xs) or (is_array(xs) and rank(xs) == 1) else None


def are_numbers(xs: Any) -> bool:
    found = item_type(xs)
    return found is not None and is_number(found) and not isinstance(found, types.Complex)


@jitable
def order_of_keys(keys: Any, reverse: bool) -> Any:
    """As `sorted` has it: keys that are equal stay in their order, also where the largest comes first."""
    found = np.argsort(-keys if reverse else keys, kind="mergesort")
    return [int(k) for k in found]


def in_order(xs: Any, key: Any = None, reverse: Any = False) -> Any:
    if not are_numbers(xs):
        return None
    keys = "x + 0.0" if is_nothing(key) else "key(x) + 0.0"
    return written(
        f"def impl(xs, key=None, reverse=False):\n"
        f"    return order_of_keys(np.array([{keys} for x in xs]), bool(reverse))\n",
        np=np, order_of_keys=order_of_keys,
    )  # fmt: skip


implements(sorted_order)(in_order)
implements(ranking)(in_order)


@implements(sorted_by)
def by_key(iterable: Any, key: Any, reverse: Any = False) -> Any:
    if not are_numbers(iterable):
        return None
    return lambda iterable, key, reverse=False: picked(iterable, ranking(iterable, key, reverse))


@implements(picked)
def at_places(xs: Any, i: Any) -> Any:
    return (lambda xs, i: [xs[k] for k in i]) if item_type(xs) is not None and is_list(i) else None


@implements(put_back)
def at_their_places(b: Any, i: Any, xs: Any) -> Any:
    if not are_numbers(xs) or not is_list(i):
        return None
    kind = gradient_type(item_type(xs))

    def filled(b: Any, i: Any, xs: Any) -> Any:
        found = np.zeros(len(xs), kind)
        for place in range(len(i)):
            found[i[place]] = b[place]
        return found

    if is_array(xs):
        return filled
    fill = jitable(filled)
    if is_list(xs):
        return lambda b, i, xs: [v for v in fill(b, i, xs)]  # noqa: C416
    items = "".join(f"found[{k}], " for k in range(len(xs)))
    return written(f"def impl(b, i, xs):\n    found = fill(b, i, xs)\n    return ({items})\n", fill=fill)


# By key


@implements(get_either)
def found_or_given(x: Any, default: Any, like: Any, key: Any) -> Any:
    return (lambda x, default, like, key: x[key] if key in like else default) if is_dict(x) else None


@implements(put_key)
def under_its_key(b: Any, x: Any, key: Any) -> Any:
    return (lambda b, x, key: scatter(b, x, key) if key in x else init_grad(x)) if is_dict(x) else None


@implements(default_part)
def of_the_default(b: Any, x: Any, key: Any, default: Any) -> Any:
    return (lambda b, x, key, default: init_grad(default) if key in x else b) if is_dict(x) else None


@implements(dict_of)
def of_pairs(keys: Any, parts: Any) -> Any:
    return (lambda keys, parts: {keys[i]: parts[i] for i in range(len(keys))}) if is_list(parts) else None


@implements(parts_of)
def of_each_key(b: Any, keys: Any, parts: Any) -> Any:
    if not (is_dict(b) and is_list(parts)):
        return None

    def impl(b: Any, keys: Any, parts: Any) -> Any:
        last = {keys[i]: i for i in range(len(keys))}
        return [b[keys[i]] if last[keys[i]] == i else init_grad(parts[i]) for i in range(len(keys))]

    return impl


# Numbers


@implements(require_count)
def how_often(n: Any) -> Any:
    if is_number(n) or (is_array(n) and rank(n) == 0):
        return lambda n: None

    def refuse(n: Any) -> Any:
        raise InPlaceError(NO_LIST)

    return refuse


@implements(cis)
def turned(x: Any) -> Any:
    return lambda x: complex(math.cos(x), math.sin(x))
