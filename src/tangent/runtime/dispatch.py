"""What Python's types decide at run time: zeros, sums, broadcasting reversed. Other types register themselves.

Each function looks at floats and NumPy arrays first, because that is what it nearly always gets.
"""

from __future__ import annotations

import itertools
import operator
import types
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.memory import Memory
from tangent.runtime.objects import Internal, is_object, register_arrays, remade, seen_in
from tangent.runtime.usual import tells_of_items
from tangent.runtime.walks import require_followed, require_unwritten
from tangent.runtime.zeros import ZeroGrad, gradient_dtype

NUMBERS = (float, int, complex, np.generic)
NOTHING = (type(None), str, bytes, type, type(Ellipsis), slice, np.dtype)


@dataclass(frozen=True)
class ArrayType:
    """What another array library tells about its arrays.

    `zeros(x)` and `copy(b)` make arrays of their own, `add(a, b)` sums gradients, `unbroadcast(b, x)` reduces one to
    the shape of an array that was broadcast, `broadcast_like(b, x)` stretches a tangent to the shape of a result,
    `total(b)` is the gradient of a number that was broadcast. With `numpy` the functions of NumPy take its arrays.
    """

    zeros: Callable[[Any], Any]
    add: Callable[[Any, Any], Any]
    unbroadcast: Callable[[Any, Any], Any]
    broadcast_like: Callable[[Any, Any], Any]
    copy: Callable[[Any], Any]
    total: Callable[[Any], Any] = lambda b: b.sum()
    numpy: bool = False


_registered: dict[type, ArrayType] = {}


def register_array_type(cls: type, array_type: ArrayType) -> None:
    """Let values of a class have gradients."""
    _registered[cls] = array_type
    register_arrays(cls)


def foreign_type(x: Any) -> ArrayType | None:
    if not _registered:
        return None
    return next((_registered[c] for c in type(x).__mro__ if c in _registered), None)


def is_numpy_like(x: Any) -> bool:
    """Whether a value is an array of a kind of its own, which NumPy's functions take."""
    found = None if isinstance(x, (np.ndarray, np.generic, float, int)) else foreign_type(x)
    return found is not None and found.numpy


def is_foreign(x: Any) -> bool:
    """Whether a value is an array of another library, which NumPy's functions do not know."""
    if isinstance(x, (np.ndarray, np.generic, float, int)):
        return False
    found = foreign_type(x)
    return found is not None and not found.numpy


def init_grad(x: Any) -> Any:
    """The zero gradient of a value: 0.0 for a number, zeros for an array, the same structure for a container.

    >>> init_grad((3.0, np.ones(2, np.float32), {"n": 1}))
    (0.0, array([0., 0.], dtype=float32), {'n': 0.0})
    """
    if type(x) is float or type(x) is int or type(x) is bool:
        return 0.0
    if x is None:
        return None
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, gradient_dtype(x.dtype))
    if type(x) is list:
        return [0.0 if type(v) is float else _zero_inside(v) for v in x]
    if isinstance(x, np.generic):
        return gradient_dtype(x.dtype).type(0) if x.dtype.kind in "fciub" else None
    if isinstance(x, complex):
        return 0j
    if isinstance(x, ZeroGrad):  # of an array or a number: zeros that may be added to in place
        return init_grad(x.like) if isinstance(x.like, (np.ndarray, np.generic, float, int, complex)) else x
    if (foreign := foreign_type(x)) is not None:
        return foreign.zeros(x)
    if isinstance(x, Memory):
        return Memory()
    if isinstance(x, np.flatiter):
        return np.zeros(len(x), gradient_dtype(x.base.dtype))
    if isinstance(x, (range, bytearray)):
        return np.zeros(len(x))
    if isinstance(x, types.MethodType):  # that of its object
        return _zero_inside(x.__self__)
    return map_structure(_zero_inside, x)


def _zero_inside(x: Any) -> Any:
    """The zero gradient of a part: objects that a container or an object holds are looked into when that is needed."""
    return ZeroGrad(x) if is_object(x) else init_grad(x)


_begun: set[int] = set()  # objects whose zeros are being made: a cycle ends at what has begun


def zeros_of(x: Any) -> Any:
    """The zero gradient of a value, with that of all objects that it holds."""
    if not (isinstance(x, (list, tuple, dict, deque)) or is_object(x)):
        return init_grad(x)
    if id(x) in _begun:
        return None
    _begun.add(id(x))
    try:
        return map_structure(zeros_of, x)
    finally:
        _begun.discard(id(x))


def lazy_zero(x: Any) -> Any:
    """A zero gradient that allocates nothing."""
    if type(x) is float or type(x) is int:
        return 0.0
    if x is None:
        return None
    if is_object(x) or isinstance(x, (np.ndarray, list, tuple, dict, deque)):
        return ZeroGrad(x)
    return Memory() if isinstance(x, Memory) else init_grad(x)


def unread(x: Any) -> Any:
    """The gradient of a result that nothing reads, for rules that ask whether it is one."""
    return lazy_zero(x)


def refit(b: Any, x: Any) -> Any:
    """A gradient of x; zeros that were made for an earlier value become those of this one."""
    if isinstance(b, np.ndarray) and isinstance(x, np.ndarray) and b.ndim == x.ndim:
        return b if b.shape == x.shape else lazy_zero(x)
    return lazy_zero(x) if isinstance(b, ZeroGrad) else b


def settled(b: Any, x: Any) -> Any:
    """The gradient of x as it is given back: real numbers that nobody else holds, of the dtype that x has."""
    if isinstance(b, ZeroGrad):
        return zeros_of(x)
    if isinstance(b, np.ndarray) and not b.ndim and isinstance(x, (int, float, complex, np.generic)):
        b = b[()]
    if isinstance(b, (float, complex)) and isinstance(x, (complex, np.ndarray, np.generic)):
        return _as_number(b, x)
    if type(x) is float:
        return float(b) if isinstance(b, np.floating) and not isinstance(b, float) else copy(b)
    return _nested(b, x) if isinstance(b, (np.ndarray, list, tuple)) and isinstance(x, (list, tuple)) else copy(b)


def _as_number(b: float | complex, x: Any) -> Any:
    """A number as one of the type of x, where that is of floats or complex."""
    if type(x) is complex:
        return complex(b)
    fits = x.dtype.kind == "c" or (x.dtype.kind == "f" and isinstance(b, float))
    return x.dtype.type(b) if fits else b


def as_given(b: Any, x: Any) -> Any:
    """The gradient of x as it is given back, of which an array is nobody else's already."""
    return b if isinstance(b, np.ndarray) and b.ndim and not isinstance(x, (list, tuple)) else settled(b, x)


def _nested(b: Any, x: Any) -> Any:
    """An array of gradients in the structure of the lists and tuples that were taken for an array."""
    if type(x) is list is type(b) and len(b) == len(x):
        return [part if type(part) is float else _nested(part, v) for part, v in zip(b, x)]
    if isinstance(x, (list, tuple)) and isinstance(b, (np.ndarray, list, tuple)) and len(b) == len(x):
        return repack(x, *(_nested(part, v) for part, v in zip(b, x)))
    return float(b) if type(x) is float and isinstance(b, np.floating) else copy(b)


def map_structure(function: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Apply a function to the items of a container (and of others of the same structure).

    >>> map_structure(lambda a, b: a + b, {"k": 2}, {"k": 20})
    {'k': 22}
    """
    if isinstance(x, dict):
        return like_dict(x, {k: function(v, *(o[k] for o in others)) for k, v in x.items()})
    if isinstance(x, (list, tuple, deque)):
        return repack(x, *(function(*parts) for parts in zip(x, *others, strict=True)))
    if is_object(x):
        own = seen_in(x)
        if not others:
            return remade(x, {k: function(v) for k, v in own.items()})
        parts = [seen_in(o) if is_object(o) else {k: get_attribute(o, k) for k in own} for o in others]
        return remade(x, {k: function(v, *[p.get(k) for p in parts]) for k, v in own.items()})
    return None


def like_dict(x: Any, items: dict[Any, Any]) -> Any:
    """A dict of the kind of another, with other items."""
    if isinstance(x, defaultdict):
        return defaultdict(zero_factory(x.default_factory), items)
    return items if type(x) is dict or tells_of_items(type(x)) else type(x)(items)


class _Zeros:
    """Makes the zero gradient of what a function makes."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory

    def __call__(self) -> Any:
        return init_grad(self.factory())


def zero_factory(factory: Any) -> Any:
    """What makes the gradients of missing items, given what makes the items."""
    return factory if factory is None or isinstance(factory, _Zeros) else _Zeros(factory)


def repack(like: Any, *parts: Any) -> Any:
    """The parts, in a container of the same type: list, tuple, named tuple or array; a dict has none for its keys.

    >>> repack([0, 0], 1, 2)
    [1, 2]
    """
    if isinstance(like, np.ndarray):
        return np.stack([np.asarray(p) for p in parts]) if parts else init_grad(like)
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*parts)
    if isinstance(like, list):
        return list(parts)
    if isinstance(like, deque):
        return deque(parts, like.maxlen)
    if isinstance(like, dict):
        return init_grad(like)
    return tuple(parts)


def repack_from(like: Any, parts: Any) -> Any:
    """The items of a sequence, in a container of the type of another; of a dict they are the keys, which have none."""
    return init_grad(like) if isinstance(parts, dict) else repack(like, *parts)


def put_field(b: Any, x: Any, name: str) -> Any:
    """The gradient of a named tuple or an object of which one attribute was read."""
    if isinstance(x, ZeroGrad):
        x = x.like
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return repack(x, *(b if field == name else lazy_zero(getattr(x, field)) for field in x._fields))
    if is_object(x) and name in seen_in(x):
        return put_fields(x, {name: b})
    if is_object(x):
        return init_grad(x)  # an attribute of the class: no part of the object
    if isinstance(x, (types.ModuleType, type)) and (_is_constant(getattr(x, name)) or _is_constant_class(x)):
        return None
    raise _without_gradient(x, name)


def put_fields(x: Any, parts: dict[str, Any]) -> Any:
    """The gradient of an object of which some attributes were read."""
    held = seen_in(x).items()
    return remade(x, {k: parts[k] if k in parts else 0.0 if type(v) is float else lazy_zero(v) for k, v in held})


def _without_gradient(x: Any, name: str) -> UnsupportedError:
    return UnsupportedError(
        f"cannot differentiate the attribute '{name}' of a {type(x).__name__}",
        why="only numbers, arrays, containers and objects of classes written in Python have gradients",
        todo="Pass the value as an argument of its own.",
    )


def _is_constant(x: Any) -> bool:
    """Whether x is a function, a class, text, or a table of such."""
    if isinstance(x, (list, tuple, dict)):
        return all(map(_is_constant, x.values() if isinstance(x, dict) else x))
    return x is None or isinstance(x, (str, int, type)) or (callable(x) and not is_object(x))


def _is_constant_class(x: Any) -> bool:
    """Whether a class holds nothing but constants: those of NumPy, as the domain of `np.polynomial.Polynomial`."""
    return isinstance(x, type) and x.__module__.startswith("numpy.")


def get_attribute(x: Any, name: str) -> Any:
    """A field, by name."""
    if isinstance(x, ZeroGrad):
        return lazy_zero(getattr(x.like, name))
    return seen_in(x).get(name) if is_object(x) else getattr(x, name)


def put_attributes(x: Any, /, **parts: Any) -> Any:
    """The gradient of an object that holds these gradients of its attributes, of the others zeros; nobody else's.

    >>> put_attributes(types.SimpleNamespace(k=2.0, c=np.ones(1)), k=0.5)
    namespace(k=0.5, c=array([0.]))
    """
    return remade(x, {k: copy(parts[k]) if k in parts else zeros_of(v) for k, v in seen_in(x).items()})


def field_part(g: Any, b: Any, x: Any, name: str) -> Any:
    """The adjoint of b in `put_field(b, x, name)`; zero where x is a class or a module, which have no gradient.

    >>> field_part(None, 2.5, float, "real")
    0.0
    """
    return init_grad(b) if isinstance(x, (types.ModuleType, type)) else get_attribute(g, name)


# What tells of an array and is constant: everything else of it that holds numbers is a view.
DESCRIPTIONS = frozenset({"shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags"})


def array_part(b: Any, x: Any, name: str) -> Any:
    """The tangent of an attribute of an array or a number, which classes may have, too.

    >>> array_part(np.array([[1.0, 2.0]]), np.zeros((1, 2)), "T").shape, array_part(1.0, 2.0, "imag")
    ((2, 1), 0.0)
    """
    return init_grad(getattr(x, name)) if isinstance(b, ZeroGrad) or name in DESCRIPTIONS else getattr(b, name)


def put_array_part(b: Any, x: Any, name: str) -> Any:
    """The transpose of `array_part`: what the array receives from one of its attributes."""
    if isinstance(b, ZeroGrad) or name in DESCRIPTIONS:
        return init_grad(x)
    match name:
        case "T":
            return np.transpose(b)
        case "real":
            return b
        case "imag":
            return -1j * b if isinstance(x, (complex, np.complexfloating)) or np.iscomplexobj(x) else init_grad(x)
    raise _without_gradient(x, name)


def pop_grad(b: Any, x: Any) -> Any:
    """The last item of a list of gradients; zero where nothing has flowed into the list.

    What was kept for a backward pass has given up the lists in it by then: its zero takes the form of what is added.
    """
    if isinstance(b, list) and b:
        return b.pop()
    return lazy_zero(x) if isinstance(x, tuple) else init_grad(x)


def cast_tangent(b: Any, y: Any, asked: Any = True) -> Any:
    """A tangent in the dtype of the result it belongs to; zero where integers were asked for.

    A view of integers that `np.einsum` gives is of integers, whatever was asked for.
    """
    dtype = np.asarray(y).dtype
    if asked is None or dtype.kind == "O":
        return b
    if dtype.kind not in "fc":
        return b if asked is not True and np.dtype(asked).kind in "fc" else np.zeros(np.shape(b))[()]
    cast = np.asarray(b).astype(dtype, copy=False)
    return cast if cast is b else cast[()]


def as_list(b: Any) -> Any:
    """A list, or the gradient of one, as a list of its own, which items can be taken from; none was not made."""
    return [] if b is None else list(b)


def where_nonzero(b: Any, value: Any) -> Any:
    """The value, but zero where b is: what np.where left out contributes nothing, not even nan."""
    return value if np.all(np.isfinite(value)) else np.where(b == 0, 0.0, value)[()]


def nonzero_part(g: Any, b: Any, value: Any) -> Any:
    """The adjoint g of `where_nonzero(b, value)` for its value: zero where it was left out, or g would be nan."""
    finite = np.isfinite(value) & np.isfinite(g)
    return g if np.all(finite) else np.where((b == 0) & ~finite, 0.0, g)[()]


def items_like(b: Any, x: Any, later: Any) -> Any:
    """What a dict merged into another by `**` receives: the items that nothing after it replaced."""
    if isinstance(b, ZeroGrad) or isinstance(x, ZeroGrad):
        return lazy_zero(x)
    return {k: init_grad(v) if k not in b or any(k in names for names in later) else b[k] for k, v in x.items()}


def merged_like(b: Any, x: Any, later: Any) -> Any:
    """Zeros like the dict x, but what b holds: the transpose of `items_like`."""
    return items_like(b, x, later)


def sequence_tangent(b: Any, xs: Any) -> Any:
    """The tangent of what a loop runs over: zero, where it runs over keys."""
    if _is_sequence(xs):
        return b if is_object(xs) else sequence(b)
    if hasattr(xs, "__next__"):
        raise UnsupportedError(
            f"cannot differentiate a loop over a {type(xs).__name__} here", why="its items can be read only once",
            todo="Loop over a list: list(...).",
        )  # fmt: skip
    zeros = [init_grad(v) for v in list(xs)]
    if any(z is not None for z in zeros):
        require_followed(b, xs)
    return zeros


def unsequence(b: Any, xs: Any) -> Any:
    """What the iterable of a loop receives: nothing, where the loop ran over keys."""
    if _is_sequence(xs):
        return b
    require_followed(b, xs)
    return lazy_zero(xs)


def _is_sequence(xs: Any) -> bool:
    """Whether the items of a loop belong to what it runs over: rows of arrays of any kind, items of lists."""
    listed = isinstance(xs, (list, tuple, deque, np.ndarray, np.flatiter))
    return listed or foreign_type(xs) is not None or (is_object(xs) and _has_places(xs))


def _has_places(xs: Any) -> bool:
    """Whether something gives its items by index, and tells how many there are."""
    return hasattr(xs, "__getitem__") and hasattr(xs, "__len__") and not isinstance(xs, (dict, type))


def are_floats(a: list[Any], b: list[Any]) -> bool:
    """Whether two lists of one length hold nothing but floats."""
    return len(a) == len(b) and {*map(type, a), *map(type, b)} == {float}


def add_grad(a: Any, b: Any) -> Any:
    """The sum of two gradients of one value.

    >>> add_grad([1.0, ZeroGrad(np.ones(1))], [2.0, np.array([5.0])])
    [3.0, array([5.])]
    """
    if type(a) is float is type(b):
        return a + b
    if a is b is None:
        return None
    if isinstance(a, ZeroGrad) or a is None:
        return b.copy() if isinstance(b, np.ndarray) else b  # a sum is nobody else's: more is added to it in place
    if isinstance(b, ZeroGrad) or b is None:
        return a if isinstance(a, Internal) else _own(a)
    if isinstance(a, Internal):
        return a.plus(b, add_grad)
    if isinstance(b, Internal):
        return b.plus(a, add_grad)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() != b.keys():  # what only one of them has
        return {**a, **b, **{k: add_grad(a[k], b[k]) for k in a if k in b}}
    if type(a) is list is type(b) and are_floats(a, b):
        return list(map(operator.add, a, b))
    if is_object(a) and type(a) is type(b):
        others = seen_in(b)
        return remade(a, {k: add_grad(v, others.get(k)) for k, v in seen_in(a).items()})
    if isinstance(a, (list, tuple, dict, deque)) or is_object(a):
        return map_structure(add_grad, a, b)
    if (foreign := foreign_type(a)) is not None:
        return foreign.add(a, b)
    return a + b


def _own(b: Any) -> Any:
    """A gradient to which more may be added in place; chains of objects are shared, nothing is added to these so."""
    return remade(b, {k: _own_part(v) for k, v in seen_in(b).items()}) if is_object(b) else _own_part(b)


def _own_part(b: Any) -> Any:
    if type(b) is float or b is None or is_object(b) or _is_zero_object(b):
        return b
    return map_structure(_own_part, b) if isinstance(b, (list, tuple, dict, deque)) else copy(b)


def _is_zero_object(b: Any) -> bool:
    return isinstance(b, ZeroGrad) and is_object(b.like)


def copy(b: Any) -> Any:
    """A gradient that nobody else holds."""
    if type(b) is float:
        return b
    if isinstance(b, np.ndarray):
        return b.copy()
    if b is None:
        return None
    if isinstance(b, ZeroGrad):
        return zeros_of(b.like)
    if isinstance(b, (list, tuple, dict, deque)) or is_object(b):
        return map_structure(copy, b)
    if isinstance(b, Internal):
        return b.mapped(copy)
    if (foreign := foreign_type(b)) is not None:
        return foreign.copy(b)
    return b


def dense(b: Any) -> Any:
    """The gradient as real numbers and arrays, lazy zeros made."""
    if isinstance(b, ZeroGrad):
        return zeros_of(b.like)
    if isinstance(b, (list, tuple, dict, deque)) or is_object(b):
        return map_structure(dense, b)
    return b.mapped(dense) if isinstance(b, Internal) else b


def sequence(xs: Any, ahead: bool = False) -> Any:
    """What a loop runs over, as something with a length and items; `ahead`, if the loop writes into items to come."""
    if ahead:
        require_unwritten(xs)
    if isinstance(xs, (list, tuple, np.ndarray, range, str)):
        if isinstance(xs, np.ndarray) and xs.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return xs
    if isinstance(xs, np.flatiter):
        return xs.copy()
    if _has_places(xs):
        return xs
    if isinstance(xs, (itertools.count, itertools.cycle)):
        raise UnsupportedError(
            f"cannot differentiate a loop over {type(xs).__name__}", why="it never ends, and its items are all kept",
            todo="Loop over a range.",
        )  # fmt: skip
    return list(xs)
