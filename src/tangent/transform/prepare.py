"""Make explicit what the backward pass needs: trip counts, and results apart from operands of the same name.

while c: ...              ->   trips = 0
                               while c: trips = trips + 1; ...
y = x / y                 ->   t = x / y; y = t
y = g(x)                  ->   y, g_saved = g_fwd(x)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tangent.analysis.operation import Operation, Operations
from tangent.analysis.storage import Storage
from tangent.rules.notation import Rule
from tangent.syntax.core import is_range
from tangent.syntax.quote import assign, constant, expression, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.outline import loop_of
from tangent.transform.scribe import Scribe


@dataclass
class Prepared:
    """A Core tree with counters, its operations, and the counter of each loop that has one."""

    body: list[ast.stmt] = field(default_factory=list)
    operations: Operations = field(default_factory=dict)
    trips: dict[ast.stmt, str] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)
    storage: Storage = field(default_factory=Storage)

    def moved(self, s: ast.stmt, new: ast.stmt) -> None:
        """A statement was rebuilt: what is known of it holds for the new one."""
        if s in self.trips:
            self.trips[new] = self.trips[s]
        if s in self.operations:
            self.operations[new] = self.operations[s]


def prepare(
    body: list[ast.stmt], operations: Operations, active: frozenset[str], scribe: Scribe, storage: Storage
) -> Prepared:
    found = Prepared(operations=dict(operations), active=set(active), storage=storage)
    found.body = _block(body, found, active, scribe)
    return found


def _block(body: list[ast.stmt], found: Prepared, active: frozenset[str], scribe: Scribe) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, found, active, scribe)]


def _statement(s: ast.stmt, found: Prepared, active: frozenset[str], scribe: Scribe) -> list[ast.stmt]:
    match s:
        case ast.If(body=[ast.Break()]):
            return [s]
        case ast.If(body=body, orelse=orelse):
            then, other = _block(body, found, active, scribe), _block(orelse, found, active, scribe)
            return [replace(s, body=then, orelse=other)]
        case ast.For(body=body) | ast.While(body=body):
            inner = _block(body, found, active, scribe)
            before, s = _fixed_bounds(s, found, scribe)
            if isinstance(s, ast.For) and is_range(s.iter) and not _breaks(inner):
                loop: ast.stmt = replace(s, body=inner)
                return [*before, loop]
            trips = scribe.names.numbered("trips")
            count = assign(trips, expression("n + 1", n=trips), s)
            start = assign(trips, constant(0), s)
            loop = replace(s, body=[count, *inner])
            found.trips[loop] = trips
            if s in found.operations:
                found.operations[loop] = found.operations[s]
            for new in (start, count):
                found.operations[new] = Operation("zero", (trips,))
            return [*before, start, loop]
        case ast.Assign() if s in found.operations and _clashes(found.operations[s], active, found.storage.handles):
            op = found.operations[s]
            held = scribe.names.numbered(op.targets[0] if loop_of(op.callee) is not None else "t")
            scribe.kept[held] = op.targets[0]
            bases = found.storage.bases.get(s, ())
            if op.targets[0] in active:
                found.active.add(held)
            first = assign(held, s.value, s)
            second = assign(op.targets[0], name(held), s)
            found.operations[first] = Operation(
                op.kind, (held,), op.operands, op.value, op.rule, op.values, op.callee, op.library, op.why
            )
            found.operations[second] = Operation("copy", op.targets, (held,), name(held))
            found.storage.follow(held, op.targets[0], first, second, bases)
            if s in found.storage.written:
                found.storage.written[first] = found.storage.written[s]
            return [first, second]
        case _:
            return [s]


def _fixed_bounds(s: ast.stmt, found: Prepared, scribe: Scribe) -> tuple[list[ast.stmt], ast.stmt]:
    """Bounds that the body changes are kept under names of their own."""
    if not isinstance(s, ast.For) or not is_range(s.iter):
        return [], s
    changed = {v for x in statements(s.body) for v in writes(x)} & expression_reads(s.iter)
    held = {v: scribe.names.numbered(f"{v}_start") for v in sorted(changed)}
    before: list[ast.stmt] = [assign(new, name(v), s) for v, new in held.items()]
    for copied, (v, new) in zip(before, held.items()):
        found.operations[copied] = Operation("copy", (new,), (v,), name(v))
    return before, replace(s, iter=rename(s.iter, held))


def _breaks(body: list[ast.stmt]) -> bool:
    match body:
        case [*_, ast.If(body=[ast.Break()])]:
            return True
        case _:
            return False


def _clashes(op: Operation, active: frozenset[str], handles: frozenset[str]) -> bool:
    """Whether the adjoint reads both the result and the operand that it overwrites, or needs the operand at all."""
    if len(op.targets) != 1 or op.targets[0] not in op.operands:
        return False
    if op.targets[0] in handles and op.kind not in ("store", "augment"):
        return True
    if op.kind == "call" or op.kind == "dynamic":
        return True
    if op.kind != "rule":
        return op.kind not in ("copy", "pop", "push", "store", "augment", "shadow")
    rule: Rule = op.rule
    wanted = [k for k, v in op.values.items() if k in rule.operands and _mentions(v, active)]
    reads = rule.reads(wanted)
    own = [k for k, v in op.values.items() if _mentions(v, frozenset(op.targets))]
    return rule.result in reads and any(k in reads for k in own)


def _mentions(e: ast.expr, names: frozenset[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in walk(e))
