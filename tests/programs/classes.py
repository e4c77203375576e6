"""Classes as they are written for simulations, models and instruments, and what they hand to each other."""

import functools
import math

import numpy as np

from programs.registry import program


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


@program({"x": [0.7, 1.2]})
def lists_repeated_where_classes_multiply(x):
    p = Polynomial(*x)
    return (p * p)(x[0])
