"""What is added twice in a row is doubled, and what is added to zeros takes their place.

bu = shadow(u)
bu += bout * u          ->   bu = 2.0 * bout * u
bu += bout * u
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body
from tangent.syntax.print import Comment
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk


def doubled(done: Body, s: ast.stmt, shared: dict[str, str]) -> bool:
    """Put a sum into the statement before it, where both add the same; whether that was possible."""
    last = next((i for i in reversed(range(len(done))) if not isinstance(done[i], Comment)), None)
    if last is None or not isinstance(s, ast.AugAssign) or not isinstance(s.op, (ast.Add, ast.Sub)):
        return False
    before = done[last]
    match before:
        case ast.Assign(targets=[ast.Name() as target], value=value) if isinstance(s.op, ast.Add):
            pass
        case ast.AugAssign(target=target, op=op, value=value) if type(op) is type(s.op):
            pass
        case _:
            return False
    if ast.unparse(target) != ast.unparse(s.target) or not isinstance(value, (ast.BinOp, ast.UnaryOp)):
        return False
    if _root(target) in _sharing(expression_reads(value), shared) or not _is_arithmetic(value):
        return False
    if ast.dump(value) != ast.dump(_meant(s.value, done[:last], expression_reads(value))):
        return False
    done[last] = replace(before, value=_times_two(value))
    return True


def _meant(e: ast.expr, before: Body, reads: frozenset[str]) -> ast.expr:
    """An expression, or that which a name stands for since a statement shortly before."""
    for s in reversed(before if isinstance(e, ast.Name) else []):
        match s:
            case Comment():
                continue
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if isinstance(e, ast.Name) and v == e.id:
                return value
            case ast.Assign(targets=[ast.Name()]) if not reads & set(writes(s)):
                continue
            case _:
                break
    return e


def _times_two(e: ast.expr) -> ast.expr:
    match e:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            return replace(e, left=_times_two(left) if isinstance(left, ast.BinOp) else _twice(left), right=right)
        case _:
            return _twice(e)


def _twice(e: ast.expr) -> ast.expr:
    return ast.BinOp(constant(2.0), ast.Mult(), e)


def _root(e: ast.expr) -> str:
    while isinstance(e, (ast.Subscript, ast.Attribute)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def _sharing(names: frozenset[str], shared: dict[str, str]) -> frozenset[str]:
    """Names, and those that may look at the same memory."""
    classes = {shared[v] for v in names if v in shared}
    return names | {v for v, c in shared.items() if c in classes}


def _is_arithmetic(e: ast.expr) -> bool:
    allowed = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Subscript, ast.Slice, ast.Tuple)
    inner = (ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(n, allowed + inner) for n in walk(e))
