"""Functions that are run again print nothing: what they print was printed the first time.

print("step", i)
y = y * x                  ->     y = y * x
"""

from __future__ import annotations

import ast
import logging
import types
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tangent.source.naming import is_library
from tangent.syntax.rebuild import replace as rebuilt
from tangent.syntax.rebuild import with_blocks
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

TELLING = frozenset(
    [print, warnings.warn, *(getattr(logging, level) for level in "debug info warning error critical log".split())]
)


def silenced(this: Unit, writes: Callable[[Any], bool]) -> Unit:
    """The function without the calls that only tell something; `writes` asks whether a function writes anywhere."""
    operations = dict(this.operations)
    read = {n.id for n in walk(this.core) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body if not tells(s)] or [ast.copy_location(ast.Pass(), body[0])]

    def statement(s: ast.stmt) -> ast.stmt:
        new = with_blocks(s, block)
        if new is not s and s in operations:
            operations[new] = operations[s]
        return new

    def tells(s: ast.stmt) -> bool:
        match s:
            case ast.Expr(value=ast.Call(func=func)):
                return _is_telling(this.context.scope.resolve(func))
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if v not in read:
                found = this.context.scope.resolve(func)
                return isinstance(found, types.FunctionType) and not is_library(found) and not writes(found)
            case _:
                return False

    core = rebuilt(this.core, body=block(this.core.body))
    return replace(this, core=core, operations=operations)


def _is_telling(found: object) -> bool:
    try:
        return found in TELLING
    except TypeError:  # what cannot be hashed is no such function
        return False
