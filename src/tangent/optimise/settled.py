"""The run-time functions whose outcome is known where the kinds of their arguments are."""

from __future__ import annotations

from typing import Any

from tangent import runtime

OWN = (runtime.settled, runtime.as_given)
ZERO = (runtime.lazy_zero, runtime.init_grad)
LEFT = (runtime.matmul_adjoint_x, runtime.dot_adjoint_a)
DOTS = (runtime.dot_adjoint_a, runtime.dot_adjoint_b)
PRODUCTS = (*LEFT, runtime.matmul_adjoint_y, runtime.dot_adjoint_b)
FITS = (runtime.fit_matmul, runtime.fit_dot)
OUTER = {runtime.outer_adjoint_a: "np.dot(b, y)", runtime.outer_adjoint_b: "np.dot(x, b)"}
OF_MATRICES = (
    runtime.mT, runtime.as_matrices, runtime.columns, runtime.solve_columns, runtime.matmul_columns,
    runtime.slogdet_weight, runtime.at_rank,
)  # fmt: skip
OF_TERMS = {runtime.left_part: 1, runtime.right_part: 2}  # and which of the arguments is the operand
SETTLED = frozenset((
    *OWN, *ZERO, *PRODUCTS, *FITS, runtime.unbroadcast, runtime.spread, runtime.refit, runtime.copy, runtime.add_grad,
    runtime.check_seed, runtime.add_part, runtime.scatter, runtime.cross_adjoint, runtime.restructure,
    runtime.count, runtime.split_like, runtime.broadcast_like, runtime.appended_row, runtime.replaced_item,
    runtime.sequence, runtime.sequence_tangent, runtime.unsequence, runtime.each, runtime.as_list,
    runtime.repack_from, runtime.add_at, runtime.add_into, runtime.overwritten, runtime.repack,
    *OUTER, *OF_TERMS, *OF_MATRICES,
    runtime.factor_part, runtime.share, runtime.scaled, runtime.put_attribute,
    runtime.attribute_tangent, runtime.turned, runtime.outer_operand, runtime.strong, runtime.past_cut,
    runtime.sum_behind,
    runtime.nodes_tangent, tuple,
))  # fmt: skip


def is_settled(function: Any) -> bool:
    """Whether kinds tell what a function does."""
    try:
        return function in SETTLED
    except TypeError:
        return False
