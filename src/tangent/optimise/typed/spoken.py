"""Names that the rewrites of this folder know by their text stand for what these take them for.

k = ratio(counts, i)            k = ratio_(counts, i)
t = tools.empty(n)       ->     t = empty_(n)

where `ratio` and `tools.empty` are functions of the user.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.backends.numba import functions as compiled
from tangent.optimise.typed.records import READERS
from tangent.source.resolve import MISSING
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

MODULES: dict[str, Any] = {"np": np, "numpy": np, "math": math}
OTHERS = ("own", "own_any", "require_inside", "require_regular", "span", "repack", "tuple")
CANONICAL = ("range", "reversed")  # loops over ranges know these by what they stand for
HOMES = (compiled, runtime, builtins)
KNOWN: dict[str, Any] = {
    **{v: next(getattr(home, v) for home in HOMES if hasattr(home, v)) for v in {*READERS, *OTHERS} - {*CANONICAL}},
    **MODULES,
}


def spoken(g: Generated, resolve: Callable[[ast.expr, Generated], Any]) -> None:
    """Give functions of the user that are called like one of these another name."""
    assert g.tree is not None
    local = {a.arg for a in arguments(g.tree.args)} | {v for s in statements(g.tree.body) for v in writes(s)}
    names = Names(identifiers(g.tree) | set(g.externals) | (identifiers(g.source.tree) if g.source else set()))
    given: dict[int, str] = {}

    def renamed(text: str, value: Any) -> ast.expr:
        if id(value) not in given:
            given[id(value)] = names.fresh(text)
            g.externals = {**g.externals, given[id(value)]: value}
        return ast.Name(given[id(value)], ast.Load())

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Name(id=v, ctx=ast.Load()) if v in KNOWN and v not in local:
                found = resolve(e, g)
                return e if found is MISSING or found is KNOWN[v] else renamed(v, found)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=f)) if v not in local:
                found = resolve(e.func, g)
                mine = found is not MISSING and callable(found) and hasattr(np, f) and v not in MODULES
                theirs = any(found is getattr(m, f, None) for m in (np, math))
                return replace(e, func=renamed(f, found)) if mine and not theirs else e
            case _:
                return e

    g.tree = replace(g.tree, body=[rebuild(s, change) for s in g.tree.body])
