"""Calls of functions: a forward half that returns what the backward half needs."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent.analysis.operation import Operation
from tangent.errors import MissingRuleError
from tangent.rules.table import table
from tangent.runtime.calls import CAUGHT, SILENT
from tangent.runtime.objects import MEMBERS
from tangent.syntax.names import as_identifier
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace
from tangent.transform.calls import fit_arguments, items_beside, leaf_names
from tangent.transform.checkpoint import constants_of
from tangent.transform.custom import refuse_missing, refuse_writer
from tangent.transform.reverse.containers import Containers
from tangent.transform.reverse.state import State
from tangent.transform.rows import Part
from tangent.transform.scribe import Scribe
from tangent.transform.storage.summaries import is_restoring
from tangent.transform.unit import Unit


class Calls(Containers):
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

    def lower_call(self, s: ast.Assign, value: ast.Call, op: Operation) -> ast.stmt:
        arguments = fit_arguments(self.unit, value, op.callee) if op.kind == "call" else None
        if arguments is None:
            return self.lower_dynamic(s, value, op)
        groups = self.stores.groups(s, arguments.values)
        refuse_writer(self.unit, value, op.callee, groups)
        stored = {p for group in groups for p in group}
        wanted = tuple(p for p in arguments.active(self.active) if p not in stored)
        refuse_missing(self.unit, value, op.callee, "reverse", wanted)
        shadowed = {p for p, v in arguments.values.items() if any(n in self.stores.shadowed for n in leaf_names(v))}
        adding = tuple(p for p in constants_of(op.callee, wanted) if p not in shadowed) if not groups else ()
        tangled = op.targets[0] in self.stores.shadowed and self.stores.settled.summary(op.callee).result
        numbers = self.known_numbers(arguments.values)
        fwd, bwd = self.derivatives.pair(
            op.callee, wanted, numbers, groups, arguments.known, adding, s in self.caught, tangled
        )
        if tangled:
            fwd.once = bwd.once = self.stores.tangled = True  # what it keeps is written into here
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
        kept = self.stores.settled.summary(op.callee).result
        self.stores.holding[saved] = (*op.operands, *op.targets[:1]) if kept else op.operands
        if is_restoring(op, self.stores.settled.summary):
            self.stores.restoring[saved] = self.scribe.kept.get(op.targets[0], op.targets[0])
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
                    raise self.unit.refuse(value, "a starred argument that is not the last", "its length is unknown",
                                           "Pass what follows it by keyword.")  # fmt: skip
                positions.append("*" if isinstance(a, ast.Starred) else i)
        positions += [
            k.arg or items_beside(value)
            for k in value.keywords
            if isinstance(k.value, ast.Name) and k.value.id in self.active
        ]
        start = sum(1 for a in value.args if not isinstance(a, ast.Starred))
        places = [*([SILENT] if self.derivatives.options.silent else []), *([CAUGHT] if s in self.caught else [])]
        shown = ast.Tuple([constant(p if p != "*" else f"*{start}") for p in [*places, *positions]], ast.Load())
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
        self.stores.holding[saved] = (*op.operands, *op.targets[:1])
        if is_restoring(op, self.stores.settled.summary):
            self.stores.restoring[saved] = self.scribe.kept.get(op.targets[0], op.targets[0])
        return new

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
                given.append((p, next(k.value for k in op.value.keywords if (k.arg or items_beside(op.value)) == p)))
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
            common = any(hasattr(cls, attr) for cls in (np.ndarray, list, dict, float, set)) and attr[:2] != "__"
            told = attr in table().methods  # but how many arguments it has is known only when it is called
            # with members, it is refused where it is none of a user's class
            if common and not told and not unit.context.overloads(MEMBERS):
                raise MissingRuleError(
                    f"cannot differentiate the method call '{ast.unparse(value)}'", unit.source.locate(value),
                    "there is no rule for this method", "Use a NumPy function, or write the step by hand.",
                )  # fmt: skip
            function = scribe.call("method_of", name(owner), constant(attr))
            return replace(value, func=function, args=[name(owner), *value.args])
        case _:
            return value
