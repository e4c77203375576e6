"""Arithmetic that gives the same in every iteration is done before the loop.

for _ in range(n):                     t = 0.5 * dt
    k = f(y)                           for _ in range(n):
    y = y + 0.5 * dt * k        ->         k = f(y)
                                           y = y + t * k

A loop may have no iterations: only what cannot fail is done before it, and nothing that stands in a branch, nor what
reads a variable that another loop or a branch alone has given a value.
"""

from __future__ import annotations

import ast
import math

import numpy as np

from tangent.optimise.alike import is_fixed
from tangent.optimise.context import Body
from tangent.optimise.shaped.computed import Values, text, times, with_name
from tangent.optimise.shaped.kinds import Number
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk

Loop = ast.For | ast.While
QUIET = (ast.Add, ast.Sub, ast.Mult)
FUNCTIONS = (np.exp, np.sin, np.cos, np.tanh, np.arctan, np.abs)


def invariant(body: Body, known: Values) -> Body:
    return _block(body, known, frozenset(known.parameters))


def _block(body: Body, known: Values, bound: frozenset[str]) -> Body:
    """Statements that begin where some variables have values for sure."""
    done: Body = []
    for s in body:
        match s:
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other) if type(s) is ast.If:
                done.append(replace(s, body=_block(then, known, bound), orelse=_block(other, known, bound)))
            case ast.For() | ast.While():
                s, before = _without(s, known, bound)
                bound |= _given(before)
                done += [*before, replace(s, body=_block(s.body, known, bound | set(writes(s))))]
            case _:
                done.append(s)
        bound |= _given([s])
    return done


def _given(body: Body) -> frozenset[str]:
    """The variables that have values after some statements, whatever happens."""
    found: set[str] = set()
    for s in body:
        if isinstance(s, ast.If):
            found |= _given(s.body) & _given(s.orelse)
        elif not isinstance(s, (ast.For, ast.While)):
            found |= set(writes(s))
    return frozenset(found)


def _without(loop: Loop, known: Values, bound: frozenset[str]) -> tuple[Loop, Body]:
    """A loop without what is the same in every iteration, and the statements that compute that."""
    loop, before = _moved(loop, known, bound)
    changed = _changed(loop, known, bound | _given(before))
    while (e := _largest(loop, changed, known)) is not None:
        v = known.names.numbered("t")
        before.append(assign(v, e, loop))
        loop = replace(loop, body=_with_name(loop.body, e, v, known))
    return loop, before


def _changed(loop: Loop, known: Values, bound: frozenset[str]) -> set[str]:
    """Variables that a loop assigns, or that have no value before it for sure."""
    return {v for s in statements([loop]) for v in writes(s)} | (known.local - bound)


def _moved(loop: Loop, known: Values, bound: frozenset[str]) -> tuple[Loop, Body]:
    """A loop without the assignments that do the same in every iteration, also of loops inside it, and these."""
    before: Body = []
    changed = _changed(loop, known, bound)
    while (s := next((s for s in _always(loop.body) if _is_steady(s, changed, known)), None)) is not None:
        before.append(s)
        changed -= set(writes(s))
        loop = replace(loop, body=exchanged(loop.body, {s: None}) or [ast.Pass()])
    return loop, before


def _is_steady(s: ast.stmt, changed: set[str], known: Values) -> bool:
    match s:
        case ast.Assign(
            targets=[ast.Name(id=v)], value=ast.BinOp() | ast.UnaryOp() | ast.Call() | ast.Subscript() as e
        ):
            bound = [x for x in statements(known.body) if v in writes(x) and not _is_nothing(x)]
            alone = len(bound) == 1 and v not in known.parameters
            steady = known.is_plain(e) and not expression_reads(e) & changed
            return steady and alone and known.is_free(v) and known.is_value(e) and _is_sure(e, known)
        case _:
            return False


def _is_nothing(s: ast.stmt) -> bool:
    """Whether a statement only says that a variable has no value yet."""
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None


def _largest(loop: Loop, changed: set[str], known: Values) -> ast.expr | None:
    steady = [
        e
        for s in _always(loop.body)
        for e in known.operands(s)
        if not expression_reads(e) & changed and _is_quiet(e, known) and _is_counted(s, e, known)
    ]
    return max(steady, key=lambda e: len(walk(e)), default=None)


def _always(body: Body) -> Body:
    """The statements that an iteration goes through, those of loops inside it too."""
    found: Body = []
    for s in body:
        found.append(s)
        if isinstance(s, (ast.For, ast.While)):
            found += _always(s.body)
    return found


def _is_counted(s: ast.stmt, e: ast.expr, known: Values) -> bool:
    return sum(text(x) == text(e) for x in known.operands(s)) == times(s, e)


def _is_quiet(e: ast.expr, known: Values) -> bool:
    """Whether an expression of real numbers cannot fail."""
    kind = known.of(e)
    if not isinstance(kind, Number) or not kind.real:
        return False
    match e:
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | float() as by)):
            return by != 0 and _is_sure(left, known)
        case ast.BinOp(left=ast.Constant(value=int() | float() as x), op=ast.Pow(), right=ast.Constant(value=int(n))):
            return x != 0 and abs(n * math.log(abs(x))) < 600.0
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, QUIET) and _is_sure(left, known) and _is_sure(right, known)
        case ast.UnaryOp(operand=inner):
            return _is_sure(inner, known)
        case ast.Call(func=func, args=[inner], keywords=[]):
            return known.resolve(func) in FUNCTIONS and _is_sure(inner, known)
        case _:
            return False


def _is_sure(e: ast.expr, known: Values) -> bool:
    match e:
        case ast.Constant() | ast.Name():
            return known.is_value(e)
        case ast.Attribute() if is_fixed(e, known.resolve):
            return True
        case ast.Attribute(value=ast.Name() as inner, attr="T"):
            return known.is_value(inner)
        case ast.Subscript(value=ast.Name() as inner, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return known.is_value(e) and known.is_value(inner) and all(map(_is_constant, parts))
        case _:
            return _is_quiet(e, known)


def _is_constant(p: ast.expr) -> bool:
    """Whether a part of an index is a section between fixed ends, which any array has."""
    ends = (p.lower, p.upper, p.step) if isinstance(p, ast.Slice) else (p,)
    plain = [x.operand if isinstance(x, ast.UnaryOp) else x for x in ends if x is not None]
    fixed = all(isinstance(x, ast.Constant) for x in plain)
    return fixed and (isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value is None))


def _with_name(body: Body, e: ast.expr, v: str, known: Values) -> Body:
    done: Body = []
    for s in body:
        if times(s, e) and _is_counted(s, e, known):
            s = with_name(s, e, v)
        match s:
            case ast.If(body=[ast.Break()]):
                pass
            case ast.If(body=then, orelse=other) if type(s) is ast.If:
                s = replace(s, body=_with_name(then, e, v, known), orelse=_with_name(other, e, v, known))
            case ast.For(body=inner) | ast.While(body=inner):
                s = replace(s, body=_with_name(inner, e, v, known))
        done.append(s)
    return done
