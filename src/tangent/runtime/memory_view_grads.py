"""The derivatives of showing objects, lists and dicts as the memory says that they are."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tangent.runtime.containers import is_lazy
from tangent.runtime.dispatch import add_grad, get_attribute, init_grad, lazy_zero, repack
from tangent.runtime.memory import Memory, contents, only, slot_of
from tangent.runtime.memory_arrays import key_of
from tangent.runtime.memory_grads import read_tangent
from tangent.runtime.memory_views import parts_now, reaches_slot
from tangent.runtime.objects import fields_of, remade
from tangent.runtime.places import spread


def now_slots(b: Any, memory: Any, x: Any) -> Any:
    """What the memory receives where something was shown."""
    return _parted(b, memory, x, ())[1]


def now_owner(b: Any, memory: Any, x: Any) -> Any:
    """What a value itself receives where it was shown."""
    return _parted(b, memory, x, ())[0]


def _parted(b: Any, memory: Any, x: Any, around: tuple[int, ...]) -> tuple[Any, Memory]:
    """A gradient of what is shown, parted: what belongs to the value, and what to the memory."""
    if not reaches_slot(memory, x):
        return b, Memory()
    if b is None or is_lazy(b) or id(x) in around:
        return lazy_zero(x), Memory()
    if isinstance(x, np.ndarray):
        return lazy_zero(x), Memory({key_of(x): spread(b, x)}, memory.owners)
    own, found = {}, Memory()
    for k, v in parts_now(memory, x).items():
        part, inner = _parted(part_of(b, x, k), memory, v, (*around, id(x)))
        found = found.plus(inner, add_grad)
        if isinstance(k, str) and slot_of(x, k) in memory:
            found = found.plus(only(x, k, part), add_grad)
        else:
            own[k] = part
    if slot_of(x, None) in memory:
        return lazy_zero(x), found.plus(
            only(x, None, own if isinstance(x, dict) else repack(contents(memory, x), *own.values())),
            add_grad,
        )
    return like_shown(x, own), found


def now_tangent(dmemory: Any, dx: Any, memory: Any, x: Any) -> Any:
    """The tangent of what is shown."""
    return _shown(dmemory, dx, memory, x, ())


def _shown(dmemory: Any, dx: Any, memory: Any, x: Any, around: tuple[int, ...]) -> Any:
    if not reaches_slot(memory, x):
        return dx
    if isinstance(x, np.ndarray):
        return read_tangent(dmemory, dx, memory, x, None)
    if id(x) in around:
        return None
    inside = (*around, id(x))
    dnow = read_tangent(dmemory, dx, memory, x, None) if isinstance(x, (list, dict, deque)) else dx
    shown = {
        k: _shown(dmemory, _moved(dmemory, dnow, memory, x, k, v), memory, v, inside)
        for k, v in parts_now(memory, x).items()
    }
    if isinstance(x, dict):
        return shown
    return like_shown(x, shown)


def _moved(dmemory: Any, dx: Any, memory: Any, x: Any, k: Any, v: Any) -> Any:
    """The tangent of a part: the memory's, where the memory has it."""
    if isinstance(k, str) and slot_of(x, k) in memory:
        return dmemory[slot_of(x, k)] if slot_of(x, k) in dmemory else init_grad(v)
    return part_of(dx, x, k)


def part_of(b: Any, x: Any, k: Any) -> Any:
    """An item or attribute of a gradient, or of what was shown."""
    return b[k] if isinstance(x, (list, dict, tuple, deque)) else get_attribute(b, k)


def like_shown(x: Any, parts: dict[Any, Any]) -> Any:
    """The gradient of an object, list, dict or tuple, of its parts."""
    if isinstance(x, dict):
        return parts
    return (
        repack(x, *parts.values())
        if isinstance(x, (list, tuple, deque))
        else remade(x, {**fields_of(init_grad(x)), **parts})
    )
