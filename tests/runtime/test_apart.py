"""One array, list, dict or object as two arguments of a derivative: refused where one of them is changed."""

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError


def added(a, b):
    a += b
    return np.sum(a * b)


def added_under_another_name(a, b):
    x = a
    x *= 2.0
    return np.sum(b * x)


def added_in_a_loop(a, b):
    for _ in range(2):
        a += b * b
    return np.sum(a)


def held_by_a_tuple(a, pair):
    a += 1.0
    return np.sum(pair[0] * pair[1])


def appended(a, b):
    a.append(a[0] * 2.0)
    return b[-1] * b[0]


def reversed_in_place(a, b):
    a.reverse()
    return b[0] * b[0]


def item_changed(a, b):
    a["u"] *= a["v"]
    return b["u"] * b["v"]


class Point:
    def __init__(self, u):
        self.u = u


def attribute_changed(a, b):
    a.u = a.u * a.u
    return b.u * 3.0


def item_stored(a, b):
    a[0] = a[1] * 2.0
    return a[0] * b[0]


def item_of_a_row_stored(a, b):
    for row in a:
        row[0] = row[1] * b[0]
    return a[0][0] * b[0]


X = np.array([0.5, 0.7, 1.1])
ROW = [0.5, 0.7]
CHANGES = {
    added: (X, X), added_under_another_name: (X, X[::-1]), added_in_a_loop: (X, X),
    held_by_a_tuple: (X, (np.ones(3), X)), appended: ([0.5, 0.7],) * 2, reversed_in_place: ([0.5, 0.7],) * 2,
    item_changed: ({"u": 0.5, "v": 0.7},) * 2, attribute_changed: (Point(0.5),) * 2,
    item_stored: (ROW, ROW), item_of_a_row_stored: ([[0.3, 0.4], ROW], ROW),
}  # fmt: skip


@pytest.mark.parametrize("f", CHANGES, ids=lambda f: f.__name__)
def test_arguments_that_are_one_are_refused(f):
    with pytest.raises(InPlaceError, match="shares its memory with another argument"):
        tangent.grad(f, (0, 1))(*CHANGES[f])
    with pytest.raises(InPlaceError, match="shares its memory with another argument"):
        tangent.jvp(f, (0, 1))(*CHANGES[f], *CHANGES[f])


def scaled_by_a_global(x):
    x[0] = x[0] * 2.0
    return np.sum(x * X)


def test_an_argument_that_is_a_global_too_is_refused_where_it_is_written_into():
    np.testing.assert_allclose(tangent.grad(scaled_by_a_global)(X.copy()), X * [2.0, 1.0, 1.0])
    with pytest.raises(InPlaceError, match="shares its memory with another argument"):
        tangent.grad(scaled_by_a_global)(X)
    with pytest.raises(InPlaceError, match="shares its memory with another argument"):
        tangent.jvp(scaled_by_a_global)(X, X)


def test_versions_and_second_derivatives_refuse_them_too():
    gradient, one = tangent.grad(added, (0, 1)), np.ones(3)
    second = tangent.jvp(gradient, (0, 1))
    for _ in range(4):
        np.testing.assert_allclose(gradient(X, one)[1], X + 2.0)
        with pytest.raises(InPlaceError, match=r"test_apart.py:\d+"):
            gradient(X, X)
    with pytest.raises(InPlaceError):
        second(X, X, 1.0, one, one)


def test_what_is_read_before_the_change_may_be_the_same():
    def f(a, b):
        c = a * b
        a += c
        return np.sum(a)

    found = tangent.grad(f, (0, 1))(X, X)
    np.testing.assert_allclose(found[0] + found[1], 1.0 + 2.0 * X)


TABLE = np.array([1.0, 2.0, 3.0])


def same(w):
    return w


def written_under_another_name(x):
    row = same(TABLE)
    row[0] = x
    return np.sum(TABLE * TABLE)


def test_a_global_that_is_written_under_another_name():
    before = TABLE.copy()
    assert tangent.grad(written_under_another_name)(0.7) == pytest.approx(1.4)
    assert tangent.jvp(written_under_another_name)(0.7, 1.0) == pytest.approx(1.4)
    assert np.array_equal(TABLE, before)
