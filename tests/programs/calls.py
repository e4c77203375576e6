"""Calls of the user's own functions: arguments of every kind, recursion, results of every structure."""

import functools
import math

import numpy as np

from programs.registry import program
from programs.samples import positive, signed

RATE = 0.5


def cube(x):
    return x * x * x


def add(a, b):
    return a + b


def weighted(a, b=2.0, *, c=3.0):
    return a * b + a * a * c


def both(a, b):
    return a * b, a - b


def raised(x, n):
    return x**n


@program({"x": signed(3)})
def helper_with_exponent(x):
    return np.sum(raised(x, 3) * x)


@program({"x": 0.8}, {"x": signed(3)})
def one_helper(x):
    return cube(x) + x


@program({"x": 0.8})
def nested_helpers(x):
    return cube(cube(x) + x)


@program({"x": 0.8, "y": -1.3})
def same_helper_twice(x, y):
    return cube(x) * cube(y)


@program({"x": 0.8})
def same_helper_on_its_own_result(x):
    y = cube(x)
    z = cube(y)
    return y + z


@program({"x": 0.8, "n": 2.0}, wrt="x")
def same_helper_different_active_arguments(x, n):
    """First both arguments are active, then the first, then the second, then none."""
    return scaled(x, x) + scaled(x, n) * scaled(n, x) + scaled(n, n)


def scaled(a, b):
    return np.sin(a) * b * b


@program({"x": 0.8, "y": 1.3})
def helper_with_crossed_arguments(x, y):
    return difference(x, y) * difference(y, x * 2.0)


def difference(x, y):
    return x * x - y


@program({"x": 0.8})
def the_same_argument_twice(x):
    return scaled(x, x) * add(x, x)


@program({"x": 0.8, "y": 1.3})
def keyword_arguments(x, y):
    return difference(y=x, x=y) + difference(x, y=y)


@program({"x": 0.8})
def default_arguments(x):
    return weighted(x) + weighted(x, x) + weighted(x, c=x) + weighted(a=x, b=1.0)


@program({"x": 0.8}, {"x": 0.8, "power": 3, "offset": 1.0}, wrt="x")
def own_defaults(x, power=2, offset=0.5):
    return x**power + offset * x


@program({"x": 0.8, "y": 1.5})
def own_active_default(x, y=2.0):
    return x * y * y


@program({"x": 0.8}, {"x": 0.8, "scale": 4.0}, wrt="x")
def own_keyword_only(x, *, scale=2.0):
    return scale * x * x


def total(*values):
    s = 0.0
    for v in values:
        s = s + v * v
    return s


@program({"x": 0.8, "y": 1.3})
def helper_with_star_args(x, y):
    return total(x, y, x * y) + total() + total(y)


def configured(x, **options):
    y = x * options["gain"]
    if "offset" in options:
        y = y + options["offset"]
    return y * x


@program({"x": 0.8, "y": 1.3})
def helper_with_star_kwargs(x, y):
    return configured(x, gain=y) + configured(y, gain=2.0, offset=x)


def everything(a, b=1.0, *rest, c=2.0, **others):
    y = a * b + c
    for r in rest:
        y = y * r
    for k in others:
        y = y + others[k] * a
    return y


@program({"x": 0.8, "y": 1.3})
def helper_with_every_kind(x, y):
    return everything(x) + everything(x, y, y, x, c=y, d=x, e=2.0)


@program({"x": 0.8, "y": 1.3})
def call_with_star(x, y):
    pair = (x, y)
    return difference(*pair) * both(*(y, x))[0]


@program({"x": 0.8, "y": 1.3})
def call_with_two_stars(x, y):
    arguments = {"b": y, "c": x}
    return weighted(x, **arguments)


@program({"x": 0.8, "rest": (1.5, 2.5)}, wrt="x")
def own_star_args(x, *rest):
    y = x
    for r in rest:
        y = y * x + r
    return y


@program({"x": 0.8, "options": {"gain": 1.5}}, wrt="x")
def own_star_kwargs(x, **options):
    return x * x * options["gain"]


@program({"xs": (0.8, 1.5, -2.5)}, wrt="xs")
def own_star_args_active(*xs):
    s = 1.0
    for x in xs:
        s = s * x
    return s


@program({"x": 0.8, "n": 4}, {"x": 0.8, "n": 0})
def recursive_power(x, n):
    if n == 0:
        return 1.0
    return x * recursive_power(x, n - 1)


@program({"x": 0.8, "n": 4}, {"x": -1.8, "n": 5})
def recursive_square_and_multiply(x, n):
    if n == 0:
        return 1.0
    half = recursive_square_and_multiply(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


@program({"x": 0.8, "n": 4})
def recursive_tree(x, n):
    if n <= 1:
        return np.sin(x * n)
    return recursive_tree(x, n - 1) * x + recursive_tree(x, n - 2)


@program({"x": 0.8, "n": 3}, {"x": 0.8, "n": 4})
def mutual_recursion(x, n):
    return even_step(x, n)


def even_step(x, n):
    if n == 0:
        return x
    return np.sin(odd_step(x * 1.1, n - 1))


def odd_step(x, n):
    if n == 0:
        return x * x
    return x * even_step(x + 0.5, n - 1)


@program({"x": 25.0}, {"x": 0.7})
def recursion_on_the_active_value(x):
    if x < 1.0:
        return x * x
    return recursion_on_the_active_value(x / 3.0) * 2.0 + x


@program({"x": 0.8, "y": 1.3})
def helper_returning_a_tuple(x, y):
    p, d = both(x, y)
    return p * p + d * x


@program({"x": 0.8, "y": 1.3})
def helper_returning_a_tuple_indexed(x, y):
    pair = both(x, y)
    return pair[0] * pair[1] * pair[0]


@program({"x": 0.8, "y": 1.3})
def only_one_result_used(x, y):
    p, _ = both(x, y)
    return p * y + both(y, x)[1]


def as_dict(x, y):
    return {"sum": x + y, "product": x * y}


@program({"x": 0.8, "y": 1.3})
def helper_returning_a_dict(x, y):
    d = as_dict(x, y)
    return d["sum"] * d["product"]


def as_list(x, n):
    return [x, x * x, n * x]


@program({"x": 0.8})
def helper_returning_a_list(x):
    xs = as_list(x, 3)
    s = 0.0
    for v in xs:
        s = s + np.sin(v)
    return s * xs[1]


def nested_result(x, y):
    return (x * y, [x, {"k": y * y}])


@program({"x": 0.8, "y": 1.3})
def helper_returning_nested_containers(x, y):
    a, (b, c) = nested_result(x, y)
    return a * b + c["k"]


@program({"x": 0.8, "y": 1.3})
def result_of_a_helper_returned_whole(x, y):
    return nested_result(x, y)


def norm_of(pair):
    a, b = pair
    return math.sqrt(a * a + b * b)


@program({"x": 0.8, "y": 1.3})
def helper_taking_a_tuple(x, y):
    return norm_of((x, y)) * norm_of((x * y, 1.0))


def affine(params, x):
    return np.dot(x, params["w"]) + params["b"]


@program({"params": {"w": signed(2, 2), "b": signed(2)}, "x": signed(2, shift=1.0)})
def helper_taking_a_dict(params, x):
    return np.tanh(affine(params, affine(params, x)))


@program({"x": 0.8})
def helper_with_constant_arguments(x):
    return add(2.0, 3.0) * x + scaled(1.0, x)


def fixed():
    return 4.0 * RATE


@program({"x": 0.8})
def helper_without_arguments(x):
    return x * fixed() * x


def unchanged(x):
    return x


@program({"x": 0.8}, {"x": signed(3)})
def helper_that_returns_its_argument(x):
    y = unchanged(x)
    return y * x


def chosen(x, flag):
    if flag:
        return x * x
    return np.cos(x)


@program({"x": 0.8})
def helper_with_branches(x):
    return chosen(x, True) * chosen(x, False) + chosen(x, x > 0.5)


def repeated(x, n):
    for _ in range(n):
        x = np.sin(x) + x
    return x


@program({"x": 0.8})
def helper_with_loop(x):
    return repeated(x, 2) * repeated(x, 0) + repeated(0.5, 2)


@program({"x": 0.8, "n": 3}, {"x": 0.8, "n": 0})
def helper_in_a_loop(x, n):
    y = x
    for i in range(n):
        y = scaled(y, x) + i
    return y


@program({"x": 0.8, "n": 4})
def different_helpers_in_branches_in_a_loop(x, n):
    y = x
    for i in range(n):
        if i % 2:
            y = cube(y)
        else:
            y = scaled(x, y)
    return y


@program({"x": 0.8, "n": 3})
def helper_with_loop_in_a_loop(x, n):
    y = x
    for i in range(n):
        y = repeated(y, i) * x
    return y


@program({"x": 0.8})
def helper_in_a_condition(x):
    if cube(x) > 0.1:
        return x * cube(x)
    return x


@program({"x": 0.8})
def helper_in_a_while_condition(x):
    while cube(x) < 10.0:
        x = x * 1.5
    return x


def bound_of(x):
    return int(x * 5)


@program({"x": 0.83})
def helper_computes_a_bound(x):
    y = x
    for i in range(bound_of(x)):
        y = y * x
    return y


def reassigns(x):
    x = x * 2.0
    x = x * x
    return x


@program({"x": 0.8})
def helper_that_rebinds_its_parameter(x):
    y = reassigns(x)
    return y + x


def same_names(y):
    x = y * 2.0
    t = x * y
    return t


@program({"x": 0.8})
def helper_with_the_same_local_names(x):
    t = x * 3.0
    y = same_names(t)
    return t * y + x


@program({"x": 0.8})
def helper_defined_below(x):
    return defined_below(x) * x


def defined_below(x):
    return np.exp(x) / 2.0


def deep_a(x):
    return deep_b(x) * x


def deep_b(x):
    return deep_c(x) + np.sin(x)


def deep_c(x):
    return deep_d(x * 2.0)


def deep_d(x):
    return x * x + RATE


@program({"x": 0.8})
def deep_chain_of_helpers(x):
    return deep_a(x) - deep_c(x)


square = lambda v: v * v


@program({"x": 0.8})
def helper_is_a_lambda(x):
    return square(x) + square(x * x)


alias_of_cube = cube


@program({"x": 0.8})
def helper_under_another_name(x):
    return alias_of_cube(x) + cube(2.0 * x)


@program({"x": 0.8})
def helper_bound_to_a_local_name(x):
    f = np.sin
    g = cube
    return f(x) * g(x)


def made_with(helper, factor):
    def inner(x):
        return helper(x) * factor + helper(factor)

    return inner


helper_in_a_closure = program({"x": 0.8}, name="helper_in_a_closure")(made_with(cube, 2.5))
helper_in_another_closure = program({"x": 0.8}, name="helper_in_another_closure")(made_with(reassigns, 0.5))

inner_of_closure = made_with(deep_c, 1.5)


@program({"x": 0.8})
def calls_a_closure(x):
    return inner_of_closure(x) * x


def doubled(function):
    @functools.wraps(function)
    def wrapper(x):
        return 2.0 * function(x)

    return wrapper


@program({"x": 0.8})
@doubled
def wrapped_by_a_decorator(x):
    return x * x


@doubled
def decorated_helper(x):
    return np.sin(x)


@program({"x": 0.8})
def calls_a_decorated_helper(x):
    return decorated_helper(x) * x


partial_of_scaled = program({"b": 0.8}, name="partial_of_scaled")(functools.partial(scaled, 2.0))
half = functools.partial(weighted, b=0.5)


@program({"x": 0.8})
def calls_a_partial(x):
    return half(x) * x


@program({"x": signed(3), "w": signed(3, 2), "b": signed(2)})
def helpers_on_arrays(x, w, b):
    return np.sum(layer(layer(x, w, b), w.T, 0.5))


def layer(x, w, b):
    return np.tanh(np.dot(x, w) + b)


def centred(x):
    return x - np.mean(x)


@program({"x": positive(4)})
def helper_on_slices(x):
    return centred(x[:2]) * centred(x[2:])


def log_sum(x, axis=None):
    return np.log(np.sum(np.exp(x), axis=axis))


@program({"x": signed(2, 3)})
def helper_passes_axis_on(x):
    return log_sum(x, axis=1) * log_sum(x)


@program({"x": 0.8})
def helper_called_for_nothing(x):
    cube(x)
    return x * x


@program({"x": 0.8})
def local_function_without_captures(x):
    def twice(v):
        return v * 2.0 + v * v

    return twice(twice(x))


@program({"x": 0.8, "y": 1.3})
def tuple_that_changes_before_it_is_given(x, y):
    pair = (x, y)
    x = x * 2.0
    s = difference(*pair) * x
    for _ in range(2):
        pair = (pair[1] * 0.5, pair[0])
        s = s + difference(*pair)
    return s


# -- functions that hand on what they are given behind a star, or in a tuple


def relaxed(y, rate, level=0.5):
    return rate * (level - np.sin(y))


def stepped(f, y, steps, *args):
    """Euler's method."""
    for _ in range(steps):
        y = y + 0.1 * f(y, *args)
    return y


def handed_over(function, *args):
    return function(*args)


def kept_by_name(function, *args, **kwargs):
    return function(*args, **kwargs)


def stepped_by_name(f, y, h=0.1, steps=2, args=()):
    for _ in range(steps):
        y = y + h * f(y, *args)
    return y


def stepped_again(f, steps, y, *args):
    return y if steps == 0 else stepped_again(f, steps - 1, y + 0.1 * f(y, *args), *args)


def called_as_may_be(f, *args):
    if len(args) == 0:
        return f()
    return f(*args)


def weighed(f, *args):
    total = 0.0
    for a in args:
        total = total + a * f(*args)
    return total


def put_into(out, f, *args):
    out[0] = f(out[1], *args)
    args = (out[0], *args[1:])
    out[1] += f(*args)


@program({"y": 0.8, "rate": 1.3}, {"y": signed(3), "rate": 1.3}, {"y": signed(3), "rate": positive(3)})
def arguments_handed_on_in_a_loop(y, rate):
    return stepped(relaxed, y, 3, rate) + stepped(relaxed, y, 2, rate, rate * y)


@program({"y": 0.8, "rate": 1.3}, {"y": signed(3), "rate": 1.3})
def arguments_handed_on_by_name(y, rate):
    return (
        stepped_by_name(relaxed, y, args=(rate,))
        + stepped_by_name(relaxed, y, 0.2, args=(rate, y * rate))
        + stepped_by_name(relaxed, y, steps=3, args=(rate, 2.0), h=0.3)
        + stepped_by_name(np.sin, y)
    )


@program({"y": 0.8, "rate": 1.3}, {"y": signed(3), "rate": 1.3})
def arguments_of_the_round_before(y, rate):
    total = 0.0
    for i in range(4):
        a = y * (i + 1)
        b = a * rate
        if i > 0:
            total = total * 0.5 + np.sum(relaxed(*args) + np.hypot(*args))
        args = (a, b)
    return total


@program({"y": 0.8, "rate": 1.3}, {"y": signed(3), "rate": 1.3})
def arguments_of_the_round_before_at_the_end(y, rate):
    k = 0
    a, b = y, rate * y
    while k < 3:
        args = (a, b)
        k += 1
        a = y * (k + 1)
        b = a * rate
    return relaxed(*args) * np.cos(a)


@program({"y": signed(3), "rate": 1.3})
def some_of_several_that_a_star_hands_on(y, rate):
    pieces = kept_by_name(np.array_split, y * rate, 2, axis=0)
    return handed_over(np.einsum, "i,i->", y, y * rate) * handed_over(np.hypot, y, rate) + np.sum(np.sin(pieces[1]))


@program({"y": 0.8, "rate": 1.3})
def arguments_handed_on_by_a_recursion(y, rate):
    return stepped_again(relaxed, 3, y, rate, y)


@program({"y": 0.8, "rate": 1.3})
def arguments_handed_on_if_there_are_any(y, rate):
    return called_as_may_be(relaxed, y, rate) + called_as_may_be(lambda: y * rate) * called_as_may_be(math.sin, y)


@program({"y": 0.8, "rate": 1.3})
def arguments_looked_at_and_handed_on(y, rate):
    return weighed(lambda u, v: u * v + y, y, rate) + weighed(difference, rate, y)


@program({"y": 0.8, "rate": 1.3})
def arguments_bound_anew_and_handed_on(y, rate):
    out = np.array([y, rate])
    put_into(out, relaxed, rate, y)
    pair = (y, rate)
    y = y * 2.0
    return out[0] * out[1] + stepped(difference, y, 2, y) + stepped_by_name(relaxed, y, args=pair)


def polynomial(v):
    """By coefficients that are written out, others where v is large, and by some that are computed."""
    w = v * v
    if w < 1.0:
        w = w - 0.5
        p = 2.8
        for c in (3.4, -3.5, 0.3):
            p = c + p * w
    else:
        p = -0.02
        for c in (v, w, v * w):
            p = c + p * w
    return p * v


@program({"x": signed(4)})
def polynomials_of_a_helper(x):
    total = 0.0
    for v in x:
        total = total * 0.3 + polynomial(v) ** 2
    return total


@program({"x": signed(4), "n": 3})
def numbers_looped_over_where_the_loop_may_not_run(x, n):
    total = 0.0
    for i in range(n):
        if i != 1:
            for c, d in zip([0.5, -2.0], (1.5, 3.0)):
                total += np.sin(c * x[i]) * d
        for k, c in enumerate((2, 3, 4.5)):
            total = total * 0.9 + c * x[i] ** k
    return total
