"""Loops as functions of their own: for reverse mode, where `with tangent.checkpoint(...)` stands around a loop.

with checkpoint(10):                    h = f_loop(n, h, w)
    for t in range(n):            ->
        h = np.tanh(w * h)              def f_loop(n, h, w): for t in range(n): ...; return h
                                        def f_step(t, h, w): h = np.tanh(w * h); return h

The state of the loop is what its steps assign and somebody reads later: the next step, the test, or the code after the
loop. The call is a call like any other; that its derivative runs steps again is said in `transform/checkpoint.py`.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed

from tangent import runtime
from tangent.analysis.activity import activity
from tangent.analysis.liveness import live_into, liveness, surely_bound
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.storage import Storage
from tangent.normalise.versions import versions
from tangent.rules.classify import classified, classify
from tangent.rules.table import table
from tangent.runtime.checkpoint import checkpoint
from tangent.source.cells import cells_of
from tangent.source.naming import home_of
from tangent.syntax.blocks import Enter, Leave
from tangent.syntax.core import is_range
from tangent.syntax.inserted import Insertion, Once
from tangent.syntax.print import print_function
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import function_node, rename, replace, statements
from tangent.syntax.uses import assigned_inside, expression_reads, header_reads
from tangent.transform.inserted.skipped import plain_blocks
from tangent.transform.made_anew import lists_made_anew
from tangent.transform.repeatable import Read, Written, nothing, refuse_unrepeatable
from tangent.transform.storage.settle import Settled
from tangent.transform.unit import Unit, unit

Checkpoint = int | bool | None  # how many snapshots; True for as many as its length asks for


@dataclass(frozen=True)
class Loop:
    """A loop that was made a function: its steps, its state, what they read besides, and how many snapshots."""

    statement: ast.For | ast.While
    step: types.FunctionType
    state: tuple[str, ...]
    constants: tuple[str, ...]
    results: tuple[str, ...]
    count: ast.expr
    stop: str  # what a step says where the loop ends with `break`
    grown: tuple[str, ...]  # lists that the steps append to
    begins: Mapping[str, str]  # what a variable of the state is before the first step, where that has another name
    ends: bool  # whether inserted code may end the backward loop


def loop_of(function: object) -> Loop | None:
    """The loop that a function stands for."""
    return getattr(function, "loop", None)


def is_checkpointed(this: Unit, count: Checkpoint) -> bool:
    """Whether any loop of a function is."""
    return count is not None or any(isinstance(s, Enter) and is_mark(s, this) for s in statements(this.core.body))


def outlined(
    settled: Settled, wrt: tuple[str, ...], count: Checkpoint, read: Read, written: Written, given: frozenset[str]
) -> Unit:
    """The function with calls for the loops that are checkpointed; with a count, for all outermost ones.

    `given` are the parameters that the caller lets the function write into.
    """
    return _Outline(settled.unit, wrt, count, read, written, settled.storage, given).run()


def unmarked(this: Unit) -> list[ast.stmt]:
    """The body of a function without the marks of checkpoints."""
    return _Outline(this, (), None, unit, nothing).block(this.core.body, None)


def is_mark(s: Enter, this: Unit) -> bool:
    match s.value:
        case ast.Call(func=func):
            return this.context.scope.resolve(func) is checkpoint
        case _:
            return False


class _Outline:
    def __init__(
        self, this: Unit, wrt: tuple[str, ...], count: Checkpoint, read: Read, written: Written,
        storage: Storage | None = None, given: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.this, self.count, self.read, self.written = this, count, read, written
        self.storage, self.given = storage or Storage(), given
        loops = frozenset(s for s in statements(this.core.body) if isinstance(s, (ast.For, ast.While)))
        self.live = liveness(this.core, loops)
        self.active = activity(this.core, this.operations, wrt, (this.result,)).names()
        self.operations: Operations = dict(this.operations)
        self.unbound: list[str] = []

    def run(self) -> Unit:
        every = None if self.count is None else constant(None if self.count is True else self.count)
        body = self.block(self.this.core.body, every)
        first: list[ast.stmt] = []
        for v in dict.fromkeys(self.unbound):
            first.append(assign(v, constant(None), body[0]))
            self.operations[first[-1]] = Operation("constant", (v,), (), constant(None))
        core = replace(self.this.core, body=[*first, *body])
        left = {x: self.operations[x] for x in statements(core.body) if x in self.operations}
        return Unit(self.this.source, core, self.this.context, left)

    def block(self, body: list[ast.stmt], count: ast.expr | None) -> list[ast.stmt]:
        """The block with calls for its loops, without the marks."""
        done: list[ast.stmt] = []
        around: list[ast.expr | None] = []  # what each `with` that is open says
        for s in body:
            asked = next((c for c in reversed(around) if c is not None), count)
            match s:
                case Enter():
                    around.append(self.asked(s) if is_mark(s, self.this) else None)
                    done += [] if is_mark(s, self.this) else [s]
                case Leave():
                    done += [] if around.pop() is not None else [s]
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then, asked), orelse=self.block(other, asked)))
                case ast.For() | ast.While() if asked is not None and self.is_active(s):
                    done += self.call(s, asked)
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=self.block(inner, None))
                    if s in self.operations:
                        self.operations[new] = self.operations[s]
                    done.append(new)
                case _:
                    done.append(s)
        return done

    def asked(self, s: Enter) -> ast.expr:
        """How many snapshots a mark asks for."""
        match s.value:
            case ast.Call(args=[], keywords=[]):
                return constant(None)
            case ast.Call(args=[e], keywords=[]) | ast.Call(args=[], keywords=[ast.keyword(arg="what", value=e)]):
                return e
            case _:
                raise self.this.refuse(s, "'with checkpoint'", "it takes the number of snapshots", "Pass a number.")

    def is_active(self, s: ast.stmt) -> bool:
        return any(t in self.active for x in statements([s]) for t in self.targets(x))

    def targets(self, s: ast.stmt) -> tuple[str, ...]:
        op = self.this.operations.get(s)
        return op.targets if op is not None else ()

    def call(self, s: ast.For | ast.While, count: ast.expr) -> list[ast.stmt]:
        """The call of the loop, and the assignment of what it gives."""
        self.check(s)
        if expression_reads(count) & assigned_inside(s.body):
            raise self.refuse(s, "it changes how many snapshots it keeps", "Give the number another name.")
        after, loop = self.live.after[s], self.made_anew(s)
        local = self.this.context.scope.local
        elsewhere = self.assigned_outside(s)
        own = (assigned_inside(loop.body) - self.this.context.declared) | (set(self.pushed(loop)) & elsewhere)
        results = tuple(sorted(own & after))
        reads = ((live_into([loop]) | expression_reads(count)) & local) | (set(results) & elsewhere)
        parameters = tuple(sorted((reads & elsewhere) - set(self.this.context.scope.imports)))
        self.unbound += sorted(set(parameters) - self.bound_before(s))
        buffers = self.buffers(loop, after)
        function = self.function(loop, parameters, results, count, buffers)
        title = self.this.context.use(function.__name__, function)
        value = ast.Call(name(title), [name(p) for p in parameters], [])
        target = results[0] if len(results) == 1 else self.fresh("states" if results else "t")
        first = assign(target, value, s)
        done: list[ast.stmt] = [first]
        if len(results) > 1:
            slots = ast.Tuple([ast.Name(v, ast.Store()) for v in results], ast.Store())
            done.append(at(ast.Assign([slots], name(target)), s))
        for x in done:
            self.operations[x] = self.classified(x)
        return done

    def classified(self, s: ast.stmt) -> Operation:
        op = classified(s, self.this.context, table())
        assert op is not None
        return op

    def check(self, s: ast.For | ast.While) -> None:
        """What a loop whose steps are run again cannot hold."""
        if isinstance(s, ast.For) and not is_range(s.iter):
            raise self.refuse(s, "it loops over an iterator, which gives each item once", "Wrap it in list(...).")
        if assigned_inside(s.body) & self.this.context.declared:
            raise self.refuse(s, "it assigns a variable from outside the function", "Return the value instead.")
        refuse_unrepeatable(self.this, [s], self.read, self.written)
        for x in statements(s.body):
            op = self.this.operations.get(x)
            if op is not None and op.kind == "pop" and op.operands[0] in self.assigned_outside(s):
                taken = self.this.source.shown(op.operands[0])
                raise self.refuse(x, f"its steps take items from the list '{taken}'", "Read them by an index.")

    def jumps(self, s: ast.For | ast.While) -> frozenset[str]:
        """How blocks leave the backward loop."""
        blocks = [x for x in _own_statements(s.body) if isinstance(x, Insertion) and x.block.jumps]
        found = frozenset[str]().union(*(x.block.jumps for x in blocks))
        if "break" in found and self.this.context.memory in assigned_inside(s.body):
            why = "its steps change objects, lists or dicts that others hold, and its inserted code ends the loop"
            raise self.refuse(blocks[0], why, "Keep the state in variables, or take the checkpoint away.")
        if found and self.pushed(s):
            why = "its steps append to a list, and its inserted code leaves the backward loop"
            raise self.refuse(blocks[0], why, "Write into an array, or take the checkpoint away.")
        return found

    def assigned_outside(self, s: ast.stmt) -> set[str]:
        return assigned_inside(self.outside(s)) | (self.this.inputs & self.this.context.scope.local)

    def refuse(self, s: ast.stmt, why: str, todo: str) -> Exception:
        return self.this.refuse(s, "a loop under 'checkpoint'", why, todo)

    def outside(self, loop: ast.stmt) -> list[ast.stmt]:
        """The statements of the function that are not in the loop."""
        inside = set(statements([loop]))
        return [_head(x) for x in statements(self.this.core.body) if x not in inside]

    def bound_before(self, loop: ast.stmt) -> set[str]:
        """Names that surely have a value where the loop begins."""
        return _bound_at(self.this.core.body, loop, set(self.this.inputs)) or set()

    def fresh(self, base: str) -> str:
        made = self.this.context.names.numbered(base)
        self.this.context.scope.local.add(made)
        return made

    def buffers(self, s: ast.For | ast.While, after: frozenset[str]) -> list[list[str]]:
        """Arrays that are written in place and bound anew (buffers that are swapped), and that nobody else holds."""
        written = {c for x in statements([s]) for c in self.storage.written.get(x, ())}
        own, needed = assigned_inside(s.body), live_into([s])
        if any(isinstance(x, Insertion) for x in statements(s.body)):  # their lines name what they read
            return []
        found: list[list[str]] = []
        for c in sorted(written):
            members = {v for v, k in self.storage.classes.items() if k == c}
            carried = sorted(members & own & needed)
            if carried and not members & self.given and members & (needed | after) <= own:
                found.append(carried)
        return found

    def on_copies(
        self, s: ast.For | ast.While, names: list[str], new: dict[str, str]
    ) -> tuple[list[ast.stmt], ast.For | ast.While]:
        """A loop whose steps begin with copies of their buffers, which must not overlap; and the first copies."""
        function = self.this.context.use("own", runtime.own)

        def copies(known: dict[str, str]) -> list[ast.stmt]:
            done: list[ast.stmt] = []
            for i, v in enumerate(names):
                others = [name(known.get(w, w)) for w in names[i + 1 :]]
                done.append(assign(new[v], ast.Call(name(function), [name(known.get(v, v)), *others], []), s))
            return done

        renamed = self.renamed(s, new)
        first, again = copies({}), copies(new)
        for x in (*first, *again):
            self.operations[x] = self.classified(x)
        return first, replace(renamed, body=[*again, *renamed.body])

    def renamed(self, s: ast.For | ast.While, new: dict[str, str]) -> ast.For | ast.While:
        made = rename(s, new)
        for x in statements([made]):
            op = classified(x, self.this.context, table())
            if op is not None:
                self.operations[x] = op
        return made

    # The functions

    def function(
        self, s: ast.For | ast.While, parameters: tuple[str, ...], results: tuple[str, ...], count: ast.expr,
        buffers: list[list[str]],
    ) -> types.FunctionType:  # fmt: skip
        title = self.this.source.name
        new = {v: self.fresh(v) for group in buffers for v in group}
        first: list[ast.stmt] = []
        for group in buffers:
            copied, s = self.on_copies(s, group, new)
            first += copied
        results = tuple(new.get(v, v) for v in results)
        body, stop = self.without_break(s)
        tail = _returned(results, s, self)
        whole = function_node(self.title(f"{title}_loop"), _arguments(parameters), [*first, s, *tail])
        table_ = liveness(whole)
        head = table_.entry[s] | set(results) | (header_reads(s) if isinstance(s, ast.While) else set())
        grown = set(self.pushed(s)) & set(parameters)
        own = assigned_inside(body) - self.this.context.declared - grown
        state = tuple(sorted(own & head)) + ((stop,) if stop else ())
        target = (s.target.id,) if isinstance(s, ast.For) and isinstance(s.target, ast.Name) else ()
        known = set(parameters) | set(state) | set(new.values())
        constants = tuple(sorted((table_.entry[s] & known) - set(state)))
        carried = tuple(v for v in state if v != stop)
        jumps = self.jumps(s)
        inner = [*(self.once(body, s) if jumps else body), *_returned(state, s, self)]
        one = function_node(self.title(f"{title}_step"), _arguments((*target, *carried, *constants)), inner)
        step = self.made(one, self.pushed(s))
        made = self.made(whole)
        lists = tuple(sorted(grown))
        begins = {w: v for v, w in new.items()}
        made.loop = Loop(s, step, carried, constants, results, count, stop, lists, begins, "break" in jumps)  # type: ignore[attr-defined]
        return made

    def once(self, body: list[ast.stmt], s: ast.stmt) -> list[ast.stmt]:
        """The body as a loop of one trip, for blocks that leave it."""
        trip = ast.Name(self.fresh("_"), ast.Store())
        return [at(Once(trip, ast.Call(name(self.this.context.builtin("range")), [constant(1)], []), body, []), s)]

    def made_anew(self, s: ast.For | ast.While) -> ast.For | ast.While:
        loop, new = lists_made_anew(s, self.pushed(s), self.operations)
        self.operations |= {x: self.classified(x) for x in new}
        return loop

    def pushed(self, s: ast.stmt) -> dict[str, Operation]:
        """The lists that statements append to."""
        found = [self.operations[x] for x in statements([s]) if x in self.operations]
        return {op.targets[0]: op for op in found if op.kind == "push"}

    def title(self, base: str) -> str:
        return self.this.context.names.numbered(base)

    def without_break(self, s: ast.For | ast.While) -> tuple[list[ast.stmt], str]:
        """The body; where it ends with `break` under a test, the test is assigned."""
        match s.body:
            case [*body, ast.If(test=test, body=[ast.Break()]) as last]:
                stop = self.fresh("stop")
                tested = assign(stop, test, last)
                self.operations[tested] = Operation("zero", (stop,), (), test)
                return [*body, tested], stop
            case body:
                return body, ""

    def made(self, core: ast.FunctionDef, pushed: dict[str, Operation] | None = None) -> types.FunctionType:
        """A function that runs the Core code, and brings it along for derivatives.

        Of a step that has lost its loop the names are given anew; it is told what lists there are.
        """
        source = self.this.source
        names = {n.id for n in ast.walk(core) if isinstance(n, ast.Name)}
        imports = {v: m for v, m in self.this.context.scope.imports.items() if v in names}
        self.this.context.externals.update(imports)
        cells = cells_of(source.function)
        cells = {v: cell for v, cell in cells.items() if v not in {a.arg for a in core.args.args}}
        cells |= {v: types.CellType(x) for v, x in self.this.context.externals.items()}
        function = _compiled(core, cells, source.function)
        context = copy.copy(self.this.context)
        context.source = changed(source, function=function)
        context.names = copy.deepcopy(context.names)
        context.externals = dict(context.externals)
        context.scope = copy.copy(context.scope)
        context.scope.externals = {**context.scope.externals, **imports}
        context.scope.local = set(context.scope.local)
        lost = cells_of(source.function).keys() - {*function.__code__.co_freevars}
        context.scope.seen = {p: v for p, v in context.scope.seen.items() if p.split(".")[0] not in lost}
        operations = {x: self.operations[x] for x in statements(core.body) if x in self.operations}
        if pushed is not None:
            core = versions(core, context)
            context.scope.local |= assigned_inside(core.body)
            operations = classify(core, context, table())
            for x in statements(core.body):
                match x:
                    case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])):
                        if v in pushed and x not in operations:
                            operations[x] = changed(pushed[v], operands=tuple(sorted(expression_reads(item))))
        function.unit = Unit(context.source, core, context, operations)  # type: ignore[attr-defined]
        return function


def _own_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop, without those of loops inside it."""
    for s in body:
        yield s
        if isinstance(s, ast.If):
            yield from _own_statements([*s.body, *s.orelse])


def _head(s: ast.stmt) -> ast.stmt:
    """A statement without the blocks inside it."""
    return replace(s, body=[], orelse=[]) if isinstance(s, (ast.If, ast.For, ast.While)) else s


def _bound_at(body: list[ast.stmt], wanted: ast.stmt, bound: set[str]) -> set[str] | None:
    """Names that are surely bound where a statement begins, None where it is not in the block."""
    for s in body:
        if s is wanted:
            return bound
        for inner in _blocks(s):
            if (found := _bound_at(inner, wanted, set(bound))) is not None:
                return found
        bound = surely_bound([s], bound)
    return None


def _blocks(s: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(s, (ast.If, ast.For, ast.While)):
        yield s.body
        yield s.orelse


def _arguments(names: tuple[str, ...]) -> ast.arguments:
    return ast.arguments([], [ast.arg(v) for v in names], None, [], [], None, [])


def _returned(names: tuple[str, ...], s: ast.stmt, owner: _Outline) -> list[ast.stmt]:
    """One value as it is, several as a tuple."""
    if len(names) == 1:
        return [at(ast.Return(name(names[0])), s)]
    out = owner.fresh("state")
    value: ast.expr = ast.Tuple([name(v) for v in names], ast.Load()) if names else constant(None)
    packed = assign(out, value, s)
    owner.operations[packed] = Operation("pack" if names else "constant", (out,), names, value)
    return [packed, at(ast.Return(name(out)), s)]


def _compiled(core: ast.FunctionDef, cells: dict[str, types.CellType], like: types.FunctionType) -> types.FunctionType:
    plain = replace(core, body=plain_blocks(core.body))
    text = "\n".join(line.text for line in print_function(plain))
    outer = function_node("scope", _arguments(tuple(cells)), ast.parse(text).body)
    module = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(module, f"<loop of {like.__name__}>", "exec")
    for wanted in ("scope", core.name):
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == wanted)
    made = types.FunctionType(code, like.__globals__, core.name, None, tuple(cells[v] for v in code.co_freevars))
    made.__module__, made.__qualname__ = home_of(like), core.name
    return made
