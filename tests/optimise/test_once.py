"""Functions of mathematics are called once for one value."""

import math

import numpy as np

import tangent


def swing(x, n):
    for _ in range(n):
        x = math.sin(x) * math.cos(x)
    return x


def kepler(m, e):
    a = m
    for _ in range(10):
        a = a - (a - e * math.sin(a) - m) / (1 - e * math.cos(a))
    return a


def softmax(z):
    p = np.exp(z) / np.sum(np.exp(z))
    return np.sum(p * p)


def moved(x):
    a = math.sin(x)
    x = x + a
    return a * math.sin(x)


def handed_out(x):
    return np.exp(x), np.exp(x)


def test_the_backward_loop_has_the_values_of_the_forward_loop():
    for f, wrt in ((swing, "x"), (kepler, ("m", "e"))):
        source = tangent.grad(f, wrt=wrt).source
        assert source.count("math.sin(") == source.count("math.cos(") == 2  # one is in a comment
    assert "x_stack" not in tangent.grad(swing).source


def test_one_exponential_for_two_uses():
    assert tangent.grad(softmax).source.count("np.exp(") == 3  # two are in a comment
    tangent.check_grads(softmax, (np.array([0.3, -0.2, 0.9]),), order=2)


def test_another_value_is_another_call():
    assert tangent.grad(moved).source.count("math.sin(") == 4  # two are in comments


def test_results_stay_apart():
    (a, b), _ = tangent.jvp(handed_out, preserve_result=True)(np.ones(2), np.ones(2))
    assert a is not b and not np.shares_memory(a, b)
