"""Derivatives of compiled functions that Python code calls: compiled too, without being asked for.

`slope` is compiled, `area` is not: `slope_fwd` and `slope_bwd` are compiled when they are first called. What they
hand to each other goes through Python, where Numba takes lists of one type alone: others it refuses, or crashes.
Where it refuses, they run as Python code, as all of `area` does.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from tangent.errors import CompileError
from tangent.source.read import compiled_from
from tangent.transform.generated import Generated


class CompiledCallee:
    """A generated function of a compiled primal. Tangent reads `py_func`, as of anything compiled."""

    def __init__(self, g: Generated, plain: types.FunctionType) -> None:
        self.py_func = plain
        self._generated = g
        self._run: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._run is self.py_func or not all(map(is_uniform, args)):
            return self.py_func(*args, **kwargs)
        from numba.core.errors import NumbaError  # Numba is loaded: the primal was compiled by it

        try:
            if self._run is None:
                self._run = self._compiled()
            return self._run(*args, **kwargs)
        except (NumbaError, CompileError):  # raised before anything runs
            pass
        except ValueError as error:  # so is this: an empty list that was kept has no type outside of Numba
            if "fingerprint of empty list" not in str(error):
                raise
        self._run = self.py_func
        return self.py_func(*args, **kwargs)

    def _compiled(self) -> Any:
        from tangent.codegen.compiled.build import compile_module  # which loads Numba

        dispatcher = compiled_from(self._generated.primal)
        options = {k: v for k, v in dispatcher.targetoptions.items() if k in ("fastmath", "error_model", "boundscheck")}
        return compile_module(reachable(self._generated), options).dispatcher


def is_uniform(value: Any) -> bool:
    """Whether lists hold items of one type of Numba's, which has a layout where they are arrays.

    >>> a = np.arange(6.0)
    >>> is_uniform(([a, a[1:]], 1)), is_uniform([a, a[::2]]), is_uniform([a[:1], a[:1].astype(int)])
    (True, False, False)
    """
    if isinstance(value, tuple):
        return all(map(is_uniform, value))
    if not isinstance(value, list):
        return True
    types = set(map(type, value))
    return len(types) <= 1 and list not in types and len(set(map(_type, value))) <= 1


def _type(item: Any) -> Any:
    """What items of a list have to agree in."""
    if isinstance(item, np.ndarray):
        flags = item.flags
        return item.dtype, item.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned
    if isinstance(item, tuple):
        return type(item), *map(_type, item)
    return type(item)


def reachable(g: Generated) -> list[Generated]:
    """A generated function and those that it calls, itself first."""
    found = [g]
    for other in found:
        found += [e for e in other.externals.values() if isinstance(e, Generated) and e not in found]
    return found


def with_compiled_callees(made: dict[Generated, types.FunctionType]) -> dict[Generated, Any]:
    """The functions of a module as they call each other."""
    return {g: CompiledCallee(g, f) if compiled_from(g.primal) is not None else f for g, f in made.items()}
