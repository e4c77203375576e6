"""Which contributions to an adjoint are new arrays, so that nobody else holds what is then written into."""

from __future__ import annotations

import ast

NEW = frozenset(
    "matmul_adjoint_x matmul_adjoint_y dot_adjoint_a dot_adjoint_b inner_adjoint_a inner_adjoint_b outer_adjoint_a "
    "outer_adjoint_b tensordot_adjoint_a tensordot_adjoint_b scatter init_grad cleared times ratio".split()
)


def is_new(e: ast.expr) -> bool:
    """Whether an expression makes an array of its own: arithmetic, and kernels that compute.

    >>> is_new(ast.parse("unbroadcast(bx * y, w)", mode="eval").body)
    True
    >>> is_new(ast.parse("unbroadcast(bx, w)", mode="eval").body)
    False
    """
    match e:
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Call(func=ast.Name(id=function), args=[first, *_]):
            kernel = function.rstrip("_")
            return kernel in NEW or (kernel == "unbroadcast" and is_new(first))
        case _:
            return False
