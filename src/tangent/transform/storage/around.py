"""Variables that stand for what a function finds around it: arrays, lists and dicts of its module, or captured.

b = BUFFERS[0]          b stands for a part of BUFFERS
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator

import numpy as np

from tangent.analysis.aliases import Aliases, may_be_view
from tangent.analysis.effects import Write
from tangent.analysis.operation import Operation
from tangent.runtime.filling import is_filling
from tangent.runtime.places import is_view_function
from tangent.source.naming import is_library
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

HELD = (np.ndarray, list, dict)


def written_around(this: Unit, found: list[Write], aliases: Aliases) -> Iterator[str]:
    """The names around a function of things that it writes into through variables."""
    for v, around in bound_outside(this).values():
        if any(aliases.reach(v) & aliases.of(w.root) for w in found if w.root in this.context.scope.local):
            yield around


def filled_around(this: Unit) -> Iterator[str]:
    """The names around a function of dicts in which reading makes what is not there."""
    scope = this.context.scope
    for n in walk(this.core):
        match n:
            case ast.Subscript(value=ast.Name(id=v), ctx=ast.Load()) if v not in scope.local:
                if is_filling(scope.lookup(v)):
                    yield v


def bound_outside(this: Unit) -> dict[ast.stmt, tuple[str, str]]:
    """The statements that bind a variable to what a name outside stands for, or to a part of it, with both."""
    return dict(_bound(this))


def _bound(this: Unit) -> Iterator[tuple[ast.stmt, tuple[str, str]]]:
    for s, op in this.operations.items():
        if len(op.targets) == 1 and op.value is not None and _may_show(op):
            for around in _outside_names(this, op.value):
                yield s, (op.targets[0], around)


def _may_show(op: Operation) -> bool:
    """Whether the result of an operation may be a part of something, or show it."""
    match op.value:
        case ast.Call(func=ast.Attribute(attr=attr)) if op.kind == "dynamic":
            return is_view_function(getattr(np, attr, None))
        case _:
            return op.kind == "constant" or (op.kind == "rule" and may_be_view(op))


def _outside_names(this: Unit, e: ast.expr) -> Iterator[str]:
    if isinstance(this.context.scope.resolve(e), (types.FunctionType, type, types.ModuleType, int, float, str)):
        return
    places = {id(n) for part in walk(e) if isinstance(part, ast.Subscript) for n in walk(part.slice)}
    for n in walk(e):
        if id(n) in places:  # tells where, and is no part of what is found there
            continue
        if isinstance(n, ast.Name) and n.id not in this.context.scope.local:
            found = this.context.scope.lookup(n.id)
            if isinstance(found, HELD) or (isinstance(found, types.ModuleType) and not is_library(found)):
                yield n.id
