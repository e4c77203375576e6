"""Blocks for the backward pass where there is none: in forward mode, and where the function itself runs."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tangent.syntax.inserted import Insertion
from tangent.syntax.rebuild import replace
from tangent.transform.inserted.changes import may_change
from tangent.transform.unit import Unit


def without_insertions(this: Unit) -> Unit:
    """The function for forward mode, which has no backward pass: blocks that only look at gradients are left out."""
    if not any(op.kind == "insert" for op in this.operations.values()):
        return this
    operations = dict(this.operations)

    def kept(s: ast.stmt) -> ast.stmt | None:
        match s:
            case Insertion(block=block):
                if block.jumps or any(n in block.binds or may_change(block, n, this) for n in block.names if n):
                    raise this.refuse(
                        s, "'with insert_grad_of' in forward mode",
                        "the block changes a gradient, and forward mode has none", "Use reverse mode.",
                    )  # fmt: skip
                del operations[s]
                return None
            case ast.If(body=body, orelse=orelse):
                return replace(s, body=_each(body, kept), orelse=_each(orelse, kept))
            case ast.For(body=body) | ast.While(body=body):
                new = replace(s, body=_each(body, kept))
                if s in operations:
                    operations[new] = operations[s]
                return new
            case _:
                return s

    core = replace(this.core, body=_each(this.core.body, kept))
    return Unit(this.source, core, this.context, operations)


def plain_blocks(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements as the function itself runs them, without those for the backward pass."""

    def kept(s: ast.stmt) -> ast.stmt | None:
        match s:
            case Insertion():
                return None
            case ast.If(body=then, orelse=other):
                return replace(s, body=_each(then, kept), orelse=_each(other, kept))
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=_each(inner, kept))
            case _:
                return s

    return _each(body, kept)


def _each(body: list[ast.stmt], change: Callable[[ast.stmt], ast.stmt | None]) -> list[ast.stmt]:
    return [new for s in body if (new := change(s)) is not None]
