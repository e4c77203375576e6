"""Lists that grow: which are complete before they are read, which may be left half full."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tangent.analysis.operation import Operation
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import header_reads


def half_emptied(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists of generated code from which a loop that was cut short may not have taken everything."""
    found: set[str] = set()
    for s in statements(body):
        match s:
            case ast.For(body=[*_, ast.If(body=[ast.Break()])]) | ast.While(body=[*_, ast.If(body=[ast.Break()])]):
                inside = [operations[x] for x in statements(s.body) if x in operations]
                found |= {op.operands[0] for op in inside if op.kind == "pop"}
    return found


def taken_from_twice(operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists that more than one statement takes from, on different ways."""
    count = Counter(op.operands[0] for op in operations.values() if op.kind == "pop")
    return {v for v, n in count.items() if n > 1}


def read_when_complete(body: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> set[str]:
    """Lists that nothing reads before the last item is on them: the backward pass need not take the items off again."""
    made = [op.targets[0] for op in operations.values() if op.kind == "pack" and isinstance(op.value, ast.List)]
    taken = {v for op in operations.values() if op.kind == "pop" for v in op.operands}
    found: set[str] = set()
    for block in blocks(body):
        for start, s in enumerate(block):
            op = operations.get(s)
            if op is None or op.kind != "pack" or made.count(op.targets[0]) != 1 or op.targets[0] in taken:
                continue
            v, rest = op.targets[0], block[start + 1 :]
            pushes = [x for x in operations if operations[x].kind == "push" and operations[x].targets[0] == v]
            last = max((i for i, x in enumerate(rest) if any(y in pushes for y in statements([x]))), default=-1)
            growing = list(statements(rest[: last + 1]))
            alone = not any(v in header_reads(x) for x in growing if x not in pushes)
            if pushes and all(x in growing for x in pushes) and alone:
                found.add(v)
    return found


def blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A block and all blocks inside it."""
    yield body
    for s in body:
        if isinstance(s, ast.If | ast.For | ast.While):
            yield from blocks(s.body)
            yield from blocks(s.orelse)
