"""The generated module: the derivative that was asked for, and those of the functions it calls."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.passed import by_parameter
from tangent.analysis.shapes.facts import UNKNOWN, Atoms, Fact, of_result
from tangent.analysis.shapes.infer import shapes
from tangent.analysis.shapes.table import Shapes
from tangent.errors import SourceError, TangentError
from tangent.options import Options
from tangent.rules.table import Custom, table
from tangent.runtime.storage.held import share
from tangent.source.naming import is_library
from tangent.source.reachable import reachable, reads_around
from tangent.source.reached import reached
from tangent.syntax.names import as_identifier, identifiers
from tangent.syntax.quote import name
from tangent.syntax.uses import assigned_inside
from tangent.transform.by_tangents import Derive, is_gradient, pair_by_tangents, tangent_by_tangents
from tangent.transform.calls import NONE_GIVEN, Groups
from tangent.transform.checkpoint import build_again, build_loop
from tangent.transform.common import common_passes, is_common
from tangent.transform.custom import custom_pair, custom_tangent
from tangent.transform.entrance import tangent_names
from tangent.transform.generated import Generated
from tangent.transform.known import Known
from tangent.transform.merge import merge
from tangent.transform.origins import Origin, origins
from tangent.transform.outline import Checkpoint, is_checkpointed, loop_of, outlined
from tangent.transform.pairs import build_pair, build_plain
from tangent.transform.reverse.passes import reverse
from tangent.transform.reverse.state import Passes
from tangent.transform.scribe import Scribe
from tangent.transform.shared import shared
from tangent.transform.silenced import silenced
from tangent.transform.storage.around import held_around
from tangent.transform.storage.lasting import lasting_refused, makes_persistent
from tangent.transform.storage.module_state import read_back, read_by_derivatives, refuse_changed, refuse_rebound
from tangent.transform.storage.settle import Settled, settle
from tangent.transform.storage.summaries import Outside, globals_read, globals_rebound, summaries
from tangent.transform.tangents import build_tangent
from tangent.transform.tuples import plain_tuples
from tangent.transform.unit import Unit, unit

NONE_KNOWN: Mapping[str, Atoms] = {}
Key = tuple[Any, ...]
Turn = Callable[[types.FunctionType, tuple[str, ...], Derive], Custom]
Optimise = Callable[[list[ast.stmt], Unit, Scribe, dict[str, str]], list[ast.stmt]]
Bind = Callable[["Module"], Mapping[Generated, types.FunctionType]]


def for_any_arguments(function: types.FunctionType) -> types.FunctionType:
    """A callee; of a derivative that takes its arguments for numbers, the one for arguments of any kind."""
    general = getattr(function, "anything", None)
    return general() if general is not None else function


class Module:
    """Derivatives by function, active parameters and kind; each is made once, so recursion refers to itself."""

    def __init__(
        self, options: Options, optimise: Optimise, derive: Derive | None = None, bind: Bind | None = None
    ) -> None:  # fmt: skip
        self.options, self.optimise, self.derive, self.bind = options, optimise, derive, bind
        self.is_common = False  # whether what is made here is for all modules
        self.functions: list[Generated] = []
        self.made: dict[Key, Any] = {}
        self._facts: dict[Any, Fact] = {}
        self._begun: set[Any] = set()  # functions whose results are being found out
        self._early = 0  # how often one of these was asked for
        self._shapes: dict[tuple[Any, ...], tuple[Operations, Shapes]] = {}
        self._tuples: dict[Any, bool] = {}
        self._waiting: list[Callable[[], None]] = []
        self._names: set[str] = set()
        self._units: dict[Any, Unit] = {}
        self.given_lists: set[Any] = set()
        self._taken: dict[Any, frozenset[str]] = {}
        self.summaries = summaries(self.read_for_facts, self.is_turned)
        self._read: set[tuple[int, str]] = set()
        self._differentiated: set[Any] = set()
        self._spaces: dict[int, dict[str, Any]] = {}
        self.asked_for: types.FunctionType | None = None
        self._written: Outside = []
        self._read_back: set[tuple[int, str]] = set()
        self._read_by_name: set[tuple[int, str]] = set()  # by backward passes, under the names of the module
        self._part: tuple[Unit, ast.stmt] | None = None
        self._scalars = dict(options.scalars)
        self._numbers = {f: (numbers, lists, dict(parameters)) for f, numbers, lists, parameters in options.numbers}
        self._objects = frozenset(options.objects)

    # What the transformations ask for

    def pair(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str] = frozenset(),
        groups: Groups = NONE_GIVEN, known: Known = (), adding: tuple[str, ...] = (), caught: bool = False,
        apart: bool = False,
    ) -> tuple[Generated, Generated]:  # fmt: skip
        """The forward and backward pass of a callee; adjoints of the parameters in `adding` come in and go out.

        What they keep is written into by this caller if they are `apart`: no other calls them.
        """
        function = for_any_arguments(function)
        known = self.usable(function, known)
        numbers = numbers if not is_common(function) else frozenset()  # what all call is for any values
        key = (function, active, numbers, groups, known, adding, function in self.given_lists, caught, "pair")
        self.asked_for = self.asked_for or function
        if key not in self.made:
            base = as_identifier(function.__name__)
            if (custom := table().custom_of(function) or self.turned(function, active, pair_by_tangents)) is not None:
                self.made[key] = custom_pair(function, custom, active)
                return self.made[key]  # type: ignore[no-any-return]
            given = active, numbers, groups, (), adding, caught
            shared = None if apart or known else common_passes(self, function, key, lambda m: m.pair(function, *given))
            if shared is not None:
                self.made[key] = shared
                return shared  # type: ignore[no-any-return]
            both = self.new_pair(base, function)
            both[0].caught = caught
            self.made[key] = both
            if getattr(function, "checkpointed", False):
                inner = self.new_pair(f"{base}_again", function)
                build_again(self, both, inner, active, groups)
                self._waiting.append(lambda: build_pair(self, *inner, active, numbers, groups, known, adding))
            elif loop_of(function) is not None:
                self._waiting.append(lambda: build_loop(self, *both, active, numbers, groups, adding))
            else:
                self._waiting.append(lambda: build_pair(self, *both, active, numbers, groups, known, adding))
        found: tuple[Generated, Generated] = self.made[key]
        return found

    def turned(self, function: types.FunctionType, active: tuple[str, ...], made: Turn) -> Custom | None:
        """The derivatives of a gradient that go through forward mode, where they have to."""
        named = set(active) <= {*inspect.signature(function).parameters}
        if self.derive is None or not named or not self.is_turned(function):
            return None
        return made(function, active, self.derive)

    def is_turned(self, function: Any) -> bool:
        return self.options.turned and is_gradient(function)

    def tangent(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str] = frozenset(),
        groups: Groups = NONE_GIVEN, known: Known = (), caught: bool = False,
    ) -> Generated:  # fmt: skip
        function = for_any_arguments(function)
        known = self.usable(function, known)
        numbers = numbers if not is_common(function) else frozenset()
        key = (function, active, numbers, groups, known, function in self.given_lists, caught, "tangent")
        if key not in self.made:
            custom = table().custom_of(function) or self.turned(function, active, tangent_by_tangents)
            if custom is not None:
                self.made[key] = custom_tangent(function, custom, active)
                return self.made[key]  # type: ignore[no-any-return]
            given = active, numbers, groups, (), caught
            shared = None if known else common_passes(self, function, key, lambda m: m.tangent(function, *given))
            if shared is not None:
                self.made[key] = shared
                return shared  # type: ignore[no-any-return]
            made = self.new(f"{as_identifier(function.__name__)}_jvp", function)
            made.seeds, made.caught = tangent_names(self.read(function, known=known), active), caught
            self.made[key] = made
            self._waiting.append(lambda: build_tangent(self, made, active, numbers, True, groups, known))
        found: Generated = self.made[key]
        return found

    def for_all(self) -> Module:
        """An empty module, asked for the same, whose functions all others may call."""
        asked = {name: getattr(self.options, name) for name in ("optimized", "silent", "turned")}
        options = Options(objects=tuple(sorted(self._objects)), **asked)
        module = Module(options, self.optimise, self.derive, self.bind)
        module.is_common = True
        return module

    @property
    def state(self) -> Key:
        """What derivatives of Tangent's own functions depend on, beside these functions."""
        options = self.options
        return options.optimized, options.silent, options.turned, self._objects, table().version

    def plain(
        self, function: types.FunctionType, active: tuple[str, ...], numbers: frozenset[str], groups: Groups
    ) -> Generated:
        """The function itself, as Core Python, for code that has no other text."""
        key = (function, groups, "plain")
        if key not in self.made:
            made = self.made[key] = self.new(function.__name__, function)
            self._waiting.append(lambda: build_plain(self, made, active, numbers, groups))
        found: Generated = self.made[key]
        return found

    def gives_nothing(self, function: types.FunctionType) -> bool:
        """Whether a function always returns None."""
        this = self.read(function)
        made = [op for op in this.operations.values() if this.result in op.targets]
        return bool(made) and all(isinstance(op.value, ast.Constant) and op.value.value is None for op in made)

    def origins(self, function: types.FunctionType) -> set[Origin]:
        """Where the results of a function come from."""
        return origins(function, self.read_for_facts)

    def gives_tuple(self, function: types.FunctionType, asked: frozenset[Any] = frozenset()) -> bool:
        """Whether the result of a function is a tuple; what it gives by calling itself is what it gives otherwise."""
        if function in asked:
            return True
        if function not in self._tuples:
            found = self._gives_tuple(function, asked | {function})
            if asked and found:  # it may rest on what is asked
                return True
            self._tuples[function] = found
        return self._tuples[function]

    def _gives_tuple(self, function: types.FunctionType, asked: frozenset[Any]) -> bool:
        try:
            this = self.read_for_facts(function)
        except TangentError:  # only an error if it turns out to be active
            return False
        return this.result in plain_tuples(this, this.operations, lambda f: self.gives_tuple(f, asked))

    def written_outside(self) -> Collection[tuple[int, str]]:
        """What the function that the module is made of, and what it calls, write into outside of themselves."""
        return self.summaries(self.asked_for).outside if self.asked_for is not None else ()

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
        """Of the functions that a call names, those that stay what they are, and write into nothing but arguments."""
        if not known or table().custom_of(function) is not None:
            return ()
        kept = set(self.read(function).parameters) - assigned_inside(self.read(function).core.body)
        return tuple((p, f) for p, f in known if p in kept and not self._writes_outside(f))

    def _writes(self, f: Any) -> bool:
        own = isinstance(f, types.FunctionType) and not is_library(f)
        return own and bool(self.summaries(f).written or self.summaries(f).passed or self._writes_outside(f))

    def _writes_outside(self, f: Any) -> bool:
        own = isinstance(f, types.FunctionType) and not is_library(f)
        return own and bool(self.summaries(f).outside)

    def read(self, function: types.FunctionType, captured: tuple[str, ...] = (), known: Known = ()) -> Unit:
        """A unit of its own for each derivative: names are given per generated function."""
        lists = function in self.given_lists
        key = (function, captured, known, lists)
        if key not in self._units:
            made = unit(function, captured, self._objects, known, lists)
            made = silenced(made) if self.options.silent else made
            self._spaces[id(function.__globals__)] = function.__globals__
            self._objects |= made.context.objects  # what a function names, it may hand to those that it calls
            self._units[key] = made  # what it calls may call it
            if self.options.optimized:
                self._units[key] = shared(made, self._writes)
            self.given_lists |= self._units[key].lists.given(self._units[key].operations)
        found = self._units[key]
        context = copy.copy(found.context)
        numbers, context.listed, context.presumed = self._numbers.get(function, (frozenset(), frozenset(), {}))
        context.scalars = self._scalars.get(function, frozenset()) | numbers
        context.names = found.context.names.copied()
        context.externals = dict(found.context.externals)
        context.scope = copy.copy(found.context.scope)
        context.scope.externals = dict(found.context.scope.externals)
        return Unit(found.source, found.core, context, found.operations, found.lists)

    def read_for_facts(self, function: types.FunctionType) -> Unit:
        """What a function does, found in its source; not of those whose derivatives are given: they may be anything."""
        if table().custom_of(function) is not None:
            raise SourceError(f"'{function.__name__}' is taken as it is")  # a signal, never shown
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
                self._begun.add(function)
                self._facts[function] = of_result(self.shapes(this).of(name(this.result)))
                self._begun.remove(function)
        elif function in self._begun:
            self._early += 1
        return self._facts[function]

    def shapes(
        self, this: Unit, numbers: frozenset[str] = frozenset(), given: Mapping[str, Atoms] = NONE_KNOWN,
        arrays: frozenset[str] = frozenset(),
    ) -> Shapes:  # fmt: skip
        """What is known of the variables of a function, found out once for all its derivatives.

        What rests on a result that was not known yet is found out again.
        """
        presumed = this.context.presumed
        key = (this.core, numbers, frozenset(given.items()), arrays, frozenset(presumed.items()))
        operations, found = self._shapes.get(key, ({}, None))
        if found is None or operations is not this.operations:
            early, live = self._early, liveness(this.core)
            found = shapes(this.core, this.operations, live, self.result_fact, numbers, given, arrays, presumed)
            if early == self._early:
                self._shapes[key] = this.operations, found
        return found

    def written_around(self) -> frozenset[tuple[int, str]]:
        """The variables around the functions that get something which depends on the input."""
        return frozenset((namespace, v) for namespace, v, _ in self._written)

    def finish(self) -> None:
        while self._waiting:
            self._waiting.pop(0)()
        if self.options.optimized:
            self.functions = merge(self.functions)
        if self._written:
            self._read |= self._read_by_others()
        for namespace, v, error in self._written:
            if (namespace, v) in self._read or any(self._are_shared(namespace, v, *other) for other in self._read):
                raise error
        refuse_rebound(self.read(self.functions[0].primal), self.read, self.summaries)
        if self._read_back:
            first = self.read(self.functions[0].primal)
            refuse_changed(first, self._read_by_name, self._read_back, self.read, self.summaries)
        if self._part is not None and makes_persistent(self.functions[0].primal):
            raise lasting_refused(*self._part)
        self.functions[0].parts = self._part is not None or getattr(self.functions[0].primal, "parts", False)

    def _read_by_others(self) -> set[tuple[int, str]]:
        """Global names that functions read which are not differentiated: nothing of what they give depends on the
        arguments, but for what they find there."""
        primal = self.functions[0].primal
        if hasattr(primal, "origin"):  # that was looked at when it was made
            return set()
        others = [g for g in reachable(primal, self.read(primal).source.tree) if g not in self._differentiated]
        self._spaces |= {id(g.__globals__): g.__globals__ for g in others}
        return {(id(g.__globals__), v) for g in others for v in reads_around(g)}

    def _are_shared(self, namespace: int, v: str, other: int, w: str) -> bool:
        """Whether two global names hold something in common that can be changed."""
        x, y = self._spaces[namespace].get(v), self._spaces[other].get(w)
        return any(share(p, q) for p in held_around(x) for q in held_around(y))

    # The entry points

    def entry(self, function: types.FunctionType, title: str) -> Generated:
        """The function that was asked for; a derivative of a derivative takes the lists that the first one takes."""
        if self.options.lists:
            self.given_lists.add(function)
        made = self.new(title, function)
        self.functions.append(made)
        if not self.options.lists:
            lists = self.read(function).lists
            made.arrays = lists.arrays | self.taken_for_arrays(function) | getattr(function, "arrays", frozenset())
            made.items = lists.items | getattr(function, "items", frozenset())
        return made

    def taken_for_arrays(self, function: types.FunctionType) -> frozenset[str]:
        """The parameters that NumPy takes for arrays, in a function or in those that it hands them to."""
        if function not in self._taken:
            self._taken[function] = frozenset()  # while it is being found out, for recursion
            try:
                this = self.read_for_facts(function)
            except TangentError:  # no source, or not in Core Python: only an error if it turns out to be active
                return frozenset()
            handed = {v for op in this.operations.values() for v in self._handed_arrays(op)}
            self._taken[function] = this.lists.arrays | handed.intersection(this.parameters)
        return self._taken[function]

    def _handed_arrays(self, op: Operation) -> set[str]:
        """The variables that a call hands to a function that NumPy takes for arrays there."""
        if op.kind != "call" or not isinstance(op.callee, types.FunctionType) or not isinstance(op.value, ast.Call):
            return set()
        taken = self.taken_for_arrays(op.callee)
        given = by_parameter(op.value, op.callee) if taken else {}
        return {e.id for p, e in given.items() if p in taken and isinstance(e, ast.Name)}

    # What the builders ask for

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
        passes = reverse(settled, scribe, self, seed, everything, numbers, groups, adding)
        named, found = read_back(settled.unit, passes.forward, passes.backward, self.read, self.summaries)
        self._read_by_name |= named
        self._read_back |= found
        return settled, passes, seed

    def settled(
        self, this: Unit, wrt: tuple[str, ...], numbers: frozenset[str], groups: Groups = NONE_GIVEN,
        outputs: tuple[str, ...] = (),
    ) -> Settled:  # fmt: skip
        """The function with its writes in place dealt with; `outputs` are those beside its result."""
        known = self.shapes(this, numbers)
        found = settle(this, wrt, (this.result, *outputs), groups, self.summaries, known, self._written)
        function = this.source.function
        self._differentiated.add(function)
        if found.part is not None and self._part is None:
            self._part = found.unit, found.part
        around = globals_read(found.unit, found.activity.useful, self.summaries)
        self._read |= around
        read_by_derivatives.update(around)
        self._written += globals_rebound(found.unit, found.activity.varied)
        return found

    def complete(self, made: Generated, this: Unit, scribe: Scribe) -> None:
        made.source = this.source
        made.externals = scribe.externals
        if further := _further(made):
            made.externals = {**scribe.externals, **further}
        made.seen = dict(this.context.scope.seen)


def _further(made: Generated) -> dict[str, types.CellType]:
    """The variables of other functions that a generated function names."""
    assert made.tree is not None
    own = made.primal.__code__.co_freevars
    named = identifiers(made.tree)
    return {v: cell for v, cell in reached(made.primal).items() if v in named and v not in own}
