"""From a function and options to the module of its derivative: read, normalise, transform, optimise."""

from __future__ import annotations

import ast
import types
from dataclasses import replace
from typing import Any

from tangent.analysis.state import needs_memory, writes_into_arrays
from tangent.codegen.emit import emit
from tangent.codegen.load import bind, definitions, register
from tangent.errors import OwnerError, TangentError
from tangent.optimise import optimise
from tangent.optimise.comments import tidy
from tangent.optimise.context import Optimisation
from tangent.options import Memory, Options
from tangent.rules.table import table
from tangent.runtime.objects import MEMBERS
from tangent.source.buffers import owning_buffers
from tangent.source.conflicts import tell_other
from tangent.source.copying import copying
from tangent.source.given import over_attributes
from tangent.source.remembering import remembering
from tangent.source.resolve import MISSING
from tangent.syntax.names import identifiers
from tangent.transform.by_tangents import Derive
from tangent.transform.generated import Generated
from tangent.transform.gradient import gradient
from tangent.transform.led_to import tell_call
from tangent.transform.module import Module, Optimise
from tangent.transform.scribe import Scribe
from tangent.transform.tangents import pushforward
from tangent.transform.titles import title_of
from tangent.transform.unit import Unit


def generated(function: types.FunctionType, options: Options, derive: Derive, whole: bool = False) -> Module:
    """The module of a derivative, before it is printed; where owners of methods may be no arrays, one that looks.

    With all functions that it calls if it is to be `whole`, else without those that other modules call, too.
    """
    bind = None if whole or options.compile is not None else as_functions
    try:
        return _generated(function, Module(options, optimiser(options.optimized), derive, bind))
    except OwnerError:
        if MEMBERS in options.objects or options.compile is not None:
            raise
        options = replace(options, objects=tuple(sorted({*options.objects, MEMBERS})))
        return _generated(function, Module(options, optimiser(options.optimized), derive, bind))


def _generated(function: types.FunctionType, module: Module) -> Module:
    options = module.options
    title = title_of(function, options)
    behind = function if hasattr(function, "origin") else over_arguments(function, options)
    behind = keeping_memory(behind, options.memory)
    try:
        if options.mode == "reverse":
            gradient(module, behind, title)
        else:
            pushforward(module, behind, title)
        module.finish()
    except TangentError as e:
        tell_call(e, behind, module.read)
        tell_other(e)
        raise
    return module


def as_functions(module: Module) -> dict[Generated, types.FunctionType]:
    """The functions of a module, printed and made ready to be called by others."""
    text = emit(module.functions)
    register(text)
    return bind(definitions(text), module.functions, text.file)


def over_arguments(function: types.FunctionType, options: Options) -> types.FunctionType:
    """The function that works on copies of what it is given and changes."""
    if options.given and not options.buffers:
        return over_attributes(function, options.given) or function
    if options.buffers:
        function = owning_buffers(function, options.buffers)
    return copying(function, options.copied) if options.copied else function


def keeping_memory(function: types.FunctionType, memory: Memory) -> types.FunctionType:
    """The function that is read: one with a memory, where objects are made or changed."""
    known = any(hasattr(function, attribute) for attribute in ("remembers", "origin", "adapted"))
    if known or table().custom_of(function) is not None:
        return function
    found = needs_memory(function, table().has_rule)
    if not (memory or found):
        return function
    lists = memory == "lists"
    arrays = "arrays" in (memory, found) or (lists and writes_into_arrays(function, table().has_rule))
    return remembering(function, entry=True, lists=lists, arrays=arrays)


def optimiser(optimized: bool) -> Optimise:
    return _optimised if optimized else _as_it_is


def _as_it_is(body: list[ast.stmt], unit: Unit, scribe: Scribe, shared: dict[str, str]) -> list[ast.stmt]:
    return tidy(body)


def _optimised(body: list[ast.stmt], unit: Unit, scribe: Scribe, shared: dict[str, str]) -> list[ast.stmt]:
    user = identifiers(unit.source.tree)
    visible = user | {d for (_, v), d in scribe.derivatives.items() if v in user}

    resolved: dict[ast.expr, Any] = {}  # the rewrites ask for the same names again and again

    def resolve(e: ast.expr) -> Any:
        if e not in resolved:
            resolved[e] = meant(e)
        return resolved[e]

    def meant(e: ast.expr) -> Any:
        match e:
            case ast.Name(id=v) if v in scribe.externals:
                return scribe.externals[v]
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if v in scribe.externals:
                return getattr(scribe.externals[v], attr, MISSING)
            case _:
                return unit.context.scope.resolve(e)

    accumulators = frozenset(scribe.accumulators)
    return tidy(optimise(body, Optimisation(resolve, frozenset(visible), shared, accumulators, scribe.kept_shapes)))
