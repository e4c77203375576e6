"""Functions without derivatives that write: what they write is a constant, what they overwrite gets nothing."""

import numpy as np
import pytest

import tangent
from tangent import grad, hvp, jvp, stop_gradient

X, V = np.array([0.5, 1.2, 0.9]), np.array([1.0, -0.5, 2.0])


@tangent.non_differentiable
def one(out, a):
    out[1] = np.round(a[0] * 3.0)


@tangent.non_differentiable
def added(out, a):
    out[1:] -= a[1:]
    out *= a


def helper(out, v):
    view = out[1:]
    view[:] = view * v[1:]


@tangent.non_differentiable
def by_helper(out, a):
    helper(out, a)
    np.multiply(out, 2.0, out=out)
    return a * 2.0, out


@tangent.non_differentiable
def noted(log, a):
    log.append(a[1])


class Average:
    def __init__(self, w):
        self.w, self.n, self.last = w, 0, []

    @tangent.non_differentiable
    def update(self, a):
        self.w = self.w * 0.5 + a
        self.n += 1
        self.last.append(a[0])


def an_element(x):
    out = x * 2.0
    q = np.sum(out * x)
    one(out, x)
    return np.sum(out * x) + q


def an_element_by_hand(x):
    level = stop_gradient(np.round(x[0] * 3.0))
    return 2.0 * x[0] * x[0] + level * x[1] + 2.0 * x[2] * x[2] + np.sum(2.0 * x * x)


def operators_in_place(x):
    out, h = np.ones(3), x
    for _ in range(3):
        added(out, h)
        h = h + 0.1 * out * h
        out[2] = h[0]
    return np.sum(h * h)


def operators_in_place_by_hand(x):
    out, h = np.ones(3), x
    for _ in range(3):
        out = stop_gradient((out - np.array([0.0, 1.0, 1.0]) * h) * h)
        h = h + 0.1 * out * h
        out = np.array([out[0], out[1], h[0]])
    return np.sum(h * h)


def a_helper(x):
    out = x * 2.0
    doubled, same = by_helper(out, x)
    return np.sum(doubled * x) + np.sum(same * x) + np.sum(out * x)


def a_helper_by_hand(x):
    out = stop_gradient(np.array([4.0 * x[0], 4.0 * x[1] * x[1], 4.0 * x[2] * x[2]]))
    return np.sum(stop_gradient(2.0 * x) * x) + 2.0 * np.sum(out * x)


def a_list(x):
    log = [x[0]]
    noted(log, x)
    return log[0] * log[1] * x[2]


def a_list_by_hand(x):
    return x[0] * stop_gradient(x[1]) * x[2]


def an_object(x):
    average = Average(x * 2.0)
    y = np.sum(average.w * x)
    average.update(x)
    return y + np.sum(average.w * x) * average.n + average.last[0] * x[1]


def an_object_by_hand(x):
    return np.sum(2.0 * x * x) + np.sum(stop_gradient(2.0 * x) * x) + stop_gradient(x[0]) * x[1]


PROGRAMS = [
    (an_element, an_element_by_hand), (operators_in_place, operators_in_place_by_hand), (a_helper, a_helper_by_hand),
    (a_list, a_list_by_hand), (an_object, an_object_by_hand),
]  # fmt: skip


@pytest.mark.parametrize("f, by_hand", PROGRAMS, ids=lambda f: f.__name__)
def test_what_they_write_is_a_constant(f, by_hand):
    assert np.isclose(f(X.copy()), by_hand(X), rtol=1e-14)
    want = grad(by_hand)(X)
    np.testing.assert_allclose(grad(f)(X), want, rtol=1e-12)
    np.testing.assert_allclose(grad(f, optimized=False)(X), want, rtol=1e-12)
    assert np.isclose(jvp(f)(X, V), np.sum(want * V), rtol=1e-12)
    if f is not an_object:  # which takes long
        np.testing.assert_allclose(hvp(f)(X, V), hvp(by_hand)(X, V), rtol=1e-12)


def test_compiled():
    np.testing.assert_allclose(grad(an_element, compile="numba")(X), grad(an_element_by_hand)(X), rtol=1e-12)


def test_in_a_scope():
    def g(x):
        out = x * 2.0
        helper(out, x)
        return np.sum(out * x)

    with tangent.rules({helper: tangent.non_differentiable}):
        cut = grad(g)
    np.testing.assert_allclose(cut(X), [4.0 * X[0], 2.0 * X[1] ** 2, 2.0 * X[2] ** 2])
    np.testing.assert_allclose(grad(g)(X), [4.0 * X[0], 6.0 * X[1] ** 2, 6.0 * X[2] ** 2])


def test_operators_in_place_on_what_others_may_hold_are_refused():
    @tangent.non_differentiable
    def change(rows, a):
        rows[0] += a

    def f(x):
        rows = [x * 2.0, x * 3.0]
        change(rows, x)
        return np.sum(rows[0] * x)

    with pytest.raises(tangent.TangentError, match="an operator in place"):
        grad(f)(X)


@tangent.non_differentiable
def sorted_in_place(out, a):
    out[0] = a[1]
    out.sort()


def test_what_is_only_moved_would_be_no_constant():
    def f(x):
        out = x * 2.0
        sorted_in_place(out, x)
        return np.sum(out * x)

    with pytest.raises(tangent.TangentError, match="'sorted_in_place': it has no derivative, and changes its argument"):
        grad(f)(X)
