"""Derivatives of one function that came out the same, for calls of which different things were known, are one."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import rename, replace
from tangent.transform.generated import Generated

Pair = tuple[Generated, ...]


def merge(functions: list[Generated]) -> list[Generated]:
    """The functions of a module without those that say the same as another; callees first, then their callers."""
    while twins := _twins(functions):
        for g in functions:
            _refer(g, twins)
        functions = [g for g in functions if g not in twins]
    return functions


def _twins(functions: list[Generated]) -> dict[Generated, Generated]:
    """For functions that are not needed, the one that stays."""
    first: dict[Hashable, Pair] = {}
    found: dict[Generated, Generated] = {}
    backward = {g.backward for g in functions if g.backward is not None}
    shared = _several(functions)
    for g in functions:
        if g in backward or g.primal not in shared:
            continue
        pair = (g,) if g.backward is None else (g, g.backward)
        kept = first.setdefault(_meaning(pair), pair)
        if kept is not pair:
            found |= dict(zip(pair, kept))
    return found


def _several(functions: list[Generated]) -> set[object]:
    """The functions that more than one derivative was made of."""
    seen: dict[object, int] = {}
    for g in functions:
        seen[g.primal] = seen.get(g.primal, 0) + (2 if g.backward is None else 1)
    return {primal for primal, count in seen.items() if count > 2}


def _meaning(pair: Pair) -> Hashable:
    """What a pair of functions says, apart from their names."""
    return tuple((g.primal, tuple(g.seeds.items()), _text(g, pair), _references(g, pair)) for g in pair)


def _text(g: Generated, pair: Pair) -> str:
    assert g.tree is not None
    own = {v: f"own{i}" for v, value in g.externals.items() for i, half in enumerate(pair) if value is half}
    body = [s for s in g.tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return ast.dump(rename(replace(g.tree, name="", body=body), own))


def _references(g: Generated, pair: Pair) -> frozenset[tuple[str, int]]:
    return frozenset((v, id(value)) for v, value in g.externals.items() if not any(value is half for half in pair))


def _refer(g: Generated, twins: dict[Generated, Generated]) -> None:
    """Let a function call those that stay."""
    assert g.tree is not None
    taken = identifiers(g.tree)
    names: dict[str, str] = {}
    externals = dict(g.externals)  # a pair shares them
    for v, value in g.externals.items():
        if isinstance(value, Generated) and value in twins:
            kept = twins[value]
            fits = externals.get(kept.name) is kept or kept.name not in taken
            names[v] = kept.name if fits else v
            del externals[v]
            externals[names[v]] = kept
    g.tree, g.externals = rename(g.tree, names), externals
