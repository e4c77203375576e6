"""What a function gives: an argument or a part of it, something new, or something that may hold several things."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any, Literal

from tangent.analysis.operation import MAY_BE_LISTS, Operation
from tangent.errors import TangentError
from tangent.transform.unit import Unit

Origin = Literal["part", "new", "several"]
Read = Callable[[types.FunctionType], Unit]

PARTS = frozenset("getitem reshape ravel transpose".split())  # rules that give a part of their first operand


def origins(function: types.FunctionType, read: Read, asked: frozenset[Any] = frozenset()) -> set[Origin]:
    """Where the results of a function come from, through copies and calls."""
    if function in asked:
        return set()
    try:
        this = read(function)
    except TangentError:  # only an error if it turns out to be active
        return {"part", "new", "several"}
    found: set[Origin] = set()
    for origin in _of_variable(this, this.result, set()):
        match origin:
            case Operation(kind="call", callee=types.FunctionType() as callee):
                found |= origins(callee, read, asked | {function})
            case None:
                found |= {"part"}
            case Operation(kind="constant" | "zero"):
                found |= {"new"}
            case Operation(kind="rule") as op if op.rule.kind == "elementwise" and op.why != MAY_BE_LISTS:
                found |= {"new"}
            case _:
                found |= {"part", "new", "several"}
    return found


def _of_variable(this: Unit, v: str, seen: set[str]) -> Iterator[Operation | None]:
    """The operations that make what a variable holds, or shows a part of; None for what the function is given."""
    if v in seen:
        return
    seen.add(v)
    if v in this.inputs:
        yield None
    for op in this.operations.values():
        if v in op.targets and op.kind not in ("store", "augment", "push"):
            if op.kind == "copy" or (op.kind == "rule" and op.rule.name in PARTS):
                yield from _of_variable(this, op.operands[0], seen)
            else:
                yield op
