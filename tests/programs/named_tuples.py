"""Named tuples with operators, properties and constants of their classes, and the ways in which they are made."""

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from programs.registry import program


class Arrow(NamedTuple):
    x: float
    y: float = 2.0
    SCALE = 3.0

    @property
    def size(self):
        return self.x**2 + self.y**2

    @property
    def slope(self):
        return self.y / self.x

    @classmethod
    def turned(cls, v):
        return cls(-v.y, v.x)

    def __add__(self, other):
        return Arrow(self.x + other.x, self.y + other.y)

    def longer(self, k):
        return self._replace(x=self.x * k)

    def __rmul__(self, k):
        return Arrow(self.x * k, self.y * k)

    def __neg__(self):
        return Arrow(-self.x, -self.y)

    def __abs__(self):
        return math.sqrt(self.size)


class Plane(namedtuple("Plane", "re im")):
    def __mul__(self, other):
        return Plane(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __add__(self, other):
        return Plane(self.re + other.re, self.im + other.im)


@program({"x": 0.3, "y": 0.4})
def iteration_in_the_plane(x, y):
    z, c = Plane(0.0, 0.0), Plane(x, y)
    for _ in range(3):
        z = z * z + c
    return z.re * z.im


@program({"x": 0.7, "y": 0.4})
def operators_of_a_named_tuple(x, y):
    a, b = Arrow(x, y), Arrow(y)
    return abs(a + 2.0 * -b) * (a + b).y


@program({"x": 0.7, "y": 0.4})
def properties_and_constants_of_a_named_tuple(x, y):
    a = Arrow(x, y)
    return a.size * a.slope + a.SCALE * a.x + Arrow.turned(a).x


@program({"x": 0.7, "y": 0.4})
def named_tuples_made_from_lists(x, y):
    pair = [x, x * y]
    a, b = Arrow(*pair), Arrow._make(pair)
    c, d = Arrow(**{"x": y}), [Arrow(*p) for p in zip([x], [y])][0]
    return a.y * b.x + c.size * d.y + sum(v.x for v in map(Arrow, pair))


Spot = namedtuple("Spot", "x y", defaults=[1.0])


@program({"x": 0.7}, orders=2)
def states_with_other_fields(x):
    p = Spot(x)
    for i in range(3):
        p = p._replace(x=p.x + 0.1 * p.y, y=p.y - 0.1 * p.x * x)
        if i > 1:
            p = Spot(y=p.x, x=p.y)
    q = p._replace(y=x)
    return p.x * p.y * q.y


@program({"x": 0.7}, orders=2)
def states_of_two_classes_with_other_fields(x):
    p = Spot(x, x * x)
    if x > 0.0:
        p = Arrow(x)
    p = p._replace(y=p.x * 2.0)
    return p.x * p.y


@program({"x": 0.7}, orders=2)
def methods_that_give_other_fields(x):
    p = Arrow(x)
    for _ in range(2):
        p = p._replace(x=p.size)._replace(y=x)
    return p.slope


@program({"x": 0.7}, orders=2)
def named_tuples_with_other_fields_read_as_a_whole(x):
    p = Arrow(x).longer(x)
    total = sum(p) * max(p) + sum(v * v for v in p.longer(3.0)) + math.prod(Arrow(x).longer(2.0))
    for v in p.longer(x):
        total = total + v * min(p)
    return total + np.sum(np.array(p.longer(0.5)) ** 2)
