"""Numbers that go through text, bytes, the namespace or objects that are not followed: they lose their derivative, and
are refused."""

from __future__ import annotations

import ast
import functools
import types
from collections import deque
from collections.abc import Hashable
from typing import Any

import numpy as np

from tangent.analysis.operation import Operation
from tangent.runtime import checks
from tangent.runtime.objects import is_object
from tangent.runtime.persistent import PersistentArray
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.source.texts import gives_text, is_reading, makes_text, reads_text
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

SAVING = (np.save, np.savez, np.savez_compressed, np.savetxt)
FOLLOWED = (
    types.ModuleType, type, list, dict, tuple, set, deque, np.ndarray, np.ufunc, PersistentArray, types.NoneType,
)  # fmt: skip
HIDDEN = frozenset({eval, exec, locals, vars, globals})


def refuse_text(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    """Numbers that go through text or bytes, or through the namespace, lose their derivative: not silently."""
    if not _mentions_text(this):
        return
    text: set[str] = set()
    told = varied | _exceptions(this) if varied else varied
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is None or op.value is None:
            continue
        reads = {n.id for n in walk(op.value) if isinstance(n, ast.Name)}
        called = [this.context.scope.resolve(n.func) for n in walk(op.value) if isinstance(n, ast.Call) and _plain(n)]
        made = bool(reads & text) or _makes_text(this, op.value, told)
        if any(t in useful for t in op.targets) and (
            (varied and any(f in HIDDEN for f in called if isinstance(f, Hashable)))
            or (made and (any(map(is_reading, called)) or _hands_on(called) or _converts(op.value)))
        ):
            raise this.refuse(
                s,
                f"'{ast.unparse(op.value)}'",
                "the number comes back from text, bytes or a namespace",
                "Compute with the number itself.",
            )
        if made:
            text.update(op.targets)


def _exceptions(this: Unit) -> frozenset[str]:
    """Variables that hold what was caught: the text of an exception may tell the numbers that it was raised with."""
    found: set[str] = set()
    for s in statements(this.core.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Name() as func)) if (
                this.context.scope.resolve(func) is checks.error_raised
            ):
                found.add(v)
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=w)) if w in found:
                found.add(v)
    return frozenset(found)


def _hands_on(called: list[Any]) -> bool:
    """Whether text goes to a function that makes numbers of it."""
    return any(isinstance(f, types.FunctionType) and not is_library(f) and reads_text(f) for f in called)


def _converts(e: ast.expr) -> bool:
    """`np.array(texts).astype(float)`"""
    methods = [n.func for n in walk(e) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return any(m.attr == "astype" for m in methods)


def refuse_channels(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    """Numbers that are handed to an object that is not Python's own or the user's, and come back from it.

    VAR.set(x * x)
    y = VAR.get()       refused
    """
    told = {
        path for s in statements(this.core.body) if useful.isdisjoint(writes(s)) for path in _told(this, s, varied)
    }
    for s, op in this.operations.items() if told else ():
        if op.value is None or not any(t in useful for t in op.targets):
            continue
        for n in walk(op.value):
            if isinstance(n, (ast.Name, ast.Attribute)) and (path := ast.unparse(n)) in told:
                why = f"numbers that '{path}' was given come back from it, and what it holds is not followed"
                todo = "Keep them in variables, lists, dicts or objects of a class of your own."
                raise this.refuse(s, f"'{ast.unparse(op.value)}'", why, todo)


def _told(this: Unit, s: ast.stmt, varied: frozenset[str]) -> list[str]:
    """The objects that a call, of which only its effect counts, hands numbers to: its owner, a file."""
    match s:
        case ast.Expr(value=ast.Call(func=func, args=args, keywords=keywords)) if s not in this.operations:
            pass
        case ast.Assign(value=ast.Call(func=ast.Attribute() as func, args=args, keywords=keywords)):
            pass
        case _:
            return []
    if varied.isdisjoint(n.id for e in (*args, *keywords) for n in walk(e) if isinstance(n, ast.Name)):
        return []
    called = this.context.scope.resolve(func)
    files = [k.value for k in keywords if k.arg == "file" and called is print]
    files += args[:1] if called in SAVING else []
    owner = [func.value] if isinstance(func, ast.Attribute) else []
    return [ast.unparse(e) for e in (*owner, *files) if _is_foreign(this, e)]


def _is_foreign(this: Unit, e: ast.expr) -> bool:
    """Whether a name, or a path, leads to an object that is not followed: nobody has said what it does."""
    if not isinstance(e, (ast.Name, ast.Attribute)):
        return False
    if isinstance(e, ast.Name) and e.id in this.context.scope.local:
        made = [op for op in this.operations.values() if e.id in op.targets]
        return bool(made) and all(map(_is_unknown, made))
    found = this.context.scope.resolve(e)
    return found is not MISSING and not isinstance(found, FOLLOWED) and not is_object(found)


def _is_unknown(made: Operation) -> bool:
    """Whether an object comes from a library that keeps what it is given, as `functools.singledispatch` does."""
    return made.callee is functools.singledispatch or (made.kind == "opaque" and made.why == "no rule")


WORDS = frozenset("str repr format ascii bytes bytearray eval exec locals vars globals frombuffer fromstring".split())
WORDS |= {"tobytes", "tostring", "join", "dumps"}


def _mentions_text(this: Unit) -> bool:
    """Whether any of it can concern a function at all."""
    for n in walk(this.core):
        match n:
            case ast.Call(func=func) if isinstance(f := this.context.scope.resolve(func), types.FunctionType) and (
                gives_text(f)
            ):
                return True
            case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                return True
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in WORDS:
                return True
    return False


def _plain(n: ast.Call) -> bool:
    return isinstance(n.func, (ast.Name, ast.Attribute))


def _makes_text(this: Unit, e: ast.expr, varied: frozenset[str]) -> bool:
    made = [n for n in walk(e) if isinstance(n, ast.expr) and makes_text(n, this.context.scope.resolve)]
    return any(isinstance(m, ast.Name) and m.id in varied for n in made for m in walk(n))
