"""The derivatives of loops and functions of which only a part is kept.

def f_loop_fwd(n, h, w):                              def f_loop_bwd(saved, bh, bw):
    kept = places(0, n, 10)                               snapshots, n, w = saved
    snapshots = []                                        for last in reversed(range(n)):
    for t in range(n):                                        start, h = snapshots.pop()
        if t in kept:                                         kept = places(start, last + 1, 10 - len(snapshots))
            snapshots.append((t, h))                          for t in range(start, last):
        h = f_step(t, h, w)                                       if t in kept:
    return h, (snapshots, n, w)                                       snapshots.append((t, h))
                                                                  h = f_step(t, h, w)
                                                              _, step_saved = f_step_fwd(last, h, w)
                                                              bh, bw = f_step_bwd(step_saved, bh, bw)
                                                          return bh, bw

Arrays that the steps write into are part of the state: a snapshot holds a copy of each.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import function_node, statements
from tangent.syntax.uses import arguments, expression_reads
from tangent.transform.calls import Groups
from tangent.transform.generated import Generated
from tangent.transform.outline import Loop, loop_of
from tangent.transform.repeatable import called_variables, refuse_unrepeatable
from tangent.transform.scribe import Scribe
from tangent.transform.unit import Unit

if TYPE_CHECKING:
    from tangent.transform.module import Module


def constants_of(function: object, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The parameters of a loop whose adjoints come in and go out with the shares of its steps added."""
    loop = loop_of(function)
    return tuple(p for p in wanted if p in loop.constants and p not in loop.grown) if loop is not None else ()


def build_loop(
    module: Module, fwd: Generated, bwd: Generated, active: tuple[str, ...], numbers: frozenset[str], groups: Groups,
    adding: tuple[str, ...],
) -> None:  # fmt: skip
    """The pair of functions for a loop that is checkpointed."""
    loop = loop_of(fwd.primal)
    assert loop is not None
    this = module.read(fwd.primal)
    text = _Text(module, this, loop, active, numbers, groups, adding)
    fwd.tree = _definition(fwd.name, [a.arg for a in arguments(this.core.args)], text.forward(), loop)
    doc = f'"""The backward pass of {fwd.name}: steps are run again from the nearest snapshot."""'
    bwd.tree = _definition(bwd.name, text.seeds, [doc, *text.backward()], loop)
    fwd.fresh, bwd.fresh, bwd.kept = "return", text.saved, text.saved
    for made in (fwd, bwd):
        module.complete(made, this, text.scribe)
        module.functions.append(made)


def build_again(
    module: Module, both: tuple[Generated, Generated], inner: tuple[Generated, Generated], active: tuple[str, ...],
    groups: Groups,
) -> None:  # fmt: skip
    """The pair of functions for a function of which only the arguments are kept.

    def g_fwd(x):                     def g_bwd(saved, bout):
        return g(x), (x,)                 x, = saved
                                          _, again_saved = g_again_fwd(x)
                                          return g_again_bwd(again_saved, bout)
    """
    fwd, bwd = both
    this = module.read(fwd.primal)
    if groups:
        raise this.refuse(
            this.source.tree, f"the function '{this.source.name}' under 'checkpoint'",
            f"it writes into its argument '{next(iter(groups))[0]}'", "Let it return a new array.",
        )  # fmt: skip
    refuse_unrepeatable(this, this.core.body, module.read, module.written_outside)
    scribe = Scribe(this.context)
    names = scribe.names
    names.taken.discard(fwd.primal.__name__)
    function = scribe.use(fwd.primal.__name__, fwd.primal)
    first, second = (scribe.use(g.name, g) for g in inner)
    passed = ", ".join(_passed(this.core.args))
    kept = "".join(f"{p}, " for p in this.parameters)
    required = scribe.runtime("require_repeatable")
    called = _required(required, called_variables(this, this.core.body, module.read), this.parameters)
    saved, nobody, again, seed = (names.numbered(v) for v in ("saved", "_", "again_saved", "bout"))
    fwd.tree = _function(
        fwd.name, _without_annotations(this.core.args), [*called, f"return {function}({passed}), ({kept})"], this
    )
    lines = [
        f'"""The backward pass of {fwd.name}: the call is made again."""',
        *([f"{kept} = {saved}"] if kept else []),
        f"{nobody}, {again} = {first}({passed})",
        f"return {second}({again}, {seed})",
    ]
    bwd.tree, bwd.kept = _function(bwd.name, _named([saved, seed]), lines, this), saved
    for made in both:
        module.complete(made, this, scribe)
        module.functions.append(made)


def _required(function: str, called: Iterable[tuple[str, ...]], given: Collection[str]) -> list[str]:
    """Lines that look whether what is given may be called again."""
    return [f"{function}({', '.join((v, *map(repr, path)))})" for v, *path in sorted(called) if v in given]


def _passed(args: ast.arguments) -> Iterator[str]:
    """The parameters of a function as they are passed on."""
    yield from (a.arg for a in (*args.posonlyargs, *args.args))
    if args.vararg:
        yield f"*{args.vararg.arg}"
    yield from (f"{a.arg}={a.arg}" for a in args.kwonlyargs)
    if args.kwarg:
        yield f"**{args.kwarg.arg}"


def _without_annotations(args: ast.arguments) -> ast.arguments:
    made = copy.deepcopy(args)
    for a in arguments(made):
        a.annotation = None
    return made


def _named(parameters: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])


def _function(title: str, args: ast.arguments, lines: list[str], this: Unit) -> ast.FunctionDef:
    body = ast.parse("\n".join(lines)).body
    for s in body:
        at(s, this.source.tree)
    return function_node(title, args, body)


def _definition(title: str, parameters: list[str], lines: list[str], loop: Loop) -> ast.FunctionDef:
    body = ast.parse("\n".join(lines)).body
    for s in statements(body):
        at(s, loop.statement)
    return function_node(title, _named(parameters), body)


class _Text:
    """The lines of both functions, from what a derivative flows through."""

    def __init__(
        self, module: Module, this: Unit, loop: Loop, active: tuple[str, ...], numbers: frozenset[str], groups: Groups,
        adding: tuple[str, ...],
    ) -> None:  # fmt: skip
        self.this, self.loop, self.active, self.scribe = this, loop, active, Scribe(this.context)
        flows = module.settled(this, active, numbers, groups).activity.names()
        facts = module.shapes(this, numbers)
        self.stored = [p for group in groups for p in group]
        self.check(groups)
        self.given = [*loop.state, *loop.constants]
        self.flowing = tuple(p for p in self.given if p in flows and p not in self.stored)
        self.adding = adding
        self.added = tuple(p for p in loop.constants if p in self.flowing)
        known = frozenset(p for p in self.given if facts.of(name(p)).number)
        names, use = self.scribe.names, self.scribe.use
        names.taken.discard(loop.step.__name__)
        pair = module.pair(loop.step, self.flowing, known, groups, adding=self.added)
        self.step = use(loop.step.__name__, module.plain(loop.step, self.flowing, known, groups))
        self.step_fwd, self.step_bwd = (use(g.name, g) for g in pair)
        self.nothing = bool(groups) and module.gives_nothing(loop.step)
        self.silent = bool(groups) and module.gives_nothing(this.source.function)
        self.adjoint = {v: self.scribe.derivative(v, "b") for v in (*self.flowing, *self.stored, *adding)}
        self.kept, self.start, self.last, self.saved, self.step_saved, self.nobody = (
            names.numbered(v) for v in ("kept", "start", "last", "saved", "step_saved", "_")
        )
        self.starts = names.numbered("start_stack")
        self.stopped = names.numbered("stopped") if loop.ends else ""
        self.firsts = {v: names.numbered(f"{v}_first") for v in self.stored if loop.ends}
        self.stacks = {v: names.numbered(f"{v}_stack") for v in (*loop.state, *self.stored, *loop.grown)}
        self.out = names.numbered("bout") if len(loop.results) > 1 else ""
        s = loop.statement
        self.online = isinstance(s, ast.While) or bool(loop.stop)
        self.plain = isinstance(s, ast.For) and _from_zero(s.iter) and not expression_reads(s.iter) & set(loop.state)
        own = isinstance(s, ast.For) and self.plain and isinstance(s.target, ast.Name) and s.target.id.strip("_")
        self.index = s.target.id if own else names.numbered("i")  # type: ignore[union-attr]
        self.steps = "" if isinstance(s, ast.While) or self.plain else names.numbered("steps")
        self.trips = names.numbered("trips") if self.online else ""
        self.counted = not isinstance(loop.count, ast.Constant) or loop.count.value is None
        self.count = names.numbered("count") if self.counted else ast.unparse(loop.count)
        self.function = {f: self.scribe.runtime(f) for f in RUNTIME}
        called = called_variables(this, [s], module.read)
        self.called = _required(self.function["require_repeatable"], called, loop.constants)
        self.builtin = {f: this.context.builtin(f) for f in ("range", "len", "reversed", "list")}

    def check(self, groups: Groups) -> None:
        """Arrays that stay where they are can be put back; what is bound anew or is no array cannot."""
        for p in self.stored:
            if p in self.loop.state or p not in groups.arrays:
                why = "binds it anew" if p in self.loop.state else "changes it, and it is no array"
                shown = self.this.source.shown(p)
                raise self.this.refuse(
                    self.loop.statement, "a loop under 'checkpoint'", f"it writes into '{shown}' in place and {why}",
                    "Write into one array by its index (copy the new values over the old ones), or make new arrays.",
                )  # fmt: skip

    # What is said once

    @property
    def size(self) -> str:
        """How many steps there are."""
        if self.online:
            return self.trips
        s = self.loop.statement
        assert isinstance(s, ast.For) and isinstance(s.iter, ast.Call)
        return ast.unparse(s.iter.args[0]) if self.plain else f"{self.builtin['len']}({self.steps})"

    @property
    def kept_for_backward(self) -> list[str]:
        """What the backward pass reads."""
        size = [] if self.steps and not self.online else sorted(self.names_in(self.size))
        ended = [v for v in self.flowing if v in self.loop.state and v not in self.loop.results]
        count = [self.count] if self.counted else []
        kept = [self.starts, *self.stacks.values(), *self.firsts.values()]
        every = [*kept, *size, *([self.steps] if self.steps else []), *count, *ended, *self.without_flow]
        return [v for v in dict.fromkeys([*every, *self.loop.constants]) if v not in self.stored]

    @property
    def without_flow(self) -> list[str]:
        """Parameters that get zeros: no derivative flows to them."""
        begun = {p for v, p in self.loop.begins.items() if v in self.adjoint}
        return [p for p in self.active if p not in {*self.stored, *self.adjoint, *begun, *self.loop.state}]

    def names_in(self, size: str) -> frozenset[str]:
        """The variables that tell how many steps there are."""
        return expression_reads(ast.parse(size, mode="eval").body) & {self.trips, *self.parameters}

    def item(self, index: str) -> list[str]:
        if isinstance(self.loop.statement, ast.While):
            return []
        return [f"{self.function['step_at']}({self.steps}, {index})"] if self.steps else [index]

    def call(self, function: str, index: str) -> str:
        return f"{function}({', '.join([*self.item(index), *self.given])})"

    def advance(self) -> str:
        """`h = f_step(t, h, w)`."""
        targets = [*self.loop.state, *([self.loop.stop] if self.loop.stop else [])]
        value = self.call(self.step, self.index)
        return f"{', '.join(targets)} = {value}" if targets else value

    @property
    def snapshot(self) -> dict[str, str]:
        """What is kept of a state, and where."""
        part = {v: f"{v}.copy()" for v in self.stored} | {v: f"{self.builtin['len']}({v})" for v in self.loop.grown}
        return {stack: part.get(v, v) for v, stack in self.stacks.items()}

    def push(self, index: str) -> list[str]:
        return [f"{stack}.append({value})" for stack, value in {self.starts: index, **self.snapshot}.items()]

    def pop(self) -> list[str]:
        put = {v: f"{v}[...] = {{}}.pop()" for v in self.stored} | {v: f"del {v}[{{}}.pop():]" for v in self.loop.grown}
        back = [put.get(v, f"{v} = {{}}.pop()").format(stack) for v, stack in self.stacks.items()]
        return [f"{self.start} = {self.starts}.pop()", *back]

    # The two passes

    def forward(self) -> list[str]:
        s = self.loop.statement
        begins = self.loop.begins
        lines = [*self.called, *(f"{v} = {begins.get(v)}" for v in self.loop.state if v not in self.parameters)]
        lines += [f"{stack} = []" for stack in (self.starts, *self.stacks.values())]
        lines += [f"{first} = {v}.copy()" for v, first in self.firsts.items()]
        if self.steps:
            assert isinstance(s, ast.For)
            lines.append(f"{self.steps} = {_sequence(s.iter)}")
        lines += self.online_loop() if self.online else self.offline_loop()
        results = self.loop.results
        value = "None" if not results else results[0] if len(results) == 1 else f"({', '.join(results)})"
        return [*lines, f"return {value}, ({', '.join(self.kept_for_backward)},)"]

    @property
    def parameters(self) -> list[str]:
        return [a.arg for a in arguments(self.this.core.args)]

    def offline_loop(self) -> list[str]:
        count = ast.unparse(self.loop.count)
        chosen = [f"{self.count} = {self.function['snapshot_count']}({count}, {self.size})"] if self.counted else []
        return [
            *chosen,
            f"{self.kept} = {self.function['places']}(0, {self.size}, {self.count})",
            f"for {self.index} in {self.builtin['range']}({self.size}):",
            f"    if {self.index} in {self.kept}:",
            *(f"        {line}" for line in self.push(self.index)),
            f"    {self.advance()}",
        ]

    def online_loop(self) -> list[str]:
        s, trips, starts = self.loop.statement, self.trips, self.starts
        count = ast.unparse(self.loop.count)
        head = f"while {ast.unparse(s.test)}:" if isinstance(s, ast.While) else self.for_head(s)
        chosen = f"{self.count} = {self.function['snapshot_count']}({count}, {{}})"
        keep = self.function["with_snapshot"]
        pushes = [
            f"        {stack} = {keep}({stack}, {value}, {self.count})"
            for stack, value in {starts: trips, **self.snapshot}.items()
        ]
        return [
            f"{trips} = 0",
            head,
            f"    if {self.function['is_due']}({trips}, {starts}):",
            *([f"        {chosen.format(f'2 * {trips}')}"] if self.counted else []),
            *pushes,
            f"    {self.advance()}",
            f"    {trips} = {trips} + 1",
            *([f"    if {self.loop.stop}:", "        break"] if self.loop.stop else []),
            *([chosen.format(trips)] if self.counted else []),
        ]

    def for_head(self, s: ast.For) -> str:
        assert isinstance(s.iter, ast.Call)
        size = ast.unparse(s.iter.args[0]) if self.plain else f"{self.builtin['len']}({self.steps})"
        return f"for {self.index} in {self.builtin['range']}({size}):"

    @property
    def seeds(self) -> list[str]:
        """The parameters of the backward pass."""
        result = [] if self.silent else [self.out or self.seed_of_one()]
        shadows = [self.adjoint[a] for a in self.stored]
        return [self.saved, *result, *self.stored, *shadows, *(self.adjoint[v] for v in self.adding)]

    def seed_of_one(self) -> str:
        results = self.loop.results
        return self.adjoint[results[0]] if results and results[0] in self.adjoint else self.nobody

    def backward(self) -> list[str]:
        b = self.adjoint
        lines = [f"{', '.join(self.kept_for_backward)}{',' if len(self.kept_for_backward) == 1 else ''} = {self.saved}"]
        if self.out:
            lines.append(f"{', '.join(b.get(v, self.nobody) for v in self.loop.results)} = {self.out}")
        zero = {v: self.function["init_grad" if v in self.loop.grown else "lazy_zero"] for v in self.flowing}
        grown = [v for v in self.loop.grown if v in self.flowing and v in self.loop.results]
        lines += [f"{b[v]} = {self.function['as_list']}({b[v]})" for v in grown]
        lines += [f"{v} = {self.builtin['list']}({v})" for v in self.loop.grown]
        begun = [v for v in self.flowing if v not in self.loop.results and v not in self.adding]
        lines += [f"{b[v]} = {zero[v]}({v})" for v in begun]
        length = f"{self.builtin['len']}({self.starts})"
        lines += [
            f"for {self.last} in {self.builtin['reversed']}({self.builtin['range']}({self.size})):",
            *(f"    {line}" for line in self.pop()),
            f"    {self.kept} = {self.function['places']}({self.start}, {self.last} + 1, {self.count} - {length})",
            f"    for {self.index} in {self.builtin['range']}({self.start}, {self.last}):",
            f"        if {self.index} in {self.kept}:",
            *(f"            {line}" for line in self.push(self.index)),
            f"        {self.advance()}",
            f"    {self.nobody}, {self.step_saved} = {self.call(self.step_fwd, self.last)}",
            f"    {self.reverse_step()}",
            *(f"    {line}" for line in self.ended()),
        ]
        b = {**b, **{p: b[v] for v, p in self.loop.begins.items() if v in b}}
        found = [b[p] if p in b else f"{self.function['init_grad']}({p})" for p in self.active if p not in self.stored]
        return [*lines, f"return {', '.join(found)}"] if found else lines

    def ended(self) -> list[str]:
        """Where inserted code ends the loop; arrays that it writes into are put back to what they were before it."""
        if not self.loop.ends:
            return []
        return [f"if {self.stopped}:", *(f"    {v}[...] = {first}" for v, first in self.firsts.items()), "    break"]

    def reverse_step(self) -> str:
        """`bh, bw = f_step_bwd(step_saved, bh, bw)`."""
        b = self.adjoint
        results = [*self.loop.state, *([self.loop.stop] if self.loop.stop else [])]
        parts = [b.get(v, "None") for v in results]
        seed = [] if self.nothing else [parts[0] if len(parts) == 1 else f"({', '.join(parts)})" if parts else "None"]
        given = [self.step_saved, *seed, *self.stored, *(b[a] for a in self.stored), *(b[v] for v in self.added)]
        value = f"{self.step_bwd}({', '.join(given)})"
        targets = [*(b[v] for v in self.flowing), *([self.stopped] if self.loop.ends else [])]
        return f"{', '.join(targets)} = {value}" if targets else value


RUNTIME = (
    "places",
    "is_due",
    "with_snapshot",
    "snapshot_count",
    "step_at",
    "lazy_zero",
    "init_grad",
    "as_list",
    "require_repeatable",
)


def _from_zero(e: ast.expr) -> bool:
    """`range(n)`."""
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.startswith("range") and (
        len(e.args) == 1
    )  # fmt: skip


def _sequence(e: ast.expr) -> str:
    """A range, also where it is walked backward, as something with a length and items."""
    match e:
        case ast.Call(func=ast.Name(id=identifier), args=[inner]) if identifier.startswith("reversed"):
            return f"{ast.unparse(inner)}[::-1]"
        case _:
            return ast.unparse(e)
