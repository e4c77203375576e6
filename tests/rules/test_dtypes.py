"""Gradients have the dtype of their argument, tangents that of the result: what `dtypes.py` does not see by samples."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import function_of, made
from rules.sample import S, real

pytestmark = pytest.mark.filterwarnings("ignore")
DTYPES = [np.longdouble, np.float32, np.float16]


def test_memory_order_of_the_argument_counts() -> None:
    """`order='A'` and 'K' read an array as it lies in memory; so does the derivative."""
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    seed = np.arange(10.0, 16.0)
    for call in ("np.ravel(x, 'A')", "x.ravel(order='K')", "np.reshape(x, 6, order='A')", "x.flatten('A')"):
        f = function_of(S(call, x=x))
        np.testing.assert_array_equal(f(x), np.ravel(x, "F"))
        expected = np.reshape(seed, (2, 3), order="F")
        np.testing.assert_array_equal(tangent.vjp(f)(x, seed), expected)
        np.testing.assert_array_equal(tangent.jvp(f)(x, np.ascontiguousarray(expected)), seed)


@pytest.mark.parametrize(
    "x",
    [
        np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2].swapaxes(0, 2),
        np.broadcast_to(np.arange(6.0).reshape(2, 1, 3), (2, 4, 3)).transpose(2, 1, 0),
        np.arange(12.0).reshape(3, 4)[:, 1:3].T,
    ],
    ids=["strided", "broadcast", "sliced"],
)
def test_memory_order_of_views_counts(x: Any) -> None:
    """Order 'K' takes axes by their steps in memory: the tangent and the adjoint go the same way."""
    places = {v: i for i, v in enumerate(np.ravel(x, "K"))}
    seed = np.arange(10.0, 10.0 + x.size)
    for call in ("np.ravel(x, 'K')", "x.flatten('K')"):
        f = function_of(S(call, x=x))
        got = tangent.vjp(f)(x, seed)
        assert got.shape == x.shape
        if len(places) == x.size:
            np.testing.assert_array_equal(got.flat, [seed[places[v]] for v in x.flat])
        np.testing.assert_array_equal(tangent.jvp(f)(x, got), seed)


@pytest.mark.parametrize(
    "call",
    ["np.sum(x, dtype=int)", "np.prod(x, dtype='i8')", "np.cumsum(x, dtype=int)",
     "np.linspace(x[0], x[1], 4, dtype=int)", "np.concatenate([x, x], dtype=int, casting='unsafe')",
     "np.mean(x, dtype=t)", "np.insert(np.arange(3), 1, x)", "np.pad(np.arange(3), 1, constant_values=x[0])",
     "np.pad(np.arange(3), 2, 'linear_ramp', end_values=x[0])", "np.piecewise(np.arange(3), [x > 0], [x[0], x[1]])",
     "np.apply_along_axis(lambda v: 2 if v[0] > 1 else v[0], 1, x[:, None])"],
)  # fmt: skip
def test_nothing_flows_through_integers(call: str) -> None:
    x = np.array([1.3, 2.4, -0.7])
    f = function_of(S(call, x=x, t=int))
    seed = np.ones_like(f(x, int), float)
    np.testing.assert_array_equal(tangent.vjp(f, ("x",), check_dims=False)(x, int, seed), np.zeros(3))
    np.testing.assert_array_equal(tangent.jvp(f, ("x",))(x, int, np.ones(3)), np.zeros_like(seed))


def test_bounds_in_another_precision_than_the_result() -> None:
    """A bound is itself where the result is double, though the array is single."""
    f = function_of(S("np.clip(x, lo, hi, dtype=float)", x=np.zeros(3), lo=0.2, hi=0.8))
    x = np.array([0.1, 0.5, 0.9], np.float32)
    bx, low, high = tangent.vjp(f, ("x", "lo", "hi"))(x, 0.2, 0.8, np.array([1.0, 10.0, 100.0]))
    assert bx.dtype == np.float32
    np.testing.assert_array_equal(bx, [0.0, 10.0, 0.0])
    assert (low, high) == (1.0, 100.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble], ids=lambda d: d.__name__)
@pytest.mark.parametrize(
    "call",
    ["math.sin(x)", "math.hypot(x, 2)", "float(x)", "np.float32(x)", "np.float64(v)", "x + n", "n - x", "x * 2 + n",
     "np.sum(v) + n", "np.maximum(x, n)", "np.clip(x, n, None)", "np.mod(x, n)", "v * n", "math.fsum([x, n])",
     "math.hypot(x, 2, n)", "math.dist([x], [n])", "math.modf(x)[0]", "complex(x, n)", "cmath.rect(x, n)",
     "cmath.polar(x)[0]", "max(x, 0.1)", "np.heaviside(n, v)", "np.select([v > 0.6], [v], n)", "np.add(2.5, x)",
     "np.hypot.reduce(v, initial=np.float64(0.2))", "np.subtract.reduce(v, initial=0.5)",
     "np.select([v > 0.6], [v], np.float64(2.0))", "np.interp(float(x), [0.0, 1.0], [0.0, 2.0])",
     "np.var(v, ddof=np.float64(0.5))", "sum(v)"],
)  # fmt: skip
def test_tangents_have_the_dtype_of_the_result(call: str, dtype: Any) -> None:
    """Also of numbers: what `math` makes of half precision is double, and so is single beside an integer of NumPy."""
    x, v, n = np.array(0.5, dtype), np.array([0.5, 0.7], dtype), np.int64(2)
    f = function_of(S(call, x=x, v=v, n=n))
    wrt = ("v",) if "v" in call else ("x",)
    given = v if "v" in call else x
    tangent_of = tangent.jvp(f, wrt)(x, v, n, np.ones_like(given))
    assert np.asarray(tangent_of).dtype == np.asarray(f(x, v, n)).dtype


@pytest.mark.parametrize("call", ["np.nanquantile(x, q)", "np.nanpercentile(x, q, axis=0)", "np.nanquantile(x, q, 1)"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)], ids=str)
def test_several_quantiles_of_nothing(call: str, shape: tuple[int, ...]) -> None:
    """NumPy gives one nan for all of them; so do the derivatives."""
    x, q = np.zeros(shape), np.array([0.2, 0.5])
    f = function_of(S(call, x=x, q=q))
    y = f(x, q)
    assert tangent.vjp(f, ("x",))(x, q, np.ones_like(y)).shape == shape
    assert np.shape(tangent.jvp(f, ("x",))(x, q, np.zeros(shape))) == np.shape(y)


def test_complex_numbers_of_single_precision_from_two_parts() -> None:
    def length(x, y):  # type: ignore[no-untyped-def]
        return np.abs(np.complex64(x, y))

    gradient = tangent.grad(length, ("x", "y"))(np.float32(3.0), np.float32(4.0))
    np.testing.assert_allclose(gradient, (0.6, 0.8), rtol=1e-6)
    assert [b.dtype for b in gradient] == [np.float32, np.float32]
    np.testing.assert_allclose(tangent.jvp(length, ("x", "y"))(3.0, 4.0, 1.0, 1.0), 1.4, rtol=1e-6)


@pytest.mark.parametrize(
    "call", ["np.ravel(x)", "np.reshape(x, (1, 1))", "np.expand_dims(x, 0)", "np.atleast_2d(x)", "np.tile(x, 3)",
             "np.repeat(x, 3)", "np.resize(x, 3)", "np.diagflat(x)"],
)  # fmt: skip
@pytest.mark.parametrize("x", [0.3, np.float32(0.3), 0.3 + 0.1j], ids=lambda x: type(x).__name__)
def test_the_gradient_of_a_number_is_a_number(call: str, x: Any) -> None:
    f = function_of(S(f"np.sum(np.real({call}))", x=x))
    for optimized in (True, False):
        gradient = tangent.grad(f, optimized=optimized)
        assert all(isinstance(gradient(x), type(x)) for _ in range(3))


@pytest.mark.parametrize(
    "call",
    ["np.float_power(x, y)", "x + np.float_power(x, 2)", "np.sin(x) + np.float_power(2.0, x)", "math.fsum(x)",
     "np.power.outer(x, 0.5)", "np.prod(x)", "np.sign(x, dtype=float)"],
)  # fmt: skip
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
@pytest.mark.filterwarnings("error")
def test_every_call_keeps_the_dtype(call: str, dtype: Any) -> None:
    """Also the third, for which a version is made; nothing overflows on the way."""
    x, y = np.array([0.5, 0.7, 1.5], dtype), np.array([2.0, 0.3, 1.0], dtype)
    f = function_of(S(call, x=x, y=y))
    value = np.asarray(f(x, y))
    gradient, push = (make(f, ("x",), check_dims=False) for make in (tangent.vjp, tangent.jvp))
    for _ in range(3):
        assert gradient(x, y, np.ones_like(value)[()]).dtype == dtype
        assert np.asarray(push(x, y, np.ones_like(x))).dtype == value.dtype


def test_angles_of_truths() -> None:
    f = function_of(S("np.arctan2(x, y)", x=1.0, y=1.0))
    truths, infinite = np.array([True, False]), np.array([np.inf, 1.0])
    np.testing.assert_allclose(tangent.vjp(f)(truths, infinite, np.ones(2)), [0.0, 1.0])
    assert tangent.vjp(f, ("x", "y"))(truths[:0], truths[:0], np.ones(0))[1].dtype == float


@pytest.mark.parametrize(
    "call",
    ["math.log(z)", "math.sin(z)", "math.atan2(z, 2 * z + 1)", "math.pow(z, z)", "math.hypot(z, 2 * z, 1.0)",
     "math.dist([z, z], [1.0, 2 * z])", "float(z)", "np.logaddexp.reduce([z, 2 * z], dtype=float)",
     "np.hypot.reduce([z, 2 * z], dtype=float)", "np.divide.reduce([z, 3 * z], dtype=float)",
     "np.maximum.reduce([z, 2 * z], dtype=float)", "np.sum(np.logaddexp.accumulate([z, 2 * z], dtype=float))"],
)  # fmt: skip
def test_what_is_taken_for_real_has_the_derivative_of_its_real_part(call: str) -> None:
    """`math` and `dtype=float` drop the imaginary part of NumPy's complex numbers; so do the derivatives."""
    z, plain = np.complex128(0.4 + 0.3j), function_of(S(re.sub(r"\bz\b", "z.real", call) + " * z", z=1.0))
    f = function_of(S(f"{call} * z", z=z))
    with np.errstate(all="ignore"):
        for optimized in (True, False):
            gradient, expected = (tangent.vjp(g, optimized=optimized) for g in (f, plain))
            push, pushed = (tangent.jvp(g, optimized=optimized) for g in (f, plain))
            for _ in range(3):
                np.testing.assert_allclose(gradient(z, 1 + 2j), expected(z, 1 + 2j), rtol=1e-12)
                np.testing.assert_allclose(push(z, z * 1j), pushed(z, z * 1j), rtol=1e-12)
    assert gradient(np.complex64(z), 1 + 2j).dtype == np.complex64


def test_tangents_of_what_math_makes_of_complex_numbers_are_real() -> None:
    push = tangent.jvp(function_of(S("math.log(x * np.exp(1j * y))", x=0.4, y=0.3)), ("x", "y"))
    for _ in range(3):
        assert push(0.4, 0.3, 1.0, 2.0) == pytest.approx(1.0 / 0.4 - 2.0 * np.tan(0.3))


@pytest.mark.parametrize(
    "store",
    ["a[:] = z", "a.flat = z", "a.real = z", "np.put(a, [0, 1], z)", "np.multiply.at(a, [0, 0], z)",
     "np.fill_diagonal(a[None], z[:1])"],
)  # fmt: skip
def test_what_is_stored_among_real_numbers_is_the_real_part(store: str) -> None:
    z, seed = np.array([0.4 + 0.3j, 0.6 - 0.2j]), np.array([1 + 2j, 3 - 1j])
    dtype = "complex" if ".real" in store else "float"
    text = "def f(z):\n    a = np.ones(2, {0})\n    {1}\n    return a * z\n"
    f, plain = made(text.format(dtype, store)), made(text.format(dtype, re.sub(r"\bz\b", "z.real", store)))
    for _ in range(3):
        np.testing.assert_allclose(tangent.vjp(f)(z, seed), tangent.vjp(plain)(z, seed), rtol=1e-12)
        np.testing.assert_allclose(tangent.jvp(f)(z, seed), tangent.jvp(plain)(z, seed), rtol=1e-12)


@pytest.mark.parametrize("method", ["maximum.reduce", "minimum.accumulate", "fmax.reduce", "hypot.reduce"])
def test_reductions_in_another_precision(method: str) -> None:
    """The largest element of an array of doubles is found, though the maximum is one of single precision."""
    x = np.array([0.1, 0.7, 0.3])
    gradient, expected = (
        tangent.vjp(function_of(S(f"np.{method}(x{dtype})", x=x)), check_dims=False)(x, 1.0)
        for dtype in (", dtype=np.float32", "")
    )
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    assert gradient.dtype == float


def test_the_gradient_of_a_float_beside_single_precision_is_double() -> None:
    gradient = tangent.grad(function_of(S("np.sum(x * y + y)", x=real(3), y=0.5)), ("y",))
    assert {np.asarray(gradient(np.ones(3, np.float32), 0.5)).dtype for _ in range(3)} == {np.dtype(float)}
