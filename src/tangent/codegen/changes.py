"""Whether the functions that a derivative was made from are still those that their names lead to."""

from __future__ import annotations

import builtins
import linecache
import types
from collections.abc import Iterator, Sequence
from typing import Any

from tangent.errors import Location, SourceError
from tangent.source.cells import cells_of
from tangent.source.naming import is_generated, is_library
from tangent.source.resolve import MISSING
from tangent.transform.generated import Generated


def dependencies(functions: list[Generated]) -> list[tuple[types.FunctionType, str, Any]]:
    """All functions that a module was made from, by the names under which they were found; of primals that are
    derivatives themselves, what those were made from."""
    found = [
        (g.primal, path, value)
        for g in functions
        for path, value in _with_initialisers(g.seen)
        if isinstance(value, types.FunctionType) and getattr(builtins, path, MISSING) is not value
    ]
    for primal in dict.fromkeys(g.primal for g in functions):
        found += getattr(primal, "made_from", [])
    return found


def _with_initialisers(seen: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What was found under some names; of a class also what makes its objects."""
    for path, value in seen.items():
        yield path, value
        if isinstance(value, type) and not is_library(value):
            yield f"{path}.__init__", value.__init__  # type: ignore[misc]


class Changes:
    """Looks whether names in other functions' surroundings have changed; every call of a derivative asks, so that
    functions of a module, which most are, are looked up at once."""

    def __init__(self, seen: Sequence[tuple[types.FunctionType, str, Any]]) -> None:
        plain: dict[tuple[int, str, int], tuple[Any, ...]] = {}
        looked: dict[tuple[int, str, int], tuple[Any, ...]] = {}
        for primal, path, value in seen:
            names = primal.__globals__
            root, *rest = path.split(".")
            if root in _parameters(primal):  # it stands for what callers name, which is looked at under their names
                continue
            cell = cells_of(primal).get(root)
            if cell is None and not rest and isinstance(value, types.FunctionType) and root in names:
                plain[id(names), path, id(value)] = (names, root, value, *_definition(value))
            else:
                looked[id(cell or names), path, id(value)] = (cell, names, root, tuple(rest), value, _definition(value))
        self._functions = [*plain.values()]
        self._others = [x for x in looked.values() if not _differs(*x)]  # what no name leads to cannot be looked at

    def __reduce__(self) -> tuple[type[Changes], tuple[tuple[()]]]:
        """In another process there is only what came along: nothing is defined anew there."""
        return Changes, ((),)

    def __call__(self) -> bool:
        for names, root, value, code, defaults, named in self._functions:
            if names.get(root) is not value or value.__code__ is not code:
                return True
            if value.__defaults__ is not defaults or value.__kwdefaults__ is not named:
                return True
        return any(_differs(*x) for x in self._others)


class Defaults:
    """Looks whether a function still has the defaults that its derivative was made with: these are those of the
    derivative, too, and stand for what a call has left out before anything can be looked at."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function, self._old = function, _definition(function)[1:]

    def __reduce__(self) -> tuple[type[bool], tuple[()]]:
        """In another process nobody sets them."""
        return bool, ()

    def __call__(self) -> bool:
        function, old = self._function, self._old
        if function.__defaults__ is old[0] and function.__kwdefaults__ is old[1]:
            return False
        code = function.__code__
        place = Location(code.co_filename, line := code.co_firstlineno, linecache.getline(code.co_filename, line))
        raise SourceError(
            f"the defaults of '{function.__name__}' have changed since its derivative was made", place,
            "they stand for what a call has left out", "Ask for the derivative again, after they were set.",
        )  # fmt: skip


def defaults_of(primal: types.FunctionType) -> Defaults | None:
    """What looks at the defaults of a function of the user's, which the primal of a derivative may stand for."""
    function = getattr(primal, "remembers", primal)
    while hasattr(function, "origin"):  # a derivative
        function = function.origin[0]
    found = function.__defaults__ or function.__kwdefaults__
    return None if not found or is_generated(function) else Defaults(function)


def _parameters(function: types.FunctionType) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _definition(function: Any) -> tuple[Any, Any, Any]:
    """What a function object is made of, and what can be put into it: its code and its defaults."""
    return (
        getattr(function, "__code__", None), getattr(function, "__defaults__", None),
        getattr(function, "__kwdefaults__", None),
    )  # fmt: skip


def _differs(
    cell: types.CellType | None, names: dict[str, Any], root: str, rest: tuple[str, ...], value: Any,
    definition: tuple[Any, Any, Any],
) -> bool:  # fmt: skip
    """Whether a name no longer leads to a function, or the function has other code or defaults."""
    found = cell.cell_contents if cell is not None else names.get(root, MISSING)
    if found is MISSING:
        found = getattr(builtins, root, None)
    for part in rest:
        found = getattr(found, part, None)
    return found is not value or any(new is not old for new, old in zip(_definition(found), definition))
