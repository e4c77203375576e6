"""Where other tools shipped wrong gradients, and where derivatives need a decision: kinks, zeros, types."""

import math

import numpy
import numpy as np

from programs.registry import program
from programs.samples import positive, signed

INF = float("inf")

# -- loops


@program({"x": 0.9, "n": 3, "m": 2}, {"x": 0.9, "n": 2, "m": 0})
def variable_set_before_nested_loops_and_used_after(x, n, m):
    a = np.sin(x)
    y = a
    for i in range(n):
        k = a * i
        for j in range(m + i):
            y = y * 0.9 + k * j
            a = a * 0.95
        y = y + a
    return y * a + k


@program({"x": signed(5)})
def argmax_loop_with_continue(x):
    best = x[0]
    for v in x:
        if v <= best:
            continue
        best = v
    return best * best


@program({"x": signed(5)})
def argmax_loop_from_none(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best * best


@program({"x": signed(5)})
def argmax_loop_keeps_the_index(x):
    where = 0
    for i in range(len(x)):
        if x[i] > x[where]:
            where = i
    return x[where] ** 3


@program({"x": signed(4)})
def index_of_the_reverse_loop_when_nothing_else_is_recorded(x):
    s = 0.0
    for i in range(1, 4):
        s = s + i * x[i]
    return s


@program({"x": signed(6)})
def strided_index_in_the_reverse_loop(x):
    s = 0.0
    for i in range(5, -1, -2):
        s = s + (i + 1) * x[i]
    return s


@program({"e": 0.3, "d": 0.6, "n": 4})
def recursive_scalar_update(e, d, n):
    for _ in range(n):
        e = (1 - e) * d + e
    return e


@program({"x": signed(3), "y": signed(2)})
def local_accumulator_in_an_inner_loop(x, y):
    total = 0.0
    for i in range(len(x)):
        acc = x[i]
        for j in range(len(y)):
            acc = acc + y[j] * x[i]
        total = total + acc * acc
    return total


@program({"x": 0.9, "n": 4})
def accumulator_reset_in_the_outer_loop(x, n):
    total = 0.0
    for i in range(n):
        p = 1.0
        for j in range(i):
            p = p * x
        total = total + p
    return total


@program({"x": 0.9})
def value_of_the_previous_iteration(x):
    old = 0.0
    new = x
    for _ in range(4):
        old, new = new, np.sin(new) + 0.5 * old
    return new * old


@program({"x": 0.9, "n": 3}, {"x": 0.9, "n": 1}, {"x": 0.9, "n": 0})
def first_iteration_is_special(x, n):
    y = 1.0
    for i in range(n):
        if i == 0:
            t = x
        y = y * t + i
    return y * x


@program({"x": 0.9, "flag": True}, {"x": 0.9, "flag": False})
def variable_bound_under_the_same_condition(x, flag):
    if flag:
        t = x * x
    y = x * 2.0
    if flag:
        y = y * t
    return y


@program({"x": 0.9, "n": 2}, {"x": 0.9, "n": 0})
def variable_bound_in_a_loop_that_may_not_run(x, n):
    y = x
    for i in range(n):
        t = y * x
        y = t + 1.0
    if n > 0:
        y = y * t
    return y


@program({"x": 0.9}, {"x": 2.9})
def loop_ends_by_the_active_value(x):
    n = 0
    while x < 2.0:
        x = x * x + 0.5
        n = n + 1
    return x * (n + 1)


@program({"x": 0.9})
def loop_of_two_exits(x):
    y = x
    for i in range(10):
        if i > 6:
            break
        y = y * 1.3
        if y > 3.0:
            return y * x
    return y


@program({"x": 0.9})
def the_bound_is_overwritten_in_the_loop(x):
    n = 3
    y = x
    for i in range(n):
        n = n * 2
        y = y * x + n
    return y


@program({"xs": [0.5, 1.5, 2.5]})
def the_list_is_rebound_in_the_loop(xs):
    s = 0.0
    for x in xs:
        xs = [x]
        s = s + x * xs[0]
    return s * xs[0]


@program({"x": 0.9, "n": 3})
def the_loop_index_is_overwritten(x, n):
    y = x
    for i in range(n):
        y = y * x + i
        i = 10
    return y + i


# -- branches and short circuits


@program({"x": 0.5, "y": 2.0}, {"x": -0.5, "y": 2.0}, {"x": 0.5, "y": -2.0})
def order_of_if_and_else_one(x, y):
    if x > 0:
        z = x * y
    else:
        z = x + y
    return z * y


@program({"x": 0.5, "y": 2.0}, {"x": -0.5, "y": 2.0}, {"x": 0.5, "y": -2.0})
def order_of_if_and_else_two(x, y):
    if not x > 0:
        z = x + y
    else:
        z = x * y
    return z * y


@program({"x": 0.5}, {"x": 1.5}, {"x": 2.5}, {"x": 3.5})
def ternary_chain(x):
    return x if x < 1 else x * x if x < 2 else x**3 if x < 3 else np.sin(x)


@program({"x": 0.0, "y": 0.0, "z": 3.0}, wrt="z")
@program({"x": 2.0, "y": 1.5, "z": 3.0}, {"x": 2.0, "y": 1.5, "z": -3.0})
def short_circuit_chain(x, y, z):
    a = x or y or z
    b = x and y and z
    return a * z + b


@program({"x": 0.5})
def condition_evaluated_once(x):
    calls = []
    y = x * x if calls.append(1) is None else x
    return y * len(calls)


@program({"x": 0.5, "y": 2.0})
def comparison_of_active_values_is_constant(x, y):
    return (x < y) * x * y + float(x == y) + (x != y)


# -- sums of exponentials


@program({"x": signed(4)})
@program({"x": np.array([1, 3, 2])}, wrt="x")
@program({"x": [1, 3, 2]}, wrt="x")
def logsumexp_with_running_max(x):
    m = x[0]
    s = 0.0
    for v in x:
        if v > m:
            s = s * np.exp(m - v) + 1.0
            m = v
        else:
            s = s + np.exp(v - m)
    return m + np.log(s)


@program({"x": np.array([700.0, 710.0, 650.0])})
def logsumexp_of_large_numbers(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


# -- names, indices, calls


@program({"x": signed(2, 3)})
def first_row_by_comma(x):
    return np.sum(x[0, :] * x[1, :])


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def dot_of_two_vectors(x, y):
    return np.dot(x, y) * np.dot(x, x)


@program({"x": signed(3)})
def numpy_spelled_out(x):
    return numpy.sum(numpy.square(x)) * numpy.pi


@program({"x": 0.5, "y": 1.5})
def helper_twice_with_other_arguments(x, y):
    return helper(x, 2.0) * helper(2.0, y) + helper(y, x)


def helper(a, b):
    return a * a * b


@program({"x": signed(4)})
def repeated_indices_read(x):
    i = np.array([0, 0, 0, 3])
    return np.sum(x[i] * np.array([1.0, 2.0, 3.0, 4.0]))


@program({"x": signed(3, 2)})
def repeated_rows_read(x):
    return x[[1, 1, 2, 1]] * x[np.array([0, 0, 0, 2])]


@program({"x": signed(3)})
def negative_and_positive_index_of_the_same_entry(x):
    return x[[0, -3, 2, -1]] ** 2


# -- reductions with where= and initial=


@program({"x": signed(4), "mask": np.array([True, False, True, True])})
def sum_where(x, mask):
    return np.sum(x * x, where=mask)


@program({"x": signed(4)})
def sum_initial(x):
    return np.sum(x * x, initial=3.0) ** 2


@program({"x": signed(4), "mask": np.array([True, False, True, True])})
def max_where_and_initial(x, mask):
    return np.max(x * x, where=mask, initial=-1.0) + np.min(x, initial=-10.0)


@program({"x": signed(4), "mask": np.array([True, False, True, True])})
def mean_where(x, mask):
    return np.mean(x * x, where=mask)


@program({"x": signed(4)})
def max_initial_wins(x):
    return np.max(x, initial=10.0) * x


# -- results that are views, arguments or the seed


@program({"x": signed(2, 3)})
def result_is_a_view(x):
    return x.T


@program({"x": signed(4)})
def result_is_a_slice(x):
    return x[1:3]


@program({"x": signed(2, 2)})
def results_are_overlapping_views(x):
    return x[0], x[:, 0], x.reshape(4), x


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def seed_flows_to_two_arguments(x, y):
    return x + y


@program({"x": signed(3)})
def seed_flows_twice(x):
    return x + x


@program({"x": signed(3)})
def operations_that_look_like_nothing(x):
    y = x * 1
    z = y + 0
    w = z**1
    return w - 0 + x * 0


@program({"x": signed(3)})
def power_zero_keeps_the_shape(x):
    return x**0 + x * x


@program({"x": signed(3), "y": signed(2, 3)})
def an_argument_that_only_lends_its_shape(x, y):
    return np.zeros_like(y) + x


# -- at zero, where finite differences still work


@program({"x": 0.0}, {"x": np.array([0.0, 1.5, -1.0])})
def powers_at_zero(x):
    return x**0 + x**1 + x**2 + x**3 + x**2.0


@program({"x": 0.0, "n": 0}, {"x": 0.0, "n": 1}, {"x": 0.0, "n": 2})
def run_time_powers_at_zero(x, n):
    return x**n


@program({"x": -2.0, "y": 3.0}, wrt="x")
def power_of_a_negative_base(x, y):
    return x**y


@program({"x": np.array([0.0, 2.0, 3.0])}, {"x": np.array([0.0, 0.0, 3.0])}, {"x": np.array([0.0, 0.0, 0.0])})
def prod_with_zeros(x):
    return np.prod(x)


@program({"x": np.array([[0.0, 2.0], [3.0, 0.0], [1.0, 4.0]])})
def prod_with_zeros_over_an_axis(x):
    return np.prod(x, axis=0)


@program({"x": np.array([0.0, 2.0, 3.0])})
def product_by_a_loop_with_zeros(x):
    p = 1.0
    for v in x:
        p = p * v
    return p


@program({"x": 0.0})
def sine_over_one_at_zero(x):
    return math.sin(x) + math.tan(x) * math.exp(x) + math.atan(x)


@program({"x": 0.0, "y": 1.0})
def division_of_zero(x, y):
    return x / y + x * y


# -- at kinks: what is documented holds


@program({"x": 0.0}, {"x": np.float64(0.0)}, holds={"x": 0.0})
def abs_at_zero(x):
    return abs(x)


@program({"x": np.array([0.0, 2.0, -2.0])}, holds={"x": np.array([0.0, 1.0, -1.0])})
def abs_of_array_at_zero(x):
    return np.abs(x)


@program({"x": 0.0}, holds={"x": 0.0})
def fabs_at_zero(x):
    return math.fabs(x)


@program({"x": np.array([0.0, 2.0, -2.0])}, holds={"x": np.array([0.5, 1.0, 0.0])})
def relu_at_zero(x):
    return np.maximum(x, 0.0)


@program({"x": np.array([1.0, 2.0]), "y": np.array([1.0, 3.0])}, holds={"x": np.array([0.5, 0.0]), "y": np.array([0.5, 1.0])})
def maximum_of_equals(x, y):
    return np.maximum(x, y)


@program({"x": np.array([1.0, 2.0]), "y": np.array([1.0, 3.0])}, holds={"x": np.array([0.5, 1.0]), "y": np.array([0.5, 0.0])})
def minimum_of_equals(x, y):
    return np.minimum(x, y)


@program({"x": np.array([3.0, 1.0, 3.0, 2.0])}, holds={"x": np.array([0.5, 0.0, 0.5, 0.0])})
def max_with_ties(x):
    return np.max(x)


@program({"x": np.array([[3.0, 1.0], [3.0, 2.0]])}, holds={"x": np.array([[0.5, 0.0], [0.5, 1.0]])})
def max_with_ties_over_an_axis(x):
    return np.max(x, axis=0)


@program({"x": np.array([1.0, 1.0, 1.0])}, holds={"x": np.full(3, 1 / 3)})
def min_with_ties(x):
    return np.min(x)


@program({"x": 0.0}, holds={"x": INF})
def sqrt_at_zero(x):
    return math.sqrt(x)


@program({"x": 0.0}, {"x": np.float64(0.0)}, holds={"x": INF})
def numpy_sqrt_at_zero(x):
    return np.sqrt(x)


@program({"x": np.array([0.0, 4.0])}, holds={"x": np.array([INF, 0.25])})
def sqrt_of_array_at_zero(x):
    return np.sqrt(x)


@program({"x": 0.0}, {"x": np.float64(0.0)}, holds={"x": INF})
def half_power_at_zero(x):
    return x**0.5


@program({"x": 0.0, "y": 2.0}, holds={"x": 0.0, "y": 0.0})
def power_of_zero_with_active_exponent(x, y):
    return x**y


@program({"x": 0.0, "y": 0.0}, holds={"x": 0.0, "y": 0.0})
def hypot_at_zero(x, y):
    return np.hypot(x, y)


@program({"x": 0.0, "y": 0.0}, holds={"x": 0.0, "y": 0.0})
def math_hypot_at_zero(x, y):
    return math.hypot(x, y)


@program({"x": np.zeros(3)}, holds={"x": np.zeros(3)})
def norm_at_zero(x):
    return np.linalg.norm(x)


@program({"x": np.zeros(3)}, {"x": np.full(3, 2.0)}, holds={"x": np.zeros(3)})
def std_at_zero(x):
    return np.std(x)


@program({"x": 0.0}, holds={"x": 0.0})
def sinc_at_zero(x):
    return np.sinc(x)


@program({"x": np.array([0.0, 4.0, -1.0])}, holds={"x": np.array([0.0, 0.25, 0.0])})
def where_guards_sqrt(x):
    y = np.sqrt(x)
    return np.where(x > 0, y, 0.0)


@program({"x": np.array([0.0, 4.0])}, holds={"x": np.array([0.0, 0.25])})
def where_guards_sqrt_in_one_expression(x):
    return np.where(x > 0, np.sqrt(x), 0.0)


@program({"x": np.array([0.0, 4.0, -1.0])}, holds={"x": np.array([0.0, 0.25, 0.0])})
def where_guards_log(x):
    return np.where(x > 0, np.log(x), 0.0)


@program({"x": np.array([0.0, 2.0])}, holds={"x": np.array([0.0, -0.25])})
def where_guards_division(x):
    return np.where(x != 0, 1.0 / x, 0.0)


@program({"x": np.array([0.0, 2.0])}, holds={"x": np.array([0.0, 0.25])})
def where_guards_by_a_safe_argument(x):
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(safe) / 2.0, 0.0)


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def where_guards_a_quotient_of_what_vanishes(x):
    return np.where(x != x[0], x / (x - x[0]), 0.0)


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def where_guards_roots_of_roots(x):
    u = x - x[0]
    a = np.where(u > 0, np.sqrt(np.sqrt(u)), 0.0)
    return a * a * x


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def where_guards_what_overflows(x):
    u = x - x[0]
    a = np.where(u > 0, np.sinh(1 / u) + np.sin(1 / u), 0.0)
    return a * x


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def where_guards_forces_on_oneself(x):
    d = x[:, None] - x[None, :]
    r2 = d * d
    inverse = np.where(r2 > 0, 1.0 / r2, 0.0)
    return np.sum(inverse * np.sqrt(inverse) * d, axis=1)


@program({"x": 0.0}, {"x": -1.0}, holds={"x": 0.0})
def if_guards_sqrt(x):
    if x > 0:
        return math.sqrt(x)
    return 0.0


@program({"x": 0.0}, {"x": 5.0}, holds={"x": 0.0})
def floor_at_a_step(x):
    return np.floor(x) + np.sign(x) * 0.0 + np.round(x)


# -- types


@program({"x": 3}, wrt="x")
@program({"x": np.int64(3)}, {"x": np.int32(3)}, wrt="x", name="integer_argument_numpy")
def integer_argument(x):
    return x * x * x + x / 2


@program({"x": np.array([1, 2, 3])}, {"x": np.array([[1, 2], [3, 4]], dtype=np.int32)}, wrt="x")
def integer_array(x):
    return np.sum(x * x / 2.0) + np.sum(np.sin(x))


@program({"x": np.array([1, 2, 3]), "w": signed(3)}, wrt=("x", "w"))
def integer_and_float_arrays(x, w):
    return x * w + x**2


@program({"x": 2, "y": 3}, wrt=("x", "y"))
def integers_divided(x, y):
    return x / y + x * y


@program({"x": signed(3).astype(np.float32)})
def single_precision(x):
    return np.sum(np.sin(x) * x / 3 + 2.0 * x**2)


@program({"x": signed(2, 3).astype(np.float32), "w": signed(3, 2).astype(np.float32)})
def single_precision_products(x, w):
    return np.tanh(x @ w) * np.mean(x, axis=1, keepdims=True)


@program({"x": np.float32(1.5)})
def single_precision_scalar(x):
    return np.exp(x) * x * 2.0


@program({"x": signed(3).astype(np.float32), "y": signed(3)})
def single_and_double(x, y):
    return x * y + x


@program({"x": signed(3).astype(np.float32), "s": 0.7})
def single_and_python_float(x, s):
    return x * s + np.pi * x


@program({"x": signed(4).astype(np.float32)})
def single_into_the_largest_of_each_group(x):
    m = np.full(2, -9.0)
    np.maximum.at(m, [0, 1, 0, 1], x)
    return np.exp(x - m[[0, 1, 0, 1]])


@program({"x": signed(3).astype(np.float32), "n": 3})
def single_precision_in_a_loop(x, n):
    h = np.zeros_like(x)
    for i in range(n):
        h = np.tanh(h * 0.5 + x)
    return np.where(h > 0, h, 0.1 * h)


@program({"x": signed(4).astype(np.float32)})
def single_precision_indexed(x):
    return x[1:] * x[[0, 0, 1]] + x[x > 0].sum()


@program({"x": signed(3).astype(np.float32)})
def single_precision_unused(x):
    return np.zeros(2) + np.float32(1.0)


@program({"x": signed(3).astype(np.float16)}, orders=1)
def half_precision(x):
    return np.sum(x * x + 2.0 * x)


@program({"x": signed(3).astype(np.float32)})
def cast_to_double(x):
    return np.sum(x.astype(np.float64) ** 2)


@program({"x": np.array(1.5)}, {"x": np.array(1.5, dtype=np.float32)})
def zero_dimensional(x):
    return np.sin(x) * x + x**2


@program({"x": np.array(1.5), "v": signed(3)})
def zero_dimensional_and_vector(x, v):
    return x * v + np.sum(v) * x


@program({"x": np.array(1.5)}, {"x": np.array([[1.5]])})
def reductions_of_almost_nothing(x):
    return np.sum(x) * np.mean(x) + np.max(x)


@program({"x": np.zeros(0)}, {"x": np.zeros((0, 3))}, wrt="x")
def empty_array(x):
    return np.sum(np.sin(x) * x) + 1.0


@program({"x": np.zeros((0, 3)), "y": signed(3)})
def empty_array_broadcast(x, y):
    return x * y + y


@program({"x": np.zeros((2, 0)), "w": np.zeros((0, 3))})
def empty_products(x, w):
    return x @ w


@program({"x": signed(3)})
def empty_selection(x):
    return np.sum(x[x > 100.0]) + np.sum(x[:0] ** 2) + x[0]


@program({"x": np.zeros(0)}, wrt="x")
def loop_over_an_empty_array(x):
    s = 2.0
    for v in x:
        s = s * v
    return s


@program({"x": np.zeros(0), "y": signed(2)})
def joined_with_an_empty_array(x, y):
    return np.concatenate([x, y, x]) ** 2


# -- complex numbers


@program({"z": 0.7 + 0.4j}, {"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_polynomial(z):
    return z * z + (2.0 - 1.0j) * z + 1.0 / z


@program({"z": 0.7 + 0.4j}, {"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_elementary(z):
    return np.exp(z) * np.sin(z) + np.log(z) - np.sqrt(z)


@program({"z": 0.7 + 0.4j}, {"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_absolute_value(z):
    return np.abs(z) ** 2 + np.abs(z)


@program({"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_parts(z):
    return np.sum(np.real(z) * np.imag(z) ** 2)


@program({"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_conjugate(z):
    return np.sum(z * np.conj(z) * z)


@program({"z": np.array([0.7 + 0.4j, -0.2 + 1.0j])})
def complex_attributes(z):
    return z.real * z.imag + np.conjugate(z).imag


@program({"z": 0.7 + 0.4j, "x": 1.5})
def complex_and_real(z, x):
    return z * x + x**2


@program({"x": 1.5, "y": -0.7})
def complex_from_real(x, y):
    z = x + 1j * y
    return abs(z * z) + (z * z).real


@program({"x": signed(3)})
def complex_in_between(x):
    return np.abs(np.exp(1j * x) + 0.5 * x)


@program({"a": np.array([[0.5 + 1j, 0.2], [0.1j, 1.0]]), "v": np.array([1.0 - 1j, 0.5 + 0.2j])})
def complex_products(a, v):
    w = a @ v
    return np.sum(np.real(np.conj(w) * w))


@program({"z": np.array([0.7 + 0.4j, -0.2 + 1.0j], dtype=np.complex64)})
def complex_single(z):
    return np.sum(np.real(z * z))


@program({"z": 0.3 + 0.2j, "n": 3})
def complex_loop(z, n):
    w = 0.1j
    for _ in range(n):
        w = w * w + z
    return w


@program({"z": 0.7 + 0.4j})
def complex_branch(z):
    if abs(z) < 1.0:
        return z * z
    return 1.0 / z


@program({"x": positive(3)})
def complex_phase(x):
    return np.angle(x + 0.5j) * x


@program({"x": signed(3).astype(np.float32)}, {"x": signed(3)}, {"x": 1.5})
def divided_by_a_number_of_numpy(x):
    return x / np.sqrt(3) + np.exp(-0.5) * x


@program({"x": signed(3).astype(np.float32), "w": signed(3).astype(np.float32)})
def sum_in_single_precision(x, w):
    s = np.float32(0)
    for i in range(3):
        s = s + x[i] * w[i] / np.float32(2.0)
    return s


@program({"x": positive(3), "v": positive(3)})
def sums_with_parts_that_nobody_reads(x, v):
    s = x[0] * v[1]
    ys = [np.add(x, 1.0), np.add(v, 1.0), s * 2.0]
    w = x + v
    return np.sum(w) + ys[2]


@program({"a": positive(4), "b": positive(4)})
def sums_with_parts_that_nobody_reads_beside_stores(a, b):
    run = 0.0
    for p in range(len(b)):
        run += np.sin(b[p]) * a[p]
        a[p] = run
    ys = [np.add(a, b), a[...] * 1]
    return np.sum(np.sin(ys[-1])) + np.sum(np.arctan(b))
