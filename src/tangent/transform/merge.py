"""Derivatives of one function that came out the same, for calls of which different things were known, are one."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable

from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import arguments
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
    pairs = [(g,) if g.backward is None else (g, g.backward) for g in functions if g not in backward]
    alike = Counter(map(_outline, pairs))
    for pair in pairs:
        if alike[_outline(pair)] == 1:
            continue
        kept = first.setdefault(_meaning(pair), pair)
        if kept is not pair:
            found |= dict(zip(pair, kept))
    return found


def _outline(pair: Pair) -> Hashable:
    """What pairs that say the same have in common, found without a look at each statement."""
    return tuple((g.primal, tuple(g.seeds.items()), _size(g)) for g in pair)


def _size(g: Generated) -> tuple[int, int]:
    assert g.tree is not None
    return len(arguments(g.tree.args)), len(statements(_body(g.tree)))


def _body(tree: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without what it says of itself."""
    return [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def _meaning(pair: Pair) -> Hashable:
    """What a pair of functions says, apart from their names."""
    return tuple((g.primal, tuple(g.seeds.items()), _text(g, pair), _references(g, pair)) for g in pair)


def _text(g: Generated, pair: Pair) -> str:
    assert g.tree is not None
    own = {v: f"own{i}" for v, value in g.externals.items() for i, half in enumerate(pair) if value is half}
    return ast.dump(rename(replace(g.tree, name="", body=_body(g.tree)), own))


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
