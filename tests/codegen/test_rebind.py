"""Closures of one code have one derivative text; what they capture, and how it hangs together, is each one's own."""

import functools
from dataclasses import dataclass

import numpy as np

from tangent import grad, jvp, vjp
from tangent.codegen import versions
from tangent.service.alike import are_alike
from tangent.transform import repeatable
from tangent.transform import unit as units

close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)


def apply(f, x):
    return f(x)


def applied(f, x):
    """The derivative of f(x), where f is found at run time, in both modes; and the second one."""
    first = grad(apply, 1)(f, x)
    close(jvp(apply, 1)(f, x, 1.0), first)
    return first, grad(grad(apply, 1), 1)(f, x)


def scaled(k):
    def scale(v):
        return v * v * k

    return scale


def composed(f, g):
    return lambda v: f(g(v))


def test_numbers_and_arrays(built):
    close(applied(scaled(2.0), 1.5), (6.0, 4.0))
    before = len(built)
    for k in (3.0, 4.0, 5.0):
        close(applied(scaled(k), 1.5), (3.0 * k, 2.0 * k))
    assert before and len(built) == before
    for k in (2, np.float32(3.0), True, 7.0, 2):
        close(applied(scaled(k), 1.5), (3.0 * k, 2.0 * k), rtol=1e-6)
    for k in (np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]), np.array([[1.0]])):
        close(grad(lambda f, x: np.sum(apply(f, x)), 1)(scaled(k), 1.5), 3.0 * np.sum(k))


def test_functions_that_are_captured():
    square, cube, double = (lambda v: v * v), (lambda v: v**3), (lambda v: 2.0 * v)
    for f, g, want in (
        (square, cube, 6 * 1.5**5),
        (cube, square, 6 * 1.5**5),
        (np.sin, square, 3.0 * np.cos(2.25)),
        (square, np.sin, 2 * np.sin(1.5) * np.cos(1.5)),
        (double, double, 4.0),
        (scaled(2.0), scaled(3.0), 4 * 2.0 * 9.0 * 1.5**3),
        (scaled(3.0), scaled(2.0), 4 * 3.0 * 4.0 * 1.5**3),
        (composed(square, square), double, 64 * 1.5**3),
        (composed(double, square), double, 16 * 1.5),
    ):
        close(applied(composed(f, g), 1.5)[0], want)


def test_the_same_function_twice_and_two_of_one_code():
    f, g = scaled(2.0), scaled(5.0)
    for a, b in ((f, g), (f, f), (g, f), (g, g)):
        ka, kb = (2.0 if a is f else 5.0), (2.0 if b is f else 5.0)
        close(applied(composed(a, b), 1.5)[0], 4 * ka * kb * kb * 1.5**3)


def sharing(k, apart):
    """Two functions over one variable, or over two that hold the same."""
    j = k
    second = (lambda v: v + j) if apart else (lambda v: v + k)
    return composed_product(lambda v: v * k, second)


def composed_product(f, g):
    return lambda v: f(v) * g(v)


def captured(x, apart):
    return apply(sharing(x, apart), x)


def test_variables_that_are_shared_and_not():
    for x in (0.7, 1.3, 0.2):
        for apart in (True, False, True):
            close(grad(captured)(x, apart), 6.0 * x * x)  # x * x * (x + x)
            close(jvp(captured)(x, apart, 1.0), 6.0 * x * x)
            close(grad(grad(captured))(x, apart), 12.0 * x)


def recursive(k):
    def power(v, n):
        return k if n == 0 else v * power(v, n - 1)

    return lambda v: power(v, 3)


def test_recursion():
    for k in (1.0, 2.0, 3.0):
        close(applied(recursive(k), 1.5), (3 * k * 1.5**2, 6 * k * 1.5))


def test_defaults():
    for k in (2.0, 3.0, 4.0):
        close(applied(lambda v, k=k: v * v * k, 1.5), (3.0 * k, 2.0 * k))


def test_helpers_that_are_redefined(notebook):
    notebook.run("def helper(x):\n    return x * 2.0\n")
    make = notebook.run("def make(k):\n    return lambda x: helper(x) * k\n").make
    assert [applied(make(k), 3.0)[0] for k in (2.0, 5.0)] == [4.0, 10.0]
    notebook.run("def helper(x):\n    return x * x\n")
    assert [applied(make(k), 3.0)[0] for k in (2.0, 5.0)] == [12.0, 30.0]


@dataclass
class Scale:
    k: object

    def __call__(self, v):
        return v * v * self.k

    def twice(self, v):
        return self(self(v))


@dataclass
class Inner:
    k: float

    def __mul__(self, other):
        return other * self.k * 10.0

    __rmul__ = __mul__


def test_objects_and_their_methods(built):
    for k in (2.0, 3.0, 4.0, Inner(5.0), 6.0):
        factor = k * 1.0
        close(applied(Scale(k), 1.5), (3.0 * factor, 2.0 * factor))
        close(applied(Scale(k).twice, 1.5)[0], 4 * factor**3 * 1.5**3)
    before = len(built)
    for k in (7.0, 8.0):
        close(grad(apply, 1)(Scale(k), 1.5), 3.0 * k)
    assert len(built) == before


class Alike:
    """Objects that are equal, whatever they hold."""

    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return isinstance(other, Alike)

    def __hash__(self):
        return 1

    def __call__(self, v):
        return v * v * self.k


def test_objects_that_are_equal_are_two():
    kept = [Alike(k) for k in (2.0, 3.0, 4.0)]
    for f in kept:
        close(applied(f, 1.5), (3.0 * f.k, 2.0 * f.k))
        close((grad(f)(1.5), jvp(f)(1.5, 1.0), grad(grad(f))(1.5)), (3.0 * f.k, 3.0 * f.k, 2.0 * f.k))
        assert grad(f) is grad(f)


def step(x, n):
    total = 0.0
    for i in range(n):
        total = total + apply(lambda v, x=x: np.sin(v * x) * x, x + i)  # a new one at each step
    return total


def test_lambdas_made_in_a_loop_are_differentiated_once(built):
    for x in (0.3, 0.4):
        near = (step(x + 1e-6, 3) - step(x - 1e-6, 3)) / 2e-6
        close(grad(step)(x, 3), near, rtol=1e-6)
    before = len(built)
    assert grad(step)(0.5, 30) is not None and len(built) <= before + 2


def through_others(x):
    def g(y):
        return np.sin(y * x)

    return grad(lambda y: g(y) * y)(1.3)


def test_variables_that_only_a_captured_function_knows(built):
    """d/dx d/dy (sin(y x) y) at y = 1.3, and its derivative: text that was made for one x is that of all."""

    def want(x, y=1.3):
        return 2.0 * y * np.cos(y * x) - y * y * x * np.sin(y * x)

    derivatives = (grad(through_others), lambda x: jvp(through_others)(x, 1.0))
    for first in derivatives:
        close(first(0.7), want(0.7))
    before = len(built)
    for x in (0.2, 1.1, -0.4):
        for first in derivatives:
            close(first(x), want(x))
    assert before and len(built) == before


def losses(k, shift=0.0):
    def loss(v):
        for _ in range(2):
            v = v * k + shift
        return np.sum(v * v)

    return loss


def test_versions_are_made_once_for_closures_of_one_code(monkeypatch):
    """Each has its own numbers and arrays in it; where these are of other kinds, another version is made."""
    made = []
    monkeypatch.setattr(versions, "version", lambda *args, old=versions.version: made.append(args) or old(*args))
    v = np.linspace(0.1, 0.5, 4)

    def check(*captured):
        f = losses(*captured)
        derivative = grad(f)
        for _ in range(4):
            k, shift = (*captured, 0.0)[:2]
            close(derivative(v), 2.0 * ((v * k + shift) * k + shift) * k * k)
        return derivative

    first = check(0.7)
    assert len(made) == 1
    for k in (0.8, -0.3, 1.9):
        assert check(k).version(v).source == first.version(v).source
    assert len(made) == 1
    check(0.9, 0.2)
    check(v + 1.0)
    check(v + 2.0)
    check(v[:1] + 2.0, 1.0)
    assert len(made) == 3
    check(0.4)
    close(first(v), check(0.7)(v))
    assert len(made) == 3


def test_a_version_sees_helpers_that_are_redefined_after_it_was_shared(notebook):
    notebook.run("def helper(v, k):\n    return k * v * v\n")
    make = notebook.run("def helped(k):\n    return lambda v: np.sum(helper(v, k))\n").helped
    v = np.array([1.5, 0.5])
    for k in (2.0, 3.0):
        derivative = grad(make(k))
        for _ in range(5):
            close(derivative(v), 2.0 * k * v)
    notebook.run("def helper(v, k):\n    return k * v\n")
    for _ in range(5):
        close(derivative(v), [3.0, 3.0])
        close(grad(make(4.0))(v), [4.0, 4.0])


def penalty(x):
    return np.sum(grad(lambda u: np.sum(np.sin(u * x) ** 2))(x) ** 2)


def test_gradients_of_what_is_made_in_each_call_are_not_looked_into_again(monkeypatch):
    """Whether a derivative draws random numbers is found out once for all that are made of functions of one code."""
    x, derivative = np.linspace(0.2, 0.9, 3), grad(penalty)
    near = [(penalty(x + e) - penalty(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    close(derivative(x), near, rtol=1e-6)
    read = []
    monkeypatch.setattr(repeatable, "drawn_inside", lambda *args: read.append(args) or "")
    monkeypatch.setattr(units, "_unit", lambda *args, old=units._unit: read.append(args) or old(*args))
    for _ in range(3):
        close(derivative(x), near, rtol=1e-6)
    assert not read


def bent(x):
    return np.sin(x) * x


def slopes(f, scale):
    pull = vjp(f)
    return lambda x: pull(x, 1.0) * scale


def test_closures_over_derivatives_of_one_function_are_alike():
    assert are_alike(slopes(bent, 2.0), slopes(bent, 3.0))
    assert not are_alike(slopes(bent, 2.0), slopes(lambda x: x * x, 2.0))
