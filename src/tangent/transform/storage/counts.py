"""Lists that are repeated as often as something says that may be an array: looked at when the function runs.

y = [0.0] * n            require_count(n)
y[0] = x           ->    y = [0.0] * n

`[0.0] * n` is a list where n is an integer, and an array where n is one.
"""

from __future__ import annotations

import ast

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.made import assumed_counts
from tangent.syntax.core import is_range
from tangent.syntax.quote import at, expression
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import expression_reads, writes
from tangent.transform.storage.rewriting import replaced, runtime_function
from tangent.transform.unit import Unit


def checked_counts(this: Unit, found: list[Write], aliases: Aliases) -> Unit:
    """The function with the counts of lists looked at that it writes into."""
    if this.context.memory or this.source.file.startswith("<generated"):
        return this
    written = set().union(*(aliases.of(w.root) for w in found))
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    for s, count in assumed_counts(this.operations, _counted(this)).items():
        if written.intersection(writes(s)):
            check = this.context.use("require_count", runtime_function("require_count"))
            changed[s] = [at(ast.Expr(expression("f(n)", f=check, n=count)), s), s]
    return replaced(this, changed, dict(this.operations)) if changed else this


def _counted(this: Unit) -> set[str]:
    """Variables that are surely integers: they count loops, or are counted by them."""
    loops = [s for s in statements(this.core.body) if isinstance(s, ast.For) and is_range(s.iter)]
    return {v for s in loops for v in (*writes(s), *expression_reads(s.iter))}
