"""Which contributions to an adjoint are new arrays, so that nobody else holds what is then written into."""

from __future__ import annotations

import ast

NEW = frozenset(
    """
    matmul_adjoint_x matmul_adjoint_y dot_adjoint_a dot_adjoint_b inner_adjoint_a inner_adjoint_b outer_adjoint_a
    outer_adjoint_b tensordot_adjoint_a tensordot_adjoint_b convolve_adjoint kron_adjoint_a kron_adjoint_b cross_adjoint
    scatter init_grad cleared untake untake_along_axis uncompress undelete unpermute on_diagonal along_diagonal
    times ratio share where_finite where_is cumprod_adjoint cumsum_reversed
    running_mean_adjoint sum_along reduceat_adjoint
    cholesky_adjoint qr_adjoint eig_adjoint svd_adjoint svdvals_adjoint pinv_adjoint in_triangle
    eigen_sum singular_sum general_sum
    """.split()
)
FUNCTIONS = frozenset("cross degrees fft ifft ldexp radians tril triu where".split())  # of NumPy and the like

FITTING = ("unbroadcast", "fit")


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
            return kernel in NEW or (kernel in FITTING and is_new(first))
        case ast.Call(func=ast.Attribute(attr=function), keywords=[]):
            return function in FUNCTIONS
        case _:
            return False
