"""Kinds that versions follow: stacks of matrices, masks, dtypes that are asked for; the same numbers as raw code."""

import math

import numpy as np
import pytest

import tangent
from tangent.runtime import winners

RNG = np.random.default_rng(0)
STACK, WEIGHTS, MATRIX = RNG.normal(size=(4, 5, 3)), 0.3 * RNG.normal(size=(3, 3)), RNG.normal(size=(9, 6))


def attention(x, w):
    q, k = x @ w, x @ (w * w)
    s = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return np.sum((p @ x) ** 2)


def turned(x, w):
    y = np.transpose(x, (1, 0, 2)) @ w
    z = np.reshape(y, (10, 6)) * 2.0
    both = np.hstack((z, z * z))
    return np.sum(np.stack((both, both + 1.0), axis=1) ** 2)


def correlation(data):
    m = data.shape[1]
    spread = np.std(data, axis=0)
    spread[spread <= 0.1] = 1.0
    scaled = (data - np.mean(data, axis=0)) / spread
    found = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        found[i + 1 :, i] = found[i, i + 1 :] = scaled[:, i] @ scaled[:, i + 1 :]
    return np.sum(found**3)


def masked(a):
    m = a > 0.2
    b = a.copy()
    b[m] = b[m] ** 1.5
    c = np.where(m, b, a * a) + m
    return np.sum(np.flip(c) * np.roll(c, 1))


def halves(a):
    out = np.zeros(len(a), dtype=a.dtype)
    n = len(a)
    while n > 1:
        for i in range(n // 2):
            out[i] = a[i, 0] * a[i + n // 2, 1] + out[n % 3]
        n = n // 2
    return np.sum(out * out)


def normed(x, eps=1e-3):
    return (x - np.mean(x, axis=0)) / np.sqrt(np.var(x, axis=0) + eps)


def blocks(a):
    """The callee has a default, and is called twice."""
    t = normed(a)
    return np.sum(np.maximum(normed(t * t), 0) ** 2) + np.sum(t[:, np.newaxis] * t[:, :, None])


def largest(a):
    best = 0.0
    for i in range(len(a)):
        best = max(best, a[i, 0] + 0.5 * best)
    return best * best


def rows(a, x):
    total = 0.0
    for row, y in zip(a, x):
        for i, v in enumerate(row):
            total += v * y[i % 3]
    return total * total


CASES = [
    (attention, (STACK, WEIGHTS)), (turned, (STACK, WEIGHTS)), (correlation, (MATRIX,)), (masked, (MATRIX,)),
    (halves, (MATRIX,)), (blocks, (MATRIX,)), (largest, (MATRIX,)), (rows, (MATRIX, MATRIX[:, :3])),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("f, args", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_versions_compute_what_raw_code_does(f, args, dtype):
    args = tuple(a.astype(dtype) for a in args)
    wrt = tuple(range(len(args)))
    expected = tangent.grad(f, wrt=wrt, optimized=False)(*args)
    found = tangent.grad(f, wrt=wrt).version(*args)(*args)
    for a, b in zip(*((x,) if len(args) == 1 else x for x in (found, expected))):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9 if dtype == "f8" else 1e-3, atol=1e-12 if dtype == "f8" else 1e-3)


@pytest.mark.parametrize("f, args", [CASES[i] for i in (0, 2, 4)], ids=lambda v: getattr(v, "__name__", ""))
def test_nothing_is_asked_at_run_time(f, args):
    source = tangent.grad(f, wrt=tuple(range(len(args)))).version(*args).source
    asked = ("unbroadcast", "_adjoint_", "lazy_zero", "init_grad", "add_part", "add_at", "check_seed")
    assert not any(name in source for name in asked), source


def distances(x, y):
    d = x[:, None, :] - y[None, :, :]
    return np.sum(np.exp(-np.sum(d * d, axis=2)) + np.sum(d**2, axis=-1))


def test_products_that_are_summed_along_a_short_axis_make_no_array():
    x, y = RNG.normal(size=(60, 5)), RNG.normal(size=(70, 5))
    version = tangent.grad(distances, wrt=(0, 1)).version(x, y)
    lines = [line for line in version.source.splitlines() if "#" not in line]
    assert sum("np.einsum('ijk,ijk->ij', d, d)" in line for line in lines) == 1 and not any(
        "np.sum" in line for line in lines
    )
    for a, b in zip(version(x, y), tangent.grad(distances, wrt=(0, 1), optimized=False)(x, y)):
        np.testing.assert_allclose(a, b, rtol=1e-11)
    assert "einsum" not in tangent.grad(distances).version(x[:3], y[:3]).source


def test_who_wins_a_maximum():
    a = np.array([[1.0, 3.0, 3.0], [np.nan, 2.0, 1.0], [0.0, 0.0, 5.0], [1.0, 1.0, 1.0]])
    found = winners(np.max(a, axis=1), a, 1)
    assert found.tolist() == [[0, 0.5, 0.5], [0, 0, 0], [0, 0, 1], [1 / 3] * 3]
    both = np.array([[1.0, 1.0], [np.nan, 0.0]])  # as many winners as rows
    assert winners(np.max(both, axis=1), both, 1).tolist() == [[0.5, 0.5], [0, 0]]
    assert winners(np.max(a[2:3], axis=1), a[2:3], 1).tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("shape", [(18, 40, 30), (18, 30, 40)], ids=str)
def test_the_shorter_of_two_axes_is_not_always_the_same(shape):
    def diagonals(x):
        return np.sum(np.diagonal(x, axis1=1, axis2=2))

    x = RNG.normal(size=shape)
    assert np.array_equal(tangent.grad(diagonals).version(x)(x), tangent.grad(diagonals, optimized=False)(x))


@pytest.mark.parametrize("n", [3, 20])
def test_the_triangle_of_a_vector_is_a_matrix(n):
    def weighed(x):
        return np.sum(np.tril(x)) + np.sum(np.triu(x, 1))

    x = np.arange(1.0, n + 1.0)
    assert np.array_equal(tangent.grad(weighed).version(x)(x), tangent.grad(weighed, optimized=False)(x))


def test_an_axis_that_a_mask_decides_about_may_be_left_out():
    def near(x, w, chosen):
        return np.sum(np.squeeze(x[chosen]) + w)

    x, w, rows = RNG.normal(size=(20, 3)), RNG.normal(size=3), np.arange(20)
    gradient, raw = (tangent.grad(near, ("x", "w"), optimized=o) for o in (True, False))
    for count in (5, 5, 5, 5, 1):
        for a, b in zip(gradient(x, w, rows < count), raw(x, w, rows < count)):
            assert a.shape == b.shape and np.allclose(a, b)
