"""Rows that are appended to and deleted from a persistent array that one variable holds: it is bound to a new version.

x = PersistentArray(a)          x = PersistentArray(a)
x.append(v)               ->    x = append(x, v)
y = x.pop()                     y = x[-1]; x = shortened(x, 1)
del x[k:]                       x = shortened(x, rows_at(x, slice(k, None)))

Where something else may refer to it (`y = x`, a list, a function that is given it), what it holds is in a memory.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime import persistent
from tangent.runtime.persistent import PersistentArray
from tangent.source.naming import home_of
from tangent.syntax.quote import assign, constant, expression, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import arguments, writes
from tangent.syntax.walk import walk

VERSIONS = (persistent.append, persistent.setitem, persistent.shortened, copy.copy, copy.deepcopy)


def rows_at_end(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    alone = frozenset() if context.memory else _held_alone(f, context)
    if not alone:
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in (_rebinding(s, alone, context) or [with_blocks(s, block)])]

    return replace(f, body=block(f.body))


def _rebinding(s: ast.stmt, alone: frozenset[str], context: Context) -> list[ast.stmt] | None:
    """The statements that stand for one that changes the rows of an array."""

    def function(word: str) -> ast.Name:
        return name(context.use(word, getattr(persistent, word)))

    def local(word: str) -> str:
        context.scope.local.add(fresh := context.names.numbered(word))
        return fresh

    def cut(target: str, v: str, count: ast.expr) -> ast.stmt:
        return assign(target, ast.Call(function("shortened"), [name(v), count], []), s)

    match s:
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=v), slice=index)]) if v in alone:
            gone = local("count")
            asked = ast.Call(function("rows_at"), [name(v), _key(index, context)], [])
            return [assign(gone, asked, s), cut(v, v, name(gone))]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr), args=args, keywords=[])) if (
            v in alone
        ):
            target = ""
        case ast.Assign(
            targets=[ast.Name(id=target)],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr), args=args, keywords=[]),
        ) if v in alone:
            pass
        case _:
            return None
    done: list[ast.stmt]
    match attr, args:
        case "append", [row]:
            done = [assign(v, ast.Call(function("append"), [name(v), row], []), s)]
        case "delete", [count]:
            done = [cut(v, v, count)]
        case "pop", []:
            shorter = local("t")
            last = assign(target or local("t"), expression("x[-1]", x=v), s)
            return [cut(shorter, v, constant(1)), last, assign(v, name(shorter), s)]
        case _:
            return None
    return [*done, assign(target, constant(None), s)] if target else done


def _key(index: ast.expr, context: Context) -> ast.expr:
    if not isinstance(index, ast.Slice):
        return index
    parts = [part or constant(None) for part in (index.lower, index.upper, index.step)]
    return ast.Call(name(context.builtin("slice")), parts, [])


def _held_alone(f: ast.FunctionDef, context: Context) -> frozenset[str]:
    """Variables that are persistent arrays made here, to which nothing else refers."""
    body = list(statements(f.body))
    found = {v for s in body if _is_array(s, set(), context) for v in writes(s)}
    found -= {v for s in body for v in _handed_on(s, context)} | {a.arg for a in arguments(f.args)}
    while wrong := {v for s in body if not _is_array(s, found, context) for v in writes(s) if v in found}:
        found -= wrong
    return frozenset(found)


def _is_array(s: ast.stmt, known: set[str], context: Context) -> bool:
    """Whether a statement gives a persistent array, or what it is after `x += v`, where some variables are such."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func, args=[ast.Name(id=v), *_])) if (
            context.scope.resolve(func) in VERSIONS
        ):
            return v in known
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="copy"))):
            return v in known
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func)):
            return context.scope.resolve(func) is PersistentArray
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.BinOp(left=ast.Name(id=left))):
            return v == left and v in known and (s.lineno, s.col_offset) in context.augmented
        case ast.AugAssign(target=ast.Name(id=v)):
            return v in known
        case _:
            return False


def _handed_on(s: ast.stmt, context: Context) -> Iterator[str]:
    """The variables to which something else refers after a statement, too."""
    match s:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            yield from _referred(value, context)
        case ast.FunctionDef() | ast.ClassDef():
            yield from (n.id for n in walk(s) if isinstance(n, ast.Name))


def _referred(e: ast.AST, context: Context) -> Iterator[str]:
    """The variables that an expression gives, or puts into what it gives, or lets a function see."""
    match e:
        case ast.Name(id=v):
            yield v
        case ast.Call(func=func) if _only_reads(context.scope.resolve(func), e):
            pass
        case ast.Call(args=args, keywords=keywords):
            for a in (*args, *(k.value for k in keywords)):
                yield from _referred(a, context)
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            for part in ast.iter_child_nodes(e):
                yield from _referred(part, context)
        case ast.Subscript() | ast.Attribute() | ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Starred():
            pass
        case _:
            yield from (n.id for n in walk(e) if isinstance(n, ast.Name))


def _only_reads(function: Any, e: ast.Call) -> bool:
    """Whether a function keeps nothing of what it is given, nor gives it back."""
    if isinstance(function, np.ufunc):
        return len(e.args) <= function.nin and not any(k.arg == "out" for k in e.keywords)
    known = function in (len, sum, PersistentArray, *VERSIONS)
    return known or (home_of(function).split(".")[0] == "numpy" and not e.keywords)
