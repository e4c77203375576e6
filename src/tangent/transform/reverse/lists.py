"""Lists that grow: which are complete before they are read, which may be left half full."""

from __future__ import annotations

import ast
from collections import Counter

from tangent.analysis.operation import Operation
from tangent.syntax.blocks import Attempt
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import header_reads


def half_emptied(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists of generated code of which something may be left: a loop was cut short, an attempt failed."""
    found: set[str] = set()
    for s in statements(body):
        match s:
            case ast.For(body=[*_, ast.If(body=[ast.Break()])]) | ast.While(body=[*_, ast.If(body=[ast.Break()])]):
                inside = [operations[x] for x in statements(s.body) if x in operations]
                found |= {op.operands[0] for op in inside if op.kind == "pop"}
            case Attempt(body=attempted):
                inside = [operations[x] for x in statements(attempted) if x in operations]
                found |= {op.targets[0] for op in inside if op.kind == "push"}
    return found


def taken_from_twice(operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists that more than one statement takes from, on different ways."""
    count = Counter(op.operands[0] for op in operations.values() if op.kind == "pop")
    return {v for v, n in count.items() if n > 1}


def read_when_complete(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists that nothing reads before the last item is on them: the backward pass need not take the items off again."""
    pushes: dict[str, set[ast.stmt]] = {}
    for s, pushed in operations.items():
        if pushed.kind == "push":
            pushes.setdefault(pushed.targets[0], set()).add(s)
    taken = {v for popped in operations.values() if popped.kind == "pop" for v in popped.operands}
    seen: dict[str, set[ast.stmt]] = {v: set() for v in pushes if v not in taken}
    early: set[str] = set()
    for block in blocks(body):
        for start, s in enumerate(block):
            op = operations.get(s)
            if op is None or op.kind != "pack" or op.targets[0] not in seen:
                continue
            v, rest = op.targets[0], block[start + 1 :]
            last = max((i for i, x in enumerate(rest) if any(y in pushes[v] for y in statements([x]))), default=-1)
            growing = list(statements(rest[: last + 1]))
            seen[v] |= pushes[v].intersection(growing)
            if any(v in header_reads(x) for x in growing if x not in pushes[v]):
                early.add(v)
    return {v for v, found in seen.items() if found == pushes[v]} - early
