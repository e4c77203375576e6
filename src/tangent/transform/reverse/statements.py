"""One statement: what its operands get from the adjoint of its result."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.results import ROW_RULES
from tangent.syntax.print import comment
from tangent.syntax.quote import at, expression, name
from tangent.transform.reverse.calls import Calls
from tangent.transform.reverse.refusals import refusal
from tangent.transform.reverse.state import State
from tangent.transform.rows import Part, row_adjoint


class Statements(Calls):
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
        if self.stores.holds_handles(op):
            return [*self.stores.given_back(s, op), *restores]
        heard = [t for t in op.targets if t in state.held or t in self.stores.shadowed]
        if op.kind == "push":
            return self.adjoint_push(op, s, state) + restores
        speaks = op.kind == "pop" and self.gives_back(op, bool(heard), state)
        if op.kind == "pop" and not speaks and op.why == "read":
            return [at(ast.Expr(expression("s.append(v)", s=op.operands[0], v=op.targets[0])), s), *restores]
        if speaks:
            mark = comment(f"Grad of: {self.primal(s)}", s)
            before, _ = self.adjoint_pop(op, s, state)
            state.held.discard(op.targets[0])
            return [mark, *before, *restores]
        if self.cuts.restoring and all(t in self.stores.shadowed for t in heard):
            return self.stores.restored_only(s) + restores
        if s in self.stores.calls:
            return self.stores.call(s, op, state) + self.stores.restore(s) + restores
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
