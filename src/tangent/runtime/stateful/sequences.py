"""What loops go over, sorted and chosen by a key, over a memory."""

from __future__ import annotations

from typing import Any

from tangent.runtime.classes import listing_of, order_of_keys, place_of_extreme
from tangent.runtime.dispatch import sequence
from tangent.runtime.memory import contents, current, new_list
from tangent.runtime.memory_arrays import is_array
from tangent.runtime.memory_views import asked_now
from tangent.runtime.objects import has_method, is_object
from tangent.runtime.operators import items_by_index
from tangent.runtime.ordered import is_range_or_text, plain_items
from tangent.runtime.stateful.calls import call_function, call_method


def call_loop(memory: Any, x: Any) -> Any:
    """What a loop over x takes its items from, one by one: of an array itself, which the loop may change."""
    if is_array(x):
        return x, memory
    return call_sequence(memory, x)


def call_sequence(memory: Any, x: Any) -> Any:
    """All that an iterable gives."""
    if has_method(x, "__iter__"):
        return call_function(memory, listing_of(x), x)
    if is_object(x) and not has_method(x, "__len__"):
        return call_function(memory, items_by_index, x)
    if is_object(x):
        count, memory = call_method(memory, x, "__len__")
        items = []
        for i in range(count):
            item, memory = call_method(memory, x, "__getitem__", i)
            items.append(item)
        return items, memory
    if is_range_or_text(x):
        return plain_items(x), memory
    return sequence(contents(memory, x)), memory


def call_sorted(memory: Any, x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted(x)`."""
    items, memory = call_sequence(memory, x)
    order = order_of_keys([current(memory, v) for v in items], reverse)
    return new_list([items[i] for i in order]), memory


def call_sorted_by(memory: Any, iterable: Any, key: Any, reverse: bool = False) -> Any:
    """`sorted(iterable, key=key)`."""
    items, memory = call_sequence(memory, iterable)
    keys, memory = call_keys(memory, items, key)
    return [items[i] for i in order_of_keys(asked_now(memory, keys), reverse)], memory


def call_keys(memory: Any, items: Any, key: Any) -> Any:
    """What items are ordered by."""
    if key is None:
        return items, memory
    keys = []
    for v in items:
        k, memory = call_function(memory, key, v)
        keys.append(k)
    return keys, memory


def call_chosen_by(memory: Any, iterable: Any, key: Any, largest: bool) -> Any:
    """`max(iterable, key=key)`, or `min`."""
    items, memory = call_sequence(memory, iterable)
    keys, memory = call_keys(memory, items, key)
    return items[place_of_extreme(asked_now(memory, keys), largest)], memory
