"""Functions of mathematics that are asked for again: for the same value, and for one that only looks the same."""

import math

import numpy as np

from programs.registry import program

V = np.array([0.3, -0.7, 1.2])


@program({"x": 0.4, "n": 4}, orders=2)
def sine_times_cosine_in_a_loop(x, n):
    for _ in range(n):
        x = math.sin(x) * math.cos(x) + 0.3
    return x


@program({"x": 0.4, "n": 4}, orders=2)
def value_changes_between_the_two(x, n):
    s = 0.0
    for _ in range(n):
        a = math.sin(x)
        x = x + 0.1 * a
        b = math.sin(x)
        s = s + a * b * math.cos(x)
    return s


@program({"x": 0.4, "n": 3}, orders=2)
def holder_changes_between_the_two(x, n):
    s = 0.0
    a = math.exp(x)
    for k in range(n):
        s = s + a * math.exp(x)
        a = a * 0.5 + k
    return s + math.exp(x) * a


@program({"x": V}, orders=2)
def array_changes_in_place_between_the_two(x):
    x = x.copy()
    a = np.sin(x)
    x[1] = x[0] * a[1]
    b = np.sin(x)
    a *= 2.0
    c = np.sin(x)
    c[0] = 3.0
    return np.sum(a * b * c * np.sin(x) * np.cos(x))


@program({"x": V}, orders=2)
def view_of_what_changes(x):
    y = x * 1.0
    part = y[1:]
    a = np.exp(part)
    y[2] = 0.5 * y[0]
    b = np.exp(part)
    return np.sum(a * b)


def _doubled(y):
    y *= 2.0


@program({"x": V}, orders=2)
def helper_changes_the_array(x):
    y = x * 1.0
    a = np.tanh(y)
    _doubled(y)
    b = np.tanh(y)
    return np.sum(a * b + np.cosh(y) * np.sinh(y))


@program({"x": 0.7, "n": 5}, orders=2)
def kept_on_one_side_of_a_branch(x, n):
    s = 0.0
    for k in range(n):
        c = math.cos(x)
        if k % 2:
            x = c * math.sin(x)
        else:
            s = s + c * x
        s = s + math.cos(x) * c
    return s


@program({"x": 0.7, "n": 6}, orders=2)
def left_half_way(x, n):
    s = 0.0
    for k in range(n):
        a = math.exp(-x)
        x = x + 0.2 * a
        if x > 1.2:
            break
        b = math.exp(-x)
        s = s + a * b * math.exp(-x)
    return s * x


@program({"x": V, "n": 3}, orders=2)
def two_loops_with_one_counter(x, n):
    s = 0.0
    for j in range(len(x)):
        s = s + math.sin(x[j]) * math.cos(x[j])
        for k in range(n):
            s = s * math.cos(x[k]) + math.cos(x[j]) * math.sin(x[k])
    for j in range(1, len(x)):
        s = s + math.sin(x[j - 1]) * math.sin(x[j]) * math.cos(s)
    return s


@program({"x": V, "i": 0}, orders=2)
def counter_that_changes_inside(x, i):
    s = 0.0
    for j in range(2):
        s = s + math.sin(x[j]) * math.cos(x[j])
        j = j + 1
        s = s * math.sin(x[j]) + math.cos(x[j])
    return s


@program({"x": 0.4, "y": 0.9}, orders=2)
def swapped_between_the_two(x, y):
    for _ in range(3):
        a = math.sin(x) * math.cos(y)
        x, y = y, x + a
        b = math.sin(x) * math.cos(y)
        x = x + b * math.sin(y)
    return x * y


@program({"x": 0.4}, orders=2)
def rebound_by_a_function_inside(x):
    y = x * 2.0

    def grow():
        nonlocal y
        y = y + math.sin(y)
        return math.cos(y)

    a = math.sin(y)
    b = grow()
    c = math.sin(y)
    return a * b * c * math.cos(y)


@program({"x": 0.4}, orders=2)
def raised_half_way(x):
    s = 0.0
    for k in range(3):
        a = math.log(x)
        try:
            x = x + math.exp(a)
            if k == 1:
                raise ValueError
            s = s + math.log(x) * math.exp(a)
        except ValueError:
            x = x * math.exp(a) + 0.5
        s = s + math.log(x) * a * math.exp(a)
    return s


@program({"x": V}, orders=2)
def returned_twice(x):
    a = np.exp(x)
    b = np.exp(x)
    b[0] = 1.0
    return np.sum(a * b), np.exp(x)[1] * np.exp(x)[2]


@program({"z": np.array([[0.3, -0.2], [0.7, 0.1]])}, orders=2)
def softmax_spelled_out(z):
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.sum(np.log(p) * p)


@program({"x": 0.7}, orders=2)
def list_that_grows_between_the_two(x):
    xs = [x]
    for _ in range(3):
        xs.append(math.sin(xs[-1]) * math.cos(xs[-1]) + math.sin(xs[0]))
    return math.sin(xs[-1]) * xs[1]


@program({"x": 0.7}, orders=2)
def row_that_grows_between_the_two(x):
    rows = [[x], [2.0 * x]]
    row = rows[0]
    a = math.sin(rows[0][-1])
    row.append(a * x)
    b = math.sin(rows[0][-1])
    rows[1][0] = a * b
    return a * b * math.sin(rows[1][0]) + math.sin(rows[1][-1])


@program({"x": V}, orders=2)
def item_that_is_stored_between_the_two(x):
    w = {"a": x[0], "b": x[1]}
    s = math.exp(w["a"])
    w["a"] = w["b"] * s
    s = s + math.exp(w["a"]) * math.exp(w["b"])
    w["b"] = w["a"]
    return s * math.exp(w["b"]) + math.exp(w["a"])
