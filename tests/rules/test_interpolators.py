"""Interpolators of SciPy: values as SciPy has them, and derivatives by places, values and knots, to second order."""

import numpy as np
import pytest
from scipy import interpolate

import tangent
from tangent import check_grads
from tangent.errors import UnsupportedError
from tangent.rules.table import table

X = np.array([0.0, 1.0, 1.5, 3.0, 4.0])
Y = np.sin(X)
AT = np.array([0.3, 2.2, 3.9])
GRID = (X, X[:3])


def of_values(x, y, q):
    wavy = interpolate.CubicSpline(x, y)
    ends = interpolate.CubicSpline(x, np.stack([y, y * y]), axis=1, bc_type=("natural", (1, np.array([0.5, 0.0]))))
    return np.sum(wavy(q) * wavy(q, 1)) + np.sum(ends(q)) + wavy.integrate(0.2, q[0]) + wavy.derivative()(q[1])


def of_other_kinds(x, y, q):
    closed = np.concatenate([y[:-1], y[:1]])
    found = interpolate.PchipInterpolator(x, y)(q) * interpolate.CubicSpline(x, closed, bc_type="periodic")(q + 4.0)
    found = found + interpolate.CubicHermiteSpline(x, y, y * y)(q) * interpolate.interp1d(x, y)(q)
    return np.sum(found * interpolate.make_interp_spline(x, y)(q) * interpolate.interp1d(x, y, "cubic")(q))


def on_grids(x, y, q):
    points = np.stack([q, 0.3 * q], axis=-1)
    found = interpolate.RegularGridInterpolator((x, x[:3]), np.outer(y, y[:3]))(points)
    return np.sum(found * interpolate.interpn((x, x), np.outer(y, y), points[:, ::-1]))


@pytest.mark.parametrize("f", [of_values, of_other_kinds, on_grids], ids=lambda f: f.__name__)
def test_made_where_they_are_differentiated(f):
    check_grads(f, (X, Y, AT))
    check_grads(lambda y, q: f(X, y, q), (Y, AT), order=2, eps=1e-4, rtol=1e-4)


class Table:
    def __init__(self):
        self.smooth = interpolate.CubicSpline(X, np.stack([Y, Y * Y]), axis=1)

    def read(self, q):
        return np.sum(self.smooth(q) * q)


TABLE, KINKED = Table(), interpolate.RegularGridInterpolator(GRID, np.outer(Y, Y[:3]))
PCHIP, SPLINE = interpolate.PchipInterpolator(X, Y), interpolate.make_interp_spline(X, Y)


def made_before(q):
    slopes = PCHIP(q, 1) * SPLINE(q) * KINKED(np.stack([q, 0.3 * q], axis=-1))
    return TABLE.read(q) + np.sum(slopes)


def test_made_before():
    check_grads(made_before, (AT,), order=2, eps=1e-4, rtol=1e-4)
    check_grads(lambda q: PCHIP(q) ** 2, (1.2,))


ENDS = ["not-a-knot", "natural", "clamped", "periodic", ("natural", "not-a-knot")]


@pytest.mark.parametrize("bc_type", [*ENDS, ((1, np.array([0.2, 0.3])), (2, np.array([0.1, 0.5])))], ids=str)
def test_values(bc_type):
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 6):
        x, y = np.sort(4.0 * rng.random(n)), rng.normal(size=(n, 2))
        y[-1] = y[0] if bc_type == "periodic" else y[-1]
        for extrapolate in (None, True, False, "periodic"):
            for kind, options in ((interpolate.CubicSpline, {"bc_type": bc_type}), (interpolate.PchipInterpolator, {})):
                ours = table().written_out(kind)(x, y, extrapolate=extrapolate, **options)
                theirs = kind(x, y, extrapolate=extrapolate, **options)
                at = np.linspace(-1.0, 5.0, 13)
                np.testing.assert_allclose(ours(at), theirs(at), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    "f",
    [
        lambda y: interpolate.make_interp_spline(X, y, k=2)(1.0),
        lambda y: interpolate.interp1d(X, y, kind="quadratic")(1.0),
        lambda y: interpolate.RegularGridInterpolator((X,), y, method="cubic")([[1.0]])[0],
    ],
)
def test_what_is_refused(f):
    with pytest.raises(UnsupportedError, match=r"interpolate"):
        tangent.grad(f)(Y)
