"""Temporary arrays of loops, allocated once, before the loop; products that are always the same, too.

for _ in range(steps):                t = np.empty(a.shape[0])
    t = np.empty(a.shape[0])    ->    u = w @ x
    u = w @ x                         for _ in range(steps):
    ...                                   ...
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.optimise.typed.order import live_after
from tangent.optimise.typed.records import READERS
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes


def buffers(
    body: list[ast.stmt], temporaries: frozenset[str], lasting: frozenset[str], own: frozenset[str]
) -> list[ast.stmt]:
    """`temporaries`: arrays that nothing holds on to; `lasting`: names that keep their value; `own`: with one name."""
    written = {v for s in statements(body) for v in (*_stored(s), *_augmented(s))}
    constant = lasting - written
    times = Counter(v for s in statements(body) for v in writes(s) if not isinstance(s, ast.AugAssign))
    after = live_after(body, frozenset())

    def alone(loop: ast.For | ast.While, v: str, made: ast.stmt) -> bool:
        """Whether nothing that comes into the loop, or passes by it, has the name."""
        return times[v] == 1 or (v not in after[loop] and _first(loop, v) is made)

    done: list[ast.stmt] = []
    for s in body:
        if isinstance(s, (ast.For, ast.While)) and not getattr(s, "lowered", False):
            found: dict[str, list[ast.stmt]] = {}
            for x in statements(s.body):
                if (v := _allocated(x)) in temporaries or (v := _product(x, constant)) in own - written:
                    found.setdefault(v, []).append(x)
            moved = [
                xs[0] for v, xs in found.items() if len(xs) == 1 and _reads(xs[0]) <= lasting and alone(s, v, xs[0])
            ]
            done += moved
            s = _without(s, set(moved)) if moved else s
        done.append(s)
    return done


def _first(loop: ast.For | ast.While, v: str) -> ast.stmt | None:
    """The statement of a loop that mentions a name first, where each iteration comes by it."""
    return next((s for s in loop.body if any(v in {*header_reads(x), *writes(x)} for x in statements([s]))), None)


def _allocated(s: ast.stmt) -> str:
    match s:
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(attr="empty"))):
            return v
        case _:
            return ""


def _product(s: ast.stmt, constant: frozenset[str] | set[str]) -> str:
    """The name of a product of two arrays that do not change."""
    match s:
        case ast.Assign(
            targets=[ast.Name(id=v)],
            value=ast.BinOp(left=ast.Name(id=a), op=ast.MatMult(), right=ast.Name(id=b)),
        ) if {a, b} <= constant:
            return v
        case _:
            return ""


def _stored(s: ast.stmt) -> list[str]:
    """Arrays that a statement writes into, or may: what it hands to a call."""
    found = [
        n.value.id
        for n in ast.walk(s)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
    ] if isinstance(s, (ast.Assign, ast.AugAssign)) else []  # fmt: skip
    for n in ast.walk(s) if isinstance(s, (ast.Assign, ast.AugAssign, ast.Return)) else ():
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id not in READERS:
            found += [a.id for a in n.args if isinstance(a, ast.Name)]
    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require_same") | ast.Attribute(attr="append"))):
            return found
        case ast.Expr():
            return [*found, *(n.id for n in ast.walk(s) if isinstance(n, ast.Name))]
        case _:
            return found


def _augmented(s: ast.stmt) -> list[str]:
    return [s.target.id] if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) else []


def _reads(s: ast.stmt) -> set[str]:
    """What a statement depends on, but for the functions that it calls."""
    assert isinstance(s, ast.Assign)
    called = {n.func.id for n in ast.walk(s.value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    parts = s.value.args if isinstance(s.value, ast.Call) else [s.value]
    return set().union(*(expression_reads(a) for a in parts)) - called


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
