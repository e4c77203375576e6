"""Derivatives at extreme arguments, against mpmath: they keep their digits and overflow only where functions do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import tangent
from rules.check import function_of
from rules.sample import S

pytestmark = pytest.mark.filterwarnings("ignore")
mpmath.mp.dps = 60

# A call of x (and y), the same in mpmath, and the points where the derivative is compared.
Line = tuple[str, Callable[..., Any], list[Any]]
ONE: list[Line] = [
    ("np.log1p(x)", mpmath.log1p, [-0.5, -1e-12, 1e-300, 1e-17, 1e-8, 3.0, 1e10, 1e300]),
    ("np.expm1(x)", mpmath.expm1, [-700.0, -40.0, -1.0, -1e-12, 1e-300, 1e-17, 2.0, 700.0]),
    ("np.sinc(x)", lambda x: mpmath.sincpi(x), [1e-300, 1e-9, 1e-5, 1e-3, 0.02, 0.3, 0.8, 1.0, 5.5, 1e3, 12345.5]),
    ("np.tanh(x)", mpmath.tanh, [1e-300, 1e-8, 0.5]),
    ("np.arctanh(x)", mpmath.atanh, [1e-300, 0.5, 1 - 1e-12, -1 + 1e-12]),
    ("np.arcsin(x)", mpmath.asin, [1e-300, 0.5, 1 - 1e-12, -1 + 1e-12]),
    ("np.arccosh(x)", mpmath.acosh, [1 + 1e-12, 2.0, 1e10, 1e200]),
    ("np.arcsinh(x)", mpmath.asinh, [1e-300, 1.0, 1e10, 1e200, -1e200]),
    ("np.arctan(x)", mpmath.atan, [1e-300, 1.0, 1e10, 1e150]),
    ("np.cbrt(x)", lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [1e-200, -1e-20, 3.0, 1e150]),
    ("np.sqrt(x)", mpmath.sqrt, [1e-300, 1e-20, 3.0, 1e300]),
    ("np.exp2(x)", lambda x: mpmath.mpf(2) ** x, [-1000.0, 0.5, 1000.0]),
    ("np.log10(x)", mpmath.log10, [1e-300, 1.0, 1e300]),
    ("np.reciprocal(x)", lambda x: 1 / x, [1e-100, 3.0, 1e150]),
    ("math.erf(x)", mpmath.erf, [1e-300, 0.5, 5.0, 20.0]),
    ("math.erfc(x)", mpmath.erfc, [-5.0, 0.5, 5.0, 20.0]),
    ("math.lgamma(x)", mpmath.loggamma, [1e-5, 0.5, 3.0, 1e3, 1e10, 1e20, 1e300]),
    ("math.gamma(x)", mpmath.gamma, [1e-5, 0.5, 3.0, -2.5, 100.0]),
    ("np.i0(x)", lambda x: mpmath.besseli(0, x), [1e-8, 0.5, 5.0, 100.0]),
    ("np.log(1.0 + np.exp(x))", lambda x: mpmath.log1p(mpmath.exp(x)), [-700.0, -30.0, 0.0, 30.0]),
    ("np.logaddexp(0.0, x)", lambda x: mpmath.log1p(mpmath.exp(x)), [-700.0, -30.0, 0.0, 30.0, 800.0]),
    ("-np.logaddexp(0.0, -x)", lambda x: -mpmath.log1p(mpmath.exp(-x)), [-800.0, -30.0, 0.0, 30.0, 700.0]),
]
TWO: list[Line] = [
    ("np.logaddexp(x, y)", lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
     [(0.0, 0.0), (1.0, -30.0), (-30.0, 1.0), (700.0, 710.0), (-1000.0, -1010.0), (0.0, -700.0), (1e-10, 0.0)]),
    ("np.logaddexp2(x, y)", lambda x, y: mpmath.log(mpmath.mpf(2) ** x + mpmath.mpf(2) ** y, 2),
     [(0.0, 0.0), (1.0, -40.0), (1020.0, 1023.0), (-2000.0, -2010.0), (0.9, -710.0)]),
    ("np.hypot(x, y)", mpmath.hypot,
     [(3e200, 4e200), (1e-200, 1e-200), (1e-300, 1.0), (1e150, 1e-150), (1e-170, 2e-170)]),
    ("np.arctan2(x, y)", mpmath.atan2,
     [(3e200, 4e200), (1e-200, 1e-200), (1e-150, 1.0), (1.0, 1e-150), (1e120, 1e-30)]),
    ("np.divide(x, y)", lambda x, y: x / y, [(1e150, 1e-100), (1e-150, 1e100), (3.0, 1e-160), (1.0, 1e100)]),
    ("np.power(x, y)", lambda x, y: mpmath.mpf(x) ** y,
     [(1e-10, 5.0), (1e10, 20.0), (2.0, -1000.0), (1.0 + 1e-12, 1e10)]),
]  # fmt: skip


def derivatives(call: str, at: tuple[float, ...]) -> list[float]:
    """By every argument, in reverse mode; forward mode says the same."""
    names = dict(zip("xy", at))
    f = function_of(S(call, **names))
    got = tangent.grad(f, tuple(names))(*at)
    got = got if isinstance(got, tuple) else (got,)
    for i, expected in enumerate(got):
        tangents = [1.0 if k == i else 0.0 for k in range(len(at))]
        pushed = tangent.jvp(f, tuple(names))(*at, *tangents)
        np.testing.assert_allclose(pushed, expected, rtol=1e-13)
    return [float(g) for g in got]


@pytest.mark.parametrize(("call", "exact", "points"), [*ONE, *TWO], ids=[line[0] for line in [*ONE, *TWO]])
def test_against_mpmath(call: str, exact: Callable[..., Any], points: list[Any]) -> None:
    for point in points:
        at = point if isinstance(point, tuple) else (point,)
        got = derivatives(call, at)
        for i, g in enumerate(got):
            h = mpmath.mpf(10) ** -25 * (abs(at[i]) if at[i] else 1)
            expected = _slope(exact, at, i, h)
            assert _close(g, expected), f"{call} by argument {i} at {at}: {g}, expected {mpmath.nstr(expected, 17)}"


def _slope(exact: Callable[..., Any], at: tuple[float, ...], i: int, h: Any) -> Any:
    """A central difference with many digits."""
    with mpmath.workdps(700):
        up, down = ([mpmath.mpf(v) + (s * h if k == i else 0) for k, v in enumerate(at)] for s in (1, -1))
        return (exact(*up) - exact(*down)) / (2 * h)


def _close(got: float, expected: Any, rtol: float = 2e-13) -> bool:
    if abs(expected) > 1.7e308:
        return math.isinf(got)
    return abs(got - expected) <= rtol * abs(expected) + 1e-307


# Arrays: norms, spreads, softmax and its kind


def matches(got: Any, expected: list[Any], rtol: float = 1e-12) -> None:
    size = max(abs(e) for e in expected)
    for g, e in zip(np.ravel(got), expected, strict=True):
        assert abs(float(g) - e) <= rtol * max(abs(e), size * mpmath.mpf(10) ** -3), (got, expected)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1.0, 1e30, 1e150], ids=str)
@pytest.mark.parametrize("order", [None, 1, 2, 3, 0.5])
def test_norms_of_any_size(scale: float, order: float | None) -> None:
    """The slope of a norm does not depend on the size of the vector."""
    x = scale * np.array([3.0, -4.0, 0.5])
    f = function_of(S("np.linalg.norm(x, order)", x=x, order=order))
    p = mpmath.mpf(order or 2)
    total = mpmath.fsum(abs(mpmath.mpf(v)) ** p for v in x) ** (1 / p)
    expected = [mpmath.sign(v) * (abs(mpmath.mpf(v)) / total) ** (p - 1) for v in x]
    matches(tangent.vjp(f, ("x",))(x, order, 1.0), expected)
    dx = np.array([1.0, 0.0, 0.0])
    matches(tangent.jvp(f, ("x",))(x, order, dx), expected[:1])


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("function", ["np.var", "np.std"])
def test_spread_far_from_zero(function: str, shift: float) -> None:
    x = shift + np.array([1.0, 2.0, 4.0, 8.5])
    exact = [mpmath.mpf(v) for v in x]
    mean = mpmath.fsum(exact) / 4
    variance = mpmath.fsum((v - mean) ** 2 for v in exact) / 4
    slope = [2 * (v - mean) / 4 for v in exact]
    if function == "np.std":
        slope = [s / (2 * mpmath.sqrt(variance)) for s in slope]
    f = function_of(S(f"{function}(x)", x=x))
    matches(tangent.grad(f)(x), slope, 1e-13)
    matches(tangent.jvp(f)(x, np.array([0.0, 0.0, 0.0, 1.0])), slope[3:], 1e-13)


@pytest.mark.parametrize("call", ["np.var(x)", "np.var(x, axis=0)[0]", "np.std(x)"])
def test_spread_of_many_single_numbers(call: str) -> None:
    """The digits of float32, though NumPy's mean of such numbers has lost some."""
    x = (1e3 + np.random.default_rng(0).normal(size=(20000, 1))).astype(np.float32)
    exact = x.astype(np.longdouble) - np.mean(x, dtype=np.longdouble)
    slope = exact / x.size * (2.0 if "var" in call else 1.0 / np.sqrt(np.mean(exact * exact)))
    got = tangent.grad(function_of(S(call, x=x)))(x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, slope.astype(float), atol=1e-6 * float(np.max(np.abs(slope))))


@pytest.mark.parametrize(
    "call", ["np.cov(x)[0, 1]", "np.corrcoef(x)[0, 1]", "np.cov(x, aweights=[1.0, 2.0, 1.0, 3.0])[0, 1]"]
)
def test_covariance_far_from_zero(call: str) -> None:
    """The slopes are those of the numbers near zero, which a shift does not change."""
    near = np.array([[1.0, 2.0, 4.0, 8.5], [3.0, -1.0, 2.0, 2.5]])
    f = function_of(S(call, x=near))
    np.testing.assert_allclose(tangent.grad(f)(near + 2.0**30), tangent.grad(f)(near), rtol=1e-12, atol=1e-14)
    ahead = [tangent.jvp(f)(x, np.sin(near)) for x in (near, near + 2.0**30)]
    np.testing.assert_allclose(ahead[1], ahead[0], rtol=1e-12)


SOFT = {
    "np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x)": "logsumexp",
    "np.logaddexp.reduce(x)": "logsumexp",
    "(np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))))[0]": "softmax",
    "np.exp(x[0] - np.logaddexp.reduce(x))": "softmax",
}


@pytest.mark.parametrize(
    "x", [[1.0, 2.0, 3.0], [1000.0, 990.0, 1005.0], [-1000.0, -1e4, -990.0], [0.0, -600.0, 30.0]], ids=str
)
@pytest.mark.parametrize("call", SOFT)
def test_softmax_and_its_kind(call: str, x: list[float]) -> None:
    at = np.array(x)
    f = function_of(S(call, x=at))
    share = [mpmath.exp(mpmath.mpf(v) - max(x)) for v in x]
    share = [s / mpmath.fsum(share) for s in share]
    expected = share
    if SOFT[call] == "softmax":
        expected = [share[0] * ((1 if i == 0 else 0) - s) for i, s in enumerate(share)]
    got = tangent.grad(f)(at)
    size = max(abs(e) for e in expected)
    for g, e in zip(got, expected, strict=True):
        assert abs(float(g) - e) <= 1e-12 * max(abs(e), size * mpmath.mpf(10) ** -2) + 1e-300
    for i in range(3):
        pushed = tangent.jvp(f)(at, np.eye(3)[i])
        np.testing.assert_allclose(pushed, got[i], rtol=1e-11, atol=1e-15 * float(size) + 1e-300)


# Second order, and reductions whose elements differ in size

SECOND: list[Line] = [
    ("np.log1p(x)", mpmath.log1p, [-0.5, 1e-17, 1e-8, 3.0, 1e10, 1e100]),
    ("np.expm1(x)", mpmath.expm1, [-700.0, -1.0, 1e-17, 2.0, 700.0]),
    ("np.sinc(x)", lambda x: mpmath.sincpi(x), [1e-9, 1e-3, 0.02, 0.3, 0.8, 5.5]),
    ("np.logaddexp(0.0, x)", lambda x: mpmath.log1p(mpmath.exp(x)), [-700.0, -30.0, 0.0, 30.0, 700.0]),
    ("np.logaddexp2(0.0, x)", lambda x: mpmath.log(1 + mpmath.mpf(2) ** x, 2), [-900.0, -30.0, 0.0, 30.0, 900.0]),
    ("np.hypot(x, 1.0)", lambda x: mpmath.hypot(x, 1), [1e-150, 1e-8, 1.0, 1e4, 1e8, 1e20]),
    ("np.arctan2(x, 1.0)", lambda x: mpmath.atan2(x, 1), [1e-100, 1e-8, 1.0, 1e50]),
    ("np.arctan(x)", mpmath.atan, [1e-100, 1.0, 1e50]),
    ("np.arcsinh(x)", mpmath.asinh, [1e-100, 1.0, 1e50]),
    ("np.arctanh(x)", mpmath.atanh, [1e-100, 1e-20, 1e-3, 0.5, 1 - 1e-9]),
    ("np.sqrt(x)", mpmath.sqrt, [1e-100, 3.0, 1e100]),
    ("np.log(x)", mpmath.log, [1e-100, 3.0, 1e100]),
    ("np.power(x, 2.5)", lambda x: mpmath.mpf(x) ** mpmath.mpf(2.5), [1e-100, 3.0, 1e100]),
    ("math.erf(x)", mpmath.erf, [1e-100, 0.5, 5.0, 20.0]),
    ("math.lgamma(x)", mpmath.loggamma, [1e-5, 0.5, 3.0, 1e3, 1e10]),
    ("np.i0(x)", lambda x: mpmath.besseli(0, x), [1e-8, 0.5, 5.0, 100.0]),
]


@pytest.mark.parametrize(("call", "exact", "points"), SECOND, ids=[line[0] for line in SECOND])
def test_second_order_against_mpmath(call: str, exact: Callable[..., Any], points: list[float]) -> None:
    f = function_of(S(call, x=1.0))
    second = [tangent.grad(tangent.grad(f)), lambda x: tangent.jvp(tangent.grad(f))(x, dx=1.0)]
    for x in points:
        with mpmath.workdps(700):
            h = mpmath.mpf(10) ** -60 * abs(x) if x else mpmath.mpf(10) ** -60
            at = mpmath.mpf(x)
            expected = (exact(at + h) - 2 * exact(at) + exact(at - h)) / h**2
        for derivative in second:
            got = float(derivative(x))
            assert _close(got, expected, 1e-12), f"{call} at {x}: {got}, expected {mpmath.nstr(expected, 17)}"


SIZES = [[3.0, 4.0, 12.0], [1e-160, 2e-160, 3e-160], [1e150, 1e150, 2e150], [1e-150, 1.0, 1e150]]


@pytest.mark.parametrize("x", SIZES, ids=str)
@pytest.mark.parametrize(
    "call", ["np.hypot.reduce(x)", "math.hypot(*x)", "np.linalg.vector_norm(x)", "math.dist(x, [0.0] * 3)"]
)
def test_lengths_of_any_size(call: str, x: list[float]) -> None:
    if "vector_norm" in call and min(x) < 1e-100:
        pytest.skip("NumPy's own norm underflows")
    at = np.array(x)
    length = mpmath.sqrt(mpmath.fsum(mpmath.mpf(v) ** 2 for v in x))
    matches(tangent.grad(function_of(S(call, x=at)))(at), [mpmath.mpf(v) / length for v in x])


LARGE = [[1e6, 1.0, -2.0], [2.0, 3e-9, 0.5], [1.0, 2.0, 3.0]]


def _length(*x: Any) -> Any:
    return mpmath.sqrt(mpmath.fsum(v * v for v in x))


def _of_order(p: float) -> Callable[..., Any]:
    return lambda *x: mpmath.fsum(abs(v) ** mpmath.mpf(p) for v in x) ** (1 / mpmath.mpf(p))


def _logarithm(*x: Any) -> Any:
    return mpmath.log(mpmath.fsum(mpmath.exp(v) for v in x))


def _binary_logarithm(*x: Any) -> Any:
    return mpmath.log(mpmath.fsum(mpmath.mpf(2) ** v for v in x), 2)


def _deviation(*x: Any) -> Any:
    mean = mpmath.fsum(x) / len(x)
    return mpmath.sqrt(mpmath.fsum((v - mean) ** 2 for v in x) / len(x))


SHARED = [[30.0, 0.0, 1.0], [-40.0, 3.0, 2.0], [0.1, 0.2, 0.3], [0.0, 0.0, 30.0]]
APART = [
    [1e6, 1.0, -2.0], [1e9 + 1.0, 1e9 + 2.0, 1e9 + 8.5], [1.0, 1.0 + 1e-10, 1.0 - 3e-10], [5.0, 0.0, 2e-9],
    [1e-150, 3e-150, -2e-150], [1e150, 3e150, -2e150], [1e8 + 1.0, 5.0, 7.0],
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "exact", "x"),
    [
        *((call, _length, x) for call in ("np.linalg.norm(x)", "np.linalg.vector_norm(x)", "np.hypot.reduce(x)",
          "math.hypot(*x)", "math.dist(x, [0.0] * 3)") for x in LARGE),
        *(("np.linalg.norm(x, axis=0)", _length, x) for x in LARGE),
        *((call, _logarithm, x) for call in ("np.logaddexp.reduce(x)", "np.logaddexp.accumulate(x)[-1]",
          "np.logaddexp.reduce(x[1:], initial=x[0])") for x in SHARED),
        *((call, _binary_logarithm, x) for call in ("np.logaddexp2.reduce(x)", "np.logaddexp2.accumulate(x)[-1]")
          for x in SHARED),
        *((call, _length, x) for call in ("np.hypot.reduce(x[1:], initial=x[0])",) for x in LARGE),
        *((f"np.linalg.norm(x, {p})", _of_order(p), x) for p in (3, 20, 1.5, -1, -2.5) for x in LARGE),
        *((f"np.linalg.norm(x, {p})", _of_order(p), [1e-3, 1e100, 3.0]) for p in (1.5, -1, -2.5)),
        *((call, _deviation, x) for call in ("np.std(x)", "np.std(x, axis=0)", "np.nanstd(x)") for x in APART),
    ],
    ids=lambda p: getattr(p, "__name__", str(p)),
)  # fmt: skip
def test_hessians_where_one_element_is_nearly_all(call: str, exact: Callable[..., Any], x: list[float]) -> None:
    """What cancels in `1 - u * u` is said by the other elements."""
    f, at = function_of(S(call, x=np.array(x))), np.array(x)
    gradient = tangent.grad(f)
    rows = np.array([tangent.jvp(gradient, "x")(at, dx=e) for e in np.eye(3)])
    columns = np.array([tangent.vjp(gradient)(at, 1.0, e) for e in np.eye(3)])
    with mpmath.workdps(600):
        exactly = [mpmath.mpf(v) for v in x]
        h = mpmath.mpf(10) ** -60 * min(abs(v) for v in exactly if v)
        for i in range(3):
            for k in range(3):
                order = tuple((j == i) + (j == k) for j in range(3))
                expected = mpmath.diff(exact, tuple(exactly), order, h=h)
                assert _close(rows[i, k], expected, 1e-13)
                assert _close(columns[i, k], expected, 1e-13)


@pytest.mark.parametrize("x", [[1e100, 1e-100, 3.0], [1e-160, 1e-160, 1e250], [0.0, 1e200, 1e-200]], ids=str)
def test_products_of_any_size(x: list[float]) -> None:
    at = np.array(x)
    others = [mpmath.fprod(mpmath.mpf(v) for k, v in enumerate(x) if k != i) for i in range(len(x))]
    got = tangent.grad(function_of(S("np.prod(x)", x=at)))(at)
    for g, e in zip(got, others, strict=True):
        assert _close(float(g), e)


@pytest.mark.parametrize("function", ["np.logaddexp", "np.logaddexp2"])
@pytest.mark.parametrize(
    "x", [[1.0, 2.0, 3.0], [1000.0, 990.0, 1005.0], [0.0, -600.0, 30.0], [-1200.0, -1190.0, -1201.0]], ids=str
)
def test_running_logarithms(function: str, x: list[float]) -> None:
    """The last of the accumulated ones is the reduction of all."""
    at = np.array(x)
    base = mpmath.e if function == "np.logaddexp" else mpmath.mpf(2)
    share = [base ** (mpmath.mpf(v) - max(x)) for v in x]
    expected = [s / mpmath.fsum(share) for s in share]
    for call in (f"{function}.accumulate(x)[-1]", f"{function}.reduce(x)"):
        f = function_of(S(call, x=at))
        ahead = [tangent.jvp(f)(at, direction) for direction in np.eye(3)]
        for got in (tangent.grad(f)(at), ahead):
            for g, e in zip(got, expected, strict=True):
                assert abs(float(g) - e) <= 1e-12 * e + 1e-300, (call, got)


# Least squares: what is lost is what the fit itself loses, not the square of it

YEARS = np.arange(1950.0, 1958.0)
CURVE = np.cos(YEARS) + 0.1 * YEARS


def _cubic(x: list[Any], y: list[Any]) -> Any:
    a = mpmath.matrix([[v**k for k in (3, 2, 1, 0)] for v in x])
    return mpmath.lu_solve(a.T * a, a.T * mpmath.matrix(y))


def test_cubic_through_years() -> None:
    """The matrix of such a fit has a condition of 1e10; its derivatives have six digits, as the coefficients have."""
    f = function_of(S("np.polyfit(x, y, 3)", x=YEARS, y=CURVE))
    at = [[mpmath.mpf(v) for v in values] for values in (YEARS, CURVE)]
    h = mpmath.mpf(10) ** -20
    seed = np.array([1.0, 0.0, 0.0, 0.0])
    for got, which in zip(tangent.vjp(f, ("x", "y"))(YEARS, CURVE, seed), (0, 1)):
        expected = []
        for i in range(len(YEARS)):
            up, down = ([[v + s * h * (i == j and k == which) for j, v in enumerate(p)] for k, p in enumerate(at)]
                        for s in (1, -1))  # fmt: skip
            expected.append((_cubic(*up) - _cubic(*down))[0] / (2 * h))
        matches(got, expected, 1e-4)
        direction = np.eye(2)[which][:, None] * np.cos(np.arange(8.0))
        pushed = tangent.jvp(f, ("x", "y"))(YEARS, CURVE, *direction)
        np.testing.assert_allclose(pushed[0], np.dot(got, np.cos(np.arange(8.0))), rtol=1e-4)


def determinant(a):
    return np.linalg.det(a)


def test_second_derivatives_of_determinants_of_matrices_that_are_nearly_singular():
    """The determinant is linear in each row, so differences of its gradient are exact."""
    a, d = np.array([[0.1, -0.7, 0.4], [1.3, 0.2, -0.9], [0.0, 0.0, 0.0]]), np.array([[0.3, 0.8, -1.1]] * 3)
    a[2] = a[0] + a[1]
    gradient = tangent.grad(determinant)
    want = (gradient(a + d / 64) - gradient(a - d / 64)) * 32
    assert np.allclose(tangent.jvp(gradient)(a, 1.0, d), want, rtol=1e-9, atol=1e-9)
    assert np.allclose(tangent.vjp(gradient)(a, 1.0, d), want, rtol=1e-9, atol=1e-9)


def plain_logsumexp(x):
    return np.log(np.sum(np.exp(x)))


def test_second_derivative_of_a_plain_logsumexp_loses_what_its_formula_does() -> None:
    """Shares p, and `p - p * p`: no digit more is lost than in that difference, beside the diagonal none."""
    x = np.array([10.0, 0.0, -30.0])
    p = np.exp(x) / np.sum(np.exp(x))
    got = tangent.hessian(plain_logsumexp)(x)
    np.testing.assert_allclose(got, np.diag(p) - np.outer(p, p), rtol=0, atol=4e-16)
    np.testing.assert_allclose(got[1:, :], (np.diag(p) - np.outer(p, p))[1:, :], rtol=1e-14)
