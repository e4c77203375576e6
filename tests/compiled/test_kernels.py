"""Kernels as they are written for Numba: compiled and interpreted derivatives agree, to second order."""

import math

import numpy as np
import pytest

import tangent
from tangent import runtime
from tangent.backends.numba import init

numba = pytest.importorskip("numba")


def attractor(p, n):
    """Parameters and state come in one array, and are unpacked."""
    x, y, z, s, r, b = p
    for _ in range(n):
        x, y, z = x + 0.01 * s * (y - x), y + 0.01 * (x * (r - z) - y), z + 0.01 * (x * y - b * z)
    return x * x + y + z


def option_on_a_grid(s, sigma, steps):
    """Each step makes a new array."""
    v = np.maximum(s - 1.0, 0.0)
    for _ in range(steps):
        new = np.empty_like(v)
        new[0] = 0.0
        new[-1] = v[-1]
        for i in range(1, len(v) - 1):
            new[i] = v[i] + sigma**2 * s[i] ** 2 * (v[i + 1] - 2 * v[i] + v[i - 1])
        v = new
    return v[len(v) // 2] + v[1]


def two_buffers(u, steps):
    a = u.copy()
    b = np.zeros_like(a)
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = (a[i - 1] + a[i + 1]) * a[i]
        a, b = b, a
    return np.sum(a * a)


def likelihood(p, r):
    omega, alpha, beta = p
    h = omega
    total = 0.0
    for x in r:
        total -= math.log(h) + x * x / h
        h = omega + alpha * x * x + beta * h
    return total


def paths(p, draws):
    """A variance that is cut off at zero, where its root has no slope, lets nothing through there."""
    kappa, theta, xi, v0 = p
    total = 0.0
    for i in range(draws.shape[0]):
        v = v0
        for z in draws[i]:
            vp = max(v, 0.0)
            v += kappa * (theta - vp) + xi * np.sqrt(vp) * z
            total += np.sqrt(vp)
    return total


def within(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def clipped(x):
    """A function with two early returns, in a loop: the second branch is unset where the first one is taken."""
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * within(x[i], -0.5, 0.5) ** 2
    return s


def rates(state, s, r):
    x, y, z = state
    return s * (y - x), x * (r - z) - y, x * y - 2.5 * z


def three_numbers(p, n):
    """What a function unpacks may be numbers or lists until it is called."""
    x, y, z = p[0], p[1], p[2]
    for _ in range(n):
        k = rates((x, y, z), 10.0, 28.0)
        x, y, z = x + 0.01 * k[0], y + 0.01 * k[1], z + 0.01 * k[2]
    return x * x + y * z


def turned(w, p):
    """The first return leaves what the second one is computed from unset."""
    angle = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    if angle < 1e-12:
        return p + np.cross(w, p)
    k = w / angle
    return p * math.cos(angle) + np.cross(k, p) * math.sin(angle)


def turned_points(w, points):
    s = 0.0
    for i in range(points.shape[0]):
        x = turned(w[:3], points[i])
        s += x[0] * w[3] / x[2]
    return s


def part_of_an_item(x):
    t = (x[0] * x[1], x)
    return t[0] * t[1][2]


def rows_unpacked(p, n):
    y = np.empty((n + 1, 2))
    y[0, 0] = y[0, 1] = p[0]
    for i in range(n):
        a, b = y[i]
        y[i + 1, 0] = a + 0.1 * (p[1] * a - a * b)
        y[i + 1, 1] = b + 0.1 * (a * b - p[2] * b)
    return y[-1, 0] * y[-1, 1]


CASES = {
    turned_points: (np.array([0.3, -0.7, 0.9, 0.1]), np.array([[1.0, 2.0, 0.5], [0.3, 0.2, 1.5]])),
    part_of_an_item: (np.array([0.3, -0.7, 0.9]),),
    rows_unpacked: (np.array([0.3, 0.7, 0.9]), 3),
    clipped: (np.array([0.3, -0.7, 0.9, 0.1]),),
    three_numbers: (np.array([1.0, 2.0, 3.0]), 3),
    attractor: (np.array([1.0, 1.0, 1.0, 10.0, 28.0, 2.5]), 20),
    option_on_a_grid: (np.linspace(0.5, 1.5, 9), 0.2, 4),
    two_buffers: (np.linspace(0.2, 1.0, 7), 3),
    paths: (np.array([0.3, 0.04, 0.9, 0.05]), np.array([[0.5, -3.0, 0.2, 0.1], [-2.0, -1.0, 0.3, -0.4]])),
    likelihood: (np.array([0.1, 0.2, 0.6]), np.linspace(-0.5, 0.5, 9)),
}


@pytest.mark.parametrize("f", CASES)
def test_first_and_second_derivatives_agree(f):
    arguments = CASES[f]
    assert np.isfinite(tangent.grad(f)(*arguments)).all()
    for derive in (tangent.grad, tangent.hessian):
        want = derive(f)(*arguments)
        np.testing.assert_allclose(derive(f, compile="numba")(*arguments), want, rtol=1e-11, atol=1e-11)


def scaled(v, k):
    v *= k
    return v


def shifted(a):
    return a + 1.0


def number_scaled_by_a_callee(x):
    s = x[0] * x[1]
    r = scaled(s, x[2])
    return r * s


def result_of_a_callee_is_overwritten(x):
    y = shifted(x)
    y[0] *= 0.5
    y[1] = x[0] * x[1]
    y[2] *= y[1]
    return np.sum(y * x[0])


def kept_while_the_array_changes(x):
    a = x * x
    t = shifted(a)
    a *= x
    a[2] = 0.0
    return np.sum(t * a)


@pytest.mark.parametrize("f", [number_scaled_by_a_callee, result_of_a_callee_is_overwritten])
def test_memory_shared_with_callees(f):
    x = np.array([0.5, 1.5, -0.7])
    np.testing.assert_allclose(tangent.grad(f, compile="numba")(x), tangent.grad(f)(x), rtol=1e-12)
    tangent.check_grads(f, (x,))


def test_tangents_are_kept_as_copies():
    f, x = kept_while_the_array_changes, np.array([0.5, 1.5, -0.7])
    want = tangent.hessian(f)(x)
    np.testing.assert_allclose(tangent.hessian(f, compile="numba")(x), want, rtol=1e-12)


def test_tangents_of_items_are_added_in_place():
    """No array is copied at each step."""

    def total(x, n):
        s = 0.0
        for i in range(n):
            s += math.sin(x[i]) * x[i - 1]
        return s

    x = np.linspace(0.1, 1.0, 5)
    hvp = tangent.jvp(tangent.grad(total), compile="numba")
    np.testing.assert_allclose(hvp(x, 5, 1.0, np.ones(5)), tangent.hessian(total)(x, 5) @ np.ones(5), rtol=1e-12)
    assert "with_part" not in hvp.source


def about_one(x, b):
    w, v = np.linalg.eigh(x)
    return np.sum((v * (w - 1.0)) @ v.T * b)


def test_vectors_that_are_read_and_those_that_are_not_are_told_apart():
    """At equal values where the function is 0, nothing comes back to the vectors, and the derivative is not known."""
    x, b = np.eye(2), np.arange(4.0).reshape(2, 2)
    assert np.any(np.isnan(tangent.grad(about_one)(x, b)))
    assert np.any(np.isnan(tangent.grad(about_one, compile="numba")(x, b)))


def neighbours(x):
    y = x[::-1] * x
    return np.sum(y[:-1] * y[1:] * y[:-1])


@pytest.mark.parametrize("mode", [tangent.jvp, tangent.vjp])
def test_slices_are_loops_at_second_order_too(mode):
    x, along = np.array([0.5, 1.5, -0.7, 0.2]), np.array([0.3, -0.2, 0.5, 0.1])
    twice = mode(tangent.grad(neighbours), compile="numba")
    np.testing.assert_allclose(twice(x, 1.0, along), mode(tangent.grad(neighbours))(x, 1.0, along), rtol=1e-12)
    code = [line for line in twice.source.splitlines() if not line.strip().startswith("#")]
    assert not any(word in line for line in code for word in ("scatter", "add_item", "with_part", "slice("))


def tail_mean(x):
    """The mean of the smallest, squared."""
    y = np.sort(x)
    return np.mean(y[:2]) ** 2


def discounted(rates, times):
    return np.sum(np.exp(-np.interp(times, np.array([0.5, 1.0, 2.0]), rates) * times))


@pytest.mark.parametrize(
    "f, arguments",
    [(tail_mean, (np.array([0.5, 1.5, -0.7, 0.2]),)), (discounted, (np.ones(3), np.arange(0.2, 3, 0.5)))],
)
def test_sorted_and_interpolated(f, arguments):
    for derive in (tangent.grad, tangent.hessian):
        want = derive(f)(*arguments)
        np.testing.assert_allclose(derive(f, compile="numba")(*arguments), want, rtol=1e-12, atol=1e-12)


def test_structures_in_a_row():
    """What the compiled solutions of `tangent.implicit` are made with."""

    @numba.njit
    def doubled(x, a):
        rows = [runtime.to_vector((x, a)), runtime.to_vector(np.ones(5))]
        return np.stack(rows), runtime.from_vector(2.0 * rows[0], (x, a))

    init()
    rows, (x, a) = doubled(1.5, np.arange(4.0).reshape(2, 2))
    assert rows.tolist() == [[1.5, 0.0, 1.0, 2.0, 3.0], [1.0] * 5]
    assert x == 3.0 and a.tolist() == [[0.0, 2.0], [4.0, 6.0]]


def filtered(z, h, r):
    """What is known of numbers that come out of matrices: they are numbers."""
    x, p = np.zeros(2), np.eye(2)
    total = 0.0
    for t in range(z.shape[0]):
        e = z[t] - h @ x
        s = h @ p @ h.T + r
        inverse = np.linalg.inv(s)
        k = p @ h.T @ inverse
        x = x + k @ e
        p = (np.eye(2) - k @ h) @ p
        total -= 0.5 * (e @ inverse @ e) + 0.5 * np.log(np.linalg.det(s))
    return total


def test_arrays_that_become_numbers_and_arrays_again():
    z, h, r = np.array([[0.5, 1.0], [0.2, -0.3]]), np.array([[1.0, 0.2], [0.1, 0.8]]), np.eye(2)
    derivative = tangent.grad(filtered, wrt=(0, 1, 2), compile="numba")
    for got, want in zip(derivative(z, h, r), tangent.grad(filtered, wrt=(0, 1, 2))(z, h, r)):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    words = ("unbroadcast", "lazy_zero", "fit_matmul", "add_grad")
    assert not any(word in derivative.source for word in words)


@pytest.mark.parametrize("mode", [tangent.jvp, tangent.vjp])
def test_factors_of_cholesky(mode):
    def volume(a, b):
        return np.sum(np.linalg.cholesky(a @ a.T + np.eye(4)) * b)

    a, b = np.linspace(-1.0, 1.0, 16).reshape(4, 4) ** 2, np.arange(16.0).reshape(4, 4)
    seed = 1.0 if mode is tangent.vjp else b / 10
    want = mode(volume)(a, b, seed)
    np.testing.assert_allclose(mode(volume, compile="numba")(a, b, seed), want, rtol=1e-11, atol=1e-11)
