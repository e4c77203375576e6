"""Variables that are asked for attributes, here or in functions that are given them: they stand for objects."""

from __future__ import annotations

import ast

from tangent.analysis.effects import Summaries
from tangent.analysis.passed import is_own
from tangent.runtime import operators
from tangent.transform.calls import argument_values
from tangent.transform.unit import Unit

ASKING = frozenset("attribute get_attribute held field".split())


def asked_variables(this: Unit, summary: Summaries) -> set[str]:
    found: set[str] = set()
    for op in this.operations.values():
        if op.kind == "rule" and op.rule.name in ASKING:
            found |= {*op.operands}
        elif op.kind == "call" and is_own(op.callee) and (asked := summary(op.callee).asked):
            values = argument_values(this, op.value, op.callee) or {} if isinstance(op.value, ast.Call) else {}
            found |= {v.id for p, v in values.items() if p in asked and isinstance(v, ast.Name)}
    return found


def may_hold_objects(this: Unit, group: set[str], summary: Summaries) -> bool:
    """Whether items of some lists are asked for attributes, or may be what operators of the user's classes give."""
    operations = this.operations.values()
    taken = [op for op in operations if op.kind == "rule" and op.rule.name == "getitem" and op.operands[0] in group]
    items = {op.targets[0] for op in taken}
    if items and not items.isdisjoint(asked_variables(this, summary)):
        return True
    stored = {v for op in operations if op.kind == "store" and op.targets[0] in group for v in op.operands}
    made = {v for op in operations if getattr(op.callee, "__module__", "") == operators.__name__ for v in op.targets}
    return not stored.isdisjoint(made)
