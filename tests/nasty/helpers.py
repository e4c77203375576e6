# ruff: noqa  (programs under test are written as users write)
"""Helpers, objects, closures and globals that change something."""

import numpy as np

from nasty.checks import V, nasty


def fills(target, value):
    target[0] = value * 2.0


def doubles(target):
    target *= 2.0


def passes_on(target):
    doubles(target)


def returns_it(target):
    return target


def returns_view(target):
    return target[1:]


def appends(values, v):
    values.append(v)


class Box:
    def __init__(self, value):
        self.value = value

    def scale(self, k):
        self.value = self.value * k

    def fill(self, v):
        self.value[0] = v


@nasty(V)
def helper_fills(x):
    y = np.zeros(3)
    fills(y, x[1])
    return y[0] * x[0]


@nasty(V)
def helper_fills_argument(x):
    fills(x, x[1])
    return np.sum(x * x)


@nasty(V)
def helper_fills_constant(x):
    y = x * 1.0
    fills(y, 3.0)
    return np.sum(y * y)


@nasty(V)
def helper_doubles(x):
    y = x * 1.0
    doubles(y)
    return np.sum(y * x)


@nasty(V)
def helper_of_helper_doubles(x):
    y = x * 1.0
    passes_on(y)
    return np.sum(y * x)


@nasty(V)
def helper_doubles_view(x):
    y = x * 1.0
    doubles(y[1:])
    return np.sum(y * x)


@nasty(V)
def helper_returns_argument(x):
    y = x * 1.0
    z = returns_it(y)
    z += x
    return np.sum(y * x)


@nasty(V)
def helper_returns_view(x):
    y = x * 1.0
    z = returns_view(y)
    z *= x[0]
    return np.sum(y)


@nasty(V)
def helper_appends(x):
    ys = []
    appends(ys, x[0])
    appends(ys, x[1] * x[0])
    return ys[0] * ys[1]


@nasty(V)
def helper_fills_twice_the_same(x):
    def both(a, b):
        a[0] = 5.0
        return np.sum(b * b)

    y = x * 1.0
    return both(y, y)


@nasty(V)
def object_scaled(x):
    box = Box(x)
    box.scale(x[0])
    return np.sum(box.value)


@nasty(V)
def object_filled(x):
    box = Box(x * 1.0)
    box.fill(x[2] * 2.0)
    return np.sum(box.value * box.value)


@nasty(V)
def object_attribute_augmented(x):
    box = Box(x * 1.0)
    box.value *= 3.0
    box.value[0] = x[1]
    return np.sum(box.value * x)


@nasty(V)
def closure_writes(x):
    y = x * 1.0

    def put(i, v):
        y[i] = v

    put(0, x[1] * x[2])
    return np.sum(y * y)


@nasty(V)
def closure_reads_later(x):
    y = x * 1.0

    def total():
        return np.sum(y * y)

    y[0] = x[1]
    return total()


@nasty(V)
def closure_rebound(x):
    y = x

    def get():
        return y

    y = x * x
    return np.sum(get())


@nasty(V)
def lambda_reads_rebound(x):
    k = x[0]
    f = lambda v: v * k
    k = x[1]
    return f(x[2])


@nasty(V)
def lambdas_in_loop(x):
    fs = [lambda v, i=i: v * x[i] for i in range(3)]
    return fs[0](2.0) + fs[2](x[1])


@nasty(V)
def late_binding(x):
    fs = [lambda v: v * x[i] for i in range(3)]
    return fs[0](2.0)


GLOBAL = np.zeros(3)
GLOBAL_LIST: list[float] = []
GLOBAL_DICT: dict[str, float] = {}
COUNTER = 0.0


@nasty(V)
def global_array_written(x):
    GLOBAL[:] = x * x
    return np.sum(GLOBAL)


def _store_global(x):
    GLOBAL[0] = x


@nasty(V)
def global_array_written_by_helper(x):
    _store_global(x[0] * x[1])
    return GLOBAL[0] * 2.0


@nasty(V)
def global_list_appended(x):
    GLOBAL_LIST.append(x[0] * x[1])
    return GLOBAL_LIST[-1] * 2.0


@nasty(V)
def global_dict_written(x):
    GLOBAL_DICT["k"] = x[0] * x[1]
    return GLOBAL_DICT["k"] * 2.0


@nasty(V)
def global_number_rebound(x):
    global COUNTER
    COUNTER = x[0] * x[0]
    return COUNTER * x[1]


def _set_counter(v):
    global COUNTER
    COUNTER = v


@nasty(V)
def global_rebound_by_helper(x):
    _set_counter(x[0] * x[1])
    return COUNTER * 1.0


@nasty(V)
def attribute_of_a_function(x):
    attribute_of_a_function.kept = x[0] * x[1]
    return attribute_of_a_function.kept * 1.0


@nasty(V)
def setattr_builtin(x):
    box = Box(0.0)
    setattr(box, "value", x[0] * x[1])
    return box.value * 1.0


@nasty(V)
def setitem_method(x):
    y = x * 1.0
    y.__setitem__(0, x[1])
    return np.sum(y * y)


@nasty(V)
def iadd_method(x):
    y = x * 1.0
    y.__iadd__(x)
    return np.sum(y * y)


@nasty(V)
def operator_iadd(x):
    import operator

    y = x * 1.0
    operator.iadd(y, x)
    return np.sum(y * y)


@nasty(V)
def bound_method_kept(x):
    ys = []
    push = ys.append
    push(x[0])
    push(x[1])
    return ys[0] * ys[1]


@nasty(V)
def map_mutates(x):
    ys = []
    list(map(ys.append, [x[0], x[1]]))
    return ys[0] * ys[1]


@nasty(V)
def nditer_writes(x):
    y = x * 1.0
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * 2.0
    return np.sum(y * x)


@nasty(V)
def vectorized_side_effect(x):
    ys = [0.0]

    def add(v):
        ys[0] = ys[0] + v

    for v in x:
        add(v * v)
    return ys[0]
