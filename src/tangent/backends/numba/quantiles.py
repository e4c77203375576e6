"""Medians, percentiles and quantiles of all elements of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_nothing,
    is_number,
    jitable,
    rank,
    value_of,
)
from tangent.runtime import mixed, quantile_weights, unmixed


@jitable
def hats(a: Any, q: Any, lost: Any, out: Any) -> None:
    """The weight of each element is the hat around the place of the quantile among the ranks; all are nan where the
    quantile is lost."""
    order = np.argsort(a, kind="mergesort")
    n = 0
    for v in a:
        n += 0 if np.isnan(v) else 1
    place = q * (n - 1)
    for r in range(len(a)):
        out[order[r]] = np.nan if lost else max(1.0 - abs(r - place), 0.0) if r < n else 0.0


@implements(quantile_weights)
def weights(a: Any, q: Any, axis: Any = None, method: Any = "linear", weights: Any = None, y: Any = None) -> Any:
    linear = value_of(method, default="linear") == "linear"
    if not is_array(a) or not is_nothing(axis) or not is_nothing(weights) or not linear or rank(q) > 1:
        return None
    kind = gradient_type(a)

    def of_number(a: Any, q: Any, axis: Any = None, method: Any = "linear", weights: Any = None, y: Any = None) -> Any:
        out = np.empty(a.shape, kind)
        hats(np.ravel(a), q, y is not None and np.isnan(y), out.reshape(-1))
        return out

    def of_array(a: Any, q: Any, axis: Any = None, method: Any = "linear", weights: Any = None, y: Any = None) -> Any:
        out = np.empty(q.shape + a.shape, kind)
        for k in range(len(q)):
            hats(np.ravel(a), q[k], y is not None and np.isnan(y[k]), out[k].reshape(-1))
        return out

    return of_number if is_number(q) else of_array


@jitable
def product(w: Any, a: Any) -> Any:
    """What has no weight does not count, not even where it is infinite."""
    total = 0.0
    for k in range(len(w)):
        if w[k] != 0:
            total += w[k] * a[k]
    return total


@implements(mixed)
def sums(w: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not is_nothing(axis) or value_of(keepdims) is not False or not is_array(a):
        return None

    def several(w: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        out = np.empty(len(w), w.dtype)
        for k in range(len(w)):
            out[k] = product(np.ravel(w[k]), np.ravel(a))
        return out

    if rank(w) == rank(a):
        return lambda w, a, axis=None, keepdims=False: product(np.ravel(w), np.ravel(a))
    return several if rank(w) == rank(a) + 1 else None


@implements(unmixed)
def shares(b: Any, w: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not is_nothing(axis) or value_of(keepdims) is not False:
        return None

    def several(b: Any, w: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        out = np.zeros(a.shape, w.dtype)
        for k in range(len(w)):
            out += w[k] * b[k]
        return out

    if rank(w) == rank(a):
        return lambda b, w, a, axis=None, keepdims=False: w * b
    return several if rank(w) == rank(a) + 1 else None
