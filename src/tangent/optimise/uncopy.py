"""Compute from a place before it is cleared, instead of from a copy of it; read what stays as it is without a copy.

b = ba[1:-1].copy()          c = ba[1:-1] / 2
ba[1:-1] = 0.0         ->    ba[1:-1] = 0.0
c = b / 2

b = ba.copy()                b = ba
c = b * x              ->    c = b * x
bw = bw + b * y              bw = bw + b * y
ba[0] = 0.0                  ba[0] = 0.0
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import partial

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.lazy import computed, makes_new
from tangent.optimise.purity import changes, is_pure, root_of, written_in_place
from tangent.optimise.stored import stored
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

OPERATORS = (ast.BinOp, ast.UnaryOp)


def uncopy(body: Body, o: Optimisation) -> Body:
    if not o.shared or not any(map(_copies, statements(body))):
        return body
    reads: Counter[str] = Counter()
    bound: Counter[str] = Counter()
    for s in statements(body):
        bound.update(writes(s))
        parts = [s.test] if isinstance(s, (ast.If, ast.While)) else [s.iter] if isinstance(s, ast.For) else [s]
        reads.update(n.id for p in parts for n in walk(p) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    changed = stored(body) | o.shared.keys()
    once = Counter({v: n for v, n in reads.items() if bound[v] == 1 and v not in changed})
    return _block(body, o, reads, once, computed(body))


def _block(body: Body, o: Optimisation, reads: Counter[str], once: Counter[str], known: frozenset[str]) -> Body:
    inside = partial(_block, o=o, reads=reads, once=once, known=known)
    done: Body = []
    rest = list(body)
    while rest:
        s = rest.pop(0)
        match s:
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=inside(then), orelse=inside(other)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=inside(inner)))
            case ast.Assign(
                targets=[ast.Name(id=v)],
                value=ast.Call(func=ast.Attribute(value=ast.Subscript() as place, attr="copy"), args=[], keywords=[]),
            ) if reads[v] == 1 and (found := _use(v, place, rest, o, known)) is not None:
                at, moved = found
                rest = [moved, *rest[:at], *rest[at + 1 :]]
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as value) if (
                (original := _copied(value)) is not None and _stays(v, original, rest, o, once[v], known)
            ):
                o.shared[v] = o.shared[root_of(original)]  # what reads it may not move behind a store any more
                o.changing.clear()
                done.append(replace(s, value=_uncopied(value)))
            case _:
                done.append(s)
    return done


def _use(
    v: str, place: ast.Subscript, rest: Body, o: Optimisation, known: frozenset[str]
) -> tuple[int, ast.stmt] | None:
    """The statement behind some stores that computes something new from the copy, as it stands before them."""
    changed: set[str] = set()
    for at, s in enumerate(rest):
        if isinstance(s, Comment):
            continue
        if v not in expression_reads(s):
            if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Subscript):
                return None
            if not isinstance(s.value, (ast.Constant, ast.Name)):
                return None
            changed |= written_in_place(s, o)
            continue
        match s:
            case ast.Assign(targets=[ast.Name(id=w)], value=ast.BinOp() as value) if is_pure(value, o) and w != v:
                others = expression_reads(value) - {v}
                classes = {o.shared.get(c, c) for c in changed}
                if any(o.shared.get(n, n) in classes for n in others) or not _is_arithmetic(value, v, known):
                    return None
                return at, _with(s, v, replace(place, ctx=ast.Load()))
            case _:
                return None
    return None


def _copies(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and _copied(s.value) is not None


def _copied_place(e: ast.expr) -> ast.expr | None:
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Subscript() as place, attr="copy"), args=[]):
            return place
        case _:
            return None


def _copied(e: ast.expr) -> ast.expr | None:
    """The place that a value is a copy of, whether or not it is summed to another shape."""
    match e:
        case ast.Call(func=ast.Name(id="unbroadcast"), args=[ast.Call() as inner, ast.Name()]):
            return _copied_place(inner)
        case _:
            return _copied_place(e)


def _uncopied(e: ast.expr) -> ast.expr:
    return rebuild(e, lambda x: _copied_place(x) or x)


def _stays(v: str, place: ast.expr, rest: Body, o: Optimisation, count: int, known: frozenset[str]) -> bool:
    """Whether a place is as it was for all that reads a copy of it, which is arithmetic in the same block."""
    if not count or root_of(place) not in o.shared:
        return False
    for s in rest:
        if isinstance(s, Comment):
            continue
        if v in header_reads(s):
            if not isinstance(s, (ast.Assign, ast.AugAssign)) or (own := _operands(s.value, v, known)) is None:
                return False
            count -= own
            if not count:
                return True
        if changes(s, o) & expression_reads(place):
            return False
    return False


def _operands(e: ast.expr, v: str, known: frozenset[str]) -> int | None:
    """How often a name is an operand of an operator that gives something new; nothing if it is anything else."""
    if isinstance(e, ast.Name):
        return None if e.id == v else 0
    found = 0
    for x in ast.iter_child_nodes(e):
        if isinstance(x, ast.Name) and x.id == v:
            if not makes_new(e, x, known):
                return None
            found += 1
        elif isinstance(x, ast.expr):
            if (inner := _operands(x, v, known)) is None:
                return None
            found += inner
    return found


def _with(s: ast.stmt, v: str, place: ast.expr) -> ast.stmt:
    return rebuild(s, lambda e: place if isinstance(e, ast.Name) and e.id == v else e)


def _is_arithmetic(e: ast.expr, v: str, known: frozenset[str]) -> bool:
    """Whether a value is an operand of operators only, so that the result is something new."""
    inner = [x for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr)] if isinstance(e, OPERATORS) else []
    own = [x for x in inner if isinstance(x, ast.Name) and x.id == v]
    return any(makes_new(e, x, known) for x in own) or any(_is_arithmetic(x, v, known) for x in inner)
