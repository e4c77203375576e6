"""Backward loops whose iterations do not depend on each other, walked forward: memory is read in its order.

for i in reversed(range(n)):          for i in range(n):
    bt = bu[i]                  ->        bt = bu[i]
    bu[i] = 0.0                           bu[i] = 0.0
    bv[i] += bt                           bv[i] += bt
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from tangent.optimise.typed.cells import is_plain, only_computes
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes


def order(body: list[ast.stmt], own: frozenset[str]) -> list[ast.stmt]:
    """`own`: arrays that have one name."""
    everywhere = Counter(v for s in statements(body) for v in header_reads(s))
    for v in {v for s in statements(body) if isinstance(s, ast.For) for v in writes(s)}:
        if everywhere[v] == _inside_own_loops(v, body):
            everywhere[v] = LOCAL  # nobody reads what a loop leaves behind

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.If(body=then, orelse=other):
                    s = replace(s, body=block(then), orelse=block(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    lowered = getattr(s, "lowered", False)
                    s = replace(s, body=block(inner))
                    if lowered:
                        s.lowered = True  # type: ignore[union-attr]
                    if isinstance(s, ast.For) and _is_reversed(s.iter) and independent(s, own, everywhere):
                        assert isinstance(s.iter, ast.Call)
                        s = replace(s, iter=s.iter.args[0])
            done.append(s)
        return done

    return block(body)


LOCAL = -1


def _inside_own_loops(v: str, body: list[ast.stmt]) -> int:
    """How often a name is read inside loops that run over it."""
    found = 0
    for s in body:
        match s:
            case ast.For() if v in writes(s):
                found += sum(1 for x in statements(s.body) for r in header_reads(x) if r == v)
            case ast.For(body=inner) | ast.While(body=inner):
                found += _inside_own_loops(v, inner)
            case ast.If(body=then, orelse=other):
                found += _inside_own_loops(v, then) + _inside_own_loops(v, other)
    return found


def _is_reversed(e: ast.expr) -> bool:
    match e:
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="range"))]):
            return True
        case _:
            return False


@dataclass
class Uses:
    """How the iterations of a loop use an array: the places that are read, set, and added to."""

    reads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    sums: set[str] = field(default_factory=set)


def independent(loop: ast.For, own: frozenset[str], everywhere: Counter[str]) -> bool:
    """Whether the iterations of a loop give the same in any order, up to rounding of sums."""
    if not isinstance(loop.target, ast.Name):
        return False
    arrays: dict[str, Uses] = {}
    seen: set[str] = {loop.target.id}
    inside: Counter[str] = Counter()
    local: set[str] = set()
    for s in statements(loop.body):
        if isinstance(s, Comment):
            continue
        if not isinstance(s, ast.Assign | ast.AugAssign | ast.For) or not _simple(s, arrays):
            return False
        reads = header_reads(s)
        inside.update(reads)
        local |= {v for v in writes(s) if v not in seen and isinstance(s, ast.Assign | ast.For)}
        if any(v not in local for v in writes(s)) or (isinstance(s, ast.AugAssign) and writes(s)):
            return False
        seen |= reads | set(writes(s))
    if any(everywhere[v] not in (LOCAL, inside[v]) for v in local):
        return False
    changed = [a for a, u in arrays.items() if u.stores or u.sums]
    if len(arrays) > 1 and any(a not in own for a in changed):
        return False
    return all(_orderless(arrays[a], loop.target.id) for a in changed)


def _simple(s: ast.stmt, arrays: dict[str, Uses]) -> bool:
    """Note the elements that a statement uses; False where it does anything else."""
    if isinstance(s, ast.For):
        return not isinstance(s.iter, ast.Call) or _is_reversed(s.iter) or ast.unparse(s.iter).startswith("range(")
    if not only_computes(s):
        return False
    added = s.target if isinstance(s, ast.AugAssign) else None
    if isinstance(s, ast.AugAssign) and not isinstance(s.op, ast.Add):
        return False
    elements = 0
    for n in ast.walk(s):
        if isinstance(n, ast.Subscript):
            if not isinstance(n.value, ast.Name) or not is_plain(n.slice):
                return False
            uses = arrays.setdefault(n.value.id, Uses())
            kind = uses.sums if n is added else uses.stores if isinstance(n.ctx, ast.Store) else uses.reads
            kind.add(ast.unparse(n.slice))
            elements += 1
    return elements > 0 or not isinstance(s, ast.AugAssign)


def _orderless(uses: Uses, variable: str) -> bool:
    """Only added to; or each iteration has a place of its own."""
    if uses.sums and not uses.stores and not uses.reads:
        return True
    places = uses.reads | uses.stores | uses.sums
    index = ast.parse(next(iter(places)), mode="eval").body
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return len(places) == 1 and any(isinstance(p, ast.Name) and p.id == variable for p in parts)
