"""Which variables are surely no lazy zeros: the sum of a lazy zero and an array is the array itself, not a new one."""

from __future__ import annotations

import ast
from collections.abc import Collection

from tangent.syntax.rebuild import statements

NEW = frozenset(("zeros", "zeros_like", "copy"))


def computed(body: list[ast.stmt]) -> frozenset[str]:
    """Variables that are bound to what operators give, and nothing else."""
    bound: dict[str, list[ast.expr]] = {}
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                bound.setdefault(v, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value):
                for e in elts:
                    if isinstance(e, ast.Name):
                        bound.setdefault(e.id, []).append(ast.Subscript(value, ast.Constant(0), ast.Load()))
    found = dict.fromkeys(bound)  # in order of the program, so that few rounds are enough
    while True:
        size = len(found)
        for v in [*found]:
            if not all(is_new(e, found) for e in bound[v]):
                del found[v]
        if len(found) == size:
            return frozenset(found)


def is_new(e: ast.expr, known: Collection[str]) -> bool:
    """Whether an expression is surely no lazy zero, given the variables that are none."""
    match e:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return is_new(left, known) and is_new(right, known)
        case ast.Name(id=v):
            return v in known
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in NEW
        case _:
            return isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Constant))


def makes_new(e: ast.expr, v: ast.expr, known: frozenset[str]) -> bool:
    """Whether an operator with v as an operand gives something new."""
    match e:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return is_new(right if left is v else left, known)
        case _:
            return isinstance(e, (ast.BinOp, ast.UnaryOp))
