"""What the free names of a generated function stand for, as Numba takes it: functions compiled, the rest as it is."""

from __future__ import annotations

import builtins
import inspect
import linecache
import types
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.errors import CompileError, Location
from tangent.source.cells import cells_of
from tangent.source.resolve import MISSING

Jit = Callable[[types.FunctionType], Any]


LIBRARIES = "builtins math cmath operator numpy scipy numba tangent".split()
CONSTANTS = (int, float, complex, str, tuple, np.ndarray, np.generic)


@dataclass(frozen=True)
class Constant:
    """A value from outside that machine code has in it."""

    name: str
    cells: dict[str, types.CellType]
    namespace: dict[str, Any]
    value: Any

    def changed(self) -> bool:
        """Whether the name stands for another value by now."""
        found = _lookup(self.name, self.cells, self.namespace)
        if found is self.value:
            return False
        plain = int | float | complex | str
        same = isinstance(found, plain) and isinstance(self.value, plain) and type(found) is type(self.value)
        return not (same and found == self.value)


class Surroundings:
    """Python functions that compiled code calls are compiled too, each once, and those that they call."""

    def __init__(self, jit: Jit) -> None:
        self.jit = jit
        self.made: dict[types.FunctionType, Any] = {}
        self.constants: list[Constant] = []

    def of(self, names: Set[str], function: types.FunctionType, attributes: Set[str] = frozenset()) -> dict[str, Any]:
        """The values of names, found as the function finds them; attributes are those that it reads of something."""
        cells = cells_of(function)
        found: dict[str, Any] = {}
        for v in names:
            value = _lookup(v, cells, function.__globals__)
            if value is not MISSING:
                found[v] = self.taken(value)
            if isinstance(value, CONSTANTS):
                self.constants.append(Constant(v, cells, function.__globals__, value))
            if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] not in LIBRARIES:
                held = vars(value)
                taken = sorted(a for a in names | attributes if isinstance(held.get(a), CONSTANTS))
                self.constants += [Constant(a, {}, held, held[a]) for a in taken]
        return found

    def taken(self, value: Any) -> Any:
        """A value as compiled code may refer to it."""
        if not isinstance(value, types.FunctionType) or _has_overload(value):
            return value
        if hasattr(value, "dispatcher"):
            return value.dispatcher
        if isinstance(plain := getattr(value, "plain", None), types.FunctionType):  # a derivative, without its checks
            value = plain
        if value not in self.made:
            names = {*value.__code__.co_names, *value.__code__.co_freevars}
            namespace: dict[str, Any] = {"__name__": value.__module__}
            code, defaults = _positional(value)
            made = types.FunctionType(code, namespace, value.__name__, defaults, _empty_cells(value))
            self.made[value] = self.jit(made)
            found = self.of(names, value)
            namespace.update(found)
            for v, cell in zip(value.__code__.co_freevars, made.__closure__ or ()):
                if v in found:
                    cell.cell_contents = found[v]
        return self.made[value]


def _positional(function: types.FunctionType) -> tuple[types.CodeType, tuple[Any, ...] | None]:
    """The code and the defaults with parameters by keyword only as parameters like others: Numba mixes them up."""
    code, defaults = function.__code__, function.__defaults__
    if not code.co_kwonlyargcount:
        return code, defaults
    if code.co_flags & inspect.CO_VARARGS:
        first = linecache.getline(code.co_filename, code.co_firstlineno).rstrip()
        raise CompileError(
            "Numba does not compile the derivative",
            Location(code.co_filename, code.co_firstlineno, first, 0, len(first)),
            f"'{function.__name__}', which it calls, takes any number of arguments, and keywords after them",
            "Without compile='numba' it runs as Python code.",
        )  # fmt: skip
    count = code.co_argcount + code.co_kwonlyargcount
    by_keyword, given = function.__kwdefaults__ or {}, [*(defaults or ())]
    for v in code.co_varnames[code.co_argcount : count]:
        if v in by_keyword or given:
            given.append(by_keyword.get(v))
    return code.replace(co_argcount=count, co_kwonlyargcount=0), tuple(given) or None


def _empty_cells(function: types.FunctionType) -> tuple[types.CellType, ...]:
    return tuple(types.CellType() for _ in function.__closure__ or ())


def _lookup(v: str, cells: dict[str, types.CellType], namespace: dict[str, Any]) -> Any:
    if v in cells:
        try:
            return cells[v].cell_contents
        except ValueError:
            return MISSING
    return namespace.get(v, getattr(builtins, v, MISSING))


def _has_overload(function: types.FunctionType) -> bool:
    module = function.__module__ or ""
    return module.startswith(("tangent.runtime", "tangent.backends.numba")) or module.split(".")[0] in (
        "numpy", "math", "numba", "builtins", "operator",
    )  # fmt: skip
