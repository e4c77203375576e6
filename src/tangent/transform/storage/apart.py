"""Parameters that a function changes and that are treated as values: they may not be another argument, too."""

from __future__ import annotations

import ast

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.liveness import liveness
from tangent.errors import Location
from tangent.transform.unit import Unit

Apart = tuple[str, tuple[str, ...], Location]  # a parameter, others that are read after it was changed, and where


def changed_as_values(this: Unit, found: list[Write], aliases: Aliases) -> list[Apart]:
    """`def f(a, b): a += b; return a * b` means something else where a and b are one array."""
    parameters = set(this.parameters)
    changes = [(w.statement, w.root) for w in found] + _grown(this)
    live = liveness(this.core, frozenset(s for s, _ in changes))
    done: dict[str, Apart] = {}
    for s, root in changes:
        changed = aliases.of(root) & parameters
        later = set().union(*(aliases.reach(v) for v in live.after.get(s, frozenset()))) if changed else set()
        others = tuple(p for p in this.parameters if p in later - changed)
        for p in sorted(changed) if others else ():
            before = done[p][1] if p in done else ()
            done[p] = (p, tuple(dict.fromkeys((*before, *others))), this.source.locate(s))
    return list(done.values())


def _grown(this: Unit) -> list[tuple[ast.stmt, str]]:
    """`xs.append(v)` and `xs.pop()`."""
    operations = this.operations.items()
    pushes = [(s, op.targets[0]) for s, op in operations if op.kind == "push"]
    return pushes + [(s, op.operands[0]) for s, op in operations if op.kind == "pop"]
