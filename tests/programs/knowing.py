"""Lists of objects that other objects, and other lists, refer to: springs that know their ends, those that are awake."""

import math

import numpy as np

from programs.registry import program
from programs.samples import signed


class Mass:
    def __init__(self, x, v=0.0):
        self.x, self.v, self.f = x, v, 0.0

    def move(self, dt):
        self.v += dt * self.f
        self.x += dt * self.v


class Spring:
    def __init__(self, a, b, k, rest):
        self.a, self.b = a, b
        self.k = k
        self.rest = rest

    def pull(self):
        f = self.k * (self.b.x - self.a.x - self.rest)
        self.a.f += f
        self.b.f -= f


@program({"k": 1.3})
def springs_that_know_their_ends(k):
    masses = [Mass(float(i), 0.1 * i * k) for i in range(4)]
    springs = [Spring(masses[i], masses[i + 1], k, 0.8) for i in range(3)]
    for _ in range(3):
        for m in masses:
            m.f = 0.0
        for s in springs:
            s.pull()
        for m in masses:
            m.move(0.1)
    return sum(m.x**2 for m in masses)


@program({"k": 1.3})
def springs_in_a_ring(k):
    masses, springs = [], []
    for i in range(4):
        masses.append(Mass(math.sin(k * i)))
    for i in range(4):
        springs.append(Spring(masses[i], masses[i - 1], k, 0.1 * i))
    for s in springs:
        s.pull()
        s.a.move(0.2)
    return masses[0].x * masses[-1].x + masses[1].v


@program({"x": 0.7}, {"x": -0.4})
def those_that_are_awake(x):
    masses = [Mass(x * (i - 1.5)) for i in range(4)]
    awake = [m for m in masses if m.x > 0.0]
    asleep = []
    for m in masses:
        if m.x <= 0.0:
            asleep.append(m)
    for m in awake:
        m.x *= x
    for i in range(len(asleep)):
        asleep[i].v += asleep[i].x * x
    for m, other in zip(awake, asleep[1:]):
        m.v += other.x * m.x
    return sum(m.x * m.x + m.v for m in masses) + len(awake)


def pushed(group, amount):
    for m in group:
        m.x += amount * m.x
    return group[0].x


@program({"x": 0.7})
def groups_that_are_handed_on(x):
    masses = [Mass(x + i) for i in range(3)]
    ends = [masses[0], masses[-1]]
    total = pushed(ends, x)
    for m in ends:
        if m is ends[0]:
            m.x = m.x * x
    ends[1].move(x)
    return total * sum(m.x for m in masses)


@program({"x": 0.7})
def groups_that_shrink(x):
    masses = [Mass(x + i) for i in range(3)]
    awake = [masses[0], masses[2]]
    while awake:
        m = awake.pop()
        m.x *= x
    return sum(m.x for m in masses)


@program({"x": 0.7})
def groups_that_are_put_in_order(x):
    masses = [Mass(x * i - i * i) for i in range(3)]
    order = [masses[0], masses[1], masses[2]]
    order = sorted(order, key=lambda m: m.x)
    order[0].x *= x
    return masses[0].x + 2.0 * masses[1].x + 3.0 * masses[2].x


@program({"x": 0.7, "n": 4})
def lists_that_are_made_side_by_side(x, n):
    xs, ys, total = [], [], 0.0
    for i in range(n):
        xs.append(x * i)
        ys.append(0.0)
    ends, ahead = [0, 1, 2], [1, 2, 3]
    for _ in range(2):
        for i, j in zip(ends, ahead):
            pull = xs[j] * x - xs[i]
            ys[i] += pull
            ys[j] -= pull
        for i in range(n):
            xs[i] += 0.1 * ys[i]
        total = total + xs[1] * ys[2]
    return total


@program({"x": 0.7})
def lists_side_by_side_of_one_another(x):
    xs, ys = [x, 2.0 * x], [x * x]
    xs, ys = [*ys, x], [xs[1]]
    xs[0] *= x
    return xs[0] * xs[1] + ys[0]


class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.children = children

    def __add__(self, other):
        return Value(self.data + other.data, (self, other))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other))

    def squashed(self):
        return Value(np.tanh(self.data), (self,))


class Unit:
    def __init__(self, weights, bias):
        self.weights = [Value(w) for w in weights]
        self.bias = Value(bias)

    def __call__(self, inputs):
        act = self.bias
        for w, x in zip(self.weights, inputs):
            act = act + w * x
        return act.squashed()


@program({"x": 0.6}, {"x": signed(2)})
def values_that_know_what_they_were_made_of(x):
    units = [Unit([x, 0.5 * x], 0.1 * x), Unit([0.3, x], x * x)]
    inputs = [Value(1.0), Value(-0.5 * x)]
    for _ in range(2):
        inputs = [u(inputs) for u in units]
    out = inputs[0] * inputs[1]
    first, second = out.children
    return np.sum(out.data + first.data * second.children[0].data)


class Branch:
    def __init__(self, value, parts):
        self.value, self.parts = value, parts

    def total(self):
        found = 1.0
        for p in self.parts:
            found = found + p.total()
        return self.value * found


@program({"x": 0.6}, {"x": signed(2)})
def branches_that_are_read_twice(x):
    leaves = [Branch(x * k, []) for k in range(1, 4)]
    both = Branch(x, leaves)
    root = Branch(np.sin(x), [both, leaves[0], both])
    return np.sum(root.total() + both.value * leaves[1].value)


def paths(i, j, w, known):
    if (i, j) in known:
        return known[(i, j)]
    if i == 0 or j == 0:
        return w
    found = w * paths(i - 1, j, w, known) + math.sin(w) * paths(i, j - 1, w, known)
    known[(i, j)] = found
    return found


@program({"w": 0.6})
def paths_through_a_grid_that_are_known(w):
    return paths(3, 3, w, {})


@program({"x": 0.7, "n": 3})
def sums_in_a_list_of_zeros(x, n):
    sums = [0.0 for _ in range(n)]
    steps = [x * i for i in range(n)]
    for _ in range(2):
        for i in range(n):
            sums[i] += steps[i] * x
            steps[i] -= 0.1 * sums[i]
        steps[0] = x
        sums[1] = 0.0
    return sum(sums) + steps[1] * sums[2]
