"""What users write without a thought: items that objects give to lists, text beside numbers, iterators on their way."""

from collections import defaultdict, deque

import numpy as np

import tangent
from programs.registry import program
from programs.samples import signed


class _Steps:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        for i in range(self.n):
            yield self.x * i


class _Named:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield "a", self.x
        yield "b", self.x * self.x


class _Log:
    def __init__(self):
        self.found = []

    def extend(self, items):
        self.found.append(items.x)


def _steps(x):
    return _Steps(x, 3)


def _extend(xs, items):
    xs.extend(items)


@program({"x": 1.3})
def lists_that_take_items_of_objects(x):
    xs, q, log = [x], deque([x]), _Log()
    xs.extend(_steps(x))
    q.extendleft(_steps(x * x))
    log.extend(_steps(x))
    _extend(xs, _steps(x**3))
    xs[1:2] = _steps(2.0 * x)
    return sum(v * v for v in xs) * q[0] + log.found[0]


@program({"x": 1.3})
def dict_updated_by_pairs_of_an_object(x):
    d, pairs = {"b": x}, [_Named(x)]
    d.update(pairs[0])
    return d["a"] * d["b"]


@program({"x": 1.3})
def objects_of_unknown_classes_looped_over_inside_try(x):
    s, xs = 0.0, []
    try:
        for v in _steps(x):
            s += v * v
        for i, v in enumerate([_Steps(x, 2)][0]):
            s += i * v
        xs.extend(_steps(x))
    except ValueError:
        s = x
    return s * sum(xs)


@program({"x": 1.3})
def text_that_no_number_comes_back_from(x):
    found, log = {}, []
    for i in range(3):
        x = x * 1.1
        found[f"w{i}"] = x * i
        log.append(f"step {i}: {x:.3f}")
    try:
        raise ValueError(f"bad {x}")
    except ValueError as e:
        x = x * 2.0 if "bad" in str(e) else x
    return sum(v * float(k[1:]) for k, v in found.items()) * x * len(log)


@program({"x": 1.3})
def derivative_inside_of_what_reads_and_changes_a_captured_list(x):
    log, sums = [x], {"n": x}

    def f(v):
        log.append(v * x)
        sums["n"] = sums["n"] + v
        return v * v * log[-1] + sum(log) * sums["n"]

    slope = tangent.grad(f)(x)
    return slope + sum(log) * len(log) + sums["n"]


@program({"x": 1.3})
def lists_of_a_defaultdict_made_longer(x):
    d = defaultdict(list)
    for i, k in enumerate("abca"):
        d[k] += [x * i, x]
    ys = d["a"]
    d["a"] += [x**2]
    return sum(sum(v) * (j + 1) for j, v in enumerate(d.values())) + len(ys) * sum(ys)


class _Holder:
    def __init__(self):
        self.xs = []


@program({"x": 1.3})
def lists_that_are_held_joined_and_repeated(x):
    zs, o = [x, x * x], _Holder()
    ws, ys = {"a": zs}, o.xs
    zs *= 3
    zs += zs
    o.xs += [x, x * x]
    return sum(v * (i + 1) for i, v in enumerate(ws["a"])) + sum(ys) * x


@program({"x": 1.3})
def rows_that_an_operator_makes_longer(x):
    rows = [[x], [x * 2.0]]
    for row in rows:
        row += [x * 3.0]
        row += [x, 1.0]
    return sum(rows[0]) * rows[1][-1] * rows[1][1]


@program({"x": 1.3})
def derivatives_inside_before_and_after_a_captured_variable_changes(x):
    y = x

    def f(v):
        return v * y * y

    slope = tangent.grad(f)(1.0)
    y = y * 2.0
    return slope * tangent.grad(f)(3.0)


@program({"u": signed(4, 4), "f": 0.1})
def neighbours_around_a_torus(u, f):
    n = u.shape[0]
    for _ in range(2):
        around = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                below, above = (i + 1) % n, (i - 1) % n
                right = (j + 1) % n
                left = j - 1 if j > 0 else n - 1
                around[i, j] = u[below, j] + u[above, j] + u[i, right] + u[i, left] - 4 * u[i, j]
        u = u + 0.1 * around + f * np.sin(u)
    return np.sum(u * u)


@program({"x": signed(4), "places": np.array([2, 0, 3, 2])}, wrt=["x"])
def sums_at_places_of_a_table(x, places):
    y, z = np.zeros(4), np.zeros(4)
    for i in range(len(places)):
        k = places[i]
        after = (k + 1) % 4
        y[k] += x[i] * 2.0
        y[after] += x[i] - x[k]
        z[after] = x[k] * 3.0
    return np.sum(y * y * x) + np.sum(z * x)
