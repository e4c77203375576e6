"""Containers that are made of others, and copies, over a memory."""

from __future__ import annotations

from typing import Any

from tangent.runtime.classes import initial_names, names_held, require_tree
from tangent.runtime.dispatch import repack_from
from tangent.runtime.library import dict_of
from tangent.runtime.memory import CHANGEABLE, contents, initialised, new_list, new_object, remembered
from tangent.runtime.objects import is_object
from tangent.runtime.ordered import counts_of, key_set, new_counter, new_default_dict, new_deque, new_ordered_dict
from tangent.runtime.stateful.calls import call_class
from tangent.runtime.stateful.sequences import call_sequence


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


def call_replace(memory: Any, x: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace(x, ...)`."""
    names = initial_names(x)
    names = [*names, *[k for k in changes if k not in names]]  # which its initialiser does not take, and says so
    values = dict_of(names, [changes[k] if k in changes else remembered(memory, x, k) for k in names])
    return call_class(memory, type(x), **values)


def call_copy(memory: Any, x: Any) -> Any:
    """`copy.copy(x)`."""
    if is_object(x):
        made = new_object(type(x))
        for name in names_held(memory, x):
            memory = initialised(memory, made, name, remembered(memory, x, name))
        return made, memory
    if isinstance(x, CHANGEABLE):
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
        return repack_from(now, values), memory
    return new_list(now), memory


def copied_items(memory: Any, items: Any) -> Any:
    """A list of copies."""
    parts = []
    for v in items:
        part, memory = copied_deeply(memory, v)
        parts.append(part)
    return parts, memory


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
