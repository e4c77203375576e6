"""Variables that are numbers, where the types of the arguments are known: a second look at what a function shares.

t = b[i]                  `t` may be a row of `b`, which the next line would change in place;
t -= b[j]                 where `b` has one axis it is a number, and the line gives `t` another value
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Kind, Number
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]


def scalars(functions: list[Generated], given: list[Kind], resolve: Resolve) -> tuple[tuple[Any, frozenset[str]], ...]:
    """By primal function, the variables that are numbers in all that was made of it; nothing where none is shared."""
    if not any(g.shared for g in functions):
        return ()
    found = Inference(functions, given, resolve)
    known: dict[Any, frozenset[str]] = {}
    other: dict[Any, set[str]] = {}
    for g in functions:
        names = _named(g)
        numbers = frozenset(v for v in names if _is_number(found.kinds[g].get(v)))
        known[g.primal] = known.get(g.primal, frozenset()) | numbers
        other.setdefault(g.primal, set()).update(names - numbers)
    chosen = {f: names - other[f] for f, names in known.items()}
    return tuple((f, names) for f, names in chosen.items() if names)


def _named(g: Generated) -> set[str]:
    assert g.tree is not None
    return {a.arg for a in arguments(g.tree.args)} | {v for s in statements(g.tree.body) for v in writes(s)}


def _is_number(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.scalar
