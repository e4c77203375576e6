"""`with` and `try ... finally` become marks in the block that they stand in.

with np.errstate(divide="ignore"):        Enter(np.errstate(divide="ignore"))
    y = 1 / x                       ->    y = 1 / x
                                          Leave()
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import types
from collections import Counter
from typing import Any

import numpy as np

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.runtime.checkpoint import checkpoint
from tangent.runtime.checks import require_no_numbers, require_no_state, unbroken
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING
from tangent.syntax.blocks import Enter, Leave, Otherwise
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import holds, walk

ENDING = (ast.ExceptHandler, ast.With, ast.Return)  # by which a generator may let no exception through


def contexts(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not holds(f, ast.Try, ast.With):
        return f
    found = [n for n in walk(f) if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)]
    context.reads = Counter(ast.unparse(n) for n in found)
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    s = with_blocks(s, lambda body: _block(body, context))
    match s:
        case ast.With(items=[ast.withitem(context_expr=e, optional_vars=target)], body=body):
            return _with(e, target, body, s, context)
        case ast.Try(body=body, finalbody=[_, *_] as last):
            enter = at(Enter(value=None, target=None, quiet=False), s)
            return [enter, *body, at(Otherwise(), last[0]), *last, at(Leave(), s)]
        case ast.Try(body=body, handlers=[], finalbody=[]):  # nothing is left to do at its end
            return body
        case _:
            return [s]


def _with(e: ast.expr, target: ast.expr | None, body: list[ast.stmt], s: ast.stmt, context: Context) -> list[ast.stmt]:
    manager = context.scope.resolve(e.func) if isinstance(e, ast.Call) else context.scope.resolve(e)
    if manager is contextlib.nullcontext:
        given = e.args[0] if isinstance(e, ast.Call) and e.args else constant(None)
        first = [at(ast.Assign([target], given), s)] if target is not None else []
        return [*first, *body]
    if manager is checkpoint:
        return [at(Enter(value=e, target=None, quiet=False), s), *body, at(Leave(), s)]
    bind: list[ast.stmt] = _checks(e, manager, s, context)
    before: list[ast.stmt] = []
    if not isinstance(e, ast.Call) or _gives_object(manager):
        held = e.id if isinstance(e, ast.Name) else context.names.numbered("manager")
        before = [] if isinstance(e, ast.Name) else [assign(held, e, s)]
        used = _is_used(e, target, context)
        e = name(held)
        check = call(context.use("require_no_state", require_no_state), e, constant(used), *_place(s, context))
        before.append(at(ast.Expr(check), s))
    slot: ast.expr | None = None
    if target is not None:
        entered = context.names.numbered("entered")
        slot = ast.Name(entered, ast.Store())
        bind.append(at(ast.Assign([target], name(entered)), s))
    enter = at(Enter(value=e, target=slot, quiet=manager is np.errstate), s)
    if manager is unbroken or not may_swallow(manager):
        return [*before, enter, *bind, *body, at(Leave(), s)]
    held = context.names.numbered("manager")
    guarded = call(context.use("unbroken", unbroken), name(held), *_place(s, context))
    return [*before, assign(held, e, s), replace(enter, value=guarded), *bind, *body, at(Leave(), s)]


def _place(s: ast.stmt, context: Context) -> list[ast.expr]:
    return [constant(context.source.file), constant(s.lineno), constant(context.source.line(s.lineno).strip())]


def _gives_object(manager: Any) -> bool:
    """Whether a call may give an object of a class that its text does not name."""
    if manager is unbroken or isinstance(manager, type) or (manager is not MISSING and is_library(manager)):
        return False
    return not hasattr(manager, "__wrapped__")  # those of contextlib hold a generator


def _is_used(e: ast.expr, target: ast.expr | None, context: Context) -> bool:
    """Whether a function asks a context manager for something, by a name of it."""
    again = not isinstance(e, ast.Call) and context.reads[ast.unparse(e)] > 1
    return again or (target is not None and context.reads[ast.unparse(target)] > 0)


def _checks(e: ast.expr, manager: Any, s: ast.stmt, context: Context) -> list[ast.stmt]:
    """Stop where a context manager of the user's is given lists, dicts or arrays: it may change them."""
    if not isinstance(e, ast.Call) or (manager is not MISSING and is_library(manager)) or manager is unbroken:
        return []
    given = [a for a in (*e.args, *(k.value for k in e.keywords)) if isinstance(a, ast.Name)]
    local = [a for a in given if context.scope.lookup(a.id) is MISSING]
    check = context.use("require_no_numbers", require_no_numbers) if local else ""
    return [at(ast.Expr(call(check, a, *_place(s, context))), s) for a in local]


def may_swallow(manager: Any) -> bool:
    """Whether a context manager may end a block with an exception and go on after it."""
    if manager is MISSING:
        return True
    if isinstance(manager, types.FunctionType):
        inner = inspect.unwrap(manager)
        catches = isinstance(inner, types.FunctionType) and _mentions(inner, *ENDING)
        return catches or not hasattr(manager, "__wrapped__")
    leave = getattr(manager if isinstance(manager, type) else type(manager), "__exit__", None)
    if not isinstance(leave, types.FunctionType):
        return False  # not written in Python: files, locks
    return _returns_something(leave)


def _mentions(function: types.FunctionType, *kinds: type[ast.AST]) -> bool:
    try:
        return any(isinstance(n, kinds) for n in walk(read(function).tree))
    except TangentError:  # no source to look at
        return True


def _returns_something(function: types.FunctionType) -> bool:
    try:
        tree = read(function).tree
    except TangentError:  # no source to look at
        return True
    found = [n.value for n in walk(tree) if isinstance(n, ast.Return) and n.value is not None]
    return not all(isinstance(e, ast.Constant) and not e.value for e in found)
