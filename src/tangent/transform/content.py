"""Whether adjoints read what is in storage: if none does, nothing that is overwritten has to be kept."""

from __future__ import annotations

import ast
from functools import lru_cache

from tangent.analysis.effects import Summaries
from tangent.analysis.operation import Operation
from tangent.rules.notation import Rule
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import expression_reads
from tangent.transform.calls import argument_values, leaf_names
from tangent.transform.unit import Unit

SHAPE_ONLY = {
    "unbroadcast": 1,
    "spread": 1,
    "scatter": 1,
    "broadcast_like": 1,
    "init_grad": 0,
    "restructure": 1,
    "count": 0,
}

READ_AGAIN = frozenset(
    "getitem T transpose swapaxes moveaxis rollaxis reshape ravel squeeze expand_dims diagonal".split()
)


def content_read(
    this: Unit, active: frozenset[str], names: frozenset[str], summary: Summaries, call: ast.stmt | None = None
) -> bool:
    """Whether the backward pass of a function reads what some variables hold; with a call, after that of the call."""
    before = None if call is None else backward_after(this.core.body, call)
    found = [op for s, op in this.operations.items() if before is None or s in before]
    names |= _read_from(names, found)
    return any(_reads(this, op, active, names, summary) for op in found)


def _read_from(names: frozenset[str], operations: list[Operation]) -> set[str]:
    """Numbers and views that are read from storage: the backward pass may read them from it again."""
    found: set[str] = set()
    for op in operations:
        if op.kind == "rule" and op.rule.name in READ_AGAIN and op.operands and op.operands[0] in {*names, *found}:
            found |= set(op.targets)
    return found


def backward_after(body: list[ast.stmt], call: ast.stmt) -> set[ast.stmt] | None:
    """The statements whose adjoints may come after that of a call: those before it, and all of the loops around it."""
    found: set[ast.stmt] = set()
    for s in body:
        if s is call:
            return found
        if isinstance(s, ast.If):
            inside = [backward_after(block, call) for block in (s.body, s.orelse)]
            if any(part is not None for part in inside):
                return found.union(*(part for part in inside if part is not None))
        if isinstance(s, (ast.For, ast.While)) and call in statements(s.body):
            return found | {s, *statements([s])}
        found |= set(statements([s]))
    return None


def _reads(this: Unit, op: Operation, active: frozenset[str], names: frozenset[str], summary: Summaries) -> bool:
    index = op.values.get("index")
    if index is not None and expression_reads(index) & names:
        return True
    match op.kind:
        case "rule":
            given = {k: v for k, v in op.values.items() if k in op.rule.operands}
            wanted = tuple(k for k, v in given.items() if expression_reads(v) & active)
            if not wanted or not any(t in active for t in op.targets):
                return False
            read = _content(op.rule, wanted)
            inside = {n for k, v in op.values.items() if k in read for n in expression_reads(v)}
            return bool(inside & names) or (op.rule.result in read and any(t in names for t in op.targets))
        case "augment":
            return op.why in ("Mult", "Div") and bool(names & {*op.targets, *op.operands})
        case "call" if isinstance(op.value, ast.Call):
            callee = summary(op.callee)
            if callee.result and names & set(op.targets):
                return True
            if names.isdisjoint((*op.operands, *this.context.scope.cells)):
                return False
            values, content = argument_values(this, op.value, op.callee), callee.content
            if values is None or content is None:
                return bool(names & set(op.operands))
            return any(p in content and names & set(leaf_names(v)) for p, v in values.items())
        case "zero" | "constant" | "copy" | "pack" | "unpack" | "store" | "shadow":
            return False
        case _:
            return bool(names & {*op.targets, *op.operands})


@lru_cache(maxsize=4096)
def _content(rule: Rule, wanted: tuple[str, ...]) -> frozenset[str]:
    """The names of a rule that its adjoint lines read for more than their shape."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        match node:
            case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name()):
                return
            case ast.Name(id=v):
                found.add(v)
            case ast.Attribute(value=ast.Name(), attr="shape" | "ndim" | "dtype" | "size"):
                return
            case ast.Call(func=ast.Name(id=f), args=args) if f in SHAPE_ONLY:
                for i, a in enumerate(args):
                    if i != SHAPE_ONLY[f] or not isinstance(a, ast.Name):
                        visit(a)
            case ast.Call(func=ast.Attribute(attr="shape" | "zeros_like" | "ndim"), args=[ast.Name()]):
                return
            case _:
                for child in ast.iter_child_nodes(node):
                    visit(child)

    for line in rule.adjoint:
        match line.targets[0]:
            case ast.Subscript(slice=ast.Name(id=who)) if who not in wanted:
                continue
        visit(line.value)
    return frozenset(found)
