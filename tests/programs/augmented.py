"""Augmented assignment to names whose values were made here: each means the same as the long form."""

import functools
import operator

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"x": 0.7})
def plus(x):
    y = x * x
    y += x
    return y


@program({"x": 0.7})
def every_operator(x):
    y = x * 2.0
    y += x
    y -= x * x
    y *= x
    y /= x + 3.0
    y **= 2
    return y


@program({"x": 7.7})
def floor_and_modulo(x):
    y = x * 1.5
    y %= 4.0
    z = x * 2.0
    z //= 4.0
    return y * z


@program({"x": signed(3)})
def plus_on_an_array_made_here(x):
    y = x * x
    y += x
    return y


@program({"x": signed(3)})
def times_on_an_array_made_here(x):
    y = np.sin(x)
    y *= x
    y *= 2.0
    return y


@program({"x": positive(3)})
def power_on_an_array_made_here(x):
    y = x * 2.0
    y **= 3
    y /= x
    y -= 1.0
    return y


@program({"x": signed(3)})
def accumulate_in_a_loop(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


@program({"x": signed(3)})
def product_in_a_loop(x):
    p = 1.0
    for v in x:
        p *= v
    return p


@program({"x": signed(3), "n": 3}, {"x": signed(3), "n": 0})
def array_accumulated_in_a_loop(x, n):
    s = np.zeros(3)
    for i in range(n):
        s += np.sin(x * i)
    return s


@program({"x": signed(3), "n": 3})
def array_scaled_in_a_loop(x, n):
    y = np.cos(x)
    for i in range(n):
        y *= x
        y += 0.1
    return np.sum(y)


@program({"x": signed(3, 2)})
def rows_accumulated(x):
    s = np.zeros(2)
    for row in x:
        s += row * row
    return s


@program({"x": 0.7})
def accumulate_its_own_function(x):
    y = x * 1.0
    for _ in range(3):
        y += y * y
    return y


@program({"x": 0.7})
def counters_and_values(x):
    n = 0
    y = 1.0
    while n < 4:
        y *= x
        n += 1
    return y * n


@program({"x": 0.7}, {"x": -0.7})
def in_a_branch(x):
    y = x * x
    if x > 0:
        y += x
    else:
        y *= 3.0
    return y


@program({"x": signed(3)})
def in_a_branch_in_a_loop(x):
    s = 1.0
    for v in x:
        if v > 0:
            s += v
        else:
            s *= v
    return s


@program({"x": 0.7, "y": 1.9})
def with_an_expression(x, y):
    z = x * y
    z -= np.sin(z) * (x if x > 0 else y)
    z *= z
    return z


@program({"a": signed(2, 2), "x": signed(2)})
def matmul_assigned(a, x):
    m = a + 0.5
    m = m @ a
    y = m @ x
    y += x
    return y


@program({"x": signed(2, 3), "y": signed(3)})
def with_broadcasting(x, y):
    z = x * 2.0
    z += y
    z *= 0.5
    z -= 1.0
    return z


@program({"x": 0.7, "y": signed(3)})
def number_becomes_an_array(x, y):
    """`s` is a number first: `s += y` rebinds it."""
    s = x * 2.0
    s += y
    return s * s


@program({"xs": [0.5, -1.0, 2.0]})
def mean_and_variance_in_one_pass(xs):
    mean = 0.0
    m2 = 0.0
    n = 0
    for x in xs:
        n += 1
        delta = x - mean
        mean += delta / n
        m2 += delta * (x - mean)
    return mean, m2 / n


@program({"x": 0.7})
def two_accumulators(x):
    a = 0.0
    b = 1.0
    for i in range(3):
        a += b * x
        b -= a * 0.1
    return a * b


def squares_summed(xs):
    s = 0.0
    for x in xs:
        s += x * x
    return s


@program({"xs": [0.5, -1.0, 2.0]})
def accumulator_in_a_helper(xs):
    t = squares_summed(xs)
    t *= squares_summed(xs[1:])
    return t


@program({"x": signed(3)})
def starts_from_the_argument_times_one(x):
    """`x * 1` is a new array: adding to it leaves x alone."""
    y = x * 1
    y += x * x
    return y * x


@program({"x": signed(3)})
def starts_from_the_argument_plus_zero(x):
    y = x + 0
    y *= x
    return y + x


@program({"x": signed(3)})
def starts_from_a_copy(x):
    y = x.copy()
    y += 1.0
    return y * x


@program({"x": signed(3)})
def inactive_accumulator(x):
    n = 0
    total = np.zeros(3)
    for i in range(3):
        n += i
        total += i
    return x * n + total * x


@program({"x": 0.7})
def numbers_of_numpy_have_two_names(x):
    a = np.sin(x)
    b = a
    b += 1.0
    s = np.sum(np.array([x, x * 2.0]))
    t = s
    t *= b
    return a * b + s * t


@program({"x": 0.7, "y": 0.4})
def greatest_has_two_names(x, y):
    z = np.maximum(x, y)
    w = z
    w += 1.0
    d = np.dot(np.array([x, y]), np.array([y, x]))
    e = d
    e -= w
    return z * w + d * e


@program({"x": positive(2)})
def item_that_is_in_its_list_twice(x):
    xs = [np.zeros(2)]
    for k in range(2):
        xs[0] += x * (k + 1)
        xs.append(xs[-1])
    return np.sum(xs[1] * xs[2])


@program({"x": signed(3)})
def sum_that_is_kept_and_goes_on(x):
    a = x[0]
    extra = 1.0
    for v in x:
        a += v * 2
        r = a
        extra *= r
    return extra * a


@program({"x": np.array(2.0), "y": np.array(1.5)}, orders=2)
def an_array_without_axes_stays_one(x, y):
    z = x.copy()
    z += y  # a sum would be a number, and not change with its other name
    w = z
    z *= 2.0
    return z * w


@program({"x": np.array(2.0), "y": np.array(1.5)}, orders=2)
def an_argument_without_axes_stays_an_array(x, y):
    if x > y:
        x += y
    z = x
    x *= 2.0
    return x * z


@program({"x": signed(3)}, {"x": 0.7})
def spelled_as_functions(x):
    y = x * 2.0
    y = operator.iadd(y, x)
    z = operator.imul(y, x)
    operator.isub(z, 1.0)
    return operator.itruediv(z, 3.0)


@program({"x": signed(3)})
def spelled_as_a_function_that_folds(x):
    return functools.reduce(operator.imul, [1.0 * x, x, x + 2.0])


@program({"x": signed(3, 4), "k": signed(2, 2)}, orders=2)
def sums_whose_extent_is_read_where_they_grow(x, k):
    out = np.zeros((x.shape[0] - 1, x.shape[1] - 1))
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            out += k[i, j] * x[i:i + out.shape[0], j:j + out.shape[1]]
    return np.sum(np.sin(out))


@program({"x": signed(4)}, orders=2)
def sums_of_another_extent_in_each_round(x):
    total = 0.0
    for j in range(2):
        part = np.zeros(x.shape[0] - j)
        for i in range(3):
            part += x[:part.shape[0]] * i * np.sin(x[j])
        total += np.sum(part**2)
    return total


@program({"x": signed(3)}, orders=2)
def sums_that_are_kept_while_they_grow(x):
    out = np.zeros(3)
    rows = np.ones(3)
    for i in range(3):
        before = out.copy()
        out += x * i * rows
        rows -= out * x
        out -= np.sum(before) * x
    return np.sum(out * rows * rows)


@program({"x": signed(3)}, orders=2)
def sums_into_what_broadcasts(x):
    out = np.zeros((4, 3))
    for i in range(3):
        if x[0] > i:
            out += np.sin(x * i)
        else:
            out -= x[i]
    return np.sum(out * out)


@program({"x": signed(3)}, orders=2)
def sums_of_numbers_without_axes(x):
    whole, number = np.zeros(()), np.zeros(()) * 2.0
    for i in range(3):
        whole += np.sum(x * i)
        number += x * i  # a number of NumPy's, which cannot change in place
    return np.sum(whole * number * number)


@program({"x": signed(3)}, orders=2)
def sums_whose_rows_are_walked(x):
    out = np.zeros((2, 3))
    total = 0.0
    for _ in range(2):
        out += x
        for row in out:
            total += np.sum(row**2)
    return total
