"""Backward loops whose iterations do not depend on each other, walked forward: memory is read in its order.

for i in reversed(range(n)):          for i in range(n):
    bt = bu[i]                  ->        bt = bu[i]
    bu[i] = 0.0                           bu[i] = 0.0
    bv[i] += bt                           bv[i] += bt
"""

from __future__ import annotations

import ast

from tangent.analysis.liveness import live_into
from tangent.optimise.typed.cells import is_plain, only_computes
from tangent.optimise.typed.reach import Accesses, accesses
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes


def order(body: list[ast.stmt], own: frozenset[str], fixed: frozenset[str]) -> list[ast.stmt]:
    """`own`: arrays that have one name; `fixed`: names that keep their value."""
    if not any(isinstance(s, ast.For) and _is_reversed(s.iter) for s in statements(body)):
        return body
    known = accesses(body, fixed, frozenset(subscripted(body)))
    backward = [s for s in statements(body) if isinstance(s, ast.For) and _is_reversed(s.iter)]
    after = live_after(body, frozenset())
    free = {s for s in backward if independent(s, own, after[s], known)}

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.If(body=then, orelse=other):
                    s = replace(s, body=block(then), orelse=block(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    lowered = getattr(s, "lowered", False)
                    turned = isinstance(s, ast.For) and _is_reversed(s.iter) and s in free
                    s = replace(s, body=block(inner))
                    if lowered:
                        s.lowered = True  # type: ignore[union-attr]
                    if turned and isinstance(s, ast.For) and isinstance(s.iter, ast.Call):
                        s = replace(s, iter=s.iter.args[0])
            done.append(s)
        return done

    return block(body)


def live_after(body: list[ast.stmt], live: frozenset[str]) -> dict[ast.stmt, frozenset[str]]:
    """For each loop the names that may be read after it; `live`: those that may be read after the body."""
    found: dict[ast.stmt, frozenset[str]] = {}
    for i, s in enumerate(body):
        behind = live | live_into(body[i + 1 :]) if isinstance(s, (ast.If, ast.For, ast.While)) else live
        match s:
            case ast.If(body=then, orelse=other):
                found |= live_after(then, behind) | live_after(other, behind)
            case ast.For(body=inner) | ast.While(body=inner):
                found[s] = behind
                found |= live_after(inner, behind | live_into([s]))
    return found


def subscripted(body: list[ast.stmt]) -> set[str]:
    return {
        n.value.id
        for s in statements(body)
        for n in ast.walk(s)
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
    }


def _is_reversed(e: ast.expr) -> bool:
    match e:
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="range"))]):
            return True
        case _:
            return False


def independent(loop: ast.For, own: frozenset[str], after: frozenset[str], known: Accesses) -> bool:
    """Whether the iterations of a loop give the same in any order, up to rounding of sums."""
    if not isinstance(loop.target, ast.Name):
        return False
    seen: set[str] = {loop.target.id}
    local: set[str] = set()
    arrays: set[str] = set()
    changed: set[str] = set()
    for s in statements(loop.body):
        if isinstance(s, Comment):
            continue
        if not isinstance(s, (ast.Assign, ast.AugAssign, ast.For)) or not _simple(s, arrays, changed):
            return False
        reads = header_reads(s)
        local |= {v for v in writes(s) if v not in seen | reads and isinstance(s, (ast.Assign, ast.For))}
        if any(v not in local for v in writes(s)) or (isinstance(s, ast.AugAssign) and writes(s)):
            return False
        seen |= reads | set(writes(s))
    if local & after or loop.target.id in after:
        return False
    if len(arrays) > 1 and not changed <= own:
        return False
    return not any(collide(a, loop, known) for a in changed)


def collide(array: str, loop: ast.For, known: Accesses, sums: bool = False) -> bool:
    """Whether one iteration may touch an element that another one changes; with `sums`, also where both add to it."""
    stores = [a for a in known.stores if a.array == array and loop in a.nest]
    reads = [a for a in known.reads if a.array == array and loop in a.nest and not a.adds]
    for a in stores:
        depth = a.nest.index(loop)
        for b in (*stores, *reads):
            if (sums or not (a.adds and b.adds)) and (known.together(a, b, depth) or known.together(b, a, depth)):
                return True
    return False


def _simple(s: ast.stmt, arrays: set[str], changed: set[str]) -> bool:
    """Note the arrays that a statement uses; False where it does more than compute with elements."""
    if isinstance(s, ast.For):
        return not isinstance(s.iter, ast.Call) or _is_reversed(s.iter) or ast.unparse(s.iter).startswith("range(")
    if not only_computes(s) or (isinstance(s, ast.AugAssign) and not isinstance(s.op, (ast.Add, ast.Sub))):
        return False
    elements = 0
    for n in ast.walk(s):
        if isinstance(n, ast.Subscript):
            if not isinstance(n.value, ast.Name) or not is_plain(n.slice):
                return False
            arrays.add(n.value.id)
            if isinstance(n.ctx, ast.Store):
                changed.add(n.value.id)
            elements += 1
    return elements > 0 or not isinstance(s, ast.AugAssign)
