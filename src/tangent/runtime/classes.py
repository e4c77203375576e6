"""What classes say about making their objects, in functions that Tangent can read."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
import weakref
from collections import UserList, UserString, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.descriptors import assigner, assignment_of, assigns
from tangent.runtime.dispatch import get_attribute
from tangent.runtime.memory import contents, remembered, slot_of
from tangent.runtime.objects import fields_of, has_method, hold, is_object, parent_method
from tangent.runtime.usual import WRAPPERS

NOT_GIVEN = dataclasses.MISSING
METHODS = (
    types.FunctionType, staticmethod, classmethod, functools.singledispatchmethod, functools.partialmethod,
    functools._lru_cache_wrapper,
)  # fmt: skip
PROPERTIES: set[str] = set()  # names of properties of classes that were met


def is_namespace(cls: Any) -> bool:
    return cls is types.SimpleNamespace


def is_made_by_class(cls: Any) -> bool:
    """Whether calling a class is left to the class: of Python's own, and exceptions."""
    own = isinstance(cls, type) and cls.__flags__ & (1 << 9) and not issubclass(cls, BaseException)
    return not (own and not _is_native(cls) and not stands_for(cls)) and not is_namespace(cls)


def stands_for(cls: type) -> str:
    """What objects of a class are taken for by functions that know nothing of it: a container, an array."""
    if issubclass(cls, (*WRAPPERS, UserString)):
        return "list" if issubclass(cls, UserList) else "str" if issubclass(cls, UserString) else "dict"
    known = [inspect.getattr_static(cls, v, None) for v in ("__array__", "__array_ufunc__", "__array_function__")]
    return "array" if any(isinstance(f, types.FunctionType) for f in known) else ""


def _is_native(cls: type) -> bool:
    """Whether a class of Python's own is not written in Python, as `deque`: some Pythons make such ones like others."""
    init: Any = getattr(cls, "__init__", None)
    new: Any = getattr(cls, "__new__", None)
    written = isinstance(init, types.FunctionType) or init is object.__init__
    plain = isinstance(new, types.FunctionType) or new is object.__new__
    return cls.__module__.split(".")[0] in sys.stdlib_module_names and not (written and plain)


def is_own_method(memory: Any, x: Any, name: str) -> bool:
    """Whether `x.name` is a function of the class of x, not one that x holds."""
    if not is_object(x) or slot_of(x, name) in memory or name in getattr(x, "__dict__", {}):
        return False
    found = inspect.getattr_static(type(x), name, None)
    return isinstance(found, METHODS)


def setter_of(x: Any, name: str) -> Any:
    """The function that assigns a property, or what a descriptor stands for."""
    behind = inspect.getattr_static(type(x), name)
    if assigns(behind):
        return assigner(behind)
    found = getattr(behind, "fset", None)
    if found is None:
        raise AttributeError(f"property {name!r} of {type(x).__name__!r} object has no setter")
    return found


def assignment(x: Any) -> Any:
    """The function with which the class of an object says what assignment means; None where it means what it does."""
    return assignment_of(type(x)) if is_object(x) else None


def making(cls: Any) -> Any:
    """The function with which a class makes its objects; None where it does so as usual."""
    found = cls.__new__
    return found if isinstance(found, types.FunctionType) else None


def is_instance(x: Any, cls: Any) -> bool:
    """Whether `__new__` gave an object of its class, which is initialised then."""
    return isinstance(x, cls)


_initialisers: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()


def factory_of(cls: Any) -> Callable[..., Any]:
    """The initialiser of a class; of a dataclass, one that says what Python's does."""
    found = cls.__init__
    written = _is_written(found) and dataclasses.is_dataclass(_definer(cls))
    return _initialisers.setdefault(cls, _dataclass_initialiser(cls)) if written else _written(cls, found)


def _is_written(found: Any) -> bool:
    """Whether Python wrote an initialiser, for a dataclass."""
    return isinstance(found, types.FunctionType) and found.__code__.co_filename == "<string>"


def _definer(cls: Any) -> Any:
    """The class that an initialiser comes from."""
    return next(c for c in cls.__mro__ if "__init__" in vars(c))


def _dataclass_initialiser(cls: Any) -> Callable[..., Any]:
    owner = _definer(cls)
    return _initialisers[cls] if cls in _initialisers else DATACLASSES[0](owner)


def _written(cls: Any, found: Any) -> Callable[..., Any]:
    if found is object.__init__:
        return nothing
    if not isinstance(found, types.FunctionType):
        raise UnsupportedError(
            f"cannot differentiate the making of a '{cls.__name__}'", why="its initialiser is not written in Python",
            todo="Make it outside, and pass it as an argument.",
        )  # fmt: skip
    return found


DATACLASSES: list[Callable[[Any], Any]] = []  # who writes initialisers of dataclasses, once it is loaded


INSTANCES: list[Callable[[Any], Any]] = []  # who writes functions that make objects, once it is loaded


def maker_of(cls: Any) -> Callable[..., Any] | None:
    """The function that makes objects of a class at once, if there is one."""
    return INSTANCES[0](cls) if INSTANCES else None


LISTINGS: list[Any] = []  # who writes functions that give all items at once, once it is loaded


TELLING: list[Callable[[Any], Any]] = []  # who writes functions that tell what they raise, once it is loaded


def telling_of(x: Any, name: str) -> Any:
    """The function that tells what a method of x raises; None where it raises nothing."""
    return TELLING[0](inspect.getattr_static(type(x), name)) if has_method(x, name) else None


def telling_of_parent(cls: type, x: Any, name: str) -> Any:
    """The same of a method behind `super()`."""
    return TELLING[0](parent_method(cls, x, name))


class _Ended:
    """What an iterator gives after its last item."""


ENDED = _Ended()


def listing_of(x: Any, name: str = "__iter__") -> Any:
    """The function that gives, as a list, what a loop over an object runs over."""
    return LISTINGS[0].listing(type(x), name)


def yields(x: Any) -> bool:
    """Whether the items of an object come from a generator, which is its `__iter__`."""
    return has_method(x, "__iter__") and inspect.isgeneratorfunction(inspect.getattr_static(type(x), "__iter__"))


def step_of(x: Any) -> Any:
    """The function that gives the next item of an iterator, or `ENDED`."""
    return LISTINGS[0].step(type(x))


def new_instance(cls: Any, names: tuple[str, ...], *parts: Any) -> Any:
    """An object with these attributes."""
    made = object.__new__(cls)
    for name, value in zip(names, parts):
        hold(made, name, value)
    return made


def instance_parts(b: Any, cls: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The gradients that an object of gradients holds."""
    return tuple(get_attribute(b, name) for name in names)


def nothing(self: Any) -> None:
    """The initialiser of a class that has none."""


def initial_names(x: Any) -> list[str]:
    """The fields of a dataclass that its initialiser takes."""
    return [f.name for f in dataclasses.fields(x) if f.init]


def names_held(memory: Any, x: Any) -> list[str]:
    """The attributes that an object holds now."""
    own = [name for name in memory.slots_of(x) if name is not None]
    return list(dict.fromkeys([*fields_of(x), *own]))


def require_tree(memory: Any, x: Any) -> None:
    """Stop at a deep copy of something that is held twice: the copies would have to be one, too."""
    for v, again in _all_held(memory, x):
        own = is_object(v) and hasattr(type(v), "__deepcopy__")
        if again or own:
            raise UnsupportedError(
                f"cannot differentiate a deep copy of a {type(x).__name__}",
                why="its class says what a copy is" if own else "something in it is held twice",
                todo="Copy its parts.",
            )


def require_held_once(memory: Any, x: Any) -> None:
    """Stop at the gradient of something in which a part is held twice: it is in two places there."""
    for v, again in _all_held(memory, x):
        if again:
            raise UnsupportedError(
                f"cannot give the gradient of a whole {type(x).__name__}",
                why=f"it changes, and it holds a {type(v).__name__} twice, whose gradient is one",
                todo="Ask for an attribute or an item of it.",
            )


def _all_held(memory: Any, x: Any) -> Iterator[tuple[Any, bool]]:
    """Everything that changes in a value, itself among it, and whether it was there already."""
    seen: set[int] = set()
    waiting = [x]
    while waiting:
        v = waiting.pop()
        if isinstance(v, (list, dict, np.ndarray)) or is_object(v):
            yield v, id(v) in seen
            if id(v) in seen:
                continue
            seen.add(id(v))
        if is_object(v):
            waiting += [remembered(memory, v, name) for name in names_held(memory, v)]
        elif isinstance(v, (list, tuple, dict)):
            now = contents(memory, v)
            waiting += now.values() if isinstance(now, dict) else now


def tuple_of(cls: Any, *parts: Any) -> Any:
    """A named tuple."""
    return cls(*parts)


def order_of_keys(keys: Any, reverse: bool) -> list[int]:
    """The places of items in the order of their keys."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def place_of_extreme(keys: Any, largest: bool) -> int:
    """The place of the first item with the largest, or smallest, key."""
    return (max if largest else min)(range(len(keys)), key=keys.__getitem__)


def reading_class(cls: Any) -> Any:
    """The class of a container, which is given a list in place of an iterator: it reads all items when it is called."""
    if isinstance(cls, type) and issubclass(cls, (list, tuple, dict, set, frozenset, deque)):
        return cls
    raise UnsupportedError(
        f"cannot differentiate what a generator expression gives a {getattr(cls, '__name__', 'class')}",
        why="when its items are read is not known", todo="Give it a list: [... for ...].",
    )  # fmt: skip
