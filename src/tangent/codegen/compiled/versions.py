"""A compiled derivative has a version of its own for each combination of argument types it is called with."""

from __future__ import annotations

import time
import types
from collections.abc import Callable
from dataclasses import replace as with_changes
from typing import Any

import numpy as np
from numba.core.event import TimingListener, install_listener

from tangent.backends.numba.functions import Broadcast
from tangent.codegen.compiled.build import Compiled, compile_module, resolve
from tangent.optimise.small.apply import small
from tangent.optimise.typed.kinds import BOOL, FLOAT, INT, kind_of
from tangent.optimise.typed.scalars import scalars
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated

ndarray = np.ndarray
PLAIN: dict[type, Any] = {
    float: FLOAT, np.float64: FLOAT, int: INT, np.int64: INT, np.intp: INT, bool: BOOL, np.bool_: BOOL,
}  # fmt: skip


Scalars = Callable[[list[Generated]], tuple[tuple[Any, frozenset[str]], ...]]
Small = Callable[[types.FunctionType], types.FunctionType]
Typed = Callable[[Scalars, Small], list[Generated] | None]
Other = Callable[[tuple[Any, ...]], Any]  # the derivative that is called in place of this one


class Versions:
    """Calls the version for the types of its arguments; makes it first if there is none, and shows it."""

    def __init__(
        self, functions: list[Generated], typed: Typed, jit: dict[str, Any], show: Callable[[Compiled], None],
        tell: Callable[[float], None], again: Callable[[], Any], other: Other,
    ) -> None:  # fmt: skip
        self._functions, self._typed, self._jit, self._again, self._other = functions, typed, jit, again, other
        self._show, self._tell = show, tell
        self.seconds = 0.0  # that it took to write and compile all versions
        self._made: dict[Any, Compiled] = {}
        self.any = compile_module(functions, jit)
        self.latest, self._constants = self.any, self.any.constants
        self.check: Callable[..., tuple[Any, ...]] = lambda *args: args
        self._seeds = len(functions[0].seeds)
        self._divided: list[Compiled] = []  # those for which another way to divide was looked for

    def __reduce__(self) -> tuple[Callable[[Any], Versions], tuple[Any]]:
        """In another process all is made again there."""
        return _made_again, (self._again,)

    def __call__(self, *args: Any) -> Any:
        """Checks depend on types alone, but for arrays as seeds, whose shapes matter."""
        if self._constants and any(c.changed() for c in self._constants):
            self._made = {}
            self.any = compile_module(self._functions, self._jit)
            self._constants = self.any.constants
        key = tuple([(a.dtype.char, a.ndim) if type(a) is ndarray else _kept(a) for a in args])
        found = self._made.get(key)
        if found is None or (type(args[-1]) is not float if self._seeds == 1 else self._has_other_seeds(args)):
            args = self._with_numbers(self.check(*args))
            key = tuple([_kept(a) for a in args])
            found = self._made.get(key)
        try:
            return found.dispatcher(*args) if found is not None else self._first(key, args)
        except Broadcast:
            return self._first(key, args, in_loops=False)
        except ZeroDivisionError:
            if any(c is self._made[key] for c in self._divided) or ndarray not in map(type, args):
                raise
            return self._with_arrays(key, args)

    def _with_arrays(self, key: Any, args: tuple[Any, ...]) -> Any:
        """The call where arrays are divided as NumPy does it, not one by one; if that is an error too, it is one."""
        before = self._made[key]
        try:
            return self._first(key, args, in_loops=False)
        except ZeroDivisionError:
            self._made[key] = self.latest = before
            raise
        finally:
            self._divided.append(self._made[key])

    def _first(self, key: Any, args: tuple[Any, ...], in_loops: bool = True) -> Any:
        """The first call of a new version, which compiles it."""
        if (other := self._other(args)) is not None:
            return self._in_place(key, other, args)
        start = time.perf_counter()
        made = self._made[key] = self.latest = self._new(args, in_loops)
        self.seconds += time.perf_counter() - start
        listener: Any = TimingListener()  # type: ignore[no-untyped-call]
        try:
            with install_listener("numba:compile", listener):
                return made.dispatcher(*args)
        finally:
            self.seconds += listener.duration if listener.done else 0.0
            self._tell(self.seconds)

    def _in_place(self, key: Any, other: Any, args: tuple[Any, ...]) -> Any:
        """The first call of a derivative that is called in place of this one, for such arguments."""
        try:
            return other(*args)
        finally:
            made = self._made[key] = self.latest = with_changes(other.versions.latest, dispatcher=other)
            self._show(made)
            self._tell(other.compile_time)

    def _with_numbers(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments; seeds that are arrays without axes as numbers."""
        first = len(args) - self._seeds
        return tuple([a[()] if k >= first and type(a) is ndarray and not a.ndim else a for k, a in enumerate(args)])

    def _has_other_seeds(self, args: tuple[Any, ...]) -> bool:
        return not all(type(a) is float for a in args[-self._seeds :])

    def _new(self, args: tuple[Any, ...], in_loops: bool = True) -> Compiled:
        kinds = [kind_of(a) for a in args]
        entry = self._functions[0].tree
        assert entry is not None
        named = dict(zip((a.arg for a in arguments(entry.args)), kinds))

        def smaller(f: types.FunctionType) -> types.FunctionType:
            return small(f, named, resolve) if in_loops else f

        functions = self._typed(lambda made: scalars(made, kinds, resolve), smaller) or self._functions
        made = compile_module(functions, self._jit, kinds, in_loops)
        self._show(made)
        return made


def _made_again(again: Callable[[], Any]) -> Versions:
    made: Versions = again().versions
    return made


def _kept(a: Any) -> Any:
    """What the choice of a version looks at."""
    known = PLAIN.get(type(a))
    if known is not None:
        return known
    if type(a) is ndarray:
        return a.dtype.char, a.ndim
    if isinstance(a, tuple):
        return type(a), *[_kept(x) for x in a]
    return type(a)
