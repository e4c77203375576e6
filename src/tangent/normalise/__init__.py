"""From Python to Core Python: one construct a pass, in this order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.normalise.augmented import augmented
from tangent.normalise.boxes import boxes
from tangent.normalise.brought import brought
from tangent.normalise.chained import chained
from tangent.normalise.choices import choices
from tangent.normalise.closures import closures
from tangent.normalise.collected import collected
from tangent.normalise.comprehensions import comprehensions
from tangent.normalise.context import Context
from tangent.normalise.contexts import contexts
from tangent.normalise.copies import copies
from tangent.normalise.counted import counted
from tangent.normalise.counters import counters
from tangent.normalise.decorated import decorated
from tangent.normalise.defaults import defaults
from tangent.normalise.drawing import drawing
from tangent.normalise.exceptions import exceptions
from tangent.normalise.extended import extended
from tangent.normalise.filled import filled
from tangent.normalise.filled_at_random import filled_at_random
from tangent.normalise.flatten import flatten
from tangent.normalise.generators.kept import kept
from tangent.normalise.generators.lazy import lazily_read
from tangent.normalise.grids import grids
from tangent.normalise.grown import grown
from tangent.normalise.heaps import heaps
from tangent.normalise.imaginary import imaginary
from tangent.normalise.insertions import insertions
from tangent.normalise.iteration import iteration
from tangent.normalise.iterators import iterators
from tangent.normalise.jumps import jumps
from tangent.normalise.lengths import lengths
from tangent.normalise.lifted import lifted_calls
from tangent.normalise.lifting import lifting
from tangent.normalise.looped import looped
from tangent.normalise.managers import managers
from tangent.normalise.matches import matches
from tangent.normalise.memory import memorised
from tangent.normalise.merged import merged
from tangent.normalise.methods import known_methods
from tangent.normalise.named_operators import operators_named
from tangent.normalise.ordered import ordered
from tangent.normalise.outcomes import outcomes
from tangent.normalise.outlined import outlined
from tangent.normalise.overloading import overloading
from tangent.normalise.parallel import parallel
from tangent.normalise.part_stores import part_stores
from tangent.normalise.phases import phases
from tangent.normalise.plain_kinds import plain_kinds
from tangent.normalise.renamed import renamed
from tangent.normalise.renewed import renewed
from tangent.normalise.repeated import repeated
from tangent.normalise.rows_at_end import rows_at_end
from tangent.normalise.sorting import sorting
from tangent.normalise.spelled import spelled
from tangent.normalise.starred import spread, starred
from tangent.normalise.statements import statements
from tangent.normalise.steady import steady
from tangent.normalise.strictly import strictly
from tangent.normalise.symbols import symbols
from tangent.normalise.turned import turned
from tangent.normalise.unbound import unbound
from tangent.normalise.versions import versions
from tangent.normalise.walked import walked
from tangent.normalise.walrus import acting, assigned_outside, walrus
from tangent.source.read import Source
from tangent.syntax.core import check_core
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import assigned_inside, expression_reads
from tangent.syntax.walk import walk

PASSES = (
    outlined, insertions, plain_kinds, renamed, acting, strictly, looped, choices, copies, counters, chained,
    symbols, spelled, filled_at_random, augmented, imaginary, part_stores, grown, phases, walked, merged, extended,
    sorting, heaps, repeated, managers, lazily_read, turned, kept, steady, lengths, outcomes, brought, filled,
    ordered, collected, decorated, closures, boxes, lifting, known_methods, grids, parallel, matches, unbound,
    exceptions, walrus, iterators, comprehensions, renewed, walrus, assigned_outside, defaults, statements, jumps,
    contexts,
    iteration, spread, flatten, starred, counted, drawing, lifted_calls, overloading, rows_at_end, memorised,
    versions,
)  # fmt: skip


def normalise(
    source: Source, captured: tuple[str, ...] = (), objects: frozenset[str] = frozenset(),
    known: dict[str, Any] | None = None,
    properties: frozenset[str] = frozenset(), has_rule: Callable[[Any], bool] = lambda f: False,
) -> tuple[ast.FunctionDef, Context]:  # fmt: skip
    """The function in Core Python; captured variables count as its own, `objects` may have operators of their own.

    Parameters that are `known` are functions that the caller names.
    """
    context = Context.of(source)
    relied = getattr(source.tree, "relied", {})  # functions and methods that were written out (source/dissolved.py)
    gone = {path.split(".")[0] for path in relied} - _named(source.tree)
    context.objects = objects | operators_named(getattr(source.function, "remembers", source.function), gone)
    context.memory = getattr(source.function, "memory", "")
    context.names.taken.add(context.memory)
    context.properties, context.has_rule = properties, has_rule
    context.scope.local |= set(captured)
    context.scope.externals |= known or {}
    tree = source.tree
    context.scope.seen |= relied
    for node in walk_scope(tree):
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            word = "await" if isinstance(node, ast.Await) else "yield"
            raise context.refuse(
                node,
                f"'{word}'",
                f"'{tree.name}' does not run from start to end",
                f"Move it out of '{tree.name}', or collect the values in a list.",
            )
        if isinstance(node, ast.AsyncFunctionDef) and expression_reads(node) & context.scope.local:
            raise context.refuse(
                node,
                f"'async def {node.name}'",
                "what it computes is waited for by others",
                "Write a function that is called, or give it nothing that the derivative depends on.",
            )
    for step in PASSES:
        tree = step(tree, context)
    context.scope.local |= assigned_inside(tree.body) - context.declared
    check_core(tree)
    return tree, context


def _named(tree: ast.FunctionDef) -> set[str]:
    """The names in a definition, but for those that are only asked for what they hold: `Vec.unit` makes no vector."""
    called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    asked = {n.value for n in walk(tree) if isinstance(n, ast.Attribute) and n not in called}
    return {n.id for n in walk(tree) if isinstance(n, ast.Name) and n not in asked}
