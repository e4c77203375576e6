"""Views of an array that show its elements several times: windows and broadcast arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    element,
    implements,
    is_array,
    is_nothing,
    is_tuple,
    per_item,
    rank,
    value_of,
    written,
)
from tangent.runtime import broadcast_each, broadcast_like, sum_windows, unbroadcast, unbroadcast_each


@implements(unbroadcast_each)
def each_summed(b: Any, xs: Any) -> Any:
    if not is_tuple(xs):
        return None
    return per_item(xs, "b, xs", "unbroadcast(b[{i}], xs[{i}])", unbroadcast=unbroadcast)


@implements(broadcast_each)
def each_stretched(b: Any, xs: Any) -> Any:
    if not is_tuple(xs):
        return None
    return per_item(xs, "b, xs", "broadcast_like(b[{i}], xs[{i}])", broadcast_like=broadcast_like)


@implements(sum_windows, prefer_literal=True)
def out_of_windows(b: Any, x: Any, window_shape: Any, axis: Any = None) -> Any:
    """For an array and windows over axis 0 of 1:

    for i0 in range(b.shape[0]):
        for i1 in range(b.shape[1]):
            out[i0 + i1] += b[i0, i1]
    """
    axes = _axes(x, axis)
    if axes is None or not is_array(b) or rank(b) != rank(x) + len(axes):
        return None
    n = rank(x)
    lines = ["def impl(b, x, window_shape, axis=None):", "    out = np.zeros(x.shape, kind)"]
    lines += ["    " * (i + 1) + f"for i{i} in range(b.shape[{i}]):" for i in range(rank(b))]
    into = ", ".join(" + ".join([f"i{k}", *(f"i{n + j}" for j, a in enumerate(axes) if a == k)]) for k in range(n))
    source = ", ".join(f"i{i}" for i in range(rank(b)))
    lines += ["    " * (rank(b) + 1) + f"out[{into}] += b[{source}]", "    return out", ""]
    return written("\n".join(lines), np=np, kind=element(b))


def _axes(x: Any, axis: Any) -> list[int] | None:
    """The axes that windows move along, where these are known."""
    if is_nothing(axis):
        return list(range(rank(x)))
    known = value_of(axis, default=...)
    places = known if isinstance(known, tuple) else (known,)
    if not is_array(x) or not all(isinstance(k, int) for k in places):
        return None
    return [k % rank(x) for k in places]
