"""What the rooms of forward mode share: facts of the function, tangents of names."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import Fact
from tangent.analysis.shapes.infer import keeping_shape
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.watched import watched
from tangent.runtime.storage.shadows import shadow_among
from tangent.syntax.quote import assign, constant, name
from tangent.transform.calls import Derivatives
from tangent.transform.reverse.frame import given_shapes
from tangent.transform.scribe import Scribe
from tangent.transform.storage.settle import Settled
from tangent.transform.tuples import plain_tuples
from tangent.transform.unit import Unit

ITERATING = frozenset(
    "builtin_list builtin_tuple builtin_sorted builtin_sum builtin_max builtin_min math_fsum math_prod math_sumprod "
    "math_dist".split()
)


class Frame:
    """What the rooms of forward mode share: facts of the function, tangents of names."""

    def __init__(self, settled: Settled, scribe: Scribe, derivatives: Derivatives, numbers: frozenset[str]) -> None:
        unit = settled.unit
        self.unit, self.active, self.scribe, self.derivatives = unit, settled.activity.names(), scribe, derivatives
        self.settled, self.shadowed, self.table = settled, settled.shadowed, settled.storage
        self.shapes: Shapes = derivatives.shapes(unit, numbers, given_shapes(unit), settled.arrays)
        scribe.kept_shapes = keeping_shape(unit.operations, self.shapes)

        operations = unit.operations.values()
        self.lists = {v for op in operations if op.kind == "push" for v in op.targets}
        self.lists |= {v for op in operations if op.kind == "pop" for v in op.operands}

        self.caught = watched(unit.core.body, unit.context.scope.resolve)
        self.no_dicts = self.lists | _no_dicts(self.shapes, unit, derivatives)

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
        keyed = isinstance(e, ast.Name) and e.id not in self.no_dicts
        return self.scribe.call("sequence_tangent", found, e) if keyed else found

    def operand_tangent(self, op: Operation, k: str) -> ast.expr:
        """The tangent of an operand of a rule; where the rule goes over it, that of its items."""
        e = op.values[k]
        over = isinstance(e, ast.Name) and op.rule.name in ITERATING and k != "start"
        return self.tangents_of_items(e) if over else self.tangent_argument(e)


def _no_dicts(table: Shapes, unit: Unit, derivatives: Derivatives) -> set[str]:
    """Variables that surely are no dicts: numbers, arrays, lists and tuples."""
    operations = unit.operations.values()
    found = set(plain_tuples(unit, unit.operations, derivatives.gives_tuple))
    found |= {v for op in operations for v in op.targets if _is_no_dict(table.of(name(v)))}
    return found


def _is_no_dict(fact: Fact) -> bool:
    return fact.number or fact.array or fact.sequence
