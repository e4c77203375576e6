"""Methods of objects that are known by name, and that write into what they are given, are functions that are known.

WATER.step(h, hu, dt)   ->   step(WATER, h, hu, dt)
"""

from __future__ import annotations

import ast
import inspect
import types

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.runtime.objects import is_object
from tangent.source.read import read
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk


def known_methods(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if context.memory:
        return f
    bound = {n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {a.arg for a in walk(f) if isinstance(a, ast.arg)}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as owner, attr=attr), args=args) if v not in bound:
                method = _writer(context, v, attr)
                if method is not None:
                    called = ast.copy_location(name(context.use(attr, method)), e.func)
                    return replace(e, func=called, args=[owner, *args])
        return e

    return rebuild(f, change)


def _writer(context: Context, v: str, attr: str) -> types.FunctionType | None:
    """The function behind a method of an object, if it writes into an argument."""
    found = context.scope.lookup(v)
    if found is MISSING or not is_object(found) or attr in getattr(found, "__dict__", {}):
        return None
    method = inspect.getattr_static(type(found), attr, None)
    if not isinstance(method, types.FunctionType) or is_library(method) or not _writes(method):
        return None
    context.scope.seen[f"{v}.__class__"] = type(found)
    context.scope.seen[f"{v}.__class__.{attr}"] = method
    return method


def _writes(method: types.FunctionType) -> bool:
    try:
        tree = read(method).tree
    except TangentError:
        return False
    given = {a.arg for a in arguments(tree.args)[1:]}
    for n in walk(tree):
        match n:
            case ast.Subscript(value=ast.Name(id=v), ctx=ast.Store()) if v in given:
                return True
            case ast.AugAssign(target=ast.Name(id=v)) if v in given:
                return True
    return False
