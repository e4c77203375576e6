"""Numbers of a structure in a row: the solutions of `tangent.implicit`, numbers, arrays and tuples of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_array, is_list, is_number, is_tuple, rank, written
from tangent.runtime import from_vector, to_vector


@implements(to_vector)
def in_a_row(x: Any) -> Any:
    if is_array(x):
        return lambda x: x.copy().reshape(-1)
    if is_number(x):

        def alone(x: Any) -> Any:
            row = np.full(1, x + 0.0)
            return row

        return alone
    if not is_tuple(x) or not len(x):
        return None
    parts = ", ".join(f"to_vector(x[{i}])" for i in range(len(x)))
    return written(f"def impl(x):\n    return np.concatenate(({parts},))\n", to_vector=to_vector, np=np)


@implements(from_vector)
def as_before(v: Any, like: Any) -> Any:
    if is_array(like):
        return (lambda v, like: v.copy().reshape(like.shape)) if rank(like) else (lambda v, like: v.copy().reshape(()))
    if is_number(like):
        return lambda v, like: v[0]
    if not is_tuple(like) or not len(like):
        return None
    text = "def impl(v, like):\n    stop = 0\n"
    for i in range(len(like)):
        text += f"    start, stop = stop, stop + np.size(like[{i}])\n    p{i} = from_vector(v[start:stop], like[{i}])\n"
    parts = ", ".join(f"p{i}" for i in range(len(like)))
    return written(f"{text}    return ({parts},)\n", from_vector=from_vector, np=np)


@implements(np.stack)
def rows_of_list(arrays: Any) -> Any:
    """A list of vectors as a matrix; tuples Numba stacks itself."""
    if not (is_list(arrays) and is_array(arrays.dtype) and rank(arrays.dtype) == 1):
        return None

    def impl(arrays: Any) -> Any:
        found = np.empty((len(arrays), len(arrays[0])), arrays[0].dtype)
        for i in range(len(arrays)):
            found[i] = arrays[i]
        return found

    return impl
