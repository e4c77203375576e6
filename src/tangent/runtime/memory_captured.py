"""Derivatives of functions that capture what the memory knows better: they are taken again, with the memory."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.memory import Slot, Variable
from tangent.runtime.memory_views import parts_now, reaches_slot
from tangent.runtime.objects import is_object
from tangent.runtime.places import root_of

KEPT = (list, dict, deque, np.ndarray, Variable)  # what stays changed behind a derivative


def sees_memory(memory: Any, function: Any) -> bool:
    """Whether a function is the derivative of one that captures something which was changed."""
    return hasattr(function, "origin") and any(reaches_slot(memory, v) for v in _reached(function, set()))


def sees_changeable(function: Any) -> bool:
    """Whether the function behind a derivative captures something that it may change."""
    return hasattr(function, "origin") and any(isinstance(v, KEPT) or is_object(v) for v in _reached(function, set()))


def sees_kept(function: Any) -> bool:
    """Whether it captures something of which changes stay behind a derivative."""
    return any(isinstance(v, KEPT) for v in _reached(function, set()))


def object_slots(memory: Any, after: Any, function: Any) -> frozenset[Slot]:
    """What a function has changed in arrays and objects that it captures, and in what these hold.

    A derivative of a function that needs a memory leaves these alone (`tell_outside`).
    """
    inside: dict[int, bool] = {}
    for x in _reached(function, set()):
        _mark(memory, x, False, inside)
    return frozenset(s for s, v in after.items() if inside.get(s[0]) and (s not in memory or memory[s] is not v))


def _mark(memory: Any, x: Any, held: bool, inside: dict[int, bool]) -> None:
    """Note of all that is reached from a value whether it is an array, or objects alone hold it."""
    own = id(root_of(x)) if isinstance(x, np.ndarray) else id(x)
    held = held or isinstance(x, np.ndarray) or (is_object(x) and not isinstance(x, Variable))
    if inside.get(own, True) and (own not in inside or not held):
        inside[own] = held
        for part in parts_now(memory, x).values():
            _mark(memory, part, held, inside)


def undone_slots(memory: Any, after: Any, slots: Any) -> Any:
    """A memory in which some slots are what they were in an earlier one."""
    made = after.table
    for s in slots:
        made = made.having(s, memory[s]) if s in memory else made.without(s)
    return after.of(made)


def slots_among(b: Any, slots: Any, among: bool) -> Any:
    """The part of a gradient of the memory that belongs to some slots, or to all others."""
    return b.among(lambda s: (s in slots) is among)


def refuse_unseen(function: Any) -> None:
    """Stop at derivatives that cannot be taken again over a memory."""
    while (origin := getattr(function, "origin", None)) is not None:
        behind, options = origin
        nested = hasattr(behind, "origin") and behind.origin[1].preserve_result
        if options.has_aux or options.compile is not None or nested:
            raise UnsupportedError(
                f"cannot differentiate the derivative of '{behind.__name__}' here",
                why="it captures an object, a list or a dict that is made or changed in the function",
                todo="Pass what it needs as an argument; or leave out has_aux, compile or values of inner derivatives.",
            )
        function = behind


def _reached(x: Any, seen: set[int]) -> Iterator[Any]:
    """What a function captured, finds in its module, or is bound to, and what functions among that do."""
    x = getattr(x, "origin", (x,))[0]
    x = getattr(x, "remembers", x)
    if id(x) in seen:
        return
    seen.add(id(x))
    match x:
        case types.FunctionType():
            found = list(map(_content, x.__closure__ or ()))
            found += [x.__globals__[v] for v in x.__code__.co_names if v in x.__globals__]
        case types.MethodType():
            found = [x.__func__, x.__self__]
        case functools.partial():
            found = [x.func, *x.args, *x.keywords.values()]
        case types.ModuleType() | type():
            return
        case _:
            yield x
            return
    for inner in found:
        yield from _reached(inner, seen)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # its variable is bound later, or never
        return None
