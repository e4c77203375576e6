"""Tuples that loops keep are kept item by item, and what is kept twice is kept once.

g_stack.append((y, t))             y_stack.append(y)
...                                t_stack.append(t)
y2, t2 = g_stack.pop()       ->    ...
                                   y2 = y_stack.pop()
                                   t2 = t_stack.pop()
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, expression
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Change = dict[ast.stmt, Body]


def records(body: Body, taken: set[str]) -> Body:
    names = Names(taken | {v for s in body for v in identifiers(s)})
    for _ in range(3):
        change = _split(body, names)
        if not change:
            break
        body = _changed(body, change)
    return _changed(body, _merged(body))


def _changed(body: Body, change: Change) -> Body:
    if not change:
        return body
    done: Body = []
    for s in body:
        if s in change:
            done += change[s]
            continue
        match s:
            case ast.If(body=then, orelse=other):
                s = replace(s, body=_changed(then, change), orelse=_changed(other, change))
            case ast.For(body=inner) | ast.While(body=inner):
                s = replace(s, body=_changed(inner, change))
        done.append(s)
    return done


def _places(body: Body) -> dict[ast.stmt, tuple[Body, int]]:
    """The block of each statement, and its position there."""
    found: dict[ast.stmt, tuple[Body, int]] = {}
    for i, s in enumerate(body):
        found[s] = body, i
        if isinstance(s, (ast.If, ast.For, ast.While)):
            found |= _places(s.body) | _places(s.orelse)
    return found


def _split(body: Body, names: Names) -> Change:
    """One list of tuples becomes a list for each of their items."""
    places = _places(body)
    reads = Counter(v for s in statements(body) for v in header_reads(s))
    inits = {v: s for s in statements(body) if isinstance(s, ast.Assign) for v in writes(s)}
    for v, stack in local_stacks(body).items():
        if len(stack.pushes) != 1 or len(stack.pops) != 1:
            continue
        push, pop = stack.pushes[0], stack.pops[0]
        made, items = _pushed(push, places, reads)
        apart, slots = _unpacked(pop, places, reads)
        if not items or len(items) != len(slots):
            continue
        stacks = [names.numbered(f"{e.id if isinstance(e, ast.Name) else 'part'}_stack") for e in items]
        pushes = [at(ast.Expr(expression("s.append(e)", s=n, e=e)), push) for n, e in zip(stacks, items)]
        pops: Body = [assign(slot, expression("s.pop()", s=n), pop) for n, slot in zip(stacks, slots)]
        start: Body = [assign(n, ast.List([], ast.Load()), inits[v]) for n in stacks]
        change: Change = {inits[v]: start, push: list(pushes), pop: [], apart: pops}
        return change | ({made: []} if made is not None else {})
    return {}


def _pushed(
    push: ast.stmt, places: dict[ast.stmt, tuple[Body, int]], reads: Counter[str]
) -> tuple[ast.stmt | None, list[ast.expr]]:
    """The items of the tuple that is pushed, and the statement that makes it if there is one."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    match push.value.args[0]:
        case ast.Tuple(elts=elts) if _are_names(elts):
            return None, elts
        case ast.Name(id=v) if reads[v] == 1:
            block, end = places[push]
            for i in reversed(range(end)):
                match block[i]:
                    case ast.Assign(targets=[ast.Name(id=w)], value=ast.Tuple(elts=elts)) if w == v and _are_names(
                        elts
                    ):
                        used = {n.id for e in elts for n in walk(e) if isinstance(n, ast.Name)}
                        between = {x for s in _inside(block[i + 1 : end]) for x in writes(s)}
                        return (block[i], elts) if not used & between else (None, [])
                    case s if v in {x for y in _inside([s]) for x in writes(y)}:
                        return None, []
    return None, []


def _are_names(elts: list[ast.expr]) -> bool:
    return all(isinstance(e, ast.Name) or (isinstance(e, ast.Tuple) and _are_names(e.elts)) for e in elts)


def _inside(body: Body) -> Body:
    return list(statements(body))


def _unpacked(
    pop: ast.stmt, places: dict[ast.stmt, tuple[Body, int]], reads: Counter[str]
) -> tuple[ast.stmt, list[str]]:
    """The statement that takes a popped tuple apart, and the names of its items."""
    match pop:
        case ast.Assign(targets=[ast.Name(id=v)]) if reads[v] == 1:
            block, start = places[pop]
            for s in block[start + 1 :]:
                match s:
                    case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=w)) if w == v:
                        names = [e.id for e in elts if isinstance(e, ast.Name)]
                        return s, names if len(names) == len(elts) else []
                if v in {x for y in _inside([s]) for x in writes(y)}:
                    break
    return pop, []


def _merged(body: Body) -> Change:
    """What is pushed on two lists side by side is pushed on one."""
    places = _places(body)
    inits = {v: s for s in statements(body) if isinstance(s, ast.Assign) for v in writes(s)}
    change: Change = {}
    kept: dict[str, list[tuple[ast.stmt, ast.Assign]]] = {}  # of each variable where it is read, and put back
    for v, stack in local_stacks(body).items():
        if len(stack.pushes) != 1 or len(stack.pops) != 1:
            continue
        push, pop = stack.pushes[0], stack.pops[0]
        assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
        item = push.value.args[0]
        if (
            not isinstance(item, ast.Name)
            or not isinstance(pop, ast.Assign)
            or not isinstance(pop.targets[0], ast.Name)
        ):
            continue
        source, read = _origin(push, places)
        others = kept.setdefault(source, [])
        for first, back in others:
            if _is_side_by_side(first, read, {source}, places):
                target = back.targets[0]
                assert isinstance(target, ast.Name)
                if _is_side_by_side(back, pop, {target.id}, places) and places[back][1] < places[pop][1]:
                    change |= {inits[v]: [], push: [], pop: [replace(pop, value=ast.Name(target.id, ast.Load()))]}
                    break
        else:
            others.append((read, pop))
    return change


def _origin(push: ast.stmt, places: dict[ast.stmt, tuple[Body, int]]) -> tuple[str, ast.stmt]:
    """The variable whose value is pushed, under whatever names, and the statement that reads it."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    item = push.value.args[0]
    assert isinstance(item, ast.Name)
    v = item.id
    found: ast.stmt = push
    block, end = places[push]
    for s in reversed(block[:end]):
        match s:
            case ast.Assign(targets=[ast.Name(id=w)], value=ast.Name(id=source)) if w == v:
                v, found = source, s
            case _ if v in {x for y in _inside([s]) for x in writes(y)}:
                break
    return v, found


def _is_side_by_side(a: ast.stmt, b: ast.stmt, names: set[str], places: dict[ast.stmt, tuple[Body, int]]) -> bool:
    """Whether two statements are in one block, and names keep their values between them."""
    (block, i), (other, j) = places[a], places[b]
    i, j = min(i, j), max(i, j)
    return block is other and not names & {v for s in _inside(block[i + 1 : j]) for v in writes(s)}
