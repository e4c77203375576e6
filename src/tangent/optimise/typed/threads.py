"""Loops of which each iteration touches elements of its own, on several threads, where the primal has them so.

for i in range(n):                        for i in prange(n):
    t = t_stack[i]                 ->         t = t_stack[i]
    bx[i] += bz[i] * t                        bx[i] += bz[i] * t

These are loops over `prange`, and elementwise operations on arrays. Sums of numbers are reductions, which Numba keeps
apart for each thread. Where two iterations may add to one element, the loop stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.optimise.typed.aliases import made_here
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.optimise.typed.loops import stable_names
from tangent.optimise.typed.order import collide, independent, live_after, subscripted
from tangent.optimise.typed.reach import accesses
from tangent.syntax.core import is_plain_range
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import arguments, expression_reads, header_reads, writes
from tangent.transform.generated import Generated

Block = list[ast.stmt]


def parallel_lines(g: Generated, resolve: Callable[[ast.expr, Generated], Any], prange: Any) -> set[int]:
    """The lines of loops over `prange` in the function that a generated one comes from."""
    tree = g.source.tree if g.source is not None else None
    loops = [n for n in ast.walk(tree) if isinstance(n, ast.For)] if tree is not None else []
    return {s.lineno for s in loops if isinstance(s.iter, ast.Call) and resolve(s.iter.func, g) is prange}


def threads(body: Block, g: Generated, found: Inference, lines: set[int], prange: Any) -> Block:
    """`lines`: those of loops over `prange`."""
    own, fixed = made_here(body, g, found), stable_names(body, g).lasting
    numbers = {v for v, kind in found.kinds[g].items() if isinstance(kind, Number) and kind.scalar}
    names = Names(set(g.externals).union(*(identifiers(s) for s in body)))
    held = names.fresh("prange")
    given = {a.arg for a in arguments(g.tree.args)} if g.tree is not None else set()
    every = given.union(*(identifiers(s) for s in body))

    def block(stmts: Block) -> Block:
        return [turned(s) for s in stmts]

    def turned(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.For(iter=ast.Call() as iter) if (
                _is_candidate(s, lines) and not _clash(s, every) and _is_free(s, body, own, fixed, numbers)
            ):
                g.externals = {**g.externals, held: prange}
                return replace(s, iter=replace(iter, func=name(held)))
            case ast.If(body=then, orelse=other):
                return replace(s, body=block(then), orelse=block(other))
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=block(inner))
            case _:
                return s

    return block(body)


def _is_candidate(s: ast.For, lines: set[int]) -> bool:
    wanted = getattr(s, "lowered", False) or getattr(s, "lineno", 0) in lines
    return wanted and is_plain_range(s.iter) and isinstance(s.iter, ast.Call) and len(s.iter.args) < 3


def _clash(loop: ast.For, every: set[str]) -> bool:
    """Whether Numba mixes up names of a loop over `prange` with others: it doubles the underscores of names there."""
    return any("_" in v and v.replace("_", "__") in every for v in identifiers(loop))


def _is_free(loop: ast.For, body: Block, own: frozenset[str], fixed: frozenset[str], numbers: set[str]) -> bool:
    """Whether no iteration touches an element that another one changes, nor a name, but for sums of numbers."""
    plain = _without_sums(loop, numbers)
    whole = exchanged(body, {loop: plain})
    known = accesses(whole, fixed, frozenset(subscripted(whole)))
    if not independent(plain, own, live_after(whole, frozenset())[plain], known):
        return False
    changed = {a.array for a in known.stores if plain in a.nest}
    return not any(collide(a, plain, known, sums=True) for a in changed)


def _without_sums(loop: ast.For, numbers: set[str]) -> ast.For:
    """The loop with what it adds to numbers under names of their own."""
    new = list(loop.body)
    for k, s in enumerate(loop.body):
        part = _added(s)
        if part is None or (v := writes(s)[0]) not in numbers or v in expression_reads(part):
            continue
        others = [x for x in statements(loop.body) if x is not s]
        if not any(v in header_reads(x) or v in writes(x) for x in others):
            new[k] = ast.copy_location(ast.Assign([ast.Name(f"{v} part", ast.Store())], part), s)
    return replace(loop, body=new)


def _added(s: ast.stmt) -> ast.expr | None:
    """What a statement adds to a name."""
    match s:
        case ast.AugAssign(target=ast.Name(), op=ast.Add() | ast.Sub(), value=value):
            return value
        case ast.Assign(targets=[ast.Name(id=v)], value=ast.BinOp(left=ast.Name(id=w), op=ast.Add(), right=value)):
            return value if v == w else None
        case _:
            return None
