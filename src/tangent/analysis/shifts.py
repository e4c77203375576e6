"""Maxima that are subtracted for the sake of range, and cancel: no derivative has to flow through them.

top = np.max(x, axis=1, keepdims=True)
e = np.exp(x - top)                             whatever `top` is, y and p are the same
s = np.sum(e, axis=1, keepdims=True)
y = top + np.log(s)
p = e / s

Where `top` grows by c, each value made from it grows by a multiple of c, or by a factor that is a power of exp(c).
The multiple, or the power, is its degree; those of degree 0 do not depend on `top`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

from tangent.analysis.operation import Operation, Operations
from tangent.syntax.blocks import MARKS
from tangent.syntax.inserted import InsertedCode, Insertion
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

SIGNS = {"add": 1, "multiply": 1, "subtract": -1, "divide": -1}


@dataclass(frozen=True)
class Degree:
    """How a value depends on the shift, and where the axis is that the shift does not depend on: kept, gone, or all."""

    n: float
    power: bool = False
    axis: str = "all"


def without_shifts(f: ast.FunctionDef, operations: Operations) -> Operations:
    """The operations, in which nothing flows through maxima that cancel."""
    starts = [s for s in operations if _is_maximum(operations[s])]
    every = list(statements(f.body)) if starts else []
    if any(isinstance(s, (*MARKS, Insertion, InsertedCode)) for s in every):
        return operations
    count = Counter(v for s in every for v in writes(s))
    found = dict(operations)
    for block in blocks(f.body) if starts else ():
        for s in block:
            if s in starts and _Shift(s, block, operations, count).cancels(every):
                found[s] = changed(operations[s], operands=())
    return found


def _is_maximum(op: Operation) -> bool:
    if op.kind != "rule" or op.rule.name not in ("max", "min") or op.why:
        return False
    given = {k: _literal(v) for k, v in op.values.items()}
    plain = [given.get(k, 0) for k in ("out", "initial", "where", "dtype")] == [None, None, True, None]
    axis = given.get("axis", "") is None or type(given.get("axis")) is int
    return plain and isinstance(op.values["a"], ast.Name) and axis and type(given.get("keepdims")) is bool


def _literal(e: ast.expr) -> Any:
    """The value of a literal; anything else is itself."""
    match e:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case _:
            return e


class _Shift:
    """What becomes of a maximum in the block that it stands in."""

    def __init__(self, start: ast.stmt, block: list[ast.stmt], operations: Operations, count: Counter[str]) -> None:
        op = operations[start]
        whole = op.values["a"]
        assert isinstance(whole, ast.Name)
        self.axis, kept = _literal(op.values["axis"]), _literal(op.values["keepdims"])
        self.whole, self.start = whole.id, start
        self.rest = block[block.index(start) + 1 :]
        self.operations, self.count = operations, count
        place = "all" if self.axis is None else "kept" if kept else "gone"
        self.degrees = {op.targets[0]: Degree(1, False, place)}

    def cancels(self, every: list[ast.stmt]) -> bool:
        followed = {self.start}
        for s in self.rest:
            if not header_reads(s) & self.degrees.keys():
                if s not in self.operations or self.operations[s].kind not in ("rule", "copy", "constant", "zero"):
                    break  # may change what was read, or leave
                if self.whole in writes(s):
                    break
                continue
            op = self.operations.get(s)
            degree = self.degree(op) if op is not None and op.kind == "rule" and not op.why else None
            if op is None or degree is None:
                return False
            followed.add(s)
            if degree.n:
                self.degrees[op.targets[0]] = degree
        left = self.degrees.keys()
        if any(self.count[v] != 1 for v in left) or len(left) == 1:
            return False
        return not any(header_reads(s) & left for s in every if s not in followed)

    def degree(self, op: Operation) -> Degree | None:
        """The degree of a result; None where it is not known."""
        rule, given = op.rule.name, op.values
        match rule:
            case "add" | "subtract" | "multiply" | "divide":
                return self.combined(given["x"], given["y"], SIGNS[rule], rule in ("multiply", "divide"))
            case "negative":
                d = self.of(given["x"])
                return Degree(-d.n, False, d.axis) if d and not d.power else None
            case "exp" | "log":
                d = self.of(given["x"])
                return Degree(d.n, not d.power, d.axis) if d and d.power == (rule == "log") else None
            case "sum" | "mean":
                return self.summed(given)
            case "getitem":
                return self.part(self.of(given["x"]), given["index"])
            case _:
                return None

    def of(self, e: ast.expr) -> Degree | None:
        return self.degrees.get(e.id) if isinstance(e, ast.Name) else None

    def combined(self, x: ast.expr, y: ast.expr, sign: int, power: bool) -> Degree | None:
        a, b = self.of(x), self.of(y)
        if any(d is None and expression_reads(e) & self.degrees.keys() for d, e in ((a, x), (b, y))):
            return None
        if power and sign == 1 and (d := self.scaled(a, y) or self.scaled(b, x)) is not None:
            return d
        if any(d is not None and d.power != power for d in (a, b)):
            return None
        if a is not None and b is not None:
            axis = a.axis if a.axis == b.axis else "kept" if self.axis == 0 else ""  # the first axis comes by itself
            return Degree(a.n + sign * b.n, power, axis) if axis else None
        known, other = (a, y) if a is not None else (b, x)
        axis = self.beside(other, known) if known is not None else ""
        return Degree(known.n if a is not None else sign * known.n, power, axis) if known is not None and axis else None

    def scaled(self, d: Degree | None, e: ast.expr) -> Degree | None:
        """A multiple, where the number is a literal."""
        by = _literal(e)
        return changed(d, n=d.n * by) if d is not None and not d.power and type(by) in (int, float) else None

    def beside(self, e: ast.expr, d: Degree) -> str:
        """Where the axis is after an operation with something that is no shift: empty where that is not known."""
        if d.axis == "all" or isinstance(_literal(e), (int, float)):
            return d.axis
        whole = isinstance(e, ast.Name) and e.id == self.whole
        return "kept" if whole and (d.axis == "kept" or self.axis == 0) else ""

    def summed(self, given: Mapping[str, ast.expr]) -> Degree | None:
        d, fixed = self.of(given["a"]), {k: _literal(v) for k, v in given.items()}
        if d is None or not d.power or type(fixed.get("keepdims")) is not bool:
            return None
        if fixed.get("where", True) is not True or fixed.get("out") is not None or fixed.get("dtype") is not None:
            return None
        if fixed.get("initial", 0) != 0:
            return None
        if d.axis == "all":
            return d
        same = type(fixed["axis"]) is int and fixed["axis"] == self.axis
        return Degree(d.n, True, "kept" if fixed["keepdims"] else "gone") if same and d.axis == "kept" else None

    def part(self, d: Degree | None, index: ast.expr) -> Degree | None:
        """`m[:, None]` puts the axis back, `m[:, 0]` takes it away."""
        if d is None or d.axis == "all":
            return d
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        place = next((i for i, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value is not ...), None)
        if place is None:
            return None
        first, last = parts[:place], parts[place + 1 :]
        dots = (
            [isinstance(p, ast.Constant) and p.value is ... for p in first] == [True] and not last and self.axis == -1
        )
        full = all(isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None for p in (*first, *last))
        if not dots and not (full and place == self.axis):
            return None
        chosen = parts[place]
        assert isinstance(chosen, ast.Constant)
        if d.axis == "gone" and chosen.value is None:
            return changed(d, axis="kept")
        return changed(d, axis="gone") if d.axis == "kept" and chosen.value == 0 and chosen.value is not None else None
