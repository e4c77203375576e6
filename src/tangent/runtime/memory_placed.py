"""What was shown of objects, lists, dicts and arrays taken for what they hold from there on; and the derivatives.

now = as_now(memory, x)                a value, with a gradient of its own
memory = placed_in(memory, x, now)     the same memory, in which all that x holds comes from `now`
x = kept_part(memory, x, now)          x itself where the memory follows it, else what was shown
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tangent.runtime.classes import require_held_once
from tangent.runtime.containers import is_lazy
from tangent.runtime.dispatch import add_grad, lazy_zero, repack
from tangent.runtime.memory import Memory, contents, only, slot_of, with_items
from tangent.runtime.memory_arrays import kept_grad, key_of, value_grad, written
from tangent.runtime.memory_view_grads import like_shown, part_of
from tangent.runtime.memory_views import parts_now, reaches_slot
from tangent.runtime.places import spread


def kept_part(memory: Any, x: Any, now: Any) -> Any:
    """What a place holds again: what is followed stays itself."""
    if not reaches_slot(memory, x):
        return now
    if isinstance(x, tuple):
        items = [kept_part(memory, v, n) for v, n in zip(x, now)]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    return x


def owned_part(b: Any, memory: Any, x: Any, own: bool) -> Any:
    """The part of a gradient that belongs to what is followed (`own`), or to what was shown."""
    if isinstance(x, tuple) and reaches_slot(memory, x) and not is_lazy(b):
        return repack(x, *(owned_part(p, memory, v, own) for p, v in zip(b, x)))
    return b if reaches_slot(memory, x) == own else lazy_zero(b)


def kept_tangent(dx: Any, dnow: Any, memory: Any, x: Any) -> Any:
    """The tangent of what a place holds again."""
    if isinstance(x, tuple) and reaches_slot(memory, x) and not is_lazy(dx) and not is_lazy(dnow):
        return repack(x, *(kept_tangent(a, b, memory, v) for a, b, v in zip(dx, dnow, x)))
    return dx if reaches_slot(memory, x) else dnow


def placed_in(memory: Any, x: Any, now: Any) -> Any:
    """The memory in which x holds what was shown of it."""
    if not reaches_slot(memory, x):
        return memory
    require_held_once(memory, x)
    return _placed(memory, memory, x, now)


def _placed(made: Any, memory: Any, x: Any, now: Any) -> Any:
    if not reaches_slot(memory, x):
        return made
    if isinstance(x, np.ndarray):
        return written(made, x, ..., now)
    kept: dict[Any, Any] = {}
    for k, v in parts_now(memory, x).items():
        shown = part_of(now, x, k)
        made = _placed(made, memory, v, shown)
        kept[k] = kept_part(memory, v, shown)
    for (_, name), value in _slots(memory, x, kept).items():
        made = made.having(x, name, value)
    return made


def _slots(memory: Any, x: Any, parts: dict[Any, Any]) -> Memory:
    """The slots of an object, list or dict, with what it holds; a tuple has none."""
    if isinstance(x, tuple):
        return Memory()
    if not isinstance(x, (list, dict, deque)):
        found = Memory({slot_of(x, k): v for k, v in parts.items()})
        found.owners.objects[id(x)] = x
        return found
    values = iter(parts.values())
    return only(x, None, with_items(contents(memory, x), lambda _: next(values)))


def placed_rest(b: Any, memory: Any, x: Any) -> Any:
    """What the memory receives where something was placed in it: all but that."""
    if not reaches_slot(memory, x):
        return b
    if isinstance(x, np.ndarray):
        return kept_grad(b, memory, x, ...)
    parts = parts_now(memory, x)
    placed = _slots(memory, x, parts)
    b = b.among(lambda s: s not in placed)
    for v in parts.values():
        b = placed_rest(b, memory, v)
    return b


def placed_grad(b: Any, memory: Any, x: Any, now: Any) -> Any:
    """What receives that which was placed in the memory."""
    return _gathered(b, None, memory, x, now)


def _gathered(b: Any, held: Any, memory: Any, x: Any, now: Any) -> Any:
    """The gradient of what was shown; `held` is that of the place which holds it."""
    if not reaches_slot(memory, x):
        return lazy_zero(now) if held is None else held
    if isinstance(x, np.ndarray):
        return value_grad(b, x, ..., now)
    parts = parts_now(memory, x)
    if isinstance(x, (list, dict, deque)):
        held = b.get(slot_of(x, None))
    found = {}
    for k, v in parts.items():
        inner = b.get(slot_of(x, k)) if not isinstance(x, (list, dict, tuple, deque)) else _item(held, k)
        found[k] = _gathered(b, inner, memory, v, part_of(now, x, k))
    return like_shown(now, found)


def _item(b: Any, k: Any) -> Any:
    return None if b is None or is_lazy(b) else b[k]


def placed_part(b: Any, memory: Any, x: Any) -> Any:
    """The transpose of `placed_grad`."""
    return _scattered(b, memory, x)[1]


def _scattered(b: Any, memory: Any, x: Any) -> tuple[Any, Memory]:
    """What a place that holds x receives, and what the memory does."""
    if not reaches_slot(memory, x):
        return b, Memory()
    if b is None or is_lazy(b):
        return lazy_zero(x), Memory()
    if isinstance(x, np.ndarray):
        return lazy_zero(x), Memory({key_of(x): spread(b, x)}, memory.owners)
    found, held = Memory(), {}
    for k, v in parts_now(memory, x).items():
        held[k], inner = _scattered(part_of(b, x, k), memory, v)
        found = found.plus(inner, add_grad)
    own = repack(x, *held.values()) if isinstance(x, tuple) else lazy_zero(x)
    return own, found.plus(_slots(memory, x, held), add_grad)


def placed_tangent(dmemory: Any, dnow: Any, memory: Any, x: Any) -> Any:
    """The tangent of the memory in which x holds what was shown."""
    return placed_rest(dmemory, memory, x).plus(placed_part(dnow, memory, x), add_grad)
