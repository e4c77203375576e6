"""Writes through variables into what a function finds around it: arrays, lists and dicts of its module, or captured.

b = BUFFER
b[:] = x * x           the sum depends on x, through BUFFER: refused
return np.sum(BUFFER)

What the variable itself gives afterwards is followed, as for every array; what another one finds there is not.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Variable, Write
from tangent.analysis.passed import by_parameter, default_of, is_own
from tangent.errors import InPlaceError
from tangent.source.conflicts import WRITTEN, writing_statement
from tangent.syntax.walk import walk
from tangent.transform.storage.around import HELD, bound_outside, gives_outside
from tangent.transform.storage.refusals import refusal
from tangent.transform.storage.summaries import Outside, has_stars
from tangent.transform.unit import Unit


def refuse_through_variables(
    this: Unit, found: list[Write], aliases: Aliases, varied: frozenset[str], useful: frozenset[str], outside: Outside,
    summary: Summaries,
) -> None:  # fmt: skip
    """Refuse such a write where the result depends on the same thing by another way; `outside` gets the others."""
    if this.source.file.startswith("<generated"):  # what its function does was looked at
        return
    bound = bound_outside(this, summary)
    if not bound:
        return
    for w in found:
        if w.root not in this.context.scope.local or not w.reads & varied:
            continue
        for v, around in bound:
            if aliases.reach(v) & aliases.of(w.root):
                error = refusal(this, replace(w, root=around[1]), around[1])
                error.needs_memory = True
                if _is_read_elsewhere(this, v, around, useful, summary):
                    raise error
                outside.append((*around, error))


def _is_read_elsewhere(this: Unit, bound: str, around: Variable, useful: frozenset[str], summary: Summaries) -> bool:
    """Whether the result depends on what is around by another way than the variable that is bound to it, or is that."""
    here = around[0] == id(this.context.source.function.__globals__)
    if here and this.result == around[1]:
        return True
    for op in this.operations.values():
        if op.value is not None and bound not in op.targets and not useful.isdisjoint(op.targets):
            if here and any(isinstance(n, ast.Name) and n.id == around[1] for n in walk(op.value)):
                return True
            if around in gives_outside(this, op, summary):
                return True
    return False


def refuse_defaults(this: Unit, varied: frozenset[str], summary: Summaries) -> None:
    """Calls that leave out what their function writes into: the default is one array for all calls."""
    for s, op in this.operations.items():
        if op.kind == "call" and is_own(op.callee) and isinstance(op.value, ast.Call) and not has_stars(op.value):
            left = summary(op.callee).written - by_parameter(op.value, op.callee).keys()
            for p in sorted(left) if not varied.isdisjoint(op.operands) else ():
                if isinstance(default_of(op.callee, p), HELD):
                    error = InPlaceError(
                        f"cannot differentiate a call of '{op.callee.__name__}'", this.source.locate(s),
                        f"it writes into its default of '{p}', which all of its calls have in common",
                        f"Pass it an array, or make one where '{p}' is None.",
                    )  # fmt: skip
                    error.meet(WRITTEN, writing_statement(op.callee, p))
                    error.needs_memory = True
                    raise error
