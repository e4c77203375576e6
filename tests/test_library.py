"""Another array library, added from outside: gradients in both modes, at second order."""

from __future__ import annotations

import numpy as np
import pytest

import tangent
import toy
import wrapped
from tangent import grad, jvp
from tangent.errors import InPlaceError, MissingRuleError, RuleError, UnsupportedError


@pytest.fixture(autouse=True, scope="module")
def bound():
    with tangent.rules():
        toy.register(toy)
        wrapped.register(wrapped)
        yield


def model(v, w):
    return toy.total(toy.sin(toy.scale(v, by=w)) * v + toy.exp(-v) / 2.0)


def looped(v, w, n):
    for _ in range(n):
        if toy.size(v) > 1:
            v = toy.cos(v * w) + w
    return toy.total(v * v)


def in_numpy(f):
    """The same function of arrays."""

    class Library:
        sin, cos, exp, total, size = np.sin, np.cos, np.exp, np.sum, np.size

        @staticmethod
        def scale(vector, by):
            return vector * by

    import types

    return types.FunctionType(f.__code__, {"toy": Library})


V, W = [0.3, -0.7, 1.1], 0.8
X = np.array(V)


@pytest.mark.parametrize("f, rest", [(model, ()), (looped, (3,))], ids=["model", "looped"])
def test_gradients_agree_with_those_of_arrays(f, rest):
    bv, bw = grad(f, (0, 1))(toy.Vector(V), W, *rest)
    g = in_numpy(f)
    h = 1e-6
    numeric = (g(X, W + h, *rest) - g(X, W - h, *rest)) / (2 * h)
    assert bw == pytest.approx(numeric, rel=1e-7)
    for i in range(3):
        e = h * np.eye(3)[i]
        numeric = (g(X + e, W, *rest) - g(X - e, W, *rest)) / (2 * h)
        assert bv.items[i] == pytest.approx(numeric, rel=1e-7)
        pushed = jvp(f)(toy.Vector(V), W, *rest, toy.Vector(np.eye(3)[i]))
        assert pushed == pytest.approx(bv.items[i])


@pytest.mark.parametrize("f, rest", [(model, ()), (looped, (2,))], ids=["model", "looped"])
def test_second_order(f, rest):
    direction = toy.Vector([1.0, 2.0, -1.0])
    slope = grad(f)
    h = 1e-5
    up = slope(toy.Vector(V) + direction * h, W, *rest)
    down = slope(toy.Vector(V) - direction * h, W, *rest)
    numeric = (up - down) / (2 * h)
    by_forward = jvp(slope)(toy.Vector(V), W, *rest, dv=direction)

    def along(v, w, *rest):
        return toy.total(slope(v, w, *rest) * direction)

    by_reverse = grad(along)(toy.Vector(V), W, *rest)
    assert by_forward.items == pytest.approx(numeric.items, rel=1e-5)
    assert by_reverse.items == pytest.approx(numeric.items, rel=1e-5)


def test_the_generated_code_is_in_terms_of_the_library():
    assert "toy.cos(" in grad(model).source and "np." not in grad(model).source


def test_wrong_bindings_are_refused():
    with pytest.raises(RuleError, match=r"'toy.sin' cannot be bound to 'sine': there is no such rule"):
        tangent.bind_library(toy, {"sin": "sine"})
    with pytest.raises(RuleError, match="the rule has no 'angle'"):
        tangent.bind_library(toy, {"sin": ("sin", {"x": "angle"})})


def layer(x, w):
    return wrapped.sum(wrapped.tanh(x * w + 1.0) / wrapped.exp(x) - wrapped.sqrt(x) * 2.0)


def layer_in_numpy(x, w):
    return np.sum(np.tanh(x * w + 1.0) / np.exp(x) - np.sqrt(x) * 2.0)


def test_a_library_with_the_names_of_numpy():
    x, w = np.array([[0.3, 0.5], [0.7, 0.9]]), np.array([0.2, 0.4])
    direction = np.array([[1.0, 2.0], [-1.0, 0.5]])
    theirs, ours = (x, w), (wrapped.Array(x), wrapped.Array(w))
    for got, want in zip(grad(layer, (0, 1))(*ours), grad(layer_in_numpy, (0, 1))(*theirs)):
        np.testing.assert_allclose(got.held, want, rtol=1e-12)
    assert jvp(layer)(*ours, wrapped.Array(direction)) == pytest.approx(jvp(layer_in_numpy)(*theirs, direction))
    got = tangent.hvp(layer)(*ours, wrapped.Array(direction))
    np.testing.assert_allclose(got.held, tangent.hvp(layer_in_numpy)(*theirs, direction), rtol=1e-12)


# A library that is none of ours


@pytest.fixture(scope="module")
def torch():
    found = pytest.importorskip("torch")
    with tangent.rules():
        import bound_torch

        bound_torch.register()
        yield found


def in_terms_of(library):
    def elementwise(x, w):
        return library.sum(library.tanh(x * w + 1.0) / library.exp(x) - library.sqrt(x) * 2.0 + 3.0 / x)

    def looped(x, w):
        h = library.zeros_like(x)
        for _ in range(3):
            h = library.tanh(h * w + x)
            if library.argmax(h) >= 0:
                h = h + library.sin(x) ** 2
        return library.sum(h * h)

    def indexed(x, w):
        return library.sum(x[0] * x[1] * x[0, 1] + w * x[:, 1]) + library.sum(library.log(x) * w)

    return elementwise, looped, indexed


@pytest.mark.parametrize("i", range(3))
def test_tensors_of_torch(torch, i):
    x, w = np.array([[0.3, 0.5], [0.7, 0.9]]), np.array([0.2, 0.4])
    given = torch.tensor(x), torch.tensor(w)
    f, expected = in_terms_of(torch)[i], in_terms_of(np)[i]
    for got, known in zip(grad(f, (0, 1))(*given), grad(expected, (0, 1))(x, w)):
        assert isinstance(got, torch.Tensor)
        np.testing.assert_allclose(got, known)
    np.testing.assert_allclose(jvp(f)(*given, given[0]), jvp(expected)(x, w, x))
    np.testing.assert_allclose(tangent.hvp(f)(*given, given[0]), tangent.hvp(expected)(x, w, x))
    np.testing.assert_allclose(grad(f, optimized=False)(*given), grad(expected)(x, w))


def test_what_a_library_is_not_asked_for_is_refused(torch):
    x = torch.tensor([0.3, 0.5])
    with pytest.raises(MissingRuleError, match=r"no rule for 'torch.*erf'"):
        grad(lambda x: torch.sum(torch.erf(x)))
    with pytest.raises(UnsupportedError, match="reading a Tensor by list"):
        grad(lambda x: torch.sum(x[[0, 0]]))(x)

    def store(x):
        y = torch.zeros_like(x)
        y[0] = x[1]
        return torch.sum(y)

    for derivative in (grad(store), lambda x: jvp(store)(x, x)):
        with pytest.raises(InPlaceError, match="writes into a Tensor"):
            derivative(x)
