"""Lists that keep records: what is put on them, and what is taken off."""

from __future__ import annotations

import ast

from tangent.syntax.walk import fact


@fact
def pushed(s: ast.stmt) -> str:
    """The list that `list.append(v)` grows."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[_])):
            return v
        case _:
            return ""


@fact
def popped(s: ast.stmt) -> str:
    """The list that `v = list.pop()` shrinks."""
    match s:
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="pop"), args=[], keywords=[])):
            return v
        case _:
            return ""
