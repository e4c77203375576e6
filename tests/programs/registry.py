"""The list of programs, and the decorators that put a function on it.

    @program({"x": 2.0, "n": 3}, {"x": -1.5, "n": 0})
    def while_counter(x, n): ...

The decorators return the function itself: what is differentiated is what the user wrote.
"""

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from programs import numeric

BOTH = ("reverse", "forward")


@dataclass(frozen=True, eq=False)
class Program:
    """A function, sample arguments, and what is claimed about its derivatives."""

    function: Callable[..., Any]
    name: str
    theme: str
    samples: tuple[dict[str, Any], ...]
    wrt: tuple[str, ...]
    orders: int
    modes: tuple[str, ...]
    holds: dict[str, Any] | None

    @property
    def variadic(self) -> bool:
        """Whether the signature leaves no place for a positional seed."""
        kinds = {p.kind for p in inspect.signature(self.function).parameters.values()}
        return bool(kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})


@dataclass(frozen=True, eq=False)
class Case:
    """A program at one of its samples."""

    program: Program
    index: int

    def __str__(self) -> str:
        return f"{self.program.theme}.{self.program.name}-{self.index}"

    def arguments(self) -> dict[str, Any]:
        """Fresh copies of the arguments by name, defaults filled in, in the order of the signature."""
        signature = inspect.signature(self.program.function)
        given = copy.deepcopy(self.program.samples[self.index])
        return {name: given.get(name, _absent(p)) for name, p in signature.parameters.items()}


PROGRAMS: list[Program] = []
LATER: list[Program] = []


def program(
    *samples: dict[str, Any],
    wrt: str | tuple[str, ...] | None = None,
    orders: int = 2,
    modes: tuple[str, ...] = BOTH,
    holds: dict[str, Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function with samples: one dict of arguments by name each.

    wrt     the parameters to differentiate by; unless told, those whose samples hold floats
    orders  1 where second derivatives are not to be asked for
    holds   the gradient by name for a seed of ones, where finite differences cannot tell (kinks, infinities)
    """
    return _register(PROGRAMS, samples, wrt, orders, modes, holds, name)


def later(
    *samples: dict[str, Any],
    wrt: str | tuple[str, ...] | None = None,
    orders: int = 2,
    modes: tuple[str, ...] = BOTH,
    holds: dict[str, Any] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As `program`, for a program that waits for an issue of its own."""
    return _register(LATER, samples, wrt, orders, modes, holds, name)


def cases(programs: list[Program]) -> Iterator[Case]:
    """Every program at every sample."""
    for entry in programs:
        for index in range(len(entry.samples)):
            yield Case(entry, index)


def _register(target, samples, wrt, orders, modes, holds, name):
    def put(function):
        found = tuple(k for k in inspect.signature(function).parameters if _active(samples[0].get(k)))
        names = (wrt,) if isinstance(wrt, str) else wrt or found
        theme = getattr(function, "func", function).__module__.rpartition(".")[2]
        title = (name or function.__name__) + "_again" * sum(other.function is function for other in target)
        target.append(Program(function, title, theme, samples, names, orders, modes, holds))
        return function

    return put


def _absent(parameter):
    match parameter.kind:
        case parameter.VAR_POSITIONAL:
            return ()
        case parameter.VAR_KEYWORD:
            return {}
        case _:
            return parameter.default


def _active(value) -> bool:
    """Whether a sample value holds floating-point or complex numbers."""
    match value:
        case tuple() | list():
            return any(map(_active, value))
        case dict():
            return any(map(_active, value.values()))
        case np.ndarray() | np.generic():
            return value.dtype.kind in "fc"
        case _ if numeric.is_object(value):
            return any(map(_active, vars(value).values()))
        case _:
            return isinstance(value, (float, complex))
