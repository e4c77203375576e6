"""Kernels of elementwise rules at zeros, infinities and nan: compiled as interpreted."""

import numpy as np
import pytest

import tangent
from tangent import runtime
from tangent.backends.numba import init

numba = pytest.importorskip("numba")

VALUES = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("kernel", [runtime.ratio, runtime.cosine])
def test_special_values(kernel):
    init()
    compiled = numba.njit(lambda x, y: kernel(x, y))
    with np.errstate(all="ignore"):
        for x, y in ((VALUES[:, None], VALUES), (0.0, VALUES)):
            np.testing.assert_array_equal(compiled(x, y), kernel(x, y))


def spread_out(x):
    return np.prod(x) * np.std(x)


def test_second_derivatives_of_products_and_deviations():
    x = np.array([0.4, 0.0, 1.3])
    twice = tangent.jvp(tangent.grad(spread_out), compile="numba")
    np.testing.assert_allclose(twice(x, 1.0, x), tangent.jvp(tangent.grad(spread_out))(x, 1.0, x), rtol=1e-12)


def between(x, low):
    return np.sum(np.clip(x, low, low + 1.0) ** 2)


def test_bounds_that_are_larger_than_what_is_clipped():
    """Numba's own `np.clip` gives an array of the shape of the first argument."""
    x, low = np.array([[0.7], [-0.3]]), np.array([[0.2, -0.6, -1.8]])
    value, gradients = tangent.value_and_grad(between, wrt=(0, 1), compile="numba")(x, low)
    assert value == pytest.approx(between(x, low), rel=1e-12)
    for got, want in zip(gradients, tangent.grad(between, wrt=(0, 1))(x, low)):
        np.testing.assert_allclose(got, want, rtol=1e-12)
