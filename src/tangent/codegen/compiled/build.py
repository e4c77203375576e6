"""Compile a generated module: every function in it by Numba in nopython mode, around the entry the usual checks."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba

from tangent.backends.numba import init
from tangent.codegen.compiled.form import compiled_form
from tangent.codegen.compiled.surroundings import Surroundings
from tangent.codegen.emit import Text, emit
from tangent.codegen.load import definitions, register
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads
from tangent.transform.module import Generated


@dataclass(frozen=True)
class Compiled:
    """A compiled module: the dispatcher of its entry, the text that was compiled, the entry as Python function."""

    dispatcher: Callable[..., Any]
    text: Text
    plain: types.FunctionType
    functions: list[Generated]


def compile_module(functions: list[Generated], jit: dict[str, Any]) -> Compiled:
    """All functions of a module through Numba; each is compiled for the types of a call when the call comes."""
    init()
    surroundings = Surroundings(lambda f: numba.njit(f, **_of_callees(jit)))
    formed, extras = [], []
    for g in functions:
        tree, extra = compiled_form(g, lambda e, g=g: _resolve(e, g))  # type: ignore[misc]
        formed.append(_with_tree(g, tree))
        extras.append(extra)
    text = emit(formed)
    register(text)
    nodes = definitions(text)
    namespaces: list[dict[str, Any]] = [{"__name__": g.primal.__module__} for g in functions]
    plain = [_function(nodes[g.name], g, namespace, text.file) for g, namespace in zip(formed, namespaces)]
    made = {g: numba.njit(f, **jit) for g, f in zip(functions, plain)}
    for g, node, namespace, extra in zip(functions, nodes.values(), namespaces, extras):
        free = expression_reads(node)
        namespace.update(surroundings.of(free, g.primal))
        for v, value in (*g.externals.items(), *extra.items()):
            namespace[v] = made[value] if isinstance(value, Generated) else surroundings.taken(value)
    return Compiled(made[functions[0]], text, plain[0], formed)


def _of_callees(jit: dict[str, Any]) -> dict[str, Any]:
    """Helpers without derivative keep their own files, and so their own caches."""
    return {k: v for k, v in jit.items() if k != "cache"}


def _with_tree(g: Generated, tree: ast.FunctionDef) -> Generated:
    return Generated(
        g.name, g.primal, tree, g.source, g.externals, g.seeds, g.seen, g.check, g.dtypes, g.exact, g.numbers
    )


def _resolve(e: ast.expr, g: Generated) -> Any:
    match e:
        case ast.Name(id=v) if v in g.externals:
            return g.externals[v]
        case ast.Name(id=v):
            return Surroundings(lambda f: f).of({v}, g.primal).get(v, MISSING)
        case ast.Attribute(value=value, attr=attr):
            return getattr(_resolve(value, g), attr, MISSING)
        case _:
            return MISSING


def _function(node: ast.FunctionDef, g: Generated, namespace: dict[str, Any], file: str) -> types.FunctionType:
    """A function whose free names are global in a namespace of its own."""
    module = ast.fix_missing_locations(ast.Module([replace(node, args=_without_defaults(node.args))], []))
    scope: dict[str, Any] = {}
    exec(compile(module, file, "exec"), scope)
    code = scope[node.name].__code__
    function = types.FunctionType(code, namespace, node.name, _defaults(node, g.primal))
    function.__module__ = g.primal.__module__
    return function


def _without_defaults(args: ast.arguments) -> ast.arguments:
    return replace(args, defaults=[])


def _defaults(node: ast.FunctionDef, primal: types.FunctionType) -> tuple[Any, ...] | None:
    """The primal's default objects for its parameters, those of the text for seeds."""
    code = primal.__code__
    positional = code.co_varnames[: code.co_argcount]
    own = primal.__defaults__ or ()
    known = dict(zip(positional[len(positional) - len(own) :], own)) | (primal.__kwdefaults__ or {})
    plain = [*node.args.posonlyargs, *node.args.args]
    with_default = plain[len(plain) - len(node.args.defaults) :]
    values = [known[a.arg] if a.arg in known else ast.literal_eval(d) for a, d in zip(with_default, node.args.defaults)]
    return tuple(values) or None
