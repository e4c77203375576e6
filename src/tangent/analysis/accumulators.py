"""Sums that a loop adds up and does nothing else with.

s = 0.0                            # `s` starts as a constant,
for k in range(n):
    s2 = s + a[i, k] * x[k]        # and the loop reads it only to add to it
    s = s2 + b[k]

The adjoint of such a sum is the same all through the loop: what is added takes from it what it needs, in its own
shape, and what the sum was before is not asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tangent.analysis.operation import Operation, Operations
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import header_reads, writes

Body = list[ast.stmt]
Step = tuple[str, str]


def accumulations(body: Body, operations: Operations) -> dict[ast.stmt, str]:
    """The statements `s = s + v` of such loops, and the sum that they add to."""
    return dict(_in_block(body, body, operations))


def _in_block(body: Body, whole: Body, operations: Operations) -> Iterator[tuple[ast.stmt, str]]:
    for position, s in enumerate(body):
        if isinstance(s, (ast.For, ast.While)):
            yield from _in_loop(s, body[:position], whole, operations)
            yield from _in_block(s.body, whole, operations)
        elif isinstance(s, ast.If):
            yield from _in_block(s.body, whole, operations)
            yield from _in_block(s.orelse, whole, operations)


def _in_loop(s: ast.stmt, before: Body, whole: Body, operations: Operations) -> Iterator[tuple[ast.stmt, str]]:
    inside = list(statements([s]))
    steps = {x: step for x in inside if (step := _step(operations.get(x))) is not None}
    for sum_ in _joined(steps.values()):
        mine = {x: step for x, step in steps.items() if step[0] in sum_}
        others = [x for x in inside if x not in mine]
        if any(sum_ & _touched(x, operations) for x in others):
            continue
        if any(sum_ & (header_reads(x) - {source}) for x, (_, source) in mine.items()):
            continue
        outside = {v for x in statements(whole) if x not in inside for v in header_reads(x)}
        carried = {v for v in sum_ if not _is_inner(v, inside, outside)}
        if len(carried) == 1 and all(_starts_constant(v, before, operations) for v in carried):
            yield from ((x, source) for x, (_, source) in mine.items())


def _step(op: Operation | None) -> Step | None:
    """The target of `t = s + v`, `t = v + s` or `t = s - v`, and what it adds to: the earlier name of the sum."""
    if op is None or op.kind != "rule" or len(op.targets) != 1:
        return None
    t = op.targets[0]
    match op.value:
        case ast.BinOp(left=ast.Name(id=v), op=ast.Add() | ast.Sub(), right=ast.Name(id=other)) if _same(v, t) and (
            other != v
        ):
            return t, v
        case ast.BinOp(left=ast.Name(id=other), op=ast.Add(), right=ast.Name(id=v)) if _same(v, t) and other != v:
            return t, v
        case _:
            return None


def _same(v: str, t: str) -> bool:
    """Whether two names are versions of one variable."""
    return v.rstrip("0123456789") == t.rstrip("0123456789")


def _joined(steps: Iterable[Step]) -> list[set[str]]:
    """The names that steps connect."""
    found: list[set[str]] = []
    for pair in steps:
        near = [names for names in found if names & set(pair)]
        found = [names for names in found if names not in near] + [set(pair).union(*near)]
    return found


def _touched(s: ast.stmt, operations: Operations) -> frozenset[str]:
    """Names that a statement has to do with; code inserted into the backward pass reads adjoints as they are."""
    inserted = set(operations[s].operands) if s in operations and operations[s].kind == "insert" else set()
    return header_reads(s) | set(writes(s)) | inserted


def _is_inner(v: str, inside: Body, outside: set[str]) -> bool:
    """Whether a name is assigned in the loop before it is read there, and not read elsewhere."""
    first = next(x for x in inside if v in header_reads(x) or v in writes(x))
    return v not in outside and v not in header_reads(first)


def _starts_constant(v: str, before: Body, operations: Operations) -> bool:
    """Whether the last thing that a block assigns to a name has no derivative."""
    for s in reversed(before):
        if any(v in writes(x) for x in statements([s])):
            return s in operations and operations[s].kind in ("constant", "zero")
    return False
