"""A refusal about storage names two statements: one that writes, and one that reads or holds the same."""

import inspect
import random

import numpy as np
import pytest

import tangent
from tangent.errors import TangentError

WORK = np.zeros(3)
SHOWN = WORK[1:]
TABLE = {"a": np.zeros(3)}
ROWS = [np.zeros(3)]
LAST = 0.0
ACTIVATION = np.sin
GRID = np.arange(12.0).reshape(4, 3)


class Holder:
    def __init__(self, w):
        self.w = w


def fill(a, x):
    a[:] = x * x  # fill


def scale(a):
    a *= 2.0  # scale


def fail_half_way(a, x):
    a[0] = x[0]
    if x[1] < 5.0:
        raise ValueError
    a[1] = x[1]


def remember(v):
    ROWS[0] = v


def elements_walked(x):
    y = np.zeros(3)
    for v in np.nditer(y, op_flags=["readwrite"]):  # two
        v[...] = x[0]  # one
    return np.sum(y)


def strides(x):
    y = x * 1.0
    v = np.lib.stride_tricks.as_strided(y, (2, 2), (8, 8))  # one
    v[0, 1] = 2.0  # two
    return np.sum(y)


def output_by_position(x):
    b = np.zeros(3)
    x.clip(0.0, 1.0, b)  # one
    return np.sum(b * b)  # two


def output_behind_a_star(x, given):
    np.multiply(x, x, *given)  # one
    return np.sum(given[0])  # two


def known_when_called(x, functions):
    b = np.random.uniform(size=3)  # so that it is not begun again
    functions[0](b, x)  # one
    return np.sum(b)


def choose(other):
    global ACTIVATION
    ACTIVATION = other


def function_of_the_module(x):
    y = ACTIVATION(x)  # two
    choose(np.cos)  # one
    return np.sum(ACTIVATION(y))


def captured_number():
    weight = 1.0

    def f(x):
        s = 0.0
        for v in x:
            s += v * v * weight  # two
            raise_weight()  # one
        return s

    def raise_weight():
        nonlocal weight
        weight += 1.5

    return f


def captured_table():
    table = np.ones(3)

    def f(x):
        s = 0.0
        for k in range(3):
            s += np.sum(x * x * table)  # two
            raise_weight(k)  # one
        return s

    def raise_weight(k):
        table[k] += 1.0

    return f


def captured_by_a_function(x):
    y = x * 1.0

    def f(v):  # one
        return np.sum(y * v)

    functions = [f]
    y[0] = 3.0  # two
    return functions[0](x)


def imaginary_part_given(x):
    z = x * (1 + 1j)
    scale(z.view(float))  # one
    return np.sum(np.abs(z) ** 2)


def other_dtype_written(x):
    z = x * (1 + 1j)
    v = z.view(float)  # one
    v[0] = 3.0  # two
    return np.sum(np.abs(z) ** 2)


def other_dtype_read_later(x):
    z = x * (1 + 1j)
    v = z.view(float)  # one
    z[0] = 3.0  # two
    return np.sum(v**2)


def view_of_the_module(x):
    WORK[:] = x * x  # one
    return np.sum(SHOWN)  # two


def dict_of_the_module(x):
    TABLE.pop("b", None)
    TABLE["a"][:] = x * x  # one
    return np.sum(TABLE["a"])  # two


def list_of_the_module(x):
    ROWS.reverse()
    ROWS[0] = x  # one
    return np.sum(ROWS[0])  # two


def list_of_the_module_in_a_helper(x):
    ROWS.reverse()
    remember(x * x)  # one
    return np.sum(ROWS[0])  # two


def global_bound(x):
    global LAST
    LAST = x * x  # one
    return np.sum(LAST)  # two


def resized(x):
    y = x * 1.0
    y.resize(5)  # one
    return np.sum(y)  # two


def shape_of_two_names(x):
    y = x * 1.0
    z = y  # two
    y.shape = (3, 1)  # one
    return np.sum(z * x)


def shape_of_an_argument(x):
    x.shape = (3, 1)  # one
    return np.sum(x * x.T)  # two


def shuffled(x):
    y = x * 1.0
    random.shuffle(y)  # one
    return np.sum(y * x)  # two


def failed_half_way(x):
    b = np.zeros(3)
    try:
        fail_half_way(b, x)  # one
    except ValueError:
        print("failed")
    return np.sum(b * b)  # two


def arguments_that_overlap(x, y):
    x[0] = y[1] * 2.0  # one
    return np.sum(x * y)


def argument_and_global(x):
    x[0] = 2.0  # one
    return np.sum(x * WORK)  # two


def parts_in_a_list(xs):
    xs[0][0] = 2.0  # one
    return np.sum(xs[0] * xs[1])  # two


def integers(x):  # one
    x[0] = 2.0  # two
    return np.sum(x * 2.0)


def elements_in_another_order(x):
    y = (x * np.ones((3, 3))).T
    f = y.flat  # one
    y[0, 0] = 2.0  # two
    f[1] = x[0]
    return np.sum(y)


def held_by_memoryview(x):
    y = x * 1.0
    memoryview(y)[0] = 5.0  # one
    return np.sum(y * x)  # two


def made_read_only(x):
    y = x * 2.0
    y.flags.writeable = False  # one
    try:
        y[0] = x[1]  # two
    except ValueError:
        y = y * x
    return np.sum(y)


def held_by_an_array_of_objects(x):
    held = np.empty(2, dtype=object)
    held[0] = x * 1.0
    held[0][1] = 5.0 * x[0]  # one
    return np.sum(held[0] * 2.0)  # two


def called_by_a_parameter_s_name(x):
    def applied(scale, a):
        scale(a)  # two
        return a

    applied(lambda a: a.__iadd__(1.0), x)  # one
    return np.sum(x)


X = np.array([0.5, 1.2, 0.9])
BOTH, REVERSE = ("reverse", "forward"), ("reverse",)
CASES = [
    (elements_walked, BOTH, (X,)),
    (strides, REVERSE, (X,)),
    (output_by_position, BOTH, (X,)),
    (output_behind_a_star, BOTH, (X, [np.zeros(3)])),
    (known_when_called, BOTH, (X, [fill]), "fill"),
    (function_of_the_module, BOTH, (X,)),
    (captured_number(), REVERSE, (X,)),
    (captured_table(), REVERSE, (X,)),
    (captured_by_a_function, REVERSE, (X,)),
    (imaginary_part_given, REVERSE, (X,), "scale"),
    (other_dtype_written, REVERSE, (X,)),
    (other_dtype_read_later, REVERSE, (X,)),
    (view_of_the_module, BOTH, (X,)),
    (dict_of_the_module, BOTH, (X,)),
    (list_of_the_module, BOTH, (X,)),
    (list_of_the_module_in_a_helper, BOTH, (X,)),
    (global_bound, BOTH, (X,)),
    (resized, BOTH, (X,)),
    (shape_of_two_names, BOTH, (X,)),
    (shape_of_an_argument, BOTH, (X,)),
    (shuffled, BOTH, (X,)),
    (failed_half_way, BOTH, (X,)),
    (arguments_that_overlap, BOTH, (X, X[::-1]), "call"),
    (argument_and_global, BOTH, (WORK,)),
    (parts_in_a_list, BOTH, ([GRID[0, :2], GRID[0, 1:]],)),
    (integers, BOTH, (np.array([1, 2, 3]),)),
    (elements_in_another_order, REVERSE, (X,)),
    (held_by_memoryview, REVERSE, (X,)),
    (made_read_only, BOTH, (X,)),
    (held_by_an_array_of_objects, REVERSE, (X,)),
    (called_by_a_parameter_s_name, BOTH, (X,)),
]


def derivative(f, mode, args):
    if mode == "reverse":
        return tangent.grad(f)(*args)  # call reverse
    direction = [np.ones(2), np.ones(2)] if isinstance(args[0], list) else np.ones(3)
    return tangent.jvp(f, wrt=0)(*args, direction)  # call forward


def marked(mark):
    """The number and text of the line of this file that ends with a mark."""
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = [(i + 1, line) for i, line in enumerate(lines) if line.endswith(f"  # {mark}")]
    assert len(found) == 1
    return found[0]


def marked_in(f, mark):
    lines, first = inspect.getsourcelines(f)
    found = [(first + i, line.rstrip("\n")) for i, line in enumerate(lines) if line.endswith(f"  # {mark}\n")]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("f", "mode", "args", "second"),
    [(f, mode, args, *(second or ["two"])) for f, modes, args, *second in CASES for mode in modes],
    ids=[f"{f.__name__}-{mode}" for f, modes, *_ in CASES for mode in modes],
)
def test_both_statements_are_named(f, mode, args, second):
    with pytest.raises(TangentError) as caught:
        derivative(f, mode, args)
    error, message = caught.value, str(caught.value)
    here = marked_in(f, "one")
    there = marked_in(f, "two") if second == "two" else marked(f"call {mode}" if second == "call" else second)
    for line, text in (here, there):
        assert f"{__file__}:{line}:" in message
        assert text.strip() in message
    assert message.startswith(f"{__file__}:{here[0]}:")
    assert error.why and message.endswith(error.todo) and error.todo
