"""What a name means, as Python would find it: closure cells, globals, builtins, attributes of modules."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

from tangent.source.constants import writing_constants
from tangent.source.naming import home_of, is_library
from tangent.source.reached import reached
from tangent.source.read import unwrapped, with_own_classes


class Missing:
    """Stands for a name that has no meaning before the function runs."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
_silent: list[Callable[[Any], bool]] = []


def install_silent(is_silent: Callable[[Any], bool]) -> None:
    """Who tells which functions have no derivative."""
    _silent[:] = [is_silent]


class Scope:
    """The surroundings of one function."""

    def __init__(self, function: types.FunctionType, local: set[str], imports: dict[str, Any] | None = None) -> None:
        self.function = function
        self.local = local
        self.imports = imports or {}
        self.cells = reached(function)
        self.seen: dict[str, Any] = {}
        self.externals: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """The object a name is bound to outside the function, or MISSING."""
        if name in self.externals:
            return self.externals[name]
        if name in self.imports:
            return self.imports[name]
        if name in self.local:
            return MISSING
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                return MISSING
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        return getattr(builtins, name, MISSING)

    def shared(self, function: Any) -> dict[str, str]:
        """Variables that another function captured, or reaches, and this one too: its name for each, and ours."""
        own = {id(cell): v for v, cell in self.cells.items() if v in self.local}
        if not own or not isinstance(function, types.FunctionType):
            return {}
        return {v: own[id(cell)] for v, cell in reached(function).items() if id(cell) in own}

    def resolve(self, node: ast.expr) -> Any:
        """The object that a name or a dotted path through modules and classes denotes, or MISSING."""
        match node:
            case ast.Name(id=identifier):
                found = self.lookup(identifier)
                if found is not MISSING and (is_static(found)):
                    self._remember(identifier, found)
                return self.stand_in(found)
            case ast.Attribute(value=value, attr=attr):
                owner = self.resolve(value)
                if isinstance(owner, (types.ModuleType, type)) or _is_ufunc(owner):
                    found = getattr(owner, attr, MISSING)
                    if not _is_library(owner) and is_static(found):
                        self._remember(ast.unparse(node), found)
                    return self.stand_in(found)
                return MISSING
            case _:
                return MISSING

    def stand_in(self, found: Any) -> Any:
        """What is read for a function: that behind a compiled one; for one that writes and has no derivative, its twin
        that writes constants, which calls such twins itself."""
        found = python_of(found)
        if isinstance(found, types.FunctionType) and _silent and not is_library(found):
            behind = getattr(self.function, "remembers", self.function)
            if hasattr(behind, "constants") or _silent[0](found):
                return writing_constants(found) or found
            return with_own_classes(found)
        return found

    def _remember(self, path: str, found: Any) -> None:
        if self.seen.get(path, MISSING) is found:
            return
        root = path.split(".")[0]
        owner = None if isinstance(found, types.ModuleType) else getattr(found, "__self__", None)
        bound = isinstance(found, types.MethodType) or isinstance(owner, type)  # a new object each time it is looked up
        if root not in self.imports and root not in self.externals and not bound:
            self.seen[path] = found


def is_static(found: Any) -> bool:
    """Whether the transformation may rely on what a name is bound to: functions, classes, modules."""
    return isinstance(found, (types.ModuleType, type)) or callable(found)


def python_of(found: Any) -> Any:
    """The Python function behind a compiled one; anything else is itself."""
    if isinstance(found, types.ModuleType):
        return found
    return unwrapped(found) if isinstance(getattr(found, "py_func", None), types.FunctionType) else found


def _is_ufunc(owner: Any) -> bool:
    return type(owner).__name__ == "ufunc"


def _is_library(owner: Any) -> bool:
    name = owner.__name__ if isinstance(owner, types.ModuleType) else home_of(owner)
    return name.split(".")[0] in (
        "numpy",
        "math",
        "builtins",
        "operator",
        "scipy",
        "cmath",
        "itertools",
        "functools",
    ) or _is_ufunc(owner)


def is_vectorized(f: Any) -> bool:
    """Whether `numba.vectorize` or `numba.guvectorize` made a function."""
    return type(f).__name__ in ("DUFunc", "GUFunc") and type(f).__module__.startswith("numba.")


def is_stencil(f: Any) -> bool:
    """Whether `numba.stencil` made a function: its kernel reads the neighbours of an element, and is none of Python."""
    return type(f).__name__ == "StencilFunc" and type(f).__module__.startswith("numba.")
