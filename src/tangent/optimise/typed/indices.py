"""Indices that have names, written where they are used: loops are made of what they say.

t = np.s_[:-1]
by = scatter(v, y, t)          ->     by = scatter(v, y, np.s_[:-1])
w = by[t]                             w = by[:-1]
u = by[np.s_[1:]]                     u = by[1:]

The derivative of a derivative has such names, since its operations are written one by one.
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import writes


def indices(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body with indices of constants in place of their names."""
    times = Counter(v for s in statements(body) for v in writes(s))
    known = {v: e for s in statements(body) for v, e in _index(s).items() if times[v] == 1}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(), slice=ast.Name(id=v)) if v in known:
                return replace(e, slice=known[v].slice)
            case ast.Subscript(slice=ast.Subscript(value=ast.Attribute(attr="s_"), slice=index)):
                return replace(e, slice=index)
            case ast.Call(args=args) if any(isinstance(a, ast.Name) and a.id in known for a in args):
                new: list[ast.expr] = [known.get(a.id, a) if isinstance(a, ast.Name) else a for a in args]
                return replace(e, args=new)
            case _:
                return e

    return [rebuild(s, change) for s in body]


def _index(s: ast.stmt) -> dict[str, ast.Subscript]:
    """`t = np.s_[1:]`: what t stands for, if nothing in it varies."""
    match s:
        case ast.Assign(
            targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Attribute(attr="s_"), slice=index) as e
        ) if not identifiers(index):
            return {v: e}
        case _:
            return {}
