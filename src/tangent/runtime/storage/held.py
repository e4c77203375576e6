"""What objects among the arguments of a function hold, where each of it is held once."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tangent.options import EACH, ITEMS
from tangent.runtime.objects import fields_of, is_object
from tangent.runtime.persistent import PersistentArray

Held = tuple[tuple[str, str], ...]
NUMBERS = (float, int, complex, np.number)
FIXED = (bool, str, bytes, type(None), types.FunctionType, types.BuiltinFunctionType, np.ufunc, type, np.dtype)
DEPTH = 3  # of objects in objects
SEVERAL = 16  # objects in a list, of several classes, that are told apart by their places


def held_by(x: Any) -> Held:
    """The attributes of an object, and how what they hold is copied, if it is: as a `value`, `list` or `dict`.

    >>> held_by(types.SimpleNamespace(x=2.0, name="p", xs=[1.0]))
    (('x', 'value'), ('name', 'fixed'), ('xs', 'list'))
    """
    return tuple((attr, _form(v)) for attr, v in fields_of(x).items())


def within(x: Any, path: str, depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """An object under a path, and those that it holds under paths of theirs.

    >>> [path for path, _ in within(types.SimpleNamespace(w=2.0, spring=types.SimpleNamespace(k=1.0)), "p")]
    ['p', 'p.spring']
    """
    yield path, x
    for attr, v in fields_of(x).items() if depth else ():
        if is_object(v):
            yield from within(v, f"{path}.{attr}", depth - 1)
        elif is_of_objects(v):
            yield f"{path}.{attr}{ITEMS}", v
        elif is_of_several(v):
            yield from each_within(v, f"{path}.{attr}", depth - 1)


def each_within(xs: list[Any], path: str, depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """A list of objects of several classes under a path, and what is in it.

    >>> spring, wall = types.SimpleNamespace(k=1.0), type("Wall", (), {})()
    >>> [path for path, _ in each_within([spring, wall], "parts")]
    ['parts[:]', 'parts.0', 'parts.1']
    """
    yield f"{path}{EACH}", xs
    for i, x in enumerate(xs):
        yield from within(x, f"{path}.{i}", depth)


def is_of_objects(x: Any) -> bool:
    """Whether x is a list of objects of one class."""
    return type(x) is list and bool(x) and is_object(x[0]) and len({*map(type, x)}) == 1


def is_of_several(x: Any) -> bool:
    """Whether x is a short list of objects of several classes."""
    return type(x) is list and 1 < len(x) <= SEVERAL and all(map(is_object, x)) and len({*map(type, x)}) > 1


def held_by_all(xs: list[Any]) -> Held | None:
    """The attributes of the objects in a list, where all hold the same."""
    forms = {held_by(x) for x in xs}
    return forms.pop() if len(forms) == 1 else None


def _form(x: Any) -> str:
    if is_object(x):
        return "object"
    if is_of_objects(x):
        return "objects"
    if isinstance(x, FIXED):
        return "fixed"
    if isinstance(x, NUMBERS) or (type(x) is np.ndarray and x.dtype.kind in "fciu"):
        return "value"
    if type(x) is list and all(isinstance(v, NUMBERS + FIXED) for v in x):
        return "list"
    if type(x) is dict and all(isinstance(v, NUMBERS + FIXED) for v in x.values()):
        return "dict"
    return "fixed" if type(x) is tuple and all(isinstance(v, NUMBERS + FIXED) for v in x) else "other"


def are_apart(values: Iterable[Any]) -> bool:
    """Whether nothing that can be changed is held twice: by two of some values, or by one of them.

    >>> a = np.zeros(4)
    >>> are_apart([a, [1.0]]), are_apart([a, a[1:]]), are_apart([a[:2], a[2:]]), are_apart([{"a": [a, a]}])
    (True, False, True, False)
    """
    seen: set[int] = set()
    arrays: list[np.ndarray[Any, Any]] = []
    for x in (part for value in values for part in parts_of(value, 4)):
        if id(x) in seen:
            return False
        seen.add(id(x))
        if isinstance(x, np.ndarray):
            arrays.append(x)
    return not _overlap(arrays)


def holds_in_objects(x: Any) -> bool:
    """Whether a value is an object that holds arrays, or has such objects among its items.

    >>> spring = types.SimpleNamespace(k=np.ones(2))
    >>> holds_in_objects(spring), holds_in_objects([spring]), holds_in_objects([np.ones(2)])
    (True, True, False)
    """
    objects = [part for part in parts_of(x) if is_object(part)]
    return any(isinstance(part, np.ndarray) for one in objects for part in parts_of(one))


def holds_persistent(x: Any, depth: int = DEPTH) -> bool:
    """Whether a value is a persistent array, or holds one.

    >>> holds_persistent([1.0, {"a": PersistentArray([1.0])}]), holds_persistent([np.ones(2)])
    (True, False)
    """
    if isinstance(x, PersistentArray):
        return True
    if isinstance(x, (*NUMBERS, *FIXED, np.ndarray)) or not depth:
        return False
    inner = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    if is_object(x):
        inner = fields_of(x).values()
    return any(holds_persistent(v, depth - 1) for v in {type(v): v for v in inner}.values())


def share(x: Any, y: Any) -> bool:
    """Whether two values hold something in common that can be changed.

    >>> a = np.zeros(4)
    >>> share(a, [a[2:]]), share(a[:2], {"a": a[2:]}), share([1.0], [1.0])
    (True, False, False)
    """
    ours, theirs = list(parts_of(x)), list(parts_of(y))
    if {id(part) for part in ours} & {id(part) for part in theirs}:
        return True
    arrays = [part for part in theirs if isinstance(part, np.ndarray)]
    return any(np.shares_memory(part, a) for part in ours if isinstance(part, np.ndarray) for a in arrays)


def _overlap(arrays: list[np.ndarray[Any, Any]]) -> bool:
    """Whether two of some arrays share an element: only those are compared that lie in the same part of memory."""
    lying = sorted(((*byte_bounds(x), x) for x in arrays if x.size), key=lambda found: found[0])
    for k, (_, end, x) in enumerate(lying):
        for begin, _, y in lying[k + 1 :]:
            if begin >= end:
                break
            if np.shares_memory(x, y):
                return True
    return False


def parts_of(x: Any, depth: int = 4) -> Iterator[Any]:
    """What can be changed in a value: arrays, lists, dicts and objects, and those in them."""
    if isinstance(x, np.ndarray):
        yield x
        return
    inner = (
        x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple, set))
        else vars(x).values() if is_object(x) and hasattr(x, "__dict__") else ()
    )  # fmt: skip
    if isinstance(x, (dict, list, set)) or is_object(x):
        yield x
    if depth:
        for v in inner:
            if not isinstance(v, NUMBERS + FIXED):
                yield from parts_of(v, depth - 1)
