"""The functions that one may come to by the names in it: its callees, methods, and what it might be given to call.

More than are called: where it has to be sure that nobody else sees an array of the module, all of these must not.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.errors import SourceError
from tangent.runtime.objects import is_object
from tangent.source.cells import cells_of, content_of
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.syntax.captured import bindings, declared, own_functions, own_variables
from tangent.syntax.names import identifiers
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk


def found_by(v: str, function: types.FunctionType) -> Any:
    """What a function finds under a name: what it captured, or what its module holds."""
    cells = cells_of(function)
    return content_of(cells[v]) if v in cells else function.__globals__.get(v)


def mentioned(code: types.CodeType) -> set[str]:
    """The names that a piece of code finds around it, attributes among them, and those of functions inside."""
    inner = [mentioned(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*inner)


def reachable(function: types.FunctionType, tree: ast.FunctionDef | None = None) -> list[types.FunctionType]:
    """The functions of somebody's own that one may come to, without itself; `tree` is what is left of it, if less.

    Where it calls something that it is given, that may be any function of its module.
    """
    found: list[types.FunctionType] = []
    own = tree if tree is not None else read(function).tree
    waiting = [(function, mentioned(function.__code__) if tree is None else _named(tree), _calls_given(own))]
    while waiting:
        f, names, given = waiting.pop()
        for g in (*_by_names(f, names), *_by_attributes(f, names), *(functions_of_module(f) if given else ())):
            if g not in found and g is not function:
                found.append(g)
                waiting.append((g, mentioned(g.__code__), False))
    return found


def _named(tree: ast.FunctionDef) -> set[str]:
    return identifiers(tree) | {n.attr for n in walk(tree) if isinstance(n, ast.Attribute)}


def _calls_given(tree: ast.FunctionDef) -> bool:
    """Whether a function calls what it is given or has found, not only functions that are defined in it."""
    own = own_variables(tree).union(*(own_variables(g) for g in walk(tree) if isinstance(g, ast.FunctionDef)))
    bound = bindings(tree)
    own -= {g.name for g in own_functions(tree) if bound[g.name] == 1}
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in own for n in walk(tree))


def _by_names(f: types.FunctionType, names: set[str]) -> Iterator[types.FunctionType]:
    yield from (g for v in names for g in _functions(found_by(v, f), names))


def _by_attributes(f: types.FunctionType, names: set[str]) -> Iterator[types.FunctionType]:
    """Methods of the classes in a module that have one of some names."""
    for cls in f.__globals__.values():
        if isinstance(cls, type) and not is_library(cls):
            yield from (g for v in names for g in [vars(cls).get(v)] if isinstance(g, types.FunctionType))


def functions_of_module(f: types.FunctionType) -> Iterator[types.FunctionType]:
    """The functions and methods that the module of a function has, and functions of others that it has a name for."""
    yield from (g for x in f.__globals__.values() for g in _functions(x, set()))


def _functions(x: Any, names: set[str]) -> Iterator[types.FunctionType]:
    """The functions behind a name: itself, those of a module under one of some names, the methods of a class."""
    if isinstance(x, types.FunctionType):
        yield from () if is_library(x) else (x,)
    elif isinstance(x, types.ModuleType) and not is_library(x):
        yield from (g for v in names for g in _functions(vars(x).get(v), set()))
    elif is_object(x) or isinstance(x, type):
        cls = x if isinstance(x, type) else type(x)
        methods = () if is_library(cls) else [g for c in cls.__mro__[:-1] for g in vars(c).values()]
        yield from (g for g in methods if isinstance(g, types.FunctionType))


def sees(function: types.FunctionType, x: Any) -> bool:
    """Whether a function finds an array around it, or one of those in a list or dict, or one that shares its memory."""
    arrays = arrays_in(x)
    for v in mentioned(function.__code__):
        found = found_by(v, function)
        if any(np.may_share_memory(p, q) for p in arrays_in(found) for q in arrays):
            return True
        if isinstance(found, types.ModuleType) and any(y is x for y in vars(found).values()):
            return True
    return False


def arrays_in(x: Any, depth: int = 4) -> list[np.ndarray[Any, Any]]:
    """An array, or those that lists, tuples and dicts hold.

    >>> len(arrays_in({"a": np.ones(2), "b": [np.ones(3), 1.0]}))
    2
    """
    if isinstance(x, np.ndarray):
        return [x]
    if not isinstance(x, (list, tuple, dict)) or not depth:
        return []
    return [a for v in (x.values() if isinstance(x, dict) else x) for a in arrays_in(v, depth - 1)]


def reads_around(function: types.FunctionType) -> set[str]:
    """The names that a function reads around it: not those that it only stores into, or calls a method of.

    >>> def log(v):
    ...     LOG.append(v)
    ...     LAST[0] = v
    ...     return FACTOR * v
    >>> log.tree = ast.parse("def log(v): LOG.append(v); LAST[0] = v; return FACTOR * v").body[0]
    >>> reads_around(log)
    {'FACTOR'}
    """
    try:
        tree = read(function).tree
    except SourceError:
        return mentioned(function.__code__)
    written = {id(part) for n in walk(tree) for part in _only_written(n)}
    names = {n.id for n in walk(tree) if isinstance(n, ast.Name) and id(n) not in written}
    return names & (expression_reads(tree) | declared(tree))


def _only_written(n: ast.AST) -> Iterator[ast.AST]:
    match n:
        case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
            yield _base(owner)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):
            yield _base(owner)
        case ast.keyword(arg="out", value=value):
            yield _base(value)


def _base(e: ast.expr) -> ast.expr:
    while isinstance(e, (ast.Subscript, ast.Attribute)):
        e = e.value
    return e
