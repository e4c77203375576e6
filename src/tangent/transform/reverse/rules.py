"""One operation with a rule: its lines, for the operands that are active, in their shapes."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.rules.forms import is_inexact, result_dtype
from tangent.rules.notation import Rule
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import rename
from tangent.syntax.walk import walk
from tangent.transform.ownership import is_new
from tangent.transform.reverse.sums import Sums
from tangent.transform.reverse.temporaries import PRODUCTS
from tangent.transform.rows import Part
from tangent.transform.storage.refusals import sharing_items

# Nothing comes out of nothing: zero where their first operand is, whatever the others are.
FROM_NOTHING = frozenset({"ratio", "times", "share"})

# Their rules undo the cast.
UNCASTING = frozenset("astype array asarray require full full_like persistent_array restructure".split())


class Rules(Sums):
    def by_rule(self, op: Operation, s: ast.stmt) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
        rule: Rule = op.rule
        target, b = op.targets[0], self.adjoint(op.targets[0])
        if self.shapes.repeats(op):
            return [], self.repeated(op, s)
        if rule.name == "getitem":
            part = Part(name(b), number=self.computed.get(target, False), index=op.values["index"])
            return [], {op.operands[0]: [part]}
        if self.reads_key(op):
            return [], self.key_adjoint(op)
        wanted = self.wanted(op)
        missing = [k for k in wanted if k not in {_operand(x) for x in rule.adjoint}]
        if missing:
            raise self.unit.refuse(
                s, f"'{rule.name}' by '{missing[0]}' in reverse mode", "its rule has no adjoint line for it",
                "Add one with @tangent.adjoint.",
            )  # fmt: skip
        values = {**self.scribe.array_values(op, self.shapes, wanted), **self.scribe.asked(op, self.active)}
        values[rule.result] = name(target)
        seed: ast.expr = self.whole(target)
        if (dtype := self.cast_to(op)) is not None:
            seed = self.scribe.call("uncast", seed, dtype)
        before, found = self.scribe.template(rule, rule.adjoint, wanted, op, values, {rule.result: seed})
        parts: dict[str, list[Part]] = {}
        statements_: list[ast.stmt] = [at(x, s) for x in before]
        if rule.name in PRODUCTS and target in self.wide:  # it was left to us to sum the adjoint to the product's shape
            factors = [v for k, v in op.values.items() if k in rule.operands]
            statements_.insert(0, assign(b, self.scribe.call(f"fit_{rule.name}", name(b), *factors), s))
        for k in wanted:
            operand, value = op.values[k], found[k]
            if _is_nothing(value):
                continue
            if isinstance(operand, ast.Tuple):
                statements_ += self.spread_parts(operand, value, parts, s, rule.kind == "custom")
                continue
            assert isinstance(operand, ast.Name)
            if rule.kind == "elementwise" and target in self.chosen and not keeps_zero(value, b):
                value = self.scribe.call("where_nonzero", name(b), value)
            if operand.id in self.summed and (inner := _spread_alone(value, operand.id)) is not None:
                value = rename(inner, {operand.id: self.summed[operand.id]})
            if rule.kind == "elementwise":
                value = self.fitted(value, operand, op, "left" if k == rule.parameters[0].name else "right")
            elif rule.kind == "custom":
                several = any(p.star and p.name == k for p in rule.parameters)
                value = self.scribe.call("fit_grad" if several else "unbroadcast", value, operand)
            elif k in rule.fitted:
                value = self.scribe.call("unbroadcast", value, operand)
            arithmetic = isinstance(value, (ast.BinOp, ast.UnaryOp))
            summed = isinstance(value, ast.Call) and rule.kind == "elementwise" and not self.shapes.joins(op)
            number = arithmetic or summed or self.shapes.operand(operand, op).number
            parts.setdefault(operand.id, []).append(Part(value, arithmetic or is_new(value), number))
        return statements_, parts

    def whole(self, v: str) -> ast.expr:
        """An adjoint, with all items of what it belongs to."""
        b = name(self.adjoint(v))
        return self.scribe.call("items_like", b, name(v), ast.Tuple([], ast.Load())) if self.stores.is_dict(v) else b

    def reads_key(self, op: Operation) -> bool:
        """Whether an operation looks up a key of a dict that is written in place."""
        match op.values.get("x"):
            case ast.Name(id=v):
                return op.rule.name in ("dict_get", "kept_item") and self.stores.is_dict(v)
            case _:
                return False

    def key_adjoint(self, op: Operation) -> dict[str, list[Part]]:
        """What a dict receives, and what is given where it has no such key."""
        b, owner, default = name(self.adjoint(op.targets[0])), op.values["x"], op.values.get("default")
        assert isinstance(owner, ast.Name)
        number = self.computed.get(op.targets[0], False)
        parts = {owner.id: [Part(b, number=number, index=op.values["key"], unsure=op.rule.name == "dict_get")]}
        if isinstance(default, ast.Name) and default.id in self.active:
            value = self.scribe.call("default_part", b, owner, op.values["key"], default)
            parts.setdefault(default.id, []).append(Part(value))
        return parts

    def repeated(self, op: Operation, s: ast.stmt) -> dict[str, list[Part]]:
        """What the operands of `x * n` receive where a list is repeated, or may be."""
        if op.targets[0] in self.stores.shadowed and not self.stores.is_flat(op.targets[0]):
            raise sharing_items(
                self.unit, s, "the repetition of a list that is written into", "its items are one and the same",
                "Write a list comprehension: [x for _ in range(n)].",
            )  # fmt: skip
        b = name(self.adjoint(op.targets[0]))
        assert isinstance(op.value, ast.BinOp)
        left, right = op.value.left, op.value.right
        parts: dict[str, list[Part]] = {}
        for x, y in ((left, right), (right, left)):
            if isinstance(x, ast.Name) and x.id in self.active:
                known = self.shapes.of(x).sequence and self.shapes.of(y).scalar
                value = self.scribe.call("folded", b, x) if known else self.scribe.call("factor_part", b, x, y)
                parts.setdefault(x.id, []).append(Part(value))
        return parts

    def cast_to(self, op: Operation) -> ast.expr | None:
        """The dtype that a call asks for, unless it is known to be one that derivatives flow through."""
        rule: Rule = op.rule
        dtype = result_dtype(op.value, rule.kind) if rule.kind == "elementwise" else op.values.get("dtype")
        if dtype is None or rule.name in UNCASTING or is_inexact(self.unit.constant(dtype)):
            return None
        return dtype

    def spread_parts(
        self, operand: ast.Tuple, value: ast.expr, parts: dict[str, list[Part]], s: ast.stmt, broadcast: bool
    ) -> list[ast.stmt]:
        """The adjoint of several arguments at once is a sequence of theirs."""
        held = self.scribe.names.numbered("parts")
        for i, e in enumerate(operand.elts):
            if isinstance(e, ast.Name) and e.id in self.active:
                part = expression("p[i]", p=held, i=self.offset(operand.elts[:i]))
                part = self.scribe.call("unbroadcast", part, e) if broadcast else part
                parts.setdefault(e.id, []).append(Part(part))
            elif isinstance(e, ast.Starred) and isinstance(e.value, ast.Name) and e.value.id in self.active:
                items = self.items_between(held, operand.elts, i)
                parts.setdefault(e.value.id, []).append(Part(self.scribe.call("repack_from", e.value, items)))
        return [assign(held, value, s)]

    def reads_overwritten(self, op: Operation) -> bool:
        """Whether the adjoint reads the old value of the name that was assigned."""
        if op.kind != "rule":
            return False
        rule: Rule = op.rule
        wanted = self.wanted(op)
        reads = rule.reads(wanted)
        targets = set(op.targets)
        return any(
            k in reads and any(isinstance(n, ast.Name) and n.id in targets for n in walk(v))
            for k, v in op.values.items()
        ) or (
            any(isinstance(v, ast.Name) and v.id in targets and v.id in self.active for v in op.values.values())
            and (rule.result not in reads)
        )


def _spread_alone(e: ast.expr, operand: str) -> ast.expr | None:
    """What a plain `spread(e, operand)` spreads."""
    match e:
        case ast.Call(func=ast.Name(id=function), args=[inner, ast.Name(id=v)], keywords=[]) if v == operand:
            return inner if function.rstrip("_") == "spread" else None
        case _:
            return None


def _is_nothing(e: ast.expr) -> bool:
    """Whether a rule says that nothing flows."""
    match e:
        case ast.Call(func=ast.Name(id=function)):
            return function.rstrip("_") == "lazy_zero"
        case _:
            return False


def _operand(s: ast.Assign) -> str:
    match s.targets[0]:
        case ast.Subscript(slice=ast.Name(id=who)):
            return who
        case _:
            return ""


def keeps_zero(value: ast.expr, b: str) -> bool:
    """Whether a contribution is surely zero where the adjoint b is: no factor of it can make it nan."""
    match value:
        case ast.Name(id=v):
            return v == b
        case ast.UnaryOp(operand=operand):
            return keeps_zero(operand, b)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return keeps_zero(left, b) and keeps_zero(right, b)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=ast.Constant()):
            return keeps_zero(left, b)
        case ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=right):
            return keeps_zero(right, b)
        case ast.Call(func=ast.Name(id=function), args=[first, *_]):
            return function in FROM_NOTHING and keeps_zero(first, b)
        case ast.Call(func=ast.Attribute(attr="where"), args=[_, *branches]):
            return all(isinstance(e, ast.Constant) or keeps_zero(e, b) for e in branches)
        case _:
            return False
