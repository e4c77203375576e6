"""Functions of the user that are called like those which compiled text knows by their names."""

import numpy as np
import pytest

import tangent

pytest.importorskip("numba")


def ratio(a, i):
    """Called like a function of Tangent's that only computes."""
    a[i] += 1.0
    return a[i]


def len(x):
    return x.shape[0] - 1


def counted_by_a_namesake(x, counts):
    before = counts[0]
    k = ratio(counts, 0)
    after = counts[0]
    s = 0.0
    for i in range(len(x)):
        s += x[i] * after * k * x[i] + before
    return s


def small_with_a_namesake(x):
    p = np.array([x[0], x[1], x[2]])
    q = p * p
    return q[0] * len(p) + q[1] * x[2]


def test_functions_called_like_those_that_compiled_text_knows():
    x = np.array([0.5, 0.7, 0.9])
    want = tangent.value_and_grad(counted_by_a_namesake)(x, np.zeros(2))
    got = tangent.value_and_grad(counted_by_a_namesake, compile="numba")(x, np.zeros(2))
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-12)
    got = tangent.grad(small_with_a_namesake, compile="numba")(x)
    np.testing.assert_allclose(got, tangent.grad(small_with_a_namesake)(x), rtol=1e-12)
