"""What gives the same when it is run again: code under `checkpoint` draws no random numbers, reads no files."""

from __future__ import annotations

import ast
import builtins
import functools
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from tangent import runtime
from tangent.errors import TangentError
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import statements
from tangent.transform.storage.summaries import summaries
from tangent.transform.unit import Unit, unit

MODULES = frozenset("random secrets uuid time datetime os select socket subprocess".split())
BUILTINS = frozenset(getattr(builtins, f) for f in ("next", "input", "open"))
NOT_DRAWING = frozenset("bit_generator spawn seed set_state get_state power bytes".split())

LONGEST = 6  # names of attributes, one behind the other
Read = Callable[[types.FunctionType], Unit]
Written = Callable[[], Collection[tuple[int, str]]]  # what a derivative's function writes outside, by namespace


@functools.cache  # and not at once: NumPy loads its generators when they are asked for
def _drawing() -> frozenset[str]:
    """Methods of generators that draw."""
    found = (*dir(np.random.Generator), *dir(np.random.RandomState))
    return frozenset(m for m in found if not m.startswith("_")) - NOT_DRAWING


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
        header: ast.AST = s.test if isinstance(s, (ast.If, ast.While)) else s.iter if isinstance(s, ast.For) else s
        for n in ast.walk(header):
            if not isinstance(n, ast.Call):
                continue
            n = _looked_through(n, this)
            found = this.context.scope.resolve(n.func)
            if _draws(found, n.func, this):
                yield s, ast.unparse(n.func)
            elif isinstance(found, types.FunctionType) and found not in seen and not is_library(found):
                seen.add(found)
                for _, what in drawn_inside(found, read, seen):
                    yield s, f"{ast.unparse(n.func)}, which calls {what},"


def called_variables(
    this: Unit, body: list[ast.stmt], read: Read, seen: frozenset[types.FunctionType] = frozenset()
) -> set[tuple[str, ...]]:
    """Variables that are called, or passed to a function that calls them; with the names of attributes behind them."""
    found: set[tuple[str, ...]] = set()
    sources = _sources(this, body)
    for s in statements(body):
        for n in ast.walk(s):
            if not isinstance(n, ast.Call):
                continue
            n = _looked_through(n, this)
            callee = this.context.scope.resolve(n.func)
            if callee is MISSING and (path := _path(n.func)):
                found.add(path)
            elif isinstance(callee, types.FunctionType) and callee not in seen and not is_library(callee):
                try:
                    inner = read(callee)
                except TangentError:  # taken as it is
                    continue
                given = dict(zip(inner.parameters, n.args)) | {str(k.arg): k.value for k in n.keywords}
                for root, *rest in called_variables(inner, inner.core.body, read, seen | {callee}):
                    if isinstance(v := given.get(root), ast.Name):
                        found.add((v.id, *rest))
    return {p for path in found for p in (path, *_origins(path, sources))}


def _looked_through(n: ast.Call, this: Unit) -> ast.Call:
    """A call; of one that is looked at when it happens, the call itself."""
    if this.context.scope.resolve(n.func) is runtime.call_effect:
        return ast.copy_location(ast.Call(n.args[0], n.args[1:], n.keywords), n)
    return n


Path = tuple[str, ...]


def _sources(this: Unit, body: list[ast.stmt]) -> dict[str, set[Path]]:
    """Where variables are read from: `t = fs[i]`, `fs = [f, g]`, and what a loop runs over."""
    found: dict[str, set[Path]] = {}
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                if isinstance(value, ast.Call) and this.context.scope.resolve(value.func) is runtime.sequence:
                    value = value.args[0]
                parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
                found.setdefault(v, set()).update(path for e in parts if (path := _path(e)))
    return found


def _origins(path: Path, sources: dict[str, set[Path]]) -> set[Path]:
    """What a variable may be, in terms of the variables that it was read from, and these from others."""
    found: set[Path] = set()
    new = {path}
    while new:
        found |= new
        new = {(*p, *rest) for root, *rest in new for p in sources.get(root, ())} - found
        new = {p for p in new if len(p) <= LONGEST}
    return found


def _path(e: ast.expr) -> tuple[str, ...]:
    """`f.g` as its names, `fs[i]` as the name of the container; nothing where it does not begin with a name."""
    match e:
        case ast.Name(id=v):
            return (v,)
        case ast.Attribute(value=value, attr=attr):
            before = _path(value)
            return (*before, attr) if before else ()
        case ast.Subscript(value=value):
            return _path(value)[:1]
        case _:
            return ()


def _changed_outside(
    this: Unit, body: list[ast.stmt], read: Read, written: set[tuple[int, str]], seen: set[types.FunctionType]
) -> Iterator[tuple[ast.AST, str]]:
    """Variables from outside that are read, though the function that is differentiated changes them somewhere."""
    space = id(this.source.function.__globals__)
    for s in statements(body) if written else ():
        header: ast.AST = s.test if isinstance(s, (ast.If, ast.While)) else s.iter if isinstance(s, ast.For) else s
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


def drawn_inside(
    function: types.FunctionType, read: Read, seen: set[types.FunctionType]
) -> Iterator[tuple[ast.AST, str]]:
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
        known = isinstance(owner, (np.random.Generator, np.random.RandomState))
        return func.attr in _drawing() and (known or owner is MISSING)
    return draws(found)


def draws(found: Any) -> bool:
    """Whether a function gives something else each time."""
    if isinstance(found, type):
        return False
    owner = getattr(found, "__self__", None)
    if isinstance(owner, (np.random.RandomState, np.random.Generator)):
        return True
    module = getattr(found, "__module__", None) or getattr(type(owner), "__module__", "") or ""
    return any(found is f for f in BUILTINS) if module == "builtins" else module.split(".")[0] in MODULES


# Functions that are known only when they are called


def is_repeatable(function: Any, method: bool = False) -> bool:
    """Whether a second run of a function would be like the first."""
    return not unrepeatable(function, method)


def unrepeatable(function: Any, method: bool) -> str:
    """Why a second run of a function would not be like the first; empty where it would."""
    if not isinstance(function, types.FunctionType) or is_library(function):
        return "would give something else" if draws(function) else ""
    try:
        drawn = next(iter(drawn_inside(function, unit, {function})), None)
        effects = summaries(unit)(function)
    except TangentError:  # taken as it is
        return ""
    if drawn is not None:
        return f"calls {drawn[1]}, which would give something else"
    if method and function.__code__.co_varnames[0] in effects.written:
        return "changes the object that it belongs to"
    outside = sorted(v for _, v in effects.outside)
    return f"changes '{outside[0]}', which is outside of it" if outside else ""
