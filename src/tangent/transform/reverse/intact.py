"""Gradients that are differentiated add to arrays in place: what the backward pass reads is left as it was.

t = v / w                       t = v / w
bw = add_part(t, i, u)     ->   bw = with_part(t, i, u)      # the adjoint of v / w reads t
"""

from __future__ import annotations

import ast

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries
from tangent.analysis.operation import Operation
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import header_reads
from tangent.transform.prepare import Prepared
from tangent.transform.scribe import Scribe
from tangent.transform.unit import Unit

NEW = {"add_part": "with_part", "add_item": "with_part", "add_cell": "with_cell", "clear_item": "cleared"}


def left_intact(
    forward: list[ast.stmt], backward: list[ast.stmt], prepared: Prepared, this: Unit, summary: Summaries,
    scribe: Scribe,
) -> list[ast.stmt]:  # fmt: skip
    """The forward pass in which sums are new arrays where the backward pass reads what they were added to."""
    adding = {s: op for s in statements(prepared.body) if (op := prepared.operations.get(s)) is not None and _adds(op)}
    if not adding:
        return forward
    core = replace(this.core, body=prepared.body)
    aliases = Aliases(core, prepared.operations, summary, this.parameters, scalars=this.context.scalars)
    read = {v for s in statements(backward) for v in header_reads(s)}
    return exchanged(
        forward, {s: _anew(s, op, scribe) for s, op in adding.items() if aliases.same(op.operands[0], read)}
    )


def _adds(op: Operation) -> bool:
    return op.kind == "rule" and op.rule.name in NEW and bool(op.operands)


def _anew(s: ast.stmt, op: Operation, scribe: Scribe) -> ast.stmt:
    """The sum as a new array."""
    assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
    b, *rest = s.value.args
    kept = rest[1:] if op.rule.name == "add_item" else rest  # without the variable that it is the adjoint of
    return assign(op.targets[0], scribe.call(NEW[op.rule.name], b, *kept), s)
