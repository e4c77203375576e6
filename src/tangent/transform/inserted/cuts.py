"""`break` and `continue` in blocks for the backward pass: they act on the backward loop.

What they leave out, adjoints apart, still has to be restored, since statements before the loop, and the iterations of a
loop around it, read what the lists hold below.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from tangent.analysis.recorded import Block as Records
from tangent.syntax.inserted import Insertion, Once, RestoringFor, RestoringIf, root
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside, expression_reads, header_reads, writes

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse
    from tangent.transform.reverse.state import State


@dataclass
class Cut:
    """A block that may leave its backward loop: what is known and what is still to be done then."""

    flag: str
    jumps: frozenset[str]
    rest: list[ast.stmt]
    state: State
    lost: list[str]
    start: list[ast.stmt]  # what the rest reads, for the first time around
    asked: set[str]  # the variables whose gradients the block asks for


Level = tuple[ast.stmt, list[ast.stmt], tuple[Records, ...]]


class Cuts:
    """Where the transformation stands: the backward loop, and what comes before a statement in each block of it."""

    def __init__(self) -> None:
        self.restoring = False
        self.levels: list[Level] = []
        self.found: list[Cut] = []
        self.head: State | None = None
        self.once = False
        self.flags: list[str] = []  # of jumps that end a checkpointed loop

    @contextmanager
    def inside(self, s: ast.stmt, before: list[ast.stmt], path: tuple[Records, ...]) -> Iterator[None]:
        self.levels.append((s, before, path))
        yield
        self.levels.pop()

    @contextmanager
    def loop(self, head: State, s: ast.stmt) -> Iterator[list[Cut]]:
        outer = self.levels, self.found, self.head, self.once
        self.levels, self.found, self.head, self.once = [], [], head, isinstance(s, Once)
        yield self.found
        self.levels, self.found, self.head, self.once = outer


def cut(
    this: Reverse, s: Insertion, left: State, state: State, taken: list[ast.stmt]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What stands around a block that may jump, so that it is known that it did."""
    head = this.cuts.head
    assert head is not None
    lost = sorted(head.held - left.held - {root(p) for p in s.places})
    zeros = [this.zero(v, left, s) for v in lost]
    stored = [root(p) for p in s.places if root(p) in this.stores.shadowed]
    kept: list[ast.stmt] = [x for x in taken if isinstance(x, ast.Assign) and this.adjoints_of(x) & head.held]
    kept += [x for x in taken if {this.adjoint(v) for v in stored} & (expression_reads(x) | set(writes(x)))]
    viewed = [x for x in taken if set(writes(x)) & set(s.block.viewed)]
    if kept:
        left = state.copy()
        left.held |= set(lost)
    read = _read(this)
    put, given = _put(this, read, state, taken)
    rest = [*copy.deepcopy([*viewed, *kept]), *put, *_restored(this, state, len(read))]
    if put:
        left = given
        left.held |= set(lost)
    flag = this.scribe.names.numbered("cut") if rest or this.cuts.once else ""
    asked = set().union(*(header_reads(x) for x in (*kept, *put))) & set(s.block.names)
    start: list[ast.stmt] = [assign(n, _begun(this, p), s) for p, n in zip(s.places, s.block.names) if n in asked]
    if this.unit.context.memory in left.held:
        left.owned -= _holders(this, left.owned)
    this.cuts.found.append(Cut(flag, s.block.jumps, rest, left, lost, start, {root(p) for p in s.places}))
    if not flag:
        return zeros, []
    return [*zeros, assign(flag, constant(True), s)], [assign(flag, constant(False), s)]


def _begun(this: Reverse, place: ast.expr) -> ast.expr:
    """A gradient for the first time around, which nobody reads."""
    return constant(None) if root(place) in this.unit.context.shown else this.scribe.call("init_grad", place)


def _read(this: Reverse) -> list[ast.stmt]:
    """The statements before a block that read what it asks for from a memory."""
    _, before, _ = this.cuts.levels[-1]
    shown = this.unit.context.shown
    return list(takewhile(lambda x: not shown.isdisjoint(assigned_inside([x])), reversed(before)))[::-1]


def _put(this: Reverse, read: list[ast.stmt], state: State, taken: list[ast.stmt]) -> tuple[list[ast.stmt], State]:
    """What a block asks for in objects, lists and dicts keeps its gradient, too, where it jumps."""
    given = state.copy()
    if not read:
        return [], given
    _, _, path = this.cuts.levels[-1]
    return [*copy.deepcopy(taken), *this.statements_backward(read, given, path)], given


def _restored(this: Reverse, state: State, known: int) -> list[ast.stmt]:
    """What the rest of an iteration restores, without its adjoints; the last statements apart that are known."""
    done: list[ast.stmt] = []
    with _restoring(this):
        for s, before, path in reversed(this.cuts.levels):
            done += [this.pop((s, v), v, s) for v in reversed(this.records.before.get(s, []))]
            done += this.statements_backward(before[: len(before) - known], this.lists_only(state), path)
            known = 0
    return done


@contextmanager
def _restoring(this: Reverse) -> Iterator[None]:
    this.cuts.restoring, outer = True, this.cuts.restoring
    levels, this.cuts.levels = this.cuts.levels, list(this.cuts.levels)
    yield
    this.cuts.restoring, this.cuts.levels = outer, levels


def cut_short(
    this: Reverse, s: ast.stmt, body: list[ast.stmt], cuts: list[Cut], path: tuple[Records, ...], state: State
) -> list[ast.stmt]:
    """A backward loop that blocks may cut short, and after it what they left to be restored."""
    assert isinstance(s, (ast.For, ast.While))
    flagged = [cut for cut in cuts if cut.flag]
    twice = isinstance(s, Once) and any(len(cut.jumps) > 1 for cut in cuts)
    if isinstance(s, Once) and not twice:
        this.cuts.flags += [cut.flag for cut in flagged if "break" in cut.jumps]
    before: list[ast.stmt] = [assign(cut.flag, constant(False), s) for cut in flagged]
    before += [x for cut in flagged if "continue" in cut.jumps for x in cut.start]
    again: list[ast.stmt] = [
        at(RestoringIf(name(cut.flag), [assign(cut.flag, constant(False), s), *inner], []), s)
        for cut in flagged
        if "continue" in cut.jumps and cut.rest
        for inner in [
            [*this.stores.handed_over(s, this.stores.again(cut.rest), cut.asked), *_handed_on(this, s, state)]
        ]
    ]
    after: list[ast.stmt] = [at(RestoringIf(name(cut.flag), cut.rest, []), s) for cut in flagged if cut.rest]
    if any("break" in cut.jumps for cut in cuts):
        with _restoring(this):
            restores = this.backward(s.body, this.lists_only(state), path)
        if restores:
            left = this.scribe.names.numbered("left")
            before.append(assign(left, this.trip_count(s), s))
            body = [assign(left, expression("n - 1", n=left), s), *body]
            loop = this.reversed_loop(s, restores, left)
            assert isinstance(loop, ast.For)
            after.append(at(RestoringFor(loop.target, loop.iter, loop.body, []), s))
    asked = set.intersection(*(cut.asked for cut in flagged)) if flagged else set()
    after = _all_handed(this, s, after, asked, state) if flagged else after
    whole = _tried_twice(this, s, body) if twice else this.reversed_loop(s, [*again, *body])
    return [*before, whole, *after]


def _tried_twice(this: Reverse, s: ast.stmt, body: list[ast.stmt]) -> ast.stmt:
    """A step whose blocks both end the loop and leave out steps: what is not ended comes around once more.

    for trip in range(2):
        ended = trip == 0
        if trip == 1:
            break
        body
    """
    trip, ended = (this.scribe.names.numbered(v) for v in ("trip", "ended"))
    this.cuts.flags.append(ended)
    known = assign(ended, expression("t == 0", t=trip), s)
    leave = at(ast.If(expression("t == 1", t=trip), [at(ast.Break(), s)], []), s)
    trips = expression("r(2)", r=this.builtin("range"))
    return at(ast.For(ast.Name(trip, ast.Store()), trips, [known, leave, *body], []), s)


def _all_handed(this: Reverse, s: ast.stmt, restores: list[ast.stmt], asked: set[str], state: State) -> list[ast.stmt]:
    """What restores, and after it what names keep."""
    return [*this.stores.handed_over(s, restores, asked), *_handed_on(this, s, state)]


def _handed_on(this: Reverse, s: ast.stmt, state: State) -> list[ast.stmt]:
    """Where the memory is an earlier one: what it does not have yet belongs to the objects and lists themselves."""
    memory = this.unit.context.memory
    done: list[ast.stmt] = []
    if memory not in state.held:
        return done
    b = this.adjoint(memory)
    holders = sorted(_holders(this, state.held))
    if not holders:
        alone = [name(b), name(memory), constant(None), name(b)]
        return [assign(b, this.scribe.call("handed_slots", *alone), s)]
    for v in holders:
        parts = [name(b), name(memory), name(v), name(b)]
        own = this.scribe.call("handed_owner", *parts)
        done.append(assign(this.adjoint(v), this.scribe.call("add_grad", name(this.adjoint(v)), own), s))
        done.append(assign(b, this.scribe.call("handed_slots", *parts), s))
    return done


def _holders(this: Reverse, held: set[str]) -> set[str]:
    """Variables that may hold objects, lists or arrays which a memory follows."""
    apart = {this.unit.context.memory} | this.stores.shadowed | this.lists
    return {v for v in held - apart if not this.shapes.of(name(v)).scalar}


def jumping(body: list[ast.stmt]) -> set[ast.stmt]:
    """The statements in loops that blocks may cut short."""
    found: set[ast.stmt] = set()
    for s in statements(body):
        if isinstance(s, (ast.For, ast.While)) and any(_jumps(x) for x in statements(s.body)):
            found |= set(statements(s.body))
    return found


def _jumps(s: ast.stmt) -> bool:
    return isinstance(s, Insertion) and bool(s.block.jumps)
