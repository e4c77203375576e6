"""Nested functions that write into variables around them: arrays they capture, variables they rebind, in recursion."""

import numpy as np

from programs.registry import program
from programs.samples import signed


@program({"x": signed(4)})
def captured_array_filled(x):
    buf = np.zeros(4)
    buf[0] = x[0]

    def step(i):
        buf[i] = np.sin(buf[i - 1]) * x[i]

    for k in range(1, 4):
        step(k)
    return np.sum(buf * buf)


@program({"x": signed(3)})
def captured_rows(x):
    rows = np.zeros((3, 3))

    def outer(i):
        def inner(v):
            rows[i] += v * x[i]

        inner(x)
        inner(x * x)

    for i in range(3):
        outer(i)
    rows[1] += rows[0] * rows[2]
    return np.sum(rows * rows)


@program({"x": signed(3)})
def parameter_scaled(x):
    k = x[0]

    def scale(a):
        a[:] = a * k

    y = x * 1.0
    scale(y)
    scale(y)
    return np.sum(y * y)


@program({"x": 0.7})
def counter_and_accumulator(x):
    total = 0.0
    n = 0

    def add(v):
        nonlocal total, n
        n += 1
        total = total * 0.5 + v * x
        return total * n

    s = 0.0
    for i in range(3):
        s = s + add(x * i) * total
    return s + total


@program({"x": 0.7})
def rebound_before_the_call(x):
    y = x * 2.0

    def use(v):
        return v * y

    y = y * x
    return use(x)


@program({"x": 0.8})
def rebinding_inside_expressions(x):
    s = x

    def grow():
        nonlocal s
        s = s * x
        return s

    a = s * grow()
    b = (s, grow(), s)
    return a + b[0] * b[1] - b[2] * (s + grow() * grow())


@program({"x": 0.8})
def rebinding_inside_conditions(x):
    s, n = x, 0

    def more():
        nonlocal s, n
        n = n + 1
        s = s * x
        return n < 4

    while more():
        s = s + 0.1
    if more() or s > 100.0:
        s = s * 2.0
    return s * n


@program({"x": 0.8})
def rebinding_inside_comprehensions(x):
    c = 0.0

    def advance(v):
        nonlocal c
        c = c + v
        return c * x

    return sum([advance(x * i) for i in range(4)])


@program({"x": 0.7})
def recursion_with_state(x):
    total = 0.0

    def walk(n, v):
        nonlocal total
        if n == 0:
            total = total + v * v
            return v
        return walk(n - 1, v * x) * walk(n - 1, v * 0.5)

    return walk(2, x) + total


@program({"x": 0.9})
def mutual_recursion_with_state(x):
    c = 0.0

    def even(n):
        nonlocal c
        c = c + x
        return x if n == 0 else odd(n - 1) * 0.9

    def odd(n):
        return c if n == 0 else even(n - 1) * x

    return even(3) + c


@program({"x": 0.8})
def early_returns_with_state(x):
    s = x

    def change(k):
        nonlocal s
        if k > 1:
            return s
        s = s * x
        for i in range(3):
            if i > k:
                return s * i
            s = s + x

    return change(0) * change(2) + change(1)


@program({"x": 0.8})
def keywords_and_defaults_with_state(x):
    s = 0.0

    def add(v, w=2.0, *rest, k=1.0):
        nonlocal s
        s = s + v * w * k + sum(rest)

    add(x)
    add(x, 3.0, x * x)
    add(v=x, k=x)
    return s


@program({"x": 0.8})
def indices_that_calls_rebind(x):
    stack = np.zeros(6)
    top = 0

    def push(v):
        nonlocal top
        stack[top] = v
        top += 1

    push(x)
    push(x * 2.0)
    stack[top] = stack[top - 1] * stack[0]
    return stack[top] * np.sum(stack)


@program({"x": 0.8})
def dict_filled_by_a_nested_function(x):
    d = {}

    def put(k, v):
        d[k] = v * x

    put("a", x)
    put("b", 2.0)
    put("a", d["a"] * x)
    return d["a"] + d["b"]


@program({"x": 0.8})
def newton_that_counts(x):
    evaluations = 0

    def residual(t):
        nonlocal evaluations
        evaluations += 1
        return t * t - x

    t = 1.0
    for _ in range(4):
        t = t - residual(t) / (2.0 * t)
    return t * evaluations
