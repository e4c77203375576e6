"""What follows where parameters are taken for numbers, or for what holds numbers: of all variables, of callees, too.

This is no guess: a parameter of a helper is a number where all calls give it one, and a list holds nothing but numbers
where all that is put into it are such.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tangent.analysis.effects import Summaries
from tangent.analysis.liveness import liveness
from tangent.analysis.made import draws
from tangent.analysis.passed import is_own
from tangent.analysis.shapes.facts import ANYTHING, SCALAR, UNKNOWN, Fact
from tangent.analysis.shapes.infer import shapes
from tangent.analysis.shapes.lists import Held, held_by_lists
from tangent.analysis.shapes.table import Shapes
from tangent.errors import TangentError
from tangent.rules.table import table
from tangent.source.signatures import own_signature
from tangent.syntax.quote import name
from tangent.transform.calls import Groups, fit_arguments
from tangent.transform.presumed import KINDS, Presumed, Read
from tangent.transform.storage.summaries import aliases_of, all_writes
from tangent.transform.unit import Unit

Facts = frozenset[tuple[str, Fact]]
# By function: variables that are numbers, lists that hold nothing else, what is known of its parameters.
Numbers = tuple[tuple[Any, frozenset[str], frozenset[str], Facts], ...]
ROUNDS = 50


def following(function: types.FunctionType, presumed: Presumed, read: Read, summary: Summaries) -> Numbers:
    """All variables that are numbers if some parameters of a function are, or hold some, by function.

    Nothing follows where functions are called that are known at run time only: these may call any of the others.
    """
    try:
        found = _Inference(function, presumed, read, summary)
    except (TangentError, _Open):
        return ()
    return found.run()


class _Open(Exception):
    """What is called is known at run time only."""


class _Inference:
    """Parameters of callees are numbers, or hold numbers, until calls show something else; results likewise."""

    def __init__(self, function: types.FunctionType, presumed: Presumed, read: Read, summary: Summaries) -> None:
        self.summary = summary
        self.units: dict[Any, Unit] = {}
        waiting: list[Any] = [function]
        while waiting:
            if (f := waiting.pop(0)) not in self.units:
                this = self.units[f] = read(f)
                late = [op for op in this.operations.values() if op.kind in ("dynamic", "closure")]
                if not all(draws(op.value, this.operations) for op in late):
                    raise _Open
                waiting += [callee for callee, _ in _calls(this)]
        self.known: dict[Any, dict[str, Fact]] = {f: {} for f in self.units}
        self.known[function] = {
            p: KINDS[presumed.get(p, "").partition(" ")[0]] for p in self.units[function].parameters
        }
        self.results = dict.fromkeys(self.units, ANYTHING)
        self.live = {f: liveness(this.core) for f, this in self.units.items()}

    def run(self) -> Numbers:
        for _ in range(ROUNDS):
            before = {f: dict(facts) for f, facts in self.known.items()}, dict(self.results)
            variables = {f: self.look(f) for f in self.units}
            if before == (self.known, self.results) and not self.close():
                return tuple((f, *v, said) for f, v in variables.items() if any((*v, said := _said(self.known[f]))))
        return ()

    def close(self) -> bool:
        """Take results and parameters that nothing has decided for anything; whether there are some."""
        results = [f for f, fact in self.results.items() if fact == ANYTHING]
        given = [(f, p) for f, this in self.units.items() for p in this.parameters if p not in self.known[f]]
        self.results.update(dict.fromkeys(results, UNKNOWN))
        for f, p in given:
            self.known[f][p] = UNKNOWN
        return bool(results or given)

    def look(self, function: Any) -> tuple[frozenset[str], frozenset[str]]:
        """The variables of a function that are numbers, or lists of such, by what is known now of all functions."""
        this = self.units[function]
        known = {p: self.known[function].get(p, SCALAR) for p in this.parameters}
        known = {p: fact for p, fact in known.items() if fact != UNKNOWN}
        live = self.live[function]
        facts = shapes(this.core, this.operations, live, self.result, presumed=known)
        lists = self.lists(this, known, facts)
        if lists:
            facts = shapes(
                this.core, this.operations, live, self.result, presumed=known, lists=lists, listed=self.puts_numbers
            )
        for p, fact in known.items():  # a list that is changed here holds what it is given, and what is put into it
            if fact.listed and not (p in lists and facts.listed(p).numbers):
                self.known[function][p] = UNKNOWN
        for callee, values in _calls(this):
            parameters = self.known[callee]
            for p in self.units[callee].parameters:
                value = values.get(p)
                if not (isinstance(value, ast.Name) and value.id in facts.undecided):
                    new = _kind(facts.of(value)) if isinstance(value, ast.expr) else _default(callee, p, values)
                    parameters[p] = _either(parameters.get(p, new), new)
        if this.result not in facts.undecided:
            self.results[function] = _kind(facts.of(name(this.result)))
        names = {v for op in this.operations.values() for v in op.targets} | set(this.parameters)
        numbers = frozenset(v for v in lists if facts.listed(v).numbers)
        return frozenset(v for v in names if facts.of(name(v)).scalar), numbers

    def lists(self, this: Unit, known: dict[str, Fact], facts: Shapes) -> dict[str, Held]:
        """What is put into the lists of a function, of which some variables are known to be numbers."""
        numbers = frozenset(v for op in this.operations.values() for v in op.targets if facts.of(name(v)).scalar)
        this = replace(this, context=replace(this.context, scalars=numbers))
        aliases = aliases_of(this, self.summary, Groups())
        calls = [(s, callee, values) for s, callee, values in _calls_at(this)]
        holding = {p for p, fact in known.items() if fact.numbers}
        return held_by_lists(this.core, this.operations, aliases, all_writes(this, self.summary), calls, holding)

    def puts_numbers(self, function: object, p: str) -> bool:
        """Whether a function that is given a list of numbers leaves it one."""
        return self.known.get(function, {}).get(p, SCALAR) != UNKNOWN

    def result(self, function: object) -> Fact:
        return self.results.get(function, UNKNOWN)


def _said(facts: dict[str, Fact]) -> Facts:
    return frozenset((p, fact) for p, fact in facts.items() if fact != UNKNOWN)


def _kind(fact: Fact) -> Fact:
    if fact.numbers:
        return Fact(sequence=fact.sequence, numbers=True, listed=fact.listed)
    return SCALAR if fact.scalar else UNKNOWN


def _either(a: Fact, b: Fact) -> Fact:
    if a.numbers and b.numbers:
        return Fact(sequence=a.sequence and b.sequence, numbers=True, listed=a.listed or b.listed)
    return a if a == b else UNKNOWN


def _calls(this: Unit) -> Iterator[tuple[Any, dict[str, Any]]]:
    return ((callee, values) for _, callee, values in _calls_at(this))


def _calls_at(this: Unit) -> Iterator[tuple[ast.stmt, Any, dict[str, Any]]]:
    """The functions that are called, with what is given for each of their parameters."""
    for s, op in this.operations.items():
        if op.kind == "call" and is_own(op.callee) and table().custom_of(op.callee) is None:
            assert isinstance(op.value, ast.Call)
            given = fit_arguments(this, op.value, op.callee)
            if given is not None and given.known:
                raise _Open
            yield s, op.callee, given.values if given is not None else {}


def _default(function: Any, p: str, values: dict[str, Any]) -> Fact:
    """What is known of a parameter that a call leaves to its default."""
    parameters = own_signature(function).parameters
    return SCALAR if p in parameters and p not in values and type(parameters[p].default) in (float, int) else UNKNOWN
