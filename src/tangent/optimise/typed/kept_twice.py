"""A number that two records keep is kept by one.

for i in range(n):                           for i in range(n):
    t_stack.append(h[i] - x[i])                  t_stack.append(h[i] - x[i])
    u_stack.append(h[i] - x[i])              ...
...                                   ->     for i in reversed(range(n)):
for i in reversed(range(n)):                     u = t_stack.pop()
    u = u_stack.pop()                            t = u
    t = t_stack.pop()
"""

from __future__ import annotations

import ast
import itertools

from tangent.optimise.dead import local_stacks
from tangent.optimise.typed.kinds import Kind, Number, Stack
from tangent.optimise.typed.restores import blocks_of
from tangent.syntax.print import Comment
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

PLAIN = ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Name | ast.Constant | ast.Tuple | ast.operator | ast.unaryop
Block = list[ast.stmt]


def kept_twice(body: Block, kinds: dict[str, Kind]) -> Block:
    places = {s: block for s, (_, block) in blocks_of(body).items()}
    stacks = {
        v: (stack.pushes[0], stack.pops[0])
        for v, stack in local_stacks(body).items()
        if len(stack.pushes) == len(stack.pops) == 1 and _holds_numbers(kinds.get(v))
    }
    instead: dict[ast.stmt, list[ast.stmt]] = {}
    for (first, (push, pop)), (second, (push2, pop2)) in itertools.combinations(stacks.items(), 2):
        if not {push, pop, push2, pop2} <= places.keys() or instead.keys() & {push, pop, push2, pop2}:
            continue
        if not _push_the_same(push, push2, places) or not _pop_together(pop, pop2, places):
            continue
        early, late = _in_order(pop, pop2, places[pop])
        instead |= {push2: [], early: [_popping(early, first)], late: [_copying(late, early)]}
        instead |= {s: [] for s in statements(body) if _makes(s, second)}
    return _rebuilt(body, instead) if instead else body


def _holds_numbers(kind: Kind) -> bool:
    return isinstance(kind, Stack) and isinstance(kind.item, Number) and kind.item.scalar


def _push_the_same(push: ast.stmt, other: ast.stmt, places: dict[ast.stmt, Block]) -> bool:
    """Whether both push the value of one expression, and nothing that it reads changes between."""
    block = places[push]
    if places[other] is not block:
        return False
    (first, e), (last, e2) = sorted((_computed(push, block), _computed(other, block)), key=lambda found: found[0])
    if not _is_plain(e) or ast.dump(e) != ast.dump(e2):
        return False
    reads = expression_reads(e)
    return all(_leaves(s, reads) for s in block[first : last + 1])


def _computed(push: ast.stmt, block: Block) -> tuple[int, ast.expr]:
    """Where what is pushed is computed, and the expression: that of the name, if it is one of this block."""
    place, item = block.index(push), _item(push)
    for i in range(place - 1, -1, -1):
        if not isinstance(item, ast.Name) or item.id not in {v for s in statements([block[i]]) for v in writes(s)}:
            continue
        match block[i]:
            case ast.Assign(targets=[ast.Name()], value=value) if _is_plain(value):
                return i, value
        break
    return place, item


def _leaves(s: ast.stmt, reads: frozenset[str]) -> bool:
    """Whether a statement leaves alone what is read: a push, or a name for something else."""
    match s:
        case Comment():
            return True
        case ast.Assign(targets=[ast.Name(id=v)], value=value):
            return v not in reads and _is_plain(value)
        case _:
            return bool(pushed(s)) and _is_plain(_item(s))


def _pop_together(pop: ast.stmt, other: ast.stmt, places: dict[ast.stmt, Block]) -> bool:
    """Whether what is popped has a name, which nothing between knows."""
    block = places[pop]
    if places[other] is not block or not (_target(pop) and _target(other)) or _target(pop) == _target(other):
        return False
    first, last = sorted((block.index(pop), block.index(other)))
    known = {v for s in statements(block[first + 1 : last]) for v in {*header_reads(s), *writes(s)}}
    return not known & {_target(pop), _target(other)}


def _item(push: ast.stmt) -> ast.expr:
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    return push.value.args[0]


def _is_plain(e: ast.expr) -> bool:
    return all(isinstance(n, (PLAIN, ast.expr_context)) for n in walk(e))


def _target(pop: ast.stmt) -> str:
    match pop:
        case ast.Assign(targets=[ast.Name(id=v)]):
            return v
        case _:
            return ""


def _in_order(pop: ast.stmt, other: ast.stmt, block: Block) -> tuple[ast.stmt, ast.stmt]:
    return (pop, other) if block.index(pop) < block.index(other) else (other, pop)


def _popping(pop: ast.stmt, stack: str) -> ast.stmt:
    assert isinstance(pop, ast.Assign) and isinstance(pop.value, ast.Call)
    assert isinstance(pop.value.func, ast.Attribute)
    return replace(pop, value=replace(pop.value, func=replace(pop.value.func, value=name(stack))))


def _copying(pop: ast.stmt, early: ast.stmt) -> ast.stmt:
    return replace(pop, value=name(_target(early)))


def _makes(s: ast.stmt, stack: str) -> bool:
    return stack in writes(s) and not popped(s)


def _rebuilt(body: Block, instead: dict[ast.stmt, list[ast.stmt]]) -> Block:
    done: Block = []
    for s in body:
        match s:
            case _ if s in instead:
                done += instead[s]
            case ast.For() | ast.While() | ast.If():
                done.append(replace(s, body=_rebuilt(s.body, instead), orelse=_rebuilt(s.orelse, instead)))
            case _:
                done.append(s)
    return done
