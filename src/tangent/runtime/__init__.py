"""What generated code calls: small functions, dispatched on run-time types. Nothing in here knows about syntax."""

from tangent.runtime.kernels import *  # noqa: F403  (the kernels of the rule files, each listed in its module)

# isort: split  (names of kernel modules must not hide the functions below)
from tangent.runtime.calls import backward_of, call_bwd, call_fwd, call_jvp, captured, forward_of, tangent_of
from tangent.runtime.checks import check_seed, check_tangent, require_number
from tangent.runtime.dispatch import (
    ArrayType,
    add_grad,
    as_list,
    broadcast_like,
    copy,
    dense,
    init_grad,
    items_like,
    lazy_zero,
    left_part,
    map_structure,
    merged_like,
    pop_grad,
    register_array_type,
    refit,
    repack,
    repack_from,
    right_part,
    sequence,
    settled,
    unbroadcast,
    unsequence,
    where_nonzero,
)
from tangent.runtime.zeros import ZeroGrad

__all__ = [  # noqa: PLE0604
    "ArrayType", "ZeroGrad", "add_grad", "as_list", "backward_of", "broadcast_like", "call_bwd", "call_fwd", "call_jvp", "captured", "check_seed", "check_tangent", "copy", "dense", "forward_of", "init_grad", "items_like", "lazy_zero", "left_part",
    "map_structure", "merged_like", "pop_grad", "register_array_type", "refit", "repack", "repack_from", "require_number", "right_part", "sequence", "settled", "tangent_of", "unbroadcast", "unsequence", "where_nonzero",
]  # fmt: skip
