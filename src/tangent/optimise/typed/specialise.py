"""A generated module for arguments of known kinds: the rewrites of this folder in order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from tangent import runtime
from tangent.backends.numba.functions import apart
from tangent.optimise.comments import tidy
from tangent.optimise.constants import constants
from tangent.optimise.context import Optimisation
from tangent.optimise.copies import copies
from tangent.optimise.dead import dead
from tangent.optimise.inline import inline
from tangent.optimise.simplify import simplify
from tangent.optimise.typed.aliases import made_here
from tangent.optimise.typed.begun import begun
from tangent.optimise.typed.decided import decided
from tangent.optimise.typed.given_up import sums_in_place
from tangent.optimise.typed.indices import indices
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.inlined import inlined
from tangent.optimise.typed.items import items
from tangent.optimise.typed.joined import joined
from tangent.optimise.typed.kept_twice import kept_twice
from tangent.optimise.typed.kinds import Kind
from tangent.optimise.typed.known import known
from tangent.optimise.typed.lengths import spelled
from tangent.optimise.typed.lists import lists, plain_lists
from tangent.optimise.typed.loops import broadcasts, loops, stable_names
from tangent.optimise.typed.nesting import reached
from tangent.optimise.typed.overlap import overlap
from tangent.optimise.typed.records import records, unchanged
from tangent.optimise.typed.recursion import Where, refuse_recursion, with_lists, without_unread
from tangent.optimise.typed.renamed import renamed
from tangent.optimise.typed.repeated import repeated
from tangent.optimise.typed.restores import restores
from tangent.optimise.typed.returned import returned
from tangent.optimise.typed.roots import roots
from tangent.optimise.typed.saved import saved
from tangent.optimise.typed.single import single
from tangent.optimise.typed.spoken import spoken
from tangent.optimise.typed.steps import steps
from tangent.optimise.typed.threads import parallel_lines, threads
from tangent.optimise.typed.unset import with_types
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

PASSES = (dead, copies, constants, simplify, dead, inline, copies, dead, inline, simplify)
Resolve = Callable[[ast.expr, Generated], Any]


def specialise(
    functions: list[Generated],
    given: list[Kind],
    resolve: Resolve,
    where: Where,
    in_loops: bool = True,
    prange: Any = None,
) -> list[Generated]:
    """Copies of the functions of a module, the entry first, that refer to each other.

    `where` tells the user's line of a function, for what is refused. With Numba's `prange`, loops whose iterations
    have nothing to do with each other run over it.

    Loops make sure that arrays of one rank in one statement have one shape. Where all such statements are loops,
    nothing that broadcasting would need is left in the backward pass.
    """
    if in_loops:
        made = _specialised(functions, given, resolve, where, True, True, prange)
        if made is not None:
            return made
    made = _specialised(functions, given, resolve, where, in_loops, False, prange)
    assert made is not None
    return made


def _specialised(
    functions: list[Generated],
    given: list[Kind],
    resolve: Resolve,
    where: Where,
    in_loops: bool,
    same: bool,
    prange: Any,
) -> list[Generated] | None:
    """With `same`, None where arrays may still be broadcast."""
    made_of = {g: with_changes(g) for g in functions}
    lines = set().union(*(parallel_lines(g, resolve, prange) for g in functions)) if prange is not None else set()
    for g in made_of.values():
        g.externals = {v: made_of.get(e, e) if isinstance(e, Generated) else e for v, e in g.externals.items()}
        g.backward = made_of.get(g.backward) if g.backward is not None else None
        spoken(g, resolve)
        assert g.tree is not None
        plain = plain_lists(g.tree.body, lambda e, g=g: resolve(e, g) is runtime.beside)  # type: ignore[misc]
        g.tree = replace(g.tree, body=indices(lists(plain)))
    made = decided(list(made_of.values()), given, resolve)
    refuse_recursion(made, where)
    kept = with_lists(made, given, resolve, where)
    held = {e for g in made if g in reached(g) for e in g.externals.values() if isinstance(e, Generated)}
    made = inlined(made, resolve)
    for g in made:
        renamed(g, resolve)
    single(made, given, resolve, lambda g: _numpy(g, resolve))
    found = Inference(made, given, resolve)
    for g in made:
        assert g.tree is not None
        g.tree = replace(g.tree, body=sums_in_place(g, found))
    docs = {g: _documentation(g) for g in made}
    bodies = {g: known(g, found, _numpy(g, resolve), same)[len(docs[g]) :] for g in made}
    for _ in range(2):
        bodies = {g: _smaller(body, g, resolve) for g, body in bodies.items()}
        bodies = without_unread(saved(bodies, held), kept)
    for g, body in bodies.items():
        assert g.tree is not None
        np_name, max_name = _numpy(g, resolve), _known_as(max, ("max",), g, resolve)
        parameters = {a.arg for a in arguments(g.tree.args)}
        fresh = Names(identifiers(g.tree) | set(g.externals) | set().union(*(identifiers(s) for s in body)))
        lasting = stable_names(body, g).lasting
        body = _smaller(spelled(body, lasting), g, resolve)
        body = restores(body, made_here(body, g, found), lasting, unchanged(body, parameters), fresh)
        body = _smaller(repeated(body, unchanged(body, parameters), lasting), g, resolve)
        body = _smaller(kept_twice(body, found.kinds[g]), g, resolve)
        body = roots(body, lambda e, g=g: resolve(e, g))  # type: ignore[misc]
        body = records(body, found.kinds[g], np_name, max_name, parameters)
        body = items(_smaller(body, g, resolve), g, found)
        body = returned(steps(body, g, found, np_name), g, found)
        while (new := joined(body, made_here(body, g, found), stable_names(body, g).lasting)) is not body:
            body = _smaller(new, g, resolve)
        body = loops(body, g, found, np_name, max_name) if in_loops else body
        if same and broadcasts(body, g, found):
            return None
        body = with_types(body, found.kinds[g], np_name)
        body = begun(body, lambda e, g=g: found.of(e, g), np_name)  # type: ignore[misc]
        body = overlap(body, g, found, lambda g=g: _known_as(apart, ("apart",), g, resolve))  # type: ignore[misc]
        body = threads(body, g, found, lines, prange) if prange is not None else body
        g.tree = replace(g.tree, body=[*docs[g], *body])
    return made


def _documentation(g: Generated) -> list[ast.stmt]:
    assert g.tree is not None
    return g.tree.body[:1] if ast.get_docstring(g.tree, clean=False) is not None else []


def _smaller(body: list[ast.stmt], g: Generated, resolve: Resolve) -> list[ast.stmt]:
    assert g.source is not None
    o = Optimisation(lambda e: resolve(e, g), frozenset(identifiers(g.source.tree)), g.shared)
    for step in PASSES:
        body = step(body, o)
    return tidy(body)


def _numpy(g: Generated, resolve: Resolve) -> str:
    """The name of NumPy in a function, given to it if it has none."""
    return _known_as(np, ("np", "numpy"), g, resolve)


def _known_as(value: Any, names: tuple[str, ...], g: Generated, resolve: Resolve) -> str:
    """The first of some names that stands for a value in a function; else one that is given to it."""
    assert g.tree is not None
    local = {a.arg for a in arguments(g.tree.args)} | {v for s in statements(g.tree.body) for v in writes(s)}
    for v in names:
        if v not in local and resolve(ast.Name(v, ast.Load()), g) is value:
            return v
    held = (v for v, known in g.externals.items() if known is value and v not in local)
    new = next(held, None) or Names(identifiers(g.tree) | set(g.externals)).fresh(names[0])
    g.externals = {**g.externals, new: value}
    return new
