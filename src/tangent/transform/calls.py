"""Calls of user functions: which parameter each argument goes to, and the derivatives of callees."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tangent.analysis.shapes.facts import Atoms, Fact
from tangent.analysis.shapes.table import Shapes
from tangent.options import Options
from tangent.source.signatures import own_signature
from tangent.transform.known import Known, known_arguments
from tangent.transform.origins import Origin
from tangent.transform.unit import Unit


@dataclass(frozen=True)
class Groups:
    """Parameters that a caller lets a function write into: by what they share, which are arrays, who reads them."""

    sets: tuple[tuple[str, ...], ...] = ()
    arrays: frozenset[str] = frozenset()
    restored: bool = True
    known: bool = False

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.sets)

    def __bool__(self) -> bool:
        return bool(self.sets)


NONE_GIVEN = Groups()


@dataclass(frozen=True)
class Arguments:
    """A call fitted to a callee's signature."""

    values: dict[str, Any]
    known: Known = ()

    def active(self, names: frozenset[str]) -> tuple[str, ...]:
        """The parameters that receive something active."""
        return tuple(p for p, v in self.values.items() if any(n in names for n in leaf_names(v)))


def leaf_names(value: Any) -> Iterator[str]:
    """Names in an argument, also inside the tuple of `*args` and the dict of `**kwargs`."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, tuple):
        for v in value:
            yield from leaf_names(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from leaf_names(v)


class Derivatives(Protocol):
    """Makes derivatives of callees; names are those of the generated functions."""

    options: Options

    def pair(
        self,
        function: types.FunctionType,
        active: tuple[str, ...],
        numbers: frozenset[str],
        groups: Groups,
        known: Known = (),
        adding: tuple[str, ...] = (),
        caught: bool = False,
        apart: bool = False,
    ) -> tuple[Any, Any]: ...

    def tangent(
        self,
        function: types.FunctionType,
        active: tuple[str, ...],
        numbers: frozenset[str],
        groups: Groups,
        known: Known,
        caught: bool = False,
    ) -> Any: ...

    def gives_nothing(self, function: types.FunctionType) -> bool: ...

    def origins(self, function: types.FunctionType) -> set[Origin]: ...

    def gives_tuple(self, function: types.FunctionType) -> bool: ...

    def result_fact(self, function: Any) -> Fact: ...

    def shapes(
        self, this: Unit, numbers: frozenset[str], given: Mapping[str, Atoms], arrays: frozenset[str]
    ) -> Shapes: ...


def items_beside(call: ast.Call) -> str:
    """How the items of `**d` are told among active arguments: with the keywords of the call, which d does not have.

    >>> items_beside(ast.parse("f(x, n=2, **d)").body[0].value)
    '**n'
    """
    return "**" + ",".join(k.arg for k in call.keywords if k.arg)


def fit_arguments(unit: Unit, call: ast.Call, function: Any) -> Arguments | None:
    """The arguments by parameter and what is known of them, or None where `*` or `**` leave it to run time."""
    bound = _bound_arguments(unit, call, function)
    if bound is None:
        return None
    known = known_arguments(unit.context.scope, bound, function)
    return Arguments({**bound, **_captured_by_both(unit, function)}, known)


def argument_values(unit: Unit, call: ast.Call, function: Any) -> dict[str, Any] | None:
    """The arguments by parameter alone."""
    bound = _bound_arguments(unit, call, function)
    return None if bound is None else {**bound, **_captured_by_both(unit, function)}


def _bound_arguments(unit: Unit, call: ast.Call, function: Any) -> dict[str, Any] | None:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    signature = own_signature(function)
    try:
        return signature.bind(*call.args, **{k.arg or "": k.value for k in call.keywords}).arguments
    except TypeError as e:
        raise unit.refuse(call, f"the call of '{function.__name__}'", str(e), "Pass what it takes.") from None


def _captured_by_both(unit: Unit, function: Any) -> dict[str, ast.expr]:
    """What a function and its callee capture is an argument that goes without saying."""
    return {v: ast.Name(own, ast.Load()) for v, own in unit.context.scope.shared(function).items()}
