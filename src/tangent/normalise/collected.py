"""Generators that are defined inside, and of which all items are read at once, are functions that give lists.

def steps(n):                        def steps(n):
    for k in range(n):                   yielded = []
        yield x * k          ->          for k in range(n): yielded.append(x * k)
                                         return yielded
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.normalise.iterators.statements import Statements
from tangent.source.generators import collecting_tree
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import holds


def collected(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write them as such functions, which others that are defined inside may call."""
    if not holds(f, ast.Yield, ast.YieldFrom):
        return f
    generators = Statements(f, context).generators

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body]

    def statement(s: ast.stmt) -> ast.stmt:
        if isinstance(s, ast.FunctionDef) and s.name in generators:
            return collecting_tree(s, context.scope.resolve, turns=True) or s
        return s if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else with_blocks(s, block)

    return replace(f, body=block(f.body))
