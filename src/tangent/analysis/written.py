"""Whether a function writes in place into arrays that somebody else holds: objects, lists, its callers."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Set
from typing import Any

import numpy as np

from tangent.runtime.places import is_view_function
from tangent.source.naming import home_of, is_library
from tangent.source.numbers import numbers_made
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import children, walk

OF_ARRAYS = frozenset("flat T real imag".split())
FILLING = frozenset("fill sort put partition".split())
NUMPY_FILLING = (np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal)
COMPUTING = (abs, bool, complex, divmod, float, int, len, pow, range, round, str, sum)
HANDING_ON = frozenset("collections copy functools heapq itertools operator random".split())


def writes_arrays(tree: ast.FunctionDef, scope: Scope, own: Set[str], displays: Set[str]) -> bool:
    """Whether a statement of a function may write into such an array; a list or dict made here is none."""
    reads, values = _reads(tree), _values(tree)
    displays = _made_of(values, displays)
    local = assigned_inside(tree.body) - own
    numbers = numbers_made(tree, scope.resolve)
    kept = {
        v
        for v in local - displays - numbers
        if _escapes(reads.get(v, []), scope) or not _is_new(values.get(v, []), scope)
    }
    mine = local - kept
    given = own | {a.arg for a in walk(tree) if isinstance(a, ast.arg)}  # also to functions inside

    def is_held(e: ast.expr) -> bool:
        """Whether what is written into may be held by somebody else."""
        inside = False
        while isinstance(e, (ast.Subscript, ast.Attribute)):
            inside |= isinstance(e, ast.Attribute) and e.attr not in OF_ARRAYS
            inside |= isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name) and e.value.id in displays
            e = e.value
        return inside or not isinstance(e, ast.Name) or e.id not in mine

    for n in walk(tree):
        match n:
            case ast.AugAssign(target=ast.Attribute()):
                return True
            case ast.AugAssign(target=ast.Name(id=v)) if v in given | kept:
                return True
            case ast.AugAssign(target=ast.Subscript(value=base)) if is_held(base) or _base_in(base, displays):
                return True
            case ast.Subscript(value=base, ctx=ast.Store()) if is_held(base) and not _is_text(n.slice):
                return True
            case ast.Call(func=ast.Attribute(value=base, attr=attr)) if attr in FILLING and is_held(base):
                return True
            case ast.keyword(arg="out", value=value) if is_held(value):
                return True
            case ast.Call(func=func, args=[first, *_]) if is_held(first) and _fills_first(scope.resolve(func)):
                return True
    return False


def _made_of(values: dict[str, list[ast.expr]], displays: Set[str]) -> Set[str]:
    """Lists, and those that are made of them and hold the same items: `xs * 2`, `xs + ys`, `xs[1:]`."""
    found = set(displays)
    while new := {v for v, given in values.items() if any(_holds_items(e, found) for e in given)} - found:
        found |= new
    return found


def _holds_items(e: ast.expr, lists: Set[str]) -> bool:
    match e:
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return any(_base_in(side, lists) or isinstance(side, ast.List) for side in (left, right))
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _base_in(value, lists)
        case _:
            return False


def _reads(tree: ast.FunctionDef) -> dict[str, list[tuple[ast.Name, ast.AST]]]:
    """Where each variable is read, and what stands around it there."""
    found: dict[str, list[tuple[ast.Name, ast.AST]]] = {}
    for around in walk(tree):
        for n in children(around):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                found.setdefault(n.id, []).append((n, around))
    return found


def _values(tree: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """What each variable is assigned."""
    found: dict[str, list[ast.expr]] = {}
    for s in walk(tree):
        if isinstance(s, ast.Assign):
            for t in s.targets:
                if isinstance(t, ast.Name):
                    found.setdefault(t.id, []).append(s.value)
    return found


def _is_new(values: list[ast.expr], scope: Scope) -> bool:
    """Whether all that a variable is ever assigned was made there."""
    return bool(values) and all(_makes(e, scope) for e in values)


def _makes(e: ast.expr, scope: Scope) -> bool:
    match e:
        case ast.BinOp() | ast.Constant() | ast.UnaryOp() | ast.Compare():
            return True
        case ast.Call(func=ast.Attribute(attr="copy" | "astype")):
            return True
        case ast.Call(func=func):
            found = scope.resolve(func)
            return found is not MISSING and _computes(found) and not is_view_function(found)
        case _:
            return False


def _fills_first(function: Any) -> bool:
    """Whether a function of NumPy writes into its first argument: `np.copyto` and its like, and `np.add.at`."""
    owner = getattr(function, "__self__", None)
    return any(function is f for f in NUMPY_FILLING) or (isinstance(owner, np.ufunc) and function.__name__ == "at")


def _computes(function: Any) -> bool:
    """Whether a function of a library gives what it has computed; others, as `next` and `max`, what they were given."""
    if function is object.__getattribute__:
        return False
    if getattr(builtins, getattr(function, "__name__", ""), None) is function:
        return any(function is f for f in COMPUTING)
    return is_library(function) and home_of(function).partition(".")[0] not in HANDING_ON


def _base_in(e: ast.expr, displays: Set[str]) -> bool:
    return isinstance(e, ast.Name) and e.id in displays


def _is_text(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and isinstance(e.value, str)


def _escapes(reads: list[tuple[ast.Name, ast.AST]], scope: Scope) -> bool:
    """Whether a variable is stored, passed on or returned."""
    for n, around in reads:
        match around:
            case ast.Assign(value=value) if value is n:
                return True
            case ast.List() | ast.Tuple() | ast.Dict() | ast.keyword() | ast.Starred():
                return True
            case ast.Call(func=func) if func is not n:
                found = scope.resolve(func)
                if found is MISSING or not is_library(found):
                    return True
    return False
