"""Second derivatives that run the function again, in forward mode, let it print once."""

import logging
import sys

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


LOG = logging.getLogger(__name__)


def told(y):
    print("told")
    sys.stdout.write("once\n")
    LOG.warning("twice")
    return np.sin(y)


BENDING = {"told": told, "plain": np.cos}


def bent(x, way="told"):
    """The callee is known at run time only."""
    a = x.copy()
    for i in range(2):
        sys.stdout.write(f"step {i}\n")
        LOG.warning("step %d", i)
        a = scale(a, BENDING[way](x[i]) * x[0])
    return np.sum(a * a)


def spoken(k):
    report(k)
    return k[:]


def looked_at(k):
    print("looked at")
    return spoken(k)[0] + 1.0


def beside(x):
    """What prints is called as it is: no derivative flows through it."""
    a, k = x.copy(), np.array([2.0, 3.0])
    a = scale(a, looked_at(k) * x[0])
    return np.sum(a * a) + looked_at(k)


@pytest.mark.parametrize("function", [scaled, bent, beside])
@pytest.mark.parametrize("second", [lambda f: vjp(vjp(f)), lambda f: jvp(vjp(f))])
def test_effects_of_a_second_derivative_happen_once(function, second, capsys, caplog):
    function(X)
    want, logged = capsys.readouterr().out, caplog.messages
    derivative, more = second(function), ("told",) if function is bent else ()
    for _ in range(4):
        caplog.clear()
        found = derivative(X, *more, 1.0, np.ones(4))
        assert capsys.readouterr().out == want
        assert caplog.messages == logged
    np.testing.assert_allclose(found, _difference(function, *more), rtol=1e-6)


def _difference(function, *more, h=1e-6):
    gradient = vjp(function)
    return (gradient(X + h, *more, 1.0) - gradient(X - h, *more, 1.0)) / (2.0 * h)
