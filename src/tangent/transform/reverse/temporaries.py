"""Facts of temporaries: whose adjoint may keep another shape for a while, and whose must be summed to its own."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import NO_ATOMS, Fact, fits, is_real
from tangent.analysis.shapes.results import TO_REAL, result_of
from tangent.rules.forms import result_dtype
from tangent.syntax.names import identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import writes
from tangent.transform.reverse.frame import Frame

PRODUCTS = frozenset({"matmul", "dot"})
LEAVES_OUT = frozenset({"where", "where_nonzero", "nonzero_part"})
FITTING = frozenset({"broadcast_like", "unbroadcast"})


class Temporaries(Frame):
    def chosen_from(self) -> frozenset[str]:
        """Values that np.where, or an adjoint of it, may leave out: a zero adjoint of theirs stays zero."""
        found: set[str] = set()
        for s in reversed(list(statements(self.prepared.body))):
            op = self.operations.get(s)
            if op is None or op.kind != "rule":
                continue
            passes = op.rule.kind == "elementwise" or op.rule.name in FITTING
            if op.rule.name in LEAVES_OUT or (passes and op.targets[0] in found):
                found.update(op.operands)
        return frozenset(found)

    def passing_temporaries(self) -> frozenset[str]:
        """Temporaries that one elementwise operation (or a product) makes and the next one uses up.

        Their adjoints need not be summed to their shape: the sum can wait for the operands they were made from.
        """
        made: dict[str, int] = {}
        used: dict[str, int] = {}
        user = identifiers(self.unit.source.tree)
        for block in blocks(self.prepared.body):
            for s in block:
                op = self.operations.get(s)
                if op is None:
                    continue
                elementwise = op.kind == "rule" and op.rule.kind == "elementwise"
                for v in op.operands:
                    local = elementwise and made.get(v) == id(block)
                    used[v] = used.get(v, 0) + (1 if local else 2)
                passes = elementwise and not self.may_cut(op)
                if (passes or is_plain_product(op)) and op.targets[0] not in user:
                    made[op.targets[0]] = id(block)
        return frozenset(v for v in made if used.get(v) == 1)

    def may_cut(self, op: Operation) -> bool:
        """Whether the result may be real where an operand is complex: its adjoint is real before it goes on."""
        of_math = op.library == "math" and not all(is_real(self.shapes.operand(name(v), op)) for v in op.operands)
        return of_math or op.rule.name in TO_REAL or result_dtype(op.value, op.rule.kind) is not None

    def summed_temporaries(self) -> dict[str, str]:
        """Temporaries that are made only to be summed up, and something of the same shape.

        Their adjoint is one number, which need not be spread where what it is multiplied with has the shape.
        """
        user = identifiers(self.unit.source.tree)
        used: dict[str, int] = {}
        for made_by in self.operations.values():
            for v in made_by.operands:
                used[v] = used.get(v, 0) + 1
        found: dict[str, str] = {}
        for block in blocks(self.prepared.body):
            made: dict[str, Operation] = {}
            readers: dict[str, set[str]] = {}
            for s in block:
                op = self.operations.get(s)
                if op is not None and op.kind == "rule" and op.rule.name in ("sum", "mean"):
                    v = op.operands[0] if op.operands else ""
                    witness = self.witness(made[v]) if v in made and used[v] == 1 else ""
                    if witness and result_of(op, self.shapes).shape == NO_ATOMS:
                        found[v] = witness
                for v in (
                    writes(s) if isinstance(s, ast.Assign) else [v for x in (s, *statements([s])) for v in writes(x)]
                ):
                    for t in readers.pop(v, ()):
                        made.pop(t, None)
                    made.pop(v, None)
                if op is not None and op.kind == "rule" and op.rule.kind == "elementwise" and op.targets[0] not in user:
                    made[op.targets[0]] = op
                    for v in op.operands:
                        readers.setdefault(v, set()).add(op.targets[0])
        return found

    def witness(self, op: Operation) -> str:
        """An operand of the shape of the result, if every adjoint line brings that shape along."""
        whole = result_of(op, self.shapes)
        if whole.shape is None or not whole.number:
            return ""
        for k in self.wanted(op):
            reads = op.rule.reads([k])
            shapes = [self.shapes.of(op.values[r]).shape for r in reads if r in op.values]
            covered = op.rule.result in reads or any(s == whole.shape for s in shapes)
            if not covered:
                return ""
        same = [v for v in op.operands if self.shapes.of(name(v)).shape == whole.shape]
        return same[0] if same else ""

    def fitted(self, value: ast.expr, operand: ast.Name, op: Operation, side: str) -> ast.expr:
        """The contribution in the shape and dtype of the operand."""
        result = self.wide.get(op.targets[0]) or result_of(op, self.shapes)
        fact = self.shapes.operand(operand, op)
        if self.shapes.joins(op):
            assert isinstance(op.value, ast.BinOp)
            return self.scribe.call(f"{side}_part", value, op.value.left, op.value.right)
        if op.rule.name == "abs":  # the sign or phase of the operand brings its dtype along
            result = Fact(result.shape, fact.dtype, result.number, result.array)
        if fits(fact, result) or self.sums.get(id(op)) == operand.id:
            return value
        if operand.id in self.passing and result.number:
            self.wide[operand.id] = result
            return value
        return self.scribe.call("unbroadcast", value, operand)

    def is_summed_up(self, v: str) -> bool:
        """Whether contributions to an adjoint are added to zeros made before the loop, in place."""
        number = self.shapes.of(name(v)).number
        if number and v not in self.lists:
            self.scribe.accumulators.add(self.adjoint(v))
        return number or v in self.items


def is_plain_product(op: Operation) -> bool:
    """A product without options."""
    if op.kind != "rule" or op.rule.name not in PRODUCTS:
        return False
    options = [v for k, v in op.values.items() if k not in op.rule.operands]
    return all(isinstance(v, ast.Constant) and v.value is None for v in options)


def is_mask(op: Operation) -> bool:
    """Whether an operation gives booleans, or arrays of them: as an index they name nothing twice."""
    match op.value:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr.startswith(("logical_", "isnan", "isfinite", "isinf"))
        case _:
            return False
