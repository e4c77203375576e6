"""Second derivatives of spreads and lengths keep their digits: about a given mean, in a dtype, of complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import tangent
from rules.check import function_of
from rules.sample import S
from rules.test_numerics import APART

pytestmark = pytest.mark.filterwarnings("ignore")
Exact = Callable[..., Any]


def spread_about(mean: Callable[[tuple[Any, ...]], Any], power: float) -> Exact:
    """The mean square of the deviations from a mean, to some power."""

    def exact(*x: Any) -> Any:
        m = mean(x)
        return (mpmath.fsum((v - m) ** 2 for v in x) / len(x)) ** power

    return exact


def own_mean(x: tuple[Any, ...]) -> Any:
    return mpmath.fsum(x) / len(x)


def half(x: tuple[Any, ...]) -> Any:
    return mpmath.mpf(0.5)


def complex_deviation(*parts: Any) -> Any:
    """The deviation of numbers whose real parts come first."""
    n = len(parts) // 2
    return mpmath.sqrt(spread_about(own_mean, 1)(*parts[:n]) + spread_about(own_mean, 1)(*parts[n:]))


def complex_length(*parts: Any) -> Any:
    return mpmath.sqrt(mpmath.fsum(v * v for v in parts))


def second_derivatives(exact: Exact, x: list[float]) -> Any:
    """The Hessian to many digits, as floats."""
    with mpmath.workdps(300):
        at = tuple(mpmath.mpf(v) for v in x)
        h = mpmath.mpf(10) ** -60 * max(map(abs, at))
        orders = [[tuple((j == i) + (j == k) for j in range(len(x))) for k in range(len(x))] for i in range(len(x))]
        return np.array([[float(mpmath.diff(exact, at, order, h=h)) for order in row] for row in orders])


ABOUT: list[tuple[str, Exact, float]] = [  # the bound is one of each element, or of the largest
    ("np.std(x, mean=0.5)", spread_about(half, 0.5), 0.0),
    ("np.nanstd(x, mean=0.5)", spread_about(half, 0.5), 0.0),
    ("np.var(x, mean=0.5)", spread_about(half, 1), 0.0),
    ("np.var(x, mean=np.mean(x))", spread_about(own_mean, 1), 0.0),
    ("np.std(x, dtype=np.float64)", spread_about(own_mean, 0.5), 0.0),
    ("np.nanstd(x, dtype=np.float64)", spread_about(own_mean, 0.5), 0.0),
    ("np.std(x, axis=0, mean=np.mean(x, axis=0, keepdims=True))", spread_about(own_mean, 0.5), 1e-14),
]


@pytest.mark.parametrize("x", APART, ids=str)
@pytest.mark.parametrize(("call", "exact", "of_largest"), ABOUT, ids=[line[0] for line in ABOUT])
def test_about_a_mean(call: str, exact: Exact, of_largest: float, x: list[float]) -> None:
    """A mean that depends on the numbers is one of the text: what it adds cancels as far as it was rounded."""
    at = np.array(x)
    gradient = tangent.grad(function_of(S(call, x=at)))
    expected = second_derivatives(exact, x)
    atol = of_largest * float(np.max(np.abs(expected)))
    for got in (
        [tangent.jvp(gradient, "x")(at, dx=e) for e in np.eye(3)],
        [tangent.vjp(gradient)(at, 1.0, e) for e in np.eye(3)],
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-13, atol=atol)


PLANE = [
    ([1e6, 1.0, -2.0], [1.0, 2.0, 3.0]), ([1e6, 1.0, -2.0], [1e6, 1.0, 3.0]), ([1.0, 2.0, 8.5], [1e8, 1.0, 2.0]),
    ([1e9 + 1.0, 1e9 + 2.0, 1e9 + 8.5], [0.0, 1.0, 2.0]), ([1e8 + 1, 5.0, 7.0], [0.0, 0.0, 0.0]),
]  # fmt: skip


@pytest.mark.parametrize("at", PLANE, ids=str)
@pytest.mark.parametrize(
    ("call", "exact"),
    [("np.std(x + 1j * y)", complex_deviation), ("np.std(x + 1j * y, axis=0)", complex_deviation),
     ("np.nanstd(x + 1j * y)", complex_deviation), ("np.linalg.norm(x + 1j * y)", complex_length)],
)  # fmt: skip
def test_complex_numbers(call: str, exact: Exact, at: tuple[list[float], list[float]]) -> None:
    x, y = np.array(at[0]), np.array(at[1])
    gradient = tangent.grad(function_of(S(call, x=x, y=y)), ("x", "y"))
    expected = second_derivatives(exact, [*at[0], *at[1]])
    for e, row in zip(np.eye(6), expected, strict=True):
        ahead = tangent.jvp(gradient, ("x", "y"))(x, y, dx=e[:3], dy=e[3:])
        back = tangent.vjp(gradient, ("x", "y"))(x, y, 1.0, (e[:3], e[3:]))
        for got in (np.concatenate(ahead), np.concatenate(back)):
            np.testing.assert_allclose(got[row != 0.0], row[row != 0.0], rtol=1e-12)
            np.testing.assert_allclose(got[row == 0.0], 0.0, atol=1e-15 * float(np.max(np.abs(expected))))


def log_sum(*x: Any) -> Any:
    return mpmath.log(mpmath.fsum(mpmath.exp(v) for v in x))


def first_share(*x: Any) -> Any:
    return mpmath.exp(x[0]) / mpmath.fsum(mpmath.exp(v) for v in x)


@pytest.mark.parametrize(
    "x", [[1.0, 2.0, 3.0], [30.0, 0.0, 1.0], [1000.0, 990.0, 1005.0], [-1e3, -1005.0, -990.0]], ids=str
)
@pytest.mark.parametrize(
    ("call", "exact"),
    [("np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x)", log_sum),
     ("np.max(x) + np.log1p(np.sum(np.exp(np.sort(x)[:-1] - np.max(x))))", log_sum),
     ("(np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))))[0]", first_share),
     ("np.exp(x[0] - np.logaddexp.reduce(x))", first_share)],
)  # fmt: skip
def test_softmax_by_hand(call: str, exact: Exact, x: list[float]) -> None:
    """Written with the largest element taken out, as one does: as many digits of the largest second derivative."""
    at = np.array(x)
    gradient = tangent.grad(function_of(S(call, x=at)))
    expected = second_derivatives(exact, x)
    atol = 1e-12 * float(np.max(np.abs(expected)))
    ahead = [tangent.jvp(gradient, "x")(at, dx=e) for e in np.eye(3)]
    np.testing.assert_allclose(ahead, expected, rtol=1e-12, atol=atol)
    np.testing.assert_allclose([tangent.vjp(gradient)(at, 1.0, e) for e in np.eye(3)], expected, rtol=1e-12, atol=atol)
