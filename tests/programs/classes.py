"""Classes as they are written for simulations, models and instruments, and what they hand to each other."""

import functools
import math

import numpy as np

from programs.registry import program
from programs.samples import signed


class Sum:
    """Methods called as those of lists, dicts and sets are, with arguments of their own."""

    def __init__(self, total=0.0):
        self.total = total

    def add(self, v):
        self.total = self.total + v * v

    def insert(self, v):
        self.total = self.total * v

    def get(self):
        return self.total

    def setdefault(self, v, factor=3.0):
        return self.total + v * factor

    def update(self, v, rate=0.1):
        self.total = self.total - rate * v

    def items(self):
        return [("total", self.total), ("half", 0.5 * self.total)]


@program({"x": [0.7, 1.2]}, wrt="x")
def methods_that_containers_have(x, total=Sum(2.0)):
    for v in x:
        total.add(v)
    total.insert(x[0])
    total.update(x[1], rate=0.2)
    s = total.get() * total.setdefault(x[0])
    for _, v in total.items():
        s = s + v * v
    return s


def noted(key, v, table):
    if "sum" not in table:
        table["sum"] = 2.0 * v
    if key not in table:
        table[key] = v * v
    return table[key] * table["sum"]


@program({"x": [0.7, 1.2]})
def table_that_helpers_look_into(x):
    table = {}
    return noted("a", x[0], table) + noted("a", x[1], table) * noted("b", x[1], table)


def largest(items):
    found = -1e9
    for v in items:
        found = max(found, v)
    return found


class Samples:
    def __init__(self, items, scale=1.0):
        self.items = list(items)
        self.scale = scale

    def mapped(self, f):
        return Samples((f(v) for v in self), scale=self.scale)

    def __iter__(self):
        for v in self.items:
            yield v * self.scale


@program({"x": [0.7, 1.2]})
def generator_expressions_handed_over(x):
    many = Samples((v * x[0] for v in x), scale=x[1])
    return largest(v * v for v in x) * sum(many.mapped(lambda v: v * v)) + largest(map(math.sin, x))


class Bond:
    def __init__(self, face, coupon):
        self.face, self.coupon = face, coupon

    def flows(self):
        for t in range(1, 3):
            yield t, self.face * self.coupon
        yield 2, self.face

    def price(self, curve):
        return sum(v * curve.discount(t) for t, v in self.flows())


class Zero(Bond):
    def flows(self):
        return [(3, self.face)]


class Curve:
    def __init__(self, rate):
        self.rate = rate

    def discount(self, t):
        return math.exp(-self.rate * t)


@program({"x": [0.7, 0.2]})
def methods_that_yield(x):
    curve = Curve(x[1])
    return sum(b.price(curve) for b in (Bond(x[0], 0.1), Zero(x[0], 0.0)))


class Walk:
    def __init__(self, start, scale):
        self.start, self.scale = start, scale
        self.rng = np.random.default_rng(3)

    def end(self, n):
        return self.start * np.exp(np.sum(self.scale * self.rng.standard_normal(n)))


@program({"x": [0.7, 0.2]})
def generator_of_numbers_in_an_object(x):
    return Walk(x[0], x[1]).end(3)


class Polynomial:
    def __init__(self, *numbers):
        self.numbers = numbers

    def __call__(self, x):
        return functools.reduce(lambda a, b: a * x + b, reversed(self.numbers), 0.0)

    def __mul__(self, other):
        out = [0.0] * (len(self.numbers) + len(other.numbers) - 1)
        for i, a in enumerate(self.numbers):
            for j, b in enumerate(other.numbers):
                out[i + j] += a * b
        return Polynomial(*out)


@program({"x": [0.7, 1.2]}, orders=1)
def lists_repeated_where_classes_multiply(x):
    p = Polynomial(*x)
    return (p * p)(x[0])


class Cell:
    """What one function makes and nobody else sees: its attributes become variables."""

    gain = 1.5

    def __init__(self, level, rate=0.5):
        self.level, self.rate = level, rate
        self.steps = 0

    @property
    def flow(self):
        return self.level * self.rate * self.gain

    def add(self, v):
        self.level += v
        self.steps += 1
        return self.level

    def add_twice(self, v):
        return self.add(v) * 2.0 + self.add(v * self.flow)

    def swap(self):
        self.level, self.rate = self.rate, self.level


class Leaky(Cell):
    def __init__(self, level):
        super().__init__(level, rate=level * 0.1)

    def add(self, v):
        return super().add(v * 0.9)


@program({"x": [0.7, 1.2]})
def object_that_stays_inside(x):
    cell = Cell(x[0])
    leaky, s = Leaky(x[1]), 0.0
    for v in x:
        s = s + cell.level * cell.add(v) + leaky.add_twice(cell.flow)
        if leaky.add(v) > 2.0:
            cell.swap()
    return s * cell.steps + leaky.level


@program({"x": [0.7, 1.2]})
def attributes_in_the_order_they_are_read(x):
    cell = Cell(x[0])
    leaky = Leaky(x[1])
    levels = [cell.level, cell.add(x[1]), cell.level, leaky.add(cell.level)]
    cell.level += leaky.level
    return levels[0] * levels[1] + levels[2] * levels[3] + cell.flow


class Buffer:
    def __init__(self, values):
        self.values, self.seen = values, []

    def push(self, v):
        self.seen.append(self.values * 1.0)
        self.values += v
        self.values *= 2.0


@program({"x": np.array([0.7, 1.2])})
def object_around_an_array_of_others(x):
    y = x * 1.0
    inner = Buffer(y)
    outer = Buffer(x)
    inner.push(x[0])
    outer.push(y[1])
    inner.push(x[1])
    return np.sum(inner.values * x) + np.sum(y * outer.seen[0]) + np.sum(inner.seen[1])


@program({"x": [0.7, 1.2]})
def object_in_an_attempt(x):
    cell = Cell(x[0])
    s = 0.0
    try:
        s = cell.add(x[1])
        math.sqrt(-cell.level)
        cell.add(5.0)
    except ValueError:
        cell.add(x[1] * s)
    return cell.level * s + cell.steps


class Named:
    def __init__(self, x):
        self.x = x

    def scale(self, k):
        setattr(self, "x", self.x * k)


@program({"x": [0.7, 1.2]})
def method_that_sets_by_name(x):
    named = Named(x[0])
    named.scale(x[1])
    return named.x * x[0]


class Unsure:
    def __init__(self, x):
        self.x = x

    def fails(self, v):
        self.x = v
        int("no number")


@program({"x": 0.7})
def object_that_a_call_changes_and_fails(x):
    kept = Unsure(x)
    try:
        kept.fails(x * x)
    except ValueError:
        pass
    return kept.x


class Potential:
    def __init__(self, strength):
        self.strength = strength

    def energy(self, v, centre=0.0):
        return self.strength * (v - centre) ** 2


@program({"x": 0.7})
def bound_methods_inside_partials_and_closures(x):
    energy = Potential(x).energy
    terms = [functools.partial(energy, centre=x * x), lambda v: energy(v) * x]
    return sum(term(2.0) for term in terms)


class Matrix:
    """Properties and methods that arrays have, too, of an object that changes."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    def __setitem__(self, place, v):
        self.rows[place[0]][place[1]] = v

    def trace(self):
        return sum(self.rows[i][i] for i in range(self.shape[0]))


@program({"x": 0.7}, orders=1)
def properties_that_arrays_have(x):
    m = Matrix([[x, 1.0], [2.0, x * x]])
    m[0, 1] = m.rows[0][0] * m.trace()
    return m.T.rows[1][0] * m.T.shape[0]


class Recorder:
    """Has properties that arrays have, which depend on the input, and a list that grows."""

    def __init__(self, w):
        self.w, self.seen = w, []

    @property
    def shape(self):
        return self.w[0, 0] * 3.0, 2

    @property
    def ndim(self):
        return self.w.sum()

    @property
    def T(self):
        return self.w.T * 2.0

    def see(self, v):
        self.seen.append(v)


def _extent(o):
    return o.shape[0] * o.ndim * o.T[0, 1]


@program({"w": np.array([[0.1, 0.2], [0.3, -0.4]])})
def arrays_beside_objects_with_the_same_properties(w):
    found = [Recorder(w), w * w]
    found[0].see(w.T[0, 1] * w.shape[0])
    return sum(_extent(o) for o in found) * w[0, 0] + found[0].seen[0] * w.T.ndim


def _words(text):
    return text.split()


@program({"x": 0.7})
def text_that_nested_functions_take_in_turn(x):
    words, at = _words("3 x x 2"), 0

    def take():
        nonlocal at
        word = words[at]
        at += 1
        return word

    def number():
        word = take()
        return x if word.isalpha() else len(word) * 2.0

    return number() * number() + number() / number()


def mean_of(f, points, *, args=()):
    return sum(f(p, *args) for p in points) / len(points)


@program({"x": [0.7, 1.2]}, orders=1)
def arguments_handed_on_behind_a_star(x):
    return mean_of(np.sin, x) * mean_of(np.power, x, args=(x[0],)) + mean_of(lambda v, k: v * k, x, args=[x[1]])


class Gated:
    """A cell whose method has functions of its own."""

    def __init__(self, w):
        self.w, self.h, self.c = w, w * w, 0.0
        self.act = lambda t: np.tanh(t) * 2.0

    def step(self, x):
        s = lambda t: 1.0 / (1.0 + np.exp(-t))  # noqa: E731
        self.c = s(self.h) * self.c + s(x) * np.tanh(self.w * x)
        self.h = s(x) * self.act(self.c)
        return self.h

    def read(self, x):
        f = lambda v: v * self.h + x  # noqa: E731
        self.c += f(x)
        self.h = self.h * x + 1.0
        self.c += f(self.c)
        for k in range(2):
            g = lambda v: v * k + self.c  # noqa: E731
            self.c = g(x) * 0.5
        return self.c

    def kept(self, x):
        k = 2.0
        f = lambda v: v * k + self.h  # noqa: E731
        k = 3.0 * x
        last = [f]
        self.h = f(x)
        return last[0](self.h)

    def shadowing(self, x):
        t = x * 2.0
        f = lambda t: t * t + 1.0  # noqa: E731
        self.h += f(x) * t
        return self.h


@program({"w": 0.7, "xs": signed(3)})
def methods_with_functions_of_their_own(w, xs):
    cell, loss = Gated(w), 0.0
    for x in xs:
        loss = loss + cell.step(x) ** 2
    return loss


@program({"w": 0.7, "xs": signed(3)})
def methods_with_functions_that_read_what_changes(w, xs):
    cell, loss = Gated(w), 0.0
    for x in xs:
        loss = loss + cell.read(x) ** 2
    return loss + cell.h


@program({"w": 0.7, "xs": signed(3)})
def methods_with_functions_that_are_kept(w, xs):
    cell, loss = Gated(w), 0.0
    for x in xs:
        loss = loss + cell.kept(x) ** 2 + cell.shadowing(x)
    return loss


class _Term:
    """A sum of terms, or a number that is looked up."""

    def __init__(self, *terms):
        self.terms = terms

    def value(self, table):
        if not self.terms:
            return table["x"] * table["x"]
        return sum(term.value(table) for term in self.terms)


@program({"x": 0.7})
def tree_of_terms_that_sum_in_comprehensions(x):
    return _Term(_Term(), _Term(_Term(), _Term())).value({"x": x * x})


class Line:
    def __init__(self, k):
        self.k = k

    def at(self, v, b=1.0):
        return self.k * v + b


@program({"x": 1.3})
def methods_of_objects_that_vary_beside_others(x):
    functions = [Line(x).at, Line(2.0).at]
    given = [functools.partial(Line(x).at, b=x), functools.partial(Line(3.0).at, b=x)]
    return sum(f(x) for f in functions) * sum(f(2.0) for f in given)
