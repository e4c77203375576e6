"""Any order, any mix of modes; `grad` inside of functions that are differentiated."""

import numpy as np
import pytest

from api.functions import close, cube, names_of, pushed
from tangent import grad, hessian, hvp, jvp, vjp

# Any order


def exp_sin(x):
    return np.exp(np.sin(x))


def looped(x):
    y = x
    for _ in range(5):
        y = y * x
    return y


def branched(x):
    if x > 1.0:
        y = x * x * x * x
    else:
        y = -x
    return y


def whiled(x):
    y = 1.0
    n = 0
    while n < 6:
        y = y * x
        n += 1
    return y


def called(x):
    return cube(x) * cube(x)


def nth(make, f, n):
    for _ in range(n):
        f = make(f)
    return f


def falling(n, k):
    return float(np.prod(np.arange(n, n - k, -1)))


# by hand: derivatives of exp(sin(x)) at 0 (Taylor numbers 1 1 1 0 -3 -8 -3 ...)
EXP_SIN = [1.0, 1.0, 1.0, 0.0, -3.0, -8.0, -3.0]


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad(order):
    x = 2.0
    close(nth(grad, cube, order)(x), falling(3, order) * x ** (3 - order) if order <= 3 else 0.0)
    close(nth(grad, exp_sin, order)(0.0), EXP_SIN[order], atol=1e-9)


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad_through_a_branch(order):
    close(nth(grad, branched, order)(2.0), falling(4, order) * 2.0 ** (4 - order) if order <= 4 else 0.0)
    close(nth(grad, branched, order)(0.5), -1.0 if order == 1 else 0.0)


@pytest.mark.parametrize("f", [looped, whiled, called])
@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_grad_through(f, order):
    x = 2.0
    close(nth(grad, f, order)(x), falling(6, order) * x ** (6 - order))


@pytest.mark.parametrize("order", range(1, 7))
def test_six_levels_of_forward_mode(order):
    made = nth(jvp, cube, order)
    assert len(names_of(made)) == order + 1
    close(made(2.0, *[1.0] * order), falling(3, order) * 2.0 ** (3 - order) if order <= 3 else 0.0)


@pytest.mark.parametrize("modes", [
    "rf", "fr", "ff", "rr", "rfr", "frf", "ffr", "rrf", "rff", "frr",
    "rfrf", "frfr", "rrff", "ffrr", "rffr", "frrf", "ffff", "rrrr",
])  # fmt: skip
@pytest.mark.parametrize("f", [cube, exp_sin, looped, branched, called])
def test_modes_mix_in_any_order(f, modes):
    made = f
    for mode in modes:
        made = grad(made) if mode == "r" else pushed(made)
    close(made(1.7), nth(grad, f, len(modes))(1.7), rtol=1e-8)


def test_modes_mix_directly():
    close(jvp(grad(cube))(2.0, 1.0, 1.0), 12.0)
    close(grad(jvp(cube))(2.0, 1.0), 12.0)
    close(grad(jvp(cube), "dx")(2.0, 1.0), 12.0)
    close(jvp(jvp(cube))(2.0, 1.0, 1.0), 12.0)
    close(grad(grad(jvp(cube)))(2.0, 1.0), 6.0)
    close(grad(jvp(grad(cube)))(2.0, 1.0, 1.0), 6.0)


def test_second_order_of_an_array_function():
    def f(x):
        return np.sum(np.sin(x) * x)

    x, v = np.array([0.3, 0.7]), np.array([1.0, -2.0])
    expected = (2 * np.cos(x) - x * np.sin(x)) * v
    close(hvp(f)(x, v), expected)
    close(hessian(f)(x) @ v, expected)
    close(vjp(grad(f))(x, 1.0, v), expected)


# grad inside of functions that are differentiated


def inner_of(x):
    return grad(cube)(x) * x


def test_grad_of_a_global_function_inside():
    assert inner_of(2.0) == 24.0
    close(grad(inner_of)(2.0), 36.0)
    close(jvp(inner_of)(2.0, 1.0), 36.0)
    close(grad(grad(inner_of))(2.0), 36.0)


def confused(x):
    """x * d/dy (x + y) is x, whose derivative is 1; confusing the two perturbations gives 2."""
    return x * grad(lambda y: x + y)(1.0)


def confused_def(x):
    def inner(y):
        return x * y * y

    return x * grad(inner)(3.0)


def confused_push(x):
    return x * jvp(lambda y: x + y)(1.0, 1.0)


def test_no_perturbation_confusion():
    assert confused(3.0) == 3.0
    assert grad(confused)(3.0) == 1.0
    assert jvp(confused)(3.0, 1.0) == 1.0
    assert grad(confused_push)(3.0) == 1.0
    assert jvp(confused_push)(3.0, 1.0) == 1.0


def test_an_inner_function_that_captures_the_outer_variable():
    assert confused_def(2.0) == 2.0 * 2.0 * 6.0
    close(grad(confused_def)(2.0), 24.0)
    close(jvp(confused_def)(2.0, 1.0), 24.0)
    close(grad(grad(confused_def))(2.0), 12.0)
