"""Versions know that arrays are as long as each other where one is computed from the other, whatever its length is."""

from __future__ import annotations

import numpy as np
import pytest

import tangent


def above(x):
    y = x[x > 0.5]
    return np.sum(np.sin(y) * y + 2.0 * y)


def above_in_a_loop(x):
    s, before = 0.0, x[:1]
    for k in range(3):
        y = x[x > 0.3 * k]
        s = s + np.sum(np.sin(y) * y) + np.sum(before * y)
        before = np.sum(y, keepdims=True) * before
    return s


def side_by_side(x):
    return np.sum(np.cos(np.repeat(x, 2))) + np.sum(np.sin(np.add.outer(x, x))) + np.sum(np.tanh(np.kron(x, x)))


def in_one(x):
    return np.sum(np.squeeze(x[x > 0.5]) ** 2)


@pytest.mark.parametrize("f", [above, above_in_a_loop, side_by_side, in_one])
@pytest.mark.parametrize("high", [0, 1, 2, 20])
def test_gradients_of_arrays_of_any_length(f, high):
    x = np.where(np.arange(20) < high, 0.95, 0.1) - 0.004 * np.arange(20)
    gradient = tangent.grad(f)
    expected = gradient(x)
    step = 1e-6 * np.eye(20)
    np.testing.assert_allclose(expected, [(f(x + d) - f(x - d)) / 2e-6 for d in step], rtol=1e-6, atol=1e-7)
    for _ in range(4):
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-12)


def test_what_is_as_long_needs_no_sum():
    for f in (above, side_by_side):
        assert "unbroadcast" not in tangent.grad(f).version(np.ones(20)).source
