"""Objects of the user's classes: what they hold, and what their classes define.

The gradient of an object is an object of the same class that holds gradients: of its attributes with numbers, arrays,
containers and objects. Other attributes hold None.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.descriptors import assigned_as_usual, assignment_of, assigns, reader, reads
from tangent.runtime.filling import is_filling
from tangent.runtime.generic import method_by_class, method_in_part


class Internal:
    """What derivatives keep for themselves: no object of the user's."""

    __slots__ = ()
    operators: frozenset[str] = frozenset()  # what the classes of objects in it define

    def plus(self, other: Any, add: Callable[[Any, Any], Any]) -> Any:
        """The sum of two gradients."""
        raise NotImplementedError

    def mapped(self, function: Callable[[Any], Any]) -> Any:
        """A gradient with what a function makes of its parts."""
        raise NotImplementedError


PLAIN = (
    type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial,
    BaseException, list, tuple, dict, Internal,
)  # fmt: skip
KNOWN_DESCRIPTORS = (
    types.DynamicClassAttribute,  # as `value` of an enumeration
    functools.cached_property,
    functools.singledispatchmethod,
    functools.partialmethod,
    functools._lru_cache_wrapper,
)
NUMBERS = frozenset({np.ndarray, np.float64, float, int})
LEAVES = NUMBERS | {np.float32, bool, complex, str, type(None), types.FunctionType}  # what holds no objects
BINARY = "add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor".split()
SINGLE = "neg pos invert abs int float complex round getitem iter reversed eq ne lt le gt ge copy deepcopy".split()
OPERATORS = (
    frozenset(f"__{side}{word}__" for word in BINARY for side in ("", "r", "i"))
    | frozenset(f"__{word}__" for word in SINGLE)
)  # fmt: skip
PRODUCTS = frozenset({"__matmul__", "__rmatmul__", "dot"})  # of sparse matrices: they have rules
MEMBERS = "members"  # a class that has members of the same names as those of arrays


ARRAY_CLASSES: set[type] = set()  # those of other array libraries: their operators have rules


def is_object(x: Any) -> bool:
    """Whether x is an instance of a class written in Python, with attributes of its own."""
    cls: Any = type(x)
    return _has_objects(cls)


@functools.cache
def _has_objects(cls: Any) -> bool:
    if cls is types.SimpleNamespace:
        return True
    if cls.__flags__ & _HEAP == 0 or issubclass(cls, PLAIN) or any(c in ARRAY_CLASSES for c in cls.__mro__):
        return False
    if _are_sparse(cls):
        return False
    ufuncs = getattr(cls, "__array_ufunc__", None) is not None  # None says that NumPy's functions do not take it
    array = ufuncs or hasattr(cls, "__array__") or hasattr(cls, "is_zero_grad")
    return not array and (cls.__dictoffset__ != 0 or bool(_slots(cls)))


_HEAP = 1 << 9  # the class was made by a class statement


def register_arrays(cls: type) -> None:
    """Objects of a class are arrays, not what a user makes."""
    ARRAY_CLASSES.add(cls)
    _has_objects.cache_clear()


@functools.cache
def _slots(cls: type) -> tuple[str, ...]:
    """The attributes that have a place of their own in the objects of a class."""
    found: list[str] = []
    for c in cls.__mro__:
        own = c.__dict__.get("__slots__", ())
        found += (own,) if isinstance(own, str) else own
    return tuple(s for s in found if s not in ("__dict__", "__weakref__"))


def fields_of(x: Any) -> dict[str, Any]:
    """The attributes that an object holds itself."""
    cls: Any = type(x)
    slots = _slots(cls)
    if not slots:
        return dict(x.__dict__)
    found = dict(x.__dict__) if hasattr(x, "__dict__") else {}
    for name in slots:
        if hasattr(x, name):
            found[name] = getattr(x, name)
    return found


def seen_in(x: Any) -> dict[str, Any]:
    """The attributes that an object holds itself, to be read only: they may be those of the object."""
    cls: Any = type(x)
    held: dict[str, Any] = fields_of(x) if _slots(cls) else x.__dict__
    return held


def remade(like: Any, values: dict[str, Any]) -> Any:
    """An object of the same class with other attributes; no initialiser runs."""
    cls: Any = type(like)
    make, slots = _making(cls)
    made = make(cls)
    if not slots:
        made.__dict__.update(values)
        return made
    for name, value in values.items():
        hold(made, name, value)
    return made


@functools.cache
def _making(cls: Any) -> tuple[Callable[[Any], Any], tuple[str, ...]]:
    """What makes objects of a class, that of the class it is made of which is not written in Python; and its slots."""
    native = next(c for c in cls.__mro__ if isinstance(vars(c).get("__new__"), types.BuiltinFunctionType))
    return native.__new__, _slots(cls)


def hold(x: Any, name: str, value: Any) -> None:
    """Let an object hold a value under a name, whatever its class says of assigning the attribute."""
    cls: Any = type(x)
    if name in _slots(cls):
        object.__setattr__(x, name, value)
    else:
        x.__dict__[name] = value


def is_held_alone(x: Any, name: str) -> bool:
    """Whether an object holds an attribute of which its class knows a default at most: it is what reading gives."""
    cls: Any = type(x)
    if not _has_objects(cls) or name not in getattr(x, "__dict__", ()):
        return False
    if cls.__getattribute__ is not object.__getattribute__:
        return False
    for c in cls.__mro__:
        if name in c.__dict__:
            return not hasattr(type(c.__dict__[name]), "__get__")
    return True


def is_property(x: Any, name: str) -> bool:
    """Whether an attribute is computed by a function of the class."""
    require_usual_reading(type(x))
    found = _static(x, name)
    if isinstance(found, (property, functools.cached_property)):
        return True
    return not isinstance(x, tuple) and reads(found) and not is_hidden(x, name)


def require_usual_reading(cls: type) -> None:
    """Stop at a class that says itself what reading any attribute means."""
    if isinstance(cls.__getattribute__, types.FunctionType):
        raise UnsupportedError(
            f"cannot differentiate what a '{cls.__name__}' holds", why="its '__getattribute__' says what reading means",
            todo="Use properties.",
        )  # fmt: skip


def is_hidden(x: Any, name: str) -> bool:
    """Whether an object holds an attribute for which its class has a descriptor that only says what reading means."""
    return name in getattr(x, "__dict__", {}) and not assigns(_static(x, name))


def is_lasting(x: Any, name: str) -> bool:
    """Whether an attribute that a class computes gives way to one that its object holds."""
    found = _static(x, name)
    return isinstance(found, functools.cached_property) or (reads(found) and not assigns(found))


def is_told(x: Any, name: str) -> bool:
    """Whether the class of an object says what assigning an attribute means."""
    own = is_object(x) and assignment_of(type(x)) is not None
    return own or (is_property(x, name) and not is_lasting(x, name))


def is_kept(x: Any, name: str) -> bool:
    """Whether an attribute is computed once, and held by the object from then on."""
    return isinstance(_static(x, name), functools.cached_property)


def require_kept(x: Any, name: str, value: Any) -> None:
    """Stop at an attribute that was computed once, and would be something else by now."""
    held = getattr(x, "__dict__", {}).get(name, value)
    if held is value or not is_kept(x, name) or not isinstance(held, (float, int, np.ndarray, np.generic)):
        return
    if not np.array_equal(held, value, equal_nan=True):
        raise UnsupportedError(
            f"cannot differentiate '{name}' of a {type(x).__name__}",
            why="it was computed before, and what it was computed from has changed since",
            todo="Make it a property, or delete what the object keeps.",
        )


def is_descriptor(cls: type, name: str) -> bool:
    """Whether a class of the user's says what reading an attribute means, other than by a property."""
    found = _of_class(cls, name)
    made = bool(type(found).__flags__ & _HEAP) and hasattr(type(found), "__get__")
    return made and not isinstance(found, KNOWN_DESCRIPTORS)


def is_field(x: Any, name: str) -> bool:
    """Whether an attribute is held by the object or the named tuple itself, not by its class."""
    if isinstance(x, tuple):
        return name in getattr(x, "_fields", ())
    return not isinstance(x, (str, bytes)) and (not is_object(x) or name in fields_of(x))


def is_looked_up(x: Any, name: str) -> bool:
    """Whether neither an object nor its class has an attribute, so that `__getattr__` of the class gives it."""
    return has_method(x, "__getattr__") and _static(x, name) is None and name not in fields_of(x)


def getter_of(x: Any, name: str) -> Any:
    """The function that computes an attribute."""
    found = _static(x, name)
    if reads(found):
        return reader(found, type(x))
    return found.func if isinstance(found, functools.cached_property) else found.fget


def is_method(x: Any, name: str) -> bool:
    """Whether an attribute is a function of the class, bound to the object, the number or the array.

    An object may hold another one under that name.
    """
    if name in getattr(x, "__dict__", ()):
        return False
    found = _static(x, name)
    return isinstance(found, types.FunctionType) or (isinstance(found, types.MethodDescriptorType) and is_numeric(x))


def is_numeric(x: Any) -> bool:
    """Whether a value is a number or an array: their methods have rules."""
    return isinstance(x, (np.ndarray, np.generic, float, complex))


def is_numeric_method(f: Any) -> bool:
    """Whether a value is a method of a number or an array, with that: `x.sum`."""
    return isinstance(f, types.BuiltinMethodType) and is_numeric(f.__self__)


def _static(x: Any, name: str) -> Any:
    """What a class says of an attribute of its objects, as it stands there."""
    return _of_class(type(x), name)


def _of_class(cls: type, name: str) -> Any:
    for c in cls.__mro__:
        if name in c.__dict__:
            return c.__dict__[name]
    return None


def has_method(x: Any, name: str) -> bool:
    """Whether the class of an object, or of a container of the user's, defines a method in Python."""
    if is_sparse(x):
        return name not in PRODUCTS and isinstance(_static(x, name), types.FunctionType)
    return (is_object(x) or is_own_container(x)) and isinstance(_static(x, name), types.FunctionType)


def is_sparse(x: Any) -> bool:
    """Whether x is a matrix of SciPy's that holds no zeros: its products with arrays have a rule."""
    cls: Any = type(x)
    return _are_sparse(cls)


@functools.cache
def _are_sparse(cls: Any) -> bool:
    return any(c.__module__ == "scipy.sparse._base" for c in cls.__mro__)


def is_own_container(x: Any) -> bool:
    """Whether x is a named tuple, or a tuple, list or dict of a class of the user's, which may define operators."""
    cls: Any = type(x)
    return _makes_containers(cls)


@functools.cache
def _makes_containers(cls: Any) -> bool:
    home = (cls.__module__ or "").split(".")[0]
    known = (home in sys.stdlib_module_names and home != "__main__") or home == "tangent"
    return issubclass(cls, (tuple, list, dict)) and bool(cls.__flags__ & _HEAP) and not known


def has_member(x: Any, name: str) -> bool:
    """Whether x is an object, a module, a class or a named tuple that has what arrays have under the same name."""
    if isinstance(x, tuple):
        return name in getattr(x, "_fields", ()) or isinstance(_static(x, name), (types.FunctionType, property))
    if isinstance(x, (types.ModuleType, type)):
        return hasattr(x, name)
    return is_object(x) and (_static(x, name) is not None or name in fields_of(x) or hasattr(x, name))


def method_of(x: Any, name: str) -> Any:
    """The function behind `x.name(...)`, which takes x first."""
    found = _static(x, name)
    cls: Any = type(x)
    if isinstance(found, types.FunctionType) and name not in getattr(x, "__dict__", {}):
        return found
    if isinstance(found, types.MethodDescriptorType) and is_numeric(x):
        return found
    if isinstance(found, staticmethod):
        return of_static_method(found.__func__)
    if isinstance(found, classmethod):
        return with_class(found.__func__, cls)
    if isinstance(found, functools._lru_cache_wrapper) and isinstance(found.__wrapped__, types.FunctionType):
        return found.__wrapped__
    if isinstance(found, functools.singledispatchmethod):
        return method_by_class(found)
    if isinstance(found, functools.partialmethod) and isinstance(found.func, types.FunctionType):
        return method_in_part(found)
    return by_attribute(name)


def parent_method(cls: type, x: Any, name: str) -> Any:
    """The function behind `super().name(...)`."""
    found = getattr(super(cls, x), name)
    if isinstance(found, types.MethodType) and found.__self__ is x:
        return found.__func__
    if name == "__setattr__" and is_object(x):
        return assigned_as_usual
    return without_first(found)


def is_frozen(x: Any) -> bool:
    """Whether x is a dataclass to which nothing can be assigned."""
    settings = getattr(type(x), "__dataclass_params__", None)
    return settings is not None and bool(settings.frozen)


_ABSENT = object()


def parent_attribute(cls: type, x: Any, name: str) -> Any:
    """The function behind `super().name`, which takes the object."""
    later = type(x).__mro__[type(x).__mro__.index(cls) + 1 :] if not isinstance(x, type) else ()
    found = next((vars(c)[name] for c in later if name in vars(c)), _ABSENT)
    if isinstance(found, property) and found.fget is not None:
        return found.fget
    if found is _ABSENT or hasattr(type(found), "__get__"):
        raise UnsupportedError(
            f"cannot differentiate 'super().{name}' here", why="what it gives is bound to the object",
            todo="Call it where it is needed.",
        )  # fmt: skip

    def value(owner):  # type: ignore[no-untyped-def]
        return found

    return value


def without_first(function: Callable[..., Any]) -> Callable[..., Any]:
    """A static method: it does not take the object."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        return function(*args, **named)

    return called


of_static_method = functools.lru_cache(maxsize=512)(without_first)  # one function has one derivative


@functools.lru_cache(maxsize=512)
def with_class(function: Callable[..., Any], cls: type) -> Callable[..., Any]:
    """A class method: it takes the class."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        every = [cls, *args]
        return function(*every, **named)

    return called


@functools.cache
def by_attribute(name: str) -> Callable[..., Any]:
    """A function that an object holds."""

    def called(owner, *args, **named):  # type: ignore[no-untyped-def]
        function = field(owner, name)
        return function(*args, **named)

    return called


def held(x: Any, name: str) -> Any:
    """What an object holds under a name, whatever its class says of the attribute."""
    return x.__dict__[name]


def field(x: Any, name: str) -> Any:
    """An attribute, by a name that is known when it is read."""
    return getattr(x, name)


def holds_objects(x: Any, depth: int = 3) -> bool:
    """Whether x is, or holds, an object of a class of the user's, or what may have members that arrays have."""
    if type(x) in NUMBERS:
        return False
    if isinstance(x, (types.ModuleType, type)) or _of_container(x):
        return True
    if isinstance(x, (list, tuple)) and depth > 0:
        if NUMBERS.issuperset(map(type, x)):
            return False
        kinds = {type(v): v for v in x}  # one of each class tells for all
        return any(holds_objects(v, depth - 1) for v in kinds.values())
    if isinstance(x, dict):
        return is_filling(x) or (depth > 0 and any(holds_objects(v, depth - 1) for v in x.values()))
    return bool(x.operators) if isinstance(x, Internal) else is_object(x)


def holds_filling(x: Any, depth: int = 5) -> bool:
    """Whether x is, or holds, a dict in which reading makes what is not there."""
    if is_filling(x) or not depth:
        return is_filling(x)
    held: Iterable[Any] = ()
    cls: Any = type(x)
    if isinstance(x, dict):
        held = x.values()
    elif isinstance(x, (list, tuple, deque)):
        held = x
    elif is_object(x) and not _is_of_library(cls):
        held = seen_in(x).values()
    kinds = {type(v): v for v in held}
    return not LEAVES.issuperset(kinds) and any(holds_filling(v, depth - 1) for v in kinds.values())


@functools.cache
def _is_of_library(cls: Any) -> bool:
    """Whether what objects of a class hold is nobody's business: functions that Numba compiled keep such dicts."""
    home = (cls.__module__ or "").split(".")[0]
    return home in COMPILER or home in sys.stdlib_module_names - {"__main__", "types"}


COMPILER = frozenset(("numba", "llvmlite"))


def is_of_compiler(x: Any) -> bool:
    """Whether an object belongs to Numba: what it holds leads to all that was compiled."""
    return str(type(x).__module__).split(".")[0] in COMPILER


def is_common(name: str) -> bool:
    """Whether arrays, lists or dicts have a member of this name, for which there is a rule."""
    return name in COMMON


COMMON = frozenset((*dir(np.ndarray), "index", "count", "get"))


def _of_container(x: Any) -> frozenset[str]:
    """The operators of a container of the user's, and whether fields or methods of it are called as those of arrays."""
    cls: Any = type(x)
    if not is_own_container(x):
        return NO_OPERATORS
    named = any(is_common(name) for name in getattr(x, "_fields", ()))
    return operators_of(cls) | {MEMBERS} if named else operators_of(cls)


@functools.cache
def operators_of(cls: Any) -> frozenset[str]:
    """The operators that a class defines in Python, and whether it has members that arrays have, too."""
    if any(c in ARRAY_CLASSES for c in cls.__mro__):
        return frozenset()
    own = [c for c in cls.__mro__ if c.__flags__ & _HEAP]
    found = {name for c in own for name in vars(c) if name in OPERATORS and _is_written(cls, name)}
    found -= PRODUCTS if _are_sparse(cls) else NO_OPERATORS
    if any(is_common(name) and not name.startswith("__") for c in own for name in (*vars(c), *_assigned(c))):
        found.add(MEMBERS)
    return frozenset(found)


def _assigned(cls: type) -> tuple[str, ...]:
    """Names of attributes that objects of a class get: declared ones, and all that its initialiser mentions."""
    made = vars(cls).get("__init__")
    return (
        *getattr(cls, "__annotations__", ()),
        *(made.__code__.co_names if isinstance(made, types.FunctionType) else ()),
    )


def _is_written(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), types.FunctionType)


def operators_in(x: Any, depth: int = 3) -> frozenset[str]:
    """The operators that the classes of x, and of what it holds, define."""
    cls: Any = type(x)
    if cls in LEAVES:
        return NO_OPERATORS
    if is_sparse(x):
        return operators_of(cls) - {MEMBERS}
    if _has_objects(cls):
        fields, own = seen_in(x), operators_of(cls)
        if not COMMON.isdisjoint(fields):
            own |= {MEMBERS}
        if depth <= 0 or LEAVES.issuperset(map(type, fields.values())):
            return own
        return own.union(*_operators_of_all(fields.values(), depth - 1))
    if isinstance(x, types.ModuleType):
        return frozenset({MEMBERS})
    if isinstance(x, type):
        return operators_of(x)
    if isinstance(x, Internal):
        return x.operators if depth > 0 else NO_OPERATORS
    own = _of_container(x)
    if depth <= 0 or not isinstance(x, (list, tuple, dict)):
        return own
    items = x.values() if isinstance(x, dict) else x
    kinds = {type(v): v for v in items}  # one of each class tells for all
    return own.union(*_operators_of_all(kinds.values(), depth - 1))


def _operators_of_all(values: Iterable[Any], depth: int) -> list[frozenset[str]]:
    return [found for v in values if type(v) not in LEAVES and (found := operators_in(v, depth))]


NO_OPERATORS: frozenset[str] = frozenset()
