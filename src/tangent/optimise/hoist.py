"""Keep a value before a branch instead of on both of its sides.

if branch:                              x_stack.append(x)
    x_stack.append(x)                   if branch:
    x = a * t                               x = a * t
else:                                   else:
    x_stack2.append(x)          ->          x = x + a
    x = x + a                           ...
...                                     x = x_stack.pop()
if branch:                              if branch:
    x = x_stack.pop()                       bx = bx * a
    bx = bx * a
else:
    x = x_stack2.pop()
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import Stack, Stacks, local_stacks
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes


def hoist(body: Body, o: Optimisation) -> Body:
    stacks = {v: s for v, s in local_stacks(body).items() if len(s.pushes) == len(s.pops) == 1}
    branches = [s for s in statements(body) if isinstance(s, ast.If) and s.orelse]
    before: dict[ast.stmt, list[ast.stmt]] = {}
    gone: set[ast.stmt] = set()
    for forward in branches:
        for v, first, second in _pairs(forward, stacks):
            one, two = stacks[first], stacks[second]
            backward = next((s for s in branches if one.pops[0] in s.body and two.pops[0] in s.orelse), None)
            if backward is None or not _may_move(v, forward, backward, one, two):
                continue
            before.setdefault(forward, []).append(one.pushes[0])
            before.setdefault(backward, []).append(one.pops[0])
            gone |= {one.pushes[0], one.pops[0], two.pushes[0], two.pops[0]}
            gone |= {s for s in statements(body) if second in writes(s)}
    return _rebuilt(body, before, gone) if before else body


def _pairs(s: ast.If, stacks: Stacks) -> list[tuple[str, str, str]]:
    """Variables that both sides of a branch keep, with the lists."""
    sides = [
        {_kept(stacks[k].pushes[0]): k for k in stacks if stacks[k].pushes[0] in side} for side in (s.body, s.orelse)
    ]
    return [(v, sides[0][v], sides[1][v]) for v in sides[0] if v and v in sides[1]]


def _kept(push: ast.stmt) -> str:
    match push:
        case ast.Expr(value=ast.Call(args=[ast.Name(id=v)])):
            return v
        case _:
            return ""


def _may_move(v: str, forward: ast.If, backward: ast.If, one: Stack, two: Stack) -> bool:
    """Whether the value kept is that before the branch, and nothing on the way back reads the later one."""
    for side, push in ((forward.body, one.pushes[0]), (forward.orelse, two.pushes[0])):
        if any(v in writes(x) for x in statements(side[: side.index(push)])):
            return False
    for side, pop in ((backward.body, one.pops[0]), (backward.orelse, two.pops[0])):
        ahead = list(statements(side[: side.index(pop)]))
        if writes(pop) != (v,) or any(v in writes(x) or v in header_reads(x) for x in ahead):
            return False
    return v not in header_reads(backward)


def _rebuilt(body: Body, before: dict[ast.stmt, list[ast.stmt]], gone: set[ast.stmt]) -> Body:
    done: Body = []
    for s in body:
        done += before.get(s, [])
        if s in gone:
            continue
        match s:
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                new = replace(
                    s, body=_rebuilt(then, before, gone) or [ast.Pass()], orelse=_rebuilt(other, before, gone)
                )
                done.append(new)
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_rebuilt(inner, before, gone) or [ast.Pass()]))
            case _:
                done.append(s)
    return done
