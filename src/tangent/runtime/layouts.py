"""The classes of values, and of what they hold: for each there may be another derivative."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tangent.runtime.objects import is_object, seen_in
from tangent.runtime.storage.held import SEVERAL

PLAIN = frozenset({float, int, bool, str, complex, type(None), np.float64, np.float32})
CONTAINERS = (list, tuple, set, frozenset, deque)
DEPTH = 5
REMEMBERED = 256  # layouts of arguments
T = TypeVar("T")
Remembered = Callable[[tuple[Any, ...], Any], T]


def layout_of(x: Any, depth: int = DEPTH) -> Any:
    """The class of a value, of its attributes, and of the items that it holds: of objects all, else one of each class.

    Objects of several classes in a short list are told apart by their places.

    >>> layout_of([1.0, 2.0]) == layout_of([3.0]) != layout_of([3])
    True
    """
    cls = type(x)
    if cls in PLAIN:
        return cls
    if cls is np.ndarray:
        return x.dtype.kind
    if isinstance(x, (type, types.ModuleType)):
        return x
    if cls is types.FunctionType:
        return x.__code__
    if not depth:
        return cls
    if cls is types.MethodType:
        return x.__func__, layout_of(x.__self__, depth - 1)
    if cls is functools.partial:
        return cls, layout_of((x.func, *x.args), depth - 1)
    if isinstance(x, dict):
        return cls, frozenset([layout_of(v, depth - 1) for v in {type(v): v for v in x.values()}.values()])
    if isinstance(x, CONTAINERS):
        items = {type(v): v for v in x}
        if len(items) > 1 and len(x) <= SEVERAL and all(map(is_object, items.values())) and cls is list:
            return cls, *[layout_of(v, depth - 1) for v in x]  # code may tell them apart by their places
        every = x if any(map(is_object, items.values())) else items.values()
        return cls, frozenset([layout_of(v, depth - 1) for v in every])
    if is_object(x):
        held = seen_in(x)
        if PLAIN.issuperset(kinds := [*map(type, held.values())]):
            return (cls, *held, *kinds)
        return (cls, *held, *[layout_of(v, depth - 1) for v in held.values()])
    return cls


def remembered(
    function: Callable[[tuple[Any, ...]], T], holds: Callable[[T], bool] = lambda found: True
) -> Remembered[T]:
    """A function of arguments that depends on their layout alone: it is asked once for each, as long as that holds.

    It is given the layout, too, which several such functions have in common.
    """
    known: dict[Any, T] = {}

    def found(values: tuple[Any, ...], key: Any) -> T:
        if key not in known or not holds(known[key]):
            if len(known) >= REMEMBERED:
                known.clear()
            known[key] = function(values)
        return known[key]

    return found
