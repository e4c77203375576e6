"""The stages in order: a function and options in, a derivative out."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass

from tangent.codegen.emit import Text, emit
from tangent.codegen.load import load
from tangent.optimise import optimise
from tangent.options import Options
from tangent.source.resolve import Scope
from tangent.transform.module import Generated, Module


@dataclass(frozen=True)
class Derivative:
    """A derivative and how it came about."""

    function: types.FunctionType
    text: Text
    options: Options


def derive(function: types.FunctionType, options: Options) -> Derivative:
    """Read, normalise, transform, optimise, print and load."""
    module = Module(options, optimise if options.optimized else _as_it_is)
    title = name_of(function, options)
    if options.mode == "reverse":
        entry = module.gradient(function, title)
    else:
        entry = module.pushforward(function, title)
    module.finish()
    text = emit(module.functions)
    functions = load(text, module.functions)
    return Derivative(functions[entry.name], text, options)


def _as_it_is(body: list[ast.stmt], pairs: list[tuple[ast.stmt, ast.stmt]], scope: Scope) -> list[ast.stmt]:
    return body


def name_of(function: types.FunctionType, options: Options) -> str:
    """`dfdx`, or `f_jvp` in forward mode."""
    base = function.__name__.strip("<>")
    if options.mode == "forward":
        return f"{base}_jvp"
    return f"d{base}d{'_'.join(options.wrt)}"


__all__ = ["Derivative", "Generated", "derive"]
