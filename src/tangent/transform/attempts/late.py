"""What an attempt assigns for others is assigned at its end, after all that may raise."""

from __future__ import annotations

import ast

from tangent.analysis.liveness import live_into, surely_bound
from tangent.normalise.context import Context
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.transform.attempts.failing import Body, assigned, bound_before, may_raise


def late(body: Body, core: ast.FunctionDef, context: Context, unsure: set[str]) -> Body:
    done: Body = []
    for s in body:
        match s:
            case Attempt(body=inner):
                new = replace(s, body=late(inner, core, context, unsure))
                done.append(_assigned_at_the_end(new, s, core, context, unsure))
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                sides = [late(b, core, context, unsure) for b in (then, other)]
                done.append(replace(s, body=sides[0], orelse=sides[1]))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=late(inner, core, context, unsure)))
            case _:
                done.append(s)
    return done


def _assigned_at_the_end(
    s: Attempt, original: Attempt, core: ast.FunctionDef, context: Context, unsure: set[str]
) -> Attempt:
    inside = {id(x) for x in statements(original.body)}
    outside = {v for x in statements(core.body) if id(x) not in inside for v in (*header_reads(x), *writes(x))}
    names = sorted(assigned(s.body) & outside & bound_before(original, core))
    if not names or not any(map(may_raise, s.body)):
        return s
    now: dict[str, str] = {}
    done: Body = []
    for x in s.body:
        match x:
            case ast.Assign(targets=targets, value=value) if all(isinstance(t, (ast.Name, ast.Tuple)) for t in targets):
                read = rename(value, now)
                now |= {v: context.names.numbered("t") for v in writes(x) if v in names}
                done.append(replace(x, targets=[rename(t, now) for t in targets], value=read))
            case _:
                inner = [v for v in names if v in assigned([x]) and v not in now]
                now |= {v: context.names.numbered("t") for v in inner}
                kept = [v for v in inner if v in live_into([x]) or v not in surely_bound([x], set())]
                sides = [v for v in kept if v not in live_into([x]) and _is_on_one_side(x, v)]
                done += [assign(now[v], name(v), x) for v in kept if v not in sides]
                done.append(_on_both_sides(rename(x, now), {now[v]: v for v in sides}))
                unsure.update(kept)
    last = [assign(v, name(now[v]), s.body[-1]) for v in names]
    return replace(s, body=[*done, *last])


def bound_at_start(body: Body) -> set[str]:
    """Variables that get their first value before the first branch or loop."""
    simple = next((i for i, s in enumerate(body) if isinstance(s, (ast.If, ast.For, ast.While))), len(body))
    return surely_bound(body[:simple], set())


def _is_on_one_side(s: ast.stmt, v: str) -> bool:
    """Whether one side of a branch always assigns a variable, and the other one never."""
    if not isinstance(s, ast.If) or isinstance(s, Attempt):
        return False
    return all(v in surely_bound(side, set()) or v not in assigned(side) for side in (s.body, s.orelse))


def _on_both_sides(s: ast.stmt, old: dict[str, str]) -> ast.stmt:
    """A branch that gives variables their old values on the side where it assigns them nothing."""
    if not isinstance(s, ast.If):
        return s
    sides = [[*b, *(assign(v, name(w), s) for v, w in old.items() if v not in assigned(b))] for b in (s.body, s.orelse)]
    return replace(s, body=sides[0], orelse=sides[1])
