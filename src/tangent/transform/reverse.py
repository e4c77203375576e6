"""Reverse mode: a forward pass that keeps what it overwrites, and a backward pass over it, statement by statement.

The backward pass knows at every point which adjoints are zero: the first contribution to an adjoint is an assignment,
later ones are sums, and nothing is computed for an adjoint that is zero. Zeros are made where branches and loops meet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tangent.analysis.accumulators import accumulations
from tangent.analysis.liveness import liveness, surely_bound
from tangent.analysis.operation import Operation
from tangent.analysis.recorded import Block, Records, recorded
from tangent.analysis.shapes import NO_ATOMS, ROW_RULES, TO_REAL, Fact, Shapes, shapes
from tangent.errors import MissingRuleError, RuleError, TangentError, UnsupportedError
from tangent.rules.forms import is_ufunc_method, result_dtype
from tangent.rules.notation import Rule
from tangent.syntax.blocks import Attempt, Enter, Leave
from tangent.syntax.core import is_range
from tangent.syntax.inserted import Insertion
from tangent.syntax.names import as_identifier, identifiers
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.transform.attempts import reentered, refuse_early_records
from tangent.transform.calls import Derivatives, Groups, fit_arguments, leaf_names
from tangent.transform.checkpoint import constants_of
from tangent.transform.custom import refuse_missing
from tangent.transform.insert import Cuts, cut_short, inserted
from tangent.transform.ownership import is_new
from tangent.transform.prepare import Prepared, prepare
from tangent.transform.rows import Part, row_adjoint, rows_written
from tangent.transform.scribe import Scribe
from tangent.transform.storage import Settled
from tangent.transform.stores import Stores
from tangent.transform.unit import Unit


@dataclass
class State:
    """Which adjoints hold something, which of those arrays are nobody else's, which may be lazy zeros."""

    held: set[str] = field(default_factory=set)
    owned: set[str] = field(default_factory=set)
    lazy: set[str] = field(default_factory=set)

    def copy(self) -> State:
        return State(set(self.held), set(self.owned), set(self.lazy))

    def become(self, other: State) -> None:
        self.held, self.owned, self.lazy = other.held, other.owned, other.lazy


@dataclass
class Passes:
    """The two halves of a derivative, and what the adjoints hold at the end."""

    forward: list[ast.stmt]
    backward: list[ast.stmt]
    state: State
    shape: frozenset[str] | None
    facts: Shapes
    flows: bool
    stores: Stores


Site = tuple[Any, str]


def reverse(
    settled: Settled, scribe: Scribe, derivatives: Derivatives, seed: str, everything: bool,
    numbers: frozenset[str] = frozenset(), given: Groups | None = None, adding: tuple[str, ...] = (),
) -> Passes:  # fmt: skip
    """The forward and backward pass of a function.

    `seed` is the name of the adjoint of its result, `numbers` the parameters known to be numbers or arrays, `given`
    those whose shadows the caller brings, `adding` those whose adjoints it brings.
    """
    return Reverse(settled, scribe, derivatives, seed, everything, numbers, given or Groups()).run(adding)


class Reverse:
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
        self.first_shapes = shapes(
            unit.core, unit.operations, liveness(unit.core), derivatives.result_fact, numbers, given_shapes(unit),
            settled.arrays,
        )  # fmt: skip
        self.shapes = self.first_shapes
        self.masks = {op.targets[0] for op in self.operations.values() if _is_mask(op)}
        self.prepared.body = self.stores.carry(self.lower_calls(self.prepared.body))
        tree = replace(unit.core, body=[*self.prepared.body, unit.core.body[-1]])
        twins = {self.adjoint(v): v for v in self.stores.shadowed} if self.stores.carried else {}
        self.records: Records = recorded(tree, everything, unit.context.declared, unit.inputs, twins)
        known = given_shapes(unit)
        live, results = liveness(tree), derivatives.result_fact
        self.shapes = shapes(tree, self.operations, live, results, numbers, known, settled.arrays)
        self.pushes: dict[Site, ast.stmt] = {}
        self.cuts = Cuts()
        self.deferred: list[ast.stmt] = []
        self.stacks: dict[Site, str] = {}
        self.chosen = self.chosen_from()
        self.wide: dict[str, Fact] = {}
        self.zeroed: set[str] = set()
        self.lists = {v for op in self.operations.values() if op.kind == "push" for v in op.targets}
        self.lists |= {v for op in self.operations.values() if op.kind == "pop" for v in op.operands}
        self.complete = read_when_complete(self.prepared.body, self.operations)
        self.handed = {v for op in self.operations.values() if op.kind == "pack" for v in op.operands} & self.lists
        self.stores.check()
        if unit.source.file.startswith("<generated"):
            self.handed |= half_emptied(self.prepared.body, self.operations)
        self.passing = self.passing_temporaries()
        self.summed = self.summed_temporaries()
        adding = accumulations(self.prepared.body, self.operations)
        self.sums = {id(self.operations[s]): v for s, v in adding.items() if v not in self.lists}
        self.rows = rows_written(self.operations)
        self.items: set[str] = {
            op.operands[0] for op in self.operations.values() if op.kind == "rule" and op.rule.name == "getitem"
        }

    # Calls

    def lower_calls(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Calls through which a derivative flows return what their backward pass needs, too."""
        done: list[ast.stmt] = []
        for s in body:
            op = self.operations.get(s)
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.lower_calls(then), orelse=self.lower_calls(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=self.lower_calls(inner))
                    self.prepared.moved(s, new)
                    done.append(new)
                case ast.Assign(value=ast.Call() as value) if (
                    op and op.kind in ("call", "dynamic") and (self.flows(op) or self.stores.written_by(s))
                ):
                    done.append(self.lower_call(s, value, op))
                case _:
                    done.append(s)
        return done

    def flows(self, op: Operation) -> bool:
        """Whether a derivative goes through an operation."""
        return any(t in self.active for t in op.targets) and any(v in self.active for v in op.operands)

    def lower_call(self, s: ast.Assign, value: ast.Call, op: Operation) -> ast.stmt:
        arguments = fit_arguments(self.unit, value, op.callee) if op.kind == "call" else None
        if arguments is None:
            return self.lower_dynamic(s, value, op)
        refuse_missing(self.unit, value, op.callee, "reverse")
        groups = self.stores.groups(s, arguments.values)
        stored = {p for group in groups for p in group}
        wanted = tuple(p for p in arguments.active(self.active) if p not in stored)
        shadowed = {p for p, v in arguments.values.items() if any(n in self.stores.shadowed for n in leaf_names(v))}
        adding = tuple(p for p in constants_of(op.callee, wanted) if p not in shadowed) if not groups else ()
        fwd, bwd = self.derivatives.pair(
            op.callee, wanted, self.known_numbers(arguments.values), groups, arguments.known, adding
        )
        saved = self.scribe.names.numbered(f"{as_identifier(op.callee.__name__)}_saved")
        forward = self.scribe.use(fwd.name, fwd)
        new = at(
            ast.Assign(
                [ast.Tuple([ast.Name(op.targets[0], ast.Store()), ast.Name(saved, ast.Store())], ast.Store())],
                replace(value, func=name(forward)),
            ), s,
        )  # fmt: skip
        self.operations[new] = Operation(
            "call", (op.targets[0], saved), op.operands, value, values=arguments.values, callee=op.callee, why=saved
        )
        self.pairs_of[new] = (self.scribe.use(bwd.name, bwd), saved, wanted)
        self.adding[new] = adding
        self.stores.holding[saved] = op.operands
        self.stores.lowered(s, new, [p for group in groups for p in group], self.derivatives.gives_nothing(op.callee))
        return new

    def known_numbers(self, values: dict[str, Any]) -> frozenset[str]:
        """The parameters of a callee that surely receive numbers or arrays."""
        facts = self.first_shapes
        return frozenset(p for p, v in values.items() if isinstance(v, ast.expr) and facts.of(v).number)

    def lower_dynamic(self, s: ast.Assign, value: ast.Call, op: Operation) -> ast.stmt:
        """The callee is asked for its derivative when the call happens."""
        value = unbound_method(self.unit, value, self.active, self.scribe)
        positions: list[int | str] = []
        if isinstance(value.func, ast.Name) and value.func.id in self.active:
            positions.append("f")
        for i, a in enumerate(value.args):
            inner = a.value if isinstance(a, ast.Starred) else a
            if isinstance(inner, ast.Name) and inner.id in self.active:
                if isinstance(a, ast.Starred) and i != len(value.args) - 1:
                    raise self.unit.refuse(value, "a starred argument that is not the last", "its length is unknown")
                positions.append("*" if isinstance(a, ast.Starred) else i)
        positions += [
            k.arg or "**" for k in value.keywords if isinstance(k.value, ast.Name) and k.value.id in self.active
        ]
        start = sum(1 for a in value.args if not isinstance(a, ast.Starred))
        shown = ast.Tuple([constant(p if p != "*" else f"*{start}") for p in positions], ast.Load())
        saved = self.scribe.names.numbered("call_saved")
        function = name(self.scribe.runtime("call_fwd"))
        new = at(
            ast.Assign(
                [ast.Tuple([ast.Name(op.targets[0], ast.Store()), ast.Name(saved, ast.Store())], ast.Store())],
                ast.Call(function, [value.func, shown, *value.args], value.keywords),
            ), s,
        )  # fmt: skip
        self.operations[new] = Operation("dynamic", (op.targets[0], saved), op.operands, value, why=saved)
        self.pairs_of[new] = (self.scribe.runtime("call_bwd"), saved, positions)
        self.stores.holding[saved] = op.operands
        return new

    # The two passes

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
        sure = surely_bound(self.prepared.body, self.unit.inputs)
        kept = {v for _, v in self.pushes}
        names = [v for v in self.records.unbound if v in kept]
        names += sorted(v for v in self.zeroed if v not in sure and v not in names)
        unbound = [assign(v, constant(None)) for v in names]
        stacks = [assign(v, ast.List([], ast.Load())) for v in (*self.stacks.values(), *self.stores.stacks)]
        shape = self.shapes.of(name(result)).shape
        first = [*stacks, *unbound, *forward]
        return Passes(first, backward, state, shape, self.shapes, result in self.active, self.stores)

    def adjoint(self, v: str) -> str:
        return self.scribe.derivative(v, "b")

    # Forward

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
                    if isinstance(new, Attempt) and self.in_loop(path):
                        refuse_early_records(self.unit, new, set(self.stacks.values()))
                    done.append(new)
                case ast.For(body=inner) | ast.While(body=inner):
                    self.check(s)
                    done.append(replace(s, body=self.forward(inner, (*path, (s, "body")))))
                case Insertion():
                    continue
                case _:
                    self.check(s)
                    done.append(s)
        return done + self.end_records(path, body[-1] if body else None)

    def end_records(self, path: tuple[Block, ...], like: ast.stmt | None) -> list[ast.stmt]:
        if not path:
            return []
        return [self.push((path[-1], v), v, like, path) for v in self.records.at_end.get(path[-1], [])]

    def in_loop(self, path: tuple[Block, ...]) -> bool:
        return any(isinstance(owner, ast.For | ast.While) for owner, _ in path)

    def push(self, site: Site, v: str, like: ast.stmt | None, path: tuple[Block, ...]) -> ast.stmt:
        """Keep a value: on the variable's own list in a loop, under a name of its own outside."""
        if self.in_loop(path) or self.records.everything:
            stack = self.stacks[site] = self.scribe.names.numbered(f"{v}_stack")
            node: ast.stmt = ast.Expr(expression("s.append(v)", s=stack, v=v))
            if like is not None:
                at(node, like)
        else:
            kept = self.scribe.names.numbered(f"{v}_old")
            self.scribe.kept[kept] = v
            node = assign(kept, name(v), like)
        self.pushes[site] = node
        return node

    def pop(self, site: Site, v: str, like: ast.stmt) -> ast.stmt:
        match self.pushes[site]:
            case ast.Assign(targets=[ast.Name(id=kept)]):
                return assign(v, name(kept), like)
            case _:
                return assign(v, expression("s.pop()", s=self.stacks[site]), like)

    # Backward

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
                    code = self.statement(s, state)
                    done += self.stores.read_again(s, code, body, ready)
                    done += code
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

    def zero(self, v: str, state: State, like: ast.stmt, dense: bool = False) -> ast.stmt:
        """`bv = 0`, as lazily as possible."""
        state.held.add(v)
        self.zeroed.add(v)
        if v in self.lists:
            state.owned.add(v)
            return assign(self.adjoint(v), self.no_items(v), like)
        if self.shapes.of(name(v)).scalar:
            state.owned.add(v)
            return assign(self.adjoint(v), constant(0.0), like)
        if dense:
            state.owned.add(v)
            return assign(self.adjoint(v), self.scribe.call("init_grad", name(v)), like)
        state.lazy.add(v)
        state.owned.discard(v)
        return assign(self.adjoint(v), self.scribe.call("lazy_zero", name(v)), like)

    def loop(self, s: ast.stmt, state: State, path: tuple[Block, ...]) -> list[ast.stmt]:
        assert isinstance(s, ast.For | ast.While)
        before: list[ast.stmt] = []
        tried: set[str] = set()
        inner_path = (*path, (s, "body"))
        written = {v for x in statements(s.body) for v in (self.operations[x].targets if x in self.operations else ())}
        shared: set[str] = set()  # adjoints that the body hands to others: a copy before the loop is not enough
        while True:
            snapshot = self.scribe.names.taken.copy(), dict(self.scribe.names._next)
            end = state.copy()
            with self.cuts.loop(state, s.body) as cuts:
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

    def is_summed_up(self, v: str) -> bool:
        """Whether contributions to an adjoint are added to zeros made before the loop, in place."""
        number = self.shapes.of(name(v)).number
        if number and v not in self.lists:
            self.scribe.accumulators.add(self.adjoint(v))
        return number or v in self.items

    def item_reads(self, s: ast.stmt) -> set[str]:
        """Active variables that the loop reads by index."""
        assert isinstance(s, ast.For | ast.While)
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
        if _starts_at_zero(s.iter):
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
                plain = _starts_at_zero(iter)
                taken = self.range(trips) if plain else expression("l(r)[:n]", l=self.builtin("list"), r=iter, n=trips)
                return at(ast.For(target, self.reversed(taken), body, []), s)
            case _:
                raise AssertionError("not a loop")

    def builtin(self, identifier: str) -> str:
        return self.unit.context.builtin(identifier)

    def array_type(self) -> ast.expr:
        return ast.Attribute(name(self.scribe.library(np, "np")), "ndarray", ast.Load())

    def counter(self) -> ast.expr:
        return ast.Name(self.scribe.names.fresh("_"), ast.Store())

    def range(self, trips: str) -> ast.expr:
        return expression("r(n)", r=self.builtin("range"), n=trips)

    def reversed(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=identifier), args=[inner]) if identifier.rstrip("_") == "reversed":
                return inner
            case _:
                return expression("r(e)", r=self.builtin("reversed"), e=e)

    # One statement

    def check(self, s: ast.stmt) -> None:
        """Refuse what a derivative would have to flow through and cannot."""
        op = self.operations.get(s)
        if op is not None and op.kind == "opaque" and self.flows(op):
            raise refusal(self.unit, s, op)

    def statement(self, s: ast.stmt, state: State) -> list[ast.stmt]:
        op = self.operations.get(s)
        restores = [self.pop((s, v), v, s) for v in reversed(self.records.before.get(s, []))]
        if op is not None and op.kind == "shadow":  # after the adjoint of what it stands beside
            self.deferred = [*restores, *self.deferred]
            return []
        restores, self.deferred = [*restores, *self.deferred], []
        if op is None:
            return restores
        if op.kind in ("store", "augment"):
            if self.cuts.restoring:
                return self.stores.restored_only(s) + restores
            return self.stores.statement(s, op, state) + restores
        if op.kind in ("push", "pop") and any(v in self.stores.shadowed for v in (*op.targets, *op.operands)):
            return restores  # handles on lists: what they refer to is kept in names
        heard = [t for t in op.targets if t in state.held or t in self.stores.shadowed]
        if op.kind == "push":
            return self.adjoint_push(op, s, state) + restores
        silent = op.kind == "pop" and not (op.operands[0] in self.active and (heard or op.operands[0] in state.held))
        if silent and op.why == "read":
            return [at(ast.Expr(expression("s.append(v)", s=op.operands[0], v=op.targets[0])), s), *restores]
        if op.kind == "pop" and op.operands[0] in self.active and (heard or op.operands[0] in state.held):
            mark = comment(f"Grad of: {self.primal(s)}", s)
            before, _ = self.adjoint_pop(op, s, state)
            state.held.discard(op.targets[0])
            return [mark, *before, *restores]
        if s in self.stores.calls:
            return self.stores.call(s, op, state) + restores
        if not heard:
            return [*self.stores.restore(s), *restores]
        if not self.flows(op):
            for t in heard:
                state.held.discard(t)
            return restores
        mark = comment(f"Grad of: {self.primal(s)}", s)
        held = set(state.held)
        bound = [t for t in op.targets if t in self.stores.shadowed]
        if (code := self.stores.slots(s, op, state)) is not None:
            return [mark, *code, *restores]
        if bound and (code := self.stores.unpacked(s, op, bound[0], state)) is not None:
            return [mark, *code, *restores] if code else restores
        before, contributions = self.contributions(op, s, state)
        for t in op.targets:
            state.held.discard(t)
            state.owned.discard(t)
            state.lazy.discard(t)
        adds: list[ast.stmt] = list(before)
        own = [v for v in contributions if v in op.targets]
        for v in [*(v for v in contributions if v not in op.targets), *own]:
            for part in self.joined(contributions[v]) if v in own else contributions[v]:
                adds.append(self.accumulate(v, part, state, s))
        if bound:
            new = [v for v in sorted(state.held - held) if v not in op.targets]
            adds = self.stores.handed_back(s, op, adds, bound[0], [self.zero(v, state, s) for v in new])
            mark = mark if adds else comment("", s)
        if restores and self.reads_overwritten(op):
            return [mark, *restores, *adds]
        return [mark, *adds, *restores]

    def primal(self, s: ast.stmt) -> str:
        """The line of the user's source that a statement comes from."""
        return self.unit.source.statement_text(s)

    def reads_overwritten(self, op: Operation) -> bool:
        """Whether the adjoint reads the old value of the name that was assigned."""
        if op.kind != "rule":
            return False
        rule: Rule = op.rule
        wanted = self.wanted(op)
        reads = rule.reads(wanted)
        targets = set(op.targets)
        return any(
            k in reads and any(isinstance(n, ast.Name) and n.id in targets for n in ast.walk(v))
            for k, v in op.values.items()
        ) or (
            any(isinstance(v, ast.Name) and v.id in targets and v.id in self.active for v in op.values.values())
            and (rule.result not in reads)
        )

    def joined(self, parts: list[Part]) -> list[Part]:
        """Contributions to the adjoint that they are computed from: one sum, so that each reads the old value."""
        first, *rest = parts
        for part in rest:
            number = first.number or part.number
            value: ast.expr = ast.BinOp(first.value, ast.Add(), part.value)
            if not number:
                value = self.scribe.call("add_grad", first.value, part.value)
            first = Part(value, number, number)
        return [first]

    def accumulate(self, v: str, part: Part, state: State, like: ast.stmt) -> ast.stmt:
        """`bv = part`, or `bv = bv + part`."""
        b = self.adjoint(v)
        if v in self.stores.shadowed:
            if part.index is not None:
                return self.stores.add_item(v, part.index, part.value, like)
            return self.stores.add(v, part.value, like)
        if part.index is not None:
            return self.accumulate_item(v, part, state, like)
        if v in self.lists:
            value = part.value if v not in state.held else self.scribe.call("add_grad", name(b), part.value)
            state.held.add(v)
            state.owned.add(v)
            return assign(b, self.scribe.call("as_list", value), like)
        if v not in state.held:
            state.held.add(v)
            (state.owned.add if part.fresh else state.owned.discard)(v)
            return assign(b, part.value, like)
        if v not in state.lazy:
            state.owned.add(v)
        state.lazy.discard(v)
        if part.number or self.shapes.of(name(v)).number:
            return assign(b, ast.BinOp(name(b), ast.Add(), part.value), like)
        return assign(b, self.scribe.call("add_grad", name(b), part.value), like)

    def accumulate_item(self, v: str, part: Part, state: State, like: ast.stmt) -> ast.stmt:
        """A contribution to one item: in place where the adjoint is nobody else's."""
        b, index = self.adjoint(v), self.scribe.as_argument(part.index) if part.index is not None else None
        assert index is not None
        scattered = self.scribe.call("scatter", part.value, name(v), index)
        held, owned = v in state.held, v in state.owned
        state.held.add(v)
        state.owned.add(v)
        state.lazy.discard(v)
        if not held:
            return assign(b, scattered, like)
        if owned and v not in self.lists:
            return assign(b, self.scribe.call("add_part", name(b), index, part.value), like)
        if v in self.lists:
            return assign(b, self.scribe.call("add_item", name(b), name(v), index, part.value), like)
        return assign(b, self.scribe.call("add_grad", name(b), scattered), like)

    def contributions(self, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        """What each active operand receives from the adjoints of the targets."""
        match op.kind:
            case "copy":
                b = self.adjoint(op.targets[0])
                return [], {op.operands[0]: [Part(name(b))]}
            case "rule" if op.rule.name in ROW_RULES:
                return row_adjoint(self, op, s, state)
            case "rule":
                return self.by_rule(op, s)
            case "pack":
                return self.unpack_adjoint(op, s)
            case "unpack":
                return [], {op.operands[0]: [Part(self.pack_adjoint(op, s, state))]}
            case "pop":
                return self.adjoint_pop(op, s, state)
            case "closure":
                return [], self.captured_adjoint(op)
            case "call":
                return self.call_adjoint(op, s, state)
            case "dynamic":
                return self.dynamic_adjoint(op, s, state)
            case _:
                raise refusal(self.unit, s, op)

    def captured_adjoint(self, op: Operation) -> dict[str, list[Part]]:
        """The gradient of a closure falls apart into those of what it captured."""
        b = name(self.adjoint(op.targets[0]))
        captured = [v for v in op.operands if v in self.active]
        return {v: [Part(self.scribe.call("captured", b, constant(v), name(v)))] for v in captured}

    def wanted(self, op: Operation) -> list[str]:
        """The operands of a rule that are active in a call."""
        return [
            k
            for k, v in op.values.items()
            if k in op.rule.operands and any(n in self.active for n in leaf_names(_as_leaves(v)))
        ]

    def by_rule(self, op: Operation, s: ast.stmt) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        rule: Rule = op.rule
        target, b = op.targets[0], self.adjoint(op.targets[0])
        given = [(v, self.shapes.of(v)) for v in op.values.values()]
        listed = any(f.sequence and isinstance(v, ast.Name) and v.id in self.active for v, f in given)
        if rule.name == "multiply" and listed and not any(f.array for _, f in given):
            raise self.unit.refuse(
                s, "the repetition of a list", "'*' does not multiply here", "Use np.tile or a loop."
            )
        if rule.name == "getitem":
            return [], {op.operands[0]: [Part(name(b), index=op.values["index"])]}
        wanted = self.wanted(op)
        missing = [k for k in wanted if k not in {_operand(x) for x in rule.adjoint}]
        if missing:
            raise self.unit.refuse(
                s, f"'{rule.name}' by '{missing[0]}' in reverse mode", "its rule has no adjoint line for it",
                "Add one with @tangent.adjoint.",
            )  # fmt: skip
        values = {**self.scribe.array_values(op, self.shapes, wanted), rule.result: name(target)}
        seed: ast.expr = name(b)
        if (dtype := result_dtype(op.value, rule.kind)) is not None:
            seed = self.scribe.call("uncast", seed, dtype)
        before, found = self.scribe.template(rule, rule.adjoint, wanted, op, values, {rule.result: seed})
        parts: dict[str, list[Part]] = {}
        statements_: list[ast.stmt] = [at(x, s) for x in before]
        if rule.name in PRODUCTS and target in self.wide:  # it was left to us to sum the adjoint to the product's shape
            factors = [v for k, v in op.values.items() if k in rule.operands]
            statements_.insert(0, assign(b, self.scribe.call(f"fit_{rule.name}", name(b), *factors), s))
        for k in wanted:
            operand, value = op.values[k], found[k]
            if isinstance(operand, ast.Tuple):
                statements_ += self.spread_parts(operand, value, parts, s, rule.kind == "custom")
                continue
            assert isinstance(operand, ast.Name)
            if rule.name in UNBOUNDED and target in self.chosen:
                value = self.scribe.call("where_nonzero", name(b), value)
            if operand.id in self.summed and (inner := _spread_alone(value, operand.id)) is not None:
                value = rename(inner, {operand.id: self.summed[operand.id]})
            if rule.kind == "elementwise":
                value = self.fitted(value, operand, op, "left" if k == rule.parameters[0].name else "right")
            elif rule.kind == "custom":
                several = any(p.star and p.name == k for p in rule.parameters)
                value = self.scribe.call("fit_grad" if several else "unbroadcast", value, operand)
            arithmetic = isinstance(value, ast.BinOp | ast.UnaryOp)
            summed = isinstance(value, ast.Call) and rule.kind == "elementwise" and not self.shapes.joins(op)
            number = arithmetic or summed or self.shapes.operand(operand, op).number
            parts.setdefault(operand.id, []).append(Part(value, arithmetic or is_new(value), number))
        return statements_, parts

    def spread_parts(
        self, operand: ast.Tuple, value: ast.expr, parts: dict[str, list[Part]], s: ast.stmt, broadcast: bool
    ) -> list[ast.stmt]:
        """The adjoint of several arguments at once is a sequence of theirs."""
        held = self.scribe.names.numbered("parts")
        for i, e in enumerate(operand.elts):
            start = self.offset(operand.elts[:i])
            if isinstance(e, ast.Name) and e.id in self.active:
                part = expression("p[i]", p=held, i=start)
                part = self.scribe.call("unbroadcast", part, e) if broadcast else part
                parts.setdefault(e.id, []).append(Part(part))
            elif isinstance(e, ast.Starred) and isinstance(e.value, ast.Name) and e.value.id in self.active:
                items = expression("p[i:j]", p=held, i=start, j=self.offset(operand.elts[: i + 1]))
                parts.setdefault(e.value.id, []).append(Part(self.scribe.call("repack_from", e.value, items)))
        return [assign(held, value, s)]

    def chosen_from(self) -> frozenset[str]:
        """Values that np.where may leave out: where their adjoint is zero, so is all that follows from it."""
        found: set[str] = set()
        for s in reversed(list(statements(self.prepared.body))):
            op = self.operations.get(s)
            if op is None or op.kind != "rule":
                continue
            if op.rule.name == "where" or (op.rule.kind == "elementwise" and op.targets[0] in found):
                found.update(op.operands)
        return frozenset(found)

    def passing_temporaries(self) -> frozenset[str]:
        """Temporaries that one elementwise operation (or a product) makes and the next one uses up.

        Their adjoints need not be summed to their shape: the sum can wait for the operands they were made from.
        """
        made: dict[str, int] = {}
        used: dict[str, int] = {}
        user = identifiers(self.unit.source.tree)
        for block in _blocks(self.prepared.body):
            for s in block:
                op = self.operations.get(s)
                if op is None:
                    continue
                elementwise = op.kind == "rule" and op.rule.kind == "elementwise"
                for v in op.operands:
                    local = elementwise and made.get(v) == id(block)
                    used[v] = used.get(v, 0) + (1 if local else 2)
                passes = elementwise and op.rule.name not in TO_REAL
                if (passes or is_plain_product(op)) and op.targets[0] not in user:
                    made[op.targets[0]] = id(block)
        return frozenset(v for v in made if used.get(v) == 1)

    def summed_temporaries(self) -> dict[str, str]:
        """Temporaries that are made only to be summed up, and something of the same shape.

        Their adjoint is one number, which need not be spread where what it is multiplied with has the shape.
        """
        user = identifiers(self.unit.source.tree)
        used: dict[str, int] = {}
        for made_by in self.operations.values():
            for v in made_by.operands:
                used[v] = used.get(v, 0) + 1
        found: dict[str, str] = {}
        for block in _blocks(self.prepared.body):
            made: dict[str, Operation] = {}
            readers: dict[str, set[str]] = {}
            for s in block:
                op = self.operations.get(s)
                if op is not None and op.kind == "rule" and op.rule.name in ("sum", "mean"):
                    v = op.operands[0] if op.operands else ""
                    witness = self.witness(made[v]) if v in made and used[v] == 1 else ""
                    if witness and self.shapes.result(op).shape == NO_ATOMS:
                        found[v] = witness
                for v in (
                    writes(s) if isinstance(s, ast.Assign) else [v for x in (s, *statements([s])) for v in writes(x)]
                ):
                    for t in readers.pop(v, ()):
                        made.pop(t, None)
                    made.pop(v, None)
                if op is not None and op.kind == "rule" and op.rule.kind == "elementwise" and op.targets[0] not in user:
                    made[op.targets[0]] = op
                    for v in op.operands:
                        readers.setdefault(v, set()).add(op.targets[0])
        return found

    def witness(self, op: Operation) -> str:
        """An operand of the shape of the result, if every adjoint line brings that shape along."""
        whole = self.shapes.result(op)
        if whole.shape is None or not whole.number:
            return ""
        for k in self.wanted(op):
            reads = op.rule.reads([k])
            shapes = [self.shapes.of(op.values[r]).shape for r in reads if r in op.values]
            covered = op.rule.result in reads or any(s == whole.shape for s in shapes)
            if not covered:
                return ""
        same = [v for v in op.operands if self.shapes.of(name(v)).shape == whole.shape]
        return same[0] if same else ""

    def fitted(self, value: ast.expr, operand: ast.Name, op: Operation, side: str) -> ast.expr:
        """The contribution in the shape and dtype of the operand."""
        result = self.wide.get(op.targets[0]) or self.shapes.result(op)
        fact = self.shapes.operand(operand, op)
        if self.shapes.joins(op):
            assert isinstance(op.value, ast.BinOp)
            return self.scribe.call(f"{side}_part", value, op.value.left, op.value.right)
        if op.rule.name == "abs":  # the sign or phase of the operand brings its dtype along
            result = Fact(result.shape, fact.dtype, result.number, result.array)
        if fits(fact, result) or self.sums.get(id(op)) == operand.id:
            return value
        if operand.id in self.passing and result.number:
            self.wide[operand.id] = result
            return value
        return self.scribe.call("unbroadcast", value, operand)

    def unpack_adjoint(self, op: Operation, s: ast.stmt) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        """The adjoint of a tuple, list or dict falls apart into those of its items."""
        b = self.adjoint(op.targets[0])
        parts: dict[str, list[Part]] = {}
        match op.value:
            case ast.Dict(keys=keys, values=values):
                refuse_active_keys(self.unit, s, keys, self.active)
                for key, e in zip(keys, values):
                    if isinstance(e, ast.Name) and e.id in self.active:
                        if key is None:
                            item: ast.expr = self.scribe.call(
                                "items_like", name(b), e, self.later_keys(keys, values, e)
                            )
                        else:
                            item = expression("b[k]", b=b, k=key)
                        parts.setdefault(e.id, []).append(Part(item))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for i, e in enumerate(elts):
                    inner = e.value if isinstance(e, ast.Starred) else e
                    if isinstance(inner, ast.Name) and inner.id in self.active:
                        start = self.offset(elts[:i])
                        if isinstance(e, ast.Starred):
                            stop = self.offset(elts[: i + 1])
                            item = self.scribe.call("repack_from", inner, expression("b[i:j]", b=b, i=start, j=stop))
                        else:
                            item = expression("b[i]", b=b, i=start)
                        parts.setdefault(inner.id, []).append(Part(item))
        return [], parts

    def offset(self, before: list[ast.expr]) -> ast.expr:
        """The position behind some items of a display, starred ones among them."""
        plain = sum(1 for e in before if not isinstance(e, ast.Starred))
        found: ast.expr = constant(plain)
        for e in before:
            if isinstance(e, ast.Starred):
                length = expression("n(e)", n=self.builtin("len"), e=e.value)
                found = ast.BinOp(found, ast.Add(), length)
        return found

    def later_keys(self, keys: list[ast.expr | None], values: list[ast.expr], merged: ast.expr) -> ast.expr:
        """What comes after a merged dict in a display and may replace its items: keys and dicts."""
        position = next(i for i, v in enumerate(values) if v is merged)
        later = list(zip(keys, values))[position + 1 :]
        return ast.Tuple([ast.Tuple([k], ast.Load()) if k is not None else v for k, v in later], ast.Load())

    def pack_adjoint(self, op: Operation, s: ast.stmt, state: State) -> ast.expr:
        """The adjoint of what was unpacked is packed from those of the targets."""
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple) and isinstance(s.value, ast.Name)
        elts: list[ast.expr] = []
        for slot in s.targets[0].elts:
            inner = slot.value if isinstance(slot, ast.Starred) else slot
            assert isinstance(inner, ast.Name)
            held = inner.id in state.held
            part: ast.expr = name(self.adjoint(inner.id)) if held else self.scribe.call("init_grad", name(inner.id))
            elts.append(ast.Starred(part, ast.Load()) if isinstance(slot, ast.Starred) else part)
        if any(isinstance(e, ast.Starred) for e in elts):
            return self.scribe.call("repack_from", s.value, ast.Tuple(elts, ast.Load()))
        return ast.Call(name(self.scribe.runtime("repack")), [s.value, *elts], [])

    def adjoint_push(self, op: Operation, s: ast.stmt, state: State) -> list[ast.stmt]:
        """`stack.append(x)`: its adjoint pops."""
        stack = op.targets[0]
        shrinks = op.why == "read" and stack not in self.complete
        undo: list[ast.stmt] = [at(ast.Expr(expression("v.pop()", v=stack)), s)] if shrinks else []
        if stack not in self.active or stack not in state.held:
            return undo
        popped = expression("b.pop()", b=self.adjoint(stack))
        if stack in self.handed and op.operands:
            popped = self.scribe.call("pop_grad", name(self.adjoint(stack)), name(op.operands[0]))
        mark = comment(f"Grad of: {self.primal(s)}", s)
        if self.cuts.restoring:
            popped = expression("b.pop()", b=self.adjoint(stack))
        if op.operands and op.operands[0] in self.active and not self.cuts.restoring:
            held = self.scribe.names.numbered("b" + op.operands[0])
            first = assign(held, popped, s)
            return [mark, first, self.accumulate(op.operands[0], Part(name(held)), state, s), *undo]
        return [mark, at(ast.Expr(popped), s), *undo]

    def no_items(self, v: str) -> ast.expr:
        """The adjoint of a list where nothing has flowed yet; the records of generated code end up empty."""
        record = v.rstrip("_0123456789").endswith("_stack")
        generated = record and self.unit.source.file.startswith("<generated")
        return ast.List([], ast.Load()) if generated else self.scribe.call("init_grad", name(v))

    def adjoint_pop(self, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        """`x = stack.pop()`: its adjoint pushes."""
        stack, target = op.operands[0], op.targets[0]
        before: list[ast.stmt] = []
        if stack not in state.held:
            state.held.add(stack)
            before.append(assign(self.adjoint(stack), self.no_items(stack), s))
        item = name(self.adjoint(target)) if target in state.held else self.scribe.call("init_grad", name(target))
        before.append(at(ast.Expr(expression("b.append(v)", b=self.adjoint(stack), v=item)), s))
        if op.why == "read":
            before.append(at(ast.Expr(expression("s.append(v)", s=stack, v=target)), s))
        return before, {}

    def call_adjoint(self, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        backward, saved, wanted = self.pairs_of[s]
        own = [leaf for p in self.adding.get(s, ()) for leaf in leaf_names(op.values[p])]
        zeros = [self.zero(v, state, s) for v in own if v not in state.held]
        adjoints = [name(self.adjoint(v)) for v in own]
        value = call(backward, name(saved), self.stores.seed(s, op.targets[0], state), *adjoints)
        given = [(p, op.values[p]) for p in wanted]
        before, parts = self.hand_back(given, value, s, state, op.targets, frozenset(own))
        return [*zeros, *before], parts

    def dynamic_adjoint(self, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        backward, saved, positions = self.pairs_of[s]
        value = call(backward, name(saved), self.stores.seed(s, op.targets[0], state))
        assert isinstance(op.value, ast.Call)
        given: list[tuple[str, Any]] = []
        for p in positions:
            if isinstance(p, int):
                given.append((f"arg{p}", op.value.args[p]))
            elif p == "f":
                given.append(("function", op.value.func))
            elif p == "*":
                starred = op.value.args[-1]
                assert isinstance(starred, ast.Starred)
                given.append(("*args", starred.value))
            else:
                given.append((p, next(k.value for k in op.value.keywords if (k.arg or "**") == p)))
        return self.hand_back(given, value, s, state, op.targets)

    def hand_back(
        self, given: list[tuple[str, Any]], value: ast.expr, s: ast.stmt, state: State, targets: tuple[str, ...],
        own: frozenset[str] = frozenset(),
    ) -> tuple[list[ast.stmt], dict[str, list[Part]]]:  # fmt: skip
        """The adjoints that a callee returns go to the arguments it was given; those in `own` were given to it, too."""
        before: list[ast.stmt] = []
        parts: dict[str, list[Part]] = {}
        state.owned -= own
        if len(given) == 1 and own:
            return [assign(self.adjoint(v), value, s) for v in own], parts
        if len(given) == 1:
            self.hand_to(given[0][1], self.as_starred(*given[0], value), parts, before, s)
            return before, parts
        every = [n for _, argument in given for n in leaf_names(argument)]
        slots: list[str] = []
        for p, argument in given:
            known = (*state.held, *targets, *self.stores.shadowed)
            first = isinstance(argument, ast.Name) and argument.id not in known and p != "*args"
            if (first and every.count(argument.id) == 1) or (isinstance(argument, ast.Name) and argument.id in own):
                slots.append(self.adjoint(argument.id))
                state.held.add(argument.id)
            else:
                slots.append(self.scribe.names.numbered(f"b{p.strip('*')}"))
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in slots], ast.Store())
        before.append(at(ast.Assign([target], value), s))
        for slot, (p, argument) in zip(slots, given):
            if not (isinstance(argument, ast.Name) and slot == self.adjoint(argument.id)):
                self.hand_to(argument, self.as_starred(p, argument, name(slot)), parts, before, s)
        return before, parts

    def as_starred(self, p: str, argument: Any, value: ast.expr) -> ast.expr:
        """The adjoint of a starred argument is a sequence of the kind of the argument."""
        return self.scribe.call("repack_from", argument, value) if p == "*args" else value

    def hand_to(
        self, argument: Any, value: ast.expr, parts: dict[str, list[Part]], before: list[ast.stmt], s: ast.stmt
    ) -> None:
        match argument:
            case ast.Name(id=v):
                if v in self.active:
                    parts.setdefault(v, []).append(Part(value))
            case tuple() | dict():
                held = value
                if not isinstance(value, ast.Name):
                    held = name(self.scribe.names.numbered("parts"))
                    before.append(assign(held.id, value, s))
                items = enumerate(argument) if isinstance(argument, tuple) else argument.items()
                for key, e in items:
                    self.hand_to(e, expression("p[k]", p=held, k=constant(key)), parts, before, s)


def unbound_method(unit: Unit, value: ast.Call, active: frozenset[str], scribe: Scribe) -> ast.Call:
    """A method of an active object as a function that takes it; methods of arrays and containers have rules or none."""
    match value.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if owner in active:
            if any(hasattr(cls, attr) for cls in (np.ndarray, list, dict, float, set)) and not attr.startswith("__"):
                raise MissingRuleError(
                    f"cannot differentiate the method call '{ast.unparse(value)}'", unit.source.locate(value),
                    "there is no rule for this method", "Use a NumPy function, or write the step by hand.",
                )  # fmt: skip
            function = scribe.call("method_of", name(owner), constant(attr))
            return replace(value, func=function, args=[name(owner), *value.args])
        case _:
            return value


def refuse_active_keys(
    unit: Unit, s: ast.stmt, keys: list[ast.expr | None], active: frozenset[str]
) -> None:  # fmt: skip
    """What a dict holds has derivatives, what it is looked up by has none."""
    if any(isinstance(k, ast.Name) and k.id in active for k in keys):
        raise unit.refuse(
            s, "a dict whose keys depend on the input", "keys have no derivatives", "Use a list of pairs."
        )


def given_shapes(unit: Unit) -> dict[str, frozenset[str]]:
    """What a generated function says of its seed: that its shape is that of some other parameters."""
    known: dict[str, frozenset[str]] = getattr(unit.source.function, "shapes", {})
    return known


PRODUCTS = frozenset({"matmul", "dot"})
UNBOUNDED = frozenset(
    "divide reciprocal power power_integer float_power exp exp2 expm1 tan sinh cosh square multiply".split()
)


def is_plain_product(op: Operation) -> bool:
    """A product without options."""
    if op.kind != "rule" or op.rule.name not in PRODUCTS:
        return False
    options = [v for k, v in op.values.items() if k not in op.rule.operands]
    return all(isinstance(v, ast.Constant) and v.value is None for v in options)


def fits(operand: Fact, result: Fact) -> bool:
    """Whether an adjoint in the shape and dtype of the result already has those of the operand."""
    if not operand.number or operand.shape is None or result.shape is None:
        return False
    if operand.dtype is None or result.dtype is None:
        return False
    return operand.shape == result.shape and result.dtype <= (operand.dtype or NO_ATOMS)


def refusal(unit: Unit, s: ast.stmt, op: Operation) -> TangentError:
    """Why a derivative cannot flow through an operation."""
    where = unit.source.locate(op.value if op.value is not None and hasattr(op.value, "lineno") else s)
    if isinstance(op.callee, RuleError):
        return op.callee
    what = ast.unparse(op.value) if op.value is not None else ast.unparse(s)
    if op.why == "no rule":
        shown = getattr(op.callee, "__qualname__", repr(op.callee))
        module = getattr(op.callee, "__module__", "") or ""
        if is_ufunc_method(op.callee):
            shown, module = f"{getattr(op.callee.__self__, '__name__', '')}.{op.callee.__name__}", "numpy"
        return MissingRuleError(
            f"no rule for '{module + '.' if module else ''}{shown}'", where,
            "it has no Python source and nobody has said what its derivative is",
            "Give it a rule with @tangent.adjoint, or keep it away from what the derivative depends on.",
        )  # fmt: skip
    if op.why == "global":
        return UnsupportedError(
            f"cannot differentiate the assignment to the global '{op.targets[0]}'", where,
            "the result depends on it", "Compute with a local variable, and assign it to the global at the end.",
        )  # fmt: skip
    if op.why == "method":
        return MissingRuleError(
            f"cannot differentiate the method call '{what}'", where, "there is no rule for this method",
            "Use a NumPy function, or give the method a rule with @tangent.adjoint.",
        )  # fmt: skip
    if op.why == "attribute":
        return UnsupportedError(
            f"cannot differentiate '{what}'", where, "there is no rule for this attribute",
            "Pass the value as an argument of its own.",
        )  # fmt: skip
    if op.why == "iterator":
        return UnsupportedError(
            f"cannot differentiate a loop over '{what}'", where, "it is not a sequence that can be walked backward",
            "Wrap it in list(...) before the loop.",
        )  # fmt: skip
    if op.why in ("with", "try", "match", "classdef"):
        word = op.why.replace("classdef", "class")
        return UnsupportedError(
            f"cannot differentiate what happens inside '{word}'", unit.source.locate(s),
            f"'{', '.join(t for t in op.targets)}' depends on the input and is computed there",
            f"Move the computation out of the '{word}'.",
        )  # fmt: skip
    kind = type(op.value).__name__
    return UnsupportedError(
        f"cannot differentiate '{what}'", where, f"derivatives do not flow through {_describe(kind)}",
        "Write it as a loop or as a function of its own.",
    )  # fmt: skip


def _describe(kind: str) -> str:
    return {
        "Lambda": "a lambda that is made here", "ListComp": "a list comprehension", "DictComp": "a dict comprehension",
        "SetComp": "a set comprehension", "GeneratorExp": "a generator expression", "Yield": "'yield'",
    }.get(kind, f"'{kind}'")  # fmt: skip


def _is_mask(op: Operation) -> bool:
    """Whether an operation gives booleans, or arrays of them: as an index they name nothing twice."""
    match op.value:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr.startswith(("logical_", "isnan", "isfinite", "isinf"))
        case _:
            return False


def _spread_alone(e: ast.expr, operand: str) -> ast.expr | None:
    """What a plain `spread(e, operand)` spreads."""
    match e:
        case ast.Call(func=ast.Name(id=function), args=[inner, ast.Name(id=v)], keywords=[]) if v == operand:
            return inner if function.rstrip("_") == "spread" else None
        case _:
            return None


def half_emptied(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists of generated code from which a loop that was cut short may not have taken everything."""
    found: set[str] = set()
    for s in statements(body):
        match s:
            case ast.For(body=[*_, ast.If(body=[ast.Break()])]) | ast.While(body=[*_, ast.If(body=[ast.Break()])]):
                inside = [operations[x] for x in statements(s.body) if x in operations]
                found |= {op.operands[0] for op in inside if op.kind == "pop"}
    return found


def read_when_complete(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists that nothing reads before the last item is on them: the backward pass need not take the items off again."""
    made = [op.targets[0] for op in operations.values() if op.kind == "pack" and isinstance(op.value, ast.List)]
    taken = {v for op in operations.values() if op.kind == "pop" for v in op.operands}
    found: set[str] = set()
    for block in _blocks(body):
        for start, s in enumerate(block):
            op = operations.get(s)
            if op is None or op.kind != "pack" or made.count(op.targets[0]) != 1 or op.targets[0] in taken:
                continue
            v, rest = op.targets[0], block[start + 1 :]
            pushes = [x for x in operations if operations[x].kind == "push" and operations[x].targets[0] == v]
            last = max((i for i, x in enumerate(rest) if any(y in pushes for y in statements([x]))), default=-1)
            growing = list(statements(rest[: last + 1]))
            alone = not any(v in header_reads(x) for x in growing if x not in pushes)
            if pushes and all(x in growing for x in pushes) and alone:
                found.add(v)
    return found


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A block and all blocks inside it."""
    yield body
    for s in body:
        if isinstance(s, ast.If | ast.For | ast.While):
            yield from _blocks(s.body)
            yield from _blocks(s.orelse)


def _as_leaves(e: ast.expr) -> Any:
    if isinstance(e, ast.Starred):
        return e.value
    return tuple(_as_leaves(x) for x in e.elts) if isinstance(e, ast.Tuple) else e


def _operand(s: ast.Assign) -> str:
    match s.targets[0]:
        case ast.Subscript(slice=ast.Name(id=who)):
            return who
        case _:
            return ""


def _starts_at_zero(e: ast.expr) -> bool:
    return (
        isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.startswith("range") and len(e.args) == 1
    )
