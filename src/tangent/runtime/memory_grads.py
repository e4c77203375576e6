"""The derivatives of reading and changing the memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.calls import attribute_tangent, put_attribute
from tangent.runtime.containers import is_lazy
from tangent.runtime.dispatch import add_grad, init_grad, lazy_zero, repack
from tangent.runtime.items import whole
from tangent.runtime.memory import ELEMENTS, Memory, Slot, contents, is_changed, only
from tangent.runtime.memory_arrays import is_array, key_of
from tangent.runtime.persistent import PersistentArray
from tangent.runtime.places import elements, spread


def _read(x: Any, name: str | None) -> Slot:
    """The slot that holds what is read."""
    return key_of(x) if name is None and is_array(x) else (id(x), name)


def slot_grad(b: Any, memory: Any, x: Any, name: str | None) -> Any:
    """What the memory receives where an attribute was read: nothing, where it was the object's own."""
    slot = _read(x, name)
    if slot not in memory:
        return Memory(None, memory.owners)
    return Memory({slot: spread(b, x) if slot[1] == ELEMENTS else b}, memory.owners)


def slot_part(b: Any, memory: Any, x: Any, name: str | None, like: Any) -> Any:
    """The transpose of `slot_grad`."""
    slot = _read(x, name)
    if slot not in memory or slot not in b:
        return init_grad(like)
    return elements(b[slot], x) if slot[1] == ELEMENTS else _with_items_of(like, whole(b[slot]))


def _with_items_of(like: Any, b: Any) -> Any:
    """A gradient that has something for all the keys of another: what was never read has none."""
    if not (isinstance(b, dict) and isinstance(like, dict)) or b.keys() >= like.keys():
        return b
    made = b.copy()
    made.update({k: init_grad(v) for k, v in like.items() if k not in b})
    return made


def owner_grad(b: Any, memory: Any, x: Any, name: str | None) -> Any:
    """What the object itself receives where its own attribute was read."""
    if _read(x, name) in memory:
        return lazy_zero(x)
    return b if name is None else put_attribute(b, x, name)


def owner_part(b: Any, memory: Any, x: Any, name: str | None, like: Any) -> Any:
    """The transpose of `owner_grad`."""
    if _read(x, name) in memory:
        return init_grad(like)
    return b if name is None else attribute_tangent(b, x, name)


def read_tangent(dmemory: Any, dx: Any, memory: Any, x: Any, name: str | None) -> Any:
    """The tangent of what was read."""
    slot = _read(x, name)
    if slot in memory and slot[1] == ELEMENTS:
        return elements(dmemory[slot], x) if slot in dmemory else init_grad(x)
    if slot in memory:
        return whole(dmemory[slot]) if slot in dmemory else init_grad(memory[slot])
    return dx if name is None else attribute_tangent(dx, x, name)


def current_slots(b: Any, memory: Any, x: Any) -> Any:
    """What the memory receives where lists and dicts were read as they are."""
    return _spread(b, memory, x)[1]


def current_owner(b: Any, memory: Any, x: Any) -> Any:
    """What a list or dict itself receives where it was read as it is."""
    return _spread(b, memory, x)[0]


def _spread(b: Any, memory: Any, x: Any) -> tuple[Any, Memory]:
    if not is_changed(memory, x):
        return b, Memory()
    if is_lazy(b):
        return lazy_zero(x), Memory()
    if isinstance(x, np.ndarray):
        return lazy_zero(x), Memory({key_of(x): spread(b, x)}, memory.owners)
    if isinstance(x, PersistentArray):
        return lazy_zero(x), only(x, None, b)
    if isinstance(x, set):
        return init_grad(x), Memory()
    now, found = contents(memory, x), Memory()
    keys = list(now) if isinstance(now, dict) else range(len(now))
    parts: dict[Any, Any] = {}
    for k in keys:
        parts[k], inner = _spread(b[k], memory, now[k])
        found = found.plus(inner, add_grad)
    own = parts if isinstance(now, dict) else repack(now, *parts.values())
    if (id(x), None) not in memory:
        return own, found
    return lazy_zero(x), found.plus(only(x, None, own), add_grad)


def current_tangent(dmemory: Any, dx: Any, memory: Any, x: Any) -> Any:
    """The tangent of lists and dicts as they are."""
    if not is_changed(memory, x):
        return dx
    now, dnow = contents(memory, x), read_tangent(dmemory, dx, memory, x, None)
    if isinstance(x, (np.ndarray, PersistentArray, set)):
        return dnow
    if isinstance(now, dict):
        return {k: current_tangent(dmemory, dnow[k], memory, v) for k, v in now.items()}
    return repack(now, *(current_tangent(dmemory, dnow[k], memory, v) for k, v in enumerate(now)))


def without_slot(b: Any, x: Any, name: str | None) -> Any:
    """The gradient of the memory before a slot was changed."""
    return b.without((id(x), name))


def slot_taken(b: Any, x: Any, name: str | None, like: Any) -> Any:
    """What the new value of a slot receives."""
    found = b.get((id(x), name))
    return init_grad(like) if found is None else whole(found)


def only_slot(b: Any, x: Any, name: str | None) -> Any:
    """A gradient of the memory with one slot."""
    return only(x, name, b)
