"""What the rooms of forward mode share: facts of the function, tangents of names."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation
from tangent.analysis.shapes.infer import shapes
from tangent.analysis.shapes.table import Shapes
from tangent.runtime.library import items_of, keys_of, values_of
from tangent.runtime.storage.shadows import shadow_among
from tangent.syntax.quote import assign, constant, name
from tangent.transform.calls import Derivatives
from tangent.transform.reverse.frame import given_shapes
from tangent.transform.scribe import Scribe
from tangent.transform.storage.settle import Settled
from tangent.transform.unit import Unit

ITERATING = frozenset(
    "builtin_list builtin_tuple builtin_sorted builtin_sum builtin_max builtin_min math_fsum math_prod math_sumprod "
    "math_dist".split()
)
MAKING_DICTS = frozenset("dict_of copied_dict made_dict new_default_dict new_ordered_dict new_counter".split())


class Frame:
    """What the rooms of forward mode share: facts of the function, tangents of names."""

    def __init__(self, settled: Settled, scribe: Scribe, derivatives: Derivatives, numbers: frozenset[str]) -> None:
        unit = settled.unit
        self.unit, self.active, self.scribe, self.derivatives = unit, settled.activity.names(), scribe, derivatives
        self.settled, self.shadowed, self.table = settled, settled.shadowed, settled.storage
        self.shapes: Shapes = shapes(
            unit.core, unit.operations, liveness(unit.core), derivatives.result_fact, numbers, given_shapes(unit),
            settled.arrays, unit.context.presumed,
        )  # fmt: skip

        operations = unit.operations.values()
        self.lists = {v for op in operations if op.kind == "push" for v in op.targets}
        self.lists |= {v for op in operations if op.kind == "pop" for v in op.operands}

        self.dicts = _dicts(unit.operations.values()) | _asked_as_dicts(unit)

    def tangent(self, v: str) -> str:
        return self.scribe.derivative(v, "d")

    def flows(self, op: Operation) -> bool:
        return any(t in self.active for t in op.targets) and any(v in self.active for v in op.operands)

    def writes_active(self, s: ast.stmt) -> bool:
        classes = self.table.written.get(s, frozenset())
        return any(self.table.classes.get(v) in classes for v in self.shadowed)

    def set(self, op: Operation, value: ast.expr, s: ast.stmt) -> ast.stmt:
        return assign(self.tangent(op.targets[0]), value, s)

    def zero(self, v: str, s: ast.stmt) -> ast.stmt:
        """The tangent of something that does not depend on the inputs."""
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and not s.value.elts:
            return assign(self.tangent(v), ast.List([], ast.Load()), s)
        op = self.unit.operations.get(s)
        if op is not None and (op.callee is shadow_among or (op.kind == "rule" and op.rule.name == "shadow")):
            return assign(self.tangent(v), self.scribe.call("beside", name(v)), s)  # others become parts of it
        return assign(self.tangent(v), self.zero_of(name(v)), s)

    def zero_of(self, e: ast.expr) -> ast.expr:
        scalar = self.shapes.of(e).scalar and not (isinstance(e, ast.Name) and e.id in self.lists)
        return constant(0.0) if scalar else self.scribe.call("init_grad", e)

    def tangent_of(self, e: ast.expr) -> ast.expr:
        """The tangent of an atom: its own, or zero."""
        return name(self.tangent(e.id)) if isinstance(e, ast.Name) and e.id in self.active else self.zero_of(e)

    def tangent_argument(self, e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Tuple):
            return ast.Tuple([self.tangent_argument(x) for x in e.elts], ast.Load())
        if isinstance(e, ast.Starred):
            return ast.Starred(self.tangents_of_items(e.value), ast.Load())
        return self.tangent_of(e)

    def tangents_of_items(self, e: ast.expr) -> ast.expr:
        """The tangents of what something gives that is gone over: of a dict those of its keys, which are zero."""
        found = self.tangent_of(e)
        keyed = isinstance(e, ast.Name) and e.id in self.dicts
        return self.scribe.call("sequence_tangent", found, e) if keyed else found

    def operand_tangent(self, op: Operation, k: str) -> ast.expr:
        """The tangent of an operand of a rule; where the rule goes over it, that of its items."""
        e = op.values[k]
        over = isinstance(e, ast.Name) and op.rule.name in ITERATING
        return self.tangents_of_items(e) if over else self.tangent_argument(e)


def _dicts(operations: Iterable[Operation]) -> set[str]:
    """Variables that may be dicts which are made here."""
    every = [op for op in operations if op.targets]
    found = {op.targets[0] for op in every if isinstance(op.value, ast.Dict) or _makes_dict(op)}
    while more := {op.targets[0] for op in every if op.kind == "copy" and op.operands[0] in found} - found:
        found |= more
    return found


def _asked_as_dicts(unit: Unit) -> set[str]:
    """Parameters that are asked for items under keys, or for all of them: they may be dicts."""
    asked: set[str] = set()
    for op in unit.operations.values():
        index = op.values.get("index") if op.kind == "rule" and op.rule.name == "getitem" else None
        keyed = index is not None and not isinstance(index, (ast.Slice, ast.Tuple)) and not _is_place(index)
        if keyed or op.callee in (keys_of, values_of, items_of) or (op.kind == "rule" and op.rule.name == "dict_get"):
            asked.update(op.operands[:1])
    return asked.intersection(unit.parameters)


def _is_place(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, int)


def _makes_dict(op: Operation) -> bool:
    return op.kind == "rule" and op.rule.name in MAKING_DICTS
