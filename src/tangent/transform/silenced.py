"""Functions that are run again print nothing: what they print was printed the first time.

print("step", i)
y = y * x                  ->     y = y * x

Functions that are called as they are, since no derivative flows through them, are replaced by such without a voice.
"""

from __future__ import annotations

import ast
import io
import logging
import types
import warnings
from dataclasses import replace

import numpy as np

from tangent.errors import SourceError
from tangent.source.cells import cells_of
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import Scope
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, with_blocks
from tangent.syntax.rebuild import replace as rebuilt
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

LEVELS = "debug info warning error exception critical log".split()
TELLING = frozenset([print, warnings.warn, *(getattr(logging, level) for level in LEVELS)])
METHODS = {logging.Logger: LEVELS, logging.LoggerAdapter: LEVELS, io.IOBase: ("write", "writelines", "flush")}
COMPUTING = (len, str, repr, format, round, abs, min, max, sum, float, int, np.sum, np.mean, np.linalg.norm)
EFFECTS = (ast.Call, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def silenced(this: Unit) -> Unit:
    """The function without the calls that only tell something."""
    operations = dict(this.operations)
    read = {n.id for n in walk(this.core) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body if not tells(s)] or [ast.copy_location(ast.Pass(), body[0])]

    def statement(s: ast.stmt) -> ast.stmt:
        new = quietly(with_blocks(s, block))
        if new is not s and s in operations:
            operations[new] = operations[s]
        return new

    def quietly(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(value=ast.Call(func=func) as e) if s in operations and operations[s].kind == "call":
                found = this.context.scope.resolve(func)
                quiet = _quiet(found) if isinstance(found, types.FunctionType) else None
                return s if quiet is None else rebuilt(s, value=rebuilt(e, func=name(this.context.use("quiet", quiet))))
            case _:
                return s

    def tells(s: ast.stmt) -> bool:
        match s:
            case ast.Expr(value=ast.Call(func=func)):
                return _is_telling(func, this.context.scope)
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if v not in read:
                return _is_telling(func, this.context.scope) or _only_tells(this.context.scope.resolve(func))
            case _:
                return False

    core = rebuilt(this.core, body=block(this.core.body))
    return replace(this, core=core, operations=operations)


def _quiet(function: types.FunctionType, outer: tuple[types.FunctionType, ...] = ()) -> types.FunctionType | None:
    """The function without what it prints, itself or by functions it names; None where it prints nothing."""
    if is_library(function) or function in outer:
        return None
    try:
        source = read(function)
    except SourceError:
        return None
    scope = Scope(function, assigned_inside(source.tree.body) | {a.arg for a in arguments(source.tree.args)})
    names, cells = Names(identifiers(source.tree)), cells_of(function)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        kept = [s for s in body if not (isinstance(s, ast.Expr) and _is_told_alone(s.value, scope))]
        return [with_blocks(s, block) for s in kept] or [ast.copy_location(ast.Pass(), body[0])]

    def quieter(e: ast.expr) -> ast.expr:
        found = scope.resolve(e.func) if isinstance(e, ast.Call) else None
        inner = _quiet(found, (*outer, function)) if isinstance(found, types.FunctionType) else None
        if inner is None:
            return e
        assert isinstance(e, ast.Call)
        cells[chosen := names.fresh("quiet")] = types.CellType(inner)
        return rebuilt(e, func=name(chosen))

    tree = rebuild(rebuilt(source.tree, body=block(source.tree.body)), quieter)
    return None if ast.dump(tree) == ast.dump(source.tree) else stub(function, tree, cells, source.file)


def _is_told_alone(e: ast.expr, scope: Scope) -> bool:
    return isinstance(e, ast.Call) and _is_telling(e.func, scope)


def _only_tells(found: object) -> bool:
    """Whether a function of the user's is nothing but calls that tell, of what is read and computed."""
    if not isinstance(found, types.FunctionType) or is_library(found):
        return False
    try:
        tree = read(found).tree
    except SourceError:
        return False
    scope = Scope(found, {a.arg for a in arguments(tree.args)})
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    return all(isinstance(s, ast.Expr) and _is_told(s.value, scope) for s in body)


def _is_told(e: ast.expr, scope: Scope) -> bool:
    match e:
        case ast.Call(func=func, args=args, keywords=keywords) if _is_telling(func, scope):
            given = [n for x in (*args, *keywords) for n in walk(x)]
            return all(not isinstance(n, EFFECTS) or _computes(n, scope) for n in given)
        case _:
            return False


def _computes(e: ast.AST, scope: Scope) -> bool:
    found = scope.resolve(e.func) if isinstance(e, ast.Call) else None
    return isinstance(found, np.ufunc) or any(found is f for f in COMPUTING)


def _is_telling(func: ast.expr, scope: Scope) -> bool:
    """Whether something that is called prints or logs: a function, or a method of a logger or of a stream."""
    match func:
        case ast.Attribute(value=owner, attr=attr):
            kind = type(scope.resolve(owner))
            if any(issubclass(kind, cls) and attr in methods for cls, methods in METHODS.items()):
                return True
    try:
        return scope.resolve(func) in TELLING
    except TypeError:  # what cannot be hashed is no such function
        return False
