"""Parameters that are bound anew once, before anything else is done with them, by another name.

def df(a, n):                       def df(a, n):
    a = own(a, n)                       a2 = own(a, n)
    for i in range(n):        ->        for i in range(n):
        a[i] = 0.5 * a[i]                   a2[i] = 0.5 * a2[i]

The parameter keeps its shape, and the copy is known to be made here.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

COPIES = (runtime.own, runtime.own_any)


def renamed(g: Generated, resolve: Callable[[ast.expr, Generated], Any]) -> None:
    assert g.tree is not None
    parameters = {a.arg for a in arguments(g.tree.args)}
    times = Counter(v for s in statements(g.tree.body) if not isinstance(s, ast.AugAssign) for v in writes(s))
    names = Names(identifiers(g.tree) | set(g.externals))
    given: dict[str, str] = {}
    done: list[ast.stmt] = []
    for s in g.tree.body:
        s = rename(s, given)
        match s:
            case ast.Assign(
                targets=[ast.Name(id=v) as target], value=ast.Call(func=func, args=[ast.Name(id=x), *_])
            ) if v == x and v in parameters and times[v] == 1 and resolve(func, g) in COPIES:
                given[v] = names.numbered(v)
                s = replace(s, targets=[replace(target, id=given[v])])
        done.append(s)
    g.tree = replace(g.tree, body=done)
    g.shared = {**g.shared, **{new: g.shared[v] for v, new in given.items() if v in g.shared}}
