"""What gives the same when it is run again: code under `checkpoint` draws no random numbers, reads no files."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.errors import TangentError
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.rebuild import statements
from tangent.transform.unit import Unit

MODULES = frozenset("random secrets uuid time datetime os select socket subprocess".split())
BUILTINS = frozenset(getattr(builtins, f) for f in ("next", "input", "open"))
DRAWING = frozenset(m for m in (*dir(np.random.Generator), *dir(np.random.RandomState)) if not m.startswith("_")) - {
    "bit_generator", "spawn", "seed", "set_state", "get_state", "power", "bytes",
}  # fmt: skip

Read = Callable[[types.FunctionType], Unit]


def refuse_unrepeatable(this: Unit, body: list[ast.stmt], read: Read) -> None:
    """Refuse code whose second run would not be like the first, also in the functions that it calls."""
    for node, what in _unrepeatable(this, body, read, set()):
        raise this.refuse(
            node, f"'{what}' under 'checkpoint'", "it is run again in the backward pass, and would give something else",
            "Call it before, and pass on what it gives.",
        )  # fmt: skip


def _unrepeatable(
    this: Unit, body: list[ast.stmt], read: Read, seen: set[types.FunctionType]
) -> Iterator[tuple[ast.AST, str]]:
    for s in statements(body):
        header: ast.AST = s.test if isinstance(s, ast.If | ast.While) else s.iter if isinstance(s, ast.For) else s
        for n in ast.walk(header):
            if not isinstance(n, ast.Call):
                continue
            found = this.context.scope.resolve(n.func)
            if _draws(found, n.func, this):
                yield s, ast.unparse(n.func)
            elif isinstance(found, types.FunctionType) and found not in seen and not is_library(found):
                seen.add(found)
                for _, what in _inside(found, read, seen):
                    yield s, f"{ast.unparse(n.func)}, which calls {what},"


def _inside(function: types.FunctionType, read: Read, seen: set[types.FunctionType]) -> Iterator[tuple[ast.AST, str]]:
    try:
        this = read(function)
    except TangentError:  # taken as it is
        return
    yield from _unrepeatable(this, this.core.body, read, seen)


def _draws(found: Any, func: ast.expr, this: Unit) -> bool:
    if found is MISSING:
        local = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)
        if not local or not isinstance(func, ast.Attribute):
            return False
        owner = this.context.scope.resolve(func.value)
        known = isinstance(owner, np.random.Generator | np.random.RandomState)
        return func.attr in DRAWING and (known or owner is MISSING)
    if isinstance(found, type):
        return False
    owner = getattr(found, "__self__", None)
    if isinstance(owner, np.random.RandomState | np.random.Generator):
        return True
    module = getattr(found, "__module__", None) or getattr(type(owner), "__module__", "") or ""
    return found in BUILTINS if module == "builtins" else module.split(".")[0] in MODULES
