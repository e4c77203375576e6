"""What gives the same when it is run again: code under `checkpoint` draws no random numbers, reads no files."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Collection, Iterator
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
Written = Callable[[], Collection[tuple[int, str]]]  # what a derivative's function writes outside, by namespace


def nothing() -> Collection[tuple[int, str]]:
    return ()


def refuse_unrepeatable(this: Unit, body: list[ast.stmt], read: Read, written: Written) -> None:
    """Refuse code whose second run would not be like the first, also in the functions that it calls."""
    for node, v in _changed_outside(this, body, read, set(written()), set()):
        raise this.refuse(
            node, f"'{v}' under 'checkpoint'", "it is read again in the backward pass, and is written into meanwhile",
            "Pass it as an argument.",
        )  # fmt: skip
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


def _changed_outside(
    this: Unit, body: list[ast.stmt], read: Read, written: set[tuple[int, str]], seen: set[types.FunctionType]
) -> Iterator[tuple[ast.AST, str]]:
    """Variables from outside that are read, though the function that is differentiated changes them somewhere."""
    space = id(this.source.function.__globals__)
    for s in statements(body) if written else ():
        header: ast.AST = s.test if isinstance(s, ast.If | ast.While) else s.iter if isinstance(s, ast.For) else s
        for n in ast.walk(header):
            if isinstance(n, ast.Name) and (space, n.id) in written and n.id not in this.context.scope.local:
                yield s, n.id
            if isinstance(n, ast.Call):
                found = this.context.scope.resolve(n.func)
                if isinstance(found, types.FunctionType) and found not in seen and not is_library(found):
                    seen.add(found)
                    try:
                        inner = read(found)
                    except TangentError:  # taken as it is
                        continue
                    yield from ((s, v) for _, v in _changed_outside(inner, inner.core.body, read, written, seen))


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
