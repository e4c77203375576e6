"""Methods of deques, ordered dicts and heaps, which take and put at the ends or in order, over a memory."""

from __future__ import annotations

from typing import Any

from tangent.runtime.memory import contents, current
from tangent.runtime.memory_items import changed_items, item_now, moves_in_heap
from tangent.runtime.objects import is_object
from tangent.runtime.ordered import key_at_end, place_for
from tangent.runtime.stateful.calls import call_method
from tangent.runtime.stateful.items import held_anew


def call_popleft(memory: Any, x: Any) -> Any:
    """`x.popleft()`, of a deque."""
    if is_object(x):
        return call_method(memory, x, "popleft")
    return item_now(memory, x, 0), held_anew(memory, x, "popleft")


def call_appendleft(memory: Any, x: Any, value: Any) -> Any:
    """`x.appendleft(value)`, of a deque."""
    if is_object(x):
        return call_method(memory, x, "appendleft", value)
    return None, held_anew(memory, x, "appendleft", None, value)


def call_extendleft(memory: Any, x: Any, values: Any) -> Any:
    """`x.extendleft(values)`, of a deque."""
    if is_object(x):
        return call_method(memory, x, "extendleft", values)
    for value in list(contents(memory, values)):
        memory = held_anew(memory, x, "appendleft", None, value)
    return None, memory


def call_rotate(memory: Any, x: Any, steps: Any = 1) -> Any:
    """`x.rotate(steps)`, of a deque."""
    if is_object(x):
        return call_method(memory, x, "rotate", steps)
    return None, held_anew(memory, x, "rotate", steps)


def call_popitem(memory: Any, x: Any, last: bool = True) -> Any:
    """`x.popitem()`."""
    if is_object(x):
        return call_method(memory, x, "popitem")
    key = key_at_end(contents(memory, x), last)
    return (key, item_now(memory, x, key)), held_anew(memory, x, "pop", key)


def call_move_to_end(memory: Any, x: Any, key: Any, last: bool = True) -> Any:
    """`x.move_to_end(key)`, of an OrderedDict."""
    if is_object(x):
        return call_method(memory, x, "move_to_end", key, last)
    return None, held_anew(memory, x, "move_to_end", key, last)


def call_heap(memory: Any, name: str, heap: Any, /, *given: Any) -> Any:
    """A function of `heapq`: what it gives, and the memory after it."""
    moves, first = moves_in_heap(memory, name, heap, given)
    value = given[0] if given else None
    if first is None:
        return None, changed_items(memory, heap, "rearrange", moves, value)
    item = item_now(memory, heap, first) if first < len(contents(memory, heap)) else value
    return item, changed_items(memory, heap, "rearrange", moves, value)


def call_insort(memory: Any, right: bool, x: Any, value: Any, /, *bounds: Any, **options: Any) -> Any:
    """`bisect.insort(x, value)`."""
    place = place_for(right, current(memory, x), current(memory, value), *bounds, **options)
    return None, held_anew(memory, x, "insert", place, value)
