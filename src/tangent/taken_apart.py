"""Derivatives for objects among the arguments that the function changes: over variables, if that can be done."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from tangent.analysis.state import needs_memory
from tangent.errors import TangentError
from tangent.options import Given, Options
from tangent.rules.table import table
from tangent.runtime.objects import is_object, operators_in
from tangent.runtime.storage.held import are_apart, held_by
from tangent.source.given import outside, over_attributes

Derivative = Callable[..., Any]
Objects = Callable[[tuple[Any, ...]], Derivative | None]
Again = Callable[..., Derivative]  # gives a derivative with other options


def for_attributes(function: types.FunctionType, options: Options, again: Again) -> Objects:
    """What gives code over variables in place of objects among the arguments that the function changes."""
    primal = primal_of(function)
    signature = inspect.signature(primal).parameters.values()
    parameters = [p.name for p in sorted(signature, key=lambda p: p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD))]
    unchanged: set[tuple[type, ...]] = set()  # classes of arguments for which there is no such code

    def over(values: tuple[Any, ...]) -> Derivative | None:
        classes = tuple(map(type, values))
        if classes in unchanged or options.objects or options.compile is not None:
            return None
        objects = {p: x for p, x in zip(parameters, values) if is_object(x)}
        given: Given = tuple((p, type(x), held_by(x)) for p, x in objects.items())
        known = all(hasattr(x, "__dict__") for x in objects.values())
        own = over_attributes(primal, given) if known else None
        if own is None or needs_memory(own, table().has_rule):
            unchanged.add(classes)
            return None
        parts = [*(v for x in objects.values() for v in vars(x).values()), *(v for v in values if not is_object(v))]
        if operators_in(tuple(parts)) or not are_apart([*parts, *outside(own)]):
            return None
        try:
            made = again(function, options, given=given, memory="")
        except TangentError:
            made = None
        if made is None or _has_memory(made) or not objects.keys().isdisjoint(made.owned):  # type: ignore[attr-defined]
            unchanged.add(classes)
            return None
        return made

    return over


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
