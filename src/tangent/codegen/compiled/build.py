"""Compile a generated module: every function in it by Numba in nopython mode, around the entry the usual checks."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any

import numba

from tangent.backends.numba import init
from tangent.codegen.compiled.disk import on_disk
from tangent.codegen.compiled.form import compiled_form, require_positional, without_star
from tangent.codegen.compiled.own import users_line
from tangent.codegen.compiled.surroundings import Constant, Surroundings
from tangent.codegen.emit import Text, emit
from tangent.codegen.load import definitions, register
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Kind
from tangent.optimise.typed.specialise import specialise
from tangent.source.naming import home_of
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk
from tangent.transform.generated import Generated


@dataclass(frozen=True)
class Compiled:
    """A compiled module: the dispatcher of its entry, the text that was compiled, the entry as Python function, and
    the values from outside that are in the machine code."""

    dispatcher: Callable[..., Any]
    text: Text
    plain: types.FunctionType
    constants: list[Constant]


def compile_module(
    functions: list[Generated], jit: dict[str, Any], given: list[Kind] | None = None, in_loops: bool = True
) -> Compiled:
    """All functions of a module through Numba, written for arguments of these kinds where they are given.

    Each is compiled for the types of a call when the call comes. What has no compiled form is refused where the kinds
    are given: they decide which functions are called.
    """
    init()
    functions = [without_star(functions[0]), *functions[1:]]
    if given is not None:
        entry, prange = functions[0], numba.prange if jit.get("parallel") else None
        functions = specialise(functions, given, resolve, lambda g: users_line(g, entry), in_loops, prange)
    surroundings = Surroundings(lambda f: numba.njit(f, **_of_callees(jit)))
    found = Inference(functions, [], resolve) if given is None else None
    formed, extras = [], []
    for g in functions:
        tree, extra = compiled_form(g, lambda e, g=g: resolve(e, g), found)  # type: ignore[misc]
        if given is not None:
            require_positional(g, functions[0])
        formed.append(with_changes(g, tree=tree))
        extras.append(extra)
    text = emit(formed)
    nodes = definitions(text)
    namespaces = [_names(g, nodes[g.name], extra, surroundings) for g, extra in zip(functions, extras)]
    module: Any = home_of(functions[0].primal) or None
    if jit.get("cache"):
        text, module = on_disk(text, functions[0], namespaces)
    register(text)
    plain = [_function(nodes[g.name], g, namespace, text.file) for g, namespace in zip(formed, namespaces)]
    made = {g: numba.njit(f, **jit) for g, f in zip(functions, plain)}
    for g, f, namespace in zip(functions, plain, namespaces):
        f.__module__ = namespace["__name__"] = module
        namespace.update({v: made[value] for v, value in g.externals.items() if isinstance(value, Generated)})
    return Compiled(made[functions[0]], text, plain[0], surroundings.constants)


def _names(g: Generated, node: ast.FunctionDef, extra: dict[str, Any], surroundings: Surroundings) -> dict[str, Any]:
    """What the free names of a generated function stand for, but for other generated functions."""
    attributes = {n.attr for n in walk(node) if isinstance(n, ast.Attribute)}
    found = surroundings.of(expression_reads(node), g.primal, attributes)
    given = {**g.externals, **extra}
    return found | {v: surroundings.taken(x) for v, x in given.items() if not isinstance(x, Generated)}


def _of_callees(jit: dict[str, Any]) -> dict[str, Any]:
    """Helpers without derivative keep their own files, and so their own caches."""
    return {k: v for k, v in jit.items() if k != "cache"}


def resolve(e: ast.expr, g: Generated) -> Any:
    match e:
        case ast.Name(id=v) if v in g.externals:
            return g.externals[v]
        case ast.Name(id=v):
            return Surroundings(lambda f: f).of({v}, g.primal).get(v, MISSING)
        case ast.Attribute(value=value, attr=attr):
            return getattr(resolve(value, g), attr, MISSING)
        case _:
            return MISSING


def _function(node: ast.FunctionDef, g: Generated, namespace: dict[str, Any], file: str) -> types.FunctionType:
    """A function whose free names are global in a namespace of its own."""
    module = ast.fix_missing_locations(ast.Module([replace(node, args=_without_defaults(node.args))], []))
    scope: dict[str, Any] = {}
    exec(compile(module, file, "exec"), scope)
    code = scope[node.name].__code__
    return types.FunctionType(code, namespace, node.name, _defaults(node, g.primal))


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
