"""Variables of the module that change while a function runs, and that the backward pass reads.

    for k in range(3):
        s += np.sum(x * TABLE * x)      the backward pass reads TABLE again, which by then is what the last step made it
        TABLE[k] = 2.0

What changes before it is first read is as it was. Everything else is refused: such a variable can be an argument.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Variable
from tangent.analysis.passed import is_own
from tangent.errors import InPlaceError, TangentError, UnsupportedError
from tangent.runtime.objects import is_object
from tangent.runtime.writers import is_changeable
from tangent.source.cells import cells_of, content_of
from tangent.source.conflicts import READ
from tangent.source.resolve import Scope, is_static
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk
from tangent.transform.calls import Groups
from tangent.transform.storage.around import gives_outside
from tangent.transform.storage.summaries import aliases_of, all_writes, header
from tangent.transform.unit import Unit

CONSTANT = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc, str)
Read = Callable[[types.FunctionType], Unit]

read_by_derivatives: set[Variable] = set()  # of any functions: asked where callees are known only at run time


def read_back(
    this: Unit, forward: list[ast.stmt], backward: list[ast.stmt], read: Read, summary: Summaries
) -> tuple[set[Variable], set[Variable]]:  # fmt: skip
    """The variables of the module that a backward pass reads: under their own names, and under these or others.

    Those that the function binds itself are kept by its forward pass: what is bound after it was read is refused.
    """
    own = (assigned_inside([*forward, *backward]) | set(this.parameters)) - _declared(this)
    names = {n.id for s in backward for n in walk(s) if isinstance(n, ast.Name)}
    shown = _shown(this, read, summary)
    held, around = _held_around(this), id(this.source.function.__globals__)
    named = {(around, v) for v in names - own if v in held and not isinstance(held[v], CONSTANT)}
    found = named.union(*(shown.get(v, ()) for v in names & own))
    read_by_derivatives.update(found)
    kept = {(space, v) for space, v in named if v in _declared(this)}
    refuse_changed(this, kept, kept, read, summary)
    return named - kept, found - kept


def _held_around(this: Unit) -> dict[str, Any]:
    """What a function finds around it: in its module, and what it captured."""
    function = this.source.function
    return function.__globals__ | {v: content_of(cell) for v, cell in cells_of(function).items()}


def _declared(this: Unit) -> set[str]:
    return {v for s in statements(this.core.body) if isinstance(s, (ast.Global, ast.Nonlocal)) for v in s.names}


def _shown(this: Unit, read: Read, summary: Summaries, depth: int = 3) -> dict[str, set[Variable]]:
    """The variables of the module that local ones may be, or show a part of: `w = TABLE[1:]`, `w = table()`."""
    bound = [
        (op.targets[0], {around}) for op in this.operations.values() if op.kind != "call"
        for around in gives_outside(this, op, summary)
        if any(map(_can_change, _parts(op.value, this.context.scope)))
    ]  # fmt: skip
    for op in this.operations.values():
        if op.kind == "call" and len(op.targets) == 1 and is_own(op.callee) and depth:
            try:
                inner = read(op.callee)
            except TangentError:  # taken as it is
                continue
            given = _shown(inner, read, summary, depth - 1).get(inner.result, set())
            if inner.result not in inner.context.scope.local:
                if not _can_change(inner.context.scope.lookup(inner.result)):
                    continue
                given = {(id(op.callee.__globals__), inner.result)}
            if given:
                bound.append((op.targets[0], given))
    if not bound:
        return {}
    aliases = aliases_of(this, summary, Groups())
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | {this.result}
    return {n: found for n in names if (found := _met(aliases, n, bound))}


def _can_change(x: Any) -> bool:
    return is_changeable(x) or is_object(x)


def _parts(e: ast.expr | None, scope: Scope) -> list[Any]:
    """What an expression of names, attributes and items may be now; of others, what they are made of."""
    match e:
        case ast.Name(id=v):
            return [scope.lookup(v)]
        case ast.Attribute(value=value, attr=attr) if not isinstance(scope.resolve(value), np.ndarray):
            return [getattr(x, "__dict__", {}).get(attr) for x in _parts(value, scope)]
        case ast.Subscript(value=value, slice=place):
            return [item for x in _parts(value, scope) for item in _items(x, place)]
        case _:
            return [scope.lookup(n.id) for n in walk(e) if isinstance(n, ast.Name)] if e is not None else []


def _items(x: Any, place: ast.expr) -> list[Any]:
    if isinstance(x, np.ndarray):
        return [x] if x.ndim > 1 or not isinstance(place, (ast.Constant, ast.Name)) else []
    if isinstance(x, dict):
        return [v for k, v in x.items() if not isinstance(place, ast.Constant) or k == place.value]
    return list(x) if isinstance(x, (list, tuple)) else []


def _met(aliases: Aliases, n: str, bound: list[tuple[str, set[Variable]]]) -> set[Variable]:
    return set().union(*(variables for v, variables in bound if aliases.reach(v) & aliases.reach(n)))


def refuse_changed(
    this: Unit, named: set[Variable], found: set[Variable], read: Read, summary: Summaries
) -> None:  # fmt: skip
    """Stop where something is changed that the backward pass, in `this` or in what it calls, would find changed.

    What it only has under other names stays what it was where the name of the module is bound anew.
    """
    for variable in sorted(found & _Uses(this, read, summary, named).outside()) if found else ():
        uses = _Uses(this, read, summary, named)
        order = list(statements(this.core.body))
        readers = [s for s in order if uses.reads(s, variable)]
        loops = [set(statements(s.body)) for s in order if isinstance(s, (ast.For, ast.While))]
        places = {s: i for i, s in enumerate(order)}
        for w in (s for s in order if uses.writes(s, variable)):
            for r in readers:
                if places[w] >= places[r] or any(w in loop and r in loop for loop in loops):
                    error = InPlaceError(
                        f"cannot differentiate a change of '{variable[1]}'", this.source.locate(w),
                        "it is a variable around the function, and the backward pass reads it as it was before",
                        "Pass it as an argument, or work on a copy of it.",
                    )  # fmt: skip
                    if r is not w:
                        error.meet(READ, this.source.locate(r))
                    raise error


def refuse_rebound(this: Unit, read: Read, summary: Summaries) -> None:
    """Stop where a name is bound to another function while it runs: which one it is was decided when it was read."""
    held, space = _held_around(this), id(this.source.function.__globals__)
    changed = {(n, v) for n, v in summary(this.source.function).outside if n == space and is_static(held.get(v))}
    for variable in sorted(changed):
        uses = _Uses(this, read, summary, {variable})
        if uses.rebinds_within(variable) and uses.reads_within(variable):
            order = list(statements(this.core.body))
            w = next(s for s in order if uses.rebinds(s, variable))
            error = UnsupportedError(
                f"cannot differentiate a change of '{variable[1]}'", this.source.locate(w),
                "it is the name of a function or module, which is looked up before the function runs",
                "Hand the function on as an argument, or keep both in a dict.",
            )  # fmt: skip
            error.meet(READ, next((this.source.locate(s) for s in order if uses.reads(s, variable)), None))
            raise error


def _is_condition(s: ast.stmt) -> bool:
    """Whether a statement only asks which way to go: that is kept by the forward pass."""
    match s:
        case ast.If() | ast.Assign(value=ast.Compare() | ast.UnaryOp(op=ast.Not())):
            return True
        case _:
            return False


class _Uses:
    """Which statements of a function change variables of the module, and which read them."""

    def __init__(
        self, this: Unit, read: Read, summary: Summaries, named: set[Variable], seen: frozenset[Any] = frozenset()
    ) -> None:  # fmt: skip
        self.this, self.read, self.summary, self.named = this, read, summary, named
        self.seen = seen | {this.source.function}
        self.space = id(this.source.function.__globals__)
        self.local = this.context.scope.local - _declared(this)
        self.shown = _shown(this, read, summary)
        self.found = all_writes(this, summary)
        self.inside: dict[Any, _Uses] = {}

    def outside(self) -> set[Variable]:
        through = set().union(*(self.shown.get(w.root, set()) for w in self.found))
        known = self.summary(self.this.source.function)
        return through | (known.outside - (known.bound - self.named))

    def means(self, name: str, variable: Variable) -> bool:
        if name in self.local:
            return variable in self.shown.get(name, ())
        return (self.space, name) == variable

    def changes(self, s: ast.stmt, variable: Variable) -> bool:
        """Whether a statement itself changes a variable, or what it holds."""
        op = self.this.operations.get(s)
        if op is not None and op.why == "global" and any(self.means(v, variable) for v in op.targets):
            return variable in self.named
        return any(w.statement is s and w.construct != "call" and self.means(w.root, variable) for w in self.found)

    def writes(self, s: ast.stmt, variable: Variable) -> bool:
        """Whether a statement changes it, or calls what does."""
        if self.changes(s, variable):
            return True
        if any(w.statement is s and self.means(w.root, variable) for w in self.found):
            return True
        return any(inner.changes_within(variable) for inner in self.called(s))

    def changes_within(self, variable: Variable) -> bool:
        return variable in self.outside() or any(self.writes(s, variable) for s in statements(self.this.core.body))

    def rebinds(self, s: ast.stmt, variable: Variable) -> bool:
        """Whether a statement binds it anew, or calls what does."""
        op = self.this.operations.get(s)
        if op is not None and op.why == "global" and any(self.means(v, variable) for v in op.targets):
            return True
        return any(inner.rebinds_within(variable) for inner in self.called(s))

    def rebinds_within(self, variable: Variable) -> bool:
        return any(self.rebinds(s, variable) for s in statements(self.this.core.body))

    def reads(self, s: ast.stmt, variable: Variable) -> bool:
        """Whether a statement reads it, or calls what does, but for what it changes there, and for other names."""
        names = {n.id for n in walk(header(s)) if isinstance(n, ast.Name)}
        if any(self.means(v, variable) for v in names) and not self.changes(s, variable) and not self.binds(s):
            return not _is_condition(s)
        return any(inner.reads_within(variable) for inner in self.called(s))

    def reads_within(self, variable: Variable) -> bool:
        return any(self.reads(s, variable) for s in statements(self.this.core.body))

    def binds(self, s: ast.stmt) -> bool:
        """Whether a statement gives something of the module another name, and does nothing with it."""
        op = self.this.operations.get(s)
        return op is not None and op.kind == "constant" and any(v in self.shown for v in op.targets)

    def called(self, s: ast.stmt) -> Iterator[_Uses]:
        for n in walk(header(s)):
            if isinstance(n, ast.Call) and is_own(f := self.this.context.scope.resolve(n.func)) and f not in self.seen:
                if f not in self.inside:
                    try:
                        self.inside[f] = _Uses(self.read(f), self.read, self.summary, self.named, self.seen)
                    except TangentError:  # taken as it is
                        continue
                yield self.inside[f]
