"""Loops over ranges and sequences, walked backward; containers put together again."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    element,
    gradient_type,
    implements,
    is_array,
    is_list,
    is_number,
    is_tuple,
    jitable,
    per_item,
    rank,
    types,
    value_of,
    written,
)
from tangent.runtime import (
    as_list,
    divmod_tangent,
    each,
    folded,
    init_grad,
    pop_grad,
    repack,
    repack_from,
    scaled,
    sequence,
    sequence_tangent,
    shares_of,
    total,
    unbroadcast,
    unfolded,
    unsequence,
    weighted,
)


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
def as_it_is(xs: Any, ahead: Any = False) -> Any:
    """With `ahead` the loop writes into what is still to come: that of an array is read when it comes."""
    if is_list(xs) and value_of(ahead, default=True):
        return None
    if is_array(xs) or is_list(xs) or is_tuple(xs) or isinstance(xs, (types.RangeType, types.UnicodeType)):
        return lambda xs, ahead=False: xs
    if isinstance(xs, types.NumpyNdIndexType):
        return lambda xs, ahead=False: [place for place in xs]  # noqa: C416  (Numba's list() does not take it)
    if not is_flat(xs):
        return None
    elements = flat_elements(xs)
    return lambda xs, ahead=False: elements(xs)


def is_flat(xs: Any) -> bool:
    return isinstance(xs, types.NumpyFlatType)


def flat_elements(xs: Any) -> Any:
    """A function for what `x.flat` gives, one after the other."""
    kind = xs.array_type.dtype

    @jitable
    def impl(xs: Any) -> Any:
        out = np.empty(len(xs), kind)
        for i in range(len(xs)):
            out[i] = xs[i]
        return out

    return impl


@implements(sequence_tangent)
def same_tangent(b: Any, xs: Any) -> Any:
    if is_flat(b):
        elements = flat_elements(b)
        return lambda b, xs: elements(b)
    return (lambda b, xs: b) if is_array(xs) or is_list(xs) or is_tuple(xs) else None


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
    if is_array(like):
        return stacked(like, [f"parts[{i}]" for i in range(len(parts))], "like, *parts")
    return None


def stacked(like: Any, items: list[str], parameters: str) -> Any:
    """An array of the gradients of its items."""
    lines = [f"def impl({parameters}):", "    out = np.zeros(like.shape, kind)"]
    lines += [f"    out[{i}] = {item}" for i, item in enumerate(items)]
    return written("\n".join([*lines, "    return out", ""]), np=np, kind=gradient_type(like))


@implements(repack_from)
def repacked_from(like: Any, parts: Any) -> Any:
    if is_tuple(like) and (is_tuple(parts) or is_list(parts) or rank(parts)):
        return per_item(like, "like, parts", "parts[{i}]")
    if is_list(like) and is_tuple(parts):
        items = ", ".join(f"parts[{i}]" for i in range(len(parts)))
        return written(f"def impl(like, parts):\n    return [{items}]\n")
    if is_list(like):
        return lambda like, parts: [v for v in parts]  # noqa: C416
    if is_array(like) and is_tuple(parts):
        return stacked(like, [f"parts[{i}]" for i in range(len(parts))], "like, parts")
    return stacked_from_list(like) if is_array(like) and is_list(parts) else None


def stacked_from_list(like: Any) -> Any:
    kind = gradient_type(like)

    def impl(like: Any, parts: Any) -> Any:
        out = np.zeros(like.shape, kind)
        for i in range(len(parts)):
            out[i] = parts[i]
        return out

    return impl


@implements(pop_grad)
def popped(b: Any, x: Any) -> Any:
    if not is_list(b):
        return None
    if is_number(x) and is_array(b.dtype):
        return lambda b, x: b.pop()[()] if len(b) > 0 else init_grad(x)
    return lambda b, x: b.pop() if len(b) > 0 else init_grad(x)


# The builtins over sequences


@implements(each)
def for_each(b: Any, xs: Any) -> Any:
    if is_tuple(xs):
        return per_item(xs, "b, xs", "unbroadcast(b, xs[{i}])", unbroadcast=unbroadcast)
    if is_list(xs):
        return lambda b, xs: [unbroadcast(b, x) for x in xs]
    return (lambda b, xs: np.broadcast_to(b, xs.shape).copy()) if is_array(xs) and is_array(b) else (
        lambda b, xs: np.full(xs.shape, b)
    )  # fmt: skip


@implements(total)
def summed(xs: Any) -> Any:
    if is_tuple(xs):
        return written(f"def impl(xs):\n    return {' + '.join(f'xs[{i}]' for i in range(len(xs))) or '0.0'}\n")

    if (is_array(xs) and rank(xs) == 1) or (is_list(xs) and is_number(xs.dtype)):
        zero = element(xs)(0) if is_array(xs) else xs.dtype(0)

        def of_numbers(xs: Any) -> Any:
            s = zero
            for x in xs:
                s = s + x
            return s

        return of_numbers

    def impl(xs: Any) -> Any:
        if len(xs) == 0:
            raise ValueError("the sum of no arrays has no shape in compiled code")
        s = xs[0]
        for i in range(1, len(xs)):
            s = s + xs[i]
        return s

    return impl


@jitable
def times_weight(b: Any, v: Any) -> Any:
    """Where a weight is 0, nothing arrives, not even of infinity."""
    return 0.0 * v if v == 0 and not math.isfinite(b) else b * v


@implements(scaled)
def times_each(b: Any, w: Any, xs: Any) -> Any:
    if is_tuple(xs) and is_tuple(w):
        return per_item(xs, "b, w, xs", "times_weight(b, w[{i}])", times_weight=times_weight)
    if is_list(xs):
        return lambda b, w, xs: [times_weight(b, v) for v in w]
    return (lambda b, w, xs: b * np.asarray(w)) if is_array(xs) else None


@implements(weighted)
def weighted_sum(w: Any, ts: Any) -> Any:
    if is_tuple(w):
        return written(f"def impl(w, ts):\n    return {' + '.join(f'w[{i}] * ts[{i}]' for i in range(len(w)))}\n")

    def impl(w: Any, ts: Any) -> Any:
        s = w[0] * ts[0]
        for k in range(1, len(w)):
            s = s + w[k] * ts[k]
        return s

    return impl


@implements(shares_of)
def even_shares(y: Any, xs: Any) -> Any:
    if is_tuple(xs):
        ties = " + ".join(f"(1.0 if xs[{i}] == y else 0.0)" for i in range(len(xs)))
        parts = "".join(f"1.0 / ties if xs[{i}] == y else 0.0, " for i in range(len(xs)))
        return written(f"def impl(y, xs):\n    ties = {ties}\n    return ({parts})\n")

    def impl(y: Any, xs: Any) -> Any:
        ties = 0.0
        for x in xs:
            ties += 1.0 if x == y else 0.0
        return [1.0 / ties if x == y else 0.0 for x in xs]

    return impl if is_list(xs) else (lambda y, xs: (xs == y) / np.sum(xs == y))


@implements(divmod_tangent)
def of_divmod(dx: Any, dy: Any, z: Any, x: Any, y: Any) -> Any:
    return lambda dx, dy, z, x, y: (init_grad(z[0]), dx - dy * (x // y))


@implements(operator.not_)
def is_empty(x: Any) -> Any:
    return (lambda x: len(x) == 0) if is_list(x) else None


@implements(folded)
def sums_of_repetitions(b: Any, xs: Any) -> Any:
    """Of lists of numbers."""
    if not (is_list(b) and is_list(xs) and isinstance(b.dtype, types.Float) and isinstance(xs.dtype, types.Number)):
        return None
    nothing = b.dtype(0)

    def impl(b: Any, xs: Any) -> Any:
        sums = [nothing for _ in xs]
        for i in range(len(b)):
            sums[i % len(xs)] += b[i]
        return sums

    return impl


@implements(unfolded)
def repetitions(b: Any, ys: Any) -> Any:
    """Of lists of numbers."""
    if not (is_list(b) and is_list(ys) and isinstance(b.dtype, types.Float) and isinstance(ys.dtype, types.Number)):
        return None
    return lambda b, ys: [b[i % len(b)] for i in range(len(ys))]
