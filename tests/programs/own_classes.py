"""Classes that a function defines for itself."""

import enum
import threading
from collections import UserDict, UserList, namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from programs.registry import program


@program({"x": 0.7})
def named_tuples_made_inside(x):
    Pair = namedtuple("Pair", "a b")

    class Box(NamedTuple):
        width: float
        height: float = 2.0

        def area(self):
            return self.width * self.height

    p = Pair(x, b=x * x)
    return p.a * p._replace(a=3.0 * x).b + Box(p.b).area() * Box(x, x).area()


@program({"x": 0.7})
def dataclass_that_changes_inside(x):
    @dataclass
    class Body:
        position: float
        velocity: float = 0.0

        def kick(self, force):
            self.velocity = self.velocity + force
            self.position = self.position + 0.1 * self.velocity

    class Side(enum.Enum):
        LEFT = -1.0
        RIGHT = 0.5

    body = Body(x)
    for side in Side:
        body.kick(side.value * body.position * x)
    return body.position * body.velocity


@program({"x": 0.7})
def class_that_captures_variables(x):
    scale = x * x

    class Spring:
        def __init__(self, length):
            self.length = length * scale

        def pulled(self, by):
            self.length = self.length + by * x
            return self

        def twin(self):
            return Spring(self.length)

        @property
        def energy(self):
            return scale * self.length**2

    spring = Spring(2.0)
    for k in range(3):
        spring.pulled(k).pulled(x)
    return spring.energy + spring.twin().energy


@program({"x": 0.7}, orders=1)
def operators_of_a_class_inside(x):
    class Dual:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Dual(self.a + other.a, self.b + other.b)

        def __mul__(self, other):
            return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    d = Dual(x, 1.0)
    cube = d * d * d + d
    return cube.a * cube.b


@program({"x": 0.7}, orders=1)
def operators_of_a_class_that_counts(x):
    class Tracked:
        made = 0

        def __init__(self, v):
            Tracked.made += 1
            self.v = v * Tracked.made

        def __mul__(self, other):
            return Tracked(self.v * other.v)

    t = Tracked(x)
    return (t * t * t).v


class _PerThread(threading.local):
    def __init__(self):
        self.k = 2.0


@program({"x": 0.7})
def object_of_a_class_made_of_one_of_the_library(x):
    here = _PerThread()
    here.v = x * here.k
    here.k = here.v * x
    return here.k * here.v


class Row(list):
    """A list with methods, one of which changes it."""

    def norm(self):
        return sum(v * v for v in self)

    def push(self, v):
        self.append(v * 2.0)
        return v


class Options(dict):
    def __getattr__(self, name):
        return self[name]

    def scaled(self, k):
        return {key: v * k for key, v in self.items()}


class Metres(float):
    def squared(self):
        return self * self


@program({"x": 1.3}, orders=1)
def lists_dicts_and_numbers_with_methods(x):
    row = Row([x])
    row.append(x * x)
    options = Options(rate=x, scale=2.0)
    length = Metres(x * 3.0)
    s = row.push(x) * row.norm() + row[2]
    return s * options.rate * options.scaled(x)["scale"] + length.squared() + len(row)


class _Weights(UserDict):
    def norm(self):
        return sum(v * v for v in self.values())


class _Steps(UserList):
    def dot(self, others):
        return sum(a * b for a, b in zip(self, others))


@program({"x": 1.3})
def wrapped_dicts_and_lists(x):
    weights, steps, plain = _Weights(a=x), _Steps([x, 2.0]), UserDict({"k": x})
    weights["b"] = x * x
    steps.append(weights["b"] * x)
    plain["l"] = steps[2]
    return weights.norm() * steps.dot([1.0, x, 3.0]) + sum(plain.values()) * len(steps)


class _Shared:
    """A class of which there is one object."""

    only = None

    def __new__(cls):
        if cls.only is None:
            cls.only = super().__new__(cls)
        return cls.only


class _ByName:
    made = {}

    def __new__(cls, key):
        if key not in cls.made:
            cls.made[key] = super().__new__(cls)
        return cls.made[key]


@program({"x": 1.3})
def objects_that_their_class_has_made_before(x):
    _Shared().v = x * x
    _ByName("a").v, _ByName("b").v = x, x**3
    return _Shared().v * _ByName("a").v * _ByName("b").v


class _Plain:
    pass


_one = None
_steps = 0


def _the_one():
    global _one
    if _one is None:
        _one = _Plain()
    return _one


@program({"x": 1.3})
def object_that_a_function_keeps_in_its_module(x):
    _the_one().v = x * x
    return _the_one().v * x


def _counted_step(x):
    global _steps
    _steps = _steps + 1 if _steps < 3 else 0
    y = x * x
    return y * y


@program({"x": 1.3})
def function_that_counts_its_calls_in_its_module(x):
    return _counted_step(x) * _counted_step(x)


_rate = None
_weights = None


def _found_once():
    global _weights
    if _weights is None:
        _weights = [1.0, 2.0]
    return _weights


def _scaled(x):
    global _rate
    if _rate is None:
        _rate = 3.0
    return x * x * _rate


@program({"x": 1.3})
def constants_that_functions_find_once(x):
    s = 0.0
    for i in range(3):
        s = s * x + _scaled(x) * i
    return s * _scaled(x) + sum(v * x * x for v in _found_once())


class _Numbered:
    count = 0

    def __init__(self, w):
        self.w = w
        _Numbered.count += 1

    def __call__(self, x):
        return self.w * x


@program({"x": 1.3})
def objects_that_their_class_counts(x):
    return _Numbered(x)(2.0) * _Numbered(x * x)(x)


class _Arrow:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return _Arrow(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return self if isinstance(other, float) else other + self

    def __mul__(self, by):
        return _Arrow(self.x * by, self.y * by)


class _Load:
    def __init__(self, at, weight):
        self.at, self.weight = at, weight


@program({"x": 0.7, "y": 0.4})
def numbers_of_objects_with_operators_are_summed(x, y):
    loads = [_Load(_Arrow(0.5, 1.0), x), _Load(_Arrow(y, x), 2.0), _Load(_Arrow(0.3, 0.2), 1.5)]
    total = 0.0
    for load in loads:
        total += (load.at * 2.0).x * load.weight
    return total * total


@program({"x": 0.7, "y": 0.4})
def objects_are_summed_from_zero(x, y):
    total = 0.0
    for arrow in [_Arrow(x, y), _Arrow(y, 2.0), _Arrow(x * y, 1.0)]:
        total += arrow
    total += total * 0.5
    return total.x * total.y


@program({"x": 0.7, "y": 0.4})
def sum_that_is_its_first_object(x, y):
    first = _Arrow(x, y)
    total = 0.0
    total += first
    total.x = 3.0 * y
    return first.x * total.y + total.x


def _sum_of(arrows):
    total = 0.0
    for arrow in arrows:
        total += arrow
    return total


@program({"x": 0.7, "y": 0.4})
def sum_of_a_helper_that_is_its_first_object(x, y):
    first = _Arrow(np.array([x, y]), y)
    total = _sum_of([first])
    content = total.x
    content[0] = 3.0 * y
    return first.x[0] * total.y + total.x[1]
