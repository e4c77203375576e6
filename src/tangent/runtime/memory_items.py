"""Items of lists and dicts in a memory, one at a time: their gradients hold what was touched, and nothing else.

    v = xs[i]        v = item_now(memory, xs, i)
    xs.append(v)     memory = changed_items(memory, xs, "append", None, v)

Reading or changing one item costs the same whatever the length, backward, too. Where a whole list is asked for, its
gradient is made whole.
"""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

from tangent.runtime.containers import is_lazy, mutated, mutated_part, unmutated
from tangent.runtime.dispatch import lazy_zero
from tangent.runtime.items import Items, in_items, whole
from tangent.runtime.kernels.index import scatter
from tangent.runtime.memory import Memory, changed_to, contents, current
from tangent.runtime.memory_grads import owner_grad, read_tangent, slot_grad
from tangent.runtime.ordered import Moves, heap_moves
from tangent.runtime.persistent import has_rows
from tangent.runtime.tables import Table


def item_now(memory: Any, x: Any, index: Any) -> Any:
    """`x[index]` as it is now."""
    return contents(memory, x)[index]


def item_slots(b: Any, memory: Any, x: Any, index: Any) -> Any:
    """What the memory receives where an item was read."""
    now = memory.get((id(x), None))
    if b is None or is_lazy(b):
        return Memory(None, memory.owners)
    if now is None or not isinstance(now, (list, dict, deque)) or isinstance(index, slice):
        return slot_grad(scatter(b, contents(memory, x), index), memory, x, None)
    return Memory({(id(x), None): Items(now, Table({place_in(now, index): b}))}, memory.owners)


def item_owner(b: Any, memory: Any, x: Any, index: Any) -> Any:
    """What a list or dict itself receives where its own item was read."""
    if b is None or is_lazy(b) or (id(x), None) in memory:
        return lazy_zero(x)
    return owner_grad(scatter(b, contents(memory, x), index), memory, x, None)


def item_tangent(dmemory: Any, dx: Any, memory: Any, x: Any, index: Any) -> Any:
    """The tangent of an item."""
    return read_tangent(dmemory, dx, memory, x, None)[index]


def place_in(x: Any, index: Any) -> Any:
    """A key; of a list, the place counted from the front."""
    if isinstance(x, dict):
        return index
    place = operator.index(index)
    return place + len(x) if place < 0 else place


def changed_items(memory: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """The memory after a method of a list or dict was called."""
    return changed_to(memory, x, mutated(contents(memory, x), method, key, value), value)


def changed_tangent(
    dmemory: Any, dx: Any, memory: Any, x: Any, method: str, key: Any, value: Any, dvalue: Any
) -> Any:  # fmt: skip
    """The tangent of the memory after a method was called."""
    dnow = read_tangent(dmemory, dx, memory, x, None)
    return dmemory.having_items(x, mutated(dnow, method, key, dvalue), dvalue)


def items_rest(b: Any, memory: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """What the memory receives where a list or dict was changed: all but what is new."""
    slot = id(x), None
    found = b.get(slot)
    if found is None:
        return b
    now = memory.get(slot)
    if now is None or is_lazy(found):
        return b.without(slot)
    return b.of(b.table.having(slot, _before(found, now, method, key, value)))


def items_own(b: Any, memory: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """What a list or dict itself receives where it was changed for the first time."""
    found = b.get((id(x), None))
    if found is None or (id(x), None) in memory:
        return lazy_zero(x)
    return whole(_before(found, x, method, key, value))


def items_new(b: Any, memory: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """What a new item, or several, receive."""
    found = b.get((id(x), None))
    if found is None or is_lazy(found):
        return lazy_zero(value)
    now = contents(memory, x)
    place = _place_of_new(now, method, key)
    if place is not None and isinstance(found, (Items, list, deque)):
        return found[place]
    if method == "rearrange":
        return lazy_zero(value)
    return mutated_part(whole(found), now, method, key, value)


def moves_in_heap(memory: Any, name: str, heap: Any, given: tuple[Any, ...]) -> tuple[Moves, int | None]:
    """Where items go in a function of `heapq`, and the place of the one that it gives."""
    now = contents(memory, heap)

    def less(a: Any, b: Any) -> bool:
        return bool(current(memory, a) < current(memory, b))

    return heap_moves(name, [*now, *given], len(now), less)


def _place_of_new(now: Any, method: str, key: Any) -> Any:
    """Where one new item comes to be; None where there are none or several, or others go at the same time."""
    if isinstance(now, dict):
        return key if method == "__setitem__" else None
    if has_rows(now):
        return None
    if getattr(now, "maxlen", None) is not None or isinstance(key, slice):
        return None
    match method:
        case "rearrange":
            place = next((place for place, origin in key.origins.items() if origin == len(now)), len(now))
            return place if place < key.length else None
        case "append":
            return len(now)
        case "appendleft":
            return 0
        case "insert":
            return min(max(place_in(now, key), 0), len(now))
        case "__setitem__":
            return place_in(now, key)
    return None


def _before(b: Any, now: Any, method: str, key: Any, value: Any) -> Any:
    """The gradient of what a list or dict held, from that of what it holds after a method was called."""
    if getattr(now, "maxlen", None) is not None or isinstance(key, slice):
        return unmutated(whole(b), now, method, key, value)
    b = in_items(b)
    if not isinstance(b, Items):
        return unmutated(b, now, method, key, value)
    place = _place_of_new(now, method, key)
    if isinstance(now, dict):
        new = {"clear": list(now), "update": value, "move_to_end": ()}  # what has another value after it, or none
        return b.without(now, list(new.get(method, [key])))
    if method == "rearrange":
        return b.rearranged(now, key.origins)
    if place is not None:
        b = b.without(now, [place])
        return b if method == "__setitem__" else b.moved(now, place, -1)
    match method:
        case "pop" | "__delitem__":
            return b.moved(now, len(now) - 1 if key is None else place_in(now, key), 1)
        case "popleft":
            return b.moved(now, 0, 1)
        case "extend":
            return b.without(now, range(len(now), len(now) + len(value)))
    return unmutated(b.whole(), now, method, key, value)
