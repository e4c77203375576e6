"""Statements as Numba can type them: empty lists and dicts get their types by what first goes into them.

kept = []                               kept = []
for i in range(n):                 ->   if len(kept) < 0:
    kept = [*kept, s]                       kept.append(s)
                                        for i in range(n):
                                            kept = [*kept, s]

bd[k] = bd.get(k, 0.0) + v         ->   if k in bd:
                                            bd[k] = bd[k] + v
                                        else:
                                            bd[k] = 0.0 + v

if isinstance(a, np.ndarray):      ->   a = set_back(a, a_stack.pop())
    a[...] = a_stack.pop()
else:
    a = a_stack.pop()
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.backends.numba.functions import fill_array, set_back
from tangent.runtime import add_grad, refilled
from tangent.syntax.quote import at, expression, name, quote
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, writes

Resolve = Callable[[ast.expr], Any]


def typed_statements(tree: ast.FunctionDef, resolve: Resolve, extra: dict[str, Any]) -> ast.FunctionDef:
    """The function with what tells Numba its types; `extra` receives the names that it uses in addition."""
    grown = _grown(tree.body)
    known = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    local = {v for s in statements(tree.body) for v in writes(s)}
    known |= {v for e in grown.values() for v in expression_reads(e) if v not in local}  # functions
    return replace(tree, body=_typed(tree.body, resolve, grown, known, extra))


def _typed(
    body: list[ast.stmt], resolve: Resolve, grown: dict[str, ast.expr], known: set[str], extra: dict[str, Any]
) -> list[ast.stmt]:
    """A block; `known` are the names that are set before, in the order of the text."""
    done: list[ast.stmt] = []
    empty: dict[str, ast.stmt] = {}
    for s in body:
        for v in [v for v in empty if v in _grown([s])]:
            made = empty.pop(v)
            if expression_reads(grown[v]) <= known:
                done.append(_at(made, quote("if len(v) < 0:\n    v.append(e)", v=v, e=grown[v])))
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])) if v in grown:
                done.append(s)
                empty[v] = s
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=b), slice=k)], value=value) if part := _added(
                value, b, k, resolve
            ):
                first, more = part
                text = "if k in b:\n    b[k] = b[k] + more\nelse:\n    b[k] = first"
                done.append(_at(s, quote(text, b=b, k=k, more=more, first=first)))
            case ast.If() if (back := _put_back(s, resolve)) is not None:
                extra |= {"set_back": set_back, "fill_array": fill_array}
                done.append(_at(s, back))
            case ast.If(body=then, orelse=other):
                inside = _typed(then, resolve, grown, known, extra)
                done.append(replace(s, body=inside, orelse=_typed(other, resolve, grown, known, extra)))
            case ast.For(body=inner) | ast.While(body=inner):
                known |= set(writes(s))
                done.append(replace(s, body=_typed(inner, resolve, grown, known, extra)))
            case _:
                done.append(s)
        known |= set(writes(s))
    return done


def _at(s: ast.stmt, made: ast.stmt) -> ast.stmt:
    """A new statement, and those in it, at the line of the one that they belong to."""
    for new in statements([made]):
        at(new, s)
    return made


def _grown(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """By list that is made anew with one item more, that item."""
    found: dict[str, ast.expr] = {}
    for s in statements(body):
        match s:
            case ast.Assign(value=ast.List(elts=[ast.Starred(value=ast.Name(id=v)), item])):
                found.setdefault(v, item)
    return found


def _added(e: ast.expr, b: str, k: ast.expr, resolve: Resolve) -> tuple[ast.expr, ast.expr] | None:
    """The item of a dict under a key that it lacks, and what is added where it has one."""
    if any(isinstance(part, ast.Call) for part in ast.walk(k)):
        return None
    match e:
        case ast.BinOp(left=found, op=ast.Add(), right=part) if _same(found, "b.get(k, 0.0)", b, k):
            return expression("0.0 + v", v=part), part  # a float also where the part is an integer
        case ast.Call(func=func, args=[found, part]) if resolve(func) is add_grad and _same(found, "b.get(k)", b, k):
            return part, part
        case _:
            return None


def _same(e: ast.expr, text: str, b: str, k: ast.expr) -> bool:
    return ast.dump(e) == ast.dump(expression(text, b=name(b), k=k))


def _put_back(s: ast.If, resolve: Resolve) -> ast.stmt | None:
    """One statement for what is put back into an array, or in the place of a number: Numba types both branches."""
    match s:
        case ast.If(
            test=ast.Call(func=func, args=[ast.Name(id=a), cls]),
            body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=b), slice=index)], value=kept)],
            orelse=other,
        ) if a == b and _is_all(index) and resolve(func) is isinstance and resolve(cls) is np.ndarray:
            return _of_both(a, kept, other, resolve)
        case _:
            return None


def _of_both(a: str, kept: ast.expr, other: list[ast.stmt], resolve: Resolve) -> ast.stmt | None:
    """For an array that is filled with `kept`, and what is done else."""
    match other:
        case []:
            return quote("fill_array(a, kept)", a=a, kept=kept)
        case [ast.Assign(targets=[ast.Name(id=b)], value=value)] if a == b:
            again = isinstance(value, ast.Call) and resolve(value.func) is refilled
            same = expression("f(a, kept)", f=value.func, a=a, kept=kept) if isinstance(value, ast.Call) else kept
            found = same if again else kept
            return quote("a = set_back(a, kept)", a=a, kept=kept) if ast.dump(value) == ast.dump(found) else None
        case _:
            return None


def _is_all(index: ast.expr) -> bool:
    match index:
        case ast.Constant(value=value):
            return value is Ellipsis
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case _:
            return False
