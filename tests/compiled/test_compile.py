"""`compile="numba"`: the derivative as machine code agrees with the derivative as Python code."""

import math

import numpy as np
import pytest

import tangent

numba = pytest.importorskip("numba")


def square(x):
    return x * x


def recurrence(x, n):
    h = 0.1
    for _ in range(n):
        h = math.sin(h * x) + 0.5 * x
    return h


def slope(x):
    return math.exp(-x) * x


def area(x, y):
    if x > y:
        return slope(x) * y
    return slope(y)


def recurrent(x, w, n):
    h = np.zeros_like(x)
    for _ in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def doubled(x):
    while x < 100.0:
        x = x * 1.5 + slope(x)
    return x


def products(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + x[i] * x[i + 1]
    return s


VECTOR = np.array([0.3, -0.2, 0.9])
CASES = [
    (square, (3.0,)),
    (recurrence, (0.3, 20)),
    (area, (2.0, 1.0)),
    (recurrent, (VECTOR, 0.5, 4)),
    (doubled, (1.5,)),
    (products, (VECTOR,)),
]


def same(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f, arguments", CASES, ids=[f.__name__ for f, _ in CASES])
def test_agrees_with_the_interpreted_derivative(f, arguments):
    compiled = tangent.grad(f, compile="numba")
    same(compiled(*arguments), tangent.grad(f)(*arguments))
    direction = np.ones_like(arguments[0]) if isinstance(arguments[0], np.ndarray) else 1.0
    same(tangent.jvp(f, compile="numba")(*arguments, direction), tangent.jvp(f)(*arguments, direction))
    assert compiled.dispatcher.nopython_signatures


def test_other_derivatives():
    point = np.array([0.5, 1.5, -1.0])
    value, gradient = tangent.value_and_grad(products, compile="numba")(point)
    assert value == products(point)
    same(gradient, tangent.grad(products)(point))
    same(tangent.hessian(products, compile="numba")(point), tangent.hessian(products)(point))
    same(tangent.hvp(products, compile="numba")(point, VECTOR), tangent.hvp(products)(point, VECTOR))
    same(tangent.jacobian(np.sin, compile="numba")(point), np.diag(np.cos(point)))


def test_the_source_is_what_is_compiled():
    derivative = tangent.grad(products, compile="numba")
    assert "def dproductsdx(x, bs=1.0):" in derivative.source
    assert derivative.plain.__code__ is derivative.dispatcher.py_func.__code__


def test_options_go_to_numba():
    derivative = tangent.grad(square, compile="numba", fastmath=True, nogil=True)
    assert derivative.dispatcher.targetoptions["fastmath"] is True
    with pytest.raises(TypeError, match="give compile='numba'"):
        tangent.grad(square, fastmath=True)
    with pytest.raises(ValueError, match="compile is 'numba' or None"):
        tangent.grad(square, compile="cython")


@numba.njit
def jitted_slope(x):
    return math.exp(-x) * x


@numba.njit(fastmath=True)
def jitted(x):
    return jitted_slope(x) * x


def test_derivatives_of_compiled_functions_are_compiled():
    derivative = tangent.grad(jitted)
    x = 0.7
    same(derivative(x), (2 * x - x * x) * math.exp(-x))
    assert derivative.dispatcher.targetoptions["fastmath"] is True
    same(tangent.grad(derivative)(x), tangent.grad(tangent.grad(lambda x: math.exp(-x) * x * x))(x))


def test_numba_by_hand():
    by_hand = numba.njit(tangent.grad(recurrence))
    same(by_hand(0.3, 20, 1.0), tangent.grad(recurrence)(0.3, 20))
    same(by_hand(0.3, 20), tangent.grad(recurrence)(0.3, 20))


def strange(x, table):
    return x * table["a"]


def test_a_refusal_names_the_line():
    derivative = tangent.grad(strange, compile="numba")
    with pytest.raises(tangent.errors.CompileError) as caught:
        derivative(2.0, {"a": 3.0})
    message = str(caught.value)
    assert "test_compile.py" in message and len(message.splitlines()) <= 5
    assert tangent.grad(strange)(2.0, {"a": 3.0}) == 3.0


def test_arguments_are_checked():
    derivative = tangent.vjp(np.sin, compile="numba")
    with pytest.raises(tangent.errors.SeedError):
        derivative(VECTOR)
