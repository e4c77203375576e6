"""Loops over ranges and sequences, walked backward; containers put together again."""

from __future__ import annotations

from typing import Any

from tangent.backends.numba.kinds import (
    implements,
    is_array,
    is_list,
    is_tuple,
    per_item,
    types,
    written,
)
from tangent.runtime import as_list, repack, sequence, unsequence


@implements(reversed)
def backward(sequence: Any) -> Any:
    """Numba has no `reversed`: a range runs from its last number to its first."""
    if not isinstance(sequence, types.RangeType):
        return None

    def impl(sequence: Any) -> Any:
        last = sequence.start + (len(sequence) - 1) * sequence.step
        return range(last, sequence.start - sequence.step, -sequence.step)

    return impl


@implements(sequence)
def as_it_is(xs: Any) -> Any:
    if is_array(xs) or is_list(xs) or is_tuple(xs) or isinstance(xs, types.RangeType):
        return lambda xs: xs
    return None


@implements(unsequence)
def same_adjoint(b: Any, xs: Any) -> Any:
    return lambda b, xs: b


@implements(as_list)
def own_list(b: Any) -> Any:
    return (lambda b: [v for v in b]) if is_list(b) or is_array(b) else None  # noqa: C416  (Numba's list() makes no copy)


@implements(repack)
def repacked(like: Any, *parts: Any) -> Any:
    if len(parts) == 1 and isinstance(parts[0], tuple):
        parts = parts[0]
    if is_tuple(like):
        return per_item(like, "like, *parts", "parts[{i}]")
    if is_list(like):
        items = ", ".join(f"parts[{i}]" for i in range(len(parts)))
        return written(f"def impl(like, *parts):\n    return [{items}]\n")
    return None
