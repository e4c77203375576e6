"""What a derivative takes: its arguments as its own, names of tangents; writes that its caller could not know of."""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

import numpy as np

from tangent import runtime
from tangent.analysis.operation import MAY_BE_LISTS, Operation
from tangent.analysis.shapes.results import ROW_RULES
from tangent.analysis.storage import AROUND, RESULT, merged
from tangent.errors import InPlaceError
from tangent.rules.displays import displayed
from tangent.source.naming import is_library
from tangent.syntax.quote import assign, name
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk
from tangent.transform.calls import NONE_GIVEN, Groups
from tangent.transform.scribe import Scribe
from tangent.transform.storage.settle import Settled, class_sets
from tangent.transform.storage.summaries import aliases_of as shared_by
from tangent.transform.unit import Unit

COPIES = frozenset("copy copy_method array asarray ascontiguousarray asfortranarray".split())


def number_parameters(this: Unit) -> tuple[str, ...]:
    """Parameters in arithmetic: taken for numbers or arrays, which the derivative checks when it is called."""
    lists = displayed(this.operations.values())
    used = {
        e.id
        for op in this.operations.values()
        if isinstance(op.value, ast.BinOp) and not isinstance(op.value.op, ast.BitOr) and not _may_join(op, lists)
        for e in (op.value.left, op.value.right)
        if isinstance(e, ast.Name)
    }
    used |= {
        x.id
        for op in this.operations.values()
        if op.kind == "rule" and op.rule.name in ROW_RULES and isinstance(x := op.values["x"], ast.Name)
    }
    plain = [a.arg for a in (*this.core.args.posonlyargs, *this.core.args.args, *this.core.args.kwonlyargs)]
    return tuple(p for p in plain if p in used)


def _may_join(op: Operation, lists: set[str]) -> bool:
    """Whether an operator takes lists as well: `acc + [x]`, or any that is looked at when it runs."""
    match op.value:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return op.why == MAY_BE_LISTS or any(isinstance(e, ast.Name) and e.id in lists for e in (left, right))
        case _:
            return op.why == MAY_BE_LISTS


def tangent_names(this: Unit, active: tuple[str, ...]) -> dict[str, str]:
    """`dx` for x, unless the function uses that name itself."""
    names = copy.deepcopy(this.context.names)
    return {v: names.fresh("d" + v) for v in active}


def own_copies(settled: Settled, scribe: Scribe) -> list[ast.stmt]:
    """Arguments that are written in place are copied: a derivative never changes what its caller passed."""
    this = settled.unit
    if not settled.owned:
        return []
    every = [a.arg for a in arguments(this.core.args)]
    done: list[ast.stmt] = []
    outside = [name(v) for v in arrays_outside(this)]
    for p in settled.owned:
        others = [name(q) for q in every if q != p and (q not in settled.owned or every.index(q) > every.index(p))]
        others += outside
        done.append(
            assign(p, scribe.call("own" if p in settled.arrays else "own_any", name(p), *others), this.core.body[0])
        )
    return done


def arrays_outside(this: Unit) -> list[str]:
    """Arrays, lists and dicts that a function finds by their names in its surroundings."""
    scope = this.context.scope
    found = {n.id for n in walk(this.core) if isinstance(n, ast.Name)} - scope.local
    return sorted(v for v in found if isinstance(scope.lookup(v), (np.ndarray, list, dict)))


def written_parameters(settled: Settled, active: tuple[str, ...]) -> tuple[str, ...]:
    """The parameters, among some, that are written into, or of which a copy is."""
    ops = settled.unit.operations.values()
    copies = {
        v for op in ops if op.kind == "rule" and op.rule.name in COPIES and not settled.shadowed.isdisjoint(op.targets)
        for v in op.operands
    }  # fmt: skip
    return tuple(v for v in active if v in settled.owned or v in copies)


def aliases_of(settled: Settled, scribe: Scribe, restoring: dict[str, str] | None = None) -> dict[str, str]:
    """Classes of names in the generated function that may share storage."""
    classes = with_results(settled, pair_results(settled.unit) if restoring is None else restoring)
    shared = {
        d: f"{prefix} {classes[v]}"
        for (prefix, v), d in scribe.derivatives.items()
        if v in classes and (prefix == "d" or not classes[v].startswith(RESULT))
    }
    found = {**_changed_around(settled), **classes, **shared}
    return {**found, **{k: found[v] for k, v in scribe.kept.items() if v in found}}


def _changed_around(settled: Settled) -> dict[str, str]:
    """Names around a function, where it or something that it calls changes what is found there; and moving values."""
    this = settled.unit
    scope = this.context.scope
    moving = {v: AROUND + v for v in this.context.moving}
    if not settled.summary(this.source.function).outside:
        return moving
    names = {n.id for n in walk(this.core) if isinstance(n, ast.Name)} - scope.local
    return {**{v: AROUND + v for v in names if not _lasts(scope.lookup(v))}, **moving}


def _lasts(found: Any) -> bool:
    """Whether nothing that a name stands for can be changed."""
    if isinstance(found, types.ModuleType):
        return is_library(found)
    return isinstance(found, (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, str))


def pair_results(this: Unit) -> dict[str, str]:
    """Of a derivative that is differentiated again: what its calls have kept, and their results."""
    pairs = {op.targets[0] for op in this.operations.values() if op.kind == "call" and is_forward_half(op.callee)}
    return {
        op.targets[1]: op.targets[0]
        for op in this.operations.values()
        if op.kind == "unpack" and len(op.targets) == 2 and op.operands[0] in pairs
    }


def is_forward_half(callee: Any) -> bool:
    return callee is runtime.call_fwd or any(getattr(callee, v, "") in ("return", True) for v in ("fresh", "once"))


def with_results(settled: Settled, restoring: dict[str, str]) -> dict[str, str]:
    """The classes, and those of what a call has kept and returned, where its backward pass writes into that."""
    this, classes = settled.unit, {**settled.sharing, **settled.storage.classes}
    if not restoring:
        return classes
    aliases = shared_by(this, settled.summary, NONE_GIVEN)
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)}
    reached = {n: aliases.reach(n) for n in names}
    objects = {
        saved: {saved} | ({v} & aliases.of(v) or aliases.of(v)) | aliases.rows(v) for saved, v in restoring.items()
    }
    results = [frozenset((saved, *(n for n in names if o & reached[n]))) for saved, o in objects.items()]
    found = merged([*map(frozenset, class_sets(classes)), *results])
    written = {found[v] for v in classes}
    return {v: c if c in written else RESULT + c for v, c in found.items()}


def refuse_hidden_writes(settled: Settled, groups: Groups, copied: bool = False) -> None:
    """A function that is called may write into what its caller knows of, into copies, and into nothing else."""
    this = settled.unit
    if hidden := [*(() if groups.known or copied else settled.owned), *settled.rebound]:
        error = InPlaceError(
            f"cannot differentiate the call of '{this.source.function.__name__}'", this.source.locate(this.source.tree),
            f"it writes into its argument '{hidden[0]}', which is found out only when the call happens",
            "Call it by its own name, or let it return a new array.",
        )  # fmt: skip
        error.needs_tangents = hasattr(this.source.function, "origin")
        error.found_late = True
        raise error


def refuse_carried(this: Unit) -> None:
    """A backward pass for which arrays of the caller were kept has no backward pass itself."""
    if getattr(this.source.function, "once", False):
        title = this.source.function.__name__
        error = InPlaceError(
            f"cannot differentiate '{title}' in reverse mode", this.source.locate(this.source.tree),
            "arrays that are written into are bound anew (as where buffers are swapped), shared, or may be numbers",
            "Take the second derivative forward over reverse: tangent.jvp(tangent.grad(f)), hessian, hvp.",
        )  # fmt: skip
        error.needs_tangents = True
        raise error
