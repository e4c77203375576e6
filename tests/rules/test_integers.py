"""Narrow integers: the numbers that a derivative computes need not be of their kind, and do not wrap around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import function_of
from rules.sample import S
from tangent.testing import map_leaves

pytestmark = pytest.mark.filterwarnings("ignore")

CALLS = [
    "np.arctan(x)", "math.atan(x[0])", "np.arcsinh(x)", "np.logaddexp(x, x[::-1])", "np.logaddexp2(x, x[::-1])",
    "np.logaddexp.accumulate(x)", "np.cumprod(x)", "np.prod(x)", "math.dist(x[:2], x[2:])", "math.erf(x[3] / 10)",
    "np.polynomial.polynomial.polyfromroots(x)", "np.polynomial.polynomial.polyfromroots(list(x))",
    "np.var(x)", "np.linalg.norm(x, 3)", "np.hypot(x, x[::-1])",
    "np.linalg.det(x.reshape(2, 2))", "np.interp(2.5, [1.0, 2.0, 3.0, 4.0], x)", "np.corrcoef(x, [1.0, 3.0, 2.0, 7.0])",
    "np.linalg.norm(x.reshape(2, 2), 'fro')", "np.linalg.vector_norm(x)", "np.linalg.matrix_norm(x.reshape(2, 2))",
    "np.linalg.cond(x.reshape(2, 2), 'fro')", "np.linalg.norm(x, -3)", "np.gradient(x, x[0])",
    "np.gradient(x, x, edge_order=2)", "np.interp(2.5, x, [1.0, 3.0, 2.0, 7.0], period=x[0])",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_narrow_integers(call: str) -> None:
    """The same as for floats, as far as the digits of half precision go, in which NumPy computes for them."""
    f = function_of(S(call, x=np.zeros(4)))
    cases: list[Any] = [(np.int8, [-100, -3, 5, 127]), (np.uint8, [100, 50, 7, 3]), (np.int64, [3, 5, 2, 4])]
    for dtype, numbers in cases:
        x, floats = np.array(numbers, dtype), np.array(numbers, float)
        seed = map_leaves(lambda v: np.ones_like(v, float)[()], f(floats))
        expected = tangent.vjp(f, check_dims=False)(floats, seed)
        got = tangent.vjp(f, check_dims=False)(x, seed)
        np.testing.assert_allclose(got, expected, rtol=1e-2, atol=1e-3 * np.max(np.abs(expected)))
        ahead = [tangent.jvp(f, check_dims=False)(v, np.ones(4)) for v in (x, floats)]
        np.testing.assert_allclose(ahead[0], ahead[1], rtol=1e-2, atol=1e-3 * np.max(np.abs(ahead[1])))


BESIDE = [
    "np.einsum('i,ij,ij->', x, m, m, optimize=True)", "np.einsum('i,j,k->', x, m[0], m[0], optimize='greedy')",
    "np.polyval(x, m)", "np.polyval(np.stack([x, x], axis=1), m[0, :2])", "np.sum(x * m[:, :1] * m[:, :1])",
    "np.linalg.multi_dot([x, m, m.T])",
]  # fmt: skip


@pytest.mark.parametrize("call", BESIDE)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float16])
def test_narrow_numbers_beside_doubles(call: str, dtype: Any) -> None:
    """Products of what is multiplied with a double are not made in narrow numbers, neither in versions."""
    x, m = np.array([0.5, -1.5]), np.array([[100, 120, 50], [7, 90, 127]], dtype)
    f = function_of(S(call, x=x, m=m))
    seed = np.ones_like(f(x, m))
    expected = tangent.vjp(f, ("x",), check_dims=False)(x, m.astype(float), seed)
    for _ in range(4):
        np.testing.assert_allclose(tangent.vjp(f, ("x",), check_dims=False)(x, m, seed), expected, rtol=1e-12)


@pytest.mark.parametrize("call", ["math.sin(x)", "math.degrees(x)", "math.hypot(x, 1.0, 2.0)", "math.ldexp(x, 3)"])
@pytest.mark.parametrize("x", [np.float32(0.3), np.array(0.3, np.float32), np.float16(0.3)], ids=repr)
def test_gradients_of_numbers_have_their_dtype(call: str, x: Any) -> None:
    assert tangent.grad(function_of(S(call, x=0.3)))(x).dtype == x.dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, np.int8])
@pytest.mark.parametrize("call", ["np.emath.sqrt(x)", "np.emath.power(x, 2.5)", "np.emath.arcsin(x)"])
def test_precision_of_complex_results(call: str, dtype: Any) -> None:
    """`np.emath` has complex numbers of single or of double precision only; so have tangents."""
    f, x = function_of(S(call, x=0.3)), np.array([-2, 3], dtype)
    assert tangent.jvp(f)(x, np.ones(2)).dtype == f(x).dtype


@pytest.mark.parametrize(
    ("call", "dtype", "expected"),
    [
        ("np.sin(x)", np.int64, np.float64),
        ("np.sin(x)", np.int8, np.float16),
        ("np.concatenate([x, x], dtype=np.float32)", np.int64, np.float32),
        ("np.add(x, x, dtype=np.longdouble)", bool, np.longdouble),
        ("np.nanstd(x, dtype=complex)", np.int64, np.float64),
    ],
)
def test_gradients_of_integers_have_the_precision_of_the_computation(call: str, dtype: Any, expected: Any) -> None:
    f, x = function_of(S(call, x=0.3)), np.array([1, 0, 1], dtype)
    df = tangent.vjp(f)
    for _ in range(3):  # the third call is that of a version
        assert df(x, np.ones_like(f(x))).dtype == expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_powers_of_narrow_integers(dtype: Any) -> None:
    """`x ** 6` is 64 for 2, and its slope, 192, is no narrow integer."""
    x = np.array([2, 1], dtype)
    assert tangent.grad(lambda x: np.sum(x**6))(x).tolist() == [192.0, 6.0]
    assert tangent.jvp(lambda x: np.sum(x**6))(x, np.ones(2)) == 198.0


def test_a_view_that_is_not_cast() -> None:
    """`np.einsum` gives a view of integers, though floats are asked for: derivatives are as if they were."""
    f = function_of(S("np.einsum('ij->ji', x, dtype=float)", x=np.zeros((2, 3))))
    x, dx = np.arange(6).reshape(2, 3), np.linspace(0.1, 0.6, 6).reshape(2, 3)
    np.testing.assert_array_equal(tangent.jvp(f)(x, dx), dx.T)
    np.testing.assert_array_equal(tangent.vjp(f)(x, dx.T), dx)
