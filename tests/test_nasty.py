"""Programs that invite silent mistakes: each comes out right, or is refused."""

import numpy as np
import pytest

from nasty import arrays, containers, control, helpers, outputs, sharing, values
from nasty.checks import NASTY, V, differences, right_or_refused
from tangent import grad
from tangent.errors import TangentError

THEMES = (arrays, containers, control, helpers, outputs, sharing, values)  # they register their programs


def test_there_are_enough_nasty_programs():
    assert len(NASTY) >= 60 and {f.values[0].__module__ for f in NASTY} == {theme.__name__ for theme in THEMES}


@pytest.mark.parametrize("f, args", NASTY)
def test_right_or_refused(f, args):
    right_or_refused(f, *args)


def test_overlapping_arguments_are_right_or_refused():
    def f(a, b):
        a[0] = b[1] * 2.0
        return np.sum(a * b)

    def together(x):
        x = x.copy()
        return f(x, x)

    x = np.array([1.0, 2.0, 3.0])
    try:
        found = grad(f, (0, 1))(x, x)
    except TangentError:
        return
    np.testing.assert_allclose(found[0] + found[1], differences(together, x), rtol=1e-6)
    np.testing.assert_equal(x, [1.0, 2.0, 3.0])


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_array_subclasses_are_right_or_refused():
    def total(x):
        return x.sum()

    def product(x):
        return np.sum(x * x)

    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    for f, x, expected in ((total, masked, [1.0, 0.0, 1.0]), (product, matrix, [[7.0, 11.0], [9.0, 13.0]])):
        try:
            found = grad(f)(x)
        except (TangentError, TypeError):
            continue
        np.testing.assert_allclose(np.ma.filled(found, 0.0), expected)


SUPPORTED = [
    (sharing.augmented_float_alias, 2.0), (sharing.augmented_float_loop, 2.0), (sharing.inactive_buffer, V),
    (sharing.inactive_list_rewritten, V), (sharing.zeros_like_written, V), (arrays.divide_in_place, V),
    (arrays.power_in_place, V), (sharing.zero_dim_written, V), (sharing.random_state_used_once, V),
]  # fmt: skip


@pytest.mark.parametrize("f, x", SUPPORTED, ids=lambda v: getattr(v, "__name__", ""))
def test_harmless_programs_are_not_refused(f, x):
    assert right_or_refused(f, x) == 0
