"""Functions that Numba has vectorised are refused where they stand; arrays without axes are arrays."""

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError, MissingRuleError

numba = pytest.importorskip("numba")
X = np.array([0.5, 1.2, 0.7])


@numba.vectorize
def squared(x):
    return x * x


@numba.guvectorize([(numba.float64[:], numba.float64[:])], "(n)->()")
def summed(x, out):
    out[0] = x.sum()


def elementwise(x):
    return np.sum(squared(x))


def generalised(x):
    return summed(x) * 2.0


@numba.stencil
def neighbours(a):
    return a[-1] + a[1]


def stencil(x):
    return np.sum(neighbours(x))


def into_an_array(x):
    y = np.zeros(3)
    squared(x, y)
    return np.sum(y) + np.sum(x)


@pytest.mark.parametrize("options", [{}, {"compile": "numba"}], ids=["interpreted", "compiled"])
def test_what_numba_has_vectorised_is_refused_with_its_line(options):
    for f, name in ((elementwise, "squared"), (generalised, "summed"), (stencil, "neighbours")):
        for derivative, given in ((tangent.grad, (X,)), (tangent.jvp, (X, X))):
            with pytest.raises(MissingRuleError, match=rf"test_vectorized.py:\d+: no rule for '{name}\b"):
                derivative(f, **options)(*given)
    with pytest.raises(InPlaceError, match=r"test_vectorized.py:\d+: .*'squared\(x, y\)'"):
        tangent.grad(into_an_array, **options)(X)


def test_what_does_not_depend_on_the_input_may_be_vectorised():
    np.testing.assert_array_equal(tangent.grad(lambda x: np.sum(x) * np.sum(squared(np.ones(2))))(X), np.full(3, 2.0))


def without_axes(x):
    a = np.zeros(())
    b = a
    b += x[2]
    a *= b
    return a * x


def test_arrays_without_axes_are_written_in_place():
    found, plain = tangent.jvp(without_axes, compile="numba"), tangent.jvp(without_axes)
    np.testing.assert_allclose(found(X, np.ones(3)), plain(X, np.ones(3)), rtol=1e-12)
