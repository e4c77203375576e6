"""What a function becomes in forward mode."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING

from tangent.source.reached import reached
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace
from tangent.transform.calls import NONE_GIVEN, Groups
from tangent.transform.definition import definition
from tangent.transform.entrance import (
    aliases_of,
    number_parameters,
    own_copies,
    refuse_hidden_writes,
    tangent_names,
    written_parameters,
)
from tangent.transform.forward.passes import forward
from tangent.transform.generated import Generated
from tangent.transform.inserted.skipped import without_insertions
from tangent.transform.known import Known
from tangent.transform.results import arranged, extra_results, may_be_view, with_aux
from tangent.transform.scribe import Scribe
from tangent.transform.storage.parts import augmented_parts, joined_parts, looked_at, stored_parts
from tangent.transform.unit import watched_by_callers

if TYPE_CHECKING:  # a module makes the derivatives of what its functions call
    from tangent.transform.module import Module


def pushforward(module: Module, function: types.FunctionType, title: str) -> Generated:
    """`f_jvp(x, dx)`."""
    made = module.entry(function, title)
    made.numbers = number_parameters(module.read(function))
    build_tangent(module, made, module.options.wrt, frozenset(made.numbers), both=False)
    return made


def build_tangent(
    module: Module, made: Generated, active: tuple[str, ...], numbers: frozenset[str], both: bool,
    groups: Groups = NONE_GIVEN, known: Known = (),
) -> None:  # fmt: skip
    """With `both` the function for callers, which gives value and tangent; else the one that was asked for."""
    captured = reached(made.primal)
    outside = tuple(v for v in active if v in captured)
    this = without_insertions(watched_by_callers(module.read(made.primal, outside, known), made.caught))
    if module.options.has_aux and not both:
        this = with_aux(this)
    made.seeds = tangent_names(this, active)
    scribe = Scribe(this.context)
    for v, tangent in made.seeds.items():
        this.context.names.taken.add(tangent)
        scribe.derivatives["d", v] = tangent
    settled = module.settled(this, active, numbers, groups)
    made.written = written_parameters(settled, active)
    made.apart = (*settled.apart, *getattr(made.primal, "apart", ()))
    made.owned = looked_at(settled)
    made.stored, made.augmented = stored_parts(settled), augmented_parts(settled)
    made.joined = joined_parts(settled)
    this = settled.unit
    if both:
        refuse_hidden_writes(settled, groups, copied=hasattr(made.primal, "origin"))  # as any derivative does
    body = [*own_copies(settled, scribe), *forward(settled, scribe, module, active, numbers)]
    found: ast.expr = scribe.call("init_grad", name(this.result))
    if this.result in settled.activity.names():
        found = name(scribe.derivative(this.result, "d"))
    value = found
    if both:
        value = ast.Tuple([name(this.result), found], ast.Load())
    elif extra := extra_results(this, module.options):
        value = arranged([found], list(extra), module.options)
    last = at(ast.Return(value), this.core.body[-1])
    made.shared = aliases_of(settled, scribe)
    body = module.optimise([*body, last], this, scribe, made.shared)
    final = body[-1]
    assert isinstance(final, ast.Return)
    if not both and may_be_view(given := final.value, this, made, body):
        body[-1] = replace(final, value=scribe.call("copy", given))
    made.tree = definition(this, made.name, body, [made.seeds[v] for v in active], None, keywords=both)
    module.complete(made, this, scribe)
    if made not in module.functions:
        module.functions.append(made)
