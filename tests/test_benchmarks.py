"""The benchmarks measure what they say: their functions are differentiated right, and their fit is a fit."""

import pytest
from benchmarks.transform import exponent, mlp, straight_line

from tangent import check_grads


@pytest.mark.parametrize("lines", [1, 30])
def test_straight_line_functions_have_so_many_lines_and_a_right_derivative(lines):
    f = straight_line(lines)
    assert f.__code__.co_nlocals == lines + 2
    check_grads(f, (0.5, 0.7))


def test_the_function_is_new_each_time():
    assert mlp() is not mlp()


def test_exponent():
    assert exponent({n: 3.0 * n**1.5 for n in (100, 200, 1000)}) == pytest.approx(1.5)
