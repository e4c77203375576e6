"""Iterators that are read at once become comprehensions and lists; functions of functions become plain Python.

sum(map(f, filter(g, xs)))     ->   sum([f(x) for x in [x for x in xs if g(x)]])
for y in map(f, xs): ...       ->   for x in xs: y = f(x); ...
list(chain(a, b))              ->   list([*a, *b])
reduce(f, xs, 0.0)             ->   reduced(f, xs, 0.0)          (runtime/library.py)
sum(steps(x, 3))               ->   sum(steps_list(x, 3))        (a generator function, source/generators.py)

What is not read at once stays an iterator, which no derivative can flow through.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.iterators.statements import Statements
from tangent.syntax.rebuild import replace


def iterators(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=Statements(f, context).block(f.body))
