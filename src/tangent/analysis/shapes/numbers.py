"""What operations prove of their operands."""

from __future__ import annotations

import ast


def numbers_in(e: ast.expr) -> set[str]:
    """Operands that an operation proves to be numbers or arrays: lists have no `x - 1`, `x * 2.0`, `x * x`, `-x`."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=a)):
            return {a}
        case ast.BinOp(left=ast.Name(id=a), right=ast.Name(id=b)) if a == b and not isinstance(e.op, ast.Add):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Name(id=a), right=ast.Constant(value=float())):
            return {a}
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=float()), right=ast.Name(id=a)):
            return {a}
        case ast.BinOp(op=op, left=ast.Name(id=a), right=ast.Constant(value=float() | int())):
            return {a} if not isinstance(op, (ast.Mult, ast.Mod)) else set()
        case ast.BinOp(op=op, left=ast.Constant(value=float() | int()), right=ast.Name(id=a)):
            return {a} if not isinstance(op, ast.Mult) else set()
        case _:
            return set()
