"""Jacobians, Hessians and products with them; the checker."""

import functools

import numpy as np
import pytest

import tangent
from api.functions import close, cube, norm, product, square
from tangent import check_grads, grad, hessian, hvp, jacfwd, jacobian, jacrev, vjp
from tangent.errors import GradientError, SeedError, WrtError

# Jacobians, Hessians, products


def polar(p):
    return np.array([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])


@pytest.mark.parametrize("make", [jacobian, jacrev, jacfwd, functools.partial(jacobian, mode="forward")])
def test_jacobian(make):
    r, t = 2.0, 0.5
    expected = [[np.cos(t), -r * np.sin(t)], [np.sin(t), r * np.cos(t)]]
    close(make(polar)(np.array([r, t])), expected)


@pytest.mark.parametrize("make", [jacrev, jacfwd])
def test_jacobian_has_the_shape_of_the_result_and_then_of_the_argument(make):
    def f(a, b):
        return np.outer(a, b[:, 0])

    ja, jb = make(f, (0, 1))(np.ones(2), np.ones((3, 4)))
    assert ja.shape == (2, 3, 2) and jb.shape == (2, 3, 3, 4)
    assert make(f)(np.ones(2, np.float32), np.ones((3, 4), np.float32)).dtype == np.float32
    assert make(square)(3.0) == 6.0 and np.shape(make(square)(3.0)) == ()
    assert make(norm)(np.ones(3)).shape == (3,)
    assert make(f)(np.ones(0), np.ones((3, 4))).shape == (0, 3, 0)


def test_hessian():
    def f(x):
        return x[0] * x[0] * x[1] + np.sin(x[1])

    close(hessian(f)(np.array([2.0, 3.0])), [[6.0, 4.0], [4.0, -np.sin(3.0)]])
    close(hessian(cube)(2.0), 12.0)


def test_hessian_of_several_arguments():
    def f(x, y):
        return np.sum(x * x) * y

    x = np.array([1.0, 2.0])
    (xx, xy), (yx, yy) = hessian(f, (0, 1))(x, 3.0)
    close(xx, 6 * np.eye(2))
    close(xy, 2 * x)
    close(yx, 2 * x)
    close(yy, 0.0)


def test_hvp_of_several_arguments():
    def f(x, y):
        return x * x * y

    close(hvp(f, (0, 1))(2.0, 3.0, 1.0, 10.0), (6.0 + 40.0, 4.0))


def test_hvp_needs_its_vectors():
    with pytest.raises((SeedError, TypeError)):
        hvp(square)()


# The checker


def test_check_grads_passes_what_is_right():
    check_grads(np.sin, (0.5,), order=2)
    check_grads(product, (2.0, 3.0, 4.0), wrt=(0, "z"), order=2)
    check_grads(lambda p: p["a"] * p["b"][0], ({"a": 2.0, "b": (np.ones(3),)},))


def test_check_grads_can_fail(notebook):
    f = notebook.run("def f(x):\n    return np.floor(x) * 2.0\n").f
    with pytest.raises(GradientError, match="finite differences"):
        check_grads(f, (1.0,), eps=1e-3)
    with pytest.raises(AssertionError):
        check_grads(f, (1.0,), modes=("forward",), eps=1e-3)


def test_functions_whose_derivative_is_zero():
    assert grad(np.floor)(1.5) == 0.0
    close(vjp(np.sign)(np.ones(3), np.ones(3)), np.zeros(3))


def test_the_public_names():
    for name in tangent.__all__:
        assert hasattr(tangent, name)
    assert issubclass(SeedError, ValueError) and issubclass(WrtError, ValueError)
    assert issubclass(GradientError, AssertionError)
