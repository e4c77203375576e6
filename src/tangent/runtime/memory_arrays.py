"""Arrays that are written in place and that objects, lists or several variables hold: their elements are in the memory.

An array stands for the piece of storage that it shows. Where something is written into it, what the whole storage holds
is kept in the memory, as a flat vector in the order in which it lies; every view of it reads its elements there.

    a[i] = v       memory = written(memory, a, i, v)
    y = a * 2.0    y = contents(memory, a) * 2.0

The arrays themselves are never changed, so they stay what the backward pass and the caller know them as.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.errors import InPlaceError
from tangent.runtime.containers import is_lazy
from tangent.runtime.dispatch import init_grad, lazy_zero
from tangent.runtime.fit import unbroadcast
from tangent.runtime.memory import ELEMENTS, Memory, Slot, count_change, only, slot_of
from tangent.runtime.places import NOTHING, cleared, elements, places, root_of, spread


def is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype != object


def is_view(x: Any, index: Any) -> bool:
    """Whether `x[index]` is an array that shows a part of x."""
    if not isinstance(x, np.ndarray):
        return False
    part = x[index]
    return isinstance(part, np.ndarray) and part.size > 0 and np.may_share_memory(part, x)


def gives_view(way: Any, *args: Any, **named: Any) -> bool:
    """Whether a function of NumPy gives a view of an array that it is given; or, by its name, a method or attribute."""
    if isinstance(way, str):
        x, *args = args  # type: ignore[assignment]
        made = getattr(x, way) if is_array(x) else None
        arrays = [x]
    else:
        arrays = [a for a in args if is_array(a)]
        made = way if arrays else None
    if callable(made):
        made = made(*args, **named)
    parts = made if isinstance(made, (list, tuple)) else [made]
    return any(_shows(v, x) for v in parts for x in arrays)


def _shows(v: Any, x: Any) -> bool:
    return isinstance(v, np.ndarray) and v.size > 0 and v.dtype == x.dtype and np.may_share_memory(v, x)


def key_of(x: Any) -> Slot:
    return slot_of(root_of(x), ELEMENTS)


def first_elements(x: Any) -> Any:
    """What the storage holds, of which x shows all."""
    root = root_of(x)
    if x.size != root.size or not x.flags.writeable:
        raise InPlaceError(
            "cannot differentiate a write into a part of an array here",
            why="the rest of the array is not known where objects, lists or several variables hold it",
            todo="Write into the array itself, with the index of the part.",
        )
    found = np.empty(root.size, root.dtype)
    found[places(x)] = x
    return found


def written(memory: Any, x: Any, index: Any, value: Any) -> Any:
    """The memory after `x[index] = value`."""
    if not memory.arrays:
        raise InPlaceError(
            "cannot differentiate a write into an array here", why="where it is read again, it would be as it was",
            todo="Make a new array, or keep the array in a variable of its own and write through that.",
        )  # fmt: skip
    key = key_of(x)
    flat = memory[key].copy() if key in memory else first_elements(x)
    flat[places(x, index)] = value
    count_change()
    return memory.having(root_of(x), ELEMENTS, flat)


def pinned(memory: Any, x: Any) -> Any:
    """The memory with what an array holds, before parts of it get names of their own."""
    if not is_array(x) or not x.flags.writeable or key_of(x) in memory or x.size != root_of(x).size:
        return memory
    return memory.having(root_of(x), ELEMENTS, first_elements(x))


def is_pinned_here(memory: Any, x: Any) -> bool:
    return is_array(x) and x.flags.writeable and key_of(x) not in memory and x.size == root_of(x).size


def kept_grad(b: Any, memory: Any, x: Any, index: Any) -> Any:
    """What the memory receives where something was written: all but that."""
    key = key_of(x) if is_array(x) else None
    if key is None or key not in b:
        return b
    if key in memory:
        return b.having(root_of(x), ELEMENTS, cleared(b[key], x, index))
    return b.without(key)


def held_grad(b: Any, memory: Any, x: Any, index: Any) -> Any:
    """What an array itself receives where it was written into for the first time: for all that stays."""
    key = key_of(x) if is_array(x) else None
    if key is None or key in memory or key not in b:
        return lazy_zero(x)
    return elements(cleared(b[key], x, index), x)


def held_part(b: Any, memory: Any, x: Any, index: Any) -> Any:
    """The transpose of `held_grad`."""
    if not is_array(x) or key_of(x) in memory:
        return Memory()
    return only(root_of(x), ELEMENTS, cleared(spread(b, x), x, index))


def value_grad(b: Any, x: Any, index: Any, value: Any) -> Any:
    """What the value that was written receives."""
    key = key_of(x)
    if key not in b or x.dtype.kind not in "fc":
        return init_grad(value)
    return unbroadcast(_lasting(elements(b[key], x, index), x, index), value)


def value_part(b: Any, x: Any, index: Any) -> Any:
    """The transpose of `value_grad`."""
    if x.dtype.kind not in "fc":
        return Memory()
    return only(root_of(x), ELEMENTS, spread(b if is_lazy(b) else _lasting(b, x, index), x, index))


def _lasting(b: Any, x: Any, index: Any) -> Any:
    """What was written, but for what the same store wrote over: of an element named twice the last value stays."""
    where = places(x, index)
    order = np.arange(np.size(where)).reshape(np.shape(where))
    last = np.full(root_of(x).size, -1)
    last[where] = order
    stays = last[where] == order
    return b if np.all(stays) else np.where(stays, b, 0.0)


def written_tangent(dmemory: Any, dx: Any, memory: Any, x: Any, index: Any, dvalue: Any) -> Any:
    """The tangent of the memory after something was written."""
    if not is_array(x):
        return dmemory
    key = key_of(x)
    old = dmemory.get(key) if key in memory else (None if is_lazy(dx) else spread(dx, x))
    flat = np.zeros(root_of(x).size) if old is None or is_lazy(old) else old
    flat = cleared(flat, x, index)
    if not is_lazy(dvalue) and dvalue is not None and x.dtype.kind in "fc":
        flat = flat + spread(_lasting(dvalue, x, index), x, index)
    return dmemory.having(root_of(x), ELEMENTS, flat)


def pinned_tangent(dmemory: Any, dx: Any, memory: Any, x: Any) -> Any:
    """The tangent of the memory with what an array holds."""
    return written_tangent(dmemory, dx, memory, x, NOTHING, None) if is_pinned_here(memory, x) else dmemory


def pinned_grad(b: Any, memory: Any, x: Any) -> Any:
    return kept_grad(b, memory, x, NOTHING) if is_pinned_here(memory, x) else b


def pinned_owner(b: Any, memory: Any, x: Any) -> Any:
    return held_grad(b, memory, x, NOTHING) if is_pinned_here(memory, x) else lazy_zero(x)


def pinned_part(b: Any, memory: Any, x: Any) -> Any:
    return held_part(b, memory, x, NOTHING) if is_pinned_here(memory, x) else Memory()
