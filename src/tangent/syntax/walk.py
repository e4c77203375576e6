"""All nodes of a tree; they are kept with it, since nodes never change."""

from __future__ import annotations

import ast
from collections.abc import Sequence

ENDS = (ast.Name, ast.Constant)
MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def walk(tree: ast.AST) -> Sequence[ast.AST]:
    """The nodes of a tree, from the outside in, without the marks for contexts and operators.

    >>> [type(n).__name__ for n in walk(ast.parse("y = x + 1").body[0])]
    ['Assign', 'Name', 'BinOp', 'Name', 'Constant']
    """
    known: Sequence[ast.AST] | None = tree.__dict__.get("_nodes")
    if known is None:
        known = tree.__dict__["_nodes"] = _nodes(tree)
    return known


def _nodes(tree: ast.AST) -> list[ast.AST]:
    found = [tree]
    for node in found:
        if type(node) not in ENDS:
            found += children(node)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, without marks."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [child for child in value if isinstance(child, ast.AST) and not isinstance(child, MARKS)]
        elif isinstance(value, ast.AST) and not isinstance(value, MARKS):
            found.append(value)
    return found
