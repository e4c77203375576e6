"""The gradient that was asked for: `dfdx(x, by=1.0)`."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any

from tangent.analysis.shapes.facts import NO_ATOMS
from tangent.analysis.shapes.results import TO_REAL, makes_complex
from tangent.rules.table import table
from tangent.source.generators import is_generator
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk
from tangent.transform.definition import definition
from tangent.transform.entrance import aliases_of, number_parameters, own_copies, refuse_carried, written_parameters
from tangent.transform.generated import Generated
from tangent.transform.results import BOUNDARY, arranged, extra_results, lists_restored, returned, with_aux
from tangent.transform.reverse.state import Passes
from tangent.transform.scribe import Scribe
from tangent.transform.storage.parts import augmented_parts, joined_parts, looked_at, stored_parts
from tangent.transform.storage.summaries import called_functions
from tangent.transform.unit import Unit

if TYPE_CHECKING:  # a module makes the derivatives of what its functions call
    from tangent.transform.module import Module

COMPLEX_RESULTS = frozenset("builtin_float astype array asarray eig eigvals roots attribute getitem cis".split())


def gradient(module: Module, function: types.FunctionType, title: str) -> Generated:
    """`dfdx(x, by=1.0)`."""
    module.asked_for = function
    made = module.entry(function, title)
    this = module.read(function)
    refuse_carried(this)
    if module.options.has_aux:
        this = with_aux(this)
    wrt = module.options.wrt
    scribe = Scribe(this.context)
    made.numbers = number_parameters(this)
    count = module.options.checkpoint
    settled, passes, seed = module.passes(this, wrt, scribe, frozenset(made.numbers), count=count)
    made.once = passes.stores.writes_into_given_parts()
    made.written = written_parameters(settled, wrt)
    made.apart = (*settled.apart, *getattr(function, "apart", ()))
    made.owned = looked_at(settled)
    made.stored, made.augmented = stored_parts(settled), augmented_parts(settled)
    made.joined = joined_parts(settled)
    this = settled.unit
    gradients = [returned(v, passes, made.numbers, scribe, own=True) for v in wrt]
    zeros: list[ast.stmt] = []  # of lists that grow or shrink, as they were given
    for i, v in enumerate(wrt):
        if v in settled.owned and v not in (*settled.arrays, *passes.stores.shadowed, *passes.state.held):
            b = scribe.derivative(v, "b")
            zeros.append(assign(b, gradients[i], this.core.body[0]))
            gradients[i] = name(b)
    if module.options.paths:
        whole = {v: ast.unparse(g) for v, g in zip(wrt, gradients)}
        gradients = [expression(whole[v] + path) for v, path in module.options.paths]
    kept: list[ast.stmt] = []
    extra: list[ast.expr] = []
    last_line = this.core.body[-1]
    more = extra_results(this, module.options)
    shrinking = lists_restored(this, passes.backward) if more else set()
    for value in more:
        held = this.context.names.fresh("value" if value.id == this.result else value.id)
        changes = settled.storage.classes or any(module.summaries(f).stores for f, _ in called_functions(this))
        safe = not (changes or shrinking) or passes.facts.of(value).scalar
        kept.append(assign(held, value if safe else scribe.call("copy", value), last_line))
        extra.append(name(held))
    made.check = seed_check(module, made, this, passes, seed, kept, scribe)
    last = at(ast.Return(arranged(gradients, extra, module.options)), last_line)
    copies = own_copies(settled, scribe)
    body = [*zeros, *copies, *passes.forward, *kept, BOUNDARY, *passes.backward, last]
    made.shared = aliases_of(settled, scribe, {**passes.stores.restoring, **{v: v for v in shrinking}})
    body = module.optimise(body, this, scribe, made.shared)
    made.tree = definition(this, title, [s for s in body if s is not BOUNDARY], [seed], constant(1.0))
    made.seeds = {"": seed}
    module.complete(made, this, scribe)
    return made


def seed_check(
    module: Module, made: Generated, this: Unit, passes: Passes, seed: str, kept: list[ast.stmt], scribe: Scribe
) -> tuple[str, ...] | None:
    """The parameters whose shapes broadcast to the result's, or a check of the result itself in the code."""
    atoms = passes.shape
    fixed = set(this.parameters) - assigned_inside(this.core.body)
    dtype = passes.facts.of(name(this.result)).dtype
    exact = dtype is not None and dtype <= fixed
    if not module.options.check_dims:
        fact = passes.facts.of(name(this.result))
        if module.options.summed and not fact.number:
            kept.append(assign(seed, scribe.call("seed_each", name(seed), name(this.result)), this.core.body[-1]))
        elif module.options.summed and atoms != NO_ATOMS:
            same = exact and atoms == dtype and not may_be_complex(module, this)
            like = next(iter(atoms)) if same and atoms and len(atoms) == 1 else this.result
            kept.append(assign(seed, scribe.call("broadcast_like", name(seed), name(like)), this.core.body[-1]))
        return None
    if passes.flows and atoms is not None and atoms <= fixed and (exact or not may_be_complex(module, this)):
        made.dtypes = tuple(sorted(dtype if exact and dtype is not None else fixed))
        made.exact = exact
        return tuple(sorted(atoms))
    check = scribe.call("check_seed" if passes.flows else "check_constant", name(seed), name(this.result))
    kept.append(assign(seed, check, this.core.body[-1]))
    return None


def may_be_complex(module: Module, this: Unit, seen: frozenset[Any] = frozenset()) -> bool:
    """Whether complex numbers can come up in a function that is given real ones."""
    for node in walk(this.core):
        if isinstance(node, ast.Constant) and isinstance(node.value, complex):
            return True
    for op in this.operations.values():
        if op.kind in ("dynamic", "opaque", "closure"):
            return True
        if op.kind == "rule" and (op.rule.name in COMPLEX_RESULTS | TO_REAL or "fft" in op.rule.name):
            return True
        if op.kind == "rule" and makes_complex(op):
            return True
        if op.kind == "call" and table().custom_of(op.callee) is not None:
            return True
        if op.kind == "call" and op.callee not in seen and isinstance(op.callee, types.FunctionType):
            if is_generator(op.callee):  # one that nothing asks for an item does not run
                continue
            if may_be_complex(module, module.read(op.callee), seen | {op.callee}):
                return True
    return False
