"""Statements that count by what they may raise, even where nobody reads what they give.

try:
    z = math.sqrt(x)         # seen: an exception leads to the handler
    y = check(x) * 3.0       # so is what is raised in `check`
except ValueError:
    y = x
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.runtime.checks import unbroken
from tangent.syntax.blocks import Attempt, Enter, Leave, Watch

Resolve = Callable[[ast.expr], Any]


def watched(body: list[ast.stmt], resolve: Resolve, seen: bool = False) -> set[ast.stmt]:
    """The assignments that may raise under `try`, under `with` if the manager may end the block, or for a caller."""
    found: set[ast.stmt] = set()
    blocks: list[bool] = []
    for s in body:
        here = seen or (bool(blocks) and any(blocks))
        if type(s) is ast.Assign and not here:  # most are
            continue
        match s:
            case Enter():
                blocks.append(_may_end(s, resolve))
            case Leave():
                blocks.pop()
            case ast.If(body=then, orelse=other):
                inside = here or isinstance(s, Attempt)
                found |= watched(then, resolve, inside) | watched(other, resolve, inside)
            case ast.For(body=inner) | ast.While(body=inner):
                found |= watched(inner, resolve, here)
            case ast.Assign(targets=[ast.Name()], value=ast.Name() | ast.Constant()):
                pass  # unpacking may raise
            case ast.Assign() if here:
                found.add(s)
    return found


def _may_end(s: Enter, resolve: Resolve) -> bool:
    """Whether a block may end with an exception, and something goes on after it."""
    return isinstance(s, Watch) or (isinstance(s.value, ast.Call) and resolve(s.value.func) is unbroken)
