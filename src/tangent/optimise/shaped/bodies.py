"""The bodies of generated functions, without their documentation, and names for what they call."""

from __future__ import annotations

import ast
from typing import Any

from tangent.optimise.context import Body
from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import replace
from tangent.transform.generated import Generated


def _documentation(g: Generated) -> Body:
    assert g.tree is not None
    return g.tree.body[:1] if ast.get_docstring(g.tree, clean=False) is not None else []


def body_of(g: Generated) -> Body:
    assert g.tree is not None
    return g.tree.body[len(_documentation(g)) :]


def with_body(g: Generated, body: Body) -> None:
    assert g.tree is not None
    g.tree = replace(g.tree, body=[*_documentation(g), *body])


def use(g: Generated, value: Any, short: str) -> str:
    """A name for a run-time function."""
    assert g.tree is not None
    taken = {*identifiers(g.tree), *g.externals, *g.seen, *g.primal.__globals__}
    chosen = next((v for v, x in (*g.seen.items(), *g.externals.items()) if x is value and "." not in v), None)
    if chosen is None:
        chosen = short
        while chosen in taken:
            chosen += "_"
        g.externals[chosen] = value
    return chosen


def visible(g: Generated) -> frozenset[str]:
    """Names that a reader knows, which keep their lines: the user's, and their adjoints and tangents."""
    assert g.source is not None
    user = identifiers(g.source.tree)
    return frozenset(user | {f"{p}{v}" for p in "bd" for v in user})
