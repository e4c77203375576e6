"""Methods of objects that are known by name, and that write into what they are given, are functions that are known.

WATER.step(h, hu, dt)   ->   step(WATER, h, hu, dt)

So are those of objects that are made in the function, where arrays or containers have methods of that name.

v = Vector(x, y)        ->   v = Vector(x, y)
w = v.add(u)            ->   w = add(v, u)
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections import Counter
from typing import Any

import numpy as np

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.runtime.objects import is_object, method_of
from tangent.source.makers import maker
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING
from tangent.syntax.quote import call, constant, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk


def known_methods(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if context.memory:
        return f
    bound = {n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {a.arg for a in walk(f) if isinstance(a, ast.arg)}
    classes = _classes(f, context)
    first, home = _home(f, context)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as owner, attr=attr), args=args) if (
                v == first and _is_own(home, attr)
            ):
                method = call(context.use("method_of", method_of), owner, constant(attr))
                return replace(e, func=ast.copy_location(method, e.func), args=[owner, *args])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as owner, attr=attr), args=args) if (
                v not in bound or v in classes
            ):
                found = _own_method(context, *classes[v], attr) if v in classes else _writer(context, v, attr)
                if found is not None:
                    called = ast.copy_location(name(context.use(attr, found)), e.func)
                    return replace(e, func=called, args=[owner, *args])
        return e

    return rebuild(f, change)


def _classes(f: ast.FunctionDef, context: Context) -> dict[str, tuple[str, type]]:
    """The variables that hold objects of one class, made here, wherever they are assigned: its name, and itself."""
    made: dict[str, list[tuple[str, type]]] = {}
    stored: Counter[str] = Counter(a.arg for a in walk(f) if isinstance(a, ast.arg))
    for n in walk(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)):
                found = context.scope.resolve(func)
                if isinstance(found, type) and not is_library(found):
                    made.setdefault(v, []).append((ast.unparse(func), found))
            case ast.Name(id=v, ctx=ast.Store() | ast.Del()):
                stored[v] += 1
    return {v: found[0] for v, found in made.items() if len(found) == stored[v] and len({c for _, c in found}) == 1}


def _home(f: ast.FunctionDef, context: Context) -> tuple[str, type | None]:
    """The first parameter of a method, which nothing else is assigned to, and the class that defines it."""
    function = context.source.function
    given = arguments(f.args)
    found: Any = sys.modules.get(function.__module__ or "")
    for part in function.__qualname__.split(".")[:-1]:
        found = getattr(found, part, None)
    if not given or not isinstance(found, type) or vars(found).get(function.__name__) is not function:
        return "", None
    stored = any(isinstance(n, ast.Name) and n.id == given[0].arg and not isinstance(n.ctx, ast.Load) for n in walk(f))
    return ("", None) if stored else (given[0].arg, found)


def _is_own(cls: type | None, attr: str) -> bool:
    """Whether a class defines a method that containers or arrays have, too."""
    mistaken = any(hasattr(other, attr) for other in (np.ndarray, list, dict, float, set)) and not attr.startswith("__")
    method = inspect.getattr_static(cls, attr, None) if cls is not None and mistaken else None
    return isinstance(method, types.FunctionType) and not is_library(method)


def _own_method(context: Context, path: str, cls: type, attr: str) -> types.FunctionType | None:
    """The function behind a method of an object of a class."""
    made_otherwise = type(cls) is not type or any("__new__" in vars(c) for c in cls.__mro__[:-1])
    if made_otherwise or not _is_own(cls, attr) or attr in getattr(maker(cls), "assigned", ()):
        return None
    method: types.FunctionType = inspect.getattr_static(cls, attr)
    context.scope.seen[f"{path}.{attr}"] = method
    return method


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
