"""Functions that are known only when they are called, and write into what they are given."""

import numpy as np

from programs.registry import program
from programs.samples import positive

PAIR = {"u": positive(4), "a": positive(4)}


def scale(a, u):
    a *= u


def fill_first(a, u):
    a[0] = u[1] * u[2]


def shift(a, u):
    a[1:] = a[:-1] * u[1:]


def exchange(a, u):
    a += u
    u[1] = a[2] * 2.0


def fill_and_multiply(a, u):
    a[2] = u[0]
    return a * u


def multiply(a, u):
    return np.sin(a) * u


STEPS = [scale, fill_first, shift]
BY_NAME = {"scale": scale, "shift": shift}


@program(PAIR)
def functions_of_a_list_of_the_module(u, a):
    for step in STEPS:
        step(a, u)
    return np.sum(a * a)


@program(PAIR)
def functions_of_a_dict_of_the_module(u, a):
    for name in ("scale", "shift", "scale"):
        BY_NAME[name](a, u)
    return np.sum(a * a)


@program(PAIR)
def functions_by_turns(u, a):
    k = 0
    while a[0] < 9.0 and k < 4:
        (scale if k % 2 else exchange)(a, u)
        k += 1
    return np.sum(a * u)


@program(PAIR)
def functions_that_write_into_rows(u, a):
    m = np.outer(u, a)
    top = m[0]
    for k, step in enumerate((scale, shift)):
        step(m[k], u)
    return np.sum(m * m) + np.sum(top * u)


@program(PAIR)
def functions_that_write_and_return(u, a):
    s = 0.0
    for step in (fill_and_multiply, multiply):
        s += np.sum(step(a, u))
    return s + np.sum(a * a)


@program(PAIR)
def functions_given_one_array_twice(u, a):
    for step in (scale, shift):
        step(a, a)
    return np.sum(a * u)


@program(PAIR)
def functions_that_write_after_a_read(u, a):
    s, c = np.sum(a * a), a * 2.0
    for step in (scale, shift):
        step(a, u)
    return s * np.sum(a * c)


def one_after_the_other(*steps):
    def both(a, u):
        for step in steps:
            step(a, u)

    return both


@program(PAIR)
def functions_made_of_functions(u, a):
    inner = one_after_the_other(scale, shift)
    outer = one_after_the_other(inner, fill_first)
    for _ in range(2):
        outer(a, u)
    return np.sum(a * a)


def through(steps, a, u, k):
    if k > 0:
        steps[k % 2](a, u)
        through(steps, a, u, k - 1)


@program(PAIR)
def recursion_over_functions_that_write(u, a):
    through((scale, shift), a, u, 4)
    return np.sum(a * a)


class Wall:
    def __init__(self, i, v):
        self.i = i
        self.v = v

    def apply(self, a):
        a[self.i] = self.v * a[1]


class Damping(Wall):
    def apply(self, a):
        a[self.i] *= self.v


WALLS = [Wall(0, 1.5), Damping(3, 0.7)]


@program(PAIR)
def walls_of_the_module(u, a):
    for _ in range(3):
        a += u * 0.1
        for wall in WALLS:
            wall.apply(a)
    return np.sum(a * a)


@program(PAIR)
def walls_made_of_what_varies(u, a):
    walls = [Wall(0, u[0]), Damping(3, u[1])]
    for _ in range(3):
        a += u * 0.1
        for wall in walls:
            wall.apply(a)
    return np.sum(a * a)


class Scaling:
    def __init__(self, k):
        self.k = k

    def __call__(self, a, u):
        a *= u * self.k


@program(PAIR)
def objects_called_that_write(u, a):
    for step in (Scaling(2.0), Scaling(3.0)):
        step(a, u)
    return np.sum(a * a)


@program(PAIR)
def method_by_its_name(u, a):
    wall = Damping(0, u[1])
    for name in ("apply",):
        getattr(wall, name)(a)
    return np.sum(a * a)


# What they write into does not vary: the backward pass reads it, as it was


def add_to(c):
    c += 1.5


def double(c):
    c *= 2.0


def count_up(c):
    c[0] += 1.0
    return np.sum(c)


def nothing(c):
    return 1.0


@program(PAIR)
def weights_changed_by_functions(u, a):
    c = np.ones(4)
    s = 0.0
    for step in (add_to, double):
        s += np.sum(a * c * a)
        step(c)
    return s + np.sum(u * u * c)


@program(PAIR)
def weights_changed_by_functions_with_results(u, a):
    c = np.ones(4)
    s = 0.0
    for step in (count_up, nothing, count_up):
        s += np.sum(a * c * a)
        s += step(c)
    return s + np.sum(u * u * c)


@program(PAIR)
def weights_changed_by_a_test(u, a):
    def first(c):
        c[0] += 1.0
        return c[0] > 2.0

    def second(c):
        c[1] -= 0.5
        return False

    c = np.ones(2)
    s = 0.0
    for test in (first, second, first):
        s += a[0] * a[0] * c[0] * c[1]
        if test(c):
            s += u[0] * c[1] * u[1]
    return s


@program(PAIR)
def weights_changed_through_functions_of_functions(u, a):
    def all_of(*steps):
        def each(c):
            for step in steps:
                step(c)

        return each

    c = np.ones(4)
    s = 0.0
    change = all_of(add_to, double)
    for _ in range(2):
        s += np.sum(a * c * a)
        change(c)
    return s + np.sum(u * u * c)


@program(PAIR)
def order_changed_by_functions(u, a):
    def turn(i):
        i[:] = np.roll(i, 1)

    def reverse(i):
        i[:] = i[::-1].copy()

    i = np.arange(4)
    s = 0.0
    for change in (turn, reverse, turn):
        s += np.sum(a[i] * u * u) * a[i[0]]
        change(i)
    return s


@program(PAIR)
def lists_and_dicts_changed_by_functions(u, a):
    def push(xs, d):
        xs.append(3.0)

    def pop(xs, d):
        d["k"] = 2.0 * d["k"] + xs.pop(0)

    xs, d, s = [1.0, 2.0], {"k": 1.0}, 0.0
    for change in (push, pop, push):
        s += a[len(xs) - 1] * u[1] * xs[0] * d["k"]
        change(xs, d)
    return s + u[0] * len(xs)


def added(x, c):
    c += 1.0
    return x * c


def doubled(x, c):
    c *= 2.0
    return np.sin(x * c)


def squared(x, c):
    return x * x


@program(PAIR)
def weights_changed_beside_what_varies(u, a):
    c = np.ones(4)
    s = 0.0
    for step in (added, doubled, squared):
        s += np.sum(step(a, c)) + np.sum(u * u * c)
    return s


class Plain:
    pass


def double_number(o):
    o.k = o.k * 2.0


def set_element(o):
    o.w[1] = 3.0


@program(PAIR)
def objects_changed_by_functions(u, a):
    o, p = Plain(), Plain()
    o.k, o.w = u[0] * a[0], u * a
    p.k, p.w = 1.0, np.ones(4)
    s = 0.0
    for change in (double_number, set_element, double_number):
        s += np.sum(a * a * o.w * p.w) * o.k * p.k
        change(o)
        change(p)
    return s + o.k * u[0] + p.k * u[1]


HIDDEN = {}


class Kept:
    def __init__(self, x):
        self.x = x

    def double(self):
        self.x = self.x * 2.0


HIDDEN["kept"] = Kept


@program({"x": 1.3})
def object_of_a_class_that_is_not_named(x):
    kept = HIDDEN["kept"](x)
    kept.double()
    return kept.x * kept.x


def squares(v):
    return np.sum(v * v)


def made_larger(v):
    v *= 2.0
    return np.sum(v)


@program({"a": positive(4)})
def variable_of_a_closure_bound_to_a_writer(a):
    measure = squares

    def measured(v):
        return measure(v)

    s = 0.0
    for k in range(2):
        for f in (measured,):
            s = s + f(a) * (k + 1)
        measure = made_larger
    return s + np.sum(a**3)


@program({"a": positive(4)})
def closures_over_writers_of_a_loop(a):
    s = 0.0
    for measure in (squares, made_larger):
        def measured(v):
            return measure(v)

        for f in (measured,):
            s = s + f(a)
    return s + np.sum(a**3)


def moved(z):
    return z + 1.5


@program({"m": positive(3), "v": positive(3)})
def functions_of_a_tuple_whose_results_are_added_to(m, v):
    for g in (moved, np.tanh):
        m = g(m)
        m += v
    return np.sum(m * m)


@program({"m": positive(3), "v": positive(3)})
def functions_of_a_list_whose_results_are_scaled(m, v):
    layers = [moved, np.tanh, lambda z: z * 2.0]
    for g in layers:
        m = g(m)
        m *= v
        m[0] = v[1]
    return np.sum(m * m)


@program({"m": positive(3), "v": positive(3)})
def functions_of_a_dict_whose_results_are_written_into(m, v):
    kinds = {"moved": moved, "bent": np.tanh}
    for k in ("moved", "bent", "moved"):
        m = kinds[k](m)
        m[:2] += v[1:]
    return np.sum(m * m)
