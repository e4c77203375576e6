"""Reverse mode: a forward pass that keeps what it overwrites, and a backward pass over it, statement by statement.

The backward pass knows at every point which adjoints are zero: the first contribution to an adjoint is an assignment,
later ones are sums, and nothing is computed for an adjoint that is zero. Zeros are made where branches and loops meet.
"""

from __future__ import annotations

import ast
from typing import Any

from tangent.analysis.accumulators import accumulations
from tangent.analysis.liveness import liveness, surely_bound
from tangent.analysis.recorded import Block, Records, recorded
from tangent.analysis.shapes.facts import Fact
from tangent.analysis.shapes.infer import keeping_shape, shapes
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.watched import watched
from tangent.syntax.blocks import Attempt, Enter, Leave
from tangent.syntax.cells import Cell
from tangent.syntax.core import is_plain_range, is_range
from tangent.syntax.inserted import Insertion
from tangent.syntax.quote import assign, at, constant, expression, name, quote
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import writes
from tangent.transform.attempts.failing import early_records
from tangent.transform.attempts.marks import reentered
from tangent.transform.calls import Derivatives, Groups
from tangent.transform.inserted.block import inserted
from tangent.transform.inserted.cuts import Cuts, cut_short, jumping
from tangent.transform.prepare import Prepared, prepare
from tangent.transform.reverse.frame import given_shapes
from tangent.transform.reverse.intact import left_intact
from tangent.transform.reverse.lists import half_emptied, read_when_complete, taken_from_twice
from tangent.transform.reverse.ranges import first_steps
from tangent.transform.reverse.state import Passes, Site, State
from tangent.transform.reverse.statements import Statements
from tangent.transform.reverse.temporaries import is_mask
from tangent.transform.rows import rows_written
from tangent.transform.scribe import Scribe
from tangent.transform.storage.settle import Settled
from tangent.transform.stores.useful import Stores
from tangent.transform.tuples import plain_tuples


def reverse(
    settled: Settled, scribe: Scribe, derivatives: Derivatives, seed: str, everything: bool,
    numbers: frozenset[str] = frozenset(), given: Groups | None = None, adding: tuple[str, ...] = (),
) -> Passes:  # fmt: skip
    """The forward and backward pass of a function.

    `seed` is the name of the adjoint of its result, `numbers` the parameters known to be numbers or arrays, `given`
    those whose shadows the caller brings, `adding` those whose adjoints it brings.
    """
    return Reverse(settled, scribe, derivatives, seed, everything, numbers, given or Groups()).run(adding)


class Reverse(Statements):
    def __init__(
        self, settled: Settled, scribe: Scribe, derivatives: Derivatives, seed: str, everything: bool,
        numbers: frozenset[str], given: Groups,
    ) -> None:  # fmt: skip
        unit = settled.unit
        self.unit, self.active, self.scribe, self.derivatives = unit, settled.activity.names(), scribe, derivatives
        self.records_everything = everything
        self.stores = Stores(self, settled, given)
        self.stores.name_shadow_of_result(unit.result, seed)
        self.prepared: Prepared = prepare(unit.core.body[:-1], unit.operations, self.active, scribe, settled.storage)
        self.operations = self.prepared.operations
        self.active = frozenset(self.prepared.active)
        self.pairs_of: dict[ast.stmt, tuple[str, str, Any]] = {}
        self.adding: dict[ast.stmt, tuple[str, ...]] = {}
        self.shapes: Shapes
        self.first_shapes = derivatives.shapes(unit, numbers, given_shapes(unit), settled.arrays)
        self.shapes = self.first_shapes
        self.masks = {op.targets[0] for op in self.operations.values() if is_mask(op)}
        self.caught = watched(self.prepared.body, unit.context.scope.resolve)
        self.prepared.body = self.stores.carry(self.lower_calls(self.prepared.body))
        tree = replace(unit.core, body=[*self.prepared.body, unit.core.body[-1]])
        twins = {self.adjoint(v): v for v in self.stores.shadowed} if self.stores.carried else {}
        self.records: Records = recorded(tree, everything, unit.context.declared, unit.inputs, twins)
        known = given_shapes(unit)
        self.live, results = liveness(tree), derivatives.result_fact
        self.jumping = jumping(self.prepared.body)
        presumed = unit.context.presumed
        self.shapes = shapes(tree, self.operations, self.live, results, numbers, known, settled.arrays, presumed)
        scribe.kept_shapes = keeping_shape(self.operations, self.shapes)
        self.pushes: dict[Site, ast.stmt] = {}
        self.cuts = Cuts()
        self.deferred: list[ast.stmt] = []
        self.stacks: dict[Site, str] = {}
        self.chosen = self.chosen_from()
        self.wide: dict[str, Fact] = {}
        self.zeroed: set[str] = set()
        self.computed: dict[str, bool] = {}
        self.lists = {v for op in self.operations.values() if op.kind == "push" for v in op.targets}
        self.lists |= {v for op in self.operations.values() if op.kind == "pop" for v in op.operands}
        self.forked = taken_from_twice(self.operations)
        self.complete = read_when_complete(self.prepared.body, self.operations)
        self.handed = {v for op in self.operations.values() if op.kind == "pack" for v in op.operands} & self.lists
        self.tuples = plain_tuples(unit, self.operations, derivatives.gives_tuple)
        self.stores.check()
        if unit.source.file.startswith("<generated"):
            self.handed |= half_emptied(self.prepared.body, self.operations)
        self.passing = self.passing_temporaries()
        self.summed = self.summed_temporaries()
        adding = accumulations(self.prepared.body, self.operations)
        self.sums = {id(self.operations[s]): v for s, v in adding.items() if v not in self.lists}
        self.rows = rows_written(self.operations)
        read = [op for op in self.operations.values() if op.kind == "rule" and op.rule.name == "getitem"]
        self.items: set[str] = {op.operands[0] for op in read}
        cells = {op.operands[0] for op in read if isinstance(op.values["index"], Cell)}
        self.celled: set[str] = {v for v in cells if not self.shapes.of(name(v)).array}

    def run(self, adding: tuple[str, ...] = ()) -> Passes:
        result = self.unit.result
        forward = self.forward(self.prepared.body, ())
        state = State(held=set(adding), lazy=set(adding))
        if result in self.active and result not in self.stores.shadowed:
            state.held.add(result)
        seed = self.scribe.derivatives["b", result] if result in self.active else ""
        own = [assign(seed, self.scribe.call("as_list", name(seed)))] if result in self.lists & self.active else []
        backward = own + self.stores.with_given(self.backward(self.prepared.body, state, ()))
        forward, backward = self.stores.without_useless(forward, backward)
        forward = left_intact(forward, backward, self.prepared, self.unit, self.stores.settled.summary, self.scribe)
        sure = surely_bound(self.prepared.body, {*self.unit.inputs, *self.unit.context.declared})
        kept = {v for _, v in self.pushes}
        names = [v for v in self.records.unbound if v in kept and v not in self.unit.context.declared]
        names += sorted(v for v in self.zeroed if v not in sure and v not in names)
        unbound = [assign(v, constant(None)) for v in names]
        stacks = [assign(v, ast.List([], ast.Load())) for v in (*self.stacks.values(), *self.stores.stacks)]
        shape = self.shapes.of(name(result)).shape
        first = [*stacks, *unbound, *forward]
        return Passes(first, backward, state, shape, self.shapes, result in self.active, self.stores, self.cuts.flags)

    def forward(self, body: list[ast.stmt], path: tuple[Block, ...]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            for v in self.records.before.get(s, []):
                done.append(self.push((s, v), v, s, path))
            done += self.stores.save(s, path)
            match s:
                case ast.If(body=[ast.Break()]):
                    done.extend(self.end_records(path, s))
                    done.append(s)
                    return done
                case ast.If(body=then, orelse=other):
                    first, second = (s, "body"), (s, "orelse")
                    new = replace(
                        s, body=self.forward(then, (*path, first)), orelse=self.forward(other, (*path, second))
                    )
                    done += self.attempt(new) if isinstance(new, Attempt) and self.in_loop(path) else [new]
                case ast.For(body=inner) | ast.While(body=inner):
                    self.check(s)
                    done.append(replace(s, body=self.forward(inner, (*path, (s, "body")))))
                case Insertion():
                    continue
                case _:
                    self.check(s)
                    done += [s, *self.stores.kept_after(s)]
        return done + self.end_records(path, body[-1] if body else None)

    def attempt(self, s: Attempt) -> list[ast.stmt]:
        """An attempt that takes off what it has kept if it fails: the backward pass of a failed one takes nothing."""
        kept = {v: self.scribe.names.numbered("kept") for v in early_records(s, set(self.stacks.values()))}
        lengths = [quote("n = f(v)", n=n, f=self.builtin("len"), v=v) for v, n in kept.items()]
        off = [quote("del v[n:]", v=v, n=n) for v, n in kept.items()]
        return [*(at(x, s) for x in lengths), replace(s, orelse=[*s.orelse, *(at(x, s) for x in off)])]

    def backward(self, body: list[ast.stmt], state: State, path: tuple[Block, ...]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        if path:
            ends = self.records.at_end.get(path[-1], [])
            done += [self.pop((path[-1], v), v, body[-1]) for v in reversed(ends)]
        done += self.stores.rebuild(body, path)
        return done + self.statements_backward(body, state, path)

    def statements_backward(self, body: list[ast.stmt], state: State, path: tuple[Block, ...]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        self.stores.remembered(body)
        ready: set[str] = set()
        for position, s in reversed(list(enumerate(body))):
            match s:
                case ast.If(body=[ast.Break()]):
                    continue
                case ast.If():
                    with self.cuts.inside(s, body[:position], path):
                        done += self.branch(s, state, path)
                case ast.For() | ast.While():
                    done += self.loop(s, state, path)
                case Insertion():
                    with self.cuts.inside(s, body[:position], path):
                        done += inserted(self, s, state)
                    continue
                case Enter() | Leave():
                    done += reentered(s, body, self.unit.context.scope.local)
                    continue
                case _:
                    done += self.stores.read_again(s, self.statement(s, state), body, ready)
                    continue
            done += [self.pop((s, v), v, s) for v in reversed(self.records.before.get(s, []))]
        return done

    def branch(self, s: ast.If, state: State, path: tuple[Block, ...]) -> list[ast.stmt]:
        one, two = state.copy(), state.copy()
        then = self.backward(s.body, one, (*path, (s, "body")))
        other = self.backward(s.orelse, two, (*path, (s, "orelse")))
        both = sorted(one.held | two.held)
        then += [self.zero(v, one, s) for v in both if v not in one.held]
        other += [self.zero(v, two, s) for v in both if v not in two.held]
        state.become(State(one.held | two.held, one.owned & two.owned, one.lazy | two.lazy))
        if not then and not other:
            return []
        if not then:
            return [at(ast.If(ast.UnaryOp(ast.Not(), s.test), other, []), s)]
        return [at(ast.If(s.test, then, other), s)]

    def loop(self, s: ast.stmt, state: State, path: tuple[Block, ...]) -> list[ast.stmt]:
        assert isinstance(s, (ast.For, ast.While))
        before: list[ast.stmt] = []
        tried: set[str] = set()
        inner_path = (*path, (s, "body"))
        written = {v for x in statements(s.body) for v in (self.operations[x].targets if x in self.operations else ())}
        shared: set[str] = set()  # adjoints that the body hands to others: a copy before the loop is not enough
        while True:
            snapshot = self.scribe.names.taken.copy(), dict(self.scribe.names._next)
            end = state.copy()
            with self.cuts.loop(state, s) as cuts:
                body = self.backward(s.body, end, inner_path)
            for cut in cuts:
                end.owned &= cut.state.owned
                end.lazy |= cut.state.lazy
            new = sorted(end.held - state.held)
            wanted = (self.item_reads(s) - shared - written) | (self.rows & written & end.owned - tried)
            copied = sorted(v for v in wanted if v in state.held and v not in state.owned)
            tried.update(copied)
            shared |= state.owned - end.owned
            kept = state.owned & end.owned
            lazier = end.lazy - state.lazy
            if not new and not copied and kept == state.owned and not lazier:
                break
            self.scribe.names.taken, self.scribe.names._next = snapshot
            self.scribe.names.taken.update(self.scribe.derivatives.values())
            for v in copied:
                before.append(assign(self.adjoint(v), self.scribe.call("copy", name(self.adjoint(v))), s))
            state.owned = kept | set(copied)
            state.lazy |= lazier
            before += [self.zero(v, state, s, dense=v not in written and self.is_summed_up(v)) for v in new]
        lost = sorted(state.held - end.held)
        body += [self.zero(v, end, s) for v in lost]
        lost = sorted({*lost, *(v for cut in cuts for v in cut.lost)})
        again = [v for v in lost if v in written and not self.shapes.of(name(v)).scalar]
        pops = len(self.records.at_end.get((s, "body"), []))
        body[pops:pops] = [
            assign(self.adjoint(v), self.scribe.call("refit", name(self.adjoint(v)), name(v)), s) for v in again
        ]
        state.lazy |= end.lazy
        state.owned &= end.owned
        if not body:
            return before
        if cuts:
            return before + cut_short(self, s, body, cuts, inner_path, state)
        return [*before, self.reversed_loop(s, body)]

    def item_reads(self, s: ast.stmt) -> set[str]:
        """Active variables that the loop reads by index."""
        assert isinstance(s, (ast.For, ast.While))
        found = set()
        for x in statements(s.body):
            op = self.operations.get(x)
            if op and op.kind == "rule" and op.rule.name == "getitem" and self.flows(op):
                found.add(op.operands[0])
        return found - self.stores.shadowed

    def lists_only(self, state: State) -> State:
        """The state in which nothing is computed, but lists of adjoints keep in step."""
        return State(state.held & self.lists)

    def adjoints_of(self, s: ast.stmt) -> set[str]:
        """The variables whose adjoints a statement sets."""
        set_ = set(writes(s))
        return {v for v in self.active if self.adjoint(v) in set_}

    def trip_count(self, s: ast.stmt) -> ast.expr:
        """How often a loop ran."""
        if (trips := self.prepared.trips.get(s)) is not None:
            return name(trips)
        assert isinstance(s, ast.For) and isinstance(s.iter, ast.Call)
        if is_plain_range(s.iter) and len(s.iter.args) == 1:
            return s.iter.args[0]
        return expression("n(l(r))", n=self.builtin("len"), l=self.builtin("list"), r=s.iter)

    def reversed_loop(self, s: ast.stmt, body: list[ast.stmt], trips: str | None = None) -> ast.stmt:
        trips = trips or self.prepared.trips.get(s)
        match s:
            case ast.While():
                return at(ast.For(self.counter(), self.range(trips or ""), body, []), s)
            case ast.For(target=target, iter=iter):
                if trips is None:
                    return at(ast.For(target, self.reversed(iter), body, []), s)
                if not is_range(iter):
                    return at(ast.For(self.counter(), self.range(trips), body, []), s)
                if (taken := first_steps(iter, trips)) is None:
                    taken = expression("l(r)[:n]", l=self.builtin("list"), r=iter, n=trips)
                return at(ast.For(target, self.reversed(taken), body, []), s)
            case _:
                raise AssertionError("not a loop")
