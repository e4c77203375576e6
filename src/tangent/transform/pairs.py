"""What a called function becomes in reverse mode: a forward and a backward pass, or the function itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tangent.analysis.liveness import live_into, surely_bound
from tangent.source.reached import reached
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside, writes
from tangent.transform.calls import NONE_GIVEN, Groups
from tangent.transform.definition import definition, function_def
from tangent.transform.entrance import aliases_of, refuse_carried, refuse_hidden_writes
from tangent.transform.generated import Generated
from tangent.transform.inserted.skipped import plain_blocks
from tangent.transform.known import Known
from tangent.transform.outline import unmarked
from tangent.transform.results import BOUNDARY, lists_restored, loops_over_copies, returned
from tangent.transform.scribe import Scribe
from tangent.transform.unit import watched_by_callers

if TYPE_CHECKING:  # a module makes the derivatives of what its functions call
    from tangent.transform.module import Module


def build_pair(
    module: Module, fwd: Generated, bwd: Generated, active: tuple[str, ...], numbers: frozenset[str],
    groups: Groups = NONE_GIVEN, known: Known = (), adding: tuple[str, ...] = (),
) -> None:  # fmt: skip
    captured = reached(fwd.primal)
    outside = tuple(v for v in active if v in captured)
    this = watched_by_callers(module.read(fwd.primal, outside, known), fwd.caught)
    scribe = Scribe(this.context)
    refuse_carried(this)
    settled, passes, seed = module.passes(this, active, scribe, numbers, groups, adding)
    this = settled.unit
    refuse_hidden_writes(settled, groups)
    keep = this.context.names.fresh("result")
    values = [returned(v, passes, (), scribe, own=False) for v in active]
    if passes.ends:
        flags: list[ast.expr] = [name(v) for v in passes.ends]
        values.append(flags[0] if len(flags) == 1 else ast.BoolOp(ast.Or(), flags))
    last = ast.Return(ast.Tuple([name(keep), *values], ast.Load()))
    kept = assign(keep, name(this.result), this.core.body[-1])
    body = [*passes.forward, kept, BOUNDARY, *passes.backward, last]
    fwd.shared = bwd.shared = aliases_of(settled, scribe, passes.stores.restoring)
    body = module.optimise(body, this, scribe, fwd.shared)
    cut = body.index(BOUNDARY)
    first, second = body[:cut], body[cut + 1 :]
    final = second[-1]
    assert isinstance(final, ast.Return) and isinstance(final.value, ast.Tuple)
    result, *adjoints = final.value.elts
    gradients = ast.Return(adjoints[0] if len(adjoints) == 1 else ast.Tuple(adjoints, ast.Load()))
    second = [*second[:-1], *([at(gradients, this.core.body[-1])] if adjoints else [])]
    given = [p for group in groups for p in group]
    shadows = [passes.stores.callers(p) for p in given]
    handles = [p if passes.stores.stays(p, first) else this.context.names.fresh(f"{p}_given") for p in given]
    seeds = [*([] if module.gives_nothing(fwd.primal) and groups else [seed]), *handles, *shadows]
    seeds += [scribe.derivative(v, "b") for v in adding]
    local = assigned_inside(first) | set(this.parameters) | set(outside)
    saved = sorted(live_into(second) & local - set(seeds))
    state = bwd.kept = this.context.names.fresh("saved")
    fwd.carries = passes.stores.carried
    bwd.sharing = passes.stores.sharing(saved, second)
    shares = passes.stores.shares_lists(saved, second) or passes.stores.entangled(saved)
    shares = shares or passes.stores.scales_shared(groups)
    fwd.once = bwd.once = fwd.once or shares
    if passes.stores.apart(saved):
        fwd.fresh, bwd.fresh = "return", state
    tuple_ = ast.Tuple([name(v) for v in saved], ast.Load())
    bound = surely_bound(first, {*this.parameters, *outside, *this.context.declared})
    lists = {v for s in statements(first) if _makes_list(s) for v in writes(s)}
    unbound: list[ast.stmt] = [
        assign(v, ast.List([], ast.Load()) if v in lists else constant(None)) for v in saved if v not in bound
    ]
    changed = [] if module.options.compile else sorted(lists_restored(this, second) & set(saved))
    first = loops_over_copies(this, first, changed, scribe)
    handed = at(ast.Return(ast.Tuple([result, tuple_], ast.Load())), this.core.body[-1])
    fwd.tree = definition(this, fwd.name, [*unbound, *first, handed], [])
    unpack: list[ast.stmt] = []
    if saved:
        slots = ast.Tuple([ast.Name(v, ast.Store()) for v in saved], ast.Store())
        unpack = [at(ast.Assign([slots], name(state)), this.core.body[0])]
        unpack += [assign(v, scribe.call("as_list", name(v)), this.core.body[0]) for v in changed]
    args = ast.arguments([], [ast.arg(state), *(ast.arg(v) for v in seeds)], None, [], [], None, [])
    doc = f"The backward pass of {fwd.name}."
    bwd.tree = function_def(bwd.name, args, doc, [*unpack, *second] or [ast.Pass()])
    for made in (fwd, bwd):
        module.complete(made, this, scribe)
        module.functions.append(made)


def _makes_list(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and not s.value.elts


def build_plain(
    module: Module, made: Generated, active: tuple[str, ...], numbers: frozenset[str], groups: Groups
) -> None:
    this = module.read(made.primal)
    scribe = Scribe(this.context)
    settled = module.settled(this, active, numbers, groups)
    made.shared = aliases_of(settled, scribe)
    body = [s for s in plain_blocks(unmarked(settled.unit)) if not isinstance(s, Comment)]
    body = module.optimise(body, settled.unit, scribe, made.shared)
    made.tree = definition(settled.unit, made.name, body, [])
    module.complete(made, this, scribe)
    module.functions.append(made)
