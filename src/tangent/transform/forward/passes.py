"""Forward mode: beside each statement, the one that computes its tangent."""

from __future__ import annotations

import ast

from tangent.analysis.liveness import live_into
from tangent.analysis.operation import Operation
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import writes
from tangent.transform.calls import Derivatives
from tangent.transform.forward.calls import Calls
from tangent.transform.forward.rules import Rules
from tangent.transform.forward.stores import InPlace
from tangent.transform.reverse.refusals import refusal
from tangent.transform.scribe import Scribe
from tangent.transform.storage.settle import Settled


def forward(
    settled: Settled, scribe: Scribe, derivatives: Derivatives, inputs: tuple[str, ...],
    numbers: frozenset[str] = frozenset(),
) -> list[ast.stmt]:  # fmt: skip
    """The body of a function with tangents beside values, without its return."""
    return Forward(settled, scribe, derivatives, numbers).run(frozenset(inputs))


class Forward(Rules, InPlace, Calls):
    def run(self, inputs: frozenset[str]) -> list[ast.stmt]:
        first = self.unit.core.body[0]
        before = (*self.unit.parameters, *sorted(self.unit.context.declared))  # what has a value before it is assigned
        others = [v for v in before if v in self.active and v not in inputs]
        written = [v for v in self.settled.owned if v in self.shadowed]  # their tangents are written in place, too
        zeros = [assign(self.tangent(v), self.zero_of(name(v)), first) for v in others if v not in written]
        for v in written:
            given = [name(self.tangent(v))] if v in inputs else []
            zeros.append(assign(self.tangent(v), self.scribe.call("beside", name(v), *given), first))
        return [*zeros, *self.block(self.unit.core.body[:-1])]

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            op = self.unit.operations.get(s)
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case Attempt(body=then):
                    done += self.attempt(s, then)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then), orelse=self.block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    if op is not None and op.kind == "opaque" and self.flows(op):
                        raise refusal(self.unit, s, op)
                    done.append(replace(s, body=self.block(inner)))
                case _ if op is not None and op.kind == "pop" and op.operands[0] in self.active and not self.flows(op):
                    dropped = self.scribe.names.numbered("dropped")
                    done += [s, assign(dropped, expression("s.pop()", s=self.tangent(op.operands[0])), s)]
                case _ if op is not None and (any(t in self.active for t in op.targets) or self.writes_active(s)):
                    done += self.statement(s, op)
                case _:
                    done.append(s)
        return done

    def attempt(self, s: Attempt, body: list[ast.stmt]) -> list[ast.stmt]:
        """Where the body is plain, tangents come after it: what they raise is not the program's to catch."""
        end = len(body)
        while end and _copies(body[end - 1]):
            end -= 1
        first, copies = body[:end], body[end:]
        found = self.block(first)
        own = {id(x) for x in first}
        tangents = [x for x in found if id(x) not in own]
        targets = [v for x in first for v in writes(x)]
        simple = all(isinstance(x, (ast.Assign, ast.Raise, ast.Expr)) for x in found)
        simple = simple and not any(x in self.table.written for x in first)
        changed = live_into(first) & set(targets)
        if not simple or changed or len(set(targets)) < len(targets) or any(_mixed(x, targets) for x in tangents):
            return [replace(s, body=[*found, *self.block(copies)])]
        plain = replace(s, body=[x for x in found if id(x) in own] or [at(ast.Pass(), s)])
        after = [*tangents, *self.block(copies)]
        return [plain, at(ast.If(s.test, after, []), s)] if after else [plain]

    def statement(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        done = self.tangents(s, op)
        if op.kind in ("store", "augment"):
            return done
        if self.table.bases.get(s):
            return self.beside_bases(done, op)
        for v in op.targets:
            if v in self.shadowed:
                done = self.fresh(done, op, v)
            elif v in self.active and v not in self.table.classes:
                done = self.apart(done, op, v)
        return done

    def tangents(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        if op.kind in ("store", "augment"):
            return self.store(s, op)
        if op.kind == "push":
            item = self.tangent_of(op.value) if op.value is not None else constant(0.0)
            return [s, at(ast.Expr(expression("s.append(v)", s=self.tangent(op.targets[0]), v=item)), s)]
        if not self.flows(op) and not self.writes_active(s):
            return [s, *(self.zero(t, s) for t in op.targets if t in self.active)]
        match op.kind:
            case "copy":
                return [s, self.set(op, name(self.tangent(op.operands[0])), s)]
            case "rule":
                return self.by_rule(op, s)
            case "pack":
                return [s, self.set(op, self.packed(op, s), s)]
            case "unpack":
                return self.unpacked(op, s)
            case "pop":
                stack = name(self.tangent(op.operands[0]))
                if isinstance(op.value, ast.Call) and len(op.value.args) == 2:  # pop_grad, which may find nothing
                    return [s, self.set(op, self.scribe.call("pop_grad", stack, op.value.args[1]), s)]
                return [s, self.set(op, expression("s.pop()", s=stack), s)]
            case "closure":
                captured = [v for v in op.operands if v in self.active]
                tangents = ast.Dict([constant(v) for v in captured], [self.tangent_of(name(v)) for v in captured])
                return [s, self.set(op, tangents, s)]
            case "call" | "dynamic":
                return self.call(op, s)
            case _:
                raise refusal(self.unit, s, op)


def _copies(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) and isinstance(s.targets[0], ast.Name)


def _mixed(s: ast.stmt, primal: list[str]) -> bool:
    """Whether a statement makes a value beside a tangent."""
    return any(v in primal for v in writes(s))
