"""What the text of functions tells that are called with lists which are made here."""

from __future__ import annotations

import ast
import types
from collections.abc import Collection

from tangent.errors import InPlaceError, TangentError
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.syntax.rebuild import walk_scope
from tangent.transform.unit import Unit


def refuse_copying_callees(this: Unit, containers: Collection[str]) -> None:
    """A function that writes into items of its argument's copy takes it for an array: lists need a memory."""
    for s, op in this.operations.items() if not this.context.memory else ():
        if op.kind != "call" or not isinstance(op.value, ast.Call) or not isinstance(op.callee, types.FunctionType):
            continue
        given = [a.id for a in op.value.args if isinstance(a, ast.Name) and a.id in containers]
        if given and (tree := text_of(op.callee)) is not None and _writes_into_copies(tree):
            error = InPlaceError(
                f"cannot differentiate the call of '{op.callee.__name__}'", this.source.locate(s),
                f"it writes into items of a copy, which '{given[0]}' holds, too", "Copy the items as well.",
            )  # fmt: skip
            error.needs_memory = True
            raise error


def _writes_into_copies(tree: ast.FunctionDef) -> bool:
    """Whether a function writes into items of what it copies by the method of arrays and lists."""
    copies = set()
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(attr="copy"), args=[])):
                copies.add(v)
    places = [n for n in walk_scope(tree) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    items = [n.value.value for n in places if isinstance(n.value, ast.Subscript)]
    return any(isinstance(e, ast.Name) and e.id in copies for e in items)


def text_of(function: types.FunctionType) -> ast.FunctionDef | None:
    """The definition of a function of the user's; of a derivative or of a library, nothing."""
    if is_library(function) or hasattr(function, "origin"):
        return None
    try:
        return read(function).tree
    except TangentError:
        return None
