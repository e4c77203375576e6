"""Rules that users write: the template notation, both modes, replacement, and what is refused."""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np
import pytest

import tangent
from tangent.errors import RuleError, UnsupportedError
from tangent.rules.table import table

d: dict = {}  # the notation's d; templates are read, never called


@pytest.fixture
def own_table():
    """The table as it was before the test."""
    known = table()
    saved = dict(known.rules), dict(known.functions), set(known.zero)
    yield known
    known.rules, known.functions, known.zero = saved
    known.version += 1


def test_the_listing(own_table) -> None:
    @tangent.adjoint(np.multiply)
    def adjoint_multiply(z, x, y):
        d[x] = y * d[z]
        d[y] = x * d[z]

    text = tangent.template.replace(adjoint_multiply, z="c", x="a", y="b")
    assert text == "ba = b * bc\nbb = a * bc"

    def f(a, b):
        return np.sum(np.multiply(a, b))

    ga, gb = tangent.grad(f, (0, 1))(np.arange(3.0), 2.0)
    np.testing.assert_array_equal(ga, [2.0, 2.0, 2.0])
    assert gb == 3.0


def test_a_black_box_gets_a_rule_in_both_modes(own_table) -> None:
    cosh = ctypes.CDLL(ctypes.util.find_library("m")).cosh
    cosh.restype, cosh.argtypes = ctypes.c_double, [ctypes.c_double]

    @tangent.adjoint(cosh)
    def adjoint_cosh(y, x):
        s = np.sinh(x)
        d[x] = d[y] * s

    @tangent.tangent_(cosh)
    def tangent_cosh(y, x):
        d[y] = d[x] * np.sinh(x)

    def f(x):
        return cosh(x) * x

    expected = np.sinh(0.7) * 0.7 + np.cosh(0.7)
    assert np.isclose(tangent.grad(f)(0.7), expected)
    assert np.isclose(tangent.jvp(f)(0.7, 1.0), expected)
    assert np.isclose(tangent.grad(tangent.grad(f))(0.7), 2 * np.sinh(0.7) + np.cosh(0.7) * 0.7)


def test_a_new_rule_is_seen_by_functions_that_were_differentiated_before(own_table) -> None:
    def f(x):
        return np.floor(x) * 1.0

    assert tangent.grad(f)(1.5) == 0.0

    @tangent.adjoint(np.floor)
    def straight_through(y, x):
        d[x] = d[y]

    assert tangent.grad(f)(1.5) == 1.0


def test_adjoint_only_is_refused_in_forward_mode(own_table) -> None:
    @tangent.adjoint(np.rint)
    def straight_through(y, x):
        d[x] = d[y]

    with pytest.raises(UnsupportedError, match="forward mode"):
        tangent.jvp(lambda x: np.rint(x))


def test_malformed_templates_are_refused_with_their_line() -> None:
    with pytest.raises(RuleError, match=r"test_template.py:\d+.*'w' is neither"):

        @tangent.adjoint(np.sin)
        def wrong_name(y, x):
            d[w] = d[y]  # noqa: F821

    with pytest.raises(RuleError, match="made of assignments"):

        @tangent.adjoint(np.sin)
        def a_loop(y, x):
            for _ in range(3):
                d[x] = d[y]

    with pytest.raises(RuleError, match="no parameter 'q'"):

        def fine(y, x):
            d[x] = d[y]

        tangent.template.replace(fine, q="a")
