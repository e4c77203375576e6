"""The function that is given back for `compile="numba"`: the usual checks, then the compiled entry."""

from __future__ import annotations

import ast
import types
from typing import Any

from tangent.codegen.compiled.build import Compiled
from tangent.codegen.compiled.refusal import explain
from tangent.codegen.compiled.versions import Other, Typed, Versions
from tangent.codegen.emit import emit
from tangent.codegen.guards import argument_checks, guarded
from tangent.codegen.load import CHECKS, Others, definitions, describe, make
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated


def load_compiled(
    functions: list[Generated], typed: Typed, others: Others, jit: dict[str, Any], other: Other
) -> types.FunctionType:
    """The first function of a generated module, compiled when it is called; `typed` makes it for known numbers.

    `other` gives the derivative for arguments that this one is not made for.
    """

    def show(made: Compiled) -> None:
        function.source = made.text.text  # type: ignore[attr-defined]

    def tell(seconds: float) -> None:
        function.compile_time = seconds  # type: ignore[attr-defined]

    versions = Versions(functions, typed, jit, show, tell, others.renew, other)
    text = versions.any.text
    entry, *callees = functions
    definition = definitions(emit([entry]))[entry.name]
    versions.check = make(_checking(definition, entry), entry, {}, text.file, CHECKS)
    extra: dict[str, Any] = {**CHECKS, "_renew": others.renew, "_compiled": versions}
    if others.copies is not None and entry.owned:  # Numba hands the arrays of lists over as they are, not copied
        extra["_copying"] = others.copies
    extra["_annotate"] = lambda error: explain(error, versions.latest.text, entry)
    node = guarded(_forwarding(definition), entry, callees, extra, [])
    function = make(node, entry, {}, text.file, extra)
    describe(function, entry, functions, versions.any.plain)
    show(versions.any)
    tell(0.0)
    function.dispatcher = versions.any.dispatcher  # type: ignore[attr-defined]
    function.versions = versions  # type: ignore[attr-defined]
    return function


def _forwarding(node: ast.FunctionDef) -> ast.FunctionDef:
    """The definition with a body that hands all arguments on."""
    return _with_body(node, [ast.Return(ast.Call(name("_compiled"), _given(node), []))])


def _checking(node: ast.FunctionDef, entry: Generated) -> ast.FunctionDef:
    """The definition with a body that checks the arguments and gives them back, the seed as it should be."""
    plain = ast.arguments([], [ast.arg(a.arg) for a in arguments(node.args)], None, [], [], None, [])
    checks = argument_checks(entry, node.args)
    return _with_body(replace(node, args=plain), [*checks, ast.Return(ast.Tuple(_given(node), ast.Load()))])


def _given(node: ast.FunctionDef) -> list[ast.expr]:
    """All arguments, those that a star collects as one tuple."""
    return [name(a.arg) for a in arguments(node.args)]


def _with_body(node: ast.FunctionDef, body: list[ast.stmt]) -> ast.FunctionDef:
    return ast.fix_missing_locations(replace(node, body=body))
