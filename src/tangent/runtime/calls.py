"""Calls whose callee is known only when they happen: it is transformed then, once, and remembered.

The active arguments of a call are told by place: a position, a keyword, `*k` for a starred argument from position k on,
`**` for a double-starred one, and `f` for the callee itself, whose gradient is a dict over the variables it captures.
The functions here are plain Python that Tangent differentiates again; only `forward_of`, `backward_of` and
`tangent_of` look behind the scenes.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tangent.runtime.checks import holds_lists
from tangent.runtime.dispatch import (
    add_grad,
    array_part,
    get_attribute,
    init_grad,
    put_array_part,
    put_field,
    put_fields,
)
from tangent.runtime.draws import draws_number
from tangent.runtime.memory_captured import sees_memory
from tangent.runtime.objects import (
    LEAVES,
    NO_OPERATORS,
    getter_of,
    has_method,
    is_field,
    is_held_alone,
    is_looked_up,
    is_method,
    is_numeric,
    is_numeric_method,
    is_object,
    is_property,
    method_of,
    operators_in,
    require_kept,
)
from tangent.runtime.storage.held import parts_of
from tangent.runtime.watching import unchanged
from tangent.runtime.writers import is_changeable, require_reader

Active = tuple[Any, ...]
# A mark among the places: arguments may be lists; a set there is that of operators which their classes define, a tuple
# that of keywords which are None.
LISTS = "<lists>"
SILENT = "<silent>"  # another one: what the callee tells was told
CAUGHT = "<caught>"  # and another: what it raises may be caught
HANDED_ON = "args_of_another"  # the parameter of wrappers that take what the function takes which they stand for


class Service(Protocol):
    """Makes derivatives; installed by the pipeline, since the runtime knows nothing of syntax."""

    def made_for(self, kind: str, function: Any, active: Active, args: Any, kwargs: Any) -> Any: ...

    def refuse_writer(self, function: Any) -> bool: ...

    def written(self, function: types.FunctionType) -> frozenset[str]: ...

    def refuse_unrepeatable(self, function: Any) -> None: ...

    def unrepeatable(self, function: Any) -> str: ...

    def is_own(self, function: Any) -> bool: ...

    def threaded(self, function: Any, arrays: bool, over: bool = False) -> Any: ...


class _Holder:
    make: Callable[[], Service] | None = None
    service: Service | None = None
    unrepeated = 0


def install(make: Callable[[], Service]) -> None:
    """Let `make` make the service when it is first asked: it loads all that transforms functions."""
    _Holder.make, _Holder.service = make, None


def _service() -> Service:
    if _Holder.service is None:
        assert _Holder.make is not None, "import tangent"
        _Holder.service = _Holder.make()
    return _Holder.service


def unrepeated() -> int:
    """How many calls there were, of functions known only then, that would not be the same if they were made again."""
    return _Holder.unrepeated


def note_unrepeated() -> None:
    _Holder.unrepeated += 1


def passes_of(function: Any, active: Active, args: Any, kwargs: Any) -> Any:
    """The forward and the backward pass of a function that only reads what a call gives it."""
    return _service().made_for("pair", function, with_objects(active, args, kwargs), args, kwargs)


def pushforward_of(function: Any, active: Active, args: Any, kwargs: Any) -> Any:
    """The function that gives value and tangent, of one that only reads what a call gives it."""
    return _service().made_for("tangent", function, with_objects(active, args, kwargs), args, kwargs)


def known_passes(function: Any, active: Active, count: int, names: tuple[str, ...]) -> Any:
    """The forward and the backward pass of a function, before there is a call."""
    return _service().made_for("pair", function, active, (None,) * count, dict.fromkeys(names))


def forward_of(function: Any, passes: Any) -> Callable[..., Any]:
    """The forward pass of a function: as active as the function itself."""
    made: Callable[..., Any] = passes[0]
    return made


def backward_of(function: Any, passes: Any) -> Callable[..., Any]:
    """The backward pass of a function: as active as the function itself, where it reads what that captured."""
    made: Callable[..., Any] = passes[1]
    return made


def tangent_of(function: Any, pushforward: Any) -> Callable[..., Any]:
    """The function that gives value and tangent: as active as the function itself."""
    made: Callable[..., Any] = pushforward
    return made


def threaded(memory: Any, function: Any) -> Callable[..., Any]:
    """The function that takes such a memory first and gives its result and the memory after it."""
    made: Callable[..., Any] = _service().threaded(function, memory.arrays, sees_memory(memory, function))
    return made


def call_fwd(function: Any, active: Active, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The result of a call, and what its backward pass needs."""
    if is_bound(function, active):
        own = function_behind(function)
        return call_fwd(own, with_owner(active), owner_of(function), *args, **kwargs)
    passes = passes_of(function, active, args, kwargs)
    forward = forward_of(function, passes)
    backward = backward_of(function, passes)
    result, saved = forward(*args, **kwargs)
    return result, (backward, saved)


def call_bwd(saved: tuple[Any, Any], b: Any) -> Any:
    """The adjoints of the active arguments of a call."""
    backward, inner = saved
    return backward(inner, b)


def call_jvp(function: Any, active: Active, tangents: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
    """The result of a call and its tangent."""
    if is_bound(function, active):
        own = function_behind(function)
        return call_jvp(own, with_owner(active), tangents, owner_of(function), *args, **kwargs)
    pushforward = tangent_of(function, pushforward_of(function, active, args, kwargs))
    return pushforward(tangents, *args, **kwargs)


def call_effect(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A call for its effects, of a function that must not write into its arguments."""
    if draws_number(function):
        note_unrepeated()
        return function(*args, **kwargs)
    require_reader(function, args, kwargs, alone=True)
    known = _service().refuse_writer(function)
    if _service().unrepeatable(function):
        note_unrepeated()
    return function(*args, **kwargs) if known else unchanged(function, args, kwargs)


def require_reading(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Stop before a function, known only now, writes into something that it is given."""
    require_reader(function, args, kwargs)
    if type(function) is not types.FunctionType:
        return
    behind = getattr(function, "remembers", None)
    if behind is not None:  # a memory follows what is written, of arrays only if it is one of arrays
        if not getattr(function, "in_place", False) and any(map(_holds_arrays, (*args[1:], *kwargs.values()))):
            _require_reading(behind, args[1:], kwargs, _holds_arrays)
    elif any(map(is_changeable, (*args, *kwargs.values()))):
        _require_reading(function, args, kwargs, is_changeable)


def _require_reading(
    function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any], counts: Callable[[Any], bool]
) -> None:  # fmt: skip
    written = _service().written(function)
    if written and any(map(counts, given_for(function, written, args, kwargs))):
        _service().refuse_writer(function)


def _holds_arrays(x: Any) -> bool:
    return any(isinstance(part, np.ndarray) and part.flags.writeable for part in parts_of(x))


def given_for(
    function: types.FunctionType, names: frozenset[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """What some parameters are given in a call."""
    code = function.__code__
    plain = code.co_varnames[: code.co_argcount]
    found = [x for p, x in zip(plain, args) if p in names] + [x for p, x in kwargs.items() if p in names]
    more = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :]
    if code.co_flags & inspect.CO_VARARGS and more[0] in names:
        found += args[len(plain) :]
    if code.co_flags & inspect.CO_VARKEYWORDS and more[bool(code.co_flags & inspect.CO_VARARGS)] in names:
        found += [x for p, x in kwargs.items() if p not in plain]
    return found


def is_bound(function: Any, active: Active) -> bool:
    """Whether a function is a method with its object, or an object that is called: what it does, its class says."""
    kind = type(function)
    if kind is types.FunctionType:
        return False
    if kind is types.BuiltinMethodType:
        return is_numeric_method(function)
    if kind is types.MethodType:
        own = type(function.__func__) is types.FunctionType and is_object(function.__self__)
    else:
        own = is_object(function) and has_method(function, "__call__")
    return own and _service().is_own(function)


def function_behind(function: Any) -> Any:
    """The function of a class that a method or an object that is called stands for."""
    if isinstance(function, types.BuiltinMethodType):
        return getattr(type(function.__self__), function.__name__)
    return function.__func__ if isinstance(function, types.MethodType) else method_of(function, "__call__")


def owner_of(function: Any) -> Any:
    """The object of a method; an object that is called is its own."""
    return function.__self__ if isinstance(function, (types.MethodType, types.BuiltinMethodType)) else function


@functools.lru_cache(maxsize=1024)
def with_owner(active: Active) -> Active:
    """The places of active arguments where the object comes first."""
    return tuple(_one_on(a) for a in active)


def _one_on(a: Any) -> Any:
    if isinstance(a, int):
        return a + 1
    if a == "f":
        return 0
    return f"*{int(a[1:]) + 1}" if a[:1] == "*" and a[1:].isdigit() else a


def captured(b: Any, name: str, value: Any) -> Any:
    """What the gradient of a closure holds for one of the variables it captured."""
    if isinstance(b, dict) and name in b:
        return b[name]
    return init_grad(value)


def with_objects(active: Active, args: Any, kwargs: Any) -> Active:
    """The places of active arguments, marked where operators may be those of a class of the user's, and for lists."""
    held = [x for x in (*args, *kwargs.values()) if type(x) not in LEAVES]
    operators = NO_OPERATORS.union(*[operators_in(x, 2) for x in held])
    if operators:
        active = (operators, *active)
    if kwargs and (absent := tuple(k for k, v in kwargs.items() if v is None)):
        active = (absent, *active)
    return (LISTS, *active) if held and holds_lists(held) else active


def is_given(function: Any) -> bool:
    """Whether a function is a derivative, or one whose derivatives are given: what it does is not followed."""
    return isinstance(function, types.FunctionType) and (hasattr(function, "origin") or hasattr(function, "defvjp"))


def behind(b: Any, function: Any) -> Any:
    """The gradient of a function, from that of its derivative: of a method or a callable object, the object's."""
    if isinstance(b, dict) and (isinstance(function, types.MethodType) or is_object(function)):
        return b.get("given0")
    return b


def differentiated(function: Any) -> Any:
    """A function of which a derivative is made: that captures the object of a method, the method is one with it."""
    return function


def in_front(b: Any, function: Any) -> Any:
    """The transpose of `behind`."""
    return {"given0": b} if isinstance(function, types.MethodType) or is_object(function) else b


def held_behind(b: Any, function: Any) -> Any:
    """The gradient of a function, from that of what takes a memory in its place, which may hold the function."""
    return b.get("given0") if isinstance(b, dict) and is_given(function) else behind(b, function)


def held_in_front(b: Any, function: Any) -> Any:
    """The transpose of `held_behind`."""
    return {"given0": b} if is_given(function) else in_front(b, function)


def put_captured(b: Any, like: Any, name: str) -> Any:
    """The transpose of `captured`: a gradient of a closure that holds this for one of its variables."""
    if not isinstance(like, dict):
        return {name: b}
    return {k: b if k == name else init_grad(v) for k, v in like.items()}


def put_attribute(b: Any, x: Any, name: str) -> Any:
    """What an object receives from one of its attributes: held by it, computed by a property, or a bound method."""
    if is_held_alone(x, name):
        return put_field(b, x, name)
    if is_property(x, name):
        getter = getter_of(x, name)
        value, saved = call_fwd(getter, (0,), x)
        require_kept(x, name, value)
        return call_bwd(saved, b)
    if is_method(x, name):
        return b
    if is_looked_up(x, name):
        _, saved = call_fwd(method_of(x, "__getattr__"), (0,), x, name)
        return call_bwd(saved, b)
    if is_numeric(x):
        return put_array_part(b, x, name)
    if not is_field(x, name):  # it belongs to the class
        return init_grad(x)
    return put_field(b, x, name)


def put_each(x: Any, /, **parts: Any) -> Any:
    """What an object receives from some of its attributes: the sum of `put_attribute` for each.

    >>> put_each(types.SimpleNamespace(k=2.0, c=3.0, name="p"), k=0.5, c=0.25)
    namespace(k=0.5, c=0.25, name=None)
    """
    if all(is_held_alone(x, name) for name in parts):
        return put_fields(x, parts)
    found = None
    for name, b in parts.items():
        found = add_grad(found, put_attribute(b, x, name))
    return found


def attribute_tangent(b: Any, x: Any, name: str) -> Any:
    """The tangent of an attribute."""
    if is_held_alone(x, name):
        return get_attribute(b, name)
    if is_property(x, name):
        getter = getter_of(x, name)
        value, tangent = call_jvp(getter, (0,), (b,), x)
        require_kept(x, name, value)
        return tangent
    if is_method(x, name):
        return b
    if is_looked_up(x, name):
        _, tangent = call_jvp(method_of(x, "__getattr__"), (0,), (b,), x, name)
        return tangent
    if is_numeric(x):
        return array_part(b, x, name)
    if isinstance(x, (types.ModuleType, type)):
        return class_zero(x, name)
    if not is_field(x, name):
        return class_zero(x, name)
    if isinstance(x, tuple) and isinstance(b, tuple) and not hasattr(b, "_fields"):
        return b[x._fields.index(name)]  # type: ignore[attr-defined]
    return get_attribute(b, name)


def class_zero(x: Any, name: str) -> Any:
    """The gradient of an attribute that belongs to the class: none."""
    return init_grad(getattr(x, name))


def require_repeatable(value: Any, *path: str) -> None:
    """Stop before steps are run again that call something which would give something else: what is given, what stands
    in a container, or what the names of attributes lead to."""
    for attribute in path:
        value = getattr(value, attribute, None)
    if isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            require_repeatable(item)
    elif callable(value):
        _service().refuse_unrepeatable(value)
