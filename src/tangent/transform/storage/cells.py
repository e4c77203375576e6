"""Items of items that are read at once: `t = x[i]; y = t[j]` is one operation, `y = x[i][j]`.

What they receive goes to their place alone, not to the whole of `x[i]`.
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.operation import Operation
from tangent.syntax.cells import cell, place_in
from tangent.syntax.core import is_range
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.transform.storage.rewriting import replaced
from tangent.transform.unit import Unit

WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)


def read_cells(this: Unit, found: list[Write], aliases: Aliases) -> Unit:
    """Reads of items of items as one operation each, of what nothing writes into."""
    popped = {op.operands[0] for op in this.operations.values() if op.kind == "pop"}
    firsts = [s for s, op in this.operations.items() if is_item(op) and op.operands[0] not in popped]
    if not firsts:
        return this
    reads = Counter(v for s in statements(this.core.body) for v in header_reads(s))
    bound = Counter(v for s in statements(this.core.body) for v in writes(s))
    whole = whole_numbers(this)
    written = set().union(*(aliases.reach(w.root) if w.deep else aliases.of(w.root) for w in found))
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for block in blocks(this.core.body):
        for position, s in enumerate(block):
            op = operations.get(s) if s not in changed else None
            if op is None or not is_item(op) or reads[op.targets[0]] != 1 or bound[op.targets[0]] != 1:
                continue
            if op.operands[0] in popped or not is_whole(op.values["index"], whole):
                continue
            if aliases.reach(op.operands[0]) & written:
                continue
            second = _reader(op, block[position + 1 :], operations)
            if second is not None:
                new = _joined(op, operations[second], second)
                changed[s], changed[second] = [], [new[0]]
                operations[new[0]] = new[1]
    return replaced(this, changed, operations) if changed else this


def is_item(op: Operation) -> bool:
    """Whether an operation reads one item by an index that is no key."""
    if op.kind != "rule" or op.rule.name != "getitem" or not isinstance(op.value, ast.Subscript):
        return False
    index = op.values["index"]
    return isinstance(op.value.value, ast.Name) and not isinstance(index, (ast.Slice, ast.Tuple))


def _reader(first: Operation, rest: list[ast.stmt], operations: dict[ast.stmt, Operation]) -> ast.stmt | None:
    """The statement of a block that reads an item of what was read; nothing in between changes what that was."""
    row = first.targets[0]
    needed = {first.operands[0], *expression_reads(first.values["index"])}
    for s in rest:
        op = operations.get(s)
        if op is None or op.kind not in ("rule", "zero", "constant", "copy") or not isinstance(s, ast.Assign):
            return None
        if row in header_reads(s):
            return s if is_item(op) and op.operands[0] == row and row not in op.targets else None
        if needed.intersection(writes(s)):
            return None
    return None


def _joined(first: Operation, second: Operation, s: ast.stmt) -> tuple[ast.stmt, Operation]:
    index = cell(first.values["index"], second.values["index"])
    value = place_in(first.values["x"], index)
    values = {"x": first.values["x"], "index": index}
    op = Operation("rule", second.targets, first.operands, value, first.rule, values)
    return assign(second.targets[0], value, s), op


def whole_numbers(this: Unit) -> frozenset[str]:
    """Variables that are surely integers: counters of loops, lengths, and what is computed of them."""
    bound: dict[str, list[ast.expr | None]] = {}
    for s in statements(this.core.body):
        for v in writes(s):
            counts = isinstance(s, ast.For) and is_range(s.iter)
            value = ast.Constant(0) if counts else s.value if isinstance(s, ast.Assign) else None
            bound.setdefault(v, []).append(value if isinstance(value, ast.expr) else None)
    found = {v for v in bound if v not in this.inputs}
    while True:
        left = {v for v in found if all(e is not None and is_whole(e, frozenset(found)) for e in bound[v])}
        if left == found:
            return frozenset(found)
        found = left


def is_whole(e: ast.expr, whole: frozenset[str]) -> bool:
    match e:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=v):
            return v in whole
        case ast.Call(func=ast.Name(id="len" | "int")):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_whole(operand, whole)
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, WHOLE) and is_whole(left, whole) and is_whole(right, whole)
        case _:
            return False
