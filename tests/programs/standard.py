"""What the standard library puts around functions, methods and blocks: caches, dispatch by class, stacks of contexts."""

import bisect
import contextlib
import enum
import functools
import statistics
from typing import NamedTuple

import numpy as np

from programs.registry import program


@program({"x": 1.3})
def recursion_with_a_cache(x):
    @functools.lru_cache(maxsize=None)
    def term(n):
        if n < 2:
            return x
        return term(n - 1) + term(n - 2) * x

    return term(7)


@program({"x": 1.3})
def cache_of_two_arguments(x):
    from functools import cache

    @cache
    def paths(i, j=0):
        if i == 0 or j == 0:
            return x * (i + j)
        return paths(i - 1, j) * 0.5 + paths(i, j - 1) * x

    return paths(3, 2) + paths(2)


@program({"x": 1.3})
def cache_that_is_older_than_its_variable(x):
    scale = x

    @functools.cache
    def scaled(n):
        return scale * n

    first = scaled(2)
    scale = scale * 3.0
    return first * scaled(2) * scaled(3)


@functools.lru_cache(maxsize=None)
def power(x, n):
    return x if n == 1 else power(x, n - 1) * x


@program({"x": 1.3})
def cached_function(x):
    return power(x, 3) + power(x, 2)


class Disc:
    def __init__(self, r):
        self.r = r

    @functools.cached_property
    def area(self):
        return self.r**2

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def volume(self, h):
        return self.area * h

    def twice(self):
        return self.area * 2.0


@program({"x": 1.3})
def attribute_that_is_computed_once(x):
    d = Disc(x)
    first = d.area
    d.r = x * 3.0
    return d.area * first * d.r + d.twice()


@program({"x": 1.3})
def attribute_computed_again_after_del(x):
    d = Disc(x)
    first = d.area
    d.r = x * 3.0
    del d.area
    return first * d.area


@program({"x": 1.3})
def attribute_computed_once_and_cached_method(x):
    d = Disc(x)
    return d.area * d.volume(x)


@functools.singledispatch
def size(v):
    return v * 2.0


@size.register
def _(v: int):
    return v * 3.0


@size.register(list)
def _(v):
    return sum(v)


@program({"x": 1.3})
def function_by_class(x):
    return size(x) * size(2) + size([x, x * x])


@program({"x": 1.3})
def function_by_class_defined_inside(x):
    @functools.singledispatch
    def total(v, k=1.0):
        return v * k

    @total.register
    def _(v: float, k=2.0):
        return v * x * k

    @total.register(list)
    def _(v, k=1.0):
        return sum(total(u, k) for u in v)

    return total([x, 2, 3.0]) * total(x, k=x)


class Meter:
    def __init__(self, w):
        self.w = w

    @functools.singledispatchmethod
    def read(self, v):
        return v * self.w

    @read.register(list)
    def _(self, v):
        self.w = self.w * 2.0
        return sum(v)


@program({"x": 1.3})
def method_by_class(x):
    m = Meter(x)
    return m.read(x) * m.read([x, 1.0]) * m.read(x)


class Unit(enum.Enum):
    METRE = 1.5
    FOOT = 2.5

    def of(self, x):
        return self.value * x


@program({"x": 1.3}, {"x": 0.7})
def method_of_an_enumeration(x):
    unit = Unit.METRE if x > 1.0 else Unit.FOOT
    return unit.of(x) ** 2 * Unit.FOOT.of(x)


class Pair(NamedTuple):
    a: float
    b: float = 2.0

    def prod(self):
        return self.a * self.b

    def sum(self):
        return self.a + self.b


@program({"x": 1.3})
def methods_of_a_named_tuple(x):
    pair = Pair(x)
    return pair.prod() * pair.sum() + pair._replace(b=x).prod()


@contextlib.contextmanager
def scaled(x):
    yield x * 2.0


class Gauge:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.x = self.x * 2.0

    def close(self):
        self.x = self.x * 3.0


@program({"x": 1.3}, {"x": 0.4})
def stack_of_contexts(x):
    g = Gauge(x)
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(scaled(x))
        b = stack.enter_context(g)
        stack.callback(setattr, g, "x", x * 5.0)
        if a < 1.0:
            return a * b.x
        z = a * b.x
    return z * g.x


@program({"x": 1.3})
def closed_at_the_end(x):
    g = Gauge(x)
    with contextlib.closing(g) as h:
        y = h.x * x
    return y * g.x


@program({"x": 1.3})
def attributes_of_a_nested_function(x):
    def step(v):
        step.count += 1
        step.total = step.total + v * x
        return v * step.rate

    step.count, step.rate = 0, x
    step.total = 0.0
    y = step(x) + step(2.0)
    return y * step.total * step.count


@program({"x": 1.3})
def called_for_what_it_rebinds_and_appends(x):
    seen = []
    last = 0.0

    def put(v):
        nonlocal last
        seen.append(v)
        last = v * x
        return v

    for i in range(3):
        put(x * i)
    return last + sum(seen)


@program({"x": np.array([0.5, 1.2, 0.7, 1.9])}, orders=1)
def functions_made_in_a_loop(x):
    stack = []
    for op in ["0", "1", "*", "2", "+", "3", "-"]:
        if op.isdigit():
            stack.append(x[int(op)])
        else:
            b = stack.pop()
            a = stack.pop()
            stack.append({"*": lambda: a * b, "+": lambda: a + b, "-": lambda: a - b}[op]())
    return stack[-1]


@program({"x": np.array([0.7, 1.3, 0.4, 1.1])})
def statistics_of_numbers(x):
    squares = [v * v for v in x]
    spread = statistics.stdev(squares) + statistics.pvariance(x, mu=x[0]) + statistics.pstdev(squares[:3])
    middle = statistics.median(squares) * statistics.median(squares[1:]) + statistics.geometric_mean(squares)
    weighted = statistics.fmean(squares, weights=x) + statistics.harmonic_mean(squares) * statistics.variance(x, 1.0)
    return statistics.mean(squares) * spread + middle * weighted + statistics.fmean(v * x[0] for v in x)


@program({"x": 1.3})
def statistics_handed_on(x):
    def about(items, *measures):
        return [measure(items) for measure in measures]

    try:
        return statistics.mean([])
    except statistics.StatisticsError:
        return sum(about([x, x * x, 2.0], statistics.mean, statistics.stdev, statistics.median))


@program({"x": np.array([0.7, 1.3, 0.4])})
def keys_found_by_what_a_dict_gives(x):
    prices = dict.fromkeys(("a", "b"), x[0] * x[1])
    prices["b"] += x[2]
    prices["c"] = x[1] ** 2
    dear, cheap = max(prices, key=prices.get), min(prices, key=prices.get)
    return prices[dear] * prices[cheap] + sum(map(prices.get, sorted(prices, key=prices.get)[:2]))


@program({"x": 0.7, "rates": [0.1, 0.3, 0.2]})
def line_between_places_that_bisect_finds(x, rates):
    times = [0.0, 0.5 * x, x, 2.0]
    place = bisect.bisect_left(times, 0.6)
    again = bisect.bisect(rates, 0.15)
    return rates[place - 1] * x + rates[again] * times[place]
