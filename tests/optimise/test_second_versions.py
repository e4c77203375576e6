"""Versions of second derivatives: tangents of sums at parts are made in place where an array is given up."""

import numpy as np
import pytest

import tangent

X = np.array([0.7, 1.3, 0.4, 1.1, 0.9, 0.6])
V = np.array([0.3, -0.6, 0.8, 1.1, -0.2, 0.5])


def lorenz(x):
    y = x[:3]
    for _ in range(4):
        y = y + 0.1 * np.array([y[1] - y[0], y[0] * (2.0 - y[2]), y[0] * y[1]])
    return np.sum(y * y)


def neighbours(x):
    total = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:])):  # noqa: RUF007
        total += a * b * b / (i + 1)
    return total


def transposed(x):
    m, total = x.reshape(2, 3), 0.0
    for i in range(2):
        for j in range(2):
            total += m[i][j] ** 2 * m[j][i]
    return total


def diffused(x):
    u = x.copy()
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i]
        u = v
    return np.sum(u * u)


def rows(x):
    out = np.zeros((4, 2))
    out[0] = x[:2]
    for k in range(3):
        out[k + 1] = out[k] + 0.1 * np.array([out[k, 1], -(out[k, 0] ** 3)])
    return np.sum(out * out)


def kept(x):
    """Each version of an array is used later, too."""
    y, states = x * x, []
    for i in range(3):
        y = y + 0.1 * np.array([y[1] * y[0], y[2], y[0], y[3], y[4] * y[i], y[5]])
        states.append(y)
    return np.sum(states[0] * states[1] * states[2])


def descended(y, m, w):
    for _ in range(3):
        w -= np.dot(np.exp(-y * np.dot(m, w)) * y, m)
    return w


def descent(x):
    """A helper that changes what may be a number as well as an array."""
    return np.sum(descended(x[4:], x[:4].reshape(2, 2), x[4:] * 0.1) ** 2)


def scale_first_row(a, v):
    a.reshape(2, 3)[0] *= v[0]


def scaled(x):
    """What a helper keeps is a tuple in a tuple, which is one thing."""
    a = np.sin(x)
    b = a * x
    scale_first_row(a, b)
    return np.sum(a * a * b)


def chained(b):
    r = b.copy()
    r[0] *= r[1]
    r[1] *= b[2]
    return r


def handed_on(step, y):
    return step(y)


def handed(x):
    """What a helper's helper gives, and puts back, has another name here."""
    y = x * x
    for _ in range(2):
        q = handed_on(chained, y)
        y = q.reshape(6) * y
    return np.sum(q * y)


def lengthened(x):
    """What a gradient is cleared of is read before, also in a line that returns it."""
    y = tangent.setitem(x, slice(0, 2), x[4:] * 2.0)
    y = tangent.append(y, y[0] * y[1])
    return np.sum(y * W)


W = np.arange(1.0, 8.0)
PROGRAMS = [lorenz, neighbours, transposed, diffused, rows, kept, descent, scaled, handed, lengthened]


@pytest.mark.parametrize("f", PROGRAMS)
def test_mixtures_agree_with_differences(f):
    gradient = tangent.grad(f)
    expected = (gradient(X + 1e-5 * V) - gradient(X - 1e-5 * V)) / 2e-5
    forward, reverse = tangent.jvp(gradient), tangent.vjp(gradient)
    for _ in range(4):
        np.testing.assert_allclose(forward(X, 1.0, V), expected, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(reverse(X, 1.0, V), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS[:5])
def test_nothing_is_copied_to_be_added_to(f):
    text = tangent.jvp(tangent.grad(f)).version(X, 1.0, V).source
    assert not any(asked in text for asked in ("with_part", "with_cell", "unbroadcast", "add_at", "sequence"))


def test_zeros_of_zeros_are_zeros():
    text = tangent.jvp(tangent.grad(neighbours)).source
    assert "init_grad(items)" in text and "init_grad(bitems)" not in text


def test_stores_by_floats_keep_a_list_of_floats():
    def products(xs):
        ys = list(xs)
        for i in range(1, len(ys)):
            ys[i] = ys[i] * ys[i - 1]
        ys[0] += ys[-1]
        return ys[-1] * ys[0]

    gradient = tangent.grad(products)
    text = gradient.version([1.0, 2.0, 3.0]).source
    assert "check_seed" not in text and "init_grad" not in text
    for _ in range(4):
        assert gradient([1.0, 2.0, 3.0]) == [84.0, 39.0, 26.0]


def test_other_stores_make_another_list():
    def mixed(xs):
        ys = list(xs)
        ys[1] += np.array([1.0, 2.0]) * ys[0]
        return np.sum(ys[1] * ys[2]) * ys[0]

    gradient = tangent.grad(mixed)
    for _ in range(4):
        np.testing.assert_allclose(gradient([1.0, 2.0, 3.0]), [30.0, 6.0, 7.0])
