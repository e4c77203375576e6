"""A name that is bound twice by one target keeps the last value: the first ones go to names of their own.

_, _, c = t        ->    _2, _, c = t
(n, n), k = shape  ->    (n2, n), k = shape
"""

from __future__ import annotations

import ast
from collections import Counter

from tangent.normalise.context import Context
from tangent.syntax.rebuild import rebuild
from tangent.syntax.walk import walk


def repeated(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Targets bind every name once, unless the target itself reads it on the way: `i, a[i], i = t`."""

    def change(e: ast.expr) -> ast.expr:
        if not (left := _repetitions(e)):
            return e

        def once(part: ast.expr) -> ast.expr:
            if not isinstance(part, ast.Name) or part.id not in left:
                return part
            left[part.id] -= 1
            if not left[part.id]:
                return part
            return ast.copy_location(ast.Name(context.names.numbered(part.id), ast.Store()), part)

        return rebuild(e, once)

    targets = [n for n in walk(f) if isinstance(n, (ast.Tuple, ast.List))]
    return rebuild(f, change) if any(map(_repetitions, targets)) else f


def _repetitions(e: ast.AST) -> Counter[str]:
    """The names that a target binds more than once, and how often."""
    if not isinstance(e, (ast.Tuple, ast.List)) or not isinstance(e.ctx, ast.Store):
        return Counter()
    names = [n for n in walk(e) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    found = Counter(n.id for n in names)
    return Counter({v: count for v, count in found.items() if count > 1 and v not in read})
