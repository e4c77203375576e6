"""`scipy.interpolate`: splines and interpolators as functions of their places, values and knots.

An interpolator that is made where it is differentiated is written out. One that was made before is a constant, and its
derivative by the places is what SciPy says that it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from tangent.custom import custom_vjp
from tangent.errors import UnsupportedError
from tangent.template import non_differentiable

# Piecewise polynomials


class Piecewise:
    """A polynomial between each two knots: `c[0]` belongs to the highest power of the distance from the left one."""

    def __init__(self, c: Any, x: Any, extrapolate: Any, axis: int) -> None:
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        return evaluated(self.c, self.x, x, nu, self.extrapolate if extrapolate is None else extrapolate, self.axis)

    def derivative(self, nu: int = 1) -> Any:
        degree = len(self.c) - 1
        if nu > degree:
            return Piecewise(np.zeros_like(self.c[:1]), self.x, self.extrapolate, self.axis)
        factors = np.array([falling(degree - k, nu) for k in range(degree + 1 - nu)])
        return Piecewise(self.c[: len(factors)] * as_columns(factors, self.c), self.x, self.extrapolate, self.axis)

    def antiderivative(self) -> Any:
        powers = np.arange(len(self.c), 0, -1)
        c = self.c / as_columns(powers, self.c)
        dx = as_columns(np.diff(self.x), self.c[0])
        before = np.cumsum(np.sum(c * dx ** as_columns(powers, self.c), axis=0), axis=0)
        level = np.concatenate([np.zeros_like(before[:1]), before[:-1]])
        return Piecewise(np.concatenate([c, level[None]]), self.x, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        if self.extrapolate == "periodic":
            raise UnsupportedError(
                "cannot differentiate 'integrate' of a periodic spline",
                why="it counts periods",
                todo="Sum the values of its 'antiderivative'.",
            )
        whole = self.antiderivative()
        return whole(b) - whole(a)


def evaluated(c: Any, knots: Any, x: Any, nu: int, extrapolate: Any, axis: int) -> Any:
    """Its values, or those of a derivative."""
    x = np.asarray(x)
    if extrapolate == "periodic":
        x = knots[0] + np.mod(x - knots[0], knots[-1] - knots[0])
    i = interval(knots, x)
    w = np.reshape(x - knots[i], np.shape(x) + (1,) * (np.ndim(c) - 2))
    total, degree = np.zeros(np.shape(x) + np.shape(c)[2:]), len(c) - 1
    for k in range(degree + 1 - nu):
        total = total * w + c[k][i] * falling(degree - k, nu)
    if extrapolate is False:
        inside = np.reshape((x >= knots[0]) & (x <= knots[-1]), np.shape(w))
        total = np.where(inside, total, np.nan)
    n = np.ndim(x)
    return np.moveaxis(total, tuple(range(n)), tuple(range(axis, axis + n)))


def interval(knots: Any, x: Any) -> Any:
    """Between which knots places are; those outside belong to the first or the last ones."""
    return np.clip(np.searchsorted(knots, x, "right") - 1, 0, len(knots) - 2)


def falling(n: int, nu: int) -> float:
    """The factor of a power that was differentiated so often."""
    found = 1.0
    for k in range(nu):
        found = found * (n - k)
    return found


def hermite(x: Any, y: Any, slopes: Any, extrapolate: Any, axis: int) -> Any:
    """The cubic polynomials that have these values and slopes at the knots, which are along the first axis."""
    dx = as_columns(np.diff(x), y)
    secants = np.diff(y, axis=0) / dx
    bend = (slopes[:-1] + slopes[1:] - 2.0 * secants) / dx
    return Piecewise(
        np.stack([bend / dx, (secants - slopes[:-1]) / dx - bend, slopes[:-1], y[:-1]]), x, extrapolate, axis
    )


def as_columns(v: Any, y: Any) -> Any:
    """Numbers that belong to the rows of an array."""
    return np.reshape(v, (-1,) + (1,) * (np.ndim(y) - 1))


def rows_along(y: Any, axis: int) -> Any:
    """Values in double precision, with those of one knot in a row."""
    y = np.moveaxis(np.asarray(y), axis, 0)
    return y.astype(np.result_type(y, float))


def positive_axis(y: Any, axis: int) -> int:
    return int(axis % np.ndim(y))


def CubicSpline(x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    x, rows = np.asarray(x), rows_along(y, axis)
    x = x.astype(np.result_type(x, float))
    if isinstance(bc_type, str) and bc_type == "periodic":
        beyond = "periodic" if extrapolate is None else extrapolate
        return hermite(x, rows, periodic_slopes(x, rows), beyond, positive_axis(y, axis))
    first, last = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    beyond = True if extrapolate is None else extrapolate
    return hermite(x, rows, spline_slopes(x, rows, first, last), beyond, positive_axis(y, axis))


def spline_slopes(x: Any, y: Any, first: Any, last: Any) -> Any:
    """The slopes at the knots with which the second derivative is continuous: a system with three diagonals."""
    n, dx = len(x), np.diff(x)
    secants = np.diff(y, axis=0) / as_columns(dx, y)
    free = isinstance(first, str) and isinstance(last, str) and first == last == "not-a-knot"
    if n == 2 and free:
        return np.concatenate([secants, secants])
    if n == 3 and free:
        bend = (secants[1] - secants[0]) / (x[2] - x[0])
        return np.stack([secants[0] - bend * dx[0], secants[0] + bend * dx[0], secants[1] + bend * dx[1]])
    inner = 3.0 * (as_columns(dx[1:], y) * secants[:-1] + as_columns(dx[:-1], y) * secants[1:])
    main0, side0, right0 = boundary_row(dx, secants, first, 1.0)
    main1, side1, right1 = boundary_row(dx[::-1], secants[::-1], last, -1.0)
    nothing = np.zeros(1)
    upper = np.concatenate([nothing, side0, dx[:-1]])
    main = np.concatenate([main0, 2.0 * (dx[:-1] + dx[1:]), main1])
    lower = np.concatenate([dx[1:], side1, nothing])
    right = np.concatenate([right0[None], inner, right1[None]])
    return linalg.solve_banded((1, 1), np.stack([upper, main, lower]), right)


def boundary_row(dx: Any, secants: Any, kind: Any, sign: float) -> Any:
    """The equation at one end, from there on: its two coefficients, and its right side."""
    if isinstance(kind, str) and kind == "not-a-knot":
        if len(dx) < 2:
            return boundary_row(dx, secants, (1, secants[0]), sign)
        d = dx[0] + dx[1]
        right = ((dx[0] + 2.0 * d) * dx[1] * secants[0] + dx[0] ** 2 * secants[1]) / d
        return dx[1:2], d[None], right
    order, value = {"natural": (2, 0.0), "clamped": (1, 0.0)}[kind] if isinstance(kind, str) else kind
    if order == 1:
        return np.ones(1), np.zeros(1), 0.0 * secants[0] + value
    return 2.0 * dx[:1], dx[:1], 3.0 * dx[0] * secants[0] - sign * 0.5 * value * dx[0] ** 2


def periodic_slopes(x: Any, y: Any) -> Any:
    dx = np.diff(x)
    secants = np.diff(y, axis=0) / as_columns(dx, y)
    n = len(dx)
    if n == 1:
        return np.concatenate([secants, secants])
    before = np.roll(dx, 1)
    places = np.arange(n)
    eye = np.eye(n)
    system = 2.0 * (before + dx)[:, None] * eye
    system = system + dx[:, None] * eye[(places - 1) % n] + before[:, None] * eye[(places + 1) % n]
    right = 3.0 * (as_columns(dx, y) * np.roll(secants, 1, axis=0) + as_columns(before, y) * secants)
    slopes = np.reshape(np.linalg.solve(system, np.reshape(right, (n, -1))), np.shape(right))
    return np.concatenate([slopes, slopes[:1]])


def CubicHermiteSpline(x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> Any:
    return hermite(
        np.asarray(x), rows_along(y, axis), rows_along(dydx, axis), True if extrapolate is None else extrapolate,
        positive_axis(y, axis),
    )  # fmt: skip


def PchipInterpolator(x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> Any:
    x, rows = np.asarray(x), rows_along(y, axis)
    dx = as_columns(np.diff(x), rows)
    secants = np.diff(rows, axis=0) / dx
    if len(x) == 2:
        slopes = np.concatenate([secants, secants])
    else:
        ends = [pchip_end(dx, secants), pchip_end(dx[::-1], secants[::-1])]
        slopes = np.concatenate([ends[0][None], pchip_inside(dx, secants), ends[1][None]])
    return hermite(x, rows, slopes, True if extrapolate is None else extrapolate, positive_axis(y, axis))


def pchip_inside(dx: Any, secants: Any) -> Any:
    """Harmonic means of the secants on both sides, none where they go apart."""
    left, right = secants[:-1], secants[1:]
    agree = left * right > 0
    w, v = 2.0 * dx[1:] + dx[:-1], dx[1:] + 2.0 * dx[:-1]
    share = w / np.where(agree, left, 1.0) + v / np.where(agree, right, 1.0)
    return np.where(agree, (w + v) / np.where(agree, share, 1.0), 0.0)


def pchip_end(dx: Any, secants: Any) -> Any:
    slope = ((2.0 * dx[0] + dx[1]) * secants[0] - dx[0] * secants[1]) / (dx[0] + dx[1])
    steep = (np.sign(secants[0]) != np.sign(secants[1])) & (np.abs(slope) > 3.0 * np.abs(secants[0]))
    return np.where(np.sign(slope) != np.sign(secants[0]), 0.0, np.where(steep, 3.0 * secants[0], slope))


def make_interp_spline(x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0) -> Any:
    if k not in (1, 3) or t is not None or (k == 3 and len(x) < 4):
        raise UnsupportedError(
            "cannot differentiate 'scipy.interpolate.make_interp_spline' of another degree than 1 and 3, or with knots",
            why="it is written out by scipy.interpolate.CubicSpline",
            todo="Leave 'k' and 't' out.",
        )
    if k == 1:
        return linear(x, y, axis)
    return CubicSpline(x, y, axis, "not-a-knot" if bc_type is None else bc_type)


def linear(x: Any, y: Any, axis: int) -> Any:
    x, rows = np.asarray(x), rows_along(y, axis)
    secants = np.diff(rows, axis=0) / as_columns(np.diff(x), rows)
    nothing = np.zeros_like(secants)
    return Piecewise(np.stack([nothing, nothing, secants, rows[:-1]]), x, True, positive_axis(y, axis))


class Bounded:
    """`interp1d`: nothing, or an error, outside of the knots."""

    def __init__(self, inside: Any, bounds_error: Any, fill_value: Any) -> None:
        self.inside, self.bounds_error, self.fill_value = inside, bounds_error, fill_value

    def __call__(self, x: Any) -> Any:
        x = np.asarray(x)
        knots = self.inside.x
        low, high = x < knots[0], x > knots[-1]
        if self.bounds_error and (np.any(low) or np.any(high)):
            raise ValueError("A value in x_new is outside of the interpolation range.")
        if np.ndim(self.inside.c) > 2:
            return self.inside(x)
        below, above = self.fill_value if isinstance(self.fill_value, tuple) else (self.fill_value, self.fill_value)
        return np.where(low, below, np.where(high, above, self.inside(np.clip(x, knots[0], knots[-1]))))


def interp1d(
    x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True, bounds_error: Any = None,
    fill_value: Any = np.nan, assume_sorted: bool = False,
) -> Any:  # fmt: skip
    several = np.ndim(y) > 1 and not (isinstance(fill_value, str) or bounds_error is None)
    if kind not in ("linear", "cubic", 1, 3) or several:
        raise UnsupportedError(
            "cannot differentiate 'scipy.interpolate.interp1d' with this 'kind' or 'fill_value'",
            why="it is written out for kind='linear' and kind='cubic', and for values outside of one function",
            todo="Use one of these.",
        )
    if not assume_sorted:
        order = np.argsort(x)
        x, y = np.asarray(x)[order], np.take(y, order, axis=axis)
    inside = linear(x, y, axis) if kind in ("linear", 1) else CubicSpline(x, y, axis)
    if isinstance(fill_value, str):
        return inside
    return Bounded(inside, bounds_error is None or bounds_error, fill_value)


# Grids


class Grid:
    """`RegularGridInterpolator`: linear between the corners of a box."""

    def __init__(self, grid: Any, values: Any, bounds_error: Any, fill_value: Any) -> None:
        self.grid, self.values, self.bounds_error, self.fill_value = grid, values, bounds_error, fill_value

    def __call__(self, xi: Any) -> Any:
        points = np.stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else np.asarray(xi)
        return on_grid(self.grid, self.values, points, self.bounds_error, self.fill_value)


def on_grid(grid: Any, values: Any, points: Any, bounds_error: Any, fill_value: Any) -> Any:
    d = len(grid)
    if np.ndim(points) == 1:
        points = np.reshape(points, (-1, d))
    places: Any = []
    shares: Any = []
    outside = np.zeros(np.shape(points)[:-1], bool)
    for k in range(d):
        x, knots = points[..., k], np.asarray(grid[k])
        i = interval(knots, x)
        outside = outside | (x < knots[0]) | (x > knots[-1])
        places = [*places, i]
        shares = [*shares, (x - knots[i]) / (knots[i + 1] - knots[i])]
    if bounds_error and np.any(outside):
        raise ValueError("One of the requested xi is out of bounds")
    more = (1,) * (np.ndim(values) - d)
    total = np.zeros(np.shape(outside) + np.shape(values)[d:])
    for corner in np.ndindex(*(2,) * d):
        weight = np.ones(np.shape(outside))
        for k in range(d):
            weight = weight * (shares[k] if corner[k] else 1.0 - shares[k])
        index = tuple([places[k] + corner[k] for k in range(d)])
        total = total + np.reshape(weight, np.shape(weight) + more) * values[index]
    if bounds_error or fill_value is None:
        return total
    return np.where(np.reshape(outside, np.shape(outside) + more), fill_value, total)


def RegularGridInterpolator(
    points: Any, values: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan, **named: Any
) -> Any:
    require_linear("RegularGridInterpolator", method)
    return Grid(points, np.asarray(values), bounds_error, fill_value)


def interpn(
    points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan
) -> Any:
    require_linear("interpn", method)
    return RegularGridInterpolator(points, values, "linear", bounds_error, fill_value)(xi)


def require_linear(function: str, method: str) -> None:
    if method != "linear":
        raise UnsupportedError(
            f"cannot differentiate 'scipy.interpolate.{function}' with method={method!r}",
            why="it is written out for linear interpolation",
            todo="Use method='linear', or splines along one axis after the other.",
        )


# Interpolators that were made before


@custom_vjp
def placed(spline: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    """The values of a spline, which is a constant."""
    return value_of(spline, x, nu, extrapolate)


@non_differentiable
def value_of(spline: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    return spline(x, nu=nu, extrapolate=extrapolate)


def placed_forward(spline: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    return placed(spline, x, nu, extrapolate), (spline, x, nu, extrapolate)


def placed_backward(saved: Any, b: Any) -> Any:
    spline, x, nu, extrapolate = saved
    b = along_first(b, spline, x)
    slopes = along_first(placed(spline, x, nu + 1, extrapolate), spline, x)
    return None, np.sum(b * slopes, axis=tuple(range(np.ndim(x), np.ndim(b)))), None, None


def placed_push(primals: Any, tangents: Any) -> Any:
    spline, x, nu, extrapolate = primals
    slopes = along_first(placed(spline, x, nu + 1, extrapolate), spline, x)
    moved = slopes * np.reshape(tangents[1], np.shape(x) + (1,) * (np.ndim(slopes) - np.ndim(x)))
    places = tuple(range(np.ndim(x)))
    return placed(spline, x, nu, extrapolate), np.moveaxis(moved, places, [spline.axis + k for k in places])


placed.defvjp(placed_forward, placed_backward)
placed.defjvp(placed_push)


def along_first(y: Any, spline: Any, x: Any) -> Any:
    """Values with the axes of the places before those of a value."""
    n = np.ndim(x)
    return np.moveaxis(y, tuple(range(spline.axis, spline.axis + n)), tuple(range(n)))


def called_spline(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    return placed(self, np.asarray(x), nu, extrapolate)


def called_grid(self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    require_linear("RegularGridInterpolator", self.method if method is None else method)
    return Grid(self.grid, self.values, self.bounds_error, self.fill_value)(xi)

