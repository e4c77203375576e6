"""The variables of a block that something is written into, their parts among them."""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.optimise.purity import calls_in, changed_by, root_of
from tangent.syntax.rebuild import NESTED, statements
from tangent.syntax.walk import children, fact, walk

FORMS = frozenset("reshape ravel transpose swapaxes squeeze expand_dims diagonal moveaxis asarray".split())


def stored(body: Body) -> set[str]:
    """Variables that a statement writes into."""
    found: set[str] = set().union(*map(_stored_by, body))
    return found and found | _shown(body, found)


@fact
def _stored_by(s: ast.AST) -> frozenset[str]:
    """Variables that a statement, or what is in it, writes into."""
    if isinstance(s, NESTED):
        return frozenset().union(*map(_stored_by, children(s)))
    found = {v for n in calls_in(s) if (v := changed_by(n))}
    if isinstance(s, ast.Assign):
        found |= {root_of(t) for t in s.targets if not isinstance(t, ast.Name)}
    elif isinstance(s, ast.AugAssign):
        found.add(root_of(s.target))
    return frozenset(found - {""})


def _shown(body: Body, found: set[str]) -> set[str]:
    """Variables that are surely parts of others, such as come from functions that were written out here."""
    parts: set[str] = set()
    size = -1
    while size != (size := len(parts)):
        for s in statements(body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value) if _root_of_part(value) in found | parts:
                    parts.add(v)
    return parts


def _root_of_part(e: ast.expr) -> str:
    """The variable that an expression shows a part of, or all in another form."""
    match e:
        case ast.Subscript(value=ast.Name(id=a), slice=index) if any(isinstance(n, ast.Slice) for n in walk(index)):
            return a
        case ast.Attribute(value=ast.Name(id=a), attr="T"):
            return a
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=a), *_]) if attr in FORMS:
            return a
        case ast.Call(func=ast.Attribute(value=ast.Name(id=a), attr=attr)) if attr in FORMS:
            return a
        case _:
            return ""
