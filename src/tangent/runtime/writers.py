"""Functions of libraries that write into what they are given, where that is found out only when they are called."""

from __future__ import annotations

import bisect
import heapq
import inspect
import operator
import types
from collections import deque
from functools import cache
from typing import Any

import numpy as np

from tangent.errors import InPlaceError

FIRST_ARGUMENT = frozenset(
    id(f)
    for f in (
        np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal,
        setattr, delattr, operator.setitem, operator.delitem, operator.iadd, operator.isub, operator.imul,
        operator.itruediv, operator.ipow, operator.imatmul, operator.iconcat, operator.imod, operator.ifloordiv,
        heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop, bisect.insort_left,
        bisect.insort_right,
    )
)  # fmt: skip
WRITING_METHODS = frozenset(
    "append pop extend insert remove clear sort reverse update add discard setdefault popitem fill put itemset "
    "resize partition setflags byteswap setfield appendleft popleft extendleft rotate "
    "difference_update intersection_update symmetric_difference_update "
    "__setitem__ __iadd__ __isub__ __imul__ __itruediv__ __ipow__ __imatmul__ __setattr__".split()
)
METHODS = WRITING_METHODS | frozenset("shuffle __delitem__ __imod__ __ifloordiv__ __ior__".split())
OUTPUTS = {  # where methods of arrays take an array to write into
    "clip": 2, "cumsum": 2, "cumprod": 2, "sum": 2, "prod": 2, "mean": 2, "std": 2, "var": 2, "max": 1, "min": 1,
    "choose": 1, "compress": 2, "dot": 1, "round": 1, "take": 2, "trace": 4, "all": 1, "any": 1,
}  # fmt: skip
REDUCTIONS = {"reduce": 3, "accumulate": 3, "reduceat": 4}  # the same of ufuncs
CONTAINERS = (list, dict, deque, set)
METHOD_TYPES = (types.MethodDescriptorType, types.WrapperDescriptorType)


def require_reader(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], alone: bool = False) -> None:
    """Stop before a function of a library writes into an array, a list or a dict that it is given.

    `alone` says that it is called for its effects.

    >>> a = np.ones(2)
    >>> require_reader(operator.iadd, (1.0, 2.0), {})
    >>> require_reader(np.multiply, (a, 2.0), {})
    """
    if not may_be_writer(function):
        return
    fills = is_foreign(function) or (alone and is_of_scipy(function))
    if any(map(is_changeable, (*args, *kwargs.values()) if fills else _written(function, args, kwargs))):
        raise InPlaceError(
            f"cannot differentiate a call of '{getattr(function, '__name__', function)}'",
            why="it writes into its argument, which is found out only when the call happens",
            todo="Call it by its own name, or let it return a new array.",
        )  # fmt: skip


def may_be_writer(function: Any) -> bool:
    """Whether a function of a library writes into something, for some arguments."""
    return not isinstance(function, types.FunctionType) or id(function) in FIRST_ARGUMENT or _has_output(function)


def is_foreign(function: Any) -> bool:
    """Whether something is code of another language, or fills a buffer: it may write into whatever it is given."""
    kinds = type(function).__mro__
    return (
        kinds[0].__name__ == "fortran"
        or any(c.__module__ == "_ctypes" for c in kinds)
        or getattr(function, "__name__", "") == "pack_into"
    )


def is_of_scipy(function: Any) -> bool:
    """Whether something is a function of SciPy: one that is called for its effect writes into what it is given."""
    return (getattr(function, "__module__", None) or "").startswith("scipy.")


def is_changeable(x: Any) -> bool:
    """Whether something may be written into: arrays of any dtype, lists, dicts and their like."""
    return isinstance(x, CONTAINERS) or (isinstance(x, np.ndarray) and x.flags.writeable)


def _written(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """What a call of a function of a library writes into."""
    title, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    given = (kwargs.get("out"),)
    if id(function) in FIRST_ARGUMENT or (isinstance(function, METHOD_TYPES) and title in METHODS):
        return args[:1]
    if isinstance(function, np.ufunc):
        return (*args[function.nin :], *given)
    if isinstance(owner, np.ufunc):
        return args[:1] if title == "at" else (*args[REDUCTIONS.get(title, 9) :], *given)
    if isinstance(function, METHOD_TYPES):
        return (*args[OUTPUTS.get(title, 99) + 1 :], *given)
    if isinstance(owner, (np.ndarray, *CONTAINERS)):
        return (owner,) if title in METHODS else (*args[OUTPUTS.get(title, 99) :], *given)
    if title == "shuffle":
        return args[:1]
    place = _output(function)
    return given if place is None else (*args[place : place + 1], *given)


def _has_output(function: Any) -> bool:
    return (function.__module__ or "").split(".")[0] in ("numpy", "scipy") and _output(function) is not None


def _output(function: Any) -> int | None:
    """Where a function takes an array to write into."""
    try:
        return _place_of_output(function)
    except TypeError:  # it cannot be told by what it is, or has no signature
        return None


@cache
def _place_of_output(function: Any) -> int | None:
    try:
        given = inspect.signature(function).parameters
    except ValueError:
        return None
    known = "out" in given and given["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    return list(given).index("out") if known else None
