"""The facts of a function's variables, and what they say of an operand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tangent.analysis.operation import MAY_BE_LISTS, Operation
from tangent.analysis.shapes.facts import ANY, ANYTHING, NO_ATOMS, UNKNOWN, Fact, constant_fact
from tangent.analysis.shapes.lists import Held
from tangent.analysis.shapes.numbers import numbers_in


@dataclass
class Shapes:
    facts: dict[str, Fact] = field(default_factory=dict)
    shifting: frozenset[str] = frozenset()
    lasting: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    results: Callable[[object], Fact] = lambda _: UNKNOWN
    arrays: frozenset[str] = frozenset()
    steady: frozenset[str] = frozenset()
    lists: Mapping[str, Held] = field(default_factory=dict)  # what is put into them
    given: Callable[[object, str], bool] = lambda _, __: False  # whether a callee puts numbers only into a parameter
    made: frozenset[str] = frozenset()  # arrays that are made here, and only ever change in place
    undecided: frozenset[str] = frozenset()  # of which nothing can be said before a result is known

    @cached_property
    def kinds(self) -> tuple[frozenset[str], frozenset[str]]:
        """What shifts and what lasts, for dtypes."""
        return self.shifting - self.steady, self.lasting | self.steady

    def of(self, e: ast.expr) -> Fact:
        """What is known of an operand at the statement that reads it."""
        match e:
            case ast.Name(id=v):
                fact = self.facts.get(v, UNKNOWN)
                if fact.shape is not None and fact.dtype is not None and v not in self.arrays:
                    return fact if fact.number or not (fact.array or v in self.numbers) else fact._replace(number=True)
                own = frozenset([v])
                shape = own if fact.shape is None else fact.shape
                dtype = own if fact.dtype is None else fact.dtype
                array, stored = fact.array or v in self.arrays, fact.stored or v in self.arrays
                number = fact.number or array or v in self.numbers
                return Fact(shape, dtype, number, array, fact.sequence, fact.numbers, stored, fact.listed)
            case ast.Constant(value=value):
                return constant_fact(value)
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case _:
                return UNKNOWN

    def listed(self, v: str) -> Fact:
        """What is known of a list: whether all that is ever put into it is numbers."""
        held = self.lists[v]
        numbers = all((fact := self.of(e)).scalar or fact.shape == ANY for e in held.values)
        numbers = numbers and all((fact := self.of(e)).numbers or fact.shape == ANY for e in held.items)
        numbers = numbers and all((fact := self.results(f)).numbers or fact.shape == ANY for f in held.results)
        numbers = numbers and all(self.given(f, p) for f, p in held.given)
        return Fact(sequence=not held.parameters, numbers=numbers, listed=True)

    def item(self, v: str, index: ast.expr) -> Fact:
        """What is known of `v[index]`: of an array, how many axes are left, and how much shorter they are."""
        whole = self.of(ast.Name(v, ast.Load()))
        array = whole.array or (whole.number and whole.shape != NO_ATOMS)
        parts = axes(index, self) if array else None
        if parts is None or whole.shape is None:
            return Fact(None, whole.dtype if array else None, array)
        while parts and parts[-1] == "-0":
            parts.pop()
        if not parts:
            return whole
        root = next(iter(whole.shape)) if len(whole.shape) == 1 else v
        part = any(p != "i" for p in parts)
        return Fact(frozenset([f"{root}[{','.join(parts)}]"]), whole.dtype, True, part, stored=part)

    def joins(self, op: Operation) -> bool:
        """Whether an operation may join lists: it adds, and one operand surely is a list or tuple."""
        if not (isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Add)):
            return False
        facts = [self.of(op.value.left), self.of(op.value.right)]
        if op.why == MAY_BE_LISTS and not any(f.number for f in facts):
            return True
        return any(f.sequence and f is not ANYTHING and f.shape != ANY for f in facts)

    def repeats(self, op: Operation) -> bool:
        """Whether an operation may repeat a list: it multiplies, and one operand is or may be a list or tuple."""
        if not (isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Mult)):
            return False
        facts = [self.of(op.value.left), self.of(op.value.right)]
        if any(f.array for f in facts) or all(f.number for f in facts):
            return False
        return op.why == MAY_BE_LISTS or any(f.sequence for f in facts)

    def operand(self, e: ast.Name, op: Operation) -> Fact:
        """What is known of an operand, given that the operation went through."""
        fact = self.of(e)
        proven = op.value is not None and e.id in numbers_in(op.value)
        return fact._replace(number=True) if proven else fact


def picks_one(index: ast.expr, table: Shapes) -> bool:
    """Whether an index consists of integers only, so that it names nothing twice."""
    parts = axes(index, table)
    return parts is not None and all(p == "i" for p in parts)


def axes(index: ast.expr, table: Shapes) -> list[str] | None:
    """For each axis that an index names: `i` if a number selects from it, or by how much a slice shortens it."""
    found: list[str] = []
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        match part:
            case ast.Slice(lower=lower, upper=upper, step=None):
                first, last = _offset(lower, 0), _offset(upper, 0)
                if first is None or last is None or first < 0 or last > 0 or (upper is not None and last == 0):
                    return None
                found.append(f"-{first - last}")
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                found.append("i")
            case ast.Name() | ast.BinOp() | ast.UnaryOp() if _is_scalar(part, table):
                found.append("i")
            case _:
                return None
    return found


def _is_scalar(e: ast.expr, table: Shapes) -> bool:
    match e:
        case ast.BinOp(left=left, right=right):
            return _is_scalar(left, table) and _is_scalar(right, table)
        case ast.UnaryOp(operand=operand):
            return _is_scalar(operand, table)
        case _:
            return table.of(e).scalar


def _offset(e: ast.expr | None, default: int) -> int | None:
    match e:
        case None:
            return default
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None
