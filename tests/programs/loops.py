"""Loops of every kind: ranges, arrays, containers, while; else, break, continue, return; zero trips."""

import math

import numpy
import numpy as np

from programs.registry import program
from programs.samples import positive, signed

STEPS = 3


@program({"x": 1.1, "n": 3}, {"x": 1.1, "n": 0})
def for_range(x, n):
    y = x
    for i in range(n):
        y = y * x
    return y


@program({"x": 1.1, "n": 5}, {"x": 1.1, "n": 2})
def for_range_start_stop(x, n):
    y = x
    for i in range(2, n):
        y = y * x + i
    return y


@program({"x": 1.1})
def for_range_step(x):
    y = x
    for i in range(1, 8, 3):
        y = np.sin(y) * i
    return y


@program({"x": 0.9, "n": 5}, {"x": 0.9, "n": 0})
def for_range_negative_step(x, n):
    y = x
    for i in range(n, 0, -2):
        y = y * x + i * x
    return y


@program({"x": 0.9, "lo": 0, "hi": 6, "step": 2}, {"x": 0.9, "lo": 6, "hi": 0, "step": -1}, {"x": 0.9, "lo": 6, "hi": 0, "step": 1})
def for_range_all_at_run_time(x, lo, hi, step):
    y = x
    for i in range(lo, hi, step):
        y = y + np.sin(i * x)
    return y


@program({"x": 1.1})
def for_range_literal(x):
    for _ in range(3):
        x = np.sin(x) + x
    return x


@program({"x": 1.1})
def for_range_global_bound(x):
    for _ in range(STEPS):
        x = x * x - 0.3
    return x


@program({"x": signed(3)})
def for_range_of_len(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2 * i
    return s


@program({"x": signed(3)})
def for_range_of_shape(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = s + np.sin(x[i])
    return s


@program({"x": signed(2, 3)})
def for_two_indices(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s + x[i, j] * x[i, j] * (i + j)
    return s


@program({"x": signed(4)})
def for_over_vector(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s


@program({"x": signed(3, 2)})
def for_over_rows(x):
    h = np.zeros(2)
    for row in x:
        h = np.tanh(h + row)
    return np.sum(h)


@program({"x": signed(3, 2)})
def for_over_rows_transposed(x):
    s = 0.0
    for column in x.T:
        s = s + np.dot(column, column) * column[0]
    return s


@program({"xs": [0.5, -1.2, 2.0]}, {"xs": []}, wrt="xs")
def for_over_list(xs):
    s = 0.0
    for x in xs:
        s = s + np.sin(x) * x
    return s


@program({"xs": (0.5, -1.2, 2.0)})
def for_over_tuple(xs):
    p = 1.0
    for x in xs:
        p = p * x
    return p


@program({"ws": [signed(2, 2), signed(2, 2, shift=1.0)], "x": signed(2)})
def for_over_list_of_arrays(ws, x):
    for w in ws:
        x = np.tanh(w @ x)
    return x


@program({"params": [(signed(2, 3), signed(3)), (signed(3, 1), signed(1))], "x": signed(2)})
def for_over_list_of_pairs(params, x):
    for w, b in params:
        x = np.tanh(np.dot(x, w) + b)
    return x


@program({"x": 0.8})
def for_over_literal_tuple(x):
    y = x
    for k in (1.0, -2.0, 3.0):
        y = y * k + x
    return y


@program({"x": 0.8})
def for_over_literal_list_of_active(x):
    s = 0.0
    for v in [x, x * x, np.sin(x)]:
        s = s + v * v
    return s


@program({"x": 0.8})
def for_over_global_names(x):
    s = 0.0
    for name in ("a", "bb", "ccc"):
        s = s * x + len(name) * x
    return s


@program({"d": {"a": 0.5, "b": -1.5}})
def for_over_dict_values(d):
    s = 0.0
    for v in d.values():
        s = s + v * v * v
    return s


@program({"d": {"a": 0.5, "b": -1.5}})
def for_over_dict_items(d):
    s = 1.0
    for k, v in d.items():
        if k == "a":
            s = s * v
        else:
            s = s + v * v
    return s


@program({"d": {"a": 0.5, "b": -1.5}})
def for_over_dict_keys(d):
    s = 1.0
    for k in d.keys():
        s = s * np.sin(d[k])
    return s


@program({"d": {"a": 0.5, "b": -1.5}})
def for_over_dict(d):
    s = 0.0
    for k in d:
        s = s + d[k] ** 2
    return s


@program({"x": 0.8, "options": {"u": 2, "v": 3}})
def for_over_inactive_dict(x, options):
    for name, power in options.items():
        x = x**power + 0.5
    return x


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def for_zip(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b * a
    return s


@program({"x": signed(3), "y": [0.5, 2.0]})
def for_zip_of_unequal_lengths(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b
    return s


@program({"x": signed(3), "names": ["a", "b", "c"]})
def for_zip_with_inactive(x, names):
    s = 0.0
    for v, name in zip(x, names):
        if name != "b":
            s = s + v * v
    return s


@program({"x": signed(3), "y": signed(3, shift=1.0), "z": (0.1, 0.2, 0.3)})
def for_zip_of_three(x, y, z):
    s = 0.0
    for a, b, c in zip(x, y, z):
        s = s * c + a * b
    return s


@program({"x": signed(3)})
def for_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v * v
    return s


@program({"xs": [0.5, 1.5, -1.0]})
def for_enumerate_from_one(xs):
    s = 0.0
    for i, v in enumerate(xs, 1):
        s = s + v**i
    return s


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def for_enumerate_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + (i + 1) * a * b
    return s


@program({"x": signed(3)})
def for_reversed_array(x):
    s = 0.5
    for v in reversed(x):
        s = s * v + v
    return s


@program({"x": 0.9, "n": 4})
def for_reversed_range(x, n):
    s = 0.5
    for i in reversed(range(n)):
        s = s * x + i
    return s


@program({"coefficients": [0.5, -1.0, 2.0], "x": 0.9})
def horner(coefficients, x):
    y = 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


@program({"x": signed(4)})
def for_over_slice(x):
    s = x[0]
    for v in x[1:]:
        s = np.sin(s) * v
    return s


@program({"x": 0.9, "n": 3, "m": 2}, {"x": 0.9, "n": 0, "m": 2}, {"x": 0.9, "n": 2, "m": 0})
def nested_run_time_bounds(x, n, m):
    y = x
    for i in range(n):
        for j in range(m):
            y = np.sin(y) + x * j
        y = y * x
    return y


@program({"x": 0.9, "n": 3})
def inner_bound_depends_on_outer(x, n):
    y = x
    for i in range(n):
        for j in range(i):
            y = y * x + j
        y = y + np.cos(y)
    return y


@program({"x": 0.9, "n": 2})
def three_nested_loops(x, n):
    y = x
    for i in range(n):
        for j in range(n):
            for k in range(n):
                y = np.sin(y) + 0.1 * x * (i + j * k)
    return y


@program({"x": 0.9, "n": 3})
def two_loops_in_a_row(x, n):
    y = x
    for i in range(n):
        y = np.sin(y) * x
    for i in range(n - 1):
        y = y * y + x
    return y


@program({"x": 0.9})
def loop_bound_is_computed(x):
    n = 2
    n = n + 1
    y = x
    for i in range(n * 2 - 3):
        y = y * x
        n = n - 1
    return y * (n + 2)


@program({"x": 0.9}, {"x": 2.7})
def trip_count_depends_on_active(x):
    y = x
    for i in range(int(x * 2)):
        y = y * x
    return y


@program({"x": 1.3}, {"x": 30.0}, {"x": 0.7})
def while_doubling(x):
    while x < 20.0:
        x = x * 2.0 + 0.1
    return x * x


@program({"x": 2.0, "n": 3}, {"x": -1.5, "n": 0})
def while_counter(x, n):
    y = x
    i = 0
    while i < n:
        y = y * x
        i = i + 1
    return y


@program({"x": 9990.5})
def while_listing_of_the_paper(x):
    while x < 10000:
        x = x + 1
    return x


@program({"x": 1.3})
def while_true_break(x):
    y = x
    i = 0
    while True:
        y = y * x
        i += 1
        if i > 3:
            break
    return y


@program({"x": 1.1})
def while_with_two_conditions(x):
    i = 0
    while x < 50.0 and i < 5:
        x = x * x + 0.5
        i = i + 1
    return x + i


@program({"x": 0.8})
def nested_while(x):
    i = 0
    y = x
    while i < 3:
        j = i
        while j > 0:
            y = np.sin(y) * x
            j = j - 1
        y = y + x
        i = i + 1
    return y


@program({"x": 0.8})
def while_in_for(x):
    y = x
    for i in range(3):
        while y < i + 1.0:
            y = y * 1.7 + 0.13
    return y


@program({"x": 0.8})
def for_in_while(x):
    y = x
    while y < 3.0:
        for k in range(2):
            y = y + x * x * (k + 1)
    return y


@program({"x": 0.8, "n": 3}, {"x": 0.8, "n": 0})
def for_else(x, n):
    y = x
    for i in range(n):
        y = y * x
    else:
        y = y + x * x
    return y


@program({"x": 0.8, "stop": 1}, {"x": 0.8, "stop": 9})
def for_else_with_break(x, stop):
    y = x
    for i in range(3):
        if i == stop:
            break
        y = y * x + i
    else:
        y = np.sin(y)
    return y * y


@program({"x": 0.8}, {"x": 6.8})
def while_else(x):
    y = x
    while y < 5.0:
        y = y * 2.0
    else:
        y = y * x
    return y


@program({"x": 0.8, "limit": 2}, {"x": 0.8, "limit": 9})
def while_else_with_break(x, limit):
    y = x
    i = 0
    while i < 4:
        y = y * x + 0.5
        if i == limit:
            break
        i = i + 1
    else:
        y = y * 10.0
    return y


@program({"x": 0.8, "stop": 2}, {"x": 0.8, "stop": 0}, {"x": 0.8, "stop": 10})
def break_in_for(x, stop):
    y = x
    for i in range(5):
        if i == stop:
            break
        y = np.sin(y) + x
    return y


@program({"x": 0.8}, {"x": 1.9})
def break_on_an_active_condition(x):
    y = x
    for i in range(6):
        y = y * x + 0.3
        if y > 2.0:
            break
    return y * x


@program({"x": 0.8})
def break_in_the_middle(x):
    y = x
    z = 1.0
    for i in range(4):
        y = y * x + 1.0
        if i == 2:
            break
        z = z * y
    return y + z


@program({"x": 0.8, "n": 5})
def continue_in_for(x, n):
    y = x
    for i in range(n):
        if i % 2 == 0:
            continue
        y = y * x + i
    return y


@program({"x": signed(5)})
def continue_on_an_active_condition(x):
    s = 1.0
    for v in x:
        if v < 0:
            continue
        s = s * v
    return s


@program({"x": 0.8})
def continue_in_while(x):
    i = 0
    y = x
    while i < 5:
        i = i + 1
        if i == 3:
            continue
        y = y * x + 0.1 * i
    return y


@program({"x": signed(5)})
def break_and_continue(x):
    s = 0.0
    for i, v in enumerate(x):
        if i == 1:
            continue
        if i == 4:
            break
        s = s + v * v * v
    return s


@program({"x": 0.8})
def break_of_the_inner_loop_only(x):
    y = x
    for i in range(3):
        for j in range(5):
            if j > i:
                break
            y = y * x + j
        y = y + x
    return y


@program({"x": 0.8})
def continue_of_the_outer_loop(x):
    y = x
    for i in range(4):
        for j in range(2):
            y = np.sin(y) + x
        if i == 1:
            continue
        y = y * x
    return y


@program({"x": 0.8, "n": 4}, {"x": 2.8, "n": 4}, {"x": 0.8, "n": 0})
def return_inside_for(x, n):
    y = x
    for i in range(n):
        y = y * x + 0.5
        if y > 3.0:
            return y * y
    return y


@program({"x": 0.8})
def return_inside_while(x):
    y = x
    while True:
        y = y * y + x
        if y > 4.0:
            return y


@program({"x": signed(4)}, {"x": -positive(4)})
def return_inside_for_over_array(x):
    for v in x:
        if v > 0:
            return v * v
    return np.sum(x)


@program({"x": 0.8})
def return_inside_nested_loops(x):
    y = x
    for i in range(3):
        for j in range(3):
            y = y * x + 1.0
            if i + j == 3:
                return y * x
    return y


@program({"x": 0.8, "n": 3})
def loop_variable_after_the_loop(x, n):
    y = x
    for i in range(n):
        y = y * x
    return y * i


@program({"x": signed(3)})
def active_loop_variable_after_the_loop(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s * v


@program({"x": 0.8, "n": 3}, {"x": 0.8, "n": 0})
def set_before_and_used_after(x, n):
    a = np.sin(x)
    y = x
    for i in range(n):
        y = y * a
    return y + a * a


@program({"x": 0.8, "n": 3}, {"x": 0.8, "n": 0})
def overwritten_in_the_loop_and_used_after(x, n):
    t = x * x
    y = x
    for i in range(n):
        t = np.sin(y) * x
        y = y + t
    return y * t


@program({"x": 0.8, "n": 3})
def set_in_the_loop_only(x, n):
    y = x
    for i in range(n):
        t = np.exp(-y)
        u = t * x
        y = u + t
    return y * u


@program({"x": 0.8, "n": 4})
def two_recurrences(x, n):
    a = x
    b = 1.0
    for i in range(n):
        a, b = a * b, a + b * x
    return a - b


@program({"x": 0.8, "n": 5})
def fibonacci(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b * x
    return a


@program({"x": 0.8, "n": 4})
def branch_in_a_loop(x, n):
    y = x
    for i in range(n):
        if i % 2 == 0:
            y = np.sin(y)
        else:
            y = y * x
    return y


@program({"x": signed(5)})
def active_branch_in_a_loop(x):
    s = 0.5
    for v in x:
        if v > 0:
            s = s * v
        else:
            s = s - v * v
    return s


@program({"x": 0.8})
def branch_in_a_loop_defines_a_local(x):
    y = x
    for i in range(4):
        if i < 2:
            t = y * y
        else:
            t = np.cos(y)
        y = t + x
    return y


@program({"x": 0.8, "n": 3}, {"x": -0.8, "n": 3})
def loop_in_a_branch(x, n):
    if x > 0:
        y = x
        for i in range(n):
            y = y * x
    else:
        y = x
        while y > -10.0:
            y = y * 3.0
    return y


@program({"x": 0.8, "n": 3})
def linear_loop(x, n):
    for i in range(n):
        x = x + 1.0
        x = 2.0 * x
    return x


@program({"x": 0.8, "n": 3})
def loop_invariant_code(x, n):
    s = 0.0
    for i in range(n):
        t = np.exp(x)
        s = s + t * i
    return s


@program({"x": 0.8, "n": 3})
def loop_that_does_nothing_active(x, n):
    total = 0
    for i in range(n):
        total = total + i
    return x * total


@program({"x": 0.8, "n": 3})
def the_argument_is_overwritten(x, n):
    for x_index in range(n):
        x = x * x * 0.9
    return x


@program({"x": 0.8, "n": 3})
def the_index_is_used_in_the_body(x, n):
    y = 0.0
    for i in range(n):
        y = y + x**i * (i + 1)
    return y


@program({"x": 0.8, "n": 3})
def the_index_is_changed_in_the_body(x, n):
    y = x
    for i in range(n):
        i = i * 2 + 1
        y = y * x + i
    return y


@program({"x": signed(3), "a": signed(3, 3), "n": 3})
def power_iteration_in_values(x, a, n):
    for _ in range(n):
        x = a @ x
        x = x / numpy.sqrt(numpy.sum(x * x))
    return numpy.dot(x, a @ x)


@program({"x": signed(3), "n": 3}, {"x": signed(3), "n": 0})
def loop_over_vectors(x, n):
    h = np.zeros_like(x)
    for t in range(n):
        h = np.tanh(0.5 * h + x)
    return np.sum(h * h)


@program({"x": signed(4)})
def running_products(x):
    p = 1.0
    s = 0.0
    for i in range(len(x)):
        p = p * x[i]
        s = s + p
    return s


@program({"x": signed(4)})
def pairs_of_neighbours(x):
    s = 0.0
    for i in range(1, len(x)):
        s = s + (x[i] - x[i - 1]) ** 3
    return s


@program({"x": signed(4)})
def all_pairs(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            s = s + 1.0 / (1.0 + (x[i] - x[j]) ** 2)
    return s


@program({"a": signed(2, 3), "b": signed(3, 2)})
def trace_of_product_by_loops(a, b):
    s = 0.0
    for i in range(2):
        t = 0.0
        for k in range(3):
            t = t + a[i, k] * b[k, i]
        s = s + t * t
    return s


@program({"x": 0.8})
def loop_of_one_trip(x):
    for i in range(1):
        x = x * x
    return x


@program({"x": 0.8})
def empty_body(x):
    y = x * x
    for i in range(3):
        pass
    return y


@program({"x": 0.8})
def zero_trips_known(x):
    y = x * x
    for i in range(0):
        y = y * 100.0
    while False:
        y = y + 1.0
    return y


@program({"x": signed(3)})
def unpacking_in_a_loop(x):
    s = 0.0
    for i, j in [(0, 1), (1, 2), (2, 0)]:
        s = s + x[i] * x[j] ** 2
    return s


@program({"points": [(0.5, 1.0), (1.5, -1.0), (2.5, 0.3)]})
def nested_unpacking_in_a_loop(points):
    s = 0.0
    for k, (x, y) in enumerate(points):
        s = s + x * y * (k + 1) + x * x
    return s


@program({"matrix": [[0.5, 1.0], [1.5, -1.0]]})
def loops_over_nested_lists(matrix):
    s = 0.0
    for row in matrix:
        p = 1.0
        for v in row:
            p = p * v
        s = s + p * p
    return s


@program({"x": 0.8, "n": 3})
def loop_variable_named_like_an_argument(x, n):
    s = 0.0
    for n in range(n):
        s = s + x * n
    return s * x + n


@program({"x": 0.7})
def else_clause_that_continues_the_loop_around(x):
    for i in range(5):
        for j in range(i):
            if j == 2:
                break
            x = x + 0.1 * x * j
        else:
            continue
        x = x * 1.1
    return x


@program({"x": 0.7})
def else_clause_that_breaks_the_loop_around(x):
    for i in range(4):
        k = 0
        while k < i:
            k += 1
            if x > 1.5:
                break
            x = x * 1.2
        else:
            if i > 2:
                break
            x = x + 0.1 * x * x
        x = x + 0.5
    return x * x


@program({"x": 0.7})
def else_clause_that_returns(x):
    for i in range(3):
        for j in range(2):
            x = np.sin(x) + j
            if x > 5.0:
                break
        else:
            if i == 1:
                return x * i
        x = x * 0.9
    return x


@program({"x": 0.7, "s": 1.3})
def argument_that_the_first_iteration_replaces(x, s):
    for _ in range(3):
        x = x * np.sin(s)
        s = 0.5
    return x * x


@program({"x": 0.7, "s": 1.3})
def argument_that_is_replaced_by_a_term_of_constants(x, s):
    k = 2.0
    for i in range(3):
        for _ in range(2):
            x = x * np.sin(s) + s * i
            s = math.exp(-k) * 0.5
        x = x + s
    return x * x
