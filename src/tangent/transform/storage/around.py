"""Variables that stand for what a function finds around it: arrays, lists and dicts of its module, or captured.

b = BUFFERS[0]          b stands for a part of BUFFERS
b = buffer()            and here, where buffer returns one
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.analysis.aliases import Aliases, may_be_view
from tangent.analysis.effects import Summaries, Variable, Write
from tangent.analysis.operation import Operation
from tangent.runtime.filling import is_filling
from tangent.runtime.places import is_view_function
from tangent.source.naming import is_library, is_of_library
from tangent.source.resolve import MISSING
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

HELD = (np.ndarray, list, dict)
FIXED = (types.FunctionType, type, types.ModuleType, int, float, complex, np.generic, str, bytes, types.NoneType)


def written_around(this: Unit, found: list[Write], aliases: Aliases, summary: Summaries) -> Iterator[Variable]:
    """What is around a function that it writes into through variables."""
    written = set().union(*(aliases.of(w.root) for w in found if w.root in this.context.scope.local))
    yield from (around for v, around in bound_outside(this, summary) if aliases.reach(v) & written)
    space = id(this.context.source.function.__globals__)
    yield from ((space, v) for v in _named_outside(this) if aliases.reach(v) & written)


def shown_around(this: Unit, aliases: Aliases, summary: Summaries) -> Iterator[Variable]:
    """What is around a function that its result is, shows a part of, or holds."""
    if this.result not in this.context.scope.local:
        yield id(this.context.source.function.__globals__), this.result
    held = aliases.reach(this.result)
    yield from (around for v, around in bound_outside(this, summary) if aliases.of(v) & held)


def filled_around(this: Unit) -> Iterator[str]:
    """The names around a function of dicts in which reading makes what is not there."""
    scope = this.context.scope
    for n in walk(this.core):
        match n:
            case ast.Subscript(value=ast.Name(id=v), ctx=ast.Load()) if v not in scope.local:
                if is_filling(scope.lookup(v)):
                    yield v


def bound_outside(this: Unit, summary: Summaries) -> list[tuple[str, Variable]]:
    """The variables that are bound to what is around a function, or to a part of it, and to what."""
    return [(op.targets[0], around) for op in this.operations.values() for around in gives_outside(this, op, summary)]


def found_around(this: Unit, aliases: Aliases, summary: Summaries) -> frozenset[str]:
    """The variables that stand for objects which a function gets of another that has them from around it."""
    if this.source.file.startswith("<generated"):  # what its function does was looked at
        return frozenset()
    calls = [op for op in this.operations.values() if op.kind == "call" and gives_outside(this, op, summary)]
    return frozenset().union(*(aliases.reach(op.targets[0]) for op in calls))


def _named_outside(this: Unit) -> set[str]:
    """The names around a function of what it may put somewhere: `rows = [BUFFER, x]`."""
    values = [op.value for op in this.operations.values() if op.value is not None]
    names = set().union(*map(expression_reads, values)) - this.own
    return {v for v in names if _may_hold(this.context.scope.lookup(v))}


def gives_outside(this: Unit, op: Operation, summary: Summaries) -> list[Variable]:
    """What is around a function that the result of an operation may be, or be a part of."""
    if len(op.targets) != 1 or op.value is None:
        return []
    if op.kind == "call" and isinstance(op.callee, types.FunctionType):
        return sorted(summary(op.callee).shown)
    space = id(this.context.source.function.__globals__)
    return [(space, v) for v in _outside_names(this, op.value)] if _may_show(op) else []


def _may_show(op: Operation) -> bool:
    """Whether the result of an operation may be a part of something, or show it."""
    match op.value:
        case ast.Call(func=ast.Name(id="vars")):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)) if op.kind == "dynamic":
            return is_view_function(getattr(np, attr, None))
        case _:
            return op.kind == "constant" or (op.kind == "rule" and may_be_view(op))


def _outside_names(this: Unit, e: ast.expr) -> Iterator[str]:
    if isinstance(this.context.scope.resolve(e), FIXED):
        return
    beside = {id(n) for part in walk(e) for n in _not_shown(this, part)}
    owners = {id(n.value) for n in walk(e) if isinstance(n, ast.Attribute)}
    for n in walk(e):
        if isinstance(n, ast.Name) and n.id not in this.context.scope.local and id(n) not in beside:
            found = this.context.scope.lookup(n.id)
            if _may_hold(found) and (id(n) in owners or not isinstance(found, FIXED)):
                yield n.id


def _not_shown(this: Unit, e: ast.AST) -> list[ast.AST]:
    """What tells where something is found, or by which function, and is no part of what is found there."""
    match e:
        case ast.Subscript(slice=place):
            return list(walk(place))
        case ast.Call(func=func) if isinstance(func, ast.Name) or this.context.scope.resolve(func) is not MISSING:
            return list(walk(func))
        case _:
            return []


def _may_hold(found: Any) -> bool:
    """Whether something around a function is changed with what it holds: an array, or what has items or attributes."""
    if found is MISSING:
        return False
    return isinstance(found, HELD) or (hasattr(found, "__dict__") and not _is_of_library(found))


def _is_of_library(found: Any) -> bool:
    if isinstance(found, types.ModuleType):
        return is_of_library(found.__name__)
    return isinstance(found, (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)) and is_library(found)


def held_around(found: Any) -> list[Any]:
    """What can be changed of what a name around a function stands for: itself, or what its attributes are."""
    if isinstance(found, HELD):
        return [found]
    return [x for x in list(vars(found).values()) if isinstance(x, HELD)] if _may_hold(found) else []
