"""Sets of values and histograms, in terms of what has rules: places are constant, values are taken."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.runtime.dispatch import repack
from tangent.runtime.insert import stop_gradient
from tangent.runtime.kernels.calculus import sum_at
from tangent.runtime.kernels.reduce import weights_over
from tangent.runtime.kernels.statistics import histogram_bins


def unique_places(ar: Any, axis: int | None = None, equal_nan: bool = True) -> tuple[Any, Any, Any]:
    """Where in ar each unique value is first, which of them each element is, and how often it occurs."""
    found: Any = np.unique(ar, True, True, True, axis, equal_nan=equal_nan)
    return found[1], found[2], found[3]


def unique_of(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True,
) -> Any:  # fmt: skip
    """`np.unique` with all that it can return."""
    ar = np.asarray(ar)
    index, inverse, counts = unique_places(ar, axis, equal_nan)
    values = np.take(ar, index, axis=axis)
    wanted = (return_index, return_inverse, return_counts)
    return (values, *asked(wanted, (index, inverse, counts))) if any(wanted) else values


def asked(wanted: tuple[bool, ...], results: tuple[Any, ...]) -> tuple[Any, ...]:
    """Those of some results that are wanted."""
    return tuple(r for r, w in zip(results, wanted) if w)


def unique_all(x: Any) -> Any:
    """`np.unique_all`."""
    found = unique_named("unique_all", x)
    return repack(found, np.take(x, found[1]), found[1], found[2], found[3])


def unique_counts(x: Any) -> Any:
    """`np.unique_counts`."""
    found = unique_named("unique_counts", x)
    return repack(found, np.take(x, unique_places(x, None, False)[0]), found[1])


def unique_inverse(x: Any) -> Any:
    """`np.unique_inverse`."""
    found = unique_named("unique_inverse", x)
    return repack(found, np.take(x, unique_places(x, None, False)[0]), found[1])


def unique_named(name: str, x: Any) -> Any:
    """What a function of NumPy finds in x, whose places do not depend on small changes of x."""
    return getattr(np, name)(x)


def union1d(ar1: Any, ar2: Any) -> Any:
    """`np.union1d`."""
    return np.unique(np.concatenate((ar1, ar2), axis=None))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """`np.intersect1d`: the values are those of the first array."""
    first, second = common_places(ar1, ar2, assume_unique)
    values = np.take(ar1, first).astype(np.result_type(np.asarray(ar1), np.asarray(ar2)))
    return (values, first, second) if return_indices else values


def common_places(ar1: Any, ar2: Any, assume_unique: bool) -> Any:
    """Where the values that two arrays have in common stand in them."""
    return np.intersect1d(ar1, ar2, assume_unique, True)[1:]


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """`np.setdiff1d`."""
    ar1 = np.asarray(ar1)
    return np.take(ar1, remaining_places(ar1, ar2, assume_unique))


def remaining_places(ar1: Any, ar2: Any, assume_unique: bool) -> Any:
    """Where the values of ar1 stand that ar2 has not, in the order of the result."""
    flat = np.ravel(ar1)
    index = np.arange(flat.size) if assume_unique else np.unique(flat, return_index=True)[1]
    return index[~np.isin(flat[index], ar2)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """`np.setxor1d`."""
    both = np.concatenate((ar1, ar2), axis=None)
    return np.take(both, single_places(both, np.size(ar1)))


def single_places(both: Any, n: int) -> Any:
    """Where the values stand that occur either among the first n or among the others."""
    index = np.unique(both, return_index=True)[1]
    one, other = np.isin(both[index], both[:n]), np.isin(both[index], both[n:])
    return index[one ^ other]


# Histograms: the weights flow to the counts, the ends of the data to the edges


def bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """`np.histogram_bin_edges`."""
    if np.ndim(bins) > 0:
        return np.asarray(bins)
    n = edge_count(a, bins, range, weights)
    low, high = data_range(a) if range is None else range
    widen = 0.5 if low == high else 0.0
    dtype = np.result_type(low, high, np.asarray(a))
    return np.linspace(low - widen, high + widen, n, dtype=dtype if dtype.kind == "f" else None)


def data_range(a: Any) -> tuple[Any, Any]:
    """The smallest and the largest of the data, as `np.histogram` takes them."""
    return (np.min(a), np.max(a)) if np.size(a) > 0 else (0.0, 1.0)


def edge_count(a: Any, bins: Any, range: Any, weights: Any) -> int:
    """How many edges the bins have."""
    return len(np.histogram_bin_edges(a, bins, range, weights))


def histogram_of(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """`np.histogram`."""
    edges = bin_edges(a, bins, range, stop_gradient(weights))
    counts = binned(weights, histogram_bins(a, edges), len(edges) - 1)
    return (densities(counts, edges) if density else counts), edges


def histogram_counts(a: Any, bins: Any = 10, range: Any = None, *, weights: Any = None) -> Any:
    """`np.histogram` without densities."""
    edges = bin_edges(a, bins, range, stop_gradient(weights))
    return binned(weights, histogram_bins(a, edges), len(edges) - 1), edges


histogram_of.plain = histogram_counts  # type: ignore[attr-defined]  # what is written where no density is asked for


def binned(weights: Any, place: Any, n: int) -> Any:
    """n sums of weights by their places, of which -1 is none; how many places there are, where there are no weights."""
    inside = np.ravel(place) >= 0
    if weights is None:
        return np.bincount(np.ravel(place)[inside], minlength=n)
    return sum_at(np.where(inside, np.ravel(weights), 0), np.maximum(np.ravel(place), 0), n)


def densities(counts: Any, edges: Any) -> Any:
    """Counts that integrate to 1."""
    return counts / np.asarray(np.diff(edges), float) / np.sum(counts)


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """`np.histogramdd`, of an array of points or of a list of coordinates."""
    if np.ndim(sample) == 1:
        sample = np.expand_dims(sample, -1)
    columns = np.transpose(sample) if np.ndim(sample) == 2 and not isinstance(sample, (list, tuple)) else sample
    d = len(columns)
    edges: Any = []
    for k in np.arange(d):
        each = bins[k] if bool(np.iterable(bins)) else bins
        edges = [*edges, bin_edges(columns[k], each, None if range is None else range[k])]
    place, shape = cells(columns, edges)
    weights = np.ones(np.shape(columns[0])) if weights is None else weights
    counts = np.reshape(binned(np.multiply(np.asarray(weights), np.float64(1.0)), place, math.prod(shape)), shape)
    if density:
        counts = counts / np.sum(counts)
        for k in np.arange(d):
            counts = counts / np.reshape(np.diff(edges[k]), (-1,) + (1,) * (d - 1 - k))
    return counts, edges


def cells(columns: Any, edges: Any) -> tuple[Any, tuple[int, ...]]:
    """The cell of each point, -1 if it is in none, and how many cells there are along each axis."""
    shape = tuple(len(e) - 1 for e in edges)
    places = [histogram_bins(column, e) for column, e in zip(columns, edges)]
    inside = np.all([place >= 0 for place in places], axis=0)
    flat = np.ravel_multi_index([np.maximum(place, 0) for place in places], shape)
    return np.where(inside, flat, -1), shape


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """`np.histogram2d`."""
    both = [bins, bins] if bool(np.iterable(bins)) and len(bins) > 2 else bins
    counts, edges = histogramdd([x, y], both, range, density, weights)
    return counts, edges[0], edges[1]


# Several arguments at once


def atleast_1d_each(*arys: Any) -> Any:
    """`np.atleast_1d` of several arrays."""
    out: tuple[Any, ...] = ()
    for a in arys:
        out = (*out, np.atleast_1d(a))
    return out


def atleast_2d_each(*arys: Any) -> Any:
    """`np.atleast_2d` of several arrays."""
    out: tuple[Any, ...] = ()
    for a in arys:
        out = (*out, np.atleast_2d(a))
    return out


def atleast_3d_each(*arys: Any) -> Any:
    """`np.atleast_3d` of several arrays."""
    out: tuple[Any, ...] = ()
    for a in arys:
        out = (*out, np.atleast_3d(a))
    return out


# Several results at once


def averaged(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    """`np.average`, with the sum of the weights if asked for."""
    mean = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    if not returned:
        return mean
    total = np.sum(np.multiply(weights_over(weights, a, axis), np.ones_like(a)), axis=axis, keepdims=keepdims)
    return mean, np.zeros_like(mean) + total


def linspaced(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """`np.linspace`, with the step if asked for."""
    start = np.asarray(start) if isinstance(start, (list, tuple)) else start
    stop = np.asarray(stop) if isinstance(stop, (list, tuple)) else stop
    grid = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    if not retstep:
        return grid
    divisions = num - 1 if endpoint else num
    return grid, np.subtract(1.0 * stop, start) / (divisions if divisions > 0 else np.nan)
