# ruff: noqa  (programs under test are written as users write)
"""Loops, branches and jumps as Python means them."""

import math

import numpy as np

from nasty.checks import V, nasty


@nasty(2.0)
def loop_variable_after_the_loop(x):
    for v in (x, x * x, x * x * x):
        pass
    return v * 2.0


@nasty(2.0)
def loop_variable_rebound(x):
    s = 0.0
    for v in (x, x * x):
        v = v * x
        s = s + v
    return s


@nasty(2.0)
def loop_index_rebound(x):
    s = 0.0
    for i in range(3):
        i = i * 2
        s = s + x**i
    return s


@nasty(2.0, 3)
def bound_changed_in_loop(x, n):
    y = x
    for _ in range(n):
        n = 10
        y = y * x
    return y * n


@nasty(2.0)
def list_grown_in_loop(x):
    ks = [1.0, 2.0]
    y = x
    for k in ks:
        if len(ks) < 4:
            ks.append(3.0)
        y = y * x * k
    return y


@nasty(V)
def same_name_in_both_loops(x):
    s = 0.0
    for i in range(3):
        s = s + x[i]
    for i in range(2):
        s = s * x[i]
    return s


@nasty(2.0)
def loop_else(x):
    y = x
    for i in range(3):
        y = y * x
        if i > 5:
            break
    else:
        y = y * 10.0
    return y


@nasty(2.0)
def while_else(x):
    n = 0
    while n < 2:
        n += 1
        x = x * x
    else:
        x = x + x * x
    return x


@nasty(2.0)
def break_of_the_inner_loop(x):
    y = x
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            y = y * x
        y = y + i
    return y


@nasty(2.0)
def continue_in_while(x):
    n, y = 0, x
    while n < 5:
        n += 1
        if n % 2:
            continue
        y = y * x
    return y


@nasty(2.0)
def return_out_of_two_loops(x):
    for i in range(3):
        for j in range(3):
            x = x * 1.5
            if x > 5.0:
                return x * x + i + j
    return x


@nasty(2.0)
def while_true(x):
    while True:
        x = x * x
        if x > 100.0:
            return x


@nasty(2.0)
def nothing_returned_in_one_branch(x):
    if x > 1.0:
        return x * x


@nasty(2.0)
def defined_in_one_branch(x):
    if x > 1.0:
        y = x * x
    if x > 1.5:
        return y
    return x


@nasty(2.0)
def or_returns_a_value(x):
    y = 0.0 or x * x
    return y * (x and 3.0 * x)


@nasty(2.0)
def comparison_as_a_number(x):
    return (x > 1.0) * x * x + (x == 2.5)


@nasty(2.0)
def remainder_and_floor(x):
    return (x * 1.3) % 2.0 + (x * 1.3) // 2.0 * x + divmod(x * 1.3, 2.0)[1]


@nasty(2.3)
def rounding(x):
    return round(x) * x + math.floor(x) * x + np.ceil(x) + math.trunc(x) * x


@nasty(V + 0.3)
def cast_to_integers(x):
    return np.sum(x.astype(int) * x)


@nasty(V + 0.25)
def cast_to_float32(x):
    return np.sum(x.astype(np.float64) * x)


@nasty(2.0)
def zeroth_power(x):
    return x**0 + x**1 + x ** (-1) + (-x) ** 2 + (-x) ** 3


@nasty(0.0)
def powers_at_zero(x):
    return x**2 + x**1 + 3.0 * x**0 + x**3


@nasty(np.array([0.0, 1.0, 2.0]))
def array_powers_at_zero(x):
    return np.sum(x**2) + np.sum(np.power(x, 3)) + np.sum(x**1)
