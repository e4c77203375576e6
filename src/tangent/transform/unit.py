"""One function on its way to a derivative: its Core tree, its surroundings and what is known of it."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from tangent.analysis.operation import Operations
from tangent.analysis.shifts import without_shifts
from tangent.analysis.state import known_properties
from tangent.errors import Location, UnsupportedError
from tangent.normalise import normalise
from tangent.normalise.context import Context
from tangent.rules.apart import sums_apart
from tangent.rules.classify import classify
from tangent.rules.displays import arrays_of_displays
from tangent.rules.lists import Lists
from tangent.rules.table import table
from tangent.source.kept import kept
from tangent.source.naming import home_of, is_generated
from tangent.source.read import Source, read
from tangent.syntax.blocks import Unwatch, Watch
from tangent.syntax.quote import at
from tangent.syntax.rebuild import replace as rebuilt
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, assigned_inside, header_reads
from tangent.transform.attempts import settle_attempts
from tangent.transform.known import Known, known_locals


@dataclass(frozen=True)
class Unit:
    source: Source
    core: ast.FunctionDef
    context: Context
    operations: Operations
    lists: Lists = field(default_factory=Lists)

    @property
    def parameters(self) -> list[str]:
        return [a.arg for a in arguments(self.core.args)]

    @property
    def inputs(self) -> set[str]:
        """Names that have a value from the start: parameters and captured variables."""
        return {*self.parameters, *self.context.scope.cells}

    @property
    def own(self) -> set[str]:
        """Names that stand for nothing around the function: its parameters, and what is assigned in it."""
        assigned = assigned_inside(self.core.body) - self.context.declared
        return {*self.parameters, *self.context.scope.local, *assigned}

    @property
    def result(self) -> str:
        last = self.core.body[-1]
        assert isinstance(last, ast.Return) and isinstance(last.value, ast.Name)
        return last.value.id

    def constant(self, e: ast.expr) -> Any:
        """The object that an expression is known to be: a literal, a name of the surroundings or a local for one."""
        if isinstance(e, ast.Constant):
            return e.value
        made = [op.value for op in self.operations.values() if isinstance(e, ast.Name) and e.id in op.targets]
        return self.context.scope.resolve(made[0] if len(made) == 1 and made[0] is not None else e)

    def read_beside(self, v: str, s: ast.stmt) -> Location | None:
        """Where a variable is read first, but for one statement."""
        readers = (x for x in statements(self.core.body) if x is not s and v in header_reads(x))
        return next(map(self.source.locate, readers), None)

    def refuse(self, node: ast.AST, construct: str, why: str, todo: str = "") -> UnsupportedError:
        return self.context.refuse(node, construct, why, todo)


def watched_by_callers(this: Unit, caught: bool) -> Unit:
    """The function, marked as what may be called under `try`: what it raises counts."""
    *body, last = this.core.body
    if not caught or not body:
        return this
    return replace(this, core=rebuilt(this.core, body=[at(Watch(), body[0]), *body, at(Unwatch(), last), last]))


def unit(
    function: types.FunctionType, captured: tuple[str, ...] = (), objects: frozenset[str] = frozenset(),
    known: Known = (), lists: bool = False,
) -> Unit:  # fmt: skip
    """Read, normalise and classify a function; captured variables are inputs like its parameters.

    `known` are the parameters whose values are functions that the caller names; with `lists` they may be lists.
    """
    if isinstance(made := getattr(function, "unit", None), Unit):  # a loop that was made a function
        return made
    if is_lasting(function):
        found = _own(function, captured, objects, known, lists, table().version)
    else:
        key = ("unit", function, function.__code__, captured, objects, known, lists, table().version)
        found = kept(key, lambda: _unit(function, captured, objects, known, lists))
    return replace(found, context=replace(found.context, asked=set(found.context.asked)))


def is_lasting(function: types.FunctionType) -> bool:
    """Whether a function is a part of Tangent, and all that it names, or a derivative that all modules call."""
    return hasattr(function, "common") or (home_of(function).split(".")[0] == "tangent" and not is_generated(function))


@lru_cache(maxsize=2048)
def _own(
    function: types.FunctionType, captured: tuple[str, ...], objects: frozenset[str], known: Known, lists: bool,
    version: int,
) -> Unit:  # fmt: skip
    """Tangent's own functions stay what they are while the table of rules does: many modules differentiate them."""
    return _unit(function, captured, objects, known, lists)


def _unit(
    function: types.FunctionType, captured: tuple[str, ...], objects: frozenset[str], known: Known, lists: bool
) -> Unit:
    source = read(function)
    properties = known_properties(function) if hasattr(function, "memory") else frozenset()
    core, context = normalise(source, captured, objects, dict(known), properties, table().has_rule)
    core = settle_attempts(core, context)
    context.scope.externals |= known_locals(core, context)
    operations = classify(core, context, table())
    if (apart := sums_apart(core, operations, context)) is not core:
        core, operations = apart, classify(apart, context, table())
    core, operations, found = arrays_of_displays(core, operations, context, table(), lists)
    context.scope.local |= assigned_inside(core.body) - context.declared
    return Unit(source, core, context, without_shifts(core, operations), found)
