"""Methods of lists, dicts and sets that change them, over a memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.classes import order_of_keys
from tangent.runtime.kernels.sequences import picked
from tangent.runtime.memory import changed, contents, current, new_list
from tangent.runtime.memory_arrays import is_array, written
from tangent.runtime.memory_items import changed_items, item_now
from tangent.runtime.objects import is_object
from tangent.runtime.ordered import changed_set, is_counter, is_set, key_to_pop, keys_by_count, place_of
from tangent.runtime.persistent import has_rows
from tangent.runtime.stateful.calls import call_method
from tangent.runtime.stateful.items import held_anew, require_changeable, require_items
from tangent.runtime.stateful.sequences import call_sorted_by


def call_append(memory: Any, x: Any, value: Any) -> Any:
    """`x.append(value)`."""
    if is_object(x):
        return call_method(memory, x, "append", value)
    return None, held_anew(memory, x, "append", None, value)


def call_extend(memory: Any, x: Any, values: Any) -> Any:
    """`x.extend(values)`."""
    if is_object(x):
        return call_method(memory, x, "extend", values)
    require_changeable(x, "extend")
    more = list(contents(memory, values))
    return None, changed_items(memory, x, "extend", None, more)


def call_grown(memory: Any, x: Any, values: Any) -> Any:
    """`x += values`, of a list: what x is then."""
    require_items(values)
    _, memory = call_extend(memory, x, values)
    return x, memory


def call_update(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.update(other)`, of a dict."""
    if is_object(x):
        return call_method(memory, x, "update", *args, **named)
    if is_set(x):
        return None, changed(memory, x, None, changed_set(contents(memory, x), "update", *current(memory, args)))
    require_changeable(x, "update")
    for other in args:
        if is_counter(x):
            memory = counted(memory, x, contents(memory, other))
            continue
        memory = changed_items(memory, x, "update", None, contents(memory, other))
    if is_counter(x):
        return None, counted(memory, x, named)
    return None, changed_items(memory, x, "update", None, named)


def counted(memory: Any, x: Any, other: Any) -> Any:
    """The memory after `x.update(other)`, of a Counter."""
    keys = list(other)
    for key in keys:
        more = other[key] if isinstance(other, dict) else 1
        memory = changed_items(memory, x, "__setitem__", key, item_now(memory, x, key) + more)
    return memory


def call_subtract(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.subtract(other)`, of a Counter."""
    if not is_counter(x):
        return call_method(memory, x, "subtract", *args, **named)
    for other in args:
        memory = counted_off(memory, x, contents(memory, other))
    return None, counted_off(memory, x, named)


def counted_off(memory: Any, x: Any, other: Any) -> Any:
    """The memory after `x.subtract(other)`, of a Counter."""
    keys = list(other)
    for key in keys:
        less = other[key] if isinstance(other, dict) else 1
        memory = changed_items(memory, x, "__setitem__", key, item_now(memory, x, key) - less)
    return memory


def call_most_common(memory: Any, x: Any, /, *n: Any) -> Any:
    """`x.most_common(n)`, of a Counter."""
    if not is_counter(x):
        return call_method(memory, x, "most_common", *n)
    now = contents(memory, x)
    keys = keys_by_count(now, *n)
    return new_list([(key, now[key]) for key in keys]), memory


def call_insert(memory: Any, x: Any, index: Any, value: Any) -> Any:
    """`x.insert(index, value)`."""
    if is_object(x):
        return call_method(memory, x, "insert", index, value)
    return None, held_anew(memory, x, "insert", index, value)


def call_delete_rows(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.delete(count)`, of a persistent array."""
    if not has_rows(x):
        return call_method(memory, x, "delete", *args, **named)
    return None, held_anew(memory, x, "delete", *args, **named)


def call_pop(memory: Any, x: Any, /, *args: Any) -> Any:
    """`x.pop()`, `x.pop(index)`, `x.pop(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "pop", *args)
    if is_set(x):
        now = contents(memory, x)
        return key_to_pop(now), changed(memory, x, None, changed_set(now, "pop"))
    require_changeable(x, "pop")
    if len(args) == 2 and args[0] not in contents(memory, x):
        return args[1], memory
    key = args[0] if args else None
    item = item_now(memory, x, -1 if key is None else key)
    return item, changed_items(memory, x, "pop", key, None)


def call_remove(memory: Any, x: Any, value: Any) -> Any:
    """`x.remove(value)`."""
    if is_object(x):
        return call_method(memory, x, "remove", value)
    if is_set(x):
        return None, changed(memory, x, None, changed_set(contents(memory, x), "remove", value))
    place = place_of(current(memory, x), current(memory, value))
    return None, held_anew(memory, x, "__delitem__", place)


def call_add(memory: Any, x: Any, value: Any) -> Any:
    """`x.add(value)`: a set holds keys, no values."""
    if is_set(x):
        return None, changed(memory, x, None, changed_set(contents(memory, x), "add", value))
    return call_method(memory, x, "add", value)


def call_discard(memory: Any, x: Any, value: Any) -> Any:
    """`x.discard(value)`, of a set."""
    if is_set(x):
        return None, changed(memory, x, None, changed_set(contents(memory, x), "discard", value))
    return call_method(memory, x, "discard", value)


def call_difference_update(memory: Any, x: Any, /, *others: Any) -> Any:
    """`x.difference_update(other)`, of a set."""
    if is_set(x):
        more = current(memory, others)
        return None, changed(memory, x, None, changed_set(contents(memory, x), "difference_update", *more))
    return call_method(memory, x, "difference_update", *others)


def call_intersection_update(memory: Any, x: Any, /, *others: Any) -> Any:
    """`x.intersection_update(other)`, of a set."""
    if is_set(x):
        more = current(memory, others)
        return None, changed(memory, x, None, changed_set(contents(memory, x), "intersection_update", *more))
    return call_method(memory, x, "intersection_update", *others)


def call_symmetric_difference_update(memory: Any, x: Any, other: Any) -> Any:
    """`x.symmetric_difference_update(other)`, of a set."""
    if is_set(x):
        more = contents(memory, other)
        return None, changed(memory, x, None, changed_set(contents(memory, x), "symmetric_difference_update", more))
    return call_method(memory, x, "symmetric_difference_update", other)


def call_sort(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.sort()`."""
    if is_object(x):
        return call_method(memory, x, "sort", *args, **named)
    if is_array(x):
        return None, written(memory, x, ..., np.sort(contents(memory, x), *args, **named))
    return sorted_list(memory, x, **named)


def sorted_list(memory: Any, x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`x.sort()`, of a list."""
    require_changeable(x, "sort")
    now = contents(memory, x)
    if key is not None:
        items, memory = call_sorted_by(memory, x, key, reverse)
        return None, changed(memory, x, None, items)
    order = order_of_keys([current(memory, v) for v in now], reverse)
    return None, changed(memory, x, None, picked(now, order))


def call_clear(memory: Any, x: Any) -> Any:
    """`x.clear()`."""
    if is_object(x):
        return call_method(memory, x, "clear")
    if is_set(x):
        return None, changed(memory, x, None, changed_set(contents(memory, x), "clear"))
    return None, held_anew(memory, x, "clear")


def call_reverse(memory: Any, x: Any) -> Any:
    """`x.reverse()`."""
    if is_object(x):
        return call_method(memory, x, "reverse")
    return None, held_anew(memory, x, "reverse")


def call_setdefault(memory: Any, x: Any, key: Any, /, *default: Any) -> Any:
    """`x.setdefault(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "setdefault", key, *default)
    require_changeable(x, "setdefault")
    if key in contents(memory, x):
        return item_now(memory, x, key), memory
    value = default[0] if default else None
    return value, changed_items(memory, x, "__setitem__", key, value)


def call_get(memory: Any, x: Any, key: Any, /, *default: Any) -> Any:
    """`x.get(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "get", key, *default)
    if key in contents(memory, x):
        return item_now(memory, x, key), memory
    return (default[0] if default else None), memory
