"""What a forward pass hands over and its backward pass no longer reads is not handed over.

def g_fwd(x):                            def g_fwd(x):
    ...                                      ...
    return y, (t, x)               ->        return y, (t,)

def g_bwd(saved, by):                    def g_bwd(saved, by):
    t, x = saved                             t, = saved
    return by * t                            return by * t
"""

from __future__ import annotations

import ast
from collections.abc import Set

from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import header_reads, writes
from tangent.transform.generated import Generated

Bodies = dict[Generated, list[ast.stmt]]


def saved(bodies: Bodies, held: Set[Generated] = frozenset()) -> Bodies:
    """The bodies of a module with less handed from one half of a pair to the other; what recursive functions hold of
    those that they call has a type already."""
    bodies = {g: _without_unread(body) for g, body in bodies.items()}
    changed = dict(bodies)
    for fwd in bodies:
        bwd = fwd.backward
        if bwd is None or bwd not in bodies or fwd in held:
            continue
        match bodies[bwd], bodies[fwd]:
            case [
                [ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Name()) as unpack, *rest],
                [*first, ast.Return(value=ast.Tuple(elts=[result, ast.Tuple(elts=values)])) as last],
            ] if len(slots) == len(values):
                read = {v for s in statements(rest) for v in header_reads(s)}
                kept = [i for i, slot in enumerate(slots) if isinstance(slot, ast.Name) and slot.id in read]
                if len(kept) == len(slots):
                    continue
                handed = ast.Tuple([values[i] for i in kept], ast.Load())
                changed[fwd] = [*first, replace(last, value=ast.Tuple([result, handed], ast.Load()))]
                taken = replace(unpack, targets=[ast.Tuple([slots[i] for i in kept], ast.Store())])
                changed[bwd] = [taken, *rest] if kept else rest
    return changed


def _without_unread(body: list[ast.stmt]) -> list[ast.stmt]:
    """A backward pass that takes nothing off lists of records whose values it does not read."""
    match body:
        case [ast.Assign(targets=[ast.Tuple()], value=ast.Name()) as unpack, *rest]:
            handed = set(writes(unpack))
        case _:
            return body
    pops = {s: popped(s) for s in statements(rest) if popped(s) in handed}
    others = [s for s in statements(rest) if s not in pops]
    used = {v for s in others for v in (*header_reads(s), *writes(s))}
    read = {v for s in statements(rest) for v in header_reads(s)}
    unread = {v for s, v in pops.items() if v not in used and not any(t in read for t in writes(s))}
    unread -= {v for s, v in pops.items() if not writes(s) or any(t in read for t in writes(s))}
    return [unpack, *_without(rest, {s for s, v in pops.items() if v in unread})] if unread else body


def _without(body: list[ast.stmt], gone: set[ast.stmt]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case _ if s in gone:
                continue
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_without(then, gone) or [ast.Pass()], orelse=_without(other, gone)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_without(inner, gone) or [ast.Pass()]))
            case _:
                done.append(s)
    return done
