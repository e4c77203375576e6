"""Numbers and arrays that functions find in their modules and closures: versions are made for their kinds, too.

They are read whenever the derivative runs. One that is of another kind by then asks for another version.
"""

from __future__ import annotations

import ast
import types
from dataclasses import replace
from typing import Any

import numpy as np

from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated

DATA = (float, int, bool, np.ndarray, np.float64, np.float32)


class Outside:
    """The places where some functions find numbers and arrays."""

    def __init__(self, functions: list[Generated]) -> None:
        self._functions = functions
        changed = {v for g in functions if g.source is not None for v in _declared(g.source.tree)}
        self._globals: list[tuple[dict[str, Any], str]] = []
        self._cells: list[tuple[Generated, str, types.CellType]] = []
        for g in functions:
            captured = dict(zip(g.primal.__code__.co_freevars, g.primal.__closure__ or ()))
            space = g.primal.__globals__
            for v in sorted(_free(g) - changed):
                if v in captured:
                    if type(_content(captured[v])) in DATA:
                        self._cells.append((g, v, captured[v]))
                elif type(space.get(v)) in DATA and not any(s is space and v == w for s, w in self._globals):
                    self._globals.append((space, v))
        self.some = bool(self._globals or self._cells)

    def key(self) -> tuple[Any, ...]:
        """What tells apart the values for which there are different versions."""
        found = [space.get(v) for space, v in self._globals]
        found += [_content(cell) for _, _, cell in self._cells]
        return tuple([(x.shape, x.dtype) if type(x) is np.ndarray else type(x) for x in found])

    def tell(self) -> tuple[Any, ...]:
        """Let the functions know the kinds of what they find there now; these."""
        for g in self._functions:
            g.outside = {v: _kind(s.get(v)) for s, v in self._globals if s is g.primal.__globals__}
            g.outside = {v: k for v, k in g.outside.items() if v not in g.primal.__code__.co_freevars}
        for g, v, cell in self._cells:
            g.outside[v] = _kind(_content(cell))
        return tuple(tuple(g.outside.items()) for g in self._functions)


def _kind(value: Any) -> Any:
    """The kind of a value, of which long axes have no name."""
    from tangent.optimise.shaped.kinds import NOT_ONE, Number, kind_of  # with the first version, as in choice.py

    kind = kind_of(value, "")
    if not isinstance(kind, Number):
        return kind
    return replace(kind, axes=tuple(NOT_ONE if isinstance(n, str) else n for n in kind.axes))


def _free(g: Generated) -> set[str]:
    """Names that a function reads and neither binds nor was given."""
    assert g.tree is not None
    read = {n.id for n in walk(g.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = assigned_inside(g.tree.body) | {a.arg for a in arguments(g.tree.args)}
    return read - bound - g.externals.keys()


def _declared(tree: ast.AST) -> set[str]:
    """Names that a function may bind elsewhere."""
    return {v for n in walk(tree) if isinstance(n, (ast.Global, ast.Nonlocal)) for v in n.names}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None
