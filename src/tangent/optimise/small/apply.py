"""A function with numbers in place of its small arrays, where the types of its arguments are known."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.normalise.versions import versions
from tangent.optimise.small.elements import Left, Shape
from tangent.optimise.small.helpers import is_plain, with_helpers
from tangent.optimise.small.numbers import Numbers
from tangent.optimise.small.places import place_of
from tangent.optimise.small.rows import rows
from tangent.optimise.small.sharing import PURE, Sharing
from tangent.optimise.small.sizes import Sizes
from tangent.optimise.small.unroll import unrolled, whole_numbers
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import UNKNOWN, Kind, Number
from tangent.rules.classify import classify
from tangent.rules.displays import arrays_of_displays
from tangent.rules.table import table
from tangent.source.naming import home_of
from tangent.syntax.core import check_core
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.transform.generated import Generated
from tangent.transform.unit import Unit, unit

MOST = 1500
Resolve = Callable[[ast.expr, Generated], Any]


def small(function: types.FunctionType, given: dict[str, Kind], resolve: Resolve) -> types.FunctionType:
    """The function to differentiate instead; the same where it has no small arrays."""
    if table().custom_of(function) is not None or hasattr(function, "unit"):
        return function
    this = unit(function)
    if not is_plain(this.core.body):
        return function
    made = _Small(this, given, resolve).made()
    if made is None:
        return function
    stub = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    stub.__kwdefaults__, stub.__module__ = function.__kwdefaults__, home_of(function)
    stub.__qualname__ = function.__qualname__
    stub.unit = made  # type: ignore[attr-defined]
    return stub


class _Small:
    def __init__(self, this: Unit, given: dict[str, Kind], resolve: Resolve) -> None:
        self.this, self.given = this, given
        self.context = this.context
        self.outer = resolve

    def made(self) -> Unit | None:
        last = self.this.core.body[-1]
        core = versions(replace(self.this.core, body=[*with_helpers(self.this), last]), self.context)
        self.look(core)
        for _ in range(2):
            numbers = whole_numbers(core.body, core.args) | self.sizes.certain(core.body)
            core = versions(replace(core, body=unrolled(core.body, numbers, self.context)), self.context)
            self.look(core)
        core = rows(core, self.kind)
        self.look(core)
        chosen = self.chosen(core)
        while chosen:
            names = copy.deepcopy(self.context.names)
            try:
                body = self.rewritten(core, chosen)
                break
            except Left as left:
                del chosen[left.name]
                self.context.names = names
        if not chosen or len(list(statements(body))) > MOST:
            return None
        return self.unit(replace(core, body=[*body, core.body[-1]]))

    def look(self, core: ast.FunctionDef) -> None:
        """Find the kinds and shapes of everything."""
        g = Generated(core.name, self.this.source.function, core, self.this.source, dict(self.context.scope.externals))
        found = Inference([g], [self.given.get(p, UNKNOWN) for p in self.this.parameters], self.outer)
        self.kind: Callable[[ast.expr], Any] = lambda e: found.of(e, g)
        self.resolve: Callable[[ast.expr], Any] = self.context.scope.resolve
        numbers = whole_numbers(core.body[:-1], core.args)
        self.sizes = Sizes(core.body, self.kind, self.resolve, numbers, _displays(core.body))
        self.context.scope.local |= {v for s in statements(core.body) for v in writes(s)}
        self.operations = classify(core, self.context, table())
        augmented = {s for s in statements(core.body) if self.is_augmented(s)}
        self.sharing = Sharing(core.body, self.operations, self.kind, self.resolve, augmented)

    def is_augmented(self, s: ast.stmt) -> bool:
        return place_of(s) in self.context.augmented

    def chosen(self, core: ast.FunctionDef) -> dict[str, Shape]:
        parameters = set(self.this.parameters)
        local = {v for s in statements(core.body) for v in writes(s)} | parameters
        looped = {v for s in statements(core.body) if isinstance(s, ast.For) for v in writes(s)}
        found: dict[str, Shape] = {}
        for v in self.sizes.dims:
            kind, shape = self.kind(name(v)), self.sizes.shape(v)
            if shape is None or not isinstance(kind, Number) or kind.dtype != "f8" or v not in local - looped:
                continue
            if self.sharing.may_be_numbers(v, parameters):
                found[v] = shape
        return found if self.pays(core, found) else {}

    def pays(self, core: ast.FunctionDef, chosen: dict[str, Shape]) -> bool:
        """Whether an array is made that need not be."""
        return any(
            isinstance(s, ast.Assign) and any(v in chosen for v in writes(s)) and not isinstance(s.value, ast.Subscript)
            for s in statements(core.body)
        )

    def rewritten(self, core: ast.FunctionDef, chosen: dict[str, Shape]) -> list[ast.stmt]:
        def pure(s: ast.stmt) -> bool:
            return s in self.operations and self.operations[s].kind in PURE

        np_name = self.context.use("np", np) if self.context.scope.lookup("np") is not np else "np"
        numbers = Numbers(chosen, self.sizes, self.context, np_name, self.sharing.unwritten, pure)
        first = next(iter(core.body))
        numbers.like = first
        for p in self.this.parameters:
            if p in chosen:
                numbers.entered(p)
        entered, numbers.out = numbers.out, []
        body = numbers.block(core.body[:-1])
        result = core.body[-1]
        assert isinstance(result, ast.Return)
        if isinstance(result.value, ast.Name) and (v := result.value.id) in chosen:
            numbers.like = result
            made = numbers.array(v)
            body += [*numbers.out, assign(v, made, result)]
        elif numbers.mentions(result):
            numbers.refuse_rest(result)
        return [*entered, *body]

    def unit(self, core: ast.FunctionDef) -> Unit:
        core = versions(_tidy(core), self.context)
        check_core(core)
        self.context.scope.local |= {v for s in statements(core.body) for v in writes(s)}
        core, operations, lists = arrays_of_displays(core, classify(core, self.context, table()), self.context, table())
        return Unit(self.this.source, core, self.context, operations, lists)


def _tidy(core: ast.FunctionDef) -> ast.FunctionDef:
    """Without lists that nothing reads any more."""
    read = set().union(*(header_reads(s) for s in statements(core.body)))

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List()) if v not in read:
                    continue
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then) or [ast.Pass()], orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner) or [ast.Pass()]))
                case _:
                    done.append(s)
        return done

    return replace(core, body=block(core.body))


def _displays(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Lists that are written out, read once, and whose items are not set anew before that."""
    found: dict[str, list[ast.expr]] = {}
    times: dict[str, int] = {}
    reads: dict[str, int] = {}
    for s in statements(body):
        for v in writes(s):
            times[v] = times.get(v, 0) + 1
        for v in header_reads(s):
            reads[v] = reads.get(v, 0) + 1
    for block in _blocks(body):
        for i, s in enumerate(block):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=elts)) if elts and times[v] == 1:
                    plain = all(isinstance(e, (ast.Name, ast.Constant, ast.UnaryOp)) for e in elts)
                    if plain and reads.get(v) == 1 and _read_soon(v, block[i + 1 :], elts):
                        found[v] = elts
    return found


def _blocks(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    inner = [b for s in statements(body) for b in (getattr(s, "body", []), getattr(s, "orelse", [])) if b]
    return [body, *inner]


def _read_soon(v: str, rest: list[ast.stmt], elts: list[ast.expr]) -> bool:
    names = {e.id for e in elts if isinstance(e, ast.Name)}
    for s in rest:
        if not isinstance(s, ast.Assign):
            return False
        if v in header_reads(s):
            return True
        if names & set(writes(s)) or not isinstance(s.targets[0], ast.Name):
            return False
    return False
