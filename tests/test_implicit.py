"""Derivatives of solutions: by the equation, and by the steps that lead to them, are the same number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

import tangent
from tangent import grad, implicit, jvp
from tangent.errors import RuleError


def residual(x, a, b):
    return np.array([x[0] ** 3 + x[1] - a, x[0] + b[0] * x[1] + b[1] * x[1] ** 3 - 1.0])


def by_scipy(a, b):
    return optimize.root(residual, np.array([1.0, 1.0]), args=(a, b), tol=1e-13).x


def by_newton(a, b):
    x = np.array([1.0, 1.0])
    for _ in range(12):
        jacobian = np.array([[3.0 * x[0] ** 2, 1.0], [1.0, b[0] + 3.0 * b[1] * x[1] ** 2]])
        x = x - np.linalg.solve(jacobian, residual(x, a, b))
    return x


A, B = 2.0, np.array([0.7, 0.3])
root = implicit(by_scipy, residual)


def test_a_root_and_a_newton_loop():
    def loss(solve):
        return lambda a, b: np.sum(solve(a, b) * np.array([1.0, 2.0]))

    np.testing.assert_allclose(root(A, B), by_newton(A, B), rtol=1e-10)
    ours, theirs = grad(loss(root), (0, 1))(A, B), grad(loss(by_newton), (0, 1))(A, B)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9)
    np.testing.assert_allclose(jvp(root)(A, B, 1.0), jvp(by_newton)(A, B, 1.0), rtol=1e-9)


def test_second_order():
    tangent.check_grads(root, (A, B), order=2, eps=1e-5, rtol=1e-4)


def test_a_fixed_point():
    def step(x, w, c):
        return np.tanh(w @ x + c)

    def iterate(w, c):
        x = np.zeros_like(c)
        while np.max(np.abs(step(x, w, c) - x)) > 1e-14:
            x = step(x, w, c)
        return x

    found = implicit(iterate, fixed_point=step)
    w, c = 0.3 * np.arange(4.0).reshape(2, 2) - 0.3, np.array([0.5, -0.2])
    tangent.check_grads(found, (w, c), order=2)
    got = grad(lambda w, c: np.sum(found(w, c) ** 2))(w, c)
    np.testing.assert_allclose(got, grad(lambda w, c: np.sum(iterate(w, c) ** 2))(w, c), rtol=1e-9)


def test_an_argmin():
    def objective(x, target, weight):
        return np.sum((x - target) ** 2) + weight * np.sum(x**4)

    def minimise(target, weight):
        return optimize.minimize(objective, target, args=(target, weight), jac=grad(objective), tol=1e-14).x

    best = implicit(minimise, objective=objective)
    target, weight = np.array([1.0, -0.5]), 0.3
    tangent.check_grads(best, (target, weight), eps=1e-5, rtol=1e-4)
    x = best(target, weight)
    np.testing.assert_allclose(tangent.jacobian(best)(target, weight), np.diag(2 / (2 + 12 * weight * x**2)), rtol=1e-6)


def test_structures():
    def equations(x, p):
        return {"u": x["u"] ** 2 - p["a"], "v": x["v"] * x["u"] - np.array([1.0, p["b"][0]])}

    def solve(p):
        u = np.sqrt(p["a"])
        return {"u": u, "v": np.array([1.0, p["b"][0]]) / u}

    found, p = implicit(solve, equations), {"a": 4.0, "b": [3.0]}
    tangent.check_grads(found, (p,), order=2)
    got = grad(lambda p: found(p)["u"] * found(p)["v"][1])(p)
    assert got["a"] == pytest.approx(0.0, abs=1e-12) and got["b"] == pytest.approx([1.0])


def test_a_minimum_in_two_parts():
    def objective(x, t):
        p, q = x
        return np.sum((p - t) ** 2) + q**4 + q * t[0]

    best = implicit(lambda t: (t, -np.cbrt(t[0] / 4.0)), objective=objective)
    t = np.array([1.0, 2.0])
    np.testing.assert_allclose(tangent.jacobian(lambda t: best(t)[0])(t), np.eye(2), atol=1e-12)
    np.testing.assert_allclose(grad(lambda t: best(t)[1])(t), [-(0.25 ** (-2 / 3)) / 12, 0.0], rtol=1e-9)


def test_names_defaults_and_parameters_without_derivative():
    def power(x, a, n=2, kind="power"):
        return x**n - a if kind == "power" else x - a

    rooted = implicit(lambda a, n=2, kind="power": a ** (1 / n) if kind == "power" else a, power)
    assert grad(rooted)(4.0) == pytest.approx(0.25)
    assert grad(lambda a: rooted(a, n=3) * rooted(a, kind="same"))(8.0) == pytest.approx(2.0 + 8.0 / 12.0)
    assert jvp(rooted)(4.0, 2, "power", 1.0) == pytest.approx(0.25)


def test_numbers_and_what_is_refused():
    cube_root = implicit(lambda a: a ** (1 / 3), lambda x, a: x**3 - a)
    assert grad(cube_root)(8.0) == pytest.approx(1 / 12)
    assert grad(grad(cube_root))(8.0) == pytest.approx(-2 / 9 * 8 ** (-5 / 3))
    with pytest.raises(RuleError, match="one of them"):
        implicit(by_scipy)
    with pytest.raises(RuleError, match="has no parameters"):
        implicit(by_scipy, lambda x: x)
    with pytest.raises(RuleError, match=r"takes any number of parameters: '\*a'"):
        implicit(by_scipy, lambda x, *a: x)
