"""Checkpoints: a loop keeps a few of its states, and its backward pass runs the steps again from them.

Where the snapshots stand is the binomial schedule of Griewank and Walther: no other one reverses as many steps with as
many snapshots and as few repetitions. A loop whose length is not known beforehand keeps every second, fourth, eighth
state, as it goes on; what lies between two of them is reversed by the binomial schedule, with the snapshots that have
become free.
"""

from __future__ import annotations

import functools
import math
import types
import weakref
from collections.abc import Callable
from typing import Any

_known: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()


class Checkpoints:
    """`with tangent.checkpoint(10):` around a loop; as ordinary Python it does nothing."""

    def __init__(self, count: int | None) -> None:
        self.count = count

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: Any) -> None:
        return None


def checkpoint(what: int | Callable[..., Any] | None = None) -> Any:
    """Compute again in the backward pass instead of keeping everything.

    `with tangent.checkpoint(10):` around a loop keeps 10 of its states; without a number as many as the logarithm of
    its length asks for. `tangent.checkpoint(f)` is the function f, of whose calls only the arguments are kept.

    >>> import tangent
    >>> def f(x):
    ...     with tangent.checkpoint(3):
    ...         for _ in range(20):
    ...             x = x * 0.9 + 0.1 * x * x
    ...     return x
    >>> def g(x):
    ...     for _ in range(20):
    ...         x = x * 0.9 + 0.1 * x * x
    ...     return x
    >>> tangent.grad(f)(0.5) == tangent.grad(g)(0.5)
    True
    """
    if what is None or (isinstance(what, int) and not isinstance(what, bool)):
        check_count(what)
        return Checkpoints(what)
    if isinstance(what, types.MethodType):
        return types.MethodType(checkpoint(what.__func__), what.__self__)
    if isinstance(what, types.FunctionType):
        return _checkpointed(what)
    raise TypeError(f"checkpoint takes a number of snapshots or a Python function, not {what!r}")


def check_count(count: int | None) -> None:
    if count is not None and count < 1:
        raise ValueError(f"a loop is reversed from one snapshot at least, not from {count}")


setattr(checkpoint, "makes_derivatives", True)  # noqa: B010  (what derivatives take for the function it is given)


def _checkpointed(f: types.FunctionType) -> types.FunctionType:
    """A function like f, which derivatives recognise; the same one each time."""
    if (known := _known.get(f)) is not None and known.__code__ is f.__code__:
        return known
    made = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    functools.update_wrapper(made, f)
    del made.__wrapped__  # type: ignore[attr-defined]
    made.__kwdefaults__ = f.__kwdefaults__
    made.checkpointed = True  # type: ignore[attr-defined]
    _known[f] = made
    return made


def snapshot_count(count: int | None, steps: int) -> int:
    """How many snapshots are kept: those asked for, or so many that no step is run more often than there are."""
    check_count(count)
    if count is not None:
        return count
    found = 1
    while math.comb(2 * found, found) < steps:
        found += 1
    return found


def places(start: int, stop: int, count: int) -> frozenset[int]:
    """The steps before which a state is kept, on the way from one to another that is to be reversed first.

    Of the steps from `start` to `stop` the last is run with its record anyway, so the state before it is kept, too.

    >>> sorted(places(0, 10, 3))
    [0, 4, 7, 9]
    """
    found = {start, stop - 1}
    while count > 1 and stop - start > 1:
        start, count = start + advance(stop - start, count), count - 1
        found.add(start)
    return frozenset(found)


@functools.lru_cache(maxsize=65536)
def advance(steps: int, count: int) -> int:
    """How far to go before the next snapshot, so that `steps` are reversed with the fewest repetitions."""
    runs = 1
    while math.comb(count + runs, count) < steps:
        runs += 1
    return min(math.comb(count + runs - 1, count), steps - math.comb(count + runs - 2, count - 1))


def step_at(steps: range, i: int) -> int:
    """What the variable of a loop is in step i."""
    return steps[i]


def is_due(step: int, starts: list[int]) -> bool:
    """Whether a loop of unknown length keeps the state before a step: those at multiples of a growing distance."""
    return len(starts) < 2 or step == 2 * starts[-1] - starts[-2]


def with_snapshot(snapshots: list[Any], new: Any, count: int) -> list[Any]:
    """The snapshots and a new one; every second of them, where they would be more than `count`.

    >>> with_snapshot([0, 2], 4, 3), with_snapshot([0, 2, 4], 6, 3)
    ([0, 2, 4], [0, 4])
    """
    every = [*snapshots, new]
    if len(every) > count:
        every = every[::2]
    return every
