"""Programs with closures, methods, comprehensions and exceptions over active values: not part of the zoo yet."""

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


@later({"x": 0.7})
def walrus(x):
    return (y := x * x) + y * x


@later({"x": 0.7})
def walrus_in_a_loop(x):
    while (x := x * 1.7) < 5.0:
        pass
    return x * x


@later({"x": 0.7})
def try_that_succeeds(x):
    try:
        y = np.sqrt(x)
    except ValueError:
        y = x
    return y * x


@later({"x": 0.7}, {"x": -0.7})
def try_that_raises(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = x * x
    except ValueError:
        y = 3.0 * x
    else:
        y = y + x
    finally:
        z = x * 2.0
    return y * z


@later({"x": 0.7})
def with_over_active_code(x):
    with contextlib.nullcontext(x) as v:
        y = v * x
    return y * y


@later({"x": 0.7})
def errstate_over_active_code(x):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return y * y


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


TRIPLE = Scale(3.0)


@later({"x": 0.7})
def method_of_a_global_object(x):
    return TRIPLE.squared(x) + TRIPLE(x) * TRIPLE.double


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


@later({"p": Pair(0.7, 1.2)})
def namedtuple_argument(p):
    return p.first * p.second * p.first


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


@later({"x": 0.7})
def helper_behind_a_general_wrapper(x):
    return counted_square(x) * counted_square(x=x)


@functools.lru_cache
def cached(n):
    return n * n


@later({"x": 0.7})
def cached_helper_on_inactive(x):
    return x * cached(3)


@later({"x": 0.7})
def list_repeated(x):
    xs = [x * x] * 3
    return xs[0] * xs[2]


@later({"x": 0.7, "shape": "square"}, {"x": 0.7, "shape": ("circle", 2.0)})
def match_on_structure(x, shape):
    match shape:
        case "square":
            return x * x
        case ("circle", factor):
            return np.pi * x * x * factor
    return x


@later({"point": (0.5, 1.5)})
def match_on_active(point):
    match point:
        case (x, y) if x > 0:
            return x * y
        case _:
            return point[0]


@later({"x": signed(3)})
def unpack_operator_in_call(x):
    return np.hypot(*x[:2]) * np.stack([*x])


@later({"x": 0.7})
def star_in_subscript_and_slices(x):
    t = (x, x * x, 3.0 * x)
    a, *b = t[::-1]
    return a * b[0]


@later({"xs": [0.5, 1.5, -2.0]})
def any_and_all(xs):
    if any(x < 0 for x in xs) and not all(x < 0 for x in xs):
        return xs[0] * xs[1]
    return xs[2]