"""Variables that only ever are numbers, whatever a function is given: `t += 0.1` binds such a name anew.

t = 0.0
for k in range(n):
    y = y + f(t, p)
    t += 0.1
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator, Set
from typing import Any

from tangent.syntax.inserted import InsertedCode
from tangent.syntax.walk import walk

NUMERIC = (len, int, float, math.sqrt, math.exp, math.log, math.sin, math.cos, math.floor, math.ceil)
CHOOSING = (abs, min, max)
Bound = tuple[str, ast.expr]
Resolve = Callable[[ast.expr], Any]


def numbers_made(f: ast.FunctionDef, resolve: Resolve) -> set[str]:
    """Variables of a function that all that is ever assigned to them shows to be numbers."""
    bound = [b for s in walk(f) for b in _bindings(s, resolve)]
    stored = Counter(n.id for n in walk(f) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    seen = Counter(v for v, _ in bound)
    found = {v for v in seen if stored[v] == seen[v]} - _bound_otherwise(f)
    while True:
        left = found - {v for v, e in bound if not is_number(e, found, resolve)}
        if left == found:
            return found
        found = left


def _bindings(s: ast.AST, resolve: Resolve) -> Iterator[Bound]:
    """The names that a statement binds to what stands there."""
    match s:
        case ast.Assign(targets=targets, value=value):
            for t in targets:
                yield from _paired(t, value)
        case (
            ast.AugAssign(target=ast.Name(id=v), value=value)
            | ast.AnnAssign(target=ast.Name(id=v), value=ast.expr() as value)
        ):
            yield v, value
        case ast.For(target=ast.Name(id=v), iter=ast.Call(func=func)) if resolve(func) is range:
            yield v, ast.Constant(0)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[Bound]:
    match target, value:
        case ast.Name(id=v), _:
            yield v, value
        case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
            for t, e in zip(names, values):
                yield from _paired(t, e)


def _bound_otherwise(f: ast.FunctionDef) -> set[str]:
    """Names that are parameters, or that something else than an assignment binds."""
    found: set[str] = set()
    for n in walk(f):
        match n:
            case ast.alias(asname=str() as v) | ast.alias(name=v) | ast.arg(arg=v):
                found.add(v)
            case ast.FunctionDef(name=v) | ast.ClassDef(name=v) | ast.ExceptHandler(name=str() as v):
                found.add(v)
            case ast.MatchAs(name=str() as v) | ast.MatchStar(name=str() as v) | ast.MatchMapping(rest=str() as v):
                found.add(v)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found |= set(names)
            case InsertedCode():
                found |= set(n.block.binds)
    return found


def is_number(e: ast.expr, known: Set[str], resolve: Resolve) -> bool:
    """Whether an expression over some variables that are numbers is one."""
    match e:
        case ast.Constant(value=value):
            return isinstance(value, (int, float, complex))
        case ast.Name(id=v):
            return v in known
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return is_number(left, known, resolve) and is_number(right, known, resolve)
        case ast.UnaryOp(operand=operand):
            return is_number(operand, known, resolve)
        case ast.Call(func=func, args=args, keywords=[]):
            found = resolve(func)
            if any(found is g for g in NUMERIC):
                return True
            return any(found is g for g in CHOOSING) and all(is_number(a, known, resolve) for a in args)
        case _:
            return False
