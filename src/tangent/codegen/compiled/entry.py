"""The function that is given back for `compile="numba"`: the usual checks, then the compiled entry."""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.codegen.compiled.build import Compiled, compile_module
from tangent.codegen.compiled.refusal import explain
from tangent.codegen.load import CHECKS, Renew, definitions, describe, guarded, make
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments
from tangent.transform.module import Generated


def load_compiled(functions: list[Generated], renew: Renew, jit: dict[str, Any]) -> types.FunctionType:
    """The first function of a generated module, compiled when it is called."""
    built = compile_module(functions, jit)
    entry, *callees = functions
    extra: dict[str, Any] = {**CHECKS, "_renew": renew, "_compiled": built.dispatcher}
    extra["_annotate"] = lambda error: explain(error, built.text, entry)
    node = guarded(_forwarding(definitions(built.text)[entry.name]), entry, callees, extra)
    function = make(node, entry, {}, built.text.file, extra)
    describe(function, entry, functions, built.plain)
    return _with_parts(function, built)


def _forwarding(node: ast.FunctionDef) -> ast.FunctionDef:
    """The definition with a body that hands all arguments on."""
    given: list[ast.expr] = [
        ast.Starred(name(a.arg), ast.Load()) if a is node.args.vararg else name(a.arg) for a in arguments(node.args)
    ]
    call = ast.Call(name("_compiled"), given, [])
    done = ast.copy_location(ast.Return(call), node)
    for inner in ast.walk(done):
        ast.copy_location(inner, node)
    return replace(node, body=[done])


def _with_parts(function: types.FunctionType, built: Compiled) -> types.FunctionType:
    function.dispatcher = built.dispatcher  # type: ignore[attr-defined]
    function.source = built.text.text  # type: ignore[attr-defined]
    return function
