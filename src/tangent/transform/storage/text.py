"""Numbers that go through text, bytes or the namespace: refused, for they lose their derivative there."""

from __future__ import annotations

import ast

import numpy as np

from tangent.syntax.rebuild import statements
from tangent.syntax.walk import walk
from tangent.transform.unit import Unit

TEXT = frozenset({str, repr, format, ascii, bytes, bytearray})
FROM_TEXT = frozenset({float, int, complex, eval, exec, np.frombuffer, np.fromstring})
HIDDEN = frozenset({eval, exec, locals, vars, globals})


def refuse_text(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    """Numbers that go through text or bytes, or through the namespace, lose their derivative: not silently."""
    if not _mentions_text(this):
        return
    text: set[str] = set()
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is None or op.value is None:
            continue
        reads = {n.id for n in walk(op.value) if isinstance(n, ast.Name)}
        called = {this.context.scope.resolve(n.func) for n in walk(op.value) if isinstance(n, ast.Call) and _plain(n)}
        if any(t in useful for t in op.targets) and (
            (called & HIDDEN and varied)
            or (called & FROM_TEXT and (reads & text or _makes_text(this, op.value, varied)))
        ):
            raise this.refuse(
                s,
                f"'{ast.unparse(op.value)}'",
                "the number comes back from text, bytes or a namespace",
                "Compute with the number itself.",
            )
        if reads & text or _makes_text(this, op.value, varied):
            text.update(op.targets)


WORDS = frozenset("str repr format ascii bytes bytearray eval exec locals vars globals frombuffer fromstring".split())
WORDS |= {"tobytes", "tostring", "join", "dumps"}


def _mentions_text(this: Unit) -> bool:
    """Whether any of it can concern a function at all."""
    for n in walk(this.core):
        match n:
            case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                return True
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in WORDS:
                return True
    return False


def _plain(n: ast.Call) -> bool:
    return isinstance(n.func, (ast.Name, ast.Attribute))


def _makes_text(this: Unit, e: ast.expr, varied: frozenset[str]) -> bool:
    for n in walk(e):
        inside = {m.id for m in walk(n) if isinstance(m, ast.Name)}
        match n:
            case ast.JoinedStr() if inside & varied:
                return True
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()) if inside & varied:
                return True
            case ast.Call(func=ast.Attribute(attr="tobytes" | "format" | "join" | "tostring" | "dumps")) if (
                inside & varied
            ):
                return True
            case ast.Call(func=func) if inside & varied and isinstance(func, ast.Name):
                found = this.context.scope.resolve(func)
                if (isinstance(found, type) and found in TEXT) or found in (repr, format, ascii):
                    return True
    return False
