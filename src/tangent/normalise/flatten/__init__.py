"""One operation a statement: nested expressions get names, from left to right, as Python evaluates them.

    y = np.sin(a * b) + f(c)   ->   t = a * b; t2 = np.sin(t); t3 = f(c); y = t2 + t3
    y = a if c else b          ->   if c: y = a
                                    else: y = b
    y = a or b                 ->   y = a; branch = not y; if branch: y = b

Conditions, f-strings, lambdas, comprehensions and indices stay whole: no derivative flows through them.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.flatten.expressions import is_condition
from tangent.normalise.flatten.statements import Statements
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import arguments, writes


def flatten(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=Statements(context, _flags(f)).block(f.body))


def _flags(f: ast.FunctionDef) -> frozenset[str]:
    """Variables that only ever are true or false."""
    every = statements(f.body)
    other = {v for s in every for v in writes(s) if not (isinstance(s, ast.Assign) and is_condition(s.value))}
    return frozenset(v for s in every for v in writes(s)) - other - {a.arg for a in arguments(f.args)}
