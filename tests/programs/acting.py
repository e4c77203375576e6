"""What calls something in the middle of an expression: conditions, messages, comprehensions that are asked."""

import numpy as np

from programs.registry import program


class Walker:
    """Something that moves, and tells how far it is."""

    def __init__(self, x):
        self.x, self.steps = x, [0.0]

    def move(self, d):
        self.x = self.x + d
        self.steps.append(d * d)
        return self.x > 3.0

    def far(self, d):
        return abs(self.x) > d

    def text(self):
        return f"at {self.x:.1f}"


class Pair:
    """Items from a generator."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        yield self.x**2
        yield self.x * 3.0


class Branch:
    """A tree whose items come from a generator that calls itself."""

    def __init__(self, v, *parts):
        self.v, self.parts = v, parts

    def __iter__(self):
        for part in self.parts:
            yield from part
        yield self.v


def _grown(xs, v):
    xs.append(v * xs[-1])
    return len(xs) > 3


def _scaled(a, v):
    a *= v
    return a[0] > 5.0


def _counting(x):
    k = 0.0
    while True:
        k += 1.0
        yield k * x


# -- `any`, `all` and `in`, which end at the first item that tells


@program({"x": 1.3})
def assigned_where_any_is_asked(x):
    xs = [x, x * 2, x * 3]
    if any((hit := v) > 2.0 for v in xs):
        return hit * x
    return x


@program({"x": 1.3})
def assigned_where_all_is_asked(x):
    xs = [x, x * 2, x * 3]
    first = hit if not all((hit := v * v) < 5.0 for v in xs) and x > 0 else x
    while any((v := u) > 2.0 for u in xs):
        xs.remove(v)
        first += v * x
    assert all((last := v * x) > 0 for v in xs)
    return first * last


@program({"x": 1.3})
def assigned_in_comprehensions_that_are_conditions(x):
    s = x
    if [y := v * x for v in (1.0, 2.0)] and sum((z := v * y) for v in (1.0, 2.0)) > 1.0:
        s += y * z
    n = len({(w := v * x) > 2 for v in (1.0, 2.0)})
    return s * w * n


@program({"x": 1.3})
def assigned_where_any_is_asked_of_any(x):
    if any((a := u) > 2 and any((b := v * u) > 5 for v in (1.0, 2.0, 3.0)) for u in (x, 2 * x, 3 * x)):
        return a * b
    return x


@program({"walker": Walker(1.3), "x": 0.7}, wrt="x")
def moved_where_any_is_asked(walker, x):
    hit = any(walker.move(v * x) for v in (1.0, 2.0, 3.0))
    return walker.x * x + hit + sum(walker.steps)


@program({"walker": Walker(1.3), "x": 0.7}, wrt="x")
def moved_where_any_is_asked_of_map(walker, x):
    hit = any(map(lambda v: walker.move(v * x), (1.0, 2.0, 3.0)))
    found = True in (walker.move(v * x) for v in (1.0, 2.0, 3.0))
    return walker.x * x + hit + found


@program({"x": 1.3})
def objects_asked_in_conditions(x):
    walkers, n = [Walker(x), Walker(2.0 * x)], 0
    while not all(w.far(6.0) for w in walkers):
        for w in walkers:
            w.move(x * 0.5)
        n += 1
    if any(w.far(2.0) for w in walkers) and len([1 for w in walkers if w.far(2.0)]) == 2:
        n += len(set(w.far(1.0) for w in walkers)) + len({w.far(9.0) for w in walkers})
    leading = [w for w in walkers if not any(o is not w and o.far(w.x) for o in walkers)]
    return leading[0].x * walkers[0].x * n


@program({"x": 0.7})
def variable_rebound_where_any_is_asked(x):
    total, log = 0.0, []

    def bump(v):
        nonlocal total
        total += v * x
        log.append(total)
        return total > 2.0

    if any(bump(v) for v in (1.0, 2.0, 3.0)) and total > 1.0:
        return total * sum(log)
    return total


@program({"xs": [0.7, 0.3]})
def list_grown_where_any_is_asked(xs):
    a = np.array(xs)
    if any(_grown(xs, v) for v in (1.0, 2.0, 3.0, 4.0)) and not all(not _scaled(a, v) for v in (2.0, 5.0, 3.0)):
        return sum(xs) * np.sum(a)
    return xs[0]


@program({"x": 1.3})
def iterators_read_as_far_as_any_must(x):
    it, numbers = iter([x, 2 * x, 3 * x, 4 * x]), _counting(x)
    y = next(it, x) if any(v > 2 for v in it) else x
    return next(numbers) * y if any(v > 2 for v in numbers) else x


# -- messages and what is printed


@program({"walker": Walker(1.3), "x": 0.7}, wrt="x")
def moved_in_what_is_raised(walker, x):
    try:
        raise ValueError(walker.move(x), walker.text())
    except ValueError as error:
        return walker.x * (1.0 + error.args[0])


@program({"walker": Walker(1.3), "x": 0.7}, wrt="x")
def moved_in_an_assertion(walker, x):
    assert not walker.move(x), f"too far: {walker.move(x)}"
    return walker.x * x


@program({"walker": Walker(1.3), "x": 0.7}, wrt="x")
def moved_in_what_is_shown(walker, x):
    print(f"{walker.move(x)}", [walker.move(x)], [w.text() for w in (walker,)], {w.far(1.0) for w in (walker,)}, end="")
    return walker.x * x


# -- iterators of objects


@program({"x": 1.3})
def iterators_of_objects(x):
    pairs = [Pair(x)]
    it, other = iter(Pair(x * x)), iter(pairs[0])
    return next(it) * next(it) + next(it, 0.0) * next(other) + sum(other)


@program({"x": 1.3})
def iterator_of_a_tree(x):
    tree = Branch(x, Branch(x * x), Branch(3.0 * x, Branch(x**3)))
    it = iter(tree)
    return next(it) * next(it) + sum(v * i for i, v in enumerate(tree))


class Powers:
    """Items by index, as many as there are."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __getitem__(self, k):
        if k >= self.n:
            raise IndexError(k)
        return self.x**k


class Row(Powers):
    """The same, which tells how many there are."""

    def __len__(self):
        return self.n


@program({"x": 1.3})
def objects_read_by_index(x):
    powers, row = Powers(x, 4), [Row(x * x, 3)][0]
    a, b, *c = powers
    s = a + b * c[0] + sum(powers) + max(row) * list(row)[1]
    for k, v in enumerate(row):
        s += k * v * v
    return s + sum(u * v for u, v in zip(powers, row)) + next(iter(row))
