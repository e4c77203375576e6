"""What objects, lists and dicts hold, beside them: a table that is never changed, only made anew (runtime/tables.py).

A function that makes objects or changes them is differentiated over such a table. An object is told by what it is, not
by what it holds, so two variables that refer to one object see the same; the objects of the caller stay as they are.

    c.h = v        memory = changed(memory, c, "h", v)
    v = c.h        v = remembered(memory, c, "h")          (of an object that was never changed, its own attribute)
    xs.append(v)   memory = appended(memory, xs, v)        (runtime/stateful)

The gradient of a table is a table of gradients; what it does not have is zero.
"""

from __future__ import annotations

import dataclasses
import threading
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, Location, UnsupportedError
from tangent.runtime.objects import (
    NO_OPERATORS,
    Internal,
    is_descriptor,
    is_frozen,
    is_lasting,
    is_looked_up,
    is_object,
    is_property,
    operators_in,
    require_usual_reading,
)
from tangent.runtime.persistent import PersistentArray
from tangent.runtime.places import elements, root_of
from tangent.runtime.tables import ABSENT, Table
from tangent.runtime.usual import require_usual_items

Slot = tuple[int, str | None]  # an attribute of an object, by its id; without a name, all that a list or dict holds


def slot_of(x: Any, name: str | None) -> Slot:
    """Where the memory has an attribute of an object, or what a list or dict holds."""
    return id(x), name


class Variable:
    """A variable that changes while functions that captured it are kept (normalise/boxes.py)."""

    value: Any


NUMBERS = frozenset((float, int, bool, str, type(None), np.float64))  # nothing is in them
CHANGEABLE = (list, dict, deque, set, PersistentArray)  # what is made anew in the memory where it changes
ELEMENTS = "elements"  # the slot of what an array holds, by the storage that it shows


class Owners:
    """All that was ever changed in memories that were made of each other: what is known by its id must not go."""

    __slots__ = ("begun", "names", "objects")

    def __init__(self) -> None:
        self.objects: dict[int, Any] = {}
        self.names: dict[int, dict[str | None, None]] = {}  # of the slots that an object ever had, in some memory
        self.begun: dict[int, Any] = {}  # what captured lists and dicts held at first

    def add(self, x: Any, name: str | None) -> None:
        """Note that an object has a slot."""
        own = id(x)
        self.objects[own] = x
        if own in self.names:
            self.names[own][name] = None
        else:
            self.names[own] = {name: None}

    def keep(self, slot: Slot, other: Owners) -> None:
        """Note what others have noted of a slot."""
        own = slot[0]
        if own in other.objects and own not in self.objects:
            self.objects[own] = other.objects[own]


class Memory(Internal):
    """Values, or gradients, by slot; `arrays` where arrays that are written into are followed, too."""

    __slots__ = ("arrays", "lists", "operators", "owners", "table")

    def __init__(self, values: dict[Slot, Any] | None = None, owners: Owners | None = None) -> None:
        self.table = Table({} if values is None else values)
        self.arrays = False
        self.lists = False  # whether some value is, or holds, a list
        self.operators: frozenset[str] = NO_OPERATORS  # those that the classes of values define
        self.owners = Owners() if owners is None else owners

    def __contains__(self, slot: Slot) -> bool:
        return slot in self.table

    def __getitem__(self, slot: Slot) -> Any:
        return self.table.taken()[slot]

    def __len__(self) -> int:
        return len(self.table)

    def get(self, slot: Slot, default: Any = None) -> Any:
        return self.table.get(slot, default)

    def items(self) -> list[tuple[Slot, Any]]:
        return self.table.items()

    def having(self, x: Any, name: str | None, value: Any) -> Memory:
        """The memory with another value for an attribute, or for what a list, a dict or an array holds."""
        if name is None:
            require_usual_items(x)
        self.owners.add(x, name)
        made = self.of(self.table.having((id(x), name), value))
        if type(value) not in NUMBERS:
            made.lists = self.lists or isinstance(value, (list, tuple, dict))
            made.learn(value)
        return made

    def having_items(self, x: Any, now: Any, new: Any) -> Memory:
        """The memory in which a list or dict holds something else, of which only a part is new."""
        slot = id(x), None
        if slot not in self.table:
            return self.having(x, None, now)
        made = self.of(self.table.having(slot, now))
        if type(new) not in NUMBERS:
            made.learn(new)
        return made

    def learn(self, value: Any) -> None:
        """Take note of the operators that classes of a value define."""
        new = operators_in(value)
        if new:
            self.operators |= new

    def of(self, table: Table) -> Memory:
        """Such a memory with other slots."""
        made: Memory = _NEW(Memory)
        made.table, made.owners = table, self.owners
        made.arrays, made.lists, made.operators = self.arrays, self.lists, self.operators
        return made

    def without(self, slot: Slot) -> Memory:
        """The memory without a slot."""
        found = self.table.without(slot)
        return self if found is self.table else self.of(found)

    def among(self, kept: Callable[[Slot], bool]) -> Memory:
        """The memory with some of its slots."""
        return Memory({s: v for s, v in self.items() if kept(s)}, self.owners)

    def mapped(self, function: Callable[[Any], Any]) -> Memory:
        """The memory with what a function makes of its values."""
        return self.of(Table({s: function(v) for s, v in self.items()}))

    def slots_of(self, x: Any) -> dict[str | None, Any]:
        """What the memory has of an object, list or dict, by name."""
        names = self.owners.names.get(id(x))
        if names is None:
            return {}
        own, data = id(x), self.table.taken()
        return {name: data[own, name] for name in names if (own, name) in data}

    def plus(self, other: Memory, add: Any) -> Memory:
        """The sum of two gradients."""
        mine, more = len(self.table), len(other.table)
        if not mine or not more:
            return other if more else self
        small, large = (self, other) if mine < more else (other, self)
        others = small.owners is not large.owners
        made = large.table
        for s, b in small.items():
            if others:
                large.owners.keep(s, small.owners)
            known = made.get(s, ABSENT)
            made = made.having(s, b if known is ABSENT else add(known, b))
        return Memory.of(large, made)

    def receive(self, other: Memory, add: Any) -> None:
        """Add a gradient in place."""
        made = self.plus(other, add)
        self.table, self.owners = made.table, made.owners


_NEW = object.__new__


def only(x: Any, name: str | None, b: Any) -> Memory:
    """A gradient of the memory with one slot."""
    made = Memory({(id(x), name): b})
    made.owners.add(x, name)
    return made


def no_memory() -> Memory:
    """The memory that a function begins with."""
    return Memory()


def memory_of_arrays() -> Memory:
    """The memory that a function begins with where arrays are written in place that others hold."""
    made = Memory()
    made.arrays = True
    return made


def new_object(cls: Any) -> Any:
    """An object that holds nothing yet."""
    if cls is types.SimpleNamespace:
        return cls()
    if kind := next((k.__name__ for k in (float, int, complex, str) if issubclass(cls, k)), ""):
        raise UnsupportedError(
            f"cannot differentiate the making of a '{cls.__name__}'", why=f"its class is a kind of {kind}",
            todo="Use a class that has the number as an attribute.",
        )  # fmt: skip
    require_usual_reading(cls)
    if cls.__new__ is not object.__new__ or type(cls).__call__ is not type.__call__:
        raise UnsupportedError(
            f"cannot differentiate the making of a '{cls.__name__}'", why="its class says how objects are made",
            todo="Make it outside, and pass it as an argument.",
        )  # fmt: skip
    return object.__new__(cls)


def new_list(items: Any) -> Any:
    """A list, dict or array of its own."""
    return items.copy() if isinstance(items, (*CHANGEABLE, np.ndarray)) else items


def remembered(memory: Any, x: Any, name: str) -> Any:
    """An attribute as it is now."""
    found = memory.get((id(x), name), ABSENT)
    if found is not ABSENT:
        return found
    _check_descriptor(x, name)
    if is_object(x) and is_property(x, name) and holds_some(memory, x):
        raise UnsupportedError(
            f"cannot differentiate the property '{name}' of a {type(x).__name__}",
            why="its class was not known when the derivative was made",
            todo="Call a method instead, or name the class in the function.",
        )
    _check_looked_up(memory, x, name)
    if isinstance(x, (list, dict, deque)):
        raise UnsupportedError(
            f"cannot differentiate '{name}' of a {type(x).__name__} that is kept for later",
            why="what it does to the list or dict cannot be followed", todo="Call it where it is needed.",
        )  # fmt: skip
    return getattr(x, name)


def is_assigned(memory: Any, x: Any, name: str) -> bool:
    """Whether an attribute was assigned since the memory was made."""
    return (id(x), name) in memory


def holds_some(memory: Any, x: Any) -> bool:
    """Whether an attribute of an object was assigned since the memory was made."""
    return bool(memory.slots_of(x))


def contents(memory: Any, x: Any) -> Any:
    """What a list, dict or array holds now; of anything else, itself."""
    if type(x) in NUMBERS:
        return x
    if isinstance(x, np.ndarray):
        return _elements(memory, x)
    return memory.get((id(x), None), x) if isinstance(x, CHANGEABLE) else x


def _elements(memory: Any, x: Any) -> Any:
    if not memory.arrays or x.dtype == object or slot_of(root_of(x), ELEMENTS) not in memory:
        return x
    now = np.asarray(elements(memory[slot_of(root_of(x), ELEMENTS)], x))
    now.flags.writeable = False  # a write would be lost
    return now


def current(memory: Any, x: Any) -> Any:
    """Lists and dicts as they are now, also those inside them."""
    if not is_changed(memory, x):
        return x
    now = contents(memory, x)
    if isinstance(now, (np.ndarray, PersistentArray, set)):
        return now
    return with_items(now, lambda v: current(memory, v))


def with_items(x: Any, function: Callable[[Any], Any]) -> Any:
    """A container of the same kind, with what a function makes of the items."""
    if isinstance(x, dict):
        made = x.copy()
        made.update({k: function(v) for k, v in x.items()})
        return made
    items = [function(v) for v in x]
    if isinstance(x, deque):
        return deque(items, x.maxlen)
    if isinstance(x, list):
        return items
    return type(x)(*items) if hasattr(x, "_fields") else tuple(items)


def is_changed(memory: Any, x: Any) -> bool:
    """Whether something in a list or dict, or in those inside it, is other than it was made."""
    if isinstance(x, np.ndarray):
        return memory.arrays and x.dtype != object and slot_of(root_of(x), ELEMENTS) in memory
    if isinstance(x, CHANGEABLE) and (id(x), None) in memory:
        return True
    if not isinstance(x, (list, tuple, dict, deque)):
        return False
    return any(is_changed(memory, v) for v in (x.values() if isinstance(x, dict) else x) if type(v) not in NUMBERS)


def changed(memory: Any, x: Any, name: str | None, value: Any) -> Any:
    """The memory in which an attribute, or what a list or dict holds, has another value."""
    if name is not None:
        _check_assignable(x, name)
    count_change()
    return memory.having(x, name, value)


def changed_to(memory: Any, x: Any, now: Any, new: Any) -> Any:
    """The memory in which a list or dict holds something else, of which only a part is new."""
    count_change()
    return memory.having_items(x, now, new)


def count_change() -> None:
    """Something was changed."""
    _changes.made += 1


class _Changes(threading.local):
    """How many changes there have been, so that `try` finds out whether some were lost."""

    made = 0


_changes = _Changes()


def new_count() -> int:
    """How many changes there have been."""
    return _changes.made


def require_nothing_lost(count: int) -> None:
    """Stop where a call has changed something before it failed."""
    if _changes.made != count:
        raise UnsupportedError(
            "cannot differentiate this 'try'",
            why="a function that was called in it changed an object before it failed",
            todo="Change objects after what may fail.",
        )  # fmt: skip


def is_remembered(memory: Any, x: Any, name: str) -> bool:
    """`hasattr(x, name)`."""
    if (id(x), name) in memory:
        return True
    _check_looked_up(memory, x, name)
    return hasattr(x, name)


def is_held(memory: Any, x: Any, name: str) -> bool:
    """Whether an attribute was assigned."""
    return (id(x), name) in memory


def require_no_object(x: Any) -> None:
    """Stop at a context manager that is an object whose attributes are in the memory."""
    if is_object(x):
        raise UnsupportedError(
            f"cannot differentiate 'with' of a {type(x).__name__} here",
            why="objects are made or changed in the same function, and this would run with what they were",
            todo="Call what it does before and after.",
        )


def require_number(x: Any, shown: str, file: str, line: int, text: str) -> None:
    """Stop where an operator in place would change an array that somebody else may refer to."""
    if isinstance(x, (np.ndarray, list)):
        raise InPlaceError(
            f"cannot differentiate a write in place: '{text}'", Location(file, line, text),
            f"it changes what '{shown}' refers to, which others may hold", "Write 's = s + v', or make a copy first.",
        )  # fmt: skip


def require_constant_key(x: Any, key: Any) -> None:
    """Stop where a number that the derivative depends on becomes a key of a dict, from which it may be read again."""
    if isinstance(key, (tuple, list)):
        for part in key:
            require_constant_key(x, part)
    elif isinstance(x, dict) and isinstance(key, (float, complex, np.inexact)):
        raise UnsupportedError(
            "cannot differentiate a dict whose keys depend on the input", why="keys have no derivatives",
            todo="Use a list of pairs; or keep the number among the values, under a key of its own.",
        )  # fmt: skip


def require_count(n: Any) -> None:
    """Stop where `[0.0] * n` is no list.

    >>> require_count(3)
    """
    if isinstance(n, np.ndarray) and n.ndim:
        raise InPlaceError(
            "cannot differentiate a write into what a list of one item times an array gives",
            why="it was taken for a list that is repeated", todo="Use np.zeros, np.full or an array of one number.",
        )  # fmt: skip


def forget(memory: Any, x: Any, name: str) -> Any:
    """The memory without an attribute."""
    if (id(x), name) not in memory:
        if not hasattr(x, name):
            raise AttributeError(name)
        raise UnsupportedError(
            f"cannot differentiate 'del' of the attribute '{name}'", why="the object was made with it",
            todo="Assign None to it.",
        )  # fmt: skip
    return memory.without((id(x), name))


def _check_assignable(x: Any, name: str) -> None:
    if isinstance(x, type):
        raise UnsupportedError(
            f"cannot differentiate the assignment to '{x.__name__}.{name}'", why="all objects of the class see it",
            todo="Keep it in an object, or return it and pass it on.",
        )  # fmt: skip
    if isinstance(x, np.ndarray):
        raise InPlaceError(
            f"cannot differentiate the assignment to '{name}' of an array here",
            why="the array may have other names", todo="Write into its items (a[...] = v), or make a new array.",
        )  # fmt: skip
    if not is_object(x):
        return
    if is_frozen(x):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    cls: Any = type(x)
    own = cls.__setattr__ is not object.__setattr__ and cls is not types.SimpleNamespace
    hides = isinstance(next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None), types.FunctionType)
    if own or hides or (is_property(x, name) and not is_lasting(x, name)):
        why = "its class says what assignment means" if own else "it is a property"
        if hides:
            why = "it hides a method"
        raise UnsupportedError(
            f"cannot differentiate the assignment to '{name}' of a {type(x).__name__}", why=why,
            todo="Assign the attribute behind it.",
        )  # fmt: skip


def _check_looked_up(memory: Any, x: Any, name: str) -> None:
    if is_looked_up(x, name) and holds_some(memory, x):
        raise UnsupportedError(
            f"cannot differentiate '{name}' of a {type(x).__name__}", why="'__getattr__' would see it as it was",
            todo="Call a method instead.",
        )  # fmt: skip


def _check_descriptor(x: Any, name: str) -> None:
    if is_object(x) and is_descriptor(type(x), name):
        raise UnsupportedError(
            f"cannot differentiate '{name}' of a {type(x).__name__}", why="a descriptor says what it means",
            todo="Make it a property, or call a method.",
        )  # fmt: skip


def initialised(memory: Any, x: Any, name: str, value: Any) -> Any:
    """The memory after `object.__setattr__(x, name, value)`, which frozen classes use."""
    count_change()
    return memory.having(x, name, value)
