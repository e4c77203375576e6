"""What is left to be given to a function that was given some arguments before, inside a differentiated function."""

from __future__ import annotations

import inspect
import types
from typing import Any

from tangent.runtime.library import functions

KINDS = ({"function", "given", "named"}, {"defaults", "function", "names"})
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def held_by(f: Any) -> dict[str, Any] | None:
    """What `partial_of` and `with_defaults` have put into a function; nothing of others."""
    if not isinstance(f, types.FunctionType) or f.__module__ != functions.__name__:
        return None
    return dict(inspect.getclosurevars(f).nonlocals) if set(f.__code__.co_freevars) in KINDS else None


def parameters_left(f: Any) -> list[inspect.Parameter]:
    """The parameters that are left, in their order; `...` is the default where one was computed.

    What comes behind a parameter that was given by name can be given by name only.
    """
    held = held_by(f)
    if held is None:
        return list(inspect.signature(f).parameters.values())
    inner = parameters_left(held["function"])
    if "defaults" in held:
        return [p.replace(default=...) if p.name in held["defaults"] else p for p in inner]
    left, named = inner[len(held["given"]) :], held["named"]
    first = next((i for i, p in enumerate(left) if p.name in named), len(left))
    rest = [p for p in left[first:] if p.name not in named and p.kind not in STARRED]
    by_name = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in rest]
    return [*(p for p in left[:first] if p.kind is not inspect.Parameter.VAR_KEYWORD), *by_name]


def is_several(wrt: Any) -> bool:
    """Whether `wrt` means more than one argument: then there is a tuple of derivatives."""
    return isinstance(wrt, (tuple, list)) and len(wrt) > 1


def argument_position(f: Any, wrt: Any) -> int:
    """The position of the one argument that `wrt` means."""
    if isinstance(wrt, (tuple, list)):
        (wrt,) = wrt
    return [p.name for p in parameters_left(f)].index(wrt) if isinstance(wrt, str) else int(wrt)


def defaults_from(f: Any, count: int) -> tuple[Any, ...]:
    """The defaults of the parameters from some position on, up to those that have a name only."""
    return tuple(p.default for p in parameters_left(f)[count:] if p.kind in POSITIONAL)


def takes_one(f: Any) -> bool:
    """Whether a function takes one argument, by position, and no others."""
    return [p.kind in POSITIONAL for p in parameters_left(f)] == [True]
