"""Lengths of arguments that loops require to be the same are compared once, and known by one name.

for t in range(n):                              require_same(a.shape[0], b.shape[0])
    require_same(a.shape[0], b.shape[0])        for t in range(n):
    for i0 in range(a.shape[0]):         ->         for i0 in range(a.shape[0]):
        a2[i0] += b[i0]                                 a2[i0] += b[i0]
    for i0 in range(b.shape[0]):                    for i0 in range(a.shape[0]):
        c[i0] = b[i0]                                   c[i0] = b[i0]

Where they differ, and the loop is not run, another version is made without need: nothing else comes of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tangent.optimise.typed.affine import Sum, added, linear, scaled
from tangent.optimise.typed.fuse import as_lowered, is_nest
from tangent.syntax.quote import at, call, expression
from tangent.syntax.rebuild import rebuild, replace


def agreed(body: list[ast.stmt], parameters: frozenset[str]) -> list[ast.stmt]:
    """`parameters`: those that keep what they stand for."""
    same: dict[str, str] = {}
    first: list[ast.stmt] = []
    for s, a, b in _required(body, parameters):
        a, b = _root(a, same), _root(b, same)
        if a != b:
            same[b] = a
            first.append(at(ast.Expr(call("require_same", expression(a), expression(b))), s))
    if not same:
        return body

    def change(e: ast.expr) -> ast.expr:
        known = ast.unparse(e) if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Attribute) else ""
        return expression(_root(known, same)) if known in same else e

    return [*first, *_changed(body, change, parameters)]


def _root(v: str, same: dict[str, str]) -> str:
    while v in same:
        v = same[v]
    return v


def _required(body: list[ast.stmt], parameters: frozenset[str]) -> Iterator[tuple[ast.stmt, str, str]]:
    """The pairs of lengths that must agree, where no condition stands before."""
    for s in body:
        match s:
            case ast.For(body=inner):
                yield from _required(inner, parameters)
            case _ if (found := _difference(s, parameters)) and sorted(found.values()) == [-1, 1]:
                a, b = (next(v for v, k in found.items() if k == sign) for sign in (1, -1))
                if a and b:
                    yield s, a, b


def _difference(s: ast.stmt, parameters: frozenset[str]) -> Sum | None:
    """By how much the two sides of a check differ, in terms of the lengths of parameters."""

    def length(v: str) -> str | None:
        name, _, axis = v.partition(".shape")
        return v if axis and name in parameters else None

    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require_same"), args=[a, b])):
            return added(linear(a, length), scaled(linear(b, length), -1))
        case _:
            return None


def _changed(
    body: list[ast.stmt], change: Callable[[ast.expr], ast.expr], parameters: frozenset[str]
) -> list[ast.stmt]:
    """With other lengths, and without checks of what is the same then."""
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.If(test=test, body=then, orelse=other):
                inner = _changed(then, change, parameters) or [ast.Pass()]
                rest = _changed(other, change, parameters)
                done.append(replace(s, test=rebuild(test, change), body=inner, orelse=rest))
            case ast.For(iter=numbers, body=inside):
                new = replace(
                    s, iter=rebuild(numbers, change), body=_changed(inside, change, parameters) or [ast.Pass()]
                )
                done.append(as_lowered(new) if is_nest(s) else new)
            case ast.While(test=test, body=inside):
                inner = _changed(inside, change, parameters) or [ast.Pass()]
                done.append(replace(s, test=rebuild(test, change), body=inner))
            case _ if _difference(other_text := rebuild(s, change), parameters) != {}:
                done.append(other_text)
    return done
