"""Derivatives of functions of one code are written once: what differs is what they capture."""

import types

import numpy as np
import pytest

import tangent
from tangent import grad, hessian, jvp, value_and_grad
from tangent.pipeline import build
from tangent.service.demand import DerivativesOnDemand

X = np.array([0.3, 0.5, 0.7])


@pytest.fixture
def built(monkeypatch):
    """The functions whose derivatives are written."""
    seen = []

    def counted(function, options):
        seen.append(function.__name__)
        return build(function, options)

    monkeypatch.setattr("tangent.pipeline.build", counted)
    return seen


def test_written_once(built):
    for c in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(grad(lambda y: np.sum(y**2 * c))(X), 2.0 * X * c)  # noqa: B023
    assert len(built) == 1


def test_again_for_gradients_of_gradients(built):
    def penalty(c):
        return lambda y: np.sum(grad(lambda z: np.sum(z**3 * c))(y) ** 2)

    for c in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(grad(penalty(c))(X), 36.0 * c**2 * X**3, rtol=1e-12)
        np.testing.assert_allclose(jvp(penalty(c))(X, X), 36.0 * c**2 * np.sum(X**4), rtol=1e-12)
    before = len(built)
    for c in (4.0, 5.0):
        np.testing.assert_allclose(grad(penalty(c))(X), 36.0 * c**2 * X**3, rtol=1e-12)
        np.testing.assert_allclose(hessian(lambda z: np.sum(z**3 * c))(X), np.diag(6.0 * X * c), rtol=1e-12)  # noqa: B023
    assert len(built) == before + 2  # the Hessian is new: two derivatives, and none for the second number


class Scaled:
    def __init__(self, w):
        self.w = w

    def __call__(self, t):
        return np.sin(t) * self.w


class Other(Scaled):
    def __call__(self, t):
        return np.cos(t) * self.w


CAPTURED = [
    (lambda t: t * t, lambda t: t**3, np.sin, np.cos),
    (Scaled(1.0), Scaled(2.0), Other(2.0)),
    (tangent.grad(lambda t: np.sum(t**3)), tangent.grad(lambda t: np.sum(t**4))),
]


@pytest.mark.parametrize("functions", CAPTURED)
def test_what_is_called_may_be_another(functions):
    for f in functions:
        along = np.array([0.2, -0.4, 0.1])
        want = (np.sum(f(X + 1e-6 * along) * X) - np.sum(f(X - 1e-6 * along) * X)) / 2e-6
        np.testing.assert_allclose(np.sum(grad(lambda y: np.sum(f(y) * X))(X) * along), want, rtol=1e-6)  # noqa: B023
        np.testing.assert_allclose(jvp(lambda y: np.sum(f(y) * X))(X, along), want, rtol=1e-6)  # noqa: B023


@pytest.mark.parametrize("values", [(1.0, 2, True), (np.eye(3), np.ones((2, 3)), np.ones(3), 2.0), (np.array(2.0), 3)])
def test_what_is_captured_may_be_of_another_kind(values):
    for v in values:
        found, slope = value_and_grad(lambda y: np.sum((v * y) ** 2))(X)  # noqa: B023
        np.testing.assert_allclose(found, np.sum((v * X) ** 2))
        np.testing.assert_allclose(
            slope, 2.0 * X * np.sum(np.broadcast_to(np.square(v), (*np.shape(v)[:-1], 3)).reshape(-1, 3), 0)
        )


def test_what_is_captured_changes_later():
    def make(s):
        def f(y):
            return np.sum(y * y * s)

        def change(v):
            nonlocal s
            s = v

        return f, change

    for first in (1.0, 2.0):
        f, change = make(first)
        derivative = grad(f)
        np.testing.assert_allclose(derivative(X), 2.0 * X * first)
        change(5.0)
        np.testing.assert_allclose(derivative(X), 10.0 * X)


def test_versions_are_of_one_function():
    def make(c):
        return lambda y: np.sum(np.where(y > 0.4, y * c, np.sin(y)) * y)

    derivatives = [grad(make(c)) for c in (1.0, 2.0)]
    for _ in range(4):
        for c, d in zip((1.0, 2.0), derivatives):
            np.testing.assert_allclose(d(X), np.where(X > 0.4, 2 * X * c, np.sin(X) + X * np.cos(X)))


def test_redefined_helpers_are_seen(tmp_path):
    space = types.ModuleType("space")
    path = tmp_path / "space.py"
    path.write_text("def helper(t):\n    return t * t\ndef make(c):\n    return lambda y: helper(y) * c\n")
    exec(compile(path.read_text(), str(path), "exec"), space.__dict__)
    assert [grad(space.make(c))(3.0) for c in (1.0, 2.0)] == [6.0, 12.0]
    path.write_text(path.read_text() + "def helper(t):\n    return t * t * t\n")
    exec(compile(path.read_text(), str(path), "exec"), space.__dict__)
    assert [grad(space.make(c))(3.0) for c in (1.0, 2.0)] == [27.0, 54.0]


def test_functions_that_fill_what_they_capture_are_written_once(monkeypatch):
    def loss(x):
        hooks = {}

        def on(title):
            def put(f):
                hooks[title] = f
                return f

            return put

        @on("square")
        def square(v):
            return v * v * x

        return sum(hook(x) for hook in hooks.values())

    derivative, built = grad(loss), []
    assert derivative(2.0) == 12.0
    made = DerivativesOnDemand._built
    monkeypatch.setattr(DerivativesOnDemand, "_built", lambda *args, **kw: built.append(args) or made(*args, **kw))
    assert [derivative(x) for x in (1.0, 2.0, 3.0)] == [3.0, 12.0, 27.0]
    assert not built


def powers(x):
    terms = [lambda t, k=k: t**k * x for k in range(3)]
    return sum(f(x) for f in terms)


def of_a_table(a):
    table = {"sum": lambda v: np.sum(v * a), "square": lambda v: np.sum(v * v)}
    return table["sum"](a) * table["square"](a)


@pytest.mark.parametrize(("f", "x"), [(powers, 0.7), (of_a_table, X)], ids=["numbers", "arrays"])
def test_closures_of_every_call_are_read_once(f, x, monkeypatch):
    """What functions write into, and whether they may be run again, goes for others that do the same."""
    made = grad(f), jvp(f)
    for _ in range(3):
        made[0](x), made[1](x, x)
    monkeypatch.setattr("tangent.transform.unit._unit", None)
    made[0](x), made[1](x, x)
