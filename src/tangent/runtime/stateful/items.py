"""Items of lists, dicts, arrays and objects over a memory: read, stored, deleted."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, UnsupportedError
from tangent.runtime.filling import is_missing, made_by_default
from tangent.runtime.memory import CHANGEABLE, changed, contents
from tangent.runtime.memory_arrays import is_array, is_view, pinned, written
from tangent.runtime.memory_items import changed_items, item_now
from tangent.runtime.objects import is_object, is_told
from tangent.runtime.ordered import changes_in_place, is_range_or_text, of_text
from tangent.runtime.persistent import has_rows
from tangent.runtime.stateful.calls import call_method, call_setter
from tangent.runtime.storage.writers import placed, sources


def call_item(memory: Any, x: Any, index: Any) -> Any:
    """`x[index]`."""
    if is_object(x):
        return call_method(memory, x, "__getitem__", index)
    if is_range_or_text(x):
        return of_text(x, "__getitem__", (index,), {}), memory
    if is_view(x, index):
        return x[index], pinned(memory, x)
    memory = with_default(memory, x, index)
    return item_now(memory, x, index), memory


def with_default(memory: Any, x: Any, key: Any) -> Any:
    """The memory in which `x[key]` is read: a defaultdict takes in what it does not have."""
    if not is_missing(contents(memory, x), key):
        return memory
    return changed_items(memory, x, "__setitem__", key, made_by_default(contents(memory, x)))


def call_length(memory: Any, x: Any) -> Any:
    """`len(x)`."""
    if is_object(x):
        return call_method(memory, x, "__len__")
    return len(contents(memory, x)), memory


def call_store(memory: Any, x: Any, index: Any, value: Any) -> Any:
    """`x[index] = value`."""
    if is_object(x):
        _, memory = call_method(memory, x, "__setitem__", index, value)
        return memory
    if is_array(x):
        return written(memory, x, index, contents(memory, value))
    require_changeable(x, "[...] = ...")
    if has_rows(x):
        return changed_items(memory, x, "__setitem__", index, contents(memory, value))
    if isinstance(index, slice):
        several = list(contents(memory, value))
        return changed_items(memory, x, "__setitem__", index, several)
    return changed_items(memory, x, "__setitem__", index, value)


def call_rebound(memory: Any, x: Any, value: Any) -> Any:
    """`x += ...`, of which the value is known: what x is then."""
    if is_array(x):
        return x, written(memory, x, ..., value)
    if isinstance(x, (list, deque, dict, set)):
        return x, changed(memory, x, None, value)
    if has_rows(x):
        return x, call_store(memory, x, ..., value)
    return value, memory


def call_augmented(memory: Any, owner: Any, name: str, old: Any, value: Any) -> Any:
    """`owner.name += ...`, of which the value is known: an array is written, and then assigned."""
    if not changes_in_place(old):
        return call_setter(memory, owner, name, value)
    _, memory = call_rebound(memory, old, value)
    return call_setter(memory, owner, name, old) if is_told(owner, name) else memory


def call_augmented_item(memory: Any, x: Any, index: Any, old: Any, value: Any) -> Any:
    """`x[index] += ...`, of which the value is known."""
    if is_array(x) or has_rows(x) or not changes_in_place(old):
        return call_store(memory, x, index, value)
    _, memory = call_rebound(memory, old, value)
    return call_store(memory, x, index, old) if is_object(x) else memory


def call_fill(memory: Any, x: Any, value: Any) -> Any:
    """`x.fill(value)`."""
    if is_object(x):
        return call_method(memory, x, "fill", value)
    return None, written(memory, x, ..., value)


def call_partition(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.partition(kth)`."""
    if is_object(x):
        return call_method(memory, x, "partition", *args, **named)
    return None, written(memory, x, ..., np.partition(contents(memory, x), *args, **named))


def call_put(memory: Any, x: Any, index: Any, value: Any, /, *args: Any, **named: Any) -> Any:
    """`x.put(index, value)`."""
    if is_object(x):
        return call_method(memory, x, "put", index, value, *args, **named)
    now, given = contents(memory, x), contents(memory, value)
    taken = sources(np.put, now, given, 1, contents(memory, index), *args, **named)
    return None, written(memory, x, ..., placed(now, given, taken))


def call_delete(memory: Any, x: Any, index: Any) -> Any:
    """`del x[index]`."""
    if is_object(x):
        _, memory = call_method(memory, x, "__delitem__", index)
        return memory
    require_changeable(x, "del")
    return changed_items(memory, x, "__delitem__", index, None)


def held_anew(memory: Any, x: Any, method: str, key: Any = None, value: Any = None) -> Any:
    """The memory after a method of a list or dict has changed what it holds."""
    require_changeable(x, method)
    return changed_items(memory, x, method, key, value)


def require_changeable(x: Any, what: str) -> None:
    """Stop at what is no list, dict, deque or persistent array, nor an object: an array."""
    if not isinstance(x, CHANGEABLE):
        raise UnsupportedError(
            f"cannot differentiate '{what}' of a {type(x).__name__} here",
            why="objects are made or changed in the same function, where only lists, dicts and objects are followed",
            todo="Make a new array instead, or use a list.",
        )


def require_items(x: Any) -> None:
    """Stop at `xs += x` where x is an array: NumPy adds it to the items of the list."""
    if isinstance(x, np.ndarray):
        raise UnsupportedError(
            "cannot differentiate '+=' of an array to a list here",
            why="the list is changed in other ways, too, and would be an array from here on",
            todo="Write 'xs.extend(x)' for a longer list, or 'np.array(xs) + x' for a sum.",
        )


def require_real(x: Any, part: str) -> None:
    """Stop at a part of a complex array that gets a name: it would not show what is written into the array later."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "c":
        raise InPlaceError(
            f"cannot differentiate a name for '{part}' of a complex array here",
            why="arrays that others hold are written in place, and it may be a view of one",
            todo=f"Make a copy of it (z.{part}.copy()), or use 'z.{part}' where it is needed.",
        )  # fmt: skip


def require_unwritten_part(x: Any, part: str) -> None:
    """Stop at a store into a part of a complex array: in a memory the array is kept whole."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "c":
        raise InPlaceError(
            f"cannot differentiate a write into '{part}' of a complex array here",
            why="the rest of the array is not known where objects, lists or several variables hold it",
            todo="Write the whole of it: z[...] = re + 1j * im.",
        )  # fmt: skip


def require_no_array(x: Any, what: str) -> None:
    """Stop at a method that changes an array which others may hold; of an object it is one of its class."""
    if is_array(x):
        raise InPlaceError(
            f"cannot differentiate '{what}' here", why="it changes an array that others may hold",
            todo="Assign to 'a[:]' what a function gives.",
        )  # fmt: skip
