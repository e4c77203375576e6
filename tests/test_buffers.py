"""Arrays of a module that functions fill: they stay as they were, and nobody else may see them."""

import copy

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError

WORK = np.full(3, 7.0)
SEEN = WORK[1:]
HELD = {"work": np.zeros(3), "other": WORK}
ROWS = [np.ones(3), np.zeros(3)]
ROW = ROWS[0]
GRID = np.ones((2, 3))
STACK = [np.zeros(3)]
LOG = []
X = np.array([1.0, 2.0, 3.0])


def squares(x):
    WORK[:] = x * x
    return np.sum(WORK)


class Reader:
    def total(self):
        return np.sum(WORK)


def total():
    return np.sum(WORK)


@pytest.mark.parametrize("derivative", [tangent.grad(squares), tangent.grad(squares, optimized=False)])
def test_the_array_stays_as_it_was(derivative):
    for _ in range(4):
        np.testing.assert_array_equal(derivative(X), 2.0 * X)
        np.testing.assert_array_equal(WORK, 7.0)


def test_the_text_says_that_it_is_a_copy():
    assert "work = own(WORK, x)" in tangent.grad(squares).source


def test_what_it_holds_at_first_counts():
    def added(x):
        WORK[1:] += x[:-1]
        return np.sum(WORK * WORK)

    np.testing.assert_allclose(tangent.grad(added)(X), [16.0, 18.0, 0.0])


@pytest.mark.parametrize("x", [WORK, WORK[::-1]], ids=["itself", "a view"])
def test_arguments_that_are_the_array(x):
    with pytest.raises(InPlaceError, match="shares its memory"):
        tangent.grad(squares)(x)


def test_other_names_of_the_array():
    def seen(x):
        WORK[:] = x * x
        return np.sum(SEEN)

    def held(x):
        WORK[:] = x * x
        return np.sum(HELD["other"])

    for f in (seen, held):
        with pytest.raises(InPlaceError, match="shares its memory"):
            tangent.grad(f)(X)


def test_readers_that_cannot_be_written_out():
    def method(x, reader):
        WORK[:] = x * x
        return reader.total() * x[0]

    def given(x, read):
        WORK[:] = x * x
        return read() * x[0]

    for f in (method, given):
        for mode in (tangent.grad, tangent.jvp):
            with pytest.raises(InPlaceError, match="it changes 'WORK'"):
                mode(f)


def fill_items(x, k):
    np.multiply(x, x, out=HELD["work"])
    ROWS[k][1:] = HELD["work"][1:] * x[0]


def fill_rows(x):
    for row in ROWS:
        row[:] = x * x


def fill_flat(x):
    flat = GRID.reshape(-1)
    flat[3:] = x * x


def test_arrays_in_lists_and_dicts_of_the_module():
    def items(x):
        HELD["work"][:] = x * x
        HELD["work"] *= x
        return np.sum(HELD["work"] * x)

    def helped(x):
        fill_items(x, 0)
        fill_items(x * x, 1)
        return np.sum(HELD["work"] * ROWS[0] * ROWS[1])

    def looped(x):
        fill_rows(x)
        return np.sum(ROWS[0] * ROWS[1])

    def viewed(x):
        fill_flat(x)
        return np.sum(GRID[1] * x)

    for f in (items, helped, looped, viewed):
        tangent.check_grads(f, (X,))
        derivatives = tangent.grad(f), tangent.jvp(f)
        before = copy.deepcopy((HELD, ROWS, GRID))
        for _ in range(3):
            gradient, change = derivatives[0](X), derivatives[1](X, X)
            np.testing.assert_allclose(gradient @ X, change)
        np.testing.assert_equal((HELD, ROWS, GRID), before)


def test_lists_of_the_module_that_grow():
    def grown(x):
        STACK[0][:] = x * x
        STACK.append(x * STACK[0])
        return np.sum(STACK[-1])

    with pytest.raises(InPlaceError, match="it changes 'STACK'"):
        tangent.grad(grown)


def test_other_names_of_arrays_in_lists():
    def seen(x):
        ROWS[0][:] = x * x
        return np.sum(ROW)

    with pytest.raises(InPlaceError, match="shares its memory"):
        tangent.grad(seen)(X)


def test_what_nobody_reads_may_be_kept():
    def logged(x):
        y = x * x
        LOG.append(y)
        return np.sum(y)

    np.testing.assert_array_equal(tangent.grad(logged)(X), 2.0 * X)
    assert len(LOG) == 1


def test_helpers_that_are_defined_anew():
    def by_helper(x):
        WORK[:] = x * x
        return total()

    global total
    first, d = total, tangent.grad(by_helper)
    np.testing.assert_array_equal(d(X), 2.0 * X)

    def total():
        return 3.0 * np.sum(WORK)

    try:
        np.testing.assert_array_equal(d(X), 6.0 * X)
    finally:
        total = first


def appended(xs, v):
    xs.append(2.0 * v)


def test_helpers_that_change_lists_and_are_defined_anew():
    def f(xs, v):
        appended(xs, v)
        xs[0] *= xs[1]
        return xs[0] + xs[-1]

    global appended
    first, d = appended, tangent.grad(f, wrt=1)
    assert d([1.0, 2.0], 3.0) == 2.0

    def appended(xs, v):
        xs.append(5.0 * v)

    try:
        assert d([1.0, 2.0], 3.0) == 5.0
    finally:
        appended = first


class Solver:
    common = np.zeros(3)  # an array among the members of a class

    def __init__(self, n):
        self.work = np.zeros(n)

    def solve(self, b):
        self.work[:] = b
        for i in range(1, len(b)):
            self.work[i] -= 0.5 * self.work[i - 1]
        return self.work


def solved(x):
    s = Solver(3)
    u = s.solve(x)
    return np.sum(u * s.solve(u * x))


def test_classes_that_have_an_array():
    tangent.testing.check_grads(solved, (X,))


def leaves_out(x, out=np.zeros(3)):  # noqa: B008
    out[1:] += x[1:] * x[:-1]
    out *= 0.5
    return out.sum()


def test_defaults_that_are_written_into_stay_as_they_were():
    def f(x):
        return leaves_out(x) * leaves_out(x * x)

    for derivative, seed in ((tangent.vjp(f), 1.0), (tangent.jvp(f), X)):
        for _ in range(4):
            first = derivative(X, seed)
            np.testing.assert_array_equal(first, derivative(X, seed))
        np.testing.assert_array_equal(leaves_out.__defaults__[0], 0.0)


def given_elsewhere(x):
    WORK[:] = x * x
    COPY[:] = WORK
    return np.sum(COPY * x)


COPY = np.zeros(3)


@pytest.mark.parametrize("optimized", [True, False])
def test_from_one_array_to_another(optimized):
    for _ in range(4):
        np.testing.assert_allclose(tangent.grad(given_elsewhere, optimized=optimized)(X), 3.0 * X**2)
    np.testing.assert_allclose(tangent.jvp(given_elsewhere, optimized=optimized)(X, X), np.sum(3.0 * X**3))
    np.testing.assert_array_equal(COPY, 0.0)
