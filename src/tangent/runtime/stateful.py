"""Calls and changes over a memory: plain Python that Tangent reads, each with the memory as first argument.

What a call gives is a pair, its result and the memory after it; what only changes something gives the memory.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tangent.errors import UnsupportedError
from tangent.runtime.calls import threaded
from tangent.runtime.classes import (
    factory_of,
    initial_names,
    is_made_by_class,
    is_namespace,
    is_own_method,
    listing_of,
    maker_of,
    names_held,
    order_of_keys,
    place_of_extreme,
    require_tree,
    setter_of,
)
from tangent.runtime.containers import mutated
from tangent.runtime.dispatch import sequence
from tangent.runtime.kernels.sequences import picked
from tangent.runtime.library import dict_of
from tangent.runtime.memory import (
    changed,
    contents,
    current,
    initialised,
    is_held,
    is_remembered,
    new_list,
    new_object,
    remembered,
    require_known,
)
from tangent.runtime.memory_arrays import is_array, is_view, pinned, written
from tangent.runtime.memory_views import as_now
from tangent.runtime.objects import getter_of, has_method, is_kept, is_object, is_property, method_of, require_kept
from tangent.runtime.ordered import (
    change_set,
    counts_of,
    heap_order,
    is_counter,
    is_range_or_text,
    is_set,
    key_at_end,
    key_set,
    new_counter,
    new_default_dict,
    new_deque,
    new_ordered_dict,
    of_text,
    place_for,
    place_of,
    plain_items,
)


def call_deque(memory: Any, items: Any = (), maxlen: Any = None) -> Any:
    """`deque(items, maxlen)`."""
    found = list(contents(memory, items))
    kept = found if maxlen is None or len(found) <= maxlen else found[len(found) - maxlen :]
    return new_deque(kept, maxlen), memory


def call_default_dict(memory: Any, factory: Any = None, items: Any = (), /, **named: Any) -> Any:
    """`defaultdict(factory, items)`."""
    return new_default_dict(factory, items_given(memory, items, named)), memory


def call_ordered_dict(memory: Any, items: Any = (), /, **named: Any) -> Any:
    """`OrderedDict(items)`."""
    return new_ordered_dict(items_given(memory, items, named)), memory


def call_counter(memory: Any, items: Any = (), /, **named: Any) -> Any:
    """`Counter(items)`."""
    if isinstance(items, dict):
        return new_counter(items_given(memory, items, named)), memory
    return new_counter({**counts_of(contents(memory, items)), **named}), memory


def items_given(memory: Any, items: Any, named: Any) -> Any:
    """What a dict is made of, as a dict."""
    now = contents(memory, items)
    if isinstance(now, dict):
        return {**now, **named}
    pairs = [contents(memory, pair) for pair in now]
    return {**dict_of([pair[0] for pair in pairs], [pair[1] for pair in pairs]), **named}


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
    if is_range_or_text(owner):
        return of_text(owner, name, current(memory, args), named), memory
    held = remembered(memory, owner, name)
    inner = threaded(memory, held)
    return inner(memory, *args, **named)


def call_class(memory: Any, cls: Any, /, *args: Any, **named: Any) -> Any:
    """`cls(...)`: an object, and what its initialiser does."""
    if is_made_by_class(cls):
        made = cls(*args, **named)
        return made, memory
    whole = maker_of(cls)
    if whole is not None:
        make = threaded(memory, whole)
        return make(memory, *args, **named)
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
    if is_kept(x, name):
        return call_kept(memory, x, name)
    if is_property(x, name):
        getter = threaded(memory, getter_of(x, name))
        return getter(memory, x)
    return remembered(memory, x, name), memory


def call_kept(memory: Any, x: Any, name: str) -> Any:
    """`x.name`, of which the class computes the first value, and the object keeps it."""
    if is_held(memory, x, name):
        return remembered(memory, x, name), memory
    getter = threaded(memory, getter_of(x, name))
    value, memory = getter(memory, x)
    require_kept(x, name, value)
    return value, initialised(memory, x, name, value)


def call_setter(memory: Any, x: Any, name: str, value: Any) -> Any:
    """`x.name = value`, which may be a property."""
    if is_property(x, name) and not is_kept(x, name):
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
    if isinstance(index, slice):
        several = list(contents(memory, value))
        return changed(memory, x, None, mutated(now, "__setitem__", index, several))
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
        if is_counter(x):
            memory = counted(memory, x, contents(memory, other))
            continue
        now = contents(memory, x)
        memory = changed(memory, x, None, mutated(now, "update", None, contents(memory, other)))
    if is_counter(x):
        return None, counted(memory, x, named)
    now = contents(memory, x)
    return None, changed(memory, x, None, mutated(now, "update", None, named))


def counted(memory: Any, x: Any, other: Any) -> Any:
    """The memory after `x.update(other)`, of a Counter."""
    keys = list(other)
    for key in keys:
        now = contents(memory, x)
        more = other[key] if isinstance(other, dict) else 1
        memory = changed(memory, x, None, mutated(now, "__setitem__", key, now[key] + more))
    return memory


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
    key = args[0] if args else None
    item = now[-1 if key is None else key]
    return item, changed(memory, x, None, mutated(now, "pop", key, None))


def call_popleft(memory: Any, x: Any) -> Any:
    """`x.popleft()`, of a deque."""
    if is_object(x):
        return call_method(memory, x, "popleft")
    now = contents(memory, x)
    return now[0], held_anew(memory, x, "popleft")


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


def call_remove(memory: Any, x: Any, value: Any) -> Any:
    """`x.remove(value)`."""
    if is_object(x):
        return call_method(memory, x, "remove", value)
    if is_set(x):
        change_set(x, "remove", value)
        return None, memory
    place = place_of(current(memory, x), current(memory, value))
    return None, held_anew(memory, x, "__delitem__", place)


def call_add(memory: Any, x: Any, value: Any) -> Any:
    """`x.add(value)`: a set holds keys, no values."""
    if is_set(x):
        change_set(x, "add", value)
        return None, memory
    return call_method(memory, x, "add", value)


def call_discard(memory: Any, x: Any, value: Any) -> Any:
    """`x.discard(value)`, of a set."""
    if is_set(x):
        change_set(x, "discard", value)
        return None, memory
    return call_method(memory, x, "discard", value)


def call_popitem(memory: Any, x: Any, last: bool = True) -> Any:
    """`x.popitem()`."""
    if is_object(x):
        return call_method(memory, x, "popitem")
    now = contents(memory, x)
    key = key_at_end(now, last)
    return (key, now[key]), held_anew(memory, x, "pop", key)


def call_move_to_end(memory: Any, x: Any, key: Any, last: bool = True) -> Any:
    """`x.move_to_end(key)`, of an OrderedDict."""
    if is_object(x):
        return call_method(memory, x, "move_to_end", key, last)
    return None, held_anew(memory, x, "move_to_end", key, last)


def call_sort(memory: Any, x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`x.sort()`."""
    if is_object(x):
        return call_method(memory, x, "sort", key=key, reverse=reverse)
    require_changeable(x, "sort")
    now = contents(memory, x)
    if key is not None:
        items, memory = call_sorted_by(memory, x, key, reverse)
        return None, changed(memory, x, None, items)
    order = order_of_keys([current(memory, v) for v in now], reverse)
    return None, changed(memory, x, None, picked(now, order))


def call_heap(memory: Any, name: str, heap: Any, /, *given: Any) -> Any:
    """A function of `heapq`: what it gives, and the memory after it."""
    items = [*contents(memory, heap), *given]
    order, first = heap_order(name, [current(memory, v) for v in items])
    memory = changed(memory, heap, None, picked(items, order))
    return None if first is None else items[first], memory


def call_insort(memory: Any, right: bool, x: Any, value: Any, /, *bounds: Any, **options: Any) -> Any:
    """`bisect.insort(x, value)`."""
    place = place_for(right, current(memory, x), current(memory, value), *bounds, **options)
    return None, held_anew(memory, x, "insert", place, value)


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
    if isinstance(x, list | dict | deque):
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
    if has_method(x, "__iter__"):
        return call_function(memory, listing_of(x), x)
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


def call_list(memory: Any, x: Any = ()) -> Any:
    """`list(x)`."""
    items, memory = call_sequence(memory, x)
    return new_list([*items]), memory


def call_set(memory: Any, x: Any = ()) -> Any:
    """`set(x)`."""
    items, memory = call_sequence(memory, x)
    return key_set(items), memory


def call_tuple(memory: Any, x: Any = ()) -> Any:
    """`tuple(x)`."""
    items, memory = call_sequence(memory, x)
    return (*items,), memory


def call_dict(memory: Any, x: Any = (), /, **named: Any) -> Any:
    """`dict(x)`."""
    return new_list(items_given(memory, x, named)), memory


def call_sorted(memory: Any, x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted(x)`."""
    items, memory = call_sequence(memory, x)
    order = order_of_keys([current(memory, v) for v in items], reverse)
    return new_list([items[i] for i in order]), memory


def call_sorted_by(memory: Any, iterable: Any, key: Any, reverse: bool = False) -> Any:
    """`sorted(iterable, key=key)`."""
    items, memory = call_sequence(memory, iterable)
    keys, memory = call_keys(memory, items, key)
    return [items[i] for i in order_of_keys(as_now(memory, keys), reverse)], memory


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
    return items[place_of_extreme(as_now(memory, keys), largest)], memory


def require_changeable(x: Any, what: str) -> None:
    """Stop at what is neither a list nor a dict nor an object: an array, a deque."""
    if not isinstance(x, list | dict | deque):
        raise UnsupportedError(
            f"cannot differentiate '{what}' of a {type(x).__name__} here",
            why="objects are made or changed in the same function, where only lists, dicts and objects are followed",
            todo="Make a new array instead, or use a list.",
        )
