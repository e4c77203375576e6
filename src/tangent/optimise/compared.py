"""Names that are compared by `is`: they stay names, since Python warns of literals there."""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.syntax.rebuild import statements
from tangent.syntax.walk import fact, walk


def asked_by_identity(body: Body) -> frozenset[str]:
    """The names that `is` compares with anything but None: `if w is MISSING` where w is a number."""
    return frozenset().union(*map(_asked_by, statements(body)))


@fact
def _asked_by(s: ast.stmt) -> frozenset[str]:
    compared = [n for n in walk(s) if isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot))]
    sides = [(n.left, *n.comparators) for n in compared]
    others = [e for e in sides if not any(isinstance(x, ast.Constant) and x.value is None for x in e)]
    return frozenset(x.id for e in others for x in e if isinstance(x, ast.Name))
