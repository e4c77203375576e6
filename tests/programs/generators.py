"""Loops that take turns with a generator, and leave it before it ends."""

from typing import NamedTuple

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


def growing(x):
    while True:
        yield x
        x = x * 1.5


@program({"x": 1.3})
def endless_generator_left_by_break(x):
    s = 0.0
    for v in growing(x):
        if v > 5.0:
            break
        s = s + v * v
    return s


@program({"x": 1.3})
def endless_generator_left_by_return(x):
    for v in growing(x):
        if v > 4.0:
            return v * x
    return 0.0


def mixed(x):
    yield x
    yield x * x
    x = x * 3.0
    for i in range(3):
        for j in range(2):
            yield x * i + j
    yield 7.0 * x


@program({"x": 1.3}, {"x": 0.2})
def generator_left_by_continue_and_break(x):
    s = 0.0
    for v in mixed(x):
        if v > 4.0:
            continue
        s = s + v * v
        if s > 12.0:
            break
    else:
        s = s * 2.0
    return s


def until_four(x):
    for i in range(10):
        if i == 4:
            return
        yield x * i
    yield 100.0


def both(x):
    yield from until_four(x)
    yield from mixed(x)


@program({"x": 1.3}, {"x": 0.3})
def generators_of_generators_left_early(x):
    s = 0.0
    for v in both(x):
        if s > 9.0:
            break
        s = s + v * x
    return s


def logged(log, x):
    for i in range(4):
        log.append(x * i)
        yield x + i
        x = x * 1.1


@program({"x": 1.3})
def generator_that_takes_turns(x):
    log = []
    s = 0.0
    for v in logged(log, x):
        s = s + v * sum(log)
        log.append(v)
    return s + sum(log)


def first_items(xs, n):
    for _ in range(n):
        yield xs[0]


@program({"x": 1.3})
def loop_that_writes_what_its_generator_reads(x):
    xs = np.ones(2) * x
    s = 0.0
    for v in first_items(xs, 3):
        s = s + v
        xs[0] = xs[0] * 3.0
    return s


@program({"x": 1.3})
def loop_that_rebinds_what_its_generator_captures(x):
    scale = x

    def scaled():
        for k in range(3):
            yield k * scale

    s = 0.0
    for v in scaled():
        s = s + v
        scale = scale * 2.0
    return s


class Source:
    def __init__(self, x):
        self.x = x
        self.seen = [x]

    def items(self, n):
        for i in range(n):
            self.x = self.x * 1.1
            yield self.x * i

    def kept(self):
        return self.seen

    def halves(self):
        return [v * 0.5 for v in self.seen]


@program({"x": 1.3})
def generator_that_is_a_method(x):
    o = Source(x)
    s = sum(o.items(3))
    for v in o.items(5):
        s = s + v * o.x
        if v > 4.0:
            break
    return s * o.x


@program({"x": 1.3})
def loops_over_what_methods_give(x):
    o = Source(x)
    s = 0.0
    for v in o.halves():
        o.seen.append(v * x)
        s = s * x + v
    for v in o.kept():
        s = s * x + v
    return s


def each(n, function):
    for i in range(n):
        function(i)


def put(a, i, v):
    a[i] = v


@program({"x": np.array([1.3, 0.5, -0.7])})
def function_passed_on_that_fills_an_array(x):
    a = np.zeros(3)

    def fill(i):
        a[i] = x[i] ** 2

    each(2, fill)
    each(3, lambda i: put(a, i, a[i] * x[i] + 1.0))
    return np.sum(a * x)


@program({"x": np.array([1.3, 0.5, -0.7])})
def right_hand_side_with_an_array_of_its_own(x):
    work = np.zeros(3)

    def rate(t, y):
        work[0] = y[1] * x[0]
        work[1:] = y[:2] * t - x[1:]
        return work * 1.0

    def euler(f, y, n):
        for i in range(n):
            y = y + 0.1 * f(0.1 * i, y)
        return y

    y = euler(rate, x * 1.0, 3)
    return np.sum(y * y)


@program({"x": 1.3}, orders=1)
def lambda_with_a_default_beside_arrays_that_are_filled(x):
    buf = np.zeros(2)

    def fill(i):
        buf[i] = x * (i + 1)

    fs = []
    for _ in range(2):
        fs.append(lambda v, k=x: v * k)
    each(2, fill)
    return fs[-1](buf[1]) + buf[0]


def every_second(items):
    for k, v in enumerate(items):
        if k % 2 == 0:
            yield v


def squared(items):
    for v in items:
        yield v * v


def summed(items):
    total = 0.0
    for v in items:
        total = total + v
        yield total


def given(x):
    for v in x:
        yield v * 1.5


@program({"x": signed(4)})
def pipelines(x):
    first = given(x)
    second = squared(first)
    s = sum(summed(squared(every_second(given(x)))))
    for k, v in enumerate(every_second(second)):
        s = s * x[0] + v * k
    return s


class Bond(NamedTuple):
    coupon: float
    years: int

    def flows(self):
        for k in range(1, self.years + 1):
            yield k, self.coupon + (1.0 if k == self.years else 0.0)

    def value(self, rate):
        return sum(v / (1.0 + rate) ** k for k, v in self.flows())


@program({"x": 0.7, "rate": 0.1})
def methods_of_named_tuples_that_yield(x, rate):
    total = 0.0
    for bond in [Bond(x, 2), Bond(x * x, 3)]:
        total += bond.value(rate)
    for k, v in Bond(rate, 2).flows():
        total *= k * v
    return total


def windows(items, size):
    seen = []
    for v in items:
        seen.append(v)
        if len(seen) == size:
            yield tuple(seen)
            seen.pop(0)


def multiples(x, n):
    for i in range(n):
        yield x * i


@program({"x": 1.3})
def windows_that_a_generator_keeps(x):
    given = windows([x, x * x, x**3], 2)
    return sum(a * b for a, b in windows(multiples(x, 5), 2)) + sum(a - b * x for a, b in given)


@program({"x": 1.3})
def generators_defined_inside_that_read_each_other(x):
    def source(n):
        for i in range(n):
            yield x * i

    def squared(items):
        for v in items:
            yield v * v

    return sum(squared(squared(source(4)))) + sum(v * k for k, v in enumerate(squared(source(3))))


@program({"x": 1.3})
def generators_defined_inside_that_others_defined_inside_go_through(x):
    def multiples_of(k):
        for i in range(k):
            yield x * i

    def both(k):
        yield from multiples_of(k)
        for v in multiples_of(2):
            yield v * v
        yield x

    def total(k):
        s = 0.0
        for v in both(k):
            s = s + v * x
        return s

    return total(3) * sum(v * i for i, v in enumerate(both(2)))


@program({"x": 1.3})
def generator_that_is_closed(x):
    items = multiples(x, 4)
    s = next(items) + next(items)
    items.close()
    return s * next(items, x) + sum(items)


@program({"x": 1.3})
def generator_inside_that_fills_what_its_loop_reads(x):
    log, rates = [], {"a": x}

    def steps(n):
        for i in range(n):
            log.append(x * i)
            rates["a"] = rates["a"] * x
            yield x + i

    s = 0.0
    for v in steps(3):
        s += v * sum(log) + rates["a"]
    return s


@program({"x": [0.7, 1.2]})
def generator_that_nothing_asks(x):
    later = growing(x)
    if len(x) > 2:
        x = x * next(later)
    return x[0] * x[1]


@program({"x": 1.1})
def generators_inside_that_call_themselves(x):
    def halves(v, n):
        yield v * x
        if n:
            for w in halves(v * 0.5, n - 1):
                yield w
            yield from halves(v * v, n - 1)

    def flat(items):
        for item in items:
            if isinstance(item, (list, tuple)):
                yield from flat(item)
            else:
                yield item

    def total(items):
        return sum(flat(items)) * x

    return sum(halves(x, 2)) + total([x, [x * x, (2.0, x)], 3.0]) + sum(v * i for i, v in enumerate(halves(x, 1)))


def neighbours_of(a):
    for i in range(len(a) - 1):
        yield a[i] * a[i + 1]


@program({"x": positive(5)})
def counted_products_that_are_stored_back(x):
    y = x.copy()
    for i, v in enumerate(neighbours_of(y)):
        y[i + 1] = 2.0 * v
    return y


@program({"x": positive(6)})
def counted_windows_that_are_written_into(x):
    def windows(a, k):
        for i in range(len(a) - k + 1):
            yield a[i : i + k]

    y = x.copy()
    for i, w in enumerate(windows(y, 3), 1):
        if i == 3:
            continue
        w *= i * w[0]
    return y


@program({"x": positive(5)})
def mapped_and_chosen_items_that_the_loop_changes(x):
    y = x.copy()
    for i, v in enumerate(map(np.sin, y)):
        y[(i + 1) % 5] += v
    for i, v in enumerate(filter(lambda v: v > 0.6, map(np.sqrt, neighbours_of(y)))):
        y[i + 1] *= v
    return y


class Pairs:
    """Numbers by index, until there are no more."""

    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return 0.1 * i, 0.2 * i


class Batches:
    def __init__(self, pairs, size):
        self.pairs, self.size = pairs, size

    def __iter__(self):
        batch = []
        for pair in self.pairs:
            batch.append(pair)
            if len(batch) == self.size:
                yield batch
                batch = []
        if batch:
            yield batch


def products_in_groups(x, n, size):
    group = []
    for k in range(n):
        group.append(x * k)
        if len(group) == size:
            yield group
            group = []
    yield group


@program({"x": 1.3})
def lists_that_a_generator_fills_and_lets_go(x):
    total = 0.0
    for i, batch in enumerate(Batches(Pairs(5), 2)):
        total = total + (i + 1) * sum((x * a - b) ** 2 for a, b in batch) / len(batch)
    for group in products_in_groups(x, 5, 2):
        group.append(x)
        total = total + sum(v * v for v in group)
    return total


@program({"x": 1.3})
def list_that_a_generator_goes_on_filling(x):
    def growing(n):
        seen = []
        for k in range(n):
            seen.append(x * k)
            if k % 2:
                yield tuple(seen)
        seen.append(x)
        yield tuple(seen)

    return sum(sum(v) * len(v) for v in growing(4))
