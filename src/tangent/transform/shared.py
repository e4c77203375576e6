"""Between differentiations: what a derivative computes twice is computed once before it is differentiated again.

    t = b * x                       t = b * x
    u = b * x              ->       u = t

Products of a rule have factors in common, and each differentiation multiplies what it finds. Functions that write
in place are left alone: there two arrays of the same content are two arrays.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, MutableMapping
from typing import Any

from tangent.analysis.operation import Operation, Operations
from tangent.source.read import is_derivative
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import assigned_inside, expression_reads, writes
from tangent.transform.common import is_common
from tangent.transform.unit import Unit

SHARED = frozenset("unbroadcast broadcast_like spread".split())
IN_PLACE = frozenset("store augment shadow closure insert opaque dynamic".split())
PLAIN = frozenset({ast.Assign, ast.Expr, ast.If, ast.For, ast.While, ast.Return, ast.Pass, ast.Break})
Known = dict[str, tuple[str, frozenset[str]]]

Done = tuple[ast.FunctionDef, Operations] | None

_for_all: weakref.WeakKeyDictionary[ast.FunctionDef, Done] = weakref.WeakKeyDictionary()  # what all modules call


def shared(this: Unit, writes_into: Callable[[Any], bool]) -> Unit:
    """A generated function with its repeated operations done once; `writes_into` tells which callees write."""
    if not is_derivative(this.source.function):
        return this
    known: MutableMapping[ast.FunctionDef, Done] = _for_all if is_common(this.source.function) else {}
    if this.core not in known:
        known[this.core] = _done(this, writes_into)
    if (done := known[this.core]) is None:
        return this
    return Unit(this.source, done[0], this.context, done[1], this.lists)


def _done(this: Unit, writes_into: Callable[[Any], bool]) -> Done:
    if not _is_plain(this, writes_into):
        return None
    operations = dict(this.operations)
    body = _block(this.core.body, operations, {}, _changing(this))
    return replace(this.core, body=body), operations


def _is_plain(this: Unit, writes_into: Callable[[Any], bool]) -> bool:
    """Whether a function only computes: nothing is written in place, no block is out of the ordinary."""
    kinds = {op.kind for op in this.operations.values()}
    if kinds & IN_PLACE or not all(type(s) in PLAIN for s in statements(this.core.body)):
        return False
    return not any(writes_into(op.callee) for op in this.operations.values() if op.kind == "call")


def _changing(this: Unit) -> set[str]:
    """Variables that operators in place may change (`b *= x`), and those that may show the same: each is read alone."""
    found: set[str] = set()
    for s, op in this.operations.items():
        if (s.lineno, s.col_offset) in this.context.augmented:
            found |= {*op.targets, *op.operands[:1]}
    same = [{*op.targets, *op.operands} for op in this.operations.values() if not _makes_new(op)]
    while more := [names for names in same if names & found and not names <= found]:
        found = found.union(*more)
    return found


def _makes_new(op: Operation) -> bool:
    return op.kind == "rule" and op.rule.kind == "elementwise"


def _block(body: list[ast.stmt], operations: Operations, known: Known, alone: set[str]) -> list[ast.stmt]:
    return [_statement(s, operations, known, alone) for s in body]


def _statement(s: ast.stmt, operations: Operations, known: Known, alone: set[str]) -> ast.stmt:
    if not isinstance(s, (ast.If, ast.For, ast.While)):
        return _once(s, operations, known, alone)
    changed = assigned_inside([s])
    if not isinstance(s, ast.If):
        _forget(known, changed)
    done: ast.stmt = replace(s, body=_block(s.body, operations, dict(known), alone))
    if isinstance(s, ast.If):
        done = replace(done, orelse=_block(s.orelse, operations, dict(known), alone))
        _forget(known, changed)
    if s in operations:
        operations[done] = operations[s]
    return done


def _once(s: ast.stmt, operations: Operations, known: Known, alone: set[str]) -> ast.stmt:
    op = operations.get(s)
    key = _key(op)
    found = known.get(key) if key else None
    _forget(known, set(writes(s)))
    if op is None or not key or op.targets[0] in alone or expression_reads(op.value) & alone:
        return s
    target = op.targets[0]
    if found is not None and found[0] != target:
        copy = assign(target, name(found[0]), s)
        operations[copy] = Operation("copy", (target,), (found[0],), name(found[0]))
        return copy
    reads = expression_reads(op.value)
    if target not in reads:
        known[key] = target, frozenset(reads)
    return s


def _key(op: Operation | None) -> str:
    """What an operation computes, if it only computes."""
    if op is None or op.kind != "rule" or len(op.targets) != 1 or op.value is None:
        return ""
    return ast.unparse(op.value) if op.rule.kind == "elementwise" or op.rule.name in SHARED else ""


def _forget(known: Known, changed: set[str]) -> None:
    for key, (v, reads) in list(known.items()):
        if v in changed or reads & changed:
            del known[key]
