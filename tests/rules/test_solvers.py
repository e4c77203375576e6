"""Functions of SciPy that take functions: roots, minima, integrals, differential equations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import tangent
from tangent import check_grads
from tangent.errors import UnsupportedError

TIMES = np.linspace(0.0, 1.0, 4)
TIGHT = {"rtol": 1e-9, "atol": 1e-10}


# Equations


def cubic(x: Any, a: Any, b: Any) -> Any:
    return x**3 - a * x - b


def brackets(a, b):
    found = 0.0
    for k in range(2):
        found = found + optimize.brentq(lambda x: cubic(x, a, b) - k, 0.0, 4.0)  # noqa: B023
    return found * optimize.toms748(cubic, 0.0, 4.0, args=(a, b))


def steps(a, b):
    by_slope = optimize.newton(cubic, 2.0, fprime=lambda x, a, b: 3.0 * x * x - a, args=(a, b), tol=1e-13)
    fixed = optimize.fixed_point(lambda x: np.cos(a * x) * 0.5, 0.3, xtol=1e-13)
    return by_slope * fixed * optimize.root_scalar(lambda x: cubic(x, a, b), bracket=(0.0, 4.0)).root


def systems(a, b):
    def zero(x, a):
        return [x[0] ** 3 - a * x[1] - 1.0, x[1] - b * x[0]]

    found = optimize.root(zero, [1.0, 1.0], args=(a,), tol=1e-11)
    assert found.success
    return found.x @ optimize.fsolve(lambda x: np.array(zero(x, a)), np.ones(2), xtol=1e-13)


def minima(a, b):
    def loss(x, a):
        return np.sum((x - a) ** 2) + b * np.sum(x**4)

    def slope(x, a):
        return 2.0 * (x - a) + 4.0 * b * x**3

    found = optimize.minimize(loss, np.zeros(2), args=(a,), jac=slope, tol=1e-12, bounds=[(-5.0, 5.0)] * 2)
    return np.sum(found.x) * found.fun


def other_minima(a, b):
    one = optimize.minimize_scalar(lambda x: (x - a) ** 2 + b * x**4, tol=1e-13)
    rest = lambda x: np.array([x[0] * np.exp(x[1]) - a, x[0] - b, x[1] * a])  # noqa: E731
    fitted = optimize.least_squares(rest, [1.0, 0.1], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return one.x + fitted.x[0] * fitted.cost


def each_of_a_list(a, b):
    return sum([optimize.brentq(lambda x: cubic(x, c, b), 0.0, 4.0) for c in (a, 2.0 * a)])  # noqa: B023


# Integrals


def limits(a, b):
    value, _ = integrate.quad(lambda s: np.sin(a * s), a, b)
    return value * integrate.quad(lambda s, q: np.exp(-q * s * s), -np.inf, np.inf, args=(a,))[0]


def of_vectors(a, b):
    weights = np.array([a, b])
    return np.sum(integrate.quad_vec(lambda s: np.cos(weights * s), 0.0, b)[0] ** 2)


def of_integrals(a, b):
    return integrate.dblquad(lambda y, x: a * x * y * y, 0.0, b, 0.0, lambda x: 1.0 + a * x)[0]


@pytest.mark.parametrize(
    "f", [brackets, systems, minima, each_of_a_list, limits, of_vectors], ids=lambda f: f.__name__
)
def test_to_second_order(f):
    check_grads(f, (0.8, 1.1), order=2, eps=1e-4, rtol=1e-4)


@pytest.mark.parametrize("f", [steps, other_minima, of_integrals], ids=lambda f: f.__name__)
def test_to_first_order(f):
    check_grads(f, (0.8, 1.1), eps=1e-4, rtol=1e-4)


# Differential equations


def decay(t, y, a, b):
    return [-a * y[0] + b * np.sin(t), y[0] * y[1] * -b]


def trajectories(a, y0):
    found = integrate.solve_ivp(decay, (0.1, 1.0), y0, args=(a, 0.7), t_eval=TIMES[1:], **TIGHT)
    return np.sum(found.y**2) * integrate.odeint(lambda y, t: -a * y, y0, TIMES, **TIGHT)[-1, 0]


def until_a_time(a, y0):
    found = integrate.solve_ivp(lambda t, y: decay(t, y, a, a), [0.0, a], y0, method="LSODA", **TIGHT)
    return found.y[0, -1] * found.t[-1]


def test_differential_equations():
    check_grads(trajectories, (0.8, np.array([1.0, 0.5])), eps=1e-4, rtol=1e-4)


def test_differential_equations_to_second_order():
    check_grads(until_a_time, (0.8, np.array([1.0, 0.5])), order=2, eps=1e-4, rtol=1e-4)


def test_many_parameters_by_the_adjoint():
    def last(w, y0):
        return integrate.odeint(lambda t, y: np.tanh(w @ y), y0, TIMES, tfirst=True, **TIGHT)[1:] @ np.arange(5.0)

    args = 0.1 * np.arange(25.0).reshape(5, 5) - 1.0, np.linspace(0.5, 1.0, 5)
    check_grads(lambda w, y0: np.sum(last(w, y0)), args)


def stiff(t, y, k):
    return [-k * y[0] + 1e4 * y[1] * y[2], k * y[0] - 3e7 * y[1] ** 2 - 1e4 * y[1] * y[2], 3e7 * y[1] ** 2]


def test_stiff_equations(monkeypatch):
    def burnt(k, method="BDF"):
        found = integrate.solve_ivp(stiff, (0.0, 4.0), [1.0, 0.0, 0.0], method, args=(k,), rtol=1e-7, atol=1e-10)
        return found.y[2, -1]

    expected = (burnt(0.0404) - burnt(0.0396)) / 0.0008
    assert tangent.grad(burnt)(0.04) == pytest.approx(expected, rel=1e-4)
    assert tangent.jvp(burnt)(0.04, dk=1.0) == pytest.approx(expected, rel=1e-4)
    monkeypatch.setattr("tangent.solvers.integrate.FEW", 0)
    with pytest.raises(UnsupportedError, match="too stiff"):
        tangent.grad(burnt)(0.04, "LSODA")


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda a: optimize.brentq(cubic, 0.0, 4.0, (a, 1.0), full_output=True)[0], "full_output"),
        (lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.5], bounds=[(0.0, 0.6)]).x[0], "meets a bound"),
        (lambda a: optimize.root(lambda x: x * x + a, [1.0]).x[0], "finds no solution"),
        (lambda a: optimize.fsolve(lambda x: x * x + a, 1.0)[0], "finds no solution"),
        (lambda a: optimize.fsolve(lambda x: x * x - a, 1.0, full_output=True)[0][0], "full_output"),
        (lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 4.0, disp=False), "disp=False"),
        (lambda a: integrate.quad(lambda s: a * s, 0.0, 1.0, weight="cos", wvar=2.0)[0], "weight"),
        (lambda a: integrate.solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], dense_output=True).y[0, -1], "dense_output"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(f, what):
    with pytest.raises(UnsupportedError, match=what):
        tangent.grad(f)(1.1)
    with pytest.raises(UnsupportedError, match=what):
        tangent.jvp(f)(1.1, 1.0)


def test_derivatives_of_the_function_are_found_where_it_stands():
    with pytest.raises(tangent.TangentError) as told:
        tangent.grad(lambda a: optimize.brentq(lambda x: float(str(x)) - a, 0.0, 4.0))(1.1)
    assert re.search(r"test_solvers\.py:\d+", str(told.value))


def test_scopes_of_rules_know_what_is_imported_in_them():
    with tangent.rules({}):
        assert tangent.grad(lambda a: optimize.ridder(cubic, 0.0, 4.0, (a, 1.0)))(1.1) > 0.1
