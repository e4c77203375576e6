"""Straight-line code: operators, elementwise functions, names assigned and assigned again."""

import math

import numpy as np
import numpy as numerics
from numpy import cos, exp, sin
from numpy import tanh as squash

from programs.registry import program
from programs.samples import positive, signed

SCALE = 2.5
OFFSETS = np.array([0.5, -1.0, 2.0])


@program({"x": 3.0}, {"x": -1.25})
def square(x):
    y = x * x
    return y


@program({"x": 1.5})
def identity(x):
    return x


@program({"x": 1.5}, {"x": signed(3)})
def copy_of_a_name(x):
    y = x
    return y


@program({"x": 1.5})
def constant_result(x):
    return 3.0


@program({"x": 1.5, "y": 2.5})
def unused_argument(x, y):
    return x * x


@program({"x": 0.7})
def one_expression(x):
    return x * x + 2.0 * x - 1.0 / x


@program({"x": 1.2, "y": -0.7})
def every_arithmetic_operator(x, y):
    a = x + y
    b = x - y
    c = x * y
    d = x / y
    return a * b + c * d - a / d


@program({"x": 1.2, "y": 0.7})
def power_of_two_variables(x, y):
    return x**y


@program({"x": 1.2}, {"x": -0.8})
def integer_powers(x):
    return x**2 + x**3 - x**5 + x**-1 + x**-2


@program({"x": 1.3})
def float_powers(x):
    return x**0.5 + x**1.5 + x**-0.5


@program({"x": 0.3}, {"x": -1.1})
def constant_base(x):
    return 2.0**x + 0.5 ** (2 * x)


@program({"x": 1.3})
def powers_zero_and_one(x):
    return x**0 + x**1 + x**0.0 * x


@program({"x": 1.3})
def power_tower(x):
    return x**x**x


@program({"x": 0.4})
def unary_operators(x):
    return -x + +x * -(-x) - (-x) ** 2


@program({"x": 7.3, "y": 2.0}, {"x": -7.3, "y": 2.0}, {"x": 7.3, "y": -3.0})
def modulo(x, y):
    return x % y * x


@program({"x": 7.3, "y": 2.0}, {"x": -7.3, "y": 2.0})
def floor_division(x, y):
    return x // y * x + y


@program({"x": 7.3, "y": 2.0})
def division_with_rest(x, y):
    quotient, rest = divmod(x, y)
    return quotient * x + rest * rest


@program({"x": 1.7}, {"x": -1.7})
def absolute_value(x):
    return abs(x) * x + abs(-2.0 * x)


@program({"x": 1.7, "y": 0.6})
def builtin_pow(x, y):
    return pow(x, y) + pow(x, 3) + pow(2, y)


@program({"x": 1.7, "y": 0.6}, {"x": 0.1, "y": 0.6})
def builtin_min_max(x, y):
    return max(x, y) * 3.0 + min(x, y, 1.0) ** 2


@program({"x": 0.8})
def nested_calls(x):
    return np.sin(np.exp(np.cos(np.tanh(x))))


@program({"x": 0.8})
def functions_imported_by_name(x):
    return sin(x) * cos(x) + exp(-x) * squash(x)


@program({"x": 0.8})
def two_names_of_one_module(x):
    return np.sin(x) + numerics.sin(2 * x) * numerics.pi


@program({"x": 0.8}, {"x": signed(3)})
def trigonometric(x):
    return np.sin(x) + np.cos(2 * x) * np.tan(x / 3)


@program({"x": 0.4}, {"x": signed(3) / 3})
def inverse_trigonometric(x):
    return np.arcsin(x) * np.arccos(x) + np.arctan(3 * x)


@program({"x": 0.4}, {"x": signed(3) / 3})
def inverse_trigonometric_short_names(x):
    return np.asin(x) * np.acos(x) + np.atan(3 * x)


@program({"x": 0.6}, {"x": signed(2, 2)})
def hyperbolic(x):
    return np.sinh(x) + np.cosh(x) * np.tanh(x)


@program({"x": 0.4}, {"x": signed(3) / 3})
def inverse_hyperbolic(x):
    return np.arcsinh(x) + np.arctanh(x) * np.arccosh(2.0 + x)


@program({"x": 0.4}, {"x": signed(3)})
def exponentials(x):
    return np.exp(x) + np.exp2(x) * np.expm1(x)


@program({"x": 1.4}, {"x": positive(3)})
def logarithms(x):
    return np.log(x) + np.log2(x) * np.log10(x) + np.log1p(x)


@program({"x": 1.4}, {"x": positive(3)})
def roots(x):
    return np.sqrt(x) + np.cbrt(x) * np.square(x) + np.reciprocal(x)


@program({"x": 1.4, "y": -0.6}, {"x": signed(3), "y": signed(3, shift=1.0)})
def two_argument_functions(x, y):
    return np.arctan2(x, y) + np.hypot(x, y) * np.logaddexp(x, y)


@program({"x": 1.4, "y": 0.6})
def functions_of_the_operators(x, y):
    a = np.add(x, y)
    b = np.subtract(x, y)
    c = np.multiply(a, b)
    d = np.divide(c, y)
    return np.negative(d) + np.power(x, y) + np.positive(c)


@program({"x": 1.4}, {"x": signed(3)})
def absolute_functions(x):
    return np.abs(x) * x + np.fabs(x) + np.absolute(x) ** 3


@program({"x": 1.4}, {"x": signed(3)})
def steps_have_no_derivative(x):
    return np.floor(x) * x + np.ceil(x) + np.sign(x) * x**2 + np.rint(x) * x + np.trunc(x) * x


@program({"x": 50.0})
def degrees_and_radians(x):
    return np.sin(np.deg2rad(x)) + np.rad2deg(np.radians(x)) * np.degrees(0.01)


@program({"x": 0.7})
def a_name_assigned_again(x):
    x = x * x
    x = np.sin(x)
    x = x * x
    return x


@program({"x": 0.7})
def a_local_assigned_again(x):
    y = x * 3.0
    z = y * x
    y = np.sin(z) + y
    z = y * z
    return z


@program({"x": 0.7, "y": 1.9})
def the_old_value_is_read_later(x, y):
    t = x * y
    x = t + y
    y = t * x
    return x * y


@program({"x": 0.7})
def shared_subexpression(x):
    t = np.exp(x)
    return t * t + t / (1 + t)


@program({"x": 0.7})
def a_value_used_many_times(x):
    y = x * x
    return y + y * y + y * y * y + np.sin(y) + y / (y + 1)


@program({"x": 0.7})
def chained_assignment(x):
    a = b = x * 2.0
    a = a * x
    return a + b


@program({"x": 0.7, "y": 1.9})
def assignment_of_a_tuple(x, y):
    a, b = x * y, x + y
    a, b = b, a
    return a / b


@program({"x": 0.7})
def annotated_assignment(x):
    y: float = x * x
    z: float
    z = y + x
    return y * z


@program({"x": 0.7, "scale": 3.0}, wrt="x")
def annotated_signature(x: float, scale: float = 2.0) -> float:
    """An annotated function with a docstring."""
    return scale * x * x


@program({"x": 0.7})
def layout_of_lines(x):
    a = x * x; b = a + x  # two statements on a line
    c = (
        a
        + b  # a comment inside an expression
        + 1.0
    )
    d = a * \
        c
    # a comment at the end
    return d


@program({"x": 0.7}, {"x": signed(3)})
def global_constants(x):
    return SCALE * x * x + np.sum(OFFSETS) * x


@program({"x": 0.7})
def constants_of_modules(x):
    return x * np.pi + math.e * x * x + x * np.log(np.e)


@program({"x": 0.7})
def integer_and_float_constants(x):
    return 2 * x + x / 3 + 1_000 * x * 1e-3 - x * 0x10 / 16 + True * x


@program({"x": 0.7})
def constant_folding(x):
    n = 3
    k = n * 2 + 1
    return x * k / (n + 0.5) + (k - 7) * x


@program({"x": 0.7})
def dead_code(x):
    y = x * x
    z = np.exp(y) * 100.0
    z = y + 1.0
    w = z * z
    return y * z


@program({"x": 0.7})
def cancelling(x):
    y = x * 2.0
    return y - y + (x - x) * 5.0 + x / x * x


@program({"x": 0.7, "y": 1.1})
def two_results(x, y):
    return x * y, x / y


@program({"x": 0.7})
def the_same_result_twice(x):
    y = x * x
    return y, y


@program({"x": 0.7, "y": 1.1})
def results_that_are_arguments(x, y):
    return y, x


@program({"x": 0.7})
def result_with_a_constant(x):
    return x * x, 2.0


@program({"x": 0.7})
def redundant_parentheses(x):
    return ((((x)) * ((x + (1.0))))) / ((2.0))


@program({"x": 0.9})
def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@program({"x": 0.9}, {"x": signed(4)})
def swish(x):
    return x / (1.0 + np.exp(-1.5 * x))


@program({"x": 0.9}, {"x": signed(3)})
def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


@program({"x": 0.4, "y": 1.3})
def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


@program({"x": 0.4, "y": 1.3})
def himmelblau(x, y):
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


@program({"a": 0.4, "b": 1.3, "c": -2.1, "d": 0.9, "e": 1.7})
def many_arguments(a, b, c, d, e):
    return a * b + b * c * d - d / e + np.sin(a * e) * c


@program({"x": 0.4, "y": 1.3}, wrt="y")
def second_argument_only(x, y):
    return np.sin(x) * y + x * y * y


@program({"x": 0.4, "y": 1.3, "z": 2.0}, wrt=("x", "z"))
def first_and_third_argument(x, y, z):
    return x * y * z + np.cos(y) * z


@program({"x": 0.3})
def long_chain(x):
    a = np.sin(x)
    b = a * x
    c = np.cos(b)
    d = c + a
    e = d * b
    f = np.tanh(e)
    g = f - c
    h = g * g
    i = np.exp(h)
    j = i / (1 + d * d)
    return j * a


a_lambda = program({"x": 0.6}, name="a_lambda")(lambda x: x * x + np.sin(x))

first_of_two, second_of_two = (program({"x": 0.6}, name="first_of_two")(lambda x: x * 2.0), program({"x": 0.6}, name="second_of_two")(lambda x: x / 3.0 + x * x))

lambda_of_two = program({"x": 0.6, "y": 1.4}, name="lambda_of_two")(
    lambda x, y=2.0: (
        np.sin(x * y)
        + x / y
    )
)
