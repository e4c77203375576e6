"""One list for each name that only keeps records: made once, at the top, so that it has one type.

if c:                             h_stack = []
    h_stack = []                  if c:
    ...                    ->         ...
else:                             else:
    h_stack = []                      ...
    ...

What goes onto such a list is taken off again before it is made anew, so it is empty then anyway.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tangent.syntax.quote import assign
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, header_reads, writes


def plain_lists(body: list[ast.stmt], is_beside: Callable[[ast.expr], bool]) -> list[ast.stmt]:
    """`dh_stack = beside(h_stack, [])` is an empty list."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[ast.Name(), ast.List(elts=[]) as empty]) if is_beside(func):
                return empty
            case _:
                return e

    return [rebuild(s, change) for s in body]


def lists(body: list[ast.stmt]) -> list[ast.stmt]:
    moved = _moved(body)
    if not moved:
        return body

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])) if v in moved:
                    continue
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then) or [ast.Pass()], orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner) or [ast.Pass()]))
                case _:
                    done.append(s)
        return done

    doc = 1 if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else 0
    made: list[ast.stmt] = [assign(v, ast.List([], ast.Load())) for v in moved]
    return [*body[:doc], *made, *block(body[doc:])]


def _moved(body: list[ast.stmt]) -> list[str]:
    """Names that are only ever empty lists, pushed to and popped from, and are made inside a block or twice."""
    made: dict[str, int] = {}
    inside: set[str] = set()
    other: set[str] = set()
    changed: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
                made[v] = made.get(v, 0) + 1
                if s not in body:
                    inside.add(v)
            case _ if v := pushed(s):
                changed.add(v)
                assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
                other |= expression_reads(s.value.args[0])
            case _ if v := popped(s):
                changed.add(v)
                other |= set(writes(s))
            case _:
                other |= header_reads(s) | set(writes(s))
    return [v for v, times in made.items() if v in changed and v not in other and (times > 1 or v in inside)]
