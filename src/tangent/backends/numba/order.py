"""Sorted vectors and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import implements, is_array, is_nothing, is_number, rank, value_of
from tangent.runtime import (
    interp_fraction,
    interp_inside,
    interp_nodes,
    interp_slope,
    interp_width,
    sorting,
    sum_at,
    unpermute,
)


def along_rows(a: Any, axis: Any) -> bool:
    """Whether it is the rows of a matrix that are sorted."""
    return rank(a) == 2 and value_of(axis) in (-1, 1)


@implements(sorting)
def order_of(a: Any, y: Any, axis: Any = -1) -> Any:
    def of_rows(a: Any, y: Any, axis: Any = -1) -> Any:
        out = np.empty(a.shape, np.intp)
        for k in range(len(a)):
            out[k] = np.argsort(a[k], kind="mergesort")
        return out

    if along_rows(a, axis):
        return of_rows
    return (lambda a, y, axis=-1: np.argsort(a, kind="mergesort")) if rank(a) == 1 else None


@implements(unpermute)
def in_old_order(b: Any, i: Any, a: Any, axis: Any = -1) -> Any:
    if not (rank(a) == rank(b) == rank(i)):
        return None

    def of_vector(b: Any, i: Any, a: Any, axis: Any = -1) -> Any:
        out = np.empty_like(b)
        for k in range(len(i)):
            out[i[k]] = b[k]
        return out

    def of_rows(b: Any, i: Any, a: Any, axis: Any = -1) -> Any:
        out = np.empty_like(b)
        for j in range(len(i)):
            for k in range(i.shape[1]):
                out[j, i[j, k]] = b[j, k]
        return out

    return of_rows if along_rows(a, axis) else of_vector if rank(a) == 1 else None


@implements(interp_nodes)
def nodes(x: Any, xp: Any, period: Any = None) -> Any:
    if not is_nothing(period) or rank(xp) != 1:
        return None

    def of_number(x: Any, xp: Any, period: Any = None) -> Any:
        j = np.searchsorted(xp, x, side="right")
        return max(j - 1, 0), min(j, len(xp) - 1)

    def of_array(x: Any, xp: Any, period: Any = None) -> Any:
        j = np.searchsorted(xp, x, side="right")
        return np.maximum(j - 1, 0), np.minimum(j, len(xp) - 1)

    return of_number if is_number(x) else of_array if rank(x) == 1 else None


@implements(interp_fraction)
def fraction(x: Any, xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    if is_number(x):
        return lambda x, xp, i, j, period=None: 0.0 if i == j else (x - xp[i]) / (xp[j] - xp[i])

    def impl(x: Any, xp: Any, i: Any, j: Any, period: Any = None) -> Any:
        out = np.zeros(len(x))
        for k in range(len(x)):
            if i[k] != j[k]:
                out[k] = (x[k] - xp[i[k]]) / (xp[j[k]] - xp[i[k]])
        return out

    return impl if rank(x) == 1 and is_nothing(period) else None


@implements(interp_slope)
def slope(x: Any, xp: Any, fp: Any, i: Any, j: Any, period: Any = None) -> Any:
    if is_number(x):
        return lambda x, xp, fp, i, j, period=None: 0.0 if i == j else (fp[j] - fp[i]) / (xp[j] - xp[i])

    def impl(x: Any, xp: Any, fp: Any, i: Any, j: Any, period: Any = None) -> Any:
        out = np.zeros(len(x))
        for k in range(len(x)):
            if i[k] != j[k]:
                out[k] = (fp[j[k]] - fp[i[k]]) / (xp[j[k]] - xp[i[k]])
        return out

    return impl if rank(x) == 1 and is_nothing(period) else None


@implements(interp_width)
def width(xp: Any, i: Any, j: Any, period: Any = None) -> Any:
    if is_number(i):
        return lambda xp, i, j, period=None: 1.0 if i == j else xp[j] - xp[i]
    if rank(i) != 1 or not is_nothing(period):
        return None
    return lambda xp, i, j, period=None: np.where(i == j, 1.0, xp[j] - xp[i])


@implements(interp_inside)
def inside(x: Any, xp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if is_nothing(left) and is_nothing(right) and is_nothing(period):
        return lambda x, xp, left=None, right=None, period=None: 1.0
    return None


@implements(sum_at)
def sums(v: Any, i: Any, n: Any) -> Any:
    def of_number(v: Any, i: Any, n: Any) -> Any:
        out = np.zeros(n)
        out[i] += v
        return out

    def of_array(v: Any, i: Any, n: Any) -> Any:
        out = np.zeros(n, v.dtype)
        for k in range(len(i)):
            out[i[k]] += v[k]
        return out

    if is_number(i):
        return of_number
    return of_array if is_array(v) and rank(v) == rank(i) == 1 else None
