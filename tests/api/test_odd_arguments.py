"""Arguments, tangents and results of kinds that derivatives do not take: refused, with a way out."""

import numpy as np
import pytest

import tangent
from tangent import grad, jvp


class Percent(np.ndarray):
    def __mul__(self, other):
        return np.asarray(self) * np.asarray(other) / 100.0


class Labelled(np.ndarray):
    pass


def product(x):
    return np.sum(np.sin(x) * x)


def test_arrays_whose_class_redefines_operators():
    for given in (np.ones(2).view(Percent), np.ma.array([1.0, 2.0], mask=[0, 1])):
        with pytest.raises(tangent.TangentError, match="its operations are not those of arrays"):
            grad(product)(given)
    np.testing.assert_allclose(grad(product)(np.ones(2).view(Labelled)), grad(product)(np.ones(2)))


@pytest.mark.parametrize("result", [lambda x: lambda: x, lambda x: print, lambda x: {1, 2}, lambda x: Holder(x)])
def test_results_that_are_no_numbers(result):
    with pytest.raises(tangent.TangentError, match="not a single number"):
        grad(result)(1.5)


class Holder:
    def __init__(self, x):
        self.x = x


def test_a_list_as_the_tangent_of_an_array():
    with pytest.raises(tangent.TangentError, match="the tangent of 'x' is a list"):
        jvp(lambda x: x * 2.0)(np.ones(2), [1.0, 2.0])


class Gain:
    def __init__(self, w):
        self.w = w

    def act(self, v):
        return self.w * v

    def loss(self, v):
        return self.act(v) * v * self.w


def test_an_object_with_a_function_in_place_of_a_method():
    def f(g, x):
        return g.loss(x)

    given, k = Gain(1.5), 2.0
    given.act = lambda v: v * v * k
    for _ in range(3):
        by = grad(f)(given, 3.0)
        assert type(by) is Gain and by.w == 54.0 and by.act == {"k": 40.5}
        assert grad(f, "g.w")(given, 3.0) == 54.0


def test_a_class_that_was_made_by_exec():
    made = {"__name__": __name__}
    exec("class Made:\n    def __init__(self, a):\n        self.a = a\n", made)
    given = made["Made"]

    def of_one_made_here(x):
        return given(x).a * 2.0

    with pytest.raises(tangent.TangentError, match="no source for '__init__'"):
        grad(of_one_made_here)(1.5)
    assert grad(lambda k, x: k.a * x, 1)(given(2.0), 1.5) == 2.0
