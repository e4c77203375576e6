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
from tangent.analysis.effects import Write
from tangent.syntax.walk import walk
from tangent.transform.storage.around import bound_outside
from tangent.transform.storage.refusals import refusal
from tangent.transform.storage.summaries import Outside
from tangent.transform.unit import Unit


def refuse_through_variables(
    this: Unit, found: list[Write], aliases: Aliases, varied: frozenset[str], useful: frozenset[str], outside: Outside
) -> None:
    """Refuse such a write where the result depends on the same thing by another way; `outside` gets the others."""
    if this.source.file.startswith("<generated"):  # what its function does was looked at
        return
    bound = bound_outside(this)
    if not bound:
        return
    space = id(this.context.source.function.__globals__)
    for w in found:
        if w.root not in this.context.scope.local or not w.reads & varied:
            continue
        for s, (v, around) in bound.items():
            if aliases.reach(v) & aliases.of(w.root):
                error = refusal(this, replace(w, root=around), around)
                if _is_read_elsewhere(this, around, s, useful):
                    raise error
                outside.append((space, around, error))


def _is_read_elsewhere(this: Unit, around: str, binding: ast.stmt, useful: frozenset[str]) -> bool:
    """Whether the result depends on what a name outside stands for by another statement, or is that."""
    if this.result == around:
        return True
    for s, op in this.operations.items():
        if s is not binding and op.value is not None and not useful.isdisjoint(op.targets):
            if any(isinstance(n, ast.Name) and n.id == around for n in walk(op.value)):
                return True
    return False
