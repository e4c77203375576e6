"""Forward mode: beside each statement, the one that computes its tangent."""

from __future__ import annotations

import ast
from typing import Any

from tangent.analysis.liveness import live_into, liveness
from tangent.analysis.operation import Operation
from tangent.analysis.shapes import Shapes, shapes
from tangent.rules.forms import result_dtype
from tangent.rules.notation import Rule
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, rename, replace
from tangent.syntax.uses import expression_reads, writes
from tangent.transform.calls import Derivatives, Groups, fit_arguments, leaf_names
from tangent.transform.custom import refuse_missing
from tangent.transform.reverse.calls import unbound_method
from tangent.transform.reverse.frame import given_shapes
from tangent.transform.reverse.refusals import refusal, refuse_active_keys
from tangent.transform.scribe import Scribe
from tangent.transform.storage import Settled


def forward(
    settled: Settled, scribe: Scribe, derivatives: Derivatives, inputs: tuple[str, ...],
    numbers: frozenset[str] = frozenset(),
) -> list[ast.stmt]:  # fmt: skip
    """The body of a function with tangents beside values, without its return."""
    return _Forward(settled, scribe, derivatives, numbers).run(frozenset(inputs))


CASTING = frozenset("astype array asarray require ascontiguousarray".split())


class _Forward:
    def __init__(self, settled: Settled, scribe: Scribe, derivatives: Derivatives, numbers: frozenset[str]) -> None:
        unit = settled.unit
        self.unit, self.active, self.scribe, self.derivatives = unit, settled.activity.names(), scribe, derivatives
        self.settled, self.shadowed, self.table = settled, settled.shadowed, settled.storage
        self.shapes: Shapes = shapes(
            unit.core, unit.operations, liveness(unit.core), derivatives.result_fact, numbers, given_shapes(unit),
            settled.arrays,
        )  # fmt: skip

        operations = unit.operations.values()
        self.lists = {v for op in operations if op.kind == "push" for v in op.targets}
        self.lists |= {v for op in operations if op.kind == "pop" for v in op.operands}

    def run(self, inputs: frozenset[str]) -> list[ast.stmt]:
        first = self.unit.core.body[0]
        others = [v for v in self.unit.parameters if v in self.active and v not in inputs]
        zeros = [assign(self.tangent(v), self.zero_of(name(v)), first) for v in others]
        for v in self.settled.owned:
            if v in inputs and v in self.shadowed:  # the tangent is written in place, too
                given = self.scribe.call("beside", name(v), name(self.tangent(v)))
                zeros.append(assign(self.tangent(v), given, first))
        return [*zeros, *self.block(self.unit.core.body[:-1])]

    def tangent(self, v: str) -> str:
        return self.scribe.derivative(v, "d")

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
        while end and isinstance(last := body[end - 1], ast.Assign) and isinstance(last.value, ast.Name):
            end -= 1
        first, copies = body[:end], body[end:]
        found = self.block(first)
        own = {id(x) for x in first}
        tangents = [x for x in found if id(x) not in own]
        targets = [v for x in first for v in writes(x)]
        simple = all(isinstance(x, ast.Assign | ast.Raise | ast.Expr) for x in found)
        changed = live_into(first) & set(targets)
        if not simple or changed or len(set(targets)) < len(targets) or any(_mixed(x, targets) for x in tangents):
            return [replace(s, body=[*found, *self.block(copies)])]
        plain = replace(s, body=[x for x in found if id(x) in own] or [at(ast.Pass(), s)])
        after = [*tangents, *self.block(copies)]
        return [plain, at(ast.If(s.test, after, []), s)] if after else [plain]

    def flows(self, op: Operation) -> bool:
        return any(t in self.active for t in op.targets) and any(v in self.active for v in op.operands)

    def writes_active(self, s: ast.stmt) -> bool:
        classes = self.table.written.get(s, frozenset())
        return any(self.table.classes.get(v) in classes for v in self.shadowed)

    def statement(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        done = self.tangents(s, op)
        for v in op.targets:
            if v in self.shadowed and op.kind not in ("store", "augment") and not self.table.bases.get(s):
                done = [*done[:-1], self.fresh(done[-1], v)]
        return done

    def fresh(self, s: ast.stmt, v: str) -> ast.stmt:
        """The tangent of something that is written later: an array of its own, laid out like the value."""
        match s:
            case ast.Assign(targets=[ast.Name(id=d)], value=value) if d == self.tangent(v):
                return replace(s, value=self.scribe.call("beside", name(v), *([] if _is_zero(value) else [value])))
            case _:
                return s

    def store(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        """`a[i] = v` beside `da[i] = dv`, and likewise for operators in place."""
        a, value = op.targets[0], op.values["value"]
        if a not in self.shadowed:
            return [s]
        tangent = self.tangent_of(value) if isinstance(value, ast.Name) and value.id in self.active else constant(0.0)
        names = {a: self.tangent(a)}
        if op.kind == "store":
            return [s, replace_value(rename_target(s, names), tangent)]
        index = op.values.get("index")
        place: ast.expr = name(a) if index is None else ast.Subscript(name(a), index, ast.Load())
        d: Any = rename(place, names)
        target = replace(d, ctx=ast.Store())
        active = not (isinstance(tangent, ast.Constant) and tangent.value == 0.0)
        kind = op.why
        if kind.startswith("into "):
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
            beside = replace(s.value, args=[name(self.tangent(a)), tangent])
            return [s, at(ast.Expr(beside), s)] if active else [s]
        if kind.startswith("at "):
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
            args = [name(self.tangent(a)), s.value.args[1], tangent]
            return [s, at(ast.Expr(replace(s.value, args=args)), s)] if active else [s]
        if kind in ("Add", "Sub"):
            operator = ast.Add() if kind == "Add" else ast.Sub()
            return [s, at(ast.AugAssign(target, operator, tangent), s)] if active else [s]
        scale = at(ast.AugAssign(target, ast.Mult() if kind == "Mult" else ast.Div(), value), s)
        if not active:
            return [scale, s]
        if kind == "Mult":
            more = expression("p * d", p=place, d=tangent)
            held = self.scribe.names.numbered("dt")
            return [assign(held, more, s), scale, at(ast.AugAssign(target, ast.Add(), name(held)), s), s]
        more = expression("p * d / (v * v)", p=place, d=tangent, v=value)
        held = self.scribe.names.numbered("dt")
        return [assign(held, more, s), scale, at(ast.AugAssign(target, ast.Sub(), name(held)), s), s]

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

    def set(self, op: Operation, value: ast.expr, s: ast.stmt) -> ast.stmt:
        return assign(self.tangent(op.targets[0]), value, s)

    def zero(self, v: str, s: ast.stmt) -> ast.stmt:
        """The tangent of something that does not depend on the inputs."""
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and not s.value.elts:
            return assign(self.tangent(v), ast.List([], ast.Load()), s)
        return assign(self.tangent(v), self.zero_of(name(v)), s)

    def zero_of(self, e: ast.expr) -> ast.expr:
        scalar = self.shapes.of(e).scalar and not (isinstance(e, ast.Name) and e.id in self.lists)
        return constant(0.0) if scalar else self.scribe.call("init_grad", e)

    def tangent_of(self, e: ast.expr) -> ast.expr:
        """The tangent of an atom: its own, or zero."""
        return name(self.tangent(e.id)) if isinstance(e, ast.Name) and e.id in self.active else self.zero_of(e)

    # Rules

    def by_rule(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        rule: Rule = op.rule
        target = op.targets[0]
        wanted = [
            k
            for k, v in op.values.items()
            if k in rule.operands and any(n in self.active for n in leaf_names(_as_leaves(v)))
        ]
        if rule.kind == "custom" and not rule.tangent:
            raise self.unit.refuse(
                s, f"'{rule.name}' in forward mode", "its rule says adjoints only", "Add a rule with @tangent.tangent_."
            )
        lines = rule.tangent if rule.tangent else rule.adjoint
        own = any(target in expression_reads(v) for v in op.values.values())
        result = target
        primal: list[ast.stmt] = [s]
        if own:
            result = self.scribe.names.numbered(f"{target}_new")
            assert isinstance(s, ast.Assign)
            primal = [assign(result, s.value, s)]
        if isinstance(op.value, ast.BinOp) and self.shapes.joins(op):
            tangent = replace(op.value, left=self.tangent_of(op.value.left), right=self.tangent_of(op.value.right))
            done_ = [*primal, self.set(op, tangent, s)]
            return [*done_, assign(target, name(result), s)] if own else done_
        before, terms = self.terms(rule, lines, wanted, op, result)
        value = terms[0]
        for term in terms[1:]:
            value = self.add(value, term, rule.kind == "elementwise")
        if rule.kind == "elementwise" and not rule.tangent:
            value = self.stretched(value, op, result)
        if result_dtype(op.value, rule.kind) is not None:
            value = self.scribe.call("cast_tangent", value, name(result))
        done = [*primal, *(at(x, s) for x in before), self.set(op, value, s)]
        return [*done, assign(target, name(result), s)] if own else done

    def add(self, a: ast.expr, b: ast.expr, broadcast: bool) -> ast.expr:
        """The sum of two terms: of numbers that broadcast, or of gradients of one structure."""
        if isinstance(b, ast.UnaryOp) and isinstance(b.op, ast.USub):
            return ast.BinOp(a, ast.Sub(), b.operand)
        arithmetic = ast.BinOp | ast.UnaryOp
        if broadcast or isinstance(a, arithmetic) or isinstance(b, arithmetic):
            return ast.BinOp(a, ast.Add(), b)
        return self.scribe.call("add_grad", a, b)

    def terms(
        self, rule: Rule, lines: tuple[ast.Assign, ...], wanted: list[str], op: Operation, result: str
    ) -> tuple[list[ast.Assign], list[ast.expr]]:
        values = {**self.scribe.array_values(op, self.shapes, wanted), rule.result: name(result)}
        if rule.tangent:
            tangents = {k: self.tangent_argument(v) for k, v in op.values.items() if k in rule.operands}
            kept = tuple(_only_active(x, rule.result, frozenset(wanted)) for x in rule.tangent)
            lines = tuple(x for x in kept if x is not None)
            before, found = self.scribe.template(rule, lines, [rule.result], op, values, tangents)
            return before, _bare_sum(found[rule.result])
        if rule.kind == "linear":
            return [], [self.cast(self.applied(op, k), op, result) for k in wanted]
        before_all: list[ast.Assign] = []
        terms: list[ast.expr] = []
        for k in wanted:
            tangent = self.tangent_argument(op.values[k])
            before, found = self.scribe.template(rule, lines, [k], op, values, {rule.result: tangent})
            before_all += before
            terms.append(found[k])
        return before_all, terms

    def tangent_argument(self, e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Tuple):
            return ast.Tuple([self.tangent_argument(x) for x in e.elts], ast.Load())
        if isinstance(e, ast.Starred):
            return ast.Starred(self.tangent_of(e.value), ast.Load())
        return self.tangent_of(e)

    def applied(self, op: Operation, k: str) -> ast.expr:
        """The call itself, with the tangent of one operand in the place of the operand."""
        old = op.values[k]
        assert op.value is not None
        if isinstance(old, ast.Tuple) and not any(old is n for n in ast.walk(op.value)):
            parts = {id(e): self.tangent_argument(e) for e in old.elts}
        else:
            parts = {id(old): self.tangent_argument(old)}
        return rebuild(op.value, lambda e: parts.get(id(e), e))

    def cast(self, value: ast.expr, op: Operation, result: str) -> ast.expr:
        """A function that casts does not cast its tangent: where the result is of integers, nothing flows."""
        dtype = op.values.get("dtype") if op.rule.name in CASTING else None
        if dtype is None or (isinstance(dtype, ast.Constant) and dtype.value is None):
            return value
        if op.rule.name == "astype":
            value = self.tangent_argument(op.values["x"])
        elif isinstance(value, ast.Call):
            args = [constant(None) if a is dtype else a for a in value.args]
            value = replace(value, args=args, keywords=[k for k in value.keywords if k.arg != "dtype"])
        return self.scribe.call("cast_tangent", value, name(result))

    def stretched(self, value: ast.expr, op: Operation, result: str) -> ast.expr:
        """The tangent in the shape of the result, where its terms do not give it already."""
        whole = self.shapes.result(op).shape
        back = {self.scribe.derivative(v, "d"): v for v in self.active}
        atoms: frozenset[str] = frozenset()
        for v in expression_reads(value):
            fact = self.shapes.of(name(back.get(v, v))) if v != result else self.shapes.result(op)
            if fact.shape is not None and (v in back or v == result or v in expression_reads(op.value)):
                atoms |= fact.shape
        if whole is not None and atoms == whole:
            return value
        return self.scribe.call("broadcast_like", value, name(result))

    # Containers

    def packed(self, op: Operation, s: ast.stmt) -> ast.expr:
        def part(e: ast.expr) -> ast.expr:
            if isinstance(e, ast.Starred):
                return ast.Starred(self.tangent_of(e.value), ast.Load())
            return self.tangent_of(e)

        match op.value:
            case ast.Dict(keys=keys, values=values):
                refuse_active_keys(self.unit, s, keys, self.active)
                return ast.Dict(keys, [part(e) for e in values])
            case ast.Tuple(elts=elts) | ast.List(elts=elts) as e:
                return replace(e, elts=[part(x) for x in elts])
            case _:
                raise AssertionError("not a container display")

    def unpacked(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple)
        slots: list[ast.expr] = []
        for slot in s.targets[0].elts:
            inner = slot.value if isinstance(slot, ast.Starred) else slot
            assert isinstance(inner, ast.Name)
            known = inner.id in self.active
            plain: ast.expr = ast.Name(
                self.tangent(inner.id) if known else self.scribe.names.numbered("_"), ast.Store()
            )
            slots.append(ast.Starred(plain, ast.Store()) if isinstance(slot, ast.Starred) else plain)
        source = name(self.tangent(op.operands[0]))
        return [s, at(ast.Assign([ast.Tuple(slots, ast.Store())], source), s)]

    # Calls

    def call(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        assert isinstance(op.value, ast.Call)
        target, value = op.targets[0], op.value
        arguments = fit_arguments(self.unit, value, op.callee) if op.kind == "call" else None
        slots = ast.Tuple([ast.Name(target, ast.Store()), ast.Name(self.tangent(target), ast.Store())], ast.Store())
        if arguments is None:
            return [at(ast.Assign([slots], self.dynamic(value)), s)]
        refuse_missing(self.unit, value, op.callee, "forward")
        groups = self.groups(s, arguments.values)
        stored = {p for group in groups for p in group}
        wanted = tuple(p for p in arguments.values if p in stored or p in arguments.active(self.active))
        known = frozenset(
            p for p, v in arguments.values.items() if isinstance(v, ast.expr) and self.shapes.of(v).number
        )
        derivative = self.derivatives.tangent(op.callee, wanted, known, groups, arguments.known)
        tangents = [ast.keyword(f"d{p}", self.structured(arguments.values[p])) for p in wanted]
        function = name(self.scribe.use(derivative.name, derivative))
        names = [ast.keyword(derivative.seeds[k.arg[1:]], k.value) for k in tangents if k.arg]
        return [at(ast.Assign([slots], replace(value, func=function, keywords=[*value.keywords, *names])), s)]

    def groups(self, s: ast.stmt, values: dict[str, Any]) -> Groups:
        """The parameters that get storage which the call writes into, by what they share."""
        written = self.table.written.get(s, frozenset())
        found: dict[str, list[str]] = {}
        for p, value in values.items():
            if isinstance(value, ast.Name) and value.id in self.shadowed and self.table.classes[value.id] in written:
                found.setdefault(self.table.classes[value.id], []).append(p)
        return Groups(tuple(tuple(group) for group in found.values()), known=True)

    def structured(self, value: Any) -> ast.expr:
        """The tangent of an argument, also of those that `*args` and `**kwargs` collect."""
        if isinstance(value, tuple):
            return ast.Tuple([self.structured(v) for v in value], ast.Load())
        if isinstance(value, dict):
            return ast.Dict([constant(k) for k in value], [self.structured(v) for v in value.values()])
        return self.tangent_of(value)

    def dynamic(self, value: ast.Call) -> ast.expr:
        """`call_jvp(f, active, tangents, *args)`: the callee is asked for its derivative when the call happens."""
        value = unbound_method(self.unit, value, self.active, self.scribe)
        active: list[ast.expr] = []
        tangents: list[ast.expr] = []
        if isinstance(value.func, ast.Name) and value.func.id in self.active:
            active.append(constant("f"))
            tangents.append(self.tangent_of(value.func))
        for i, a in enumerate(value.args):
            inner = a.value if isinstance(a, ast.Starred) else a
            if isinstance(inner, ast.Name) and inner.id in self.active:
                active.append(constant(f"*{i}" if isinstance(a, ast.Starred) else i))
                tangents.append(self.tangent_of(inner))
        for k in value.keywords:
            if isinstance(k.value, ast.Name) and k.value.id in self.active:
                active.append(constant(k.arg or "**"))
                tangents.append(self.tangent_of(k.value))
        function = name(self.scribe.runtime("call_jvp"))
        head = [value.func, ast.Tuple(active, ast.Load()), ast.Tuple(tangents, ast.Load())]
        return ast.Call(function, [*head, *value.args], value.keywords)


def _is_zero(e: ast.expr) -> bool:
    match e:
        case ast.Constant(value=0.0):
            return True
        case ast.Call(func=ast.Name(id=function)):
            return function.rstrip("_") == "init_grad"
        case _:
            return False


def rename_target(s: ast.stmt, names: dict[str, str]) -> ast.Assign:
    """A store into something else."""
    assert isinstance(s, ast.Assign)
    match s.targets[0]:
        case ast.Subscript(value=ast.Name(id=v)) | ast.Attribute(value=ast.Name(id=v)) as place:
            return replace(s, targets=[replace(place, value=name(names.get(v, v)))])
        case _:
            raise AssertionError("not a store")


def replace_value(s: ast.Assign, value: ast.expr) -> ast.stmt:
    return replace(s, value=value)


def _mixed(s: ast.stmt, primal: list[str]) -> bool:
    """Whether a statement makes a value beside a tangent."""
    return any(v in primal for v in writes(s))


def _only_active(line: ast.Assign, result: str, wanted: frozenset[str]) -> ast.Assign | None:
    """A tangent line without the terms of inactive operands."""
    match line.targets[0]:
        case ast.Subscript(slice=ast.Name(id=who)) if who == result:
            kept = [t for t in _sum_terms(line.value) if _operands_read(t) & wanted]
            if not kept:
                return None
            value = kept[0]
            for t in kept[1:]:
                if isinstance(t, ast.UnaryOp) and isinstance(t.op, ast.USub):
                    value = ast.BinOp(value, ast.Sub(), t.operand)
                else:
                    value = ast.BinOp(value, ast.Add(), t)
            return replace(line, value=value)
        case _:
            return line


def _sum_terms(e: ast.expr) -> list[ast.expr]:
    match e:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return [*_sum_terms(left), *_sum_terms(right)]
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return [*_sum_terms(left), *(ast.UnaryOp(ast.USub(), t) for t in _sum_terms(right))]
        case _:
            return [e]


def _bare_sum(e: ast.expr) -> list[ast.expr]:
    """The terms of a sum that may be one of containers; an arithmetic expression stays whole."""
    terms = _sum_terms(e)
    return terms if all(isinstance(t, ast.Name | ast.Call | ast.Subscript) for t in terms) else [e]


def _operands_read(e: ast.expr) -> frozenset[str]:
    found = set()
    for n in ast.walk(e):
        match n:
            case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who)):
                found.add(who)
    return frozenset(found)


def _as_leaves(e: ast.expr) -> Any:
    if isinstance(e, ast.Starred):
        return e.value
    return tuple(_as_leaves(x) for x in e.elts) if isinstance(e, ast.Tuple) else e
