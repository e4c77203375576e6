"""Names that get in the way: locals and globals named like builtins, modules, generated names; shadowing.

This file binds some builtins to other things at its top, as `from numpy import *` does.
"""

import math
import numpy
import numpy as np
from numpy import abs, max, min, round, sum

from programs.registry import program
from programs.samples import signed

unbroadcast = 2.0
add_grad = [1.0, 2.0]
len_ = 3


def reversed(x):
    return x * 3.0


@program({"x": signed(2, 3)})
def builtins_bound_to_numpy(x):
    return sum(abs(x), axis=0) * max(x) + min(x, axis=1)[0] + round(x)[0] * x[0]


@program({"x": 0.7, "n": 3})
def builtin_replaced_by_a_global_function(x, n):
    y = x
    for i in range(n):
        y = y * x + i
    return reversed(y)


@program({"x": 0.7})
def globals_named_like_the_runtime(x):
    return x * unbroadcast + add_grad[1] * x * x


def init_grad(v):
    return v * v


@program({"x": signed(2), "y": 0.5})
def helper_named_like_the_runtime(x, y):
    return init_grad(x) * y + init_grad(y)


@program({"x": signed(3)})
def local_named_like_a_builtin(x):
    sum = 0.0
    for v in x:
        sum = sum + v * v
    max = sum * 2.0
    return max * sum


@program({"x": 0.7, "n": 3})
def locals_named_like_loop_builtins(x, n):
    len = x * x
    reversed = len + x
    zip = 1.0
    for i in range(n):
        zip = zip * reversed
    enumerate = zip * len
    return enumerate


@program({"x": 0.7})
def local_named_range(x):
    range = x * x
    list = [range, x]
    s = 0.0
    for float in list:
        s = s + float * range
    return s


@program({"list": [0.5, -1.5], "float": 2.0})
def arguments_named_like_builtins(list, float):
    int = list[0] * float
    return int * list[1]


@program({"x": 0.7})
def local_named_np(x):
    np = x * 3.0
    return np * np


@program({"x": signed(2, 3), "np": signed(3)})
def argument_named_np(x, np):
    return numpy.sum(x * np, axis=0) + np


@program({"x": 0.7})
def local_named_math_and_numpy(x):
    math = x * x
    numpy = math + 1.0
    return numpy * math


@program({"x": signed(3)})
def local_named_tangent(x):
    tangent = np.sin(x)
    copy = tangent * x
    return np.sum(copy * tangent)


@program({"x": 0.7})
def locals_named_like_adjoints(x):
    bx = x * x
    by = bx + x
    y = by * bx
    return y


@program({"x": 0.7, "y": 1.2})
def locals_named_like_tangents(x, y):
    dx = x * y
    dy = dx - y
    dz = dy * dx
    return dz


@program({"x": 0.7, "by": 1.2})
def argument_named_by(x, by):
    y = x * by
    return y * y


@program({"x": 0.7, "dx": 1.2, "bx": -0.5})
def arguments_named_dx_and_bx(x, dx, bx):
    dbx = x * dx
    bdx = bx * dbx
    return bdx * x


@program({"x": 0.7, "seed": 1.2, "wrt": 0.4})
def arguments_named_seed_and_wrt(x, seed, wrt):
    args = x * seed
    return args * wrt


@program({"x": 0.7, "x_": 1.2, "x__": 0.3})
def names_with_trailing_underscores(x, x_, x__):
    bx = x * x_
    bx_ = bx * x__
    return bx_ * x


@program({"x": 0.7, "x1": 1.2, "x_1": 0.3, "x2": 2.0})
def names_with_numbers(x, x1, x_1, x2):
    x = x * x1
    x = x * x_1
    x1 = x * x2
    x = x1 + x
    return x


@program({"x": 0.7, "n": 3})
def locals_named_like_records(x, n):
    x_stack = x * x
    y = x
    for t in range(n):
        y_stack = y * x_stack
        y = np.sin(y_stack) + x
    return y * x_stack


@program({"x": 0.7}, {"x": -0.75})
def locals_named_branch_and_trips(x):
    branch = x * 2.0
    trips = 0.0
    while branch < 5.0:
        if trips > 1.0:
            branch = branch + x * x
        else:
            branch = branch + 1.5
        trips = trips + 1.0
    return branch * trips


@program({"x": signed(2), "t": 0.4})
def locals_named_t_and_out(x, t):
    out = x * t
    t = out * out
    result = t + x
    return result


@program({"x": signed(2), "y": 0.4})
def locals_named_like_runtime_functions(x, y):
    unbroadcast = x * y
    add_grad = unbroadcast + y
    init_grad = add_grad * x
    ZeroGrad = init_grad * init_grad
    return ZeroGrad


@program({"x": 0.7})
def locals_named_like_pairs(x):
    g = init_grad(x)
    init_grad_fwd = g * x
    init_grad_bwd = init_grad_fwd + g
    saved = init_grad_bwd * x
    return saved


@program({"x": 0.7})
def dfdx(x):
    """A function with the name of its derivative."""
    return x * x


@program({"x": 0.7})
def grad(x):
    """A function with the name of the operator."""
    vjp = x * x
    jvp = vjp * x
    return jvp


@program({"x": 0.7})
def own_name_as_a_local(x):
    own_name_as_a_local = x * x
    return own_name_as_a_local * x


def shadowed(x):
    return x * x


@program({"x": 0.7})
def local_shadows_a_helper(x):
    y = shadowed_twice(x)
    shadowed = y * 2.0
    return shadowed * x


def shadowed_twice(x):
    return shadowed(shadowed(x))


@program({"x": 0.7, "shadowed": 1.5})
def argument_shadows_a_helper(x, shadowed):
    return x * shadowed * shadowed


@program({"x": 0.7, "n": 3})
def loop_variable_shadows_the_argument(x, n):
    y = x
    for x in range(n):
        y = y * 0.5 + x
    return y


@program({"x": 0.7, "n": 3})
def loop_variable_is_reused(x, n):
    y = x
    for i in range(n):
        y = y * x
    for i in range(2 * n):
        y = y + i * x
    i = y * x
    return i


@program({"α": 0.7, "θ": 1.2})
def greek(α, θ):
    Δ = α * θ
    β_1 = np.sin(Δ)
    return β_1 * α


@program({"x": 0.7})
def underscores(x):
    _ = x * x
    __ = _ + x
    _y = __ * _
    return _y


@program({"x": 0.7})
def one_letter_names(x):
    a = x * x; b = a + x; c = a * b; d = c - a; e = d * x; f = e + d; g = f * a
    return g


@program({"l": 0.7, "O": 1.2, "I": 0.3})
def confusable_names(l, O, I):
    return l * O * I + l


@program({"x": 0.7})
def a_name_of_several_types(x):
    y = "text"
    n = len(y)
    y = x * n
    y = (y, x)
    y = y[0] * y[1]
    return y


@program({"self": 0.7, "cls": 1.2})
def self_and_cls(self, cls):
    return self * cls * self


@program({"x": 0.7})
def soft_keywords(x):
    match = x * x
    case = match + x
    type = case * match
    return type


@program({"x": 0.7})
def math_and_numpy_of_the_same_name(x):
    return math.sin(x) * np.sin(x) + numpy.exp(math.exp(x) / 10)


@program({"lambda_": 0.7, "class_": 1.2})
def keywords_with_underscores(lambda_, class_):
    from_ = lambda_ * class_
    return from_ * lambda_


def twice_and_square(x):
    return 2.0 * x, x * x


@program({"x": 0.7})
def name_bound_twice_by_one_target(x):
    s = 0.0
    for i in range(3):
        a, a = twice_and_square(x * i)
        s = s * a + a
    return s


@program({"xs": [1.0, 2.0, 3.0], "ys": [0.5, 0.6, 0.7]})
def index_that_the_target_binds_again(xs, ys):
    s = 0.0
    for _, (_, y) in enumerate(zip(xs, ys)):
        s += _ * y
    (a, a), *_ = (xs[:2], ys[2], xs[0])
    return s * a * _[0]
