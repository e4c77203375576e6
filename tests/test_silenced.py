"""Second derivatives that run the function again, in forward mode, let it print once."""

import numpy as np
import pytest

from tangent import jvp, vjp

X = np.array([0.7, 1.3, 0.4, 2.1])


def scale(a, s):
    print("scale")
    a *= s
    return a


def report(a):
    print("at", a[0])


def scaled(x):
    a = x.copy()
    for i in range(2):
        report(a)
        if i == 1:
            print("last")
        a = scale(a, x[i])
    return np.sum(a * a)


@pytest.mark.parametrize("second", [lambda: vjp(vjp(scaled)), lambda: jvp(vjp(scaled))])
def test_effects_of_a_second_derivative_happen_once(second, capsys):
    scaled(X)
    want = capsys.readouterr().out
    derivative = second()
    for _ in range(4):
        found = derivative(X, 1.0, np.ones(4))
        assert capsys.readouterr().out == want
    np.testing.assert_allclose(found, _difference(), rtol=1e-6)


def _difference(h=1e-6):
    gradient = vjp(scaled)
    return (gradient(X + h, 1.0) - gradient(X - h, 1.0)) / (2.0 * h)
