"""Objects that a function makes and gives back; values with parts."""

import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from api.functions import close
from tangent import check_grads, grad, hessian, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from tangent.errors import ArgumentError, OptionError, SeedError

# Objects that a function makes and gives back


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def test_objects_that_are_made_and_given_back():
    def f(x):
        point = Point(x * x, [Point(x, 2.0 * x)])
        return x * point.x, point

    slope, point = grad(f, has_aux=True)(3.0)
    assert slope == 27.0 and point.x == 9.0 and point.y[0].y == 6.0
    (value, point), slope = value_and_grad(f, has_aux=True)(3.0)
    assert value == 27.0 and point.y[0].x == 3.0

    def made(x):
        return Point(x * x, (x, Point(1.0, 5.0 * x)))

    tangents = jvp(made)(3.0, 1.0)
    assert (tangents.x, tangents.y[0], tangents.y[1].y) == (6.0, 1.0, 5.0)
    assert vjp(made)(3.0, Point(10.0, (2.0, Point(7.0, 1.0)))) == 67.0
    assert grad(lambda x: vjp(made)(x, Point(10.0, (2.0, Point(7.0, 1.0)))))(3.0) == 20.0


def test_derivatives_of_objects_inside_functions():
    def by_an_object(w, x):
        point = Point(w, x)
        point.x = point.x * 2.0
        bpoint, bt = grad(lambda p, t: p.x * t * t * x, (0, 1))(point, x)
        return bpoint.x * bt

    def changing(w, x):
        def inner(p):
            p.x = p.x * x
            return p.x * p.x

        point = Point(w, x)
        return grad(inner)(point).x * point.x

    for f in (by_an_object, changing):
        check_grads(f, (1.3, 0.7))


def test_a_mode_of_the_jacobian_that_there_is_not():
    with pytest.raises(ValueError, match="mode='sideways': there are two modes"):
        jacobian(np.sin, mode="sideways")


def test_a_loop_that_keeps_the_shape_needs_no_broadcasting_at_any_order():
    def cubes(x, n):
        for _ in range(n):
            x = x * x * x
        return x

    derivative, lines = cubes, []
    for _ in range(3):
        derivative = grad(derivative)
        lines.append(len(derivative.source.splitlines()))
        assert "broadcast" not in derivative.source
    assert lines[1] <= 45 and lines[2] <= 150
    assert derivative(1.1, 2) == pytest.approx(9 * 8 * 7 * 1.1**6)


def test_the_derivatives_of_a_polynomial_stay_small():
    def cube(x):
        return x * x * x

    reverse = forward = cube
    for _ in range(5):
        reverse, forward = grad(reverse), jvp(forward)
    assert len(reverse.source.splitlines()) <= 16 and len(forward.source.splitlines()) <= 6


class EqualToAll:
    """Python's own `inspect.signature` takes such an object for a builtin."""

    __hash__ = None

    def __eq__(self, other):
        return True

    def __call__(self, x, *, k=2.0):
        return k * x * x


def test_callable_objects_that_compare_as_they_like():
    assert grad(EqualToAll())(3.0, k=5.0) == 30.0


def test_a_module_may_be_an_argument():
    def energy(x, xp):
        return xp.sum(xp.clip(x, -0.5, 1.5) * x)

    x = np.array([0.3, -0.2, 2.0])
    assert grad(energy)(x, np) == pytest.approx([0.6, -0.4, 1.5])
    assert jvp(energy, wrt=0)(x, np, np.ones(3)) == pytest.approx(1.7)


@pytest.mark.parametrize(
    "result, what",
    [
        (lambda x: x, "a float"),
        (lambda x: (x, 1, 2), "3 things"),
        (lambda x: {"a": x, "b": 2}, "a dict"),
        (lambda x: None, "nothing"),
    ],
)
def test_has_aux_asks_for_a_pair(result, what):
    def f(x):
        return result(x * x)

    with pytest.raises(OptionError, match=rf"test_objects.py:\d+: has_aux=True: the function returned {what}"):
        grad(f, has_aux=True)(3.0)


def test_zero_gradients_of_lists_that_grow_and_shrink_are_as_they_were_given():
    def grows(xs, ys):
        xs.append(xs[0] * 2.0)
        return ys[-1] * ys[0]

    def shrinks(xs):
        xs.pop()
        return 3.0

    assert grad(grows, (0, 1))([1.0, 2.0], [3.0, 4.0]) == ([0.0, 0.0], [4.0, 3.0])
    assert grad(shrinks)([1.0, 2.0]) == [0.0, 0.0]


def test_integer_arrays_that_are_written_into_are_refused():
    def itself(c, x):
        c[0] = 2 * c[1]
        return np.sum(c * x)

    def a_copy(c, x):
        n = c.copy()
        n[1] = 2
        return np.sum(n * x)

    ints, x = np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])
    refused = r"array of int64, and the function writes.*\n.*\n.*\nIt is written into at .*\n.*\[\d\] = 2.*\n.*\nPass"
    for f, by_x in ((itself, [4, 2, 3]), (a_copy, [1, 2, 3])):
        with pytest.raises(ArgumentError, match=refused):
            grad(f, 0)(ints, x)
        with pytest.raises(ArgumentError, match="array of int64"):
            jvp(f, 0)(ints, x, x)
        np.testing.assert_allclose(grad(f, 1)(ints, x), by_x)
        assert np.all(np.isfinite(grad(f, 0)(ints.astype(float), x)))


# Values with parts


class Pair(NamedTuple):
    u: Any
    v: Any


@pytest.mark.parametrize("make", [jacrev, jacfwd])
def test_jacobians_of_containers_have_their_structure(make):
    x = np.array([1.0, 2.0])
    squares, total = make(lambda x: (x**2, np.sum(x)))(x)
    close(squares, np.diag(2 * x))
    close(total, np.ones(2))
    named = make(lambda x: Pair(x, {"k": x[0], "s": "text"}))(x)
    close(named.u, np.eye(2))
    close(named.v["k"], [1.0, 0.0])
    assert isinstance(named, Pair) and named.v["s"] is None
    by_parts = make(lambda p: p["a"] * p["b"])({"a": x, "b": 3.0, "name": "p"})
    close(by_parts["a"], 3 * np.eye(2))
    close(by_parts["b"], x)
    assert by_parts["name"] is None
    (aa, ay), (ba, by) = make(lambda p, y: (p[0] * y, y), (0, 1))((x, 1.0), 2.0)
    close(aa[0], 2 * np.eye(2))
    close(aa[1], np.zeros(2))
    close(ay, x)
    close(ba[0], np.zeros(2))
    close(by, 1.0)
    close(make(lambda t: [t[0] * t[1], t[1]])([2.0, 3.0]), [[3.0, 2.0], [0.0, 1.0]])
    with pytest.raises(SeedError, match="the result is tuple: a Jacobian is that of numbers"):
        make(lambda t: ("a", None))(1.0)


def test_hessian_by_a_dict_and_by_an_object():
    x = np.array([1.0, 2.0])
    found = hessian(lambda d: d["a"] @ d["a"] * d["b"])({"a": x, "b": 3.0})
    close(found["a"]["a"], 6 * np.eye(2))
    close(found["a"]["b"], 2 * x)
    close(found["b"]["a"], 2 * x)
    close(found["b"]["b"], 0.0)
    of_object = hessian(lambda p: p.w * p.w * p.b)(types.SimpleNamespace(w=2.0, b=3.0))
    close(of_object.w.w, 6.0)
    close(of_object.w.b, 4.0)


@pytest.mark.parametrize("kind", [complex, np.complex64, np.complex128, np.array])
def test_gradients_by_complex_numbers_are_complex(kind):
    for f, expected in ((lambda x: x.real, 1.0), (lambda x: 2 * np.imag(x), -2j)):
        got = grad(f)(kind(2 + 1j))
        assert got == expected and np.iscomplexobj(got)
        assert np.asarray(got).dtype == np.asarray(kind(1j)).dtype
