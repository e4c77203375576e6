"""The stages in order: a function and options in, a derivative out."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from tangent.codegen.emit import Text, emit
from tangent.codegen.load import load
from tangent.optimise import optimise
from tangent.optimise.comments import tidy
from tangent.optimise.context import Optimisation
from tangent.options import Options
from tangent.source.resolve import MISSING
from tangent.syntax.names import identifiers
from tangent.transform.module import Generated, Module
from tangent.transform.scribe import Scribe
from tangent.transform.unit import Unit


@dataclass(frozen=True)
class Derivative:
    """A derivative and how it came about."""

    function: types.FunctionType
    text: Text
    options: Options


def derive(function: types.FunctionType, options: Options) -> Derivative:
    """Read, normalise, transform, optimise, print and load."""
    module = Module(options, _optimised if options.optimized else _as_it_is)
    title = name_of(function, options)
    if options.mode == "reverse":
        entry = module.gradient(function, title)
    else:
        entry = module.pushforward(function, title)
    module.finish()
    text = emit(module.functions)
    functions = load(text, module.functions)
    return Derivative(functions[entry.name], text, options)


def _as_it_is(body: list[ast.stmt], unit: Unit, scribe: Scribe) -> list[ast.stmt]:
    return tidy(body)


def _optimised(body: list[ast.stmt], unit: Unit, scribe: Scribe) -> list[ast.stmt]:
    user = identifiers(unit.source.tree)
    visible = user | {d for (_, v), d in scribe._adjoint.items() if v in user}

    def resolve(e: ast.expr) -> Any:
        if isinstance(e, ast.Name) and e.id in scribe.externals:
            return scribe.externals[e.id]
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id in scribe.externals:
            return getattr(scribe.externals[e.value.id], e.attr, MISSING)
        return unit.context.scope.resolve(e)

    return tidy(optimise(body, Optimisation(resolve, frozenset(visible))))


def name_of(function: types.FunctionType, options: Options) -> str:
    """`dfdx`, or `f_jvp` in forward mode."""
    base = function.__name__.strip("<>")
    if options.mode == "forward":
        return f"{base}_jvp"
    return f"d{base}d{'_'.join(options.wrt)}"


__all__ = ["Derivative", "Generated", "derive"]
