"""Choices: if, elif, else, conditional expressions, and, or, not, chained comparisons."""

import math

import numpy as np

from programs.registry import program
from programs.samples import positive, signed

THRESHOLD = 1.0
DEBUG = False


@program({"x": 2.0}, {"x": -2.0})
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -3.0 * x
    return y


@program({"x": 2.0}, {"x": -2.0})
def if_without_else(x):
    y = x * x
    if x > 0:
        y = y * x
    return y


@program({"x": 2.0}, {"x": -2.0})
def if_that_rebinds_the_argument(x):
    if x > 0:
        x = x * 3.0
    return x * x


@program({"x": 2.0}, {"x": -2.0})
def else_only_matters(x):
    y = x
    if x > 0:
        pass
    else:
        y = y * x * 2.0
    return y


@program({"x": 3.0}, {"x": 1.5}, {"x": 0.5}, {"x": -1.0})
def elif_chain(x):
    if x > 2.0:
        y = x**3
    elif x > 1.0:
        y = x**2
    elif x > 0.0:
        y = np.sin(x)
    else:
        y = np.exp(x)
    return y * x


@program({"x": 3.0}, {"x": 1.5}, {"x": -1.0})
def return_in_every_branch(x):
    if x > 2.0:
        return x**3
    elif x > 0:
        return x**2
    else:
        return np.exp(x)


@program({"x": 3.0}, {"x": -1.5})
def early_return(x):
    if x < 0:
        return x * x
    y = np.sin(x)
    return y * x


@program({"x": 3.0}, {"x": -1.5}, {"x": 0.4})
def two_early_returns(x):
    if x < 0:
        return x * x
    y = np.sin(x)
    if x < 1:
        return y
    y = y * x
    return y + x


@program({"x": 3.0}, {"x": 0.4}, {"x": -2.5}, {"x": -0.5})
def early_return_in_nested_branches(x):
    y = x * x
    if x < 0:
        if x < -1:
            return y * x
        y = y + 1.0
    elif x > 1:
        y = y * 2.0
        return y
    return y * y


@program({"x": 2.0, "y": 1.0}, {"x": 2.0, "y": -1.0}, {"x": -2.0, "y": 1.0}, {"x": -2.0, "y": -1.0})
def nested_branches(x, y):
    if x > 0:
        if y > 0:
            z = x * y
        else:
            z = x / y
    else:
        if y > 0:
            z = x + y * y
        else:
            z = x * x - y
    return z * x


@program({"x": 2.0}, {"x": -2.0})
def conditional_expression(x):
    return x * x if x > 0 else np.sin(x)


@program({"x": 3.0}, {"x": 1.5}, {"x": -1.0})
def conditional_expression_chain(x):
    y = x**3 if x > 2 else x**2 if x > 1 else np.exp(x)
    return y * 2.0


@program({"x": 3.0}, {"x": -1.5})
def conditional_expression_inside(x):
    return 2.0 * (x if x > 0 else -x * x) + np.sin(x * (2.0 if x > 1 else 3.0))


@program({"x": 3.0}, {"x": -1.5})
def conditional_expression_guards(x):
    """The branch not taken would raise."""
    return math.sqrt(x) if x > 0 else x * x


@program({"x": 2.0, "y": 1.0}, {"x": 2.0, "y": -1.0}, {"x": -2.0, "y": -1.0})
def condition_with_and(x, y):
    if x > 0 and y > 0:
        return x * y
    return x - y * y


@program({"x": 2.0, "y": 1.0}, {"x": 2.0, "y": -1.0}, {"x": -2.0, "y": -1.0})
def condition_with_or(x, y):
    if x > 0 or y > 0:
        return x * y
    return x - y * y


@program({"x": 2.0, "y": 1.0}, {"x": 2.0, "y": -1.0}, {"x": -2.0, "y": -1.0})
def condition_with_not(x, y):
    if not (x > 0 and not y > 0):
        return x * y
    return x - y * y


@program({"x": 4.0}, {"x": -1.0})
def short_circuit_guards(x):
    """What stands after `and` must not be evaluated where the first part is false."""
    if x > 0 and math.log(x) > 1.0:
        return math.log(x) * x
    return x * x


@program({"x": 1.5}, {"x": 3.0}, {"x": -1.0})
def chained_comparison(x):
    if 0 < x < 2:
        return x * x
    return np.sin(x)


@program({"x": 1.5, "y": 2.5, "z": 3.5}, {"x": 1.5, "y": 2.5, "z": 2.0}, {"x": 3.0, "y": 2.5, "z": 2.0})
def long_chained_comparison(x, y, z):
    if 0 < x <= y < z != 5:
        return x * y * z
    return x + y * z


@program({"x": 0.0, "y": 2.0}, {"x": 1.5, "y": 2.0}, wrt="y")
def or_gives_a_value(x, y):
    """`or` returns one of its operands."""
    return (x or y) * y


@program({"x": 1.5, "y": 2.0}, {"x": -1.5, "y": 2.0})
def or_of_active_values(x, y):
    z = x or y
    return z * z


@program({"x": 1.5, "y": 2.0})
def and_of_active_values(x, y):
    return (x and y) * x


@program({"x": 1.5, "flag": True}, {"x": 1.5, "flag": False})
def flag_argument(x, flag):
    if flag:
        x = x * x
    return x * 2.0


@program({"x": 1.5, "mode": "sin"}, {"x": 1.5, "mode": "exp"}, {"x": 1.5, "mode": "none"})
def string_argument(x, mode):
    if mode == "sin":
        return np.sin(x)
    elif mode in ("exp", "exponential"):
        return np.exp(x)
    return x * x


@program({"x": 1.5, "scale": None}, {"x": 1.5, "scale": 2.0}, wrt="x")
def optional_argument(x, scale=None):
    if scale is None:
        scale = x
    return x * scale


@program({"x": 1.5, "bias": None}, wrt="x")
@program({"x": 1.5, "bias": 0.5})
def optional_active_argument(x, bias=None):
    y = x * x
    if bias is not None:
        y = y + bias * x
    return y


@program({"x": 1.5, "n": 0}, {"x": 1.5, "n": 1}, {"x": 1.5, "n": 7})
def integer_switch(x, n):
    if n == 0:
        y = x
    elif n == 1:
        y = x * x
    else:
        y = x**n
    return y + n


@program({"x": 1.5}, {"x": 0.5})
def condition_from_a_global(x):
    if x > THRESHOLD:
        return x * x
    return x * 3


@program({"x": 1.5})
def branch_never_taken(x):
    if DEBUG:
        x = x * 1000.0
        print("debugging", x)
    return x * x


@program({"x": 1.5})
def condition_is_a_constant(x):
    if True:
        y = x * x
    else:
        y = x
    if 0:
        y = y * 5.0
    return y


@program({"x": 1.5}, {"x": 0.5})
def condition_kept_in_a_name(x):
    large = x > 1.0
    y = x * x
    if large:
        y = y * x
    z = y * 2.0
    if not large:
        z = z + x
    return z


@program({"x": 1.5}, {"x": 0.5})
def condition_computed_from_active(x):
    y = np.exp(x)
    if y > 3.0:
        y = y * x
    if y > 6.0:
        y = np.log(y)
    return y


@program({"x": 1.5}, {"x": -0.5})
def condition_changed_in_the_branch(x):
    if x > 0:
        x = -x * x
    if x > 0:
        x = x * 5.0
    return x * x


@program({"x": 1.5}, {"x": -0.5})
def comparison_as_a_number(x):
    return (x > 0) * x * x + (x <= 0) * np.sin(x)


@program({"x": signed(4)})
def comparison_as_a_mask(x):
    return np.sum((x > 0) * x * x + (x <= 0) * np.sin(x))


@program({"x": signed(4)})
def branch_on_a_reduction(x):
    if np.sum(x) > 0:
        y = x * x
    else:
        y = np.exp(x)
    return np.mean(y)


@program({"x": signed(4)})
def branch_on_any_and_all(x):
    y = x * 2.0
    if np.any(x > 1.0):
        y = y * x
    if np.all(x > -5.0):
        y = np.sin(y)
    return y


@program({"x": signed(2, 3)}, {"x": signed(3)})
def branch_on_shape(x):
    if x.ndim == 2 and x.shape[0] < x.shape[1]:
        y = x.T
    else:
        y = x
    return y * len(y)


@program({"x": 1.5}, {"x": signed(3)})
def branch_on_type(x):
    if isinstance(x, np.ndarray):
        return np.sum(x * x)
    return x * x * x


@program({"x": 2.0}, {"x": -2.0})
def different_variables_in_branches(x):
    if x > 0:
        a = x * x
        b = a * 2.0
    else:
        b = np.sin(x)
        a = b + x
    return a * b


@program({"x": 2.0}, {"x": -2.0})
def active_in_one_branch_only(x):
    if x > 0:
        y = x * x
    else:
        y = 1.0
    return y * 3.0


@program({"x": 2.0}, {"x": -2.0})
def constant_in_one_branch_then_used(x):
    y = 2.0
    if x > 0:
        y = x
    return y * x


@program({"x": 2.0}, {"x": -2.0})
def a_local_that_lives_in_one_branch(x):
    if x > 0:
        t = np.exp(x)
        t = t * t
        y = t + x
    else:
        y = x
    return y * y


@program({"x": 2.0}, {"x": -2.0})
def two_branches_in_a_row(x):
    if x > 0:
        y = x * 2
    else:
        y = x * 3
    if y > 5:
        z = y * y
    else:
        z = y * x
    return z


@program({"x": 1.2}, {"x": 0.2}, {"x": -1.0})
def hat(x):
    if x < 0:
        return 0.0
    elif x < 0.5:
        return 2.0 * x
    else:
        return 2.0 - 2.0 * x


@program({"x": 1.2, "delta": 1.0}, {"x": 0.2, "delta": 1.0}, {"x": -1.9, "delta": 1.5})
def huber(x, delta):
    if abs(x) <= delta:
        return 0.5 * x * x
    return delta * (abs(x) - 0.5 * delta)


@program({"x": 1.2, "lo": -1.0, "hi": 1.0}, {"x": 0.2, "lo": -1.0, "hi": 1.0}, {"x": -3.2, "lo": -1.0, "hi": 1.0})
def clamp(x, lo, hi):
    y = lo if x < lo else hi if x > hi else x
    return y * y + x


@program({"x": 30.0}, {"x": -30.0}, {"x": 0.3})
def stable_softplus(x):
    if x > 20.0:
        return x
    if x < -20.0:
        return math.exp(x)
    return math.log1p(math.exp(x))


@program({"a": 1.0, "b": 5.0, "c": 2.0}, {"a": 1.0, "b": 1.0, "c": 2.0})
def quadratic_formula(a, b, c):
    disc = b * b - 4 * a * c
    if disc >= 0:
        root = math.sqrt(disc)
        return (-b + root) / (2 * a), (-b - root) / (2 * a)
    root = math.sqrt(-disc)
    return -b / (2 * a), root / (2 * a)


@program({"x": 2.0}, {"x": -2.0})
def branches_of_tuples(x):
    if x > 0:
        a, b = x * x, x
    else:
        a, b = x, np.sin(x)
    return a + a * b


@program({"x": 2.0}, {"x": -2.0})
def result_of_a_branch_is_a_tuple(x):
    if x > 0:
        pair = (x * x, x)
    else:
        pair = (x, 3.0 * x)
    return pair[0] * pair[1]


@program({"x": positive(3), "norm": "l1"}, {"x": positive(3), "norm": "l2"}, {"x": positive(3), "norm": None})
def branch_chooses_the_loss(x, norm):
    if norm == "l1":
        penalty = np.sum(np.abs(x))
    elif norm == "l2":
        penalty = np.sum(x * x) / 2
    else:
        penalty = 0.0
    return np.sum(np.sin(x)) + 0.1 * penalty


@program({"x": 0.6}, {"x": 2.6})
def membership(x):
    table = {0: 1.5, 1: 2.5}
    key = int(x)
    if key in table:
        return x * table[key]
    return x * x
