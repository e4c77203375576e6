"""Contributions to neighbouring elements, each in a loop of its own: so several can be added at a time.

for j in range(1, n - 1):             for j in range(1, n - 1):
    w = 0.2 * c[j]                        b[j - 1] += 0.2 * c[j]
    b[j - 1] += w               ->    for j in range(1, n - 1):
    b[j] += w                             b[j] += 0.2 * c[j]
    b[j + 1] += w                     for j in range(1, n - 1):
    c[j] = 0.0                            b[j + 1] += 0.2 * c[j]
                                      for j in range(1, n - 1):
                                          c[j] = 0.0

In one loop each iteration would wait for the sums of the one before.
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.cells import is_plain
from tangent.optimise.typed.order import independent, live_after, subscripted
from tangent.optimise.typed.reach import Accesses, accesses, limits
from tangent.syntax.names import identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import at
from tangent.syntax.rebuild import rebuild, replace, statements

CHEAP = (
    ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Subscript, ast.Tuple, ast.expr_context, ast.Add, ast.Sub,
    ast.Mult, ast.USub,
)  # fmt: skip
LONGEST = 60


def split(body: list[ast.stmt], own: frozenset[str], fixed: frozenset[str]) -> list[ast.stmt]:
    """`own`: arrays that have one name; `fixed`: names that keep their value."""
    loops = [s for s in statements(body) if isinstance(s, ast.For) and _is_candidate(s)]
    if not loops:
        return body
    known = accesses(body, fixed, frozenset(subscripted(body)))
    after = live_after(body, frozenset())
    parts = {s: made for s in loops if (made := _parts(s, own, after[s], known))}

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.For() if s in parts:
                    done += parts[s]
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=block(inner))
                    if getattr(s, "lowered", False):
                        new.lowered = True  # type: ignore[union-attr]
                    done.append(new)
                case _:
                    done.append(s)
        return done

    return block(body) if parts else body


def _is_candidate(loop: ast.For) -> bool:
    """A loop upward in straight lines that adds to several elements of one array."""
    if limits(loop) is None or not isinstance(loop.iter, ast.Call) or ast.unparse(loop.iter.func) != "range":
        return False
    if len(loop.iter.args) > 2 or isinstance(loop.iter.args[-1], ast.Constant):
        return False
    places: dict[str, set[str]] = {}
    for s in loop.body:
        match s:
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a), slice=index), op=ast.Add() | ast.Sub()):
                places.setdefault(a, set()).add(ast.unparse(index))
            case ast.Assign(targets=[ast.Name() | ast.Subscript(value=ast.Name())]) | Comment():
                pass
            case _:
                return False
    assert isinstance(loop.target, ast.Name)
    moving = {a: {p for p in found if loop.target.id in p} for a, found in places.items()}
    return any(len(found) > 1 for found in moving.values())


def _parts(loop: ast.For, own: frozenset[str], after: frozenset[str], known: Accesses) -> list[ast.stmt]:
    """The loop in parts, or nothing where it must stay whole."""
    if not independent(loop, own, after, known):
        return []
    meaning: dict[str, ast.expr] = {}
    comments: list[ast.stmt] = []
    sums: dict[str, ast.AugAssign] = {}
    stores: list[ast.stmt] = []
    for s in loop.body:
        match s:
            case Comment():
                comments.append(s)
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                if v in meaning:
                    return []
                meaning[v] = _meant(value, meaning)
            case ast.AugAssign(target=target) | ast.Assign(targets=[target]) if identifiers(target) & meaning.keys():
                return []  # the element is known to the iteration alone: `j = (i + 1) % n`
            case ast.AugAssign(target=target, op=op, value=value):
                text = ast.unparse(target) + type(op).__name__
                new = _meant(value, meaning)
                before = sums.get(text)
                both = new if before is None else ast.BinOp(before.value, ast.Add(), new)
                sums[text] = replace(s, value=both)
            case ast.Assign(value=value):
                stores.append(replace(s, value=_meant(value, meaning)))
    effects = [*sums.values(), *stores]
    if not all(_is_cheap(s) for s in effects) or not _apart(loop, known):
        return []
    made: list[ast.stmt] = list(comments)
    for s in effects:
        part = at(replace(loop, body=[s]), loop)
        if getattr(loop, "lowered", False):
            part.lowered = True  # type: ignore[attr-defined]
        made.append(part)
    return made


def _meant(e: ast.expr, meaning: dict[str, ast.expr]) -> ast.expr:
    """An expression with the numbers of the loop written out."""

    def change(n: ast.expr) -> ast.expr:
        match n:
            case ast.Name(id=v, ctx=ast.Load()) if v in meaning:
                return meaning[v]
            case _:
                return n

    return rebuild(e, change)


def _is_cheap(s: ast.stmt) -> bool:
    assert isinstance(s, (ast.Assign, ast.AugAssign))
    nodes = list(ast.walk(s.value))
    return len(nodes) <= LONGEST and all(isinstance(n, CHEAP) for n in nodes) and all(
        is_plain(n.slice) for n in nodes if isinstance(n, ast.Subscript)
    )  # fmt: skip


def _apart(loop: ast.For, known: Accesses) -> bool:
    """Whether no array that is read is added to in the same loop, and what is set is read before, if at all.

    Numba's loops over parts of one array wait for each other even where the parts do not meet.
    """
    sums = [a for a in known.stores if a.adds and loop in a.nest]
    stores = [a for a in known.stores if not a.adds and loop in a.nest]
    reads = [a for a in known.reads if not a.adds and loop in a.nest]
    if {a.array for a in sums} & {a.array for a in reads}:
        return False
    depth = (sums or stores)[0].nest.index(loop)
    for w in (*sums, *stores):
        for r in (*reads, *stores, *sums):
            if r is w or r.array != w.array or (r.adds and w.adds):
                continue
            if w in stores and r in reads and r.position < w.position:
                continue  # read before it is set, in one iteration; others do not meet
            if known.together(w, r, depth, later=False):
                return False
    return True
