"""Derivatives for objects among the arguments: over variables in place of what these hold, if that can be done."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from tangent.analysis.state import needs_memory, writes_into_arrays
from tangent.errors import TangentError
from tangent.options import Given, Options
from tangent.rules.table import table
from tangent.runtime.layouts import remembered
from tangent.runtime.objects import fields_of, is_object, operators_in
from tangent.runtime.storage.held import are_apart, held_by, within
from tangent.source.given import outside, over_attributes

Derivative = Callable[..., Any]
Objects = Callable[[tuple[Any, ...]], Derivative | None]
Found = tuple[Derivative, types.FunctionType | None] | None
Again = Callable[..., Derivative]  # gives a derivative with other options


def for_attributes(function: types.FunctionType, options: Options, again: Again) -> Objects:
    """What gives code over variables in place of objects among the arguments."""
    primal = primal_of(function)
    signature = inspect.signature(primal).parameters.values()
    parameters = [p.name for p in sorted(signature, key=lambda p: p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD))]

    def made(values: tuple[Any, ...]) -> Found:
        """The derivative, and the function behind it where that may write: then nothing may be held twice."""
        if options.objects or options.compile is not None:
            return None
        objects = {p: x for p, x in zip(parameters, values) if is_object(x)}
        inside = [found for p, x in objects.items() for found in within(x, p)]
        given: Given = tuple((path, type(x), held_by(x)) for path, x in inside)
        own = over_attributes(primal, given) if objects else None
        has_rule = table().has_rule
        if own is None or needs_memory(own, has_rule) or operators_in(_parts(values)):
            return None
        try:
            derivative = again(function, options, given=given, memory="")
        except TangentError:
            return None
        if _has_memory(derivative) or not objects.keys().isdisjoint(derivative.owned):  # type: ignore[attr-defined]
            return None
        writes = own.changes or writes_into_arrays(own, has_rule)  # type: ignore[attr-defined]
        return derivative, own if writes else None

    known = remembered(made, _is_up_to_date)

    def over(values: tuple[Any, ...]) -> Derivative | None:
        found = known(values)
        if found is None:
            return None
        derivative, writing = found
        return derivative if writing is None or _are_apart(values, writing) else None

    return over


def _is_up_to_date(found: Found) -> bool:
    """Whether methods that were written out are what they were."""
    return found is None or not found[0].loaded.changed()  # type: ignore[attr-defined]


def _are_apart(values: tuple[Any, ...], function: types.FunctionType) -> bool:
    """Whether nothing that a function may change is held twice, by arguments or by what it finds around."""
    objects = [id(inner) for x in values if is_object(x) for _, inner in within(x, "")]
    return len({*objects}) == len(objects) and are_apart([*_parts(values), *outside(function)])


def _parts(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values, and what objects among them and in these hold, instead of the objects."""
    plain = [x for x in values if not is_object(x)]
    inside = [inner for x in values if is_object(x) for _, inner in within(x, "")]
    return (*plain, *(v for x in inside for v in fields_of(x).values() if not is_object(v)))


def for_shared(function: types.FunctionType) -> Callable[[tuple[Any, ...]], bool]:
    """What tells whether arguments hold something twice, or share it with the module, that the function may write."""
    primal = primal_of(function)

    def shared(values: tuple[Any, ...]) -> bool:
        return writes_into_arrays(primal, table().has_rule) and not are_apart([*values, *outside(primal)])

    return shared


def _has_memory(made: Derivative) -> bool:
    """Whether a derivative, or one behind it, could not do without a memory."""
    while (origin := getattr(made, "origin", None)) is not None:
        if origin[1].memory:
            return True
        made = origin[0]
    return False


def primal_of(function: types.FunctionType) -> types.FunctionType:
    """The function of the user behind derivatives of any order."""
    while (origin := getattr(function, "origin", None)) is not None:
        function = origin[0]
    return function
