"""Calls and changes over a memory: plain Python that Tangent reads, each with the memory as first argument.

What a call gives is a pair, its result and the memory after it; what only changes something gives the memory.
"""

from __future__ import annotations

from typing import Any

from tangent.errors import UnsupportedError
from tangent.runtime.calls import threaded
from tangent.runtime.classes import (
    factory_of,
    initial_names,
    is_made_by_class,
    is_namespace,
    is_own_method,
    names_held,
    order_of_keys,
    place_of_extreme,
    require_tree,
    setter_of,
)
from tangent.runtime.containers import mutated
from tangent.runtime.dispatch import sequence
from tangent.runtime.library import dict_of
from tangent.runtime.memory import (
    changed,
    contents,
    initialised,
    is_remembered,
    new_list,
    new_object,
    remembered,
    require_known,
)
from tangent.runtime.memory_arrays import is_array, is_view, pinned, written
from tangent.runtime.objects import getter_of, is_object, is_property, method_of


def call_function(memory: Any, function: Any, /, *args: Any, **named: Any) -> Any:
    """A call of a function that is known when it happens."""
    require_known(memory, function)
    inner = threaded(memory, function)
    return inner(memory, *args, **named)


def call_method(memory: Any, owner: Any, name: str, /, *args: Any, **named: Any) -> Any:
    """`owner.name(...)`."""
    if is_own_method(memory, owner, name):
        method = threaded(memory, method_of(owner, name))
        return method(memory, owner, *args, **named)
    held = remembered(memory, owner, name)
    inner = threaded(memory, held)
    return inner(memory, *args, **named)


def call_class(memory: Any, cls: Any, /, *args: Any, **named: Any) -> Any:
    """`cls(...)`: an object, and what its initialiser does."""
    if is_made_by_class(cls):
        made = cls(*args, **named)
        return made, memory
    owner = new_object(cls)
    if is_namespace(cls):
        for name in named:
            memory = changed(memory, owner, name, named[name])
        return owner, memory
    initialise = threaded(memory, factory_of(cls))
    _, memory = initialise(memory, owner, *args, **named)
    return owner, memory


def remembered_or(memory: Any, x: Any, name: str, default: Any) -> Any:
    """`getattr(x, name, default)`."""
    if is_remembered(memory, x, name):
        return remembered(memory, x, name)
    return default


def call_getter(memory: Any, x: Any, name: str) -> Any:
    """`x.name`, which may be a property."""
    if is_property(x, name):
        getter = threaded(memory, getter_of(x, name))
        return getter(memory, x)
    return remembered(memory, x, name), memory


def call_setter(memory: Any, x: Any, name: str, value: Any) -> Any:
    """`x.name = value`, which may be a property."""
    if is_property(x, name):
        setter = threaded(memory, setter_of(x, name))
        _, memory = setter(memory, x, value)
        return memory
    return changed(memory, x, name, value)


def call_item(memory: Any, x: Any, index: Any) -> Any:
    """`x[index]`."""
    if is_object(x):
        return call_method(memory, x, "__getitem__", index)
    if is_view(x, index):
        return x[index], pinned(memory, x)
    now = contents(memory, x)
    return now[index], memory


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
    now = contents(memory, x)
    return changed(memory, x, None, mutated(now, "__setitem__", index, value))


def call_rebound(memory: Any, x: Any, value: Any) -> Any:
    """`x += ...`, of which the value is known: what x is then."""
    if is_array(x):
        return x, written(memory, x, ..., value)
    if isinstance(x, list):
        return x, changed(memory, x, None, value)
    return value, memory


def call_augmented(memory: Any, owner: Any, name: str, old: Any, value: Any) -> Any:
    """`owner.name += ...`, of which the value is known."""
    if is_array(old):
        return written(memory, old, ..., value)
    if isinstance(old, list):
        return changed(memory, old, None, value)
    return call_setter(memory, owner, name, value)


def call_augmented_item(memory: Any, x: Any, index: Any, old: Any, value: Any) -> Any:
    """`x[index] += ...`, of which the value is known."""
    if is_array(old) and not is_array(x):
        return written(memory, old, ..., value)
    return call_store(memory, x, index, value)


def call_fill(memory: Any, x: Any, value: Any) -> Any:
    """`x.fill(value)`."""
    if is_object(x):
        return call_method(memory, x, "fill", value)
    return None, written(memory, x, ..., value)


def call_delete(memory: Any, x: Any, index: Any) -> Any:
    """`del x[index]`."""
    if is_object(x):
        _, memory = call_method(memory, x, "__delitem__", index)
        return memory
    require_changeable(x, "del")
    now = contents(memory, x)
    return changed(memory, x, None, mutated(now, "__delitem__", index, None))


def held_anew(memory: Any, x: Any, method: str, key: Any = None, value: Any = None) -> Any:
    """The memory after a method of a list or dict has changed what it holds."""
    require_changeable(x, method)
    now = contents(memory, x)
    return changed(memory, x, None, mutated(now, method, key, value))


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
    now = contents(memory, x)
    more = list(contents(memory, values))
    return None, changed(memory, x, None, mutated(now, "extend", None, more))


def call_update(memory: Any, x: Any, /, *args: Any, **named: Any) -> Any:
    """`x.update(other)`, of a dict."""
    if is_object(x):
        return call_method(memory, x, "update", *args, **named)
    require_changeable(x, "update")
    for other in args:
        now = contents(memory, x)
        memory = changed(memory, x, None, mutated(now, "update", None, contents(memory, other)))
    now = contents(memory, x)
    return None, changed(memory, x, None, mutated(now, "update", None, named))


def call_insert(memory: Any, x: Any, index: Any, value: Any) -> Any:
    """`x.insert(index, value)`."""
    if is_object(x):
        return call_method(memory, x, "insert", index, value)
    return None, held_anew(memory, x, "insert", index, value)


def call_pop(memory: Any, x: Any, /, *args: Any) -> Any:
    """`x.pop()`, `x.pop(index)`, `x.pop(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "pop", *args)
    require_changeable(x, "pop")
    now = contents(memory, x)
    if len(args) == 2 and args[0] not in now:
        return args[1], memory
    key = args[0] if args else -1
    item = now[key]
    return item, changed(memory, x, None, mutated(now, "pop", key, None))


def call_clear(memory: Any, x: Any) -> Any:
    """`x.clear()`."""
    if is_object(x):
        return call_method(memory, x, "clear")
    return None, held_anew(memory, x, "clear")


def call_reverse(memory: Any, x: Any) -> Any:
    """`x.reverse()`."""
    if is_object(x):
        return call_method(memory, x, "reverse")
    return None, held_anew(memory, x, "reverse")


def call_setdefault(memory: Any, x: Any, key: Any, default: Any = None) -> Any:
    """`x.setdefault(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "setdefault", key, default)
    require_changeable(x, "setdefault")
    now = contents(memory, x)
    if key in now:
        return now[key], memory
    return default, changed(memory, x, None, mutated(now, "__setitem__", key, default))


def call_get(memory: Any, x: Any, key: Any, default: Any = None) -> Any:
    """`x.get(key, default)`."""
    if is_object(x):
        return call_method(memory, x, "get", key, default)
    now = contents(memory, x)
    if key in now:
        return now[key], memory
    return default, memory


def call_replace(memory: Any, x: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace(x, ...)`."""
    names = initial_names(x)
    values = dict_of(names, [changes[k] if k in changes else remembered(memory, x, k) for k in names])
    return call_class(memory, type(x), **values)


def call_copy(memory: Any, x: Any) -> Any:
    """`copy.copy(x)`."""
    if is_object(x):
        made = new_object(type(x))
        for name in names_held(memory, x):
            memory = initialised(memory, made, name, remembered(memory, x, name))
        return made, memory
    if isinstance(x, list | dict):
        return new_list(contents(memory, x)), memory
    return x, memory


def call_deepcopy(memory: Any, x: Any) -> Any:
    """`copy.deepcopy(x)`."""
    require_tree(memory, x)
    return copied_deeply(memory, x)


def copied_deeply(memory: Any, x: Any) -> Any:
    """A copy of x and of all that it holds, of which nothing is there twice."""
    if is_object(x):
        made = new_object(type(x))
        for name in names_held(memory, x):
            part, memory = copied_deeply(memory, remembered(memory, x, name))
            memory = initialised(memory, made, name, part)
        return made, memory
    now = contents(memory, x)
    if isinstance(now, dict):
        keys = list(now)
        values, memory = copied_items(memory, [now[k] for k in keys])
        return dict_of(keys, values), memory
    if isinstance(now, list):
        return copied_items(memory, now)
    if isinstance(now, tuple):
        values, memory = copied_items(memory, now)
        return tuple(values), memory
    return new_list(now), memory


def copied_items(memory: Any, items: Any) -> Any:
    """A list of copies."""
    parts = []
    for v in items:
        part, memory = copied_deeply(memory, v)
        parts.append(part)
    return parts, memory


def call_sequence(memory: Any, x: Any) -> Any:
    """What a loop over x runs over."""
    if is_object(x):
        count, memory = call_method(memory, x, "__len__")
        items = []
        for i in range(count):
            item, memory = call_method(memory, x, "__getitem__", i)
            items.append(item)
        return items, memory
    return sequence(contents(memory, x)), memory


def call_sorted_by(memory: Any, iterable: Any, key: Any, reverse: bool = False) -> Any:
    """`sorted(iterable, key=key)`."""
    items = list(contents(memory, iterable))
    keys = []
    for v in items:
        k, memory = call_function(memory, key, v)
        keys.append(k)
    return [items[i] for i in order_of_keys(keys, reverse)], memory


def call_chosen_by(memory: Any, iterable: Any, key: Any, largest: bool) -> Any:
    """`max(iterable, key=key)`, or `min`."""
    items = list(contents(memory, iterable))
    keys = []
    for v in items:
        k, memory = call_function(memory, key, v)
        keys.append(k)
    return items[place_of_extreme(keys, largest)], memory


def require_changeable(x: Any, what: str) -> None:
    """Stop at what is neither a list nor a dict nor an object: an array, a deque."""
    if not isinstance(x, list | dict):
        raise UnsupportedError(
            f"cannot differentiate '{what}' of a {type(x).__name__} here",
            why="objects are made or changed in the same function, where only lists, dicts and objects are followed",
            todo="Make a new array instead, or use a list.",
        )
