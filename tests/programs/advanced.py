"""Iterators and generators that are kept and advanced, and those that may not be read ahead."""

import itertools

import numpy as np

from programs.registry import program


def growing(x):
    while True:
        yield x
        x = x * 1.5


def sums(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * i
        yield s


@program({"x": 1.3})
def first_and_rest_of_a_list(x):
    items = iter([x, x * x, 3.0])
    first = next(items)
    return first * sum(items)


@program({"x": 1.3})
def pairs_of_one_iterator(x):
    items = iter(np.array([1.0, 2.0, 3.0, 4.0]) * x)
    s = 0.0
    for a in items:
        b = next(items)
        s = s + a * b * x
    return s


@program({"x": 1.3})
def iterator_until_it_stops(x):
    items = iter((x, x * x, 3.0))
    s = 0.0
    while True:
        try:
            v = next(items)
        except StopIteration:
            break
        s = s * x + v
    return s


@program({"x": 1.3})
def iterator_begun_again(x):
    data = [x, 2.0]
    items = iter(data)
    s = 0.0
    for i in range(5):
        try:
            v = next(items)
        except StopIteration:
            items = iter(data)
            v = next(items)
        s = s + v * i * x
    return s


@program({"x": 1.3})
def generator_asked_for_items(x):
    steps = sums(x, 3)
    a = next(steps)
    b = next(steps)
    return b * next(steps) + a + next(steps, x)


@program({"x": 1.3})
def endless_generators_asked_in_turn(x):
    slow, fast = growing(x), growing(2.0 * x)
    s = 0.0
    for i in range(3):
        next(fast)
        s = s + next(slow) * next(fast) * i
    return s


def several_parts(x):
    yield x
    if x > 1.0:
        yield x * x
        x = x * 2.0
    else:
        yield 3.0
    for v in [x, 2.0]:
        if v > 2.5:
            continue
        yield v * x
    yield from sums(x, 3)


@program({"x": 1.3}, {"x": 0.7})
def generator_of_several_parts(x):
    items = several_parts(x)
    first = next(items)
    s = 0.0
    for v in items:
        if v > 1.5:
            break
        s = s + v * first
    return s + next(items, 7.0) * sum(items)


def returning(x):
    yield x
    return x * x


def delegating(x):
    yield from sums(x, 2)
    square = yield from returning(x)
    yield square * 2.0


@program({"x": 1.3})
def what_a_generator_returns(x):
    s = 0.0
    for v in delegating(x):
        s = s * x + v
    items = delegating(x)
    return s + next(items) + next(items) + next(items) * next(items)


@program({"x": 1.3})
def values_sent_to_a_generator(x):
    def mean():
        total, n = 0.0, 0
        v = yield
        while True:
            total = total + v
            n += 1
            v = yield total / n

    running = mean()
    next(running)
    a = running.send(x)
    return a * running.send(x * x) + running.send(2.0)


@program({"x": 1.3}, {"x": 0.2})
def first_that_fits(x):
    found = next(v * x for v in [1.0, x, 9.0] if v * x > 1.5)
    other = next((v for v in [1.0, x] if v > 100.0), x * x)
    each = [next(v * t for v in [1.0, 2.0, x] if v > t) for t in [0.5, 1.2]]
    return found * other + sum(each)


@program({"x": 1.3})
def endless_generators_in_part(x):
    a = sum(itertools.islice(growing(x), 3))
    b = sum(itertools.takewhile(lambda v: v < 5.0, growing(x)))
    c = sum(v for _, v in zip(range(3), growing(x)))
    return a * b + c


@program({"x": 1.3})
def endless_generators_in_loops(x):
    s = 0.0
    for i, (k, v) in enumerate(zip([1.0, 2.0, x], growing(x))):
        s = s + k * v * i
    for v in itertools.islice(map(lambda v: v * v, growing(x)), 1, 4, 2):
        s = s + v
    for i, v in enumerate(growing(x)):
        if i > 2:
            break
        s = s * v
    return s


@program({"x": 1.3})
def parts_of_a_kept_generator(x):
    items = growing(x)
    first = [next(items) for _ in range(2)]
    second = list(itertools.islice(items, 2))
    s = 0.0
    for a, b in zip(items, [x, 1.0]):
        s = s + a * b
    return sum(first) * sum(second) + s


@program({"x": 1.3})
def generator_expression_kept(x):
    scaled = (v * x for v in [1.0, 2.0, 3.0])
    x = x * 2.0
    first = next(scaled)
    return first * sum(scaled)


@program({"x": 1.3})
def iterators_of_the_library_advanced(x):
    numbers = itertools.count(1)
    turns = itertools.cycle([x, 2.0])
    pairs = zip([x, 2.0, x], [x, x * x, 1.0])
    a, b = next(pairs)
    s = a * b + sum(p * q for p, q in pairs)
    for _ in range(3):
        s = s * next(turns) + next(numbers)
    return s


@program({"x": 1.3})
def iterator_read_twice(x):
    squares = map(lambda v: v * x, [1.0, x])
    return sum(squares) + sum(squares)


@program({"x": 1.3})
def iterator_in_two(x):
    first, second = itertools.tee([x, x * x, 2.0])
    next(second)
    return sum(a * b for a, b in zip(first, second))


@program({"x": 1.3})
def called_until_it_gives_something(x):
    items = [x, 2.0 * x, -1.0, 5.0]
    k = -1

    def item():
        nonlocal k
        k = k + 1
        return items[k]

    s = 0.0
    for v in iter(item, -1.0):
        s = s + v * x
    return s


def newton(f, df, x):
    while True:
        x = x - f(x) / df(x)
        yield x


@program({"a": 2.3})
def steps_until_they_are_small(a):
    steps = newton(lambda v: v * v - a, lambda v: 2.0 * v, 1.0)
    old = next(steps)
    while abs((new := next(steps)) - old) > 1e-9:
        old = new
    return new * a


@program({"x": 1.3})
def dicts_that_change_before_and_after_an_iterator_is_asked(x):
    table = {}
    for k in range(3):
        table[k] = x**k
    values = iter(table.values())
    y = next(values) * next(values)
    table[1] = 5.0 * x
    rows = [x, x * x]
    rows[0] = 2.0 * x
    pairs = zip(rows, (1.0, 2.0))
    first, _ = next(pairs)
    for a, b in pairs:
        y = y + first * a * b
    rows[1] = x
    return y * rows[1] + table[1]
