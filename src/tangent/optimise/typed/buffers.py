"""Temporary arrays of loops, allocated once, before the loop.

for _ in range(steps):                t = np.empty(a.shape[0] - 2)
    t = np.empty(a.shape[0] - 2)  ->  for _ in range(steps):
    ...                                   ...
"""

from __future__ import annotations

import ast

from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads


def buffers(body: list[ast.stmt], temporaries: frozenset[str], lasting: frozenset[str]) -> list[ast.stmt]:
    """`temporaries`: arrays that nothing holds on to; `lasting`: names that keep their value."""
    done: list[ast.stmt] = []
    for s in body:
        if isinstance(s, ast.For | ast.While) and not getattr(s, "lowered", False):
            found: dict[str, list[ast.stmt]] = {}
            for x in statements(s.body):
                if (v := _allocated(x)) in temporaries:
                    found.setdefault(v, []).append(x)
            moved = [xs[0] for xs in found.values() if len(xs) == 1 and _reads(xs[0]) <= lasting]
            done += moved
            s = _without(s, set(moved)) if moved else s
        done.append(s)
    return done


def _allocated(s: ast.stmt) -> str:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(attr="empty"))):
            return v
        case _:
            return ""


def _reads(s: ast.stmt) -> set[str]:
    assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
    return set().union(*(expression_reads(a) for a in s.value.args))


def _without(s: ast.stmt, gone: set[ast.stmt]) -> ast.stmt:
    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        return [_without(x, gone) for x in stmts if x not in gone]

    match s:
        case ast.If(body=then, orelse=other):
            return replace(s, body=block(then) or [ast.Pass()], orelse=block(other))
        case ast.For(body=inner) | ast.While(body=inner):
            new = replace(s, body=block(inner) or [ast.Pass()])
            if getattr(s, "lowered", False):
                new.lowered = True  # type: ignore[union-attr]
            return new
        case _:
            return s
