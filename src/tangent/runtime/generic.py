"""What `functools` makes of functions and methods: those that choose by the class of their first argument
(`singledispatch`), and those that are given some of their arguments by their class (`partialmethod`).
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

_known: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()


def is_generic(function: Any) -> bool:
    """Whether `functools.singledispatch` made a function."""
    made = isinstance(function, types.FunctionType) and function.__code__.co_filename == functools.__file__
    return made and hasattr(function, "dispatch") and hasattr(function, "registry")


def method_behind(function: Any) -> Any:
    """The method that `functools.singledispatchmethod` gave for an object; None where a function is no such thing."""
    if not isinstance(function, types.FunctionType) or function.__code__.co_filename != functools.__file__:
        return None
    owner = dict(zip(function.__code__.co_freevars, function.__closure__ or ())).get("obj")
    if owner is None or owner.cell_contents is None:
        return None
    found = inspect.getattr_static(owner.cell_contents, function.__name__, None)
    known = isinstance(found, functools.singledispatchmethod)
    return types.MethodType(method_by_class(found), owner.cell_contents) if known else None


def implementation(dispatch: Callable[[type], Any], first: Any) -> Any:
    """The function that is registered for the class of an argument."""
    return dispatch(type(first))


def by_class(function: Any) -> Callable[..., Any]:
    """A generic function, as one that chooses in the open."""
    if function not in _known:
        dispatch = function.dispatch

        def called(first, /, *args, **named):  # type: ignore[no-untyped-def]
            chosen = implementation(dispatch, first)
            return chosen(first, *args, **named)

        _known[function] = called
    return _known[function]


def method_by_class(found: functools.singledispatchmethod[Any]) -> Callable[..., Any]:
    """The same of a method, which takes its object before."""
    if found not in _known:
        dispatch = found.dispatcher.dispatch

        def called(owner, first, /, *args, **named):  # type: ignore[no-untyped-def]
            chosen = implementation(dispatch, first)
            return chosen(owner, first, *args, **named)

        _known[found] = called
    return _known[found]


def method_in_part(found: functools.partialmethod[Any]) -> Callable[..., Any]:
    """A method some of whose arguments are given by its class."""
    if found not in _known:
        function, first, fixed = found.func, found.args, found.keywords

        def called(owner, /, *args, **named):  # type: ignore[no-untyped-def]
            return function(owner, *first, *args, **{**fixed, **named})

        _known[found] = called
    return _known[found]
