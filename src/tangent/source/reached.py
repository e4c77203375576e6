"""The variables that a function depends on through others: what the functions captured that it calls.

    def f(x):
        def g(y):
            return np.sin(y * x)
        return grad(lambda y: g(y) * y)(1.3)

The gradient of the lambda calls the two passes of g, and these read x: its own text names neither g nor x. Where it is
differentiated in turn, by what the lambda captured, x is a variable of it like those that it names.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from tangent.source.cells import cells_of, content_of
from tangent.source.kept import kept
from tangent.source.read import read
from tangent.syntax.names import Names, identifiers

Cells = dict[str, types.CellType]


def reached(function: types.FunctionType) -> Cells:
    """The variables that a function captured, and those that it reaches through others, by names of their own."""
    own = cells_of(function)
    hidden = reached_by_others(function)
    if not hidden:
        return own
    names = Names({*identifiers(read(function).tree), *own})
    return {**own, **{names.fresh(v): cell for v, cell in hidden}}


def reached_by_others(function: types.FunctionType) -> list[tuple[str, types.CellType]]:
    """The variables that only the functions captured that generated code calls, each once."""
    if not function.__closure__:
        return []
    return kept(("reached", function, function.__code__), lambda: list(_hidden(function)))


def _hidden(function: types.FunctionType) -> Iterator[tuple[str, types.CellType]]:
    known = {id(cell) for cell in function.__closure__ or ()}
    seen = {id(function)}
    waiting = list(_functions(function))
    while waiting:
        inner = waiting.pop(0)
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        waiting += _functions(inner)
        for v, cell in captured_by(inner).items():
            if id(cell) not in known:
                known.add(id(cell))
                yield v, cell


def _functions(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """The functions that generated code calls; not those that look after a derivative when it is called."""
    own, entry = captured_by(function), hasattr(function, "loaded")
    for v, cell in cells_of(function).items():
        inner = content_of(cell)
        if v not in own and isinstance(inner, types.FunctionType) and inner.__closure__ and not (entry and v[0] == "_"):
            yield inner


def captured_by(function: types.FunctionType) -> Cells:
    """The variables that the user's function captured; of generated code, those among what it was given besides."""
    cells = cells_of(function)
    return {v: cells[v] for v in getattr(function, "captures", cells) if v in cells}


def root_of(function: Any) -> Any:
    """The user's function behind derivatives, however often: gradients by these are dicts over what it captured."""
    return getattr(function, "root", function)
