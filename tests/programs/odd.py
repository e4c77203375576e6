"""Odd programs: assignments inside expressions, order of evaluation, loops left in odd ways, iterators without end."""

import dataclasses
import functools
import inspect
import itertools
import math

import numpy as np

from programs.registry import program
from programs.samples import signed


@program({"x": 0.7})
def operand_rebound_to_its_right(x):
    return x * (x := x + 1.0) + x


@program({"x": 0.7})
def name_rebound_in_the_middle(x):
    y = 2.0
    z = y * x + (y := x * x) * y
    return z * y


@program({"x": 0.7}, {"x": 0.4})
def assignment_in_the_second_condition(x):
    if (y := x * x) > 0.3 and (z := y * x) < 1.0:
        return y * z
    return y


@program({"x": 0.7}, {"x": 1.2})
def assignment_after_or(x):
    if (y := x * x) > 0.9 or (z := y * x) > 1.0:
        return y
    return y * z


@program({"x": 0.7}, {"x": 0.4})
def assignment_in_either_branch(x):
    r = (y := x * x) if x > 0.5 else (y := 2.0 * x)
    return r * y


@program({"x": 0.7}, {"x": 1.4})
def assignment_in_a_chain(x):
    return 1.0 < (y := x * 2.0) < (z := y * x + 1.5) and y * z or y


@program({"x": 0.7})
def while_with_two_conditions(x):
    s = 0.0
    while s < 3.0 and (d := s * x + 1.0) < 10.0:
        s = s + d * x
    return s * d


@program({"x": 0.7})
def while_with_an_assignment_and_else(x):
    s = 0.0
    while (s := s + x) < 2.0:
        x = x * 1.1
    else:
        s = s * x
    return s


@program({"xs": [0.5, 1.5, 0.9]})
def assignment_in_a_comprehension(xs):
    kept = [y for v in xs if (y := v * v) > 0.3]
    return sum(kept) * y


@program({"x": 0.7})
def side_effects_from_left_to_right(x):
    log = []

    def mark(v, n):
        log.append(n)
        return v

    z = mark(x, 1) + (y := mark(x * x, 2)) * mark(y, 3)
    return z if log == [1, 2, 3] else 100.0 * z


@program({"x": 0.7})
def loop_left_from_a_while_inside(x):
    s = 0.0
    for i in range(4):
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j == 2:
                continue
            s = s + x * j
            if s > 5.0:
                return s * x
    else:
        s = s + x
    return s


@program({"x": 0.5})
def else_that_continues_the_outer_loop(x):
    for i in range(3):
        for j in range(3):
            if j == i:
                continue
            x = x * 1.1 if j > i else x + 0.1 * x
            if x > 1.5:
                break
        else:
            x = x * 0.9
            continue
        break
    return x


@program({"x": 0.5})
def finally_around_continue(x):
    y = 0.0
    for i in range(3):
        try:
            if i == 1:
                continue
            y = y + x * i
        finally:
            y = y * 1.5 + x
    return y


@program({"x": 0.7})
def numbers_without_end(x):
    numbers, s = itertools.count(1), 0.0
    for i in numbers:
        if i > 3:
            break
        s += x**i
    for i in itertools.count():
        s = s * x + i
        if s > 2.0 or i > 2:
            break
    return s


def naturals():
    n = 0
    while True:
        yield n
        n += 1


@program({"x": 0.7})
def generator_without_end(x):
    s = 0.0
    counted = naturals()
    for i in counted:
        if i > 3:
            break
        s += x**i
    return s


@program({"x": 0.6})
def complex_and_back(x):
    y = x * 2.0
    z = complex(y)
    w = z * z * (1 + 2j)
    return w.real


@program({"x": 0.7})
def names_of_the_generated_code(x):
    bx = x
    dx = bx * x
    t1 = dx + bx
    out = t1 * dx
    x_stack = [out, bx]
    for t in x_stack:
        out = out + t * bx
    bout = out * x
    bout_ = bout * out
    return bout_


@program({"t": (0.5, (1.5, [2.0, {"k": 0.3}]))})
def nested_unpacking_of_an_argument(t):
    a, (b, [c, d]) = t
    *_, e = a, b, c
    return a * b * c * d["k"] + e * t[1][0]


@program({"x": signed(3)})
def permuted_names(x):
    a, b, c = x
    a, b = b, a
    b, c, a = a, b, c
    return a * b + c


@program({"x": 0.7})
def functions_by_condition(x):
    f = math.sin if x > 1 else math.cos
    g = {True: np.exp, False: np.log}[x > 0]
    return f(x) * g(x) + functools.reduce(lambda a, b: a * b + x, [x, 2.0, x * x], 1.0)


def scaled(*xs, scale=1.0, **rest):
    return sum(xs) * scale * rest.get("more", 1.0)


def forwarded(*args, **kwargs):
    return scaled(*args, **kwargs)


@program({"x": 0.7})
def arguments_handed_on(x):
    named = {"scale": x}
    return forwarded(x, *(x, x * x), **named) + forwarded(more=x, *[2.0]) + forwarded()


@dataclasses.dataclass
class Point:
    a: float
    b: float = 2.0

    def norm(self):
        return self.a * self.a + self.b * self.b


@program({"x": 0.7})
def methods_of_a_changed_copy(x):
    p = Point(x)
    q = dataclasses.replace(p, b=x * 3.0)
    return p.norm() * q.norm()


@program({"x": 0.7})
def assignment_in_a_lambda(x):
    b = 2.0
    f = lambda a: (b := a * a) * b + a
    return f(x) * b + sum(map(lambda a: (c := a * x) + c * a, [x, 2.0]))


@program({"xs": [0.7, 0.3, 1.1], "n": 2})
def lists_joined_and_repeated(xs, n):
    ys = xs[1:] * n + [x * xs[0] for x in xs]
    zs = (xs[0], xs[1]) * 2
    return sum(y**i for i, y in enumerate(ys)) * zs[3] * zs[0]


@program({"acc": [0.7, 0.3]})
def list_argument_that_grows(acc):
    for _ in range(3):
        acc = acc + [acc[-1] * acc[-2]]
    return acc[-1] + acc[3]


def ordered(xs):
    if len(xs) < 2:
        return xs
    first = xs[0]
    return ordered([v for v in xs[1:] if v < first]) + [first] + ordered([v for v in xs[1:] if v >= first])


@program({"xs": [0.7, 0.3, 1.1]}, orders=1)
def lists_that_functions_join(xs):
    low, middle, high = ordered(xs)
    return low**2 * middle + high


@program({"x": 0.7}, {"x": 2.5})
def name_without_a_value(x):
    if x > 2.0:
        y = 3.0 * x
    try:
        z = y * x
    except NameError:
        y = x * x
        z = y * x
    return z * y


@program({"xs": [0.7, 2.5, 0.3]}, {"xs": [0.7, 1.5, 0.3]})
def loop_left_by_an_exception(xs):
    s = 1.0
    try:
        for x in xs:
            if x > 2.0:
                raise ValueError("too large")
            s = s + x * x * x
    except ValueError:
        s = s * s
    else:
        s = s * xs[0]
    return s * xs[1]


@program({"a": signed(3, 2)})
def rows_with_a_star(a):
    first, *rest = a
    *_, last = rest
    s = first @ first
    for r in rest:
        s = s * np.sum(r * r)
    return s + last[0]


def scaled_and_squared(x):
    return [x * 2.0, x * x]


def grown(x, n):
    powers = [] if n > 2 else [x]
    while len(powers) < n:
        powers.append(x * len(powers))
    return powers


@program({"x": 0.7}, {"x": 1.7})
def loops_over_what_a_function_gives(x):
    def ends(a):
        return (a, a + 1.0) if a > 1.0 else [a]

    s = 1.0
    for v in scaled_and_squared(x):
        for w in ends(v):
            s = s * w + v
    return s + sum(v * w for v in grown(s, 4) for w in grown(x, 1))


def leaves(tree):
    return sum(map(leaves, tree), []) if isinstance(tree, (list, tuple)) else [tree]


def walked(tree):
    for part in tree:
        if isinstance(part, list):
            yield from walked(part)
        else:
            yield part


@program({"x": 0.7})
def lists_summed_into_one(x):
    t = sum(((v, v * x) for v in (x, 2.0)), ())
    return math.prod(leaves([x, (x * x, [t[1]]), t[-1]])) * math.prod(walked([x, [2.0, [x * x]], 3.0]))


@program({"x": 0.7})
def places_and_counts_in_lists(x):
    values = (x, x * x, 3.0, 3.0)
    return values.index(3.0) * x + values.count(3.0) * x**2 + [x, 2.0].index(2.0) * x**3


def restarted(x, n):
    parts = []
    for i in range(n):
        parts.append(x * i)
        if i == 2:
            parts = [x * x]
    return parts


def taken_off(xs):
    rest = [x * 2.0 for x in xs]
    return rest.pop() * rest.pop(), rest


@program({"xs": [0.7, 0.3, 1.1, 0.6]})
def lists_of_functions_read_again(xs):
    parts, (product, rest) = restarted(xs[0], 5), taken_off(xs)
    return parts[0] * parts[2] * product * rest[0] + rest[1]


@program({"x": signed(2, 2)})
def lists_made_of_arrays(x):
    flat, rows = x.ravel().tolist(), x.tolist()
    flat[0], row = flat[1] * 2.0, rows[1]
    row[0] = row[1] * flat[0]
    flat.append(rows[1][0])
    return sum(v * v for v in flat) * rows[0][1]


@program({"a": np.array([0.4, 1.2, 0.7])}, {"a": np.array([1.4, 0.2, 0.7])})
def calls_in_conditions_for_their_effects(a):
    found = []
    found.append(a[1] * 2.0) if a[0] > 1.0 else a.fill(a[2] * 3.0)
    a[1] > 0.5 and found.append(a[0])
    a[1] < 0.5 or a[0] > 2.0 or a.sort()
    None if a[0] > 5.0 else found.append(a[0] * a[2])
    return sum(found) + np.sum(a * a)


@program({"xs": [1.0, 4.0, 2.0]})
def largest_and_smallest_of_pairs(xs):
    v, i = max((v * v, i) for i, v in enumerate(xs))
    pairs = [(v, [v * j, 2.0]) for j, v in enumerate(xs, 1)]
    w, (u, _) = min(pairs)
    return v * i + w * u + max((w, u), (v, w), (u, v))[1] * min([w, v], [w, u + v])[1]


@program({"x": 0.7})
def calls_before_a_comprehension(x):
    log = []

    def mark(v):
        log.append(v)
        return v * len(log)

    s = mark(x) * 10.0 + sum([mark(x) for _ in range(2)]) * mark(2.0)
    return s + sum(itertools.repeat(mark(x), 3)) + len(log)


@program({"x": 0.7})
def calls_behind_a_generator(x):
    log = []

    def mark(v):
        log.append(v)
        return v * len(log)

    s = mark(x) + sum((mark(v) for v in [mark(x), x * x]), mark(x) * mark(2.0 * x)) * mark(x)
    named = dict(((k, mark(x)) for k in "ab"), c=mark(x * x))
    return s + named["a"] * named["b"] + named["c"] + max((mark(v) for v in (x, x * x)), default=mark(x))


def halved(f):
    def wrapper(*args, **named):
        return f(*args, **named) * 0.5

    wrapper.__signature__ = inspect.signature(f)
    return wrapper


@halved
def square_of(a, k=2.0):
    return a * a * k


@program({"x": 0.7})
def wrappers_that_tell_parameters(x):
    return square_of(x) + square_of(x, k=x) * square_of(x, 3.0)
