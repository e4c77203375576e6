"""Statements as Numba can type them: empty lists and dicts get their types by what first goes into them.

kept = []                               kept = []
...                                     if len(kept):
                                            kept.append(s)
kept = [*kept, s]                  ->   ...

bd[k] = bd.get(k, 0.0) + v         ->   if k in bd:
                                            bd[k] = bd[k] + v
                                        else:
                                            bd[k] = v

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

from tangent.backends.numba.functions import set_back
from tangent.runtime import add_grad
from tangent.syntax.quote import at, expression, name, quote
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, writes

Resolve = Callable[[ast.expr], Any]


def typed_statements(tree: ast.FunctionDef, resolve: Resolve, extra: dict[str, Any]) -> ast.FunctionDef:
    """The function with what tells Numba its types; `extra` receives the names that it uses in addition."""
    grown = _grown(tree.body)
    known = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    return replace(tree, body=_typed(tree.body, resolve, grown, known, extra))


def _typed(
    body: list[ast.stmt], resolve: Resolve, grown: dict[str, ast.expr], known: set[str], extra: dict[str, Any]
) -> list[ast.stmt]:
    """A block; `known` are the names that are set before, in the order of the text."""
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])) if v in grown:
                done.append(s)
                if expression_reads(grown[v]) <= known:
                    done.append(_at(s, quote("if len(v):\n    v.append(e)", v=v, e=grown[v])))
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=b), slice=k)], value=value) if part := _added(
                value, b, k, resolve
            ):
                text = "if k in b:\n    b[k] = b[k] + v\nelse:\n    b[k] = v"
                done.append(_at(s, quote(text, b=b, k=k, v=part)))
            case ast.If(test=test) if (kept := _put_back(s, resolve)) is not None:
                assert isinstance(test, ast.Call)
                extra["set_back"] = set_back
                done.append(_at(s, quote("a = set_back(a, kept)", a=ast.unparse(test.args[0]), kept=kept)))
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


def _added(e: ast.expr, b: str, k: ast.expr, resolve: Resolve) -> ast.expr | None:
    """What is added to the item of a dict under a key that it may lack."""
    match e:
        case ast.BinOp(left=found, op=ast.Add(), right=part) if _same(found, "b.get(k, 0.0)", b, k):
            return part
        case ast.Call(func=func, args=[found, part]) if resolve(func) is add_grad and _same(found, "b.get(k)", b, k):
            return part
        case _:
            return None


def _same(e: ast.expr, text: str, b: str, k: ast.expr) -> bool:
    return ast.dump(e) == ast.dump(expression(text, b=name(b), k=k))


def _put_back(s: ast.If, resolve: Resolve) -> ast.expr | None:
    """What is put back into an array, or in the place of a number: Numba types both branches."""
    match s:
        case ast.If(
            test=ast.Call(func=func, args=[ast.Name(id=a), cls]),
            body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=b), slice=ast.Constant())], value=into)],
            orelse=[ast.Assign(targets=[ast.Name(id=c)], value=kept)],
        ) if a == b == c and resolve(func) is isinstance and resolve(cls) is np.ndarray:
            return kept if ast.dump(into) == ast.dump(kept) else None
        case _:
            return None
