"""`scipy.ndimage`: filters in terms of one correlation, and interpolation by splines."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from tangent.backends.scipy.kernels_ndimage import (
    along,
    basis,
    edges,
    filtered,
    folded,
    for_each,
    gaussian_weights,
    require_real_output,
    spline_matrix,
)
from tangent.errors import UnsupportedError
from tangent.runtime import stop_gradient


def correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    x, w = require_real_output("correlate", input, output), np.asarray(weights)
    w = w.astype(np.result_type(w, float))
    return filtered(x, w, for_each(mode, np.ndim(x)), cval, for_each(origin, np.ndim(x)))


def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    """The correlation with the weights turned around, whose middle is on the other side."""
    w = np.asarray(weights)
    origins = [-o - 1 + n % 2 for o, n in zip(for_each(origin, np.ndim(w)), np.shape(w))]
    return ndimage.correlate(input, np.flip(w), output, mode, cval, origins)


def correlate1d(
    input: Any, weights: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: int = 0,
) -> Any:  # fmt: skip
    n = np.ndim(input)
    origins = [origin if k == axis % n else 0 for k in range(n)]
    return ndimage.correlate(input, along(weights, axis, n), output, mode, cval, origins)


def convolve1d(
    input: Any, weights: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: int = 0,
) -> Any:  # fmt: skip
    w = np.asarray(weights)
    return ndimage.correlate1d(input, np.flip(w), axis, output, mode, cval, -origin - 1 + len(w) % 2)


def gaussian_filter1d(
    input: Any, sigma: Any, axis: int = -1, order: int = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: float = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    reach = int(truncate * float(stop_gradient(sigma)) + 0.5) if radius is None else radius
    return ndimage.correlate1d(input, np.flip(gaussian_weights(sigma, order, reach)), axis, output, mode, cval)


def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: float = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """Along one axis after the other."""
    x = require_real_output("gaussian_filter", input, output)
    places = list(range(np.ndim(x))) if axes is None else for_each(axes, 1)
    n = len(places)
    widths, orders, modes, radii = for_each(sigma, n), for_each(order, n), for_each(mode, n), for_each(radius, n)
    for k in range(n):
        if widths[k] > 1e-15:
            x = ndimage.gaussian_filter1d(
                x, widths[k], places[k], orders[k], None, modes[k], cval, truncate, radius=radii[k]
            )
    return x


def uniform_filter1d(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: int = 0
) -> Any:
    return ndimage.correlate1d(input, np.full(size, 1.0 / size), axis, output, mode, cval, origin)


def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:  # fmt: skip
    x = require_real_output("uniform_filter", input, output)
    places = list(range(np.ndim(x))) if axes is None else for_each(axes, 1)
    n = len(places)
    sizes, modes, origins = for_each(size, n), for_each(mode, n), for_each(origin, n)
    for k in range(n):
        if sizes[k] > 1:
            x = ndimage.uniform_filter1d(x, int(sizes[k]), places[k], None, modes[k], cval, origins[k])
    return x


def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    x = require_real_output("laplace", input, output)
    modes = for_each(mode, np.ndim(x))
    total = np.zeros_like(x)
    for k in range(np.ndim(x)):
        total = total + ndimage.correlate1d(x, [1.0, -2.0, 1.0], k, None, modes[k], cval)
    return total


def sobel(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges("sobel", input, axis, output, mode, cval, [1.0, 2.0, 1.0])


def prewitt(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return edges("prewitt", input, axis, output, mode, cval, [1.0, 1.0, 1.0])


def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, **options: Any
) -> Any:
    x = require_real_output("gaussian_laplace", input, output)
    total = np.zeros_like(x)
    for k in range(np.ndim(x)):
        order = [2 if i == k else 0 for i in range(np.ndim(x))]
        total = total + ndimage.gaussian_filter(x, sigma, order, None, mode, cval, **options)
    return total


def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, **options: Any
) -> Any:
    x = require_real_output("gaussian_gradient_magnitude", input, output)
    total = np.zeros_like(x)
    for k in range(np.ndim(x)):
        order = [1 if i == k else 0 for i in range(np.ndim(x))]
        total = total + ndimage.gaussian_filter(x, sigma, order, None, mode, cval, **options) ** 2
    return np.sqrt(total)


FAR = 12  # as SciPy has it


def spline_filter1d(input: Any, order: int = 3, axis: int = -1, output: Any = None, mode: str = "mirror") -> Any:
    """The coefficients of a spline, by their matrix."""
    x = np.asarray(input)
    if order in (0, 1):
        return x
    moved = np.tensordot(spline_matrix(np.shape(x)[axis], order, mode), x, axes=(1, axis))
    return np.moveaxis(moved, 0, axis)


def spline_filter(input: Any, order: int = 3, output: Any = None, mode: str = "mirror") -> Any:
    x = np.asarray(input)
    for axis in range(np.ndim(x)):
        x = ndimage.spline_filter1d(x, order, axis, mode=mode)
    return x


def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:  # fmt: skip
    """The values of a spline at places, a row of these for each axis."""
    x = require_real_output("map_coordinates", input, output)
    if order > 3 or mode in ("wrap", "grid-constant"):
        raise UnsupportedError(
            f"cannot differentiate 'scipy.ndimage.map_coordinates' with order={order} and mode={mode!r}",
            why="it is written out for orders up to 3, and not for splines that end in this way",
            todo="Use another mode, or order=1.",
        )
    if mode == "nearest" and order > 1:  # so far that the edge of the spline does not matter
        near = np.stack([folded(at + FAR, n + 2 * FAR, mode) for at, n in zip(np.asarray(coordinates), np.shape(x))])
        return ndimage.map_coordinates(np.pad(x, FAR, mode="edge"), near, None, order, "mirror", cval, prefilter)
    beyond = "mirror" if mode == "constant" else mode
    if prefilter and order > 1:
        x = ndimage.spline_filter(x, order, mode=beyond)
    places: Any = []
    weights: Any = []
    where = np.asarray(coordinates)
    outside = np.zeros(np.shape(where)[1:], bool)
    for k in range(np.ndim(x)):
        n = np.shape(x)[k]
        outside = outside | (where[k] < 0) | (where[k] > n - 1)
        first, shares = basis(where[k] if mode == "constant" else folded(where[k], n, mode), order)
        places = [*places, [folded(first + j, n, beyond).astype(int) for j in range(order + 1)]]
        weights = [*weights, shares]
    total = np.zeros(np.shape(outside))
    for corner in np.ndindex(*(order + 1,) * np.ndim(x)):
        share = 1.0
        for k in range(np.ndim(x)):
            share = share * weights[k][corner[k]]
        total = total + share * x[tuple([places[k][corner[k]] for k in range(np.ndim(x))])]
    return (np.where(outside, cval, total) if mode == "constant" else total).astype(x.dtype)


def shift(
    input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:  # fmt: skip
    x = require_real_output("shift", input, output)
    moves = for_each(shift, np.ndim(x))
    grid = np.indices(np.shape(x))
    at = np.stack([grid[k] - moves[k] for k in range(np.ndim(x))])
    return ndimage.map_coordinates(x, at, None, order, mode, cval, prefilter)


def affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: int = 3,
    mode: str = "constant", cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    x, m = require_real_output("affine_transform", input, output), np.asarray(matrix)
    n = np.ndim(x)
    moved = np.asarray(offset)
    if np.shape(m)[1:] == (n + 1,):
        m, moved = m[:n, :n], m[:n, n]
    m = np.diag(m) if np.ndim(m) == 1 else m
    grid = np.indices(np.shape(x) if output_shape is None else output_shape)
    at = np.tensordot(m, grid, axes=1) + np.reshape(np.broadcast_to(moved, (n,)), (n,) + (1,) * n)
    return ndimage.map_coordinates(x, at, None, order, mode, cval, prefilter)
