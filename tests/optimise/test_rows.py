"""Arrays that go from version to version: written in place where only the last is used, with the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tangent
from tangent import PersistentArray, append, setitem


def lattice(x, v, n, m):
    for i in range(n):
        x = append(x, x[i])
        for j in range(m):
            x = setitem(x, m + i, np.add(x[m + i], x[j]))
    return np.mean(x)


def products(x, v, n, m):
    for i in range(n):
        x = append(x, x[i] * v)
        for j in range(m):
            x = setitem(x, m + i, np.multiply(x[m + i], x[j]))
    return np.sum(x * x)


def same_row_twice(x, v, n, m):
    """The row that is written may be the one that is read."""
    for i in range(n):
        for j in range(m):
            x = setitem(x, i, np.multiply(x[i], x[j]))
    return np.sum(np.sin(x))


def from_the_end(x, v, n, m):
    for _ in range(n):
        x = setitem(x, -1, x[-1] * x[-2])
        x = append(x, np.sin(x[-1]) + v)
    return np.sum(x[-1] * x[0]) + np.mean(x)


def two_changes(x, v, n, m):
    for i in range(n):
        a = x[i]
        x = setitem(x, i, a * x[i + 1])
        b = x[i]
        x = setitem(x, i + 1, b * a)
        for j in range(m):
            x = setitem(x, j, x[j] * x[i])
    return np.sum(x * x)


def read_before_and_behind(x, v, n, m):
    s = 0.0
    for i in range(n):
        a = x[i] * x[1]
        for j in range(m):
            x = setitem(x, j, np.multiply(x[j], x[i + 1]))
        s = s + np.sum(a * x[0])
        x = append(x, a * x[m])
    return np.sum(x * x) + s


def slices(x, v, n, m):
    for _ in range(n):
        x = setitem(x, slice(0, 2), x[1:3] * x[:2])
        x = setitem(x, slice(1, 3), x[:2] * v)
    return np.sum(np.cos(x))


def branches(x, v, n, m):
    for k in range(n):
        if k == 1:
            x = setitem(x, k, x[0] * x[2])
        else:
            x = append(x, x[k] * v)
    return np.sum(x * x)


def while_loop(x, v, n, m):
    k = 0
    while k < n:
        x = setitem(x, k, np.tanh(x[k] * x[k + 1]))
        k = k + 1
    return np.sum(x * x)


def shorter_loops(x, v, n, m):
    for i in range(n):
        for j in range(i):
            x = setitem(x, i, x[i] * x[j])
    return np.sum(x * x)


def counted_down(x, v, n, m):
    for i in reversed(range(n)):
        x = setitem(x, i, x[i] * x[i + 1])
    for i in range(n):
        x = setitem(x, i, x[i] * x[i + 1])
    return np.sum(x * x)


def old_version_used(x, v, n, m):
    y = x
    for i in range(n):
        x = setitem(x, i, x[i] * y[i + 1])
    return np.sum(x * y)


def versions_kept(x, v, n, m):
    s = 0.0
    for i in range(n):
        s = s + np.sum(np.sin(x * x))
        x = setitem(x, i, x[i] * v)
    return s


def made_inside(x, v, n, m):
    z = PersistentArray(np.zeros((1, 3)))
    for i in range(n):
        z = append(z, v * z[i] + np.cos(v))
    return np.sum(z * z) + np.sum(x * x)


def in_a_helper(x, v, n, m):
    for i in range(n):
        x = step(x, i, v)
    return np.sum(x * x)


def step(x, i, v):
    x = append(x, x[i] * v)
    return setitem(x, 0, x[0] * x[i + 1])


def beside_arrays(x, v, n, m):
    a = np.zeros((4, 3))
    for i in range(n):
        a[i] = x[i] * v
        x = setitem(x, i, a[i] * a[0])
        a[0] += x[i + 1]
    return np.sum(x * x) + np.sum(a * a)


IN_PLACE = [
    lattice, products, same_row_twice, from_the_end, two_changes, read_before_and_behind, slices, branches, while_loop,
    shorter_loops, counted_down, made_inside, beside_arrays, in_a_helper,
]  # fmt: skip
PROGRAMS = [*IN_PLACE, old_version_used, versions_kept]
RANDOM = np.random.default_rng(3)
X, V, DX, DV = (RANDOM.uniform(-0.9, 0.9, s) for s in ((5, 3), 3, (5, 3), 3))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("kind", [PersistentArray, np.array])
def test_versions_compute_the_same(f, kind):
    x = kind(X)
    gradient, push = tangent.grad(f, wrt=(0, 1)), tangent.jvp(f, wrt=(0, 1))
    for n, m in ((3, 2), (0, 0), (2, 0), (1, 3)):
        expected = gradient.plain(X, V, n, m)
        for _ in range(2):
            for found, wanted in zip(gradient.version(x, V, n, m)(x, V, n, m), expected):
                assert type(found) is np.ndarray
                assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
        slope = sum(np.sum(b * d) for b, d in zip(expected, (DX, DV)))
        assert_allclose(push.version(x, V, n, m, DX, DV)(x, V, n, m, DX, DV), slope, rtol=1e-9, atol=1e-12)
    assert_array_equal(np.asarray(x), X)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_right(f):
    tangent.check_grads(f, (X, V, 3, 2), wrt=(0, 1))


@pytest.mark.parametrize("f", [lattice, products, two_changes, branches, in_a_helper, beside_arrays])
@pytest.mark.parametrize("kind", [PersistentArray, np.array])
def test_second_derivatives(f, kind):
    first = tangent.grad(f)
    step = 1e-6
    expected = (first(X + step * DX, V, 3, 2) - first(X - step * DX, V, 3, 2)) / (2 * step)
    for _ in range(4):
        assert_allclose(tangent.jvp(first, wrt=(0,))(kind(X), V, 3, 2, 1.0, DX), expected, rtol=1e-6, atol=1e-7)
        assert_allclose(tangent.grad(first)(kind(X), V, 3, 2, 1.0, DX), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_which_are_written_in_place(f):
    source = tangent.grad(f, wrt=(0, 1)).version(PersistentArray(X), V, 3, 2).source
    assert ("with_room" in source) == (f in IN_PLACE)


def test_what_a_step_of_the_listing_costs():
    """One addition a step in each pass, and of products one row kept."""
    source = tangent.grad(lattice).version(PersistentArray(X), V, 3, 2).source
    assert "            x[m + i] += x[j]\n" in source and "            bx[j] += bx[m + i]\n" in source
    source = tangent.grad(products).version(PersistentArray(X), V, 3, 2).source
    assert "stack" not in source and source.count("_kept[i, j]") == 2


def test_errors_stay():
    def wrong(x, v, n):
        for i in range(n):
            x = setitem(x, i, x[:2, 0])
        return np.sum(x)

    gradient = tangent.grad(wrong)
    for _ in range(5):
        with pytest.raises(tangent.errors.ShapeError, match=r"the value has shape \(2,\), the place for it \(3,\)"):
            gradient(PersistentArray(X), V, 2)
    for _ in range(5):
        with pytest.raises(IndexError):
            tangent.grad(products)(PersistentArray(X), V, 1, 9)


def test_numbers_and_other_dtypes():
    def of_numbers(x, n):
        for i in range(n):
            x = setitem(x, i, x[i] * x[i + 1])
            x = append(x, np.sin(x[i]))
        return np.sum(x * x)

    gradient = tangent.grad(of_numbers)
    for x in (X[:, 0].copy(), X[:, 0].astype(np.float32)):
        expected = gradient.plain(x, 3)
        for kind in (PersistentArray, np.array):
            found = gradient.version(kind(x), 3)(kind(x), 3)
            assert found.dtype == expected.dtype
            assert_allclose(found, expected, rtol=1e-5)
