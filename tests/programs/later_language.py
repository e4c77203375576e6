"""Programs that write into variables of closures and into objects made inside: not part of the zoo yet."""

import collections
import contextlib
import dataclasses
import functools

import numpy as np

from programs.registry import later
from programs.samples import signed


@later({"x": 0.7})
def closure_rebinds_after_capture(x):
    y = x * 2.0

    def use(v):
        return v * y

    y = y * x
    return use(x)


@later({"x": 0.7})
def nonlocal_counter(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * x

    add(x)
    add(2.0)
    return total


@later({"params": {"a": 0.5, "b": 1.5}, "rate": 0.1})
def update_by_comprehension(params, rate):
    for _ in range(2):
        params = {k: v - rate * 2.0 * v for k, v in params.items()}
    return params


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor

    def squared(self, x):
        return self(x) ** 2

    @property
    def double(self):
        return 2.0 * self.factor

    @staticmethod
    def shift(x):
        return x + 1.0

    @classmethod
    def unit(cls):
        return cls(1.0)


@later({"x": 0.7})
def object_made_from_an_active_value(x):
    s = Scale(x * x)
    return s(x) + s.squared(2.0) + s.double * Scale.shift(x)


@later({"x": 0.7})
def attribute_written(x):
    s = Scale.unit()
    s.factor = x
    s.factor = s.factor * x
    return s(x)


@dataclasses.dataclass
class Point:
    x: float
    y: float

    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


@later({"x": 0.7, "y": 1.2})
def dataclass_inside(x, y):
    p = Point(x, y) + Point(y, 1.0)
    return p.norm() * p.x


Pair = collections.namedtuple("Pair", ["first", "second"])


@later({"x": 0.7, "y": 1.2})
def namedtuple_inside(x, y):
    p = Pair(x * y, second=y)
    a, b = p
    return p.first * p.second + a * b


@later({"x": 0.7})
def list_repeated(x):
    xs = [x * x] * 3
    return xs[0] * xs[2]