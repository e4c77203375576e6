"""Derivatives for objects among the arguments: over variables in place of what these hold, if that can be done."""

from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tangent.analysis.state import classes_of, needs_memory, writes_into_arrays
from tangent.errors import TangentError
from tangent.normalise.named_operators import operators_given
from tangent.options import EACH, ITEMS, Options
from tangent.rules.table import table
from tangent.runtime.layouts import Remembered, remembered
from tangent.runtime.objects import fields_of, is_object, operators_in
from tangent.runtime.storage.held import (
    Held,
    are_apart,
    each_within,
    held_by,
    held_by_all,
    is_of_objects,
    is_of_several,
    within,
)
from tangent.source.given import outside, over_attributes

Derivative = Callable[..., Any]
Objects = Callable[[tuple[Any, ...]], Derivative | None]
Found = tuple[Derivative, types.FunctionType | None] | None
Again = Callable[..., Derivative]  # gives a derivative with other options


def for_attributes(
    function: types.FunctionType, options: Options, again: Again
) -> Remembered[Derivative | None]:
    """What gives code over variables in place of objects among the arguments."""
    primal = primal_of(function)
    signature = inspect.signature(primal).parameters.values()
    parameters = [p.name for p in sorted(signature, key=lambda p: p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD))]

    def made(values: tuple[Any, ...]) -> Found:
        """The derivative, and the function behind it where that may write: then nothing may be held twice."""
        if options.objects or options.compile is not None:
            return None
        objects = {p: x for p, x in zip(parameters, values) if is_object(x) or is_of_objects(x) or is_of_several(x)}
        given = tuple(_given(objects))
        own = over_attributes(primal, given) if objects else None
        has_rule = table().has_rule
        if own is None or operators_in(_parts(values)):
            return None
        left = list(_left(zip(parameters, values), own.replaced))  # type: ignore[attr-defined]
        if operators_in(left) or needs_memory(own, has_rule, classes_of(left)):
            return None
        try:
            named = tuple(sorted(operators_given(list(values))))
            derivative = again(function, options, given=given, memory="", objects=named)
        except TangentError:
            return None
        if _has_memory(derivative) or not objects.keys().isdisjoint(derivative.owned):  # type: ignore[attr-defined]
            return None
        writes = own.changes or writes_into_arrays(own, has_rule)  # type: ignore[attr-defined]
        return derivative, own if writes else None

    known = remembered(made, _is_up_to_date)

    def over(values: tuple[Any, ...], layout: Any) -> Derivative | None:
        found = known(values, layout)
        if found is None:
            return None
        derivative, writing = found
        return derivative if writing is None or _are_apart(values, writing) else None

    return over


def _given(objects: dict[str, Any]) -> Iterator[tuple[str, type, Held]]:
    """The objects and lists of objects among the arguments, and in these."""
    for path, x in _inside(objects.values(), objects):
        if path.endswith(EACH):
            yield path, list, tuple((str(i), "object") for i in range(len(x)))
        elif is_object(x):
            yield path, type(x), held_by(x)
        elif (held := held_by_all(x)) is not None:
            yield path, type(x[0]), held


def _left(values: Iterable[tuple[str, Any]], apart: set[str]) -> Iterator[Any]:
    """What stays of the arguments where some objects, and lists of these, are taken apart."""
    for path, x in values:
        if is_object(x) and path in apart:
            yield from _left(((f"{path}.{attr}", v) for attr, v in fields_of(x).items()), apart)
        elif is_of_objects(x) and f"{path}{ITEMS}" in apart:
            yield from (v for one in x for v in fields_of(one).values())
        elif is_of_several(x) and f"{path}{EACH}" in apart:
            yield from _left(((f"{path}.{i}", one) for i, one in enumerate(x)), apart)
        else:
            yield x


def _inside(values: Iterable[Any], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for p, x in zip(names, values):
        if is_object(x):
            yield from within(x, p)
        elif is_of_objects(x):
            yield f"{p}{ITEMS}", x
        elif is_of_several(x):
            yield from each_within(x, p)


def _is_up_to_date(found: Found) -> bool:
    """Whether methods that were written out are what they were."""
    return found is None or not found[0].loaded.changed()  # type: ignore[attr-defined]


def _are_apart(values: tuple[Any, ...], function: types.FunctionType) -> bool:
    """Whether nothing that a function may change is held twice, by arguments or by what it finds around."""
    objects = [id(x) for x in _objects(values)]
    return len({*objects}) == len(objects) and are_apart([*_parts(values), *outside(function)])


def _objects(values: tuple[Any, ...]) -> list[Any]:
    """The objects that are arguments, or that objects and lists among these hold, one by one."""
    inside = [x for path, x in _inside(values, itertools.repeat("")) if not path.endswith(EACH)]
    return [one for x in inside for one in (x if isinstance(x, list) else [x])]


def _parts(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values, and what objects among them and in these hold, instead of the objects."""
    held = (v for x in _objects(values) for v in fields_of(x).values())
    return tuple(x for x in (*values, *held) if not (is_object(x) or is_of_objects(x) or is_of_several(x)))


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
