"""Statements in place, written as what they do: operators become stores again where somebody else sees them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.unshared import is_unshared
from tangent.rules.classify import classified
from tangent.rules.table import table
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import writes
from tangent.transform.storage.refusals import refusal
from tangent.transform.unit import Unit

IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
WIDE = (np.dtype(float), np.dtype(complex), np.dtype(object))


def runtime_function(function: str) -> Any:
    from tangent import runtime  # the object only: transformations do not call the runtime

    return getattr(runtime, function)


def reclassified(s: ast.stmt, this: Unit) -> Operation | None:
    return classified(s, this.context, table())


def replaced(
    this: Unit, changed: dict[ast.stmt, list[ast.stmt]], operations: Operations,
    test: Callable[[ast.expr], ast.expr] = lambda e: e,
) -> Unit:  # fmt: skip
    """The function with some statements replaced by others, and the tests of its loops by what `test` makes of them."""

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case _ if s in changed:
                    done += changed[s]
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=block(inner))
                    if isinstance(s, ast.While):
                        new = replace(new, test=test(s.test))
                    if s in operations:
                        operations[new] = operations[s]
                    done.append(new)
                case _:
                    done.append(s)
        return done

    core = replace(this.core, body=block(this.core.body))
    left = {s: op for s, op in operations.items() if s not in changed or s in changed[s]}
    return Unit(this.source, core, this.context, left)


def held_results(this: Unit, found: list[Write]) -> Unit:
    """What operators of the user's give, as what an operand may hold, where more is written than what they give.

    `unheld` looks at arrays and lists; an object may be one of the operands, and matters where it is written into.
    """
    if all(w.construct == "augmented" for w in found):
        return this
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for s, op in this.operations.items():
        if op.kind == "rule" and op.rule.name == "unheld":
            new = replace(s, value=name(op.operands[0]))
            changed[s] = [new]
            operations[new] = Operation("copy", op.targets, op.operands[:1], name(op.operands[0]))
    return replaced(this, changed, operations) if changed else this


def seen_by_others(this: Unit, found: list[Write], aliases: Aliases) -> list[Write]:
    """The writes without those `s = s + v` that change what nobody else holds: a new value does as well.

    Not where the result is written into later: of an array without axes, a sum is a number.
    """
    changes = {w.statement: w.root for w in found if w.construct == "augmented"}
    others = {w.root for w in found if w.construct != "augmented"}

    def is_own(w: Write) -> bool:
        if w.construct != "augmented" or w.root in aliases.containers or _joins_lists(this, w):
            return False
        if any(aliases.meets(v, others) for v in (w.root, *writes(w.statement))):
            return False  # storage, which stays where it is
        return is_unshared(w.root, w.statement, this.core.body, this.operations, aliases.bases, changes)

    own = [w for w in found if is_own(w)]
    while True:
        roots = {w.root for w in found if w.construct == "augmented" and w not in own}
        rest = [w for w in own if not any(aliases.meets(v, roots) for v in writes(w.statement))]
        if rest == own:
            return [w for w in found if w not in own]
        own = rest


def augmented_in_place(
    this: Unit, found: list[Write], aliases: Aliases, shapes: Shapes, given: frozenset[str]
) -> tuple[Unit, list[Write]]:
    """`s = s + v` becomes `s += v` again where somebody else may hold what it changes."""
    augmented = [w for w in found if w.construct == "augmented"]
    if not augmented:
        return this, found
    others = {w.root for w in found if w.construct != "augmented"} | given
    live = liveness(this.core, frozenset(w.statement for w in augmented))
    kept = [w for w in found if w.construct != "augmented"]
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for w in augmented:
        own = {w.root, *this.operations[w.statement].targets}
        holders = set(aliases.same(w.root, live.after[w.statement])) - own
        if w.root in aliases.containers or _joins_lists(this, w):  # a new list, unless somebody else sees it grow
            if holders:
                error = refusal(this, w, w.root)
                error.needs_memory |= bool(aliases.of(w.root) & aliases.containers)
                raise error
            kept.append(w)
            continue
        written = any(aliases.meets(v, others) for v in own)
        if not (holders or written or _has_dtype_of_its_own(this, w.root)):
            kept.append(w)
            continue
        new = _in_place(this, w, shapes.of(name(w.root)).stored)
        changed[w.statement] = new
        for s in statements(new):
            op = reclassified(s, this)
            if op is not None:
                operations[s] = op
        write = next(s for s in statements(new) if s in operations and operations[s].kind in ("store", "augment"))
        kept.append(Write(write, w.root, w.reads, "store"))
    return replaced(this, changed, operations) if changed else this, kept


def _has_dtype_of_its_own(this: Unit, v: str) -> bool:
    """Whether a variable is an array that is made here with another dtype than numbers have: it keeps that."""
    made = [op.value for op in this.operations.values() if v in op.targets and isinstance(op.value, ast.Call)]
    given = [e for call in made for e in (*call.args, *(k.value for k in call.keywords if k.arg == "dtype"))]
    return any(_is_narrow(e, this) for e in given)


def _is_narrow(e: ast.expr, this: Unit) -> bool:
    """Whether an expression names a dtype into which numbers and arrays of numbers do not fit as they are."""
    if isinstance(e, ast.Name) and e.id in this.context.scope.local:
        return any(
            op.kind == "constant" and op.targets == (e.id,) and op.value is not None and _is_narrow(op.value, this)
            for op in this.operations.values()
        )
    named = e.value if isinstance(e, ast.Constant) else this.context.scope.resolve(e)
    if not isinstance(named, (str, type)):
        return False
    try:
        return np.dtype(named) not in WIDE
    except TypeError:
        return False


def _joins_lists(this: Unit, w: Write) -> bool:
    """Whether `xs += ys` adds a list that is made here."""
    s = w.statement
    assert isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp)
    added = s.value.right
    made = [op for op in this.operations.values() if isinstance(added, ast.Name) and added.id in op.targets]
    return bool(made) and all(isinstance(op.value, (ast.List, ast.Tuple, ast.ListComp)) for op in made)


def _in_place(this: Unit, w: Write, array: bool) -> list[ast.stmt]:
    """The operator in place; of what may be no array, but a number, a new one."""
    s = w.statement
    assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.BinOp)
    target, value = s.targets[0].id, s.value
    again = [] if target == w.root else [assign(target, name(w.root), s)]
    if isinstance(value.op, IN_PLACE):
        return [at(ast.AugAssign(ast.Name(w.root, ast.Store()), value.op, value.right), s), *again]
    held, test = (this.context.names.numbered("t") for _ in range(2))
    this.context.scope.local |= {held, test}
    result = assign(held, value, s)
    store = at(ast.Assign([ast.Subscript(name(w.root), constant(Ellipsis), ast.Store())], name(held)), s)
    if array:
        return [result, store, *again]
    this.context.asked.add((s.lineno, s.col_offset))
    kind = this.context.use("ndarray", np.ndarray)
    asked = assign(test, expression("f(a, t)", f=this.context.builtin("isinstance"), a=w.root, t=kind), s)
    return [result, asked, at(ast.If(name(test), [store, *again], [assign(target, name(held), s)]), s)]
