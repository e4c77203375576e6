"""Functions made inside the function: closures, lambdas, functions that are passed on, returned and kept."""

import functools
import math
import operator

import numpy as np

from programs.registry import program
from programs.samples import signed


@program({"x": 0.7})
def closure_over_an_active_value(x):
    def scale(v):
        return v * x

    return scale(scale(2.0))


@program({"x": 0.7})
def lambda_over_an_active_value(x):
    f = lambda v: v * x + x
    return f(f(1.0))


@program({"x": 0.7, "y": 1.3})
def two_captured_values(x, y):
    f = lambda v: v * x + y * v * v
    return f(2.0) * f(x)


def apply_twice(f, x):
    return f(f(x))


@program({"x": 0.7, "k": 1.3})
def two_captured_values_passed_to_a_helper(x, k):
    a = x * x
    return apply_twice(lambda v: v * a + k, x) * k


@program({"x": 0.7})
def closure_returned(x):
    def make(a):
        return lambda v: a * v * v

    return make(x)(x)


@program({"x": 0.7})
def closure_of_a_closure(x):
    def outer(v):
        y = v * x

        def inner(w):
            return w * y + x

        return inner(v) * inner(2.0)

    return outer(x) + outer(1.5)


@program({"x": 0.7})
def function_as_argument(x):
    return apply_twice(np.sin, x) + apply_twice(lambda v: v * v, x)


@program({"x": 0.7, "kind": "tanh"}, {"x": 0.7, "kind": "sin"})
def function_from_a_table(x, kind):
    table = {"tanh": np.tanh, "sin": np.sin}
    return table[kind](x) * x


@program({"x": 0.7})
def closures_in_a_dict(x):
    table = {"half": lambda v: v * x / 2.0, "square": lambda v: v * v * x}
    return table["half"](table["square"](1.5))


@program({"x": 0.7})
def functions_in_a_list(x):
    for f in [np.sin, np.exp, lambda v: v * v]:
        x = f(x)
    return x


@program({"x": 0.7})
def closures_in_a_list(x):
    fs = [lambda v: v * x, lambda v: v + x * x]
    y = 1.5
    for f in fs:
        y = f(y)
    return y


@program({"x": 0.7})
def recursion_in_a_local_function(x):
    def power(v, n):
        return 1.0 if n == 0 else v * power(v, n - 1)

    return power(x, 3)


@program({"x": 0.7})
def recursion_over_a_captured_value(x):
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(3) * power(2)


@program({"x": 0.7})
def recursive_lambda_over_a_captured_value(x):
    horner = lambda n, v: v if n == 0 else horner(n - 1, v * x + n)
    return horner(3, x)


@program({"x": 0.7})
def recursion_through_a_tree(x):
    def value(node):
        if isinstance(node, tuple):
            left, right = node
            return value(left) * x + value(right)
        return node * x

    return value(((1.0, 2.0), (3.0, (4.0, 5.0))))


def compose(*functions):
    def composed(v):
        for f in functions:
            v = f(v)
        return v

    return composed


@program({"x": 0.7})
def composition(x):
    return compose(np.sin, lambda v: v * x, math.exp)(x)


@program({"x": 0.7})
def composition_of_lambdas(x):
    after = lambda f, g: lambda v: f(g(v))
    return after(lambda v: v * x, lambda v: v + x)(2.0)


def doubled(function):
    def wrapper(v):
        return 2.0 * function(v) + v

    return wrapper


def scaled_by(factor):
    def decorate(function):
        def wrapper(*args):
            return factor * function(*args)

        return wrapper

    return decorate


@program({"x": 0.7})
def decorator_applied_inside(x):
    @doubled
    def inner(v):
        return v * v * x

    return inner(x)


@program({"x": 0.7})
def active_decorator_applied_inside(x):
    @scaled_by(x * x)
    @doubled
    def inner(v):
        return v * x

    return inner(2.0) * inner(x)


@program({"x": 0.7})
def loop_variable_captured(x):
    total = 0.0
    for i in range(3):
        f = lambda v: v * x * i
        total = total + f(x)
    return total


@program({"x": 0.7})
def loop_variable_as_a_default(x):
    fs = [lambda v, i=i: v * x + i for i in range(3)]
    return fs[0](1.0) * fs[2](x)


@program({"x": 0.7}, {"x": -0.7})
def conditional_definition(x):
    if x > 0:

        def f(v):
            return v * x

    else:

        def f(v):
            return v * v * x

    return f(x) * f(2.0)


@program({"x": 0.7, "y": 1.2})
def keyword_only_and_positional_only(x, y):
    def f(a, /, b, *, c):
        return a * b + c * x

    return f(x, b=y, c=y) + f(y, x, c=2.0)


@program({"x": 0.7, "y": 1.2})
def own_positional_only(x, /, y):
    return x * y * y


@program({"x": 0.7})
def lambda_with_a_constant_default(x):
    f = lambda v, k=3.0: v * k * x
    return f(x) + f(x, 2.0) + f(x, k=x)


@program({"x": 0.7})
def partial_of_active(x):
    scale = functools.partial(operator.mul, x)
    return scale(scale(3.0))


def weighted(a, b=2.0, *, c=3.0):
    return a * b + a * a * c


@program({"x": 0.7, "y": 1.2})
def partial_with_keywords(x, y):
    f = functools.partial(weighted, b=y, c=x)
    return f(x) + f(2.0, c=1.0)


def integrate(f, a, b, n=4):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total = total + f(a + i * h)
    return total * h


@program({"a": 0.3, "b": 1.2, "k": 1.7})
def integral_of_a_closure(a, b, k):
    return integrate(lambda v: np.sin(k * v) * v, a, b)


def solve(f, v, n=6):
    for _ in range(n):
        h = 1e-3
        v = v - f(v) * h / (f(v + h) - f(v))
    return v


@program({"a": 2.3})
def root_of_a_closure(a):
    return solve(lambda v: v * v - a, 1.5)


@program({"w": signed(3), "x": signed(3, shift=0.5)})
def closure_over_an_array(w, x):
    def layer(v):
        return np.tanh(w * v)

    return np.sum(apply_twice(layer, x))


@program({"x": 0.7})
def function_kept_under_another_name(x):
    f = lambda v: v * x
    g = f
    return g(2.0) * f(x)


@program({"x": 0.7})
def function_in_a_tuple(x):
    f, g = (lambda v: v * x), (lambda v: v + x)
    return f(g(1.0))


@program({"x": 0.7, "flag": True}, {"x": 0.7, "flag": False})
def chosen_function(x, flag):
    f = (lambda v: v * x) if flag else (lambda v: v - x * x)
    return f(2.0)


@program({"x": 0.7})
def walrus(x):
    return (y := x * x) + y * x


@program({"x": 0.7})
def walrus_in_a_loop(x):
    while (x := x * 1.7) < 5.0:
        pass
    return x * x


@program({"x": signed(3)})
def unpack_operator_in_call(x):
    return np.hypot(*x[:2]) * np.stack([*x])


@program({"x": 0.7})
def star_in_subscript_and_slices(x):
    t = (x, x * x, 3.0 * x)
    a, *b = t[::-1]
    return a * b[0]


@program({"xs": [0.5, 1.5, -2.0]})
def any_and_all(xs):
    if any(x < 0 for x in xs) and not all(x < 0 for x in xs):
        return xs[0] * xs[1]
    return xs[2]


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@counted
def counted_square(x):
    return x * x


@program({"x": 0.7})
def helper_behind_a_general_wrapper(x):
    return counted_square(x) * counted_square(x=x)


@functools.lru_cache
def cached(n):
    return n * n


@program({"x": 0.7})
def cached_helper_on_inactive(x):
    return x * cached(3)


# Functions that are known when the derivative is made


def cube(v):
    return v * v * v


def applied_and_passed_on(f, x):
    return apply_twice(f, x) * f(x)


def rebinds_its_function(f, x):
    if x > 0.0:
        f = np.cos
    return f(x)


def with_a_default_function(x, f=np.tanh):
    return f(x) * x


def folded(f, x, n):
    return x if n == 0 else folded(f, f(x), n - 1)


def captures_its_function(f, x):
    inner = lambda v: f(v) * v
    return inner(x) + apply_twice(inner, x)


@program({"x": 0.7})
def known_function_passed_on(x):
    return applied_and_passed_on(cube, x) + applied_and_passed_on(math.sin, x)


@program({"x": 0.7})
def known_function_rebound_by_the_callee(x):
    return rebinds_its_function(np.sin, x)


@program({"x": 0.7})
def known_function_as_a_default(x):
    return with_a_default_function(x) + with_a_default_function(x, np.cos) + with_a_default_function(x, f=cube)


@program({"x": 0.7})
def known_function_in_recursion(x):
    return folded(cube, x, 2) + folded(np.sin, x, 3)


@program({"x": 0.7})
def known_function_captured(x):
    return captures_its_function(np.sin, x) + captures_its_function(cube, x)


@program({"x": 0.7}, {"x": -0.7})
def function_chosen_by_a_branch(x):
    f = np.sin if x > 0.0 else cube
    return apply_twice(f, x)


@program({"x": 0.7})
def name_of_a_function_used_twice(x):
    f = np.sin
    y = apply_twice(f, x)
    f = np.cos
    return y * apply_twice(f, x)


@program({"x": 0.7})
def nested_functions_that_call_each_other(x):
    def even(n, v):
        return v if n == 0 else odd(n - 1, v * v)

    def odd(n, v):
        return v if n == 0 else even(n - 1, np.sin(v))

    return even(3, x) + apply_twice(lambda v: odd(2, v), x)


@program({"x": 0.7})
def nested_function_over_an_active_value_passed_on(x):
    def scale(v):
        return v * x

    def twice(y):
        return apply_twice(scale, y) + x

    return twice(x) + apply_twice(twice, 2.0)


def rk2(f, y, t, h):
    return y + h * f(y + 0.5 * h * f(y, t), t + 0.5 * h)


def integrate_steps(rhs, y, n, k=1.0):
    for i in range(n):
        y = rk2(rhs, y, 0.1 * i, 0.1 * k)
    return y


@program({"y": signed(3), "k": 1.3, "m": 0.4})
def closure_handed_on_by_a_helper(y, k, m):
    def drag(v):
        return m * v * v

    def rhs(y, t):
        return k * t - drag(y)

    z = integrate_steps(rhs, y, 2)
    return z + rhs(z, 0.3) + integrate_steps(lambda k, t: k * m, z, n=1, k=m)


def halves(f, a, b, depth=1):
    middle = 0.5 * (a + b)
    if depth == 0:
        return f(middle) * (b - a)
    return halves(f, a, middle, depth - 1) + halves(f, middle, b, depth - 1)


@program({"x": 0.7, "w": 1.3})
def closures_handed_to_recursion(x, w):
    return halves(lambda v: v**w + x, x, 2.0)


def stepped(fill, y, n):
    y = y.copy()
    slope = np.zeros_like(y)
    for _ in range(n):
        fill(y, slope)
        y += 0.1 * slope
    return y


@program({"y": signed(3), "k": 1.3})
def closure_that_fills_its_argument(y, k):
    def fill(y, out):
        out[0] = -k * y[0]
        out[1:] = y[:-1] * y[1:] * k

    return stepped(fill, y, 2)


@program({"x": [0.7, 1.2]})
def recursion_with_a_computed_default(x):
    def power(n, w=x[0]):
        return w if n == 0 else power(n - 1, w * x[1])

    return power(3) + power(2, x[1])


@program({"x": [0.7, 1.2]})
def defaults_that_change_with_the_definition(x):
    s, z = 0.0, x[0]
    for i in range(3):
        if i != 1:

            def scaled(a, k=z, /, seen=[], *, more=z * 2.0):
                seen.append(a * k)
                return sum(seen) + more

        z = z * x[1]
        s = s + scaled(x[1]) * scaled(z, more=x[0])
    return s


@program({"x": 0.7}, orders=1)
def wrappers_that_take_names(x):
    def scaled(g):
        @functools.wraps(g)
        def wrapper(*args, **named):
            return g(*args, **named) * x

        return wrapper

    @scaled
    def square(v):
        return v * v

    return square(x) + square(2.0)


@program({"x": 0.7})
def lambda_called_at_once_over_a_name_that_it_gives(x):
    b = x * 2.0
    xs = [x, b]
    b = (lambda v: v * b)(x)
    xs.insert(1, b)
    return xs[0] * xs[1] * xs[2] + b


@program({"tree": (0.7, [1.2, (0.4, 2.0)])})
def structure_mapped_by_its_own_types(tree):
    def mapped(f, t):
        return type(t)(mapped(f, v) for v in t) if isinstance(t, (list, tuple)) else f(t)

    a, (b, (c, d)) = mapped(lambda v: v * v, tree)
    return a * b + c * d


class _Counted:
    def __init__(self, function):
        self.function, self.calls = function, 0
        functools.update_wrapper(self, function)

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args) * self.calls


@program({"x": 1.3})
def function_decorated_by_a_class_that_counts(x):
    @_Counted
    def scaled(v):
        return v * x

    return scaled(x) + scaled(2.0) * scaled.calls


def _timed(function):
    @functools.wraps(function)
    def timed(*args):
        result = function(*args)
        _TIMES[function.__name__] = 2.0
        return result

    return timed


_TIMES = {}


@program({"x": 1.3})
def decorated_functions_asked_for_their_names(x):
    table, log = {}, []

    def register(function):
        table[function.__name__] = function
        return function

    def traced(function):
        @functools.wraps(function)
        def traced_function(*args, **options):
            result = function(*args, **options)
            log.append((function.__name__, result))
            return result

        return traced_function

    @register
    def square(v):
        return v * v * x

    @traced
    def shifted(v, by=1.0):
        return v + by * x

    @_timed
    def cube(v):
        return v**3 * x

    y = shifted(table["square"](x), by=2.0) * cube(x) * _TIMES["cube"]
    return y + sum(v for title, v in log if title == "shifted")


def _with_first(f, *first):
    return lambda *rest: f(*first, *rest)


def _weighted(a, b, c=1.0):
    return a * b**2 + c


@program({"x": 1.3})
def arguments_behind_several_stars(x):
    pair = [x, 2.0]
    times = _with_first(operator.mul, x)
    return times(x) + _with_first(_with_first(_weighted, x), x)(2.0) + max(*pair, 3.0 * x, *pair) * times(*pair[:1])


MISSING = object()


def _times(v, w=MISSING):
    if w is MISSING:
        w = v
    return v * w


@program({"x": 1.3})
def default_that_stands_for_nothing(x):
    unset = object()

    def plus(v, w=unset, name="sum"):
        if w is unset and name is not MISSING:
            w = v * x
        return v + w

    return _times(x) + _times(x, 2.0) + plus(x) * plus(x, 3.0)
