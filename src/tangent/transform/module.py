"""The generated module: the derivative that was asked for, and those of the functions it calls."""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Callable, Collection
from typing import Any, TypeGuard

from tangent.analysis.aliases import FRESH
from tangent.analysis.liveness import live_into, liveness, surely_bound
from tangent.analysis.operation import Operation
from tangent.analysis.shapes import ROW_RULES, SCALAR, TO_REAL, UNKNOWN, Fact, shapes
from tangent.errors import InPlaceError, SourceError, TangentError
from tangent.options import Options
from tangent.rules.table import table
from tangent.source.read import comments
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.names import as_identifier
from tangent.syntax.print import Comment, comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import function_node, replace, statements
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.transform.calls import Groups
from tangent.transform.checkpoint import build_again, build_loop
from tangent.transform.custom import custom_pair, custom_tangent
from tangent.transform.forward import forward
from tangent.transform.generated import Generated
from tangent.transform.insert import plain_blocks, without_insertions
from tangent.transform.known import Known
from tangent.transform.merge import merge
from tangent.transform.outline import Checkpoint, is_checkpointed, loop_of, outlined, unmarked
from tangent.transform.ownership import is_new
from tangent.transform.reverse.passes import reverse
from tangent.transform.reverse.state import Passes
from tangent.transform.scribe import Scribe
from tangent.transform.storage import (
    Outside,
    Settled,
    called_functions,
    globals_read,
    globals_rebound,
    settle,
    summaries,
)
from tangent.transform.unit import Unit, unit

NONE_GIVEN = Groups()
Optimise = Callable[[list[ast.stmt], Unit, Scribe, dict[str, str]], list[ast.stmt]]


class Module:
    """Derivatives by function, active parameters and kind; each is made once, so recursion refers to itself."""

    def __init__(self, options: Options, optimise: Optimise) -> None:
        self.options, self.optimise = options, optimise
        self.functions: list[Generated] = []
        self._made: dict[tuple[Any, ...], Any] = {}
        self._facts: dict[Any, Fact] = {}
        self._waiting: list[Callable[[], None]] = []
        self._names: set[str] = set()
        self._units: dict[Any, Unit] = {}
        self.given_lists: set[Any] = set()
        self._summaries = summaries(self.read_for_facts)
        self._read: set[tuple[int, str]] = set()
        self._entry: types.FunctionType | None = None
        self._written: Outside = []
        self._scalars = dict(options.scalars)

    # What the transformations ask for

    def pair(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str] = frozenset(),
        groups: Groups = NONE_GIVEN, known: Known = (), adding: tuple[str, ...] = (),
    ) -> tuple[Generated, Generated]:  # fmt: skip
        """The forward and backward pass of a callee; adjoints of the parameters in `adding` come in and go out."""
        known = self.usable(function, known)
        key = (function, active, numbers, groups, known, adding, function in self.given_lists, "pair")
        self._entry = self._entry or function
        if key not in self._made:
            base = as_identifier(function.__name__)
            if (custom := table().custom_of(function)) is not None:
                self._made[key] = custom_pair(function, custom, active)
                return self._made[key]  # type: ignore[no-any-return]
            both = self.new_pair(base, function)
            self._made[key] = both
            if getattr(function, "checkpointed", False):
                inner = self.new_pair(f"{base}_again", function)
                build_again(self, both, inner, active, groups)
                self._waiting.append(lambda: self.build_pair(*inner, active, numbers, groups, known, adding))
            elif loop_of(function) is not None:
                self._waiting.append(lambda: build_loop(self, *both, active, numbers, groups, adding))
            else:
                self._waiting.append(lambda: self.build_pair(*both, active, numbers, groups, known, adding))
        found: tuple[Generated, Generated] = self._made[key]
        return found

    def tangent(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str] = frozenset(),
        groups: Groups = NONE_GIVEN, known: Known = (),
    ) -> Generated:  # fmt: skip
        known = self.usable(function, known)
        key = (function, active, numbers, groups, known, function in self.given_lists, "tangent")
        if key not in self._made and (custom := table().custom_of(function)) is not None:
            self._made[key] = custom_tangent(function, custom, active)
        if key not in self._made:
            made = self.new(f"{as_identifier(function.__name__)}_jvp", function)
            made.seeds = tangent_names(self.read(function, known=known), active)
            self._made[key] = made
            self._waiting.append(lambda: self.build_tangent(made, active, numbers, True, groups, known))
        found: Generated = self._made[key]
        return found

    def plain(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str], groups: Groups
    ) -> Generated:
        """The function itself, as Core Python, for code that has no other text."""
        key = (function, groups, "plain")
        if key not in self._made:
            made = self._made[key] = self.new(function.__name__, function)
            self._waiting.append(lambda: self.build_plain(made, active, numbers, groups))
        found: Generated = self._made[key]
        return found

    def gives_nothing(self, function: types.FunctionType) -> bool:
        """Whether a function always returns None."""
        this = self.read(function)
        made = [op for op in this.operations.values() if this.result in op.targets]
        return bool(made) and all(isinstance(op.value, ast.Constant) and op.value.value is None for op in made)

    def written_outside(self) -> Collection[tuple[int, str]]:
        """What the function that the module is made of, and what it calls, write into outside of themselves."""
        return self._summaries(self._entry).outside if self._entry is not None else ()

    def new_pair(self, base: str, primal: types.FunctionType) -> tuple[Generated, Generated]:
        both = self.new(f"{base}_fwd", primal), self.new(f"{base}_bwd", primal)
        both[0].backward = both[1]
        return both

    def new(self, base: str, primal: types.FunctionType) -> Generated:
        chosen, n = base, 2
        while chosen in self._names:
            chosen, n = f"{base}{n}", n + 1
        self._names.add(chosen)
        return Generated(chosen, primal)

    def usable(self, function: types.FunctionType, known: Known) -> Known:
        """Of the functions that a call names, those that stay what they are, and write nowhere."""
        if not known or table().custom_of(function) is not None:
            return ()
        kept = set(self.read(function).parameters) - assigned_inside(self.read(function).core.body)
        return tuple((p, f) for p, f in known if p in kept and not self._writes(f))

    def _writes(self, f: Any) -> bool:
        if not isinstance(f, types.FunctionType) or is_library(f):
            return False
        found = self._summaries(f)
        return bool(found.written or found.outside)

    def read(self, function: types.FunctionType, captured: tuple[str, ...] = (), known: Known = ()) -> Unit:
        """A unit of its own for each derivative: names are given per generated function."""
        lists = function in self.given_lists
        key = (function, captured, known, lists)
        if key not in self._units:
            self._units[key] = unit(function, captured, self.options.objects, known, lists)
            self.given_lists |= self._units[key].lists.given(self._units[key].operations)
        found = self._units[key]
        context = copy.copy(found.context)
        context.scalars = self._scalars.get(function, frozenset())
        context.names = copy.deepcopy(found.context.names)
        context.externals = dict(found.context.externals)
        context.scope = copy.copy(found.context.scope)
        context.scope.externals = dict(found.context.scope.externals)
        return Unit(found.source, found.core, context, found.operations, found.lists)

    def read_for_facts(self, function: types.FunctionType) -> Unit:
        """What a function does, found in its source; not of those whose derivatives are given: they may be anything."""
        if table().custom_of(function) is not None:
            raise SourceError(f"'{function.__name__}' is taken as it is")
        return self.read(function)

    def result_fact(self, function: Any) -> Fact:
        """What is known of the result of a callee, whatever it is called with."""
        if function not in self._facts:
            self._facts[function] = UNKNOWN  # while it is being found out, for recursion
            if isinstance(function, types.FunctionType) and function.__module__ not in sys.stdlib_module_names:
                try:
                    this = self.read_for_facts(function)
                except TangentError:  # no source, or not in Core Python: only an error if it turns out to be active
                    return UNKNOWN
                facts = shapes(this.core, this.operations, liveness(this.core), self.result_fact)
                fact = facts.of(name(this.result))
                self._facts[function] = SCALAR if fact.scalar else Fact(number=fact.number, array=fact.array)
        return self._facts[function]

    def finish(self) -> None:
        while self._waiting:
            self._waiting.pop(0)()
        if self.options.optimized:
            self.functions = merge(self.functions)
        for namespace, v, error in self._written:
            if (namespace, v) in self._read:
                raise error

    # The entry points

    def entry(self, function: types.FunctionType, title: str) -> Generated:
        """The function that was asked for; a derivative of a derivative takes the lists that the first one takes."""
        if self.options.lists:
            self.given_lists.add(function)
        made = self.new(title, function)
        self.functions.append(made)
        if not self.options.lists:
            lists = self.read(function).lists
            made.arrays = lists.arrays | getattr(function, "arrays", frozenset())
            made.items = lists.items | getattr(function, "items", frozenset())
        return made

    def gradient(self, function: types.FunctionType, title: str) -> Generated:
        """`dfdx(x, by=1.0)`."""
        self._entry = function
        made = self.entry(function, title)
        this = self.read(function)
        if self.options.has_aux:
            this = with_aux(this)
        wrt = self.options.wrt
        scribe = Scribe(this.context)
        made.numbers = number_parameters(this)
        count = self.options.checkpoint
        settled, passes, seed = self.passes(this, wrt, scribe, frozenset(made.numbers), count=count)
        this = settled.unit
        gradients = [returned(v, passes, made.numbers, scribe, own=True) for v in wrt]
        if self.options.paths:
            whole = {v: ast.unparse(g) for v, g in zip(wrt, gradients)}
            gradients = [expression(whole[v] + path) for v, path in self.options.paths]
        kept: list[ast.stmt] = []
        extra: list[ast.expr] = []
        last_line = this.core.body[-1]
        for value in extra_results(this, self.options):
            held = this.context.names.fresh("value" if value.id == this.result else value.id)
            changes = settled.storage.classes or any(self._summaries(f).stores for f, _ in called_functions(this))
            safe = not changes or passes.facts.of(value).scalar
            kept.append(assign(held, value if safe else scribe.call("copy", value), last_line))
            extra.append(name(held))
        made.check = self.seed_check(made, this, passes, seed, kept, scribe)
        last = at(ast.Return(arranged(gradients, extra, self.options)), last_line)
        copies = own_copies(settled, scribe)
        body = [*copies, *passes.forward, *kept, BOUNDARY, *passes.backward, last]
        made.shared = aliases_of(settled, scribe)
        body = self.optimise(body, this, scribe, made.shared)
        made.tree = definition(this, title, [s for s in body if s is not BOUNDARY], [seed], constant(1.0))
        made.seeds = {"": seed}
        self.complete(made, this, scribe)
        return made

    def seed_check(
        self, made: Generated, this: Unit, passes: Passes, seed: str, kept: list[ast.stmt], scribe: Scribe
    ) -> tuple[str, ...] | None:
        """The parameters whose shapes broadcast to the result's, or a check of the result itself in the code."""
        if not self.options.check_dims:
            return None
        atoms = passes.shape
        fixed = set(this.parameters) - assigned_inside(this.core.body)
        dtype = passes.facts.of(name(this.result)).dtype
        exact = dtype is not None and dtype <= fixed
        if passes.flows and atoms is not None and atoms <= fixed and (exact or not self.may_be_complex(this)):
            made.dtypes = tuple(sorted(dtype if exact and dtype is not None else fixed))
            made.exact = exact
            return tuple(sorted(atoms))
        check = scribe.call("check_seed", name(seed), name(this.result))
        kept.append(assign(seed, check, this.core.body[-1]))
        return None

    def may_be_complex(self, this: Unit, seen: frozenset[Any] = frozenset()) -> bool:
        """Whether complex numbers can come up in a function that is given real ones."""
        for node in ast.walk(this.core):
            if isinstance(node, ast.Constant) and isinstance(node.value, complex):
                return True
        for op in this.operations.values():
            if op.kind in ("dynamic", "opaque", "closure"):
                return True
            if op.kind == "rule" and (op.rule.name in COMPLEX_RESULTS | TO_REAL or "fft" in op.rule.name):
                return True
            if op.kind == "call" and table().custom_of(op.callee) is not None:
                return True
            if op.kind == "call" and op.callee not in seen and isinstance(op.callee, types.FunctionType):
                if self.may_be_complex(self.read(op.callee), seen | {op.callee}):
                    return True
        return False

    def pushforward(self, function: types.FunctionType, title: str) -> Generated:
        """`f_jvp(x, dx)`."""
        made = self.entry(function, title)
        made.numbers = number_parameters(self.read(function))
        self.build_tangent(made, self.options.wrt, frozenset(made.numbers), both=False)
        return made

    # Builders

    def passes(
        self, this: Unit, wrt: tuple[str, ...], scribe: Scribe, numbers: frozenset[str], groups: Groups = NONE_GIVEN,
        adding: tuple[str, ...] = (), count: Checkpoint = None,
    ) -> tuple[Settled, Passes, str]:  # fmt: skip
        if is_checkpointed(this, count):
            if self.options.compile is not None:
                raise this.refuse(
                    this.source.tree, "a loop under 'checkpoint' in compiled code",
                    "compiled derivatives keep everything", "Leave out compile or checkpoint.",
                )  # fmt: skip
            whole = self.settled(this, wrt, numbers, groups, adding)  # what is written in place is known before the cut
            this.context.augmented = {}
            given = frozenset(p for group in groups for p in group)
            this = outlined(whole, wrt, count, self.read, self.written_outside, given)
        settled = self.settled(this, wrt, numbers, groups, adding)
        seed = scribe.derivative(settled.unit.result, "b")
        everything = not self.options.optimized
        return settled, reverse(settled, scribe, self, seed, everything, numbers, groups, adding), seed

    def settled(
        self, this: Unit, wrt: tuple[str, ...], numbers: frozenset[str], groups: Groups = NONE_GIVEN,
        outputs: tuple[str, ...] = (),
    ) -> Settled:  # fmt: skip
        """The function with its writes in place dealt with; `outputs` are those beside its result."""
        known = shapes(this.core, this.operations, liveness(this.core), self.result_fact, numbers)
        found = settle(this, wrt, (this.result, *outputs), groups, self._summaries, known, self._written)
        self._read |= globals_read(found.unit, found.activity.useful)
        self._written += globals_rebound(found.unit, found.activity.varied)
        return found

    def build_pair(
        self, fwd: Generated, bwd: Generated, active: tuple[str, ...], numbers: frozenset[str],
        groups: Groups = NONE_GIVEN, known: Known = (), adding: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        outside = tuple(v for v in active if v in fwd.primal.__code__.co_freevars)
        this = self.read(fwd.primal, outside, known)
        scribe = Scribe(this.context)
        refuse_carried(this)
        settled, passes, seed = self.passes(this, active, scribe, numbers, groups, adding)
        this = settled.unit
        refuse_hidden_writes(settled, groups)
        keep = this.context.names.fresh("result")
        values = [returned(v, passes, (), scribe, own=False) for v in active]
        last = ast.Return(ast.Tuple([name(keep), *values], ast.Load()))
        kept = assign(keep, name(this.result), this.core.body[-1])
        body = [*passes.forward, kept, BOUNDARY, *passes.backward, last]
        fwd.shared = bwd.shared = aliases_of(settled, scribe)
        body = self.optimise(body, this, scribe, fwd.shared)
        cut = body.index(BOUNDARY)
        first, second = body[:cut], body[cut + 1 :]
        final = second[-1]
        assert isinstance(final, ast.Return) and isinstance(final.value, ast.Tuple)
        result, *adjoints = final.value.elts
        gradients = ast.Return(adjoints[0] if len(adjoints) == 1 else ast.Tuple(adjoints, ast.Load()))
        second = [*second[:-1], *([at(gradients, this.core.body[-1])] if adjoints else [])]
        given = [p for group in groups for p in group]
        shadows = [passes.stores.callers(p) for p in given]
        handles = [p if passes.stores.stays(p, first) else this.context.names.fresh(f"{p}_given") for p in given]
        seeds = [*([] if self.gives_nothing(fwd.primal) and groups else [seed]), *handles, *shadows]
        seeds += [scribe.derivative(v, "b") for v in adding]
        local = assigned_inside(first) | set(this.parameters) | set(outside)
        saved = sorted(live_into(second) & local - set(seeds))
        state = this.context.names.fresh("saved")
        fwd.carries = passes.stores.carried
        fwd.once = bwd.once = passes.stores.entangled(saved) or passes.stores.scales_shared(groups)
        if passes.stores.apart(saved):
            fwd.fresh, bwd.fresh = "return", state
        tuple_ = ast.Tuple([name(v) for v in saved], ast.Load())
        bound = surely_bound(first, {*this.parameters, *outside})
        unbound: list[ast.stmt] = [assign(v, constant(None)) for v in saved if v not in bound]
        handed = at(ast.Return(ast.Tuple([result, tuple_], ast.Load())), this.core.body[-1])
        fwd.tree = definition(this, fwd.name, [*unbound, *first, handed], [])
        unpack: list[ast.stmt] = []
        if saved:
            slots = ast.Tuple([ast.Name(v, ast.Store()) for v in saved], ast.Store())
            unpack = [at(ast.Assign([slots], name(state)), this.core.body[0])]
        args = ast.arguments([], [ast.arg(state), *(ast.arg(v) for v in seeds)], None, [], [], None, [])
        doc = f"The backward pass of {fwd.name}."
        bwd.tree = function_def(bwd.name, args, doc, [*unpack, *second] or [ast.Pass()])
        for made in (fwd, bwd):
            self.complete(made, this, scribe)
            self.functions.append(made)

    def build_plain(self, made: Generated, active: tuple[str, ...], numbers: frozenset[str], groups: Groups) -> None:
        this = self.read(made.primal)
        scribe = Scribe(this.context)
        settled = self.settled(this, active, numbers, groups)
        made.shared = aliases_of(settled, scribe)
        body = [s for s in plain_blocks(unmarked(settled.unit)) if not isinstance(s, Comment)]
        body = self.optimise(body, settled.unit, scribe, made.shared)
        made.tree = definition(settled.unit, made.name, body, [])
        self.complete(made, this, scribe)
        self.functions.append(made)

    def build_tangent(
        self, made: Generated, active: tuple[str, ...], numbers: frozenset[str], both: bool,
        groups: Groups = NONE_GIVEN, known: Known = (),
    ) -> None:  # fmt: skip
        """With `both` the function for callers, which gives value and tangent; else the one that was asked for."""
        outside = tuple(v for v in active if v in made.primal.__code__.co_freevars)
        this = without_insertions(self.read(made.primal, outside, known))
        if self.options.has_aux and not both:
            this = with_aux(this)
        made.seeds = tangent_names(this, active)
        scribe = Scribe(this.context)
        for v, tangent in made.seeds.items():
            this.context.names.taken.add(tangent)
            scribe.derivatives["d", v] = tangent
        settled = self.settled(this, active, numbers, groups)
        this = settled.unit
        if both:
            refuse_hidden_writes(settled, groups)
        body = [*own_copies(settled, scribe), *forward(settled, scribe, self, active, numbers)]
        found: ast.expr = scribe.call("init_grad", name(this.result))
        if this.result in settled.activity.names():
            found = name(scribe.derivative(this.result, "d"))
        value = found
        if both:
            value = ast.Tuple([name(this.result), found], ast.Load())
        elif extra := extra_results(this, self.options):
            value = arranged([found], list(extra), self.options)
        last = at(ast.Return(value), this.core.body[-1])
        made.shared = aliases_of(settled, scribe)
        body = self.optimise([*body, last], this, scribe, made.shared)
        final = body[-1]
        assert isinstance(final, ast.Return)
        if not both and may_be_view(given := final.value, this, made, body):
            body[-1] = replace(final, value=scribe.call("copy", given))
        made.tree = definition(this, made.name, body, [made.seeds[v] for v in active], None, keywords=both)
        self.complete(made, this, scribe)
        if made not in self.functions:
            self.functions.append(made)

    def complete(self, made: Generated, this: Unit, scribe: Scribe) -> None:
        made.source = this.source
        made.externals = scribe.externals
        made.seen = dict(this.context.scope.seen)


def may_be_view(e: ast.expr | None, this: Unit, made: Generated, body: list[ast.stmt]) -> TypeGuard[ast.expr]:
    """Whether a returned tangent may be (part of) one that came in."""
    match e:
        case ast.Name(id=v):
            assigned = [s.value for s in statements(body) if isinstance(s, ast.Assign) and v in writes(s)]
            in_place = any(isinstance(s, ast.AugAssign) for s in statements(body))
            given = v in made.seeds.values()
            return given or in_place or not assigned or not all(is_new(x) for x in assigned)
        case ast.Subscript() | ast.Attribute():
            return True
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(may_be_view(x, this, made, body) or isinstance(x, ast.Name | ast.Tuple) for x in elts)
        case ast.Call(func=ast.Name(id=function), args=[ast.Name() as first, _]) if function.rstrip("_") == "as_given":
            return may_be_view(first, this, made, body)
        case ast.Call(func=func):
            found = this.context.scope.resolve(func)
            bounds = table().lookup(found) if found is not MISSING else []
            method = func.attr if isinstance(func, ast.Attribute) and found is MISSING else ""
            rules = [table().rules[b.rule] for b in (*bounds, *table().methods.get(method, []))]
            return any(r.kind == "linear" and r.name not in FRESH for r in rules)
        case _:
            return False


class _Boundary(Comment):
    """Where the forward pass ends."""


BOUNDARY = _Boundary("", section=True)


COMPLEX_RESULTS = frozenset(
    "builtin_complex builtin_float astype array asarray eig eigvals roots attribute getitem".split()
)


def number_parameters(this: Unit) -> tuple[str, ...]:
    """Parameters in arithmetic: taken for numbers or arrays, which the derivative checks when it is called."""
    used = {
        e.id
        for op in this.operations.values()
        if isinstance(op.value, ast.BinOp) and not isinstance(op.value.op, ast.BitOr)
        for e in (op.value.left, op.value.right)
        if isinstance(e, ast.Name)
    }
    used |= {
        x.id
        for op in this.operations.values()
        if op.kind == "rule" and op.rule.name in ROW_RULES and isinstance(x := op.values["x"], ast.Name)
    }
    plain = [a.arg for a in (*this.core.args.posonlyargs, *this.core.args.args, *this.core.args.kwonlyargs)]
    return tuple(p for p in plain if p in used)


def tangent_names(this: Unit, active: tuple[str, ...]) -> dict[str, str]:
    """`dx` for x, unless the function uses that name itself."""
    names = copy.deepcopy(this.context.names)
    return {v: names.fresh("d" + v) for v in active}


def own_copies(settled: Settled, scribe: Scribe) -> list[ast.stmt]:
    """Arguments that are written in place are copied: a derivative never changes what its caller passed."""
    this = settled.unit
    if not settled.owned:
        return []
    plain = [a.arg for a in (*this.core.args.posonlyargs, *this.core.args.args, *this.core.args.kwonlyargs)]
    done: list[ast.stmt] = []
    for p in settled.owned:
        others = [name(q) for q in plain if q != p and (q not in settled.owned or plain.index(q) > plain.index(p))]
        done.append(
            assign(p, scribe.call("own" if p in settled.arrays else "own_any", name(p), *others), this.core.body[0])
        )
    return done


def aliases_of(settled: Settled, scribe: Scribe) -> dict[str, str]:
    """Classes of names in the generated function that may share storage."""
    classes = settled.storage.classes
    shared = {d: f"{prefix} {classes[v]}" for (prefix, v), d in scribe.derivatives.items() if v in classes}
    found = {**classes, **shared}
    return {**found, **{k: found[v] for k, v in scribe.kept.items() if v in found}}


def refuse_hidden_writes(settled: Settled, groups: Groups) -> None:
    """A function that is called may write into what its caller knows of, and into nothing else."""
    if hidden := [*(() if groups.known else settled.owned), *settled.rebound]:
        this = settled.unit
        raise InPlaceError(
            f"cannot differentiate the call of '{this.source.function.__name__}'", this.source.locate(this.source.tree),
            f"it writes into its argument '{hidden[0]}', which is found out only when the call happens",
            "Call it by its own name, or let it return a new array.",
        )  # fmt: skip


def refuse_carried(this: Unit) -> None:
    """A backward pass for which arrays of the caller were kept has no backward pass itself."""
    if getattr(this.source.function, "once", False):
        title = this.source.function.__name__
        raise InPlaceError(
            f"cannot differentiate '{title}' in reverse mode", this.source.locate(this.source.tree),
            "arrays that are written into are bound anew (as where buffers are swapped), shared, or may be numbers",
            "Take the second derivative forward over reverse: tangent.jvp(tangent.grad(f)), hessian, hvp.",
        )  # fmt: skip


def returned(v: str, passes: Passes, numbers: tuple[str, ...], scribe: Scribe, own: bool) -> ast.expr:
    """A gradient as it is given back: real arrays, and nobody else's."""
    state, facts = passes.state, passes.facts
    if v in passes.stores.shadowed:
        b = name(scribe.derivative(v, "b"))
        return b if passes.stores.is_array(v) and not passes.stores.carried else scribe.call("unboxed", b, name(v))
    if v not in state.held:
        return scribe.call("init_grad", name(v))
    b = name(scribe.derivative(v, "b"))
    if not own:
        return b
    if v in state.owned and v not in state.lazy and (v in numbers or facts.of(name(v)).number):
        return b
    if v in state.owned and v not in state.lazy:
        return scribe.call("as_given", b, name(v))
    if facts.of(name(v)).number and v not in state.lazy:
        return scribe.call("copy", b)
    return scribe.call("settled", b, name(v))


def with_aux(this: Unit) -> Unit:
    """The function up to its first result; what else it returns goes along unseen."""
    last = this.core.body[-1]
    loss, aux = this.context.names.fresh("loss"), this.context.names.fresh("aux")
    slots = ast.Tuple([ast.Name(loss, ast.Store()), ast.Name(aux, ast.Store())], ast.Store())
    split = at(ast.Assign([slots], name(this.result)), last)
    core = replace(this.core, body=[*this.core.body[:-1], split, at(ast.Return(name(loss)), last)])
    operations = {**this.operations, split: Operation("unpack", (loss, aux), (this.result,), name(this.result))}
    return Unit(this.source, core, this.context, operations)


def extra_results(this: Unit, options: Options) -> list[ast.Name]:
    """What is given back beside the derivative: the value, the auxiliary output."""
    found = [name(this.result)] if options.preserve_result else []
    if options.has_aux:
        split = this.core.body[-2]
        assert isinstance(split, ast.Assign) and isinstance(split.targets[0], ast.Tuple)
        aux = split.targets[0].elts[1]
        assert isinstance(aux, ast.Name)
        found.append(name(aux.id))
    return found


def arranged(derivatives: list[ast.expr], extra: list[ast.expr], options: Options) -> ast.expr:
    """`gradients, value`, or `value, gradients` with both sides grouped."""

    def group(parts: list[ast.expr]) -> ast.expr:
        return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())

    if not extra:
        return group(derivatives)
    if options.value_first:
        return ast.Tuple([group(extra), group(derivatives)], ast.Load())
    if options.has_aux:
        return ast.Tuple([group(derivatives), *extra], ast.Load())
    return ast.Tuple([*derivatives, *extra], ast.Load())


def definition(
    this: Unit, title: str, body: list[ast.stmt], seeds: list[str], default: ast.expr | None = None,
    keywords: bool = False,
) -> ast.FunctionDef:  # fmt: skip
    """The generated function: the primal's parameters, then the seeds."""
    args = copy.deepcopy(this.core.args)
    for a in arguments(args):
        a.annotation = None
    for seed in seeds:
        if args.vararg or keywords:
            args.kwonlyargs.append(ast.arg(seed))
            args.kw_defaults.append(default)
        else:
            args.args.append(ast.arg(seed))
            if default is not None or args.defaults:
                args.defaults.append(default or constant(None))
    outside = [s for s in body if isinstance(s, ast.Global | ast.Nonlocal)]
    body = [*outside, *(s for s in body if s not in outside)]
    return function_def(title, args, "", user_comments(body, this))


def function_def(title: str, args: ast.arguments, doc: str, body: list[ast.stmt]) -> ast.FunctionDef:
    start: list[ast.stmt] = [ast.Expr(constant(doc))] if doc else []
    return function_node(title, args, [*start, *body])


def user_comments(body: list[ast.stmt], this: Unit) -> list[ast.stmt]:
    """The user's comments, above the forward statements they belong to."""
    waiting = comments(this.source)
    if not waiting:
        return body

    def place(block: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in block:
            if isinstance(s, Comment):
                done.append(s)
                continue
            text = waiting.pop(getattr(s, "lineno", 0), None)
            if text is not None:
                done.append(comment(text, s))
            match s:
                case ast.If(body=then, orelse=other):
                    s = replace(s, body=place(then), orelse=place(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    s = replace(s, body=place(inner))
            done.append(s)
        return done

    return place(body)
