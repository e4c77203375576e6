"""Reverse mode of `append` and `setitem`: their adjoints are cut and cleared in place where they are nobody else's.

y = setitem(x, i, v)      ->   bv = by[i].copy(); bx = clear_item(by, i)
y = append(x, row)        ->   brow = by[-1]; bx = by[:-1]
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tangent.analysis.operation import Operation, Operations
from tangent.analysis.shapes.results import ROW_RULES
from tangent.analysis.shapes.table import picks_one
from tangent.syntax.quote import assign, expression, name

if TYPE_CHECKING:
    from tangent.transform.reverse.frame import Frame
    from tangent.transform.reverse.state import State


@dataclass(frozen=True)
class Part:
    """One contribution to an adjoint: an expression, or an expression at an index or key."""

    value: ast.expr
    fresh: bool = False
    number: bool = False
    index: ast.expr | None = None
    unsure: bool = False  # whether there may be nothing at the index


def rows_written(operations: Operations) -> frozenset[str]:
    """Variables that hold versions of an array."""
    found = [op for op in operations.values() if op.kind == "rule" and op.rule.name in ROW_RULES]
    return frozenset(v for op in found for v in op.targets)


def row_adjoint(r: Frame, op: Operation, s: ast.stmt, state: State) -> tuple[list[ast.stmt], dict[str, list[Part]]]:
    """What the array and the part put into it receive."""
    target = op.targets[0]
    b, owned = name(r.adjoint(target)), target in state.owned and target not in state.lazy
    x, part = op.values["x"], op.values["row" if op.rule.name == "append_row" else "value"]
    index = op.values.get("index")
    before: list[ast.stmt] = []
    parts: dict[str, list[Part]] = {}
    if isinstance(part, ast.Name) and part.id in r.active:
        taken = expression("b[-1]", b=b)
        if index is not None:
            taken = _taken(r, b, index, owned)
        same = r.shapes.of(part).dtype == r.shapes.of(name(target)).dtype
        value = taken if same else r.scribe.call("unbroadcast", taken, part)
        if part.id in state.held or part.id == target:
            held = r.scribe.names.numbered(f"b{part.id}")
            before.append(assign(held, value, s))
            parts[part.id] = [Part(name(held), owned and index is not None, True)]
        else:
            before.append(assign(r.adjoint(part.id), value, s))
            state.held.add(part.id)
            (state.owned.add if owned and index is not None else state.owned.discard)(part.id)
            state.lazy.discard(part.id)
    if isinstance(x, ast.Name) and x.id in r.active:
        if index is None:
            kept: ast.expr = expression("b[:-1]", b=b)
        else:
            kept = r.scribe.call("clear_item" if owned else "cleared", b, index)
        parts.setdefault(x.id, []).append(Part(kept, owned or index is not None, True))
    return before, parts


def _taken(r: Frame, b: ast.expr, index: ast.expr, owned: bool) -> ast.expr:
    """The part of an adjoint at an index: a copy, if the adjoint is written into; repeated indices count once."""
    if not picks_one(index, r.shapes):
        return r.scribe.call("overwritten", b, index)
    return expression("b[i].copy()" if owned else "b[i]", b=b, i=index)
