"""Which variables the derivative passes through: those that depend on an input and that the output depends on."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from tangent.analysis.operation import Operation, Operations
from tangent.syntax.rebuild import statements


@dataclass(frozen=True)
class Activity:
    varied: frozenset[str]
    useful: frozenset[str]

    def active(self, name: str) -> bool:
        return name in self.varied and name in self.useful

    def names(self) -> frozenset[str]:
        return self.varied & self.useful

    def without(self, names: set[str]) -> Activity:
        return Activity(self.varied - names, self.useful - names) if names else self


def activity(
    f: ast.FunctionDef, operations: Operations, inputs: Iterable[str], outputs: Iterable[str],
    more: Iterable[Operation] = (),
) -> Activity:  # fmt: skip
    """Forward from the inputs, backward from the outputs, each to its fixed point; `more` ways of flow on request.

    Variables whose adjoints are looked at, or set, by inserted code are both.
    """
    flow = [*(operations[s] for s in statements(f.body) if s in operations), *more]
    asked = {v for op in flow if op.kind == "insert" for v in op.operands}
    varied = _closure(flow, {*inputs, *asked}, forward=True)
    useful = _closure(flow[::-1], {*outputs, *asked}, forward=False)
    return Activity(frozenset(varied), frozenset(useful))


def _closure(flow: list[Operation], found: set[str], forward: bool) -> set[str]:
    changed = True
    while changed:
        changed = False
        for op in flow:
            source, sink = (op.operands, op.targets) if forward else (op.targets, op.operands)
            if any(n in found for n in source) and not all(n in found for n in sink):
                found.update(sink)
                changed = True
    return found
