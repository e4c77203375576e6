"""Sums in tangent lines of rules."""

from __future__ import annotations

import ast

from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.walk import walk


def only_active(line: ast.Assign, result: str, wanted: frozenset[str]) -> ast.Assign | None:
    """A tangent line without the terms of inactive operands."""
    match line.targets[0]:
        case ast.Subscript(slice=ast.Name(id=who)) if who == result:
            kept = [t for t in _sum_terms(line.value) if _operands_read(t) & wanted]
            return replace(line, value=rebuild(_sum(kept), lambda e: _without(e, wanted))) if kept else None
        case _:
            return line


def _without(e: ast.expr, wanted: frozenset[str]) -> ast.expr:
    """A sum of tangents inside of a term, as `solve(a, d[b] - d[a] @ x)`, without those of inactive operands."""
    terms = _sum_terms(e)
    kept = [t for t in terms if _operands_read(t) & wanted]
    return _sum(kept) if 0 < len(kept) < len(terms) and all(map(_operands_read, terms)) else e


def _sum(terms: list[ast.expr]) -> ast.expr:
    value = terms[0]
    for t in terms[1:]:
        if isinstance(t, ast.UnaryOp) and isinstance(t.op, ast.USub):
            value = ast.BinOp(value, ast.Sub(), t.operand)
        else:
            value = ast.BinOp(value, ast.Add(), t)
    return value


def _sum_terms(e: ast.expr) -> list[ast.expr]:
    match e:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return [*_sum_terms(left), *_sum_terms(right)]
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return [*_sum_terms(left), *(ast.UnaryOp(ast.USub(), t) for t in _sum_terms(right))]
        case _:
            return [e]


def bare_sum(e: ast.expr) -> list[ast.expr]:
    """The terms of a sum that may be one of containers; an arithmetic expression stays whole."""
    terms = _sum_terms(e)
    return terms if all(isinstance(t, (ast.Name, ast.Call, ast.Subscript)) for t in terms) else [e]


def _operands_read(e: ast.expr) -> frozenset[str]:
    found = set()
    for n in walk(e):
        match n:
            case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who)):
                found.add(who)
    return frozenset(found)
