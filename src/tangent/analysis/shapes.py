"""What is known of a value's shape, dtype and kind before it exists.

A shape is a set of atoms: the variables whose shapes it is broadcast from. The empty set is a scalar. Elementwise
results have the union of their operands' atoms, so `x * x` has the shape of `x` whatever that is. Dtypes likewise.
An atom is only good while its variable keeps its value: variables with several definitions stand for themselves
within one statement, and for nothing beyond it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from tangent.analysis.liveness import Liveness
from tangent.analysis.operation import Operation, Operations
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, writes

Atoms = frozenset[str]
NO_ATOMS: Atoms = frozenset()
FULL_REDUCTIONS = frozenset(
    "sum mean prod max min var std ptp median nansum nanmean nanmax nanmin nanprod nanvar nanstd linalg_norm "
    "add_reduce multiply_reduce maximum_reduce minimum_reduce".split()
)
TO_REAL = frozenset("real imag abs angle real_if_close".split())
LIKE_OPERAND = frozenset("zeros_like ones_like empty_like full_like copy".split())


@dataclass(frozen=True)
class Fact:
    """A value's shape and dtype atoms (None: unknown), and whether it is surely a number or an array."""

    shape: Atoms | None = None
    dtype: Atoms | None = None
    number: bool = False
    array: bool = False
    sequence: bool = False

    @property
    def scalar(self) -> bool:
        return self.number and self.shape == NO_ATOMS


SCALAR = Fact(NO_ATOMS, NO_ATOMS, True)
UNKNOWN = Fact()


@dataclass
class Shapes:
    facts: dict[str, Fact] = field(default_factory=dict)
    unstable: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    results: Callable[[object], Fact] = lambda _: UNKNOWN

    def of(self, e: ast.expr) -> Fact:
        """What is known of an operand at the statement that reads it."""
        match e:
            case ast.Name(id=v):
                fact = self.facts.get(v, UNKNOWN)
                number = fact.number or v in self.numbers
                array = fact.array
                if fact.sequence:
                    return fact
                if v in self.unstable or fact.shape is None:
                    shape = fact.shape if fact.shape == NO_ATOMS else frozenset([v])
                    dtype = fact.dtype if fact.dtype == NO_ATOMS else frozenset([v])
                    return Fact(shape, dtype, number, array)
                return Fact(fact.shape, fact.dtype, number, array)
            case ast.Constant(value=value):
                return _constant(value)
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case _:
                return UNKNOWN

    def result(self, op: Operation) -> Fact:
        """What is known of the result of an operation, at the statement that makes it."""
        return _result(op, self)

    def operand(self, e: ast.Name, op: Operation) -> Fact:
        """What is known of an operand, given that the operation went through."""
        fact = self.of(e)
        proven = op.value is not None and e.id in numbers_in(op.value)
        return Fact(fact.shape, fact.dtype, True, fact.array) if proven else fact


def _constant(value: object) -> Fact:
    if isinstance(value, complex):
        return Fact(NO_ATOMS, frozenset(["<complex>"]), True)
    return SCALAR if isinstance(value, float | int) else UNKNOWN


def shapes(
    f: ast.FunctionDef, operations: Operations, live: Liveness, results: Callable[[object], Fact] = lambda _: UNKNOWN,
    numbers: frozenset[str] = frozenset(),
) -> Shapes:  # fmt: skip
    """The facts of all variables of a Core function.

    `results` tells what a callee returns, `numbers` which parameters are known to be numbers or arrays.
    """
    table = Shapes(unstable=_unstable(f, live), numbers=_used_as_numbers(f, operations) | numbers, results=results)
    for a in arguments(f.args):
        table.facts[a.arg] = _annotated(a)
    for _ in range(2):
        _pass(f, operations, table)
    return table


def _annotated(a: ast.arg) -> Fact:
    own = frozenset([a.arg])
    match a.annotation:
        case ast.Name(id="float" | "int") | ast.Constant(value="float" | "int"):
            return SCALAR
        case ast.Attribute(attr="ndarray") | ast.Constant(value="np.ndarray"):
            return Fact(own, own, True, True)
        case _:
            return Fact(own, own)


def _unstable(f: ast.FunctionDef, live: Liveness) -> frozenset[str]:
    """Variables with several definitions, or carried around a loop."""
    seen: set[str] = {a.arg for a in arguments(f.args)}
    found: set[str] = set()
    for s in statements(f.body):
        for v in writes(s):
            (found if v in seen else seen).add(v)
        if s in live.entry and isinstance(s, ast.For | ast.While):
            inner = {v for x in statements(s.body) for v in writes(x)}
            found |= inner & live.entry[s]
    return frozenset(found)


def _used_as_numbers(f: ast.FunctionDef, operations: Operations) -> frozenset[str]:
    """Variables in operations that only numbers and arrays have, on the way that is always taken."""
    found: set[str] = set()
    for s in f.body:
        op = operations.get(s)
        if op is not None and op.value is not None:
            found |= numbers_in(op.value)
    return frozenset(found)


def numbers_in(e: ast.expr) -> set[str]:
    """Operands that an operation proves to be numbers or arrays: lists have no `x - 1`, `x * 2.0`, `x * x`, `-x`."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=a)):
            return {a}
        case ast.BinOp(left=ast.Name(id=a), right=ast.Name(id=b)) if a == b and not isinstance(e.op, ast.Add):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Name(id=a), right=ast.Constant(value=float())):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=float()), right=ast.Name(id=a)):
            return {a}
        case ast.BinOp(op=op, left=ast.Name(id=a), right=ast.Constant(value=float() | int())):
            return {a} if not isinstance(op, ast.Mult | ast.Mod) else set()
        case ast.BinOp(op=op, left=ast.Constant(value=float() | int()), right=ast.Name(id=a)):
            return {a} if not isinstance(op, ast.Mult) else set()
        case _:
            return set()


def _pass(f: ast.FunctionDef, operations: Operations, table: Shapes) -> None:
    for s in statements(f.body):
        if isinstance(s, ast.For):
            for v in writes(s):
                table.facts[v] = SCALAR if is_range(s.iter) else Fact(frozenset([v]), frozenset([v]))
        op = operations.get(s)
        if op is None:
            continue
        fact = _result(op, table) if len(op.targets) == 1 or op.kind == "call" else UNKNOWN
        for v in op.targets:
            own = frozenset([v])
            new = _stable(fact, own, table)
            old = table.facts.get(v)
            table.facts[v] = new if old is None or old == new else _join(old, new, own)


def _stable(fact: Fact, own: Atoms, table: Shapes) -> Fact:
    """Atoms of variables that may change are replaced by the variable itself."""
    if fact.sequence:
        return fact
    shape = own if fact.shape is None or fact.shape & table.unstable else fact.shape
    dtype = own if fact.dtype is None or fact.dtype & table.unstable else fact.dtype
    return Fact(shape, dtype, fact.number, fact.array)


def _join(a: Fact, b: Fact, own: Atoms) -> Fact:
    if a.sequence and b.sequence:
        return a
    shape, dtype = a.shape if a.shape == b.shape else own, a.dtype if a.dtype == b.dtype else own
    return Fact(shape, dtype, a.number and b.number, a.array and b.array)


def _result(op: Operation, table: Shapes) -> Fact:
    match op.kind:
        case "copy":
            return table.of(op.value) if op.value is not None else UNKNOWN
        case "constant":
            return table.of(op.value) if isinstance(op.value, ast.Constant | ast.UnaryOp) else UNKNOWN
        case "zero":
            return _made(op, table)
        case "rule":
            return _by_rule(op, table)
        case "call":
            return table.results(op.callee)
        case "pack":
            return Fact(sequence=isinstance(op.value, ast.List | ast.Tuple))
        case _:
            return UNKNOWN


def _made(op: Operation, table: Shapes) -> Fact:
    """`np.zeros_like(x)` and its kind."""
    match op.value:
        case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr), args=[first, *_], keywords=[]) if attr in LIKE_OPERAND:
            like = table.of(first)
            return Fact(like.shape, like.dtype, True, True)
        case ast.Call(func=ast.Attribute(attr="zeros" | "ones" | "empty"), keywords=[]):
            return Fact(None, frozenset(["<float64>"]), True, True)
        case ast.Call(func=ast.Name(id="len" | "int")):
            return SCALAR
        case ast.Compare():
            return Fact(None, None, False)
        case _:
            return UNKNOWN


def _by_rule(op: Operation, table: Shapes) -> Fact:
    values = [v for v in op.values.values() if isinstance(v, ast.Name | ast.Constant | ast.UnaryOp)]
    facts = [table.of(v) for k, v in op.values.items() if k in op.rule.operands]
    dtype = _union([f.dtype for f in facts])
    if op.library == "math":
        return SCALAR
    if op.rule.name in TO_REAL:
        dtype = None
    if isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Add) and any(f.sequence for f in facts):
        return Fact(sequence=True)
    if op.rule.kind == "elementwise":
        array = isinstance(op.value, ast.Call) or any(f.array for f in facts)
        return Fact(_union([f.shape for f in facts]), dtype, array or _is_number(op, facts), array)
    if op.rule.name in FULL_REDUCTIONS and _is_full(op):
        return Fact(NO_ATOMS, dtype, True, True)
    if op.rule.name in ("unbroadcast", "broadcast_like") and len(values) == 2:
        return table.of(values[1])
    numeric = op.rule.name in NUMERIC
    return Fact(None, dtype if op.rule.name not in ("getitem", "sequence") else None, numeric, numeric)


NUMERIC = frozenset("matmul dot inner outer vdot tensordot einsum reshape transpose T concatenate stack cumsum".split())


def _union(parts: list[Atoms | None]) -> Atoms | None:
    return None if any(p is None for p in parts) else frozenset().union(*(p for p in parts if p is not None))


def _is_full(op: Operation) -> bool:
    """A reduction over everything, without kept dimensions."""
    options = {k: v for k, v in op.values.items() if k in ("axis", "keepdims")}
    return all(isinstance(v, ast.Constant) and (v.value is None or v.value is False) for v in options.values())


def _is_number(op: Operation, facts: list[Fact]) -> bool:
    match op.value:
        case ast.BinOp(op=ast.Add()):
            return any(f.number for f in facts) or bool(op.value is not None and numbers_in(op.value))
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            literal = any(isinstance(e, ast.Constant) and isinstance(e.value, float) for e in (left, right))
            same = isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id == right.id
            return literal or same or all(f.number for f in facts)
        case _:
            return True
