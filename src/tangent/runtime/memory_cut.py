"""Where a block has cut a backward loop short: the memory is an earlier one, and gradients stay where they were.

A slot that the earlier memory does not have yet was an attribute, the items or the elements of the object, list or
array itself, which then has its gradient. It is found from the memory and from the variables; what they do not reach
was made in the part that is left out, and hands nothing on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.runtime.calls import attribute_tangent, put_attribute
from tangent.runtime.containers import is_lazy
from tangent.runtime.dispatch import add_grad, init_grad, lazy_zero, repack
from tangent.runtime.items import whole
from tangent.runtime.memory import ELEMENTS, Memory, Slot, contents, slot_of
from tangent.runtime.memory_arrays import key_of
from tangent.runtime.memory_views import parts_now
from tangent.runtime.objects import is_object, is_of_compiler
from tangent.runtime.places import elements, spread

CONTAINERS = (list, dict, tuple, deque)


@dataclass(frozen=True)
class _Orphan:
    """A slot that the memory does not have: what it belongs to, and the way there from a slot or from the variable."""

    slot: Slot
    owner: Any
    base: Slot | None
    path: tuple[Any, ...]


def handed_owner(b: Any, memory: Any, x: Any, like: Any) -> Any:
    """What a value itself receives of a gradient of a later memory, which has the slots of `like`."""
    found: Any = lazy_zero(x)
    for o in _orphans(like, memory, x):
        if o.base is None and o.slot in b:
            found = add_grad(found, _at_path(x, memory, o, b[o.slot]))
    return found


def handed_slots(b: Any, memory: Any, x: Any, like: Any) -> Any:
    """What the memory receives of it, what the value receives apart."""
    orphans = list(_orphans(like, memory, x))
    gone = {o.slot for o in orphans}
    found = Memory({s: _sized(v, memory.get(s)) for s, v in b.items() if s not in gone}, b.owners)
    for o in orphans:
        if o.base is not None and o.slot in b:
            part = Memory({o.base: _at_path(memory[o.base], memory, o, b[o.slot])}, memory.owners)
            found = found.plus(part, add_grad)
    return found


def returned_owner(b: Any, memory: Any, x: Any, like: Any) -> Any:
    """The transpose of `handed_owner`."""
    orphans = [o for o in _orphans(like, memory, x) if o.base is None]
    return Memory({o.slot: _from_path(b, x, memory, o, like) for o in orphans}, like.owners)


def returned_slots(b: Any, memory: Any, x: Any, like: Any) -> Any:
    """The transpose of `handed_slots`."""
    orphans = list(_orphans(like, memory, x))
    gone = {o.slot for o in orphans}
    found = {s: _sized(v, like.get(s)) for s, v in b.items() if s not in gone}
    for o in orphans:
        if o.base is not None:
            part = b.get(o.base)
            found[o.slot] = (
                init_grad(like[o.slot]) if part is None else _from_path(part, memory[o.base], memory, o, like)
            )
    return Memory(found, b.owners)


def _orphans(b: Any, memory: Any, x: Any) -> Iterator[_Orphan]:
    if all(s in memory for s, _ in b.items()):
        return
    seen: set[int] = set()
    for slot, value in memory.items():
        yield from _below(b, memory, value, slot, (), seen)
    yield from _below(b, memory, x, None, (), seen)


def _below(b: Any, memory: Any, x: Any, base: Slot | None, path: tuple[Any, ...], seen: set[int]) -> Iterator[_Orphan]:
    if id(x) in seen or is_of_compiler(x) or not (isinstance(x, (*CONTAINERS, np.ndarray)) or is_object(x)):
        return
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        if memory.arrays and x.dtype != object and key_of(x) in b and key_of(x) not in memory:
            yield _Orphan(key_of(x), x, base, path)
        return
    whole = slot_of(x, None)
    if whole in b and whole not in memory:
        yield _Orphan(whole, x, base, path)
    for k, v in parts_now(memory, x).items():
        slot = whole if isinstance(x, CONTAINERS) else slot_of(x, k)
        if not isinstance(x, CONTAINERS) and slot in b and slot not in memory:
            yield _Orphan(slot, x, base, (*path, k))
        if slot in memory:
            yield from _below(b, memory, v, slot, (k,) if isinstance(x, CONTAINERS) else (), seen)
        else:
            yield from _below(b, memory, v, base, (*path, k), seen)


def _sized(b: Any, like: Any) -> Any:
    """A gradient of the items of a list or dict, for one that may have had others: by place, or by key."""
    b = whole(b)
    if is_lazy(b) or is_lazy(like) or not isinstance(like, (list, dict, deque)) or len(b) == len(like):
        return b
    if isinstance(like, dict):
        return {k: b[k] if k in b else lazy_zero(v) for k, v in like.items()}
    return repack(like, *(b[i] if i < len(b) else lazy_zero(v) for i, v in enumerate(like)))


def _at_path(x: Any, memory: Any, o: _Orphan, b: Any) -> Any:
    """A gradient of x, or of what a slot holds, with one part."""
    part = elements(b, o.owner) if o.slot[1] == ELEMENTS else _sized(b, o.owner) if o.slot[1] is None else b
    return _put(x, memory, o.path, part)


def _put(x: Any, memory: Any, path: tuple[Any, ...], b: Any) -> Any:
    if not path:
        return b
    k, *rest = path
    now = contents(memory, x)
    inner = _put(parts_now(memory, x)[k], memory, tuple(rest), b)
    if isinstance(now, dict):
        return {key: inner if key == k else lazy_zero(v) for key, v in now.items()}
    if isinstance(now, (list, tuple, deque)):
        return repack(now, *(inner if i == k else lazy_zero(v) for i, v in enumerate(now)))
    return put_attribute(inner, x, k)


def _from_path(b: Any, x: Any, memory: Any, o: _Orphan, like: Any) -> Any:
    """The part of a gradient that was put there."""
    for k in o.path:
        if is_lazy(b):
            return init_grad(like[o.slot])
        b = b[k] if isinstance(x, CONTAINERS) else attribute_tangent(b, x, k)
        x = parts_now(memory, x)[k]
    if is_lazy(b):
        return init_grad(like[o.slot])
    return spread(b, o.owner) if o.slot[1] == ELEMENTS else _sized(b, like[o.slot])
