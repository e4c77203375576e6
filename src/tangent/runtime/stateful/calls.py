"""Calls of functions, methods and classes over a memory, and the attributes of objects."""

from __future__ import annotations

from typing import Any

from tangent.runtime.calls import threaded
from tangent.runtime.classes import (
    assignment,
    factory_of,
    is_instance,
    is_made_by_class,
    is_namespace,
    is_own_method,
    maker_of,
    making,
    setter_of,
)
from tangent.runtime.draws import are_numbers, drawn, draws
from tangent.runtime.memory import (
    changed,
    current,
    initialised,
    is_assigned,
    is_held,
    is_remembered,
    new_object,
    remembered,
)
from tangent.runtime.objects import (
    getter_of,
    has_method,
    held,
    is_kept,
    is_lasting,
    is_looked_up,
    is_property,
    method_of,
    require_kept,
)
from tangent.runtime.ordered import is_range_or_text, of_text


def call_function(memory: Any, function: Any, /, *args: Any, **named: Any) -> Any:
    """A call of a function that is known when it happens."""
    inner = threaded(memory, function)
    return inner(memory, *args, **named)


def call_method(memory: Any, owner: Any, name: str, /, *args: Any, **named: Any) -> Any:
    """`owner.name(...)`."""
    if is_own_method(memory, owner, name):
        method = threaded(memory, method_of(owner, name))
        return method(memory, owner, *args, **named)
    if is_range_or_text(owner):
        return of_text(owner, name, current(memory, args), named), memory
    if draws(owner, name):
        if are_numbers(args, named):
            return drawn(owner, name, args, named), memory
        return drawn(owner, name, current(memory, args), current(memory, named)), memory
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
    if making(cls) is not None:
        return call_making(memory, cls, *args, **named)
    owner = new_object(cls)
    if is_namespace(cls):
        for name in named:
            memory = changed(memory, owner, name, named[name])
        return owner, memory
    initialise = threaded(memory, factory_of(cls))
    _, memory = initialise(memory, owner, *args, **named)
    return owner, memory


def call_making(memory: Any, cls: Any, /, *args: Any, **named: Any) -> Any:
    """`cls(...)` of a class with a `__new__` of its own."""
    make = threaded(memory, making(cls))
    owner, memory = make(memory, cls, *args, **named)
    if is_instance(owner, cls) and has_method(owner, "__init__"):
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
    if is_lasting(x, name) and is_held(memory, x, name):
        return remembered(memory, x, name), memory
    if is_property(x, name):
        getter = threaded(memory, getter_of(x, name))
        return getter(memory, x)
    if is_looked_up(x, name) and not is_held(memory, x, name):
        look_up = threaded(memory, method_of(x, "__getattr__"))
        return look_up(memory, x, name)
    return remembered(memory, x, name), memory


def call_held(memory: Any, x: Any, name: str) -> Any:
    """`x.__dict__[name]` as it is now, whatever the class of x says of the attribute."""
    return remembered(memory, x, name) if is_assigned(memory, x, name) else held(x, name)


def call_kept(memory: Any, x: Any, name: str) -> Any:
    """`x.name`, of which the class computes the first value, and the object keeps it."""
    if is_held(memory, x, name):
        return remembered(memory, x, name), memory
    getter = threaded(memory, getter_of(x, name))
    value, memory = getter(memory, x)
    require_kept(x, name, value)
    return value, initialised(memory, x, name, value)


def call_setter(memory: Any, x: Any, name: str, value: Any) -> Any:
    """`x.name = value`, which may be a property, or what the class of x says."""
    own = assignment(x)
    if own is not None:
        assign = threaded(memory, own)
        _, memory = assign(memory, x, name, value)
        return memory
    if is_property(x, name) and not is_lasting(x, name):
        setter = threaded(memory, setter_of(x, name))
        _, memory = setter(memory, x, value)
        return memory
    return changed(memory, x, name, value)
