"""Functions and modules that are known when a function is transformed, though it has them in variables of its own.

Nested functions that capture nothing are; so are parameters for which a call names a function or a module:
`integrate(np.sin, 0, x)` gets a derivative of `integrate` in which `f` is `np.sin`.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.rules.table import table
from tangent.source.nested import Nested, nested_functions
from tangent.source.read import unwrapped
from tangent.source.resolve import MISSING, Scope
from tangent.source.signatures import own_signature
from tangent.syntax.core import is_path
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, writes
from tangent.syntax.walk import walk

Known = tuple[tuple[str, Any], ...]


def known_locals(core: ast.FunctionDef, context: Context) -> dict[str, Any]:
    """Local names that are functions or modules, always the same ones: nested ones, and second names of others."""
    body = list(statements(core.body))
    rebound = {v for n in walk(core) if isinstance(n, ast.Nonlocal) for v in n.names}
    count = Counter(v for s in body for v in writes(s))
    named: dict[str, Any] = {}
    nodes: dict[str, Nested] = {}
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Lambda() as node):
                nodes[v] = node
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if is_path(value):
                named[v] = _resolved(value, named, context.scope)
            case ast.FunctionDef(name=v):
                nodes[v] = s
    parameters = {a.arg for a in arguments(core.args)}
    once = {v for v, n in count.items() if n == 1} - rebound - context.declared - parameters
    found = {v: f for v, f in named.items() if v in once and _is_known(f) and not _captures(f, context.scope)}
    return found | nested_functions(context.source.function, {v: node for v, node in nodes.items() if v in once})


def known_arguments(scope: Scope, values: Mapping[str, Any], callee: types.FunctionType) -> Known:
    """The parameters of a callee that get a function or module which is known, by its name here or as a default."""
    signature = own_signature(callee)
    found: dict[str, Any] = {}
    for p in signature.parameters.values():
        given = values.get(p.name)
        if p.name not in values:
            found[p.name] = p.default
        elif isinstance(given, ast.expr) and is_path(given):
            found[p.name] = scope.resolve(given)
    return tuple((p, f) for p, f in found.items() if _is_known(f) and not _captures(f, scope))


def _resolved(e: ast.expr, named: dict[str, Any], scope: Scope) -> Any:
    """What a path means, also one that starts at a local name of a module."""
    match e:
        case ast.Attribute(value=value, attr=attr):
            owner = _resolved(value, named, scope)
            return getattr(owner, attr, MISSING) if isinstance(owner, types.ModuleType) else scope.resolve(e)
        case ast.Name(id=v) if isinstance(named.get(v), types.ModuleType):
            return named[v]
        case _:
            return scope.resolve(e)


def _is_known(found: Any) -> bool:
    found = unwrapped(found)
    if isinstance(found, (types.FunctionType, types.ModuleType, np.ufunc)):
        return True
    return isinstance(found, types.BuiltinFunctionType) and bool(table().lookup(found) or table().is_zero(found))


def _captures(found: Any, scope: Scope) -> bool:
    """Whether a function captured variables through which derivatives may flow here."""
    behind = unwrapped(found)
    return isinstance(behind, types.FunctionType) and bool(scope.shared(behind))
