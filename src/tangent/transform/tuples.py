"""Variables that surely are plain tuples: displays, results of functions that give one, what a backward pass is given.

t = (u, v)                      t = (u, v)
a, b = t                        a, b = t
bt = repack(t, ba, bb)     ->   bt = (ba, bb)

What is kept for a backward pass holds lists, which get shorter there: later it is no model of its adjoint.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Mapping

from tangent.analysis.operation import Operation
from tangent.source.naming import home_of
from tangent.syntax.uses import arguments
from tangent.transform.unit import Unit

Gives = Callable[[types.FunctionType], bool]
Made = dict[str, list[Operation]]


def plain_tuples(unit: Unit, operations: Mapping[ast.stmt, Operation], gives: Gives) -> frozenset[str]:
    """The variables that are tuples wherever they are bound, but for None, which has no items."""
    made: Made = {}
    for op in operations.values():
        for v in op.targets:
            made.setdefault(v, []).append(op)
    found = (set(made) - unit.inputs) | set(_given(unit))
    while lost := {v for v in found if not all(_makes_one(op, v, found, made, gives) for op in made.get(v, ()))}:
        found -= lost
    return frozenset(found)


def _makes_one(op: Operation, v: str, found: set[str], made: Made, gives: Gives) -> bool:
    match op.kind:
        case "pack":
            return isinstance(op.value, ast.Tuple)
        case "constant":
            return isinstance(op.value, ast.Constant) and op.value.value is None
        case "copy":
            return op.operands[0] in found
        case "pop":
            return all(_pushes_one(other, found) for other in made.get(op.operands[0], ()))
        case "call":
            return v == op.targets[0] and isinstance(op.callee, types.FunctionType) and gives(op.callee)
        case _:
            return False


def _pushes_one(op: Operation, found: set[str]) -> bool:
    """Whether a list gets a tuple, or begins as one of nothing."""
    if op.kind == "push":
        return bool(op.operands) and op.operands[0] in found
    return op.kind == "pack" and isinstance(op.value, ast.List) and not op.value.elts


def _given(unit: Unit) -> Iterator[str]:
    """Parameters of generated code, and of Tangent's own, that get a tuple; that behind a star."""
    function = unit.source.function
    if unit.core.args.vararg is not None:
        yield unit.core.args.vararg.arg
    own = home_of(function).split(".")[0] == "tangent"
    for a in arguments(unit.core.args):
        said = own and a.annotation is not None and ast.unparse(a.annotation).startswith("tuple")
        if said or a.arg == getattr(function, "kept", ""):
            yield a.arg
