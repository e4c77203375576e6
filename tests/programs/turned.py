"""Functions whose gradients have no backward pass of their own: the second derivative goes through forward mode."""

import numpy as np

import tangent
from programs.registry import program

X = np.array([0.7, 1.3, 0.4, 2.1])


def scale(a, s):
    a *= s
    return a


@program({"x": X})
def scaled_and_returned(x):
    a = x.copy()
    for i in range(2):
        a = scale(a, x[i])
    return np.sum(a * a)


def relaxed(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.5 * (u[2:] * u[1:-1] + u[:-2])
        u, v = v, u
    return u


@program({"x": X})
def buffers_swapped_in_a_helper(x):
    return np.sum(relaxed(x * x, 3) * x)


def chosen(a, b, first):
    c = a if first else b
    c[0] *= b[1]
    return np.sum(c * a)


@program({"x": X})
def one_of_two_written(x):
    a, b = x * 2.0, x**2
    return chosen(a, b, x[0] > 0) * chosen(b, a, x[0] > 5) + np.sum(a * b)


def folded(a, n, x):
    if n == 0:
        return a
    a *= x[n]
    return folded(a, n - 1, x)


@program({"x": X})
def scaled_by_recursion(x):
    return np.sum(folded(x * 1.0, 3, x) ** 2)


@program({"x": X}, orders=1)
def penalty_of_a_gradient(x):
    slope = tangent.grad(buffers_swapped_in_a_helper)(x)
    return np.sum(slope * slope)


@program({"x": X}, orders=1)
def value_and_slope(x):
    value, slope = tangent.value_and_grad(scaled_and_returned)(x)
    return value * np.sum(slope * x)


@program({"b": X})
def names_of_the_backward_pass(b):
    saved = b.copy()
    for i in range(2):
        saved = scale(saved, b[i])
    return saved * b


def shifted(u, w):
    v = u.copy()
    for k in range(1, 3):
        v[k] = w * u[k - 1]
        u, v = v, u
    return u, v


@program({"x": X})
def buffers_given_back_and_swapped_again(x):
    a, b = shifted(x * x, x[0])
    c, d = shifted(b, a[1])
    return np.sum(a * b) + np.sum(c * d)
