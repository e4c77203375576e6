"""Run-time functions that pick items by order or by key, and those of tables, compiled and as Python runs them."""

import numpy as np
import pytest

from tangent.errors import InPlaceError
from tangent.runtime import (
    add_into,
    default_part,
    dict_of,
    get_either,
    parts_of,
    picked,
    put_back,
    put_key,
    sorted_order,
)

numba = pytest.importorskip("numba")
from tangent.backends.numba import init  # noqa: E402

init()


def sorted_and_back(xs, reverse):
    i = sorted_order(xs, None, reverse)
    return i, picked(xs, i), put_back([10.0, 20.0, 30.0], i[:3], xs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("xs", [np.array([2.0, 1.0, 2.0, 1.0]), (2.0, 1.0, 2.0, 1.0)], ids=["array", "tuple"])
def test_sorted(xs, reverse):
    """What is equal stays in its order."""
    got, want = numba.njit(sorted_and_back)(xs, reverse), sorted_and_back(xs, reverse)
    assert list(got[0]) == list(want[0]) and list(got[1]) == list(want[1])
    assert type(got[2]) is type(want[2]) and list(got[2]) == list(want[2])


def keys_and_back(xs):
    keys = [0, 1, 0]
    d = dict_of(keys, [xs[0], xs[1], xs[2]])
    back = parts_of(d, keys, [xs[0], xs[1], xs[2]])
    there, missing = put_key(5.0, d, 1), put_key(5.0, d, 7)
    some = [there[0], there[1], missing[0], missing[1], default_part(5.0, d, 1, 2.0), default_part(5.0, d, 7, 2.0)]
    return back, some, get_either(d, 9.0, d, 0), get_either(d, 9.0, d, 7)


def test_keys():
    xs = np.array([2.0, 3.0, 4.0])
    assert numba.njit(keys_and_back)(xs) == keys_and_back(xs)


def added_rows(x):
    """Inner lists are written, not replaced: others may hold them."""
    b = [[x, 2.0], [3.0, 4.0]]
    row = b[0]
    add_into(b, [[1.0, x], [x, x]])
    return row[0], row[1], b[1][0], b[1][1]


def test_rows_are_added_in_place():
    assert numba.njit(added_rows)(0.5) == added_rows(0.5)


def shorter(x):
    b = [x, 2.0]
    add_into(b, [1.0])
    return b


def test_lists_of_other_lengths_are_refused():
    for f in (shorter, numba.njit(shorter)):
        with pytest.raises(InPlaceError, match="the list is shorter"):
            f(0.5)
