"""Derivatives given as functions, of Python functions and of black boxes."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import subprocess
import sys

import numpy as np
import pytest

import tangent
from tangent import grad, jvp
from tangent.errors import ArgumentError, GradientError, InPlaceError, MissingRuleError, RuleError, SourceError
from tangent.testing import check_rule


@pytest.fixture(autouse=True)
def own_table():
    with tangent.rules():
        yield


def make():
    @tangent.custom_vjp
    def f(x, y=2.0, *, n=1):
        return np.sin(x) * y**n

    def fwd(x, y, n):
        return f(x, y, n=n), (x, y, n)

    def bwd(saved, b):
        x, y, n = saved
        return b * np.cos(x) * y**n, np.sum(b * np.sin(x)) * n * y ** (n - 1), None

    def push(primals, tangents):
        (x, y, n), (dx, dy, _) = primals, tangents
        return f(x, y, n=n), dx * np.cos(x) * y**n + dy * np.sin(x) * n * y ** (n - 1)

    f.defvjp(lambda x, y=2.0, *, n=1: fwd(x, y, n), bwd)
    f.defjvp(push)
    return f


def test_both_on_one_function():
    f = make()
    x = np.array([0.3, 0.7])
    tangent.check_grads(lambda x, y: np.sum(f(x * x, y, n=3) * x), (x, 1.5), order=2)
    tangent.check_grads(lambda x: f(x), (0.3,), order=2)
    tangent.check_grads(f, (x, 1.5), order=2)
    tangent.testing.check_rule(f, x, 1.5, n=2)
    assert f(0.5, 1.0) == np.sin(0.5)
    assert "f_fwd(" in grad(lambda x: f(x) * x).source


def test_the_given_derivative_is_the_derivative():
    @tangent.custom_vjp
    def reversed_(x):
        return x

    reversed_.defvjp(lambda x: (x, None), lambda saved, b: (-b,))
    assert grad(reversed_)(3.0) == -1.0
    assert grad(lambda x: reversed_(x) * x)(3.0) == 0.0
    assert grad(lambda g, x: g(x) * x, "x")(reversed_, 3.0) == 0.0
    assert grad(lambda x: sum([reversed_(x * k) for k in range(3)]))(3.0) == -3.0


def test_methods():
    class Model:
        w = 3.0

        @tangent.custom_vjp
        def act(self, x):
            return x * self.w

    Model.act.defvjp(lambda self, x: (self.act(x), self.w), lambda w, b: (None, 10.0 * b * w))
    assert grad(lambda x, model: model.act(x * x))(2.0, Model()) == 120.0
    assert grad(Model().act)(2.0) == 30.0


def test_what_is_missing_is_told():
    @tangent.custom_vjp
    def f(x):
        return x * x

    with pytest.raises(
        MissingRuleError, match=r"test_custom.py:\d+: cannot differentiate 'f' in reverse mode.*\n.*\n.*\n.*defvjp"
    ):
        grad(lambda x: f(x))
    f.defvjp(lambda x: (x * x, x), lambda x, b: (b @ (yield x),))
    with pytest.raises(
        MissingRuleError, match=r"'f' in forward mode.*none for forward mode.*turned around(.*\n)*.*defjvp"
    ):
        jvp(lambda x: f(x))
    f.defvjp(lambda x: (x * x, x), lambda x, b: 2.0 * x * b)
    with pytest.raises(ArgumentError, match="the backward function of 'f' returned a float"):
        grad(lambda x: f(x))(3.0)
    f.defvjp(lambda x: (x * x, x), lambda x, b: (np.ones(3),))
    with pytest.raises(ArgumentError, match="a gradient of shape"):
        grad(lambda x: f(x))(3.0)

    f.defvjp(lambda x: (x * x, x), lambda x, b: ("b",))
    with pytest.raises(ArgumentError, match="a gradient is 'b'"):
        grad(lambda x: f(x))(3.0)
    f.defvjp(lambda x: x * x, lambda x, b: (b,))
    with pytest.raises(ArgumentError, match="the forward function of 'f' returned a float"):
        grad(lambda x: f(x))(3.0)
    for wrong in (lambda: tangent.custom_vjp(3), lambda: f.defvjp(3, 4), lambda: f.defjvp(None)):
        with pytest.raises(RuleError, match="of a function and by functions"):
            wrong()


def test_containers_as_arguments():
    @tangent.custom_vjp
    def total(params, *xs):
        return params["w"] * sum(xs)

    total.defvjp(
        lambda params, *xs: (params["w"] * sum(xs), (params["w"], sum(xs), len(xs))),
        lambda saved, b: ({"w": b * saved[1]}, *([b * saved[0]] * saved[2])),
    )

    def f(w, x):
        return total({"w": w}, x, x * x, 3.0)

    assert grad(f, (0, 1))(2.0, 5.0) == (33.0, 22.0)
    assert grad(total, (0, 1))({"w": 2.0}, 1.0, 4.0) == ({"w": 5.0}, (2.0, 2.0))


def test_a_function_of_a_c_library():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.cbrt.restype, library.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]
    cbrt = tangent.custom_vjp(library.cbrt)
    cbrt.defvjp(lambda x: (cbrt(x), cbrt(x)), lambda y, b: (b / (3.0 * y * y),))
    cbrt.defjvp(lambda primals, tangents: (cbrt(*primals), tangents[0] / (3.0 * cbrt(*primals) ** 2)))

    def f(x):
        return cbrt(x * x) * x

    assert grad(f)(2.0) == pytest.approx(5 / 3 * 2 ** (2 / 3))
    assert jvp(f)(2.0, 1.0) == pytest.approx(5 / 3 * 2 ** (2 / 3))
    assert grad(grad(f))(2.0) == pytest.approx(10 / 9 * 2 ** (-1 / 3))


def test_a_black_box_in_the_backward_function_is_named_at_second_order():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.cos.restype, library.cos.argtypes = ctypes.c_double, [ctypes.c_double]

    @tangent.custom_vjp
    def sine(x):
        return math.sin(x)

    def backward(x, b):
        return (b * library.cos(x),)  # the black box

    sine.defvjp(lambda x: (sine(x), x), backward)
    assert grad(sine)(0.5) == math.cos(0.5)
    for second in (grad(grad(sine)), tangent.hvp(sine)):
        with pytest.raises(SourceError, match=r"test_custom.py:\d+: no source for 'cos'") as error:
            second(0.5, 1.0)
        assert "# the black box" in str(error.value)


def test_a_process():
    program = "import sys, math; x = float(sys.argv[1]); print(repr(math.exp(x)))"

    @tangent.custom_vjp
    def remote(x):
        run = subprocess.run([sys.executable, "-c", program, repr(x)], capture_output=True, text=True, check=True)
        return float(run.stdout)

    remote.defvjp(lambda x: (y := remote(x), y), lambda y, b: (b * y,))
    assert grad(lambda x: remote(x) * x)(0.5) == pytest.approx(1.5 * math.exp(0.5))


def test_a_custom_derivative_replaces_a_rule_in_a_scope():
    def cube(x):
        return x**3

    with tangent.rules():
        f = tangent.custom_vjp(cube)
        f.defvjp(lambda x: (x**3, None), lambda _, b: (b,))
        assert grad(lambda x: cube(x))(2.0) == 1.0
    assert grad(lambda x: cube(x))(2.0) == 12.0


def test_containers_as_results():
    @tangent.custom_vjp
    def both(p):
        return {"product": p["a"] * p["b"], "parts": [p["a"], p["b"]]}

    def bwd(p, b):
        return ({
            "a": b["product"] * p["b"] + b["parts"][0],
            "b": b["product"] * p["a"] + b["parts"][1],
        },)  # fmt: skip

    def push(primals, tangents):
        (p,), (t,) = primals, tangents
        return both(p), {"product": p["a"] * t["b"] + p["b"] * t["a"], "parts": [t["a"], t["b"]]}

    both.defvjp(lambda p: (both(p), p), bwd)
    both.defjvp(push)

    def f(a, b):
        found = both({"a": a, "b": b})
        return found["product"] * found["parts"][0]

    tangent.check_grads(f, (2.0, 3.0), order=2)


def test_any_order_where_the_backward_function_calls_the_function():
    @tangent.custom_vjp
    def power(x, n):
        return x**n

    power.defvjp(lambda x, n: (power(x, n), (x, n)), lambda s, b: (b * s[1] * power(s[0], s[1] - 1), None))
    slope, orders = power, []
    for _ in range(3):
        slope = grad(slope)
        orders.append(slope(2.0, 3))
    assert orders == [12.0, 12.0, 6.0]


def test_class_methods_and_inheritance():
    class Model:
        w = 3.0

        @tangent.custom_vjp
        def act(self, x, scale=1.0):
            return x * self.w * scale

        @classmethod
        @tangent.custom_vjp
        def same(cls, x):
            return x

    class Other(Model):
        pass

    Model.act.defvjp(
        lambda self, x, scale=1.0: (self.act(x, scale), self.w * scale), lambda w, b: (None, 10.0 * b * w, None)
    )
    Model.same.__func__.defvjp(lambda cls, x: (x, None), lambda saved, b: (None, 5.0 * b))
    assert grad(lambda x, model: model.act(x, scale=2.0))(2.0, Other()) == 60.0
    assert grad(lambda x, model: model.same(x) * Model.same(x))(2.0, Other()) == 20.0


def test_compiled():
    @tangent.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, (x, y)), lambda saved, b: (2.0 * b * saved[1], None))

    def g(x):
        return np.sum(f(x, 3.0) * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(grad(g, compile="numba")(x), grad(g)(x))


# One mode from the other


@tangent.custom_vjp
def only_backward(x, scale=1.0):
    return np.tanh(x) * x * scale


only_backward.defvjp(
    lambda x, scale=1.0: (only_backward(x, scale), (x, scale)),
    lambda saved, b: (
        b * saved[1] * (np.tanh(saved[0]) + saved[0] * (1.0 - np.tanh(saved[0]) ** 2)),
        np.sum(b * np.tanh(saved[0]) * saved[0]),
    ),
)


@tangent.custom_jvp
def only_forward(x, scale=1.0):
    return np.tanh(x) * x * scale


def push(primals, tangents):
    (x, scale), (dx, dscale) = primals, tangents
    slope = scale * (np.tanh(x) + x * (1.0 - np.tanh(x) ** 2))
    return only_forward(x, scale), slope * dx + np.tanh(x) * x * dscale


only_forward.defjvp(push)


def plain(x, scale=1.0):
    return np.tanh(x) * x * scale


@pytest.mark.parametrize("given", [only_backward, only_forward])
def test_one_mode_gives_the_other(given):
    def f(x, s):
        return np.sum(given(x * s, scale=s) * x)

    def expected(x, s):
        return np.sum(plain(x * s, scale=s) * x)

    x, s, dx = np.array([0.3, -0.7]), 1.5, np.array([1.0, 2.0])
    both = (0, 1)
    assert jvp(f, both)(x, s, dx, 0.5) == pytest.approx(jvp(expected, both)(x, s, dx, 0.5))
    for made in (tangent.hessian, lambda f: tangent.jacrev(grad(f)), lambda f: tangent.jacfwd(tangent.jacfwd(f))):
        np.testing.assert_allclose(made(f)(x, s), tangent.hessian(expected)(x, s), rtol=1e-10)
    for got, known in zip(tangent.hvp(f, both)(x, s, dx, 0.5), tangent.hvp(expected, both)(x, s, dx, 0.5)):
        np.testing.assert_allclose(got, known, rtol=1e-10)
    for got, known in zip(grad(f, both, optimized=False)(x, s), grad(expected, both)(x, s)):
        np.testing.assert_allclose(got, known, rtol=1e-10)
    third = [jvp(jvp(jvp(h)))(x, s, dx, dx, dx) for h in (f, expected)]
    assert third[0] == pytest.approx(third[1])
    check_rule(given, x, 1.5)


def test_what_is_not_linear_is_not_turned_around():
    clipped = tangent.custom_vjp(lambda x: x)
    clipped.defvjp(lambda x: (x, None), lambda saved, b: (min(b, 1.0),))
    squared = tangent.custom_jvp(lambda x: x)
    squared.defjvp(lambda primals, tangents: (primals[0], tangents[0] ** 2))
    for derivative in (lambda: jvp(clipped)(2.0, 1.0), lambda: grad(squared)(2.0)):
        with pytest.raises(MissingRuleError, match="is not linear"):
            derivative()


class Gain:
    def __init__(self, w):
        self.w = w

    @tangent.custom_vjp
    def act(self, x):
        return self.w * x**2


Gain.act.defvjp(
    lambda self, x: (self.act(x), (self, x)),
    lambda saved, b: (Gain(b * saved[1] ** 2), 2.0 * b * saved[0].w * saved[1]),
)


@pytest.mark.parametrize(
    "f, second",
    [
        (lambda x: Gain(x).act(x), 12.0), (lambda x: Gain(x * x).act(2.0), 8.0), (lambda x: Gain(3.0).act(x) * x, 36.0),
    ],
)  # fmt: skip
def test_methods_of_objects_that_are_made(f, second):
    assert grad(grad(f))(2.0) == jvp(grad(f))(2.0, dx=1.0) == jvp(jvp(f))(2.0, 1.0, 1.0) == pytest.approx(second)


def test_what_the_functions_change_is_changed():
    seen = []

    def fwd(x):
        seen.append("forward")
        return x * x, x

    def bwd(x, b):
        seen.append(b)
        return (2.0 * x * b,)

    square = tangent.custom_vjp(lambda x: x * x)
    square.defvjp(fwd, bwd)
    assert grad(lambda x: square(x) * x)(3.0) == 27.0 and seen == ["forward", 3.0]
    assert tangent.hvp(lambda x: square(x) * x)(3.0, 1.0) == 18.0


def test_functions_that_write_are_refused():
    @tangent.custom_vjp
    def fill(a, x):
        a[:] = 2.0 * x

    fill.defvjp(lambda a, x: (fill(a, x), None), lambda saved, b: (None, 2.0 * b))

    def f(x):
        a = np.zeros(2)
        fill(a, x)
        return np.sum(a * x)

    for derivative in (grad, jvp):
        with pytest.raises(InPlaceError, match=r"'fill': its derivative is given.*writes into its argument 'a'"):
            derivative(f)


def test_check_rule_compares_values():
    shifted = tangent.custom_vjp(lambda x: x**3)
    shifted.defvjp(lambda x: (x**3 + 1.0, x), lambda x, b: (3.0 * b * x * x,))
    with pytest.raises(GradientError, match="value in reverse mode is wrong"):
        check_rule(shifted, 2.0)
    pushed = tangent.custom_jvp(lambda x: x**3)
    pushed.defjvp(lambda primals, tangents: (primals[0] ** 3 + 1.0, 3.0 * primals[0] ** 2 * tangents[0]))
    with pytest.raises(GradientError, match="value in forward mode is wrong"):
        check_rule(pushed, 2.0)
