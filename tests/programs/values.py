"""Objects that never change once they are made: vectors, states and numbers of a kind, and some that look like these."""

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from programs.registry import program
from programs.samples import signed


class Vec:
    unit = 2.0

    def __init__(self, x, y=0.5):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return self + -1.0 * other

    def __mul__(self, factor):
        return Vec(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __abs__(self):
        return math.sqrt(self.square)

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    @property
    def square(self):
        return self.dot(self)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def turned(self, angle):
        c, s = math.cos(angle), math.sin(angle)
        return Vec(c * self.x - s * self.y, s * self.x + c * self.y)


def towards(a, b, rate):
    if a.dot(b) > 0.0:
        return a + (b - a) * rate
    return b


@program({"x": 0.7, "y": 0.2}, {"x": -0.7, "y": 0.4})
def vectors_in_a_loop(x, y):
    a, b = Vec(x, y), Vec(y)
    held = a
    for i in range(3):
        a, b = towards(a, b, 0.1 * i), a
        a = 0.9 * a.turned(x) - b * Vec.unit
        if a.x > b[1]:
            b += a
    while a.square > 1.0:
        a = a * 0.5
    return a.dot(b) + abs(held) + (-b).x


@dataclass(frozen=True)
class Dual:
    value: float
    slope: float = 0.0

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        if not isinstance(other, Dual):
            return NotImplemented
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def sine(d):
    return Dual(math.sin(d.value), math.cos(d.value) * d.slope)


@program({"x": 0.7})
def numbers_with_slopes(x):
    d = Dual(x, 1.0)
    for _ in range(3):
        d = 1.0 + d * sine(d + 2.0)
    return d.value * d.slope


@dataclass
class State:
    x: float
    v: float

    def plus(self, change, h):
        return State(self.x + h * change.x, self.v + h * change.v)


def rate(s, k):
    return State(s.v, -k * np.sin(s.x))


@program({"x": 0.7, "k": 1.3}, {"x": signed(3), "k": 0.7})
def states_of_a_pendulum(x, k):
    s, h = State(x, 0.1), 0.2
    for _ in range(3):
        middle = s.plus(rate(s, k), h / 2)
        s = s.plus(rate(middle, k), h)
    return np.sum(s.x * s.v)


@program({"x": 0.7, "factor": 0.4})
def factors_that_are_given(x, factor):
    a = Vec(x, factor)
    for _ in range(2):
        a = factor * a + a * factor
    return a.square


class Grid:
    def __init__(self, a):
        self.a = a

    def __mul__(self, other):
        return Vec(self.a * other.x, other.v - self.a)


class Cell:
    def __init__(self, v):
        self.v = v

    def plus(self, other):
        return Cell(self.v + other.v)


@program({"x": 0.7})
def one_of_two_names_is_changed(x):
    a = Cell(x)
    b = a
    a = a.plus(b)
    c = a
    c.v = a.v * x
    return a.v * b.v + c.v


@program({"x": 0.7})
def operators_of_the_other_class(x):
    grid, cell = Grid(x), State(x, 0.3)
    turned = grid * cell
    return turned.x * turned.y + cell.plus(cell, x).x


@program({"x": signed(3)})
def arrays_that_values_share(x):
    a = Cell(x * x)
    b = a.plus(a)
    c = b
    c.v[1] = 2.0 * x[0]
    held = a
    a = a.plus(c)
    held.v[0] *= 3.0
    return np.sum(a.v * b.v * held.v)


@program({"x": 0.7})
def values_that_may_be_missing(x):
    best = None
    for i in range(3):
        c = Cell(math.sin(x * i))
        if best is None or c.v > best.v:
            best = c
    return best.v * x


@program({"x": 0.7})
def values_that_a_list_keeps(x):
    cells, c = [], Cell(x)
    for i in range(3):
        c = c.plus(Cell(x * i))
        cells.append(c)
    return sum(c.v * c.v for c in cells)


@dataclass(frozen=True)
class Moving:
    x: float
    v: float = 1.0

    @property
    def energy(self):
        return self.x**2 + self.v**2

    def moved(self, dt):
        return dataclasses.replace(self, x=self.x + dt * self.v)


@dataclass
class Counted:
    x: float
    count: int = 0

    def __post_init__(self):
        self.count = self.count + 1


@dataclass
class Doubled:
    x: float
    twice: float = field(init=False)

    def __post_init__(self):
        self.twice = self.x * 2.0


@dataclass(frozen=True)
class Timed:
    body: Moving
    time: float = 0.0


@program({"x": 0.7}, orders=2)
def states_that_replace_takes_on(x):
    state = Moving(x)
    for i in range(3):
        state = state.moved(0.1)
        if i > 1:
            state = dataclasses.replace(state, v=state.v * x)
    other = dataclasses.replace(state, x=2.0 * x)
    return state.energy * other.energy


@program({"x": 0.7}, orders=2)
def replace_that_initialises_again(x):
    a, b = Counted(x), Doubled(x)
    for _ in range(3):
        a = dataclasses.replace(a, x=a.x * x + a.count)
        b = dataclasses.replace(b, x=b.twice * 0.7)
    return a.x * a.count + b.x * b.twice


@program({"x": 0.7}, orders=2)
def replace_of_what_another_holds(x):
    state = Timed(Moving(x))
    for _ in range(3):
        state = dataclasses.replace(
            state, body=dataclasses.replace(state.body, x=state.body.x * x), time=state.time + state.body.x
        )
    return state.time * state.body.energy


class Turn:
    """Made by methods of its class, and by what an object says its class is."""

    def __init__(self, c, s):
        self.c, self.s = c, s

    @staticmethod
    def of(angle):
        return Turn(math.cos(angle), math.sin(angle))

    @classmethod
    def none(cls):
        return cls(1.0, 0.0)

    @classmethod
    def several(cls, angle, n=3):
        whole = cls.none()
        for _ in range(n):
            whole = whole * cls.of(angle)
        return whole

    def __mul__(self, other):
        return type(self)(self.c * other.c - self.s * other.s, self.c * other.s + self.s * other.c)

    def back(self):
        return self.__class__(self.c, -self.s)

    def reach(self):
        return self.c**2 + 2.0 * self.s


@program({"angle": 0.4, "scale": 1.3})
def made_by_methods_of_the_class(angle, scale):
    turn = Turn.none()
    for _ in range(3):
        turn = turn * Turn.of(angle) * Turn.of(scale * angle).back()
    return turn.reach() + Turn.several(angle).s * scale


@program({"angle": 0.4})
def methods_asked_of_the_class(angle):
    turn = Turn.several(angle, 2)
    return Turn.reach(Turn.__mul__(turn, turn)) * turn.c


@program({"x": 0.7, "rate": 0.3})
def lists_of_vectors(x, rate):
    places = [Vec(x * (i + 1), 0.5) for i in range(3)]
    speeds = [Vec(0.1, rate), Vec(x), -Vec(rate, x)]
    for step in range(3):
        pulls = []
        for i, p in enumerate(places):
            pull = Vec(0.0, 0.0)
            for j in range(len(places)):
                if i != j:
                    d = places[j] - p
                    pull = pull + d * (rate / (abs(d) ** 3 + 1.0))
            pulls.append(pull)
        speeds = [v + a * 0.1 for v, a in zip(speeds, pulls)]
        places = [p + v * 0.1 for p, v in zip(places, speeds)]
        places[step] = places[step].turned(0.3)
    return sum(p.square for p in places) + sum(speeds, Vec(x, 0.0)).y + len(places) * places[-1].x


@program({"x": 0.7, "rate": 0.3})
def parts_of_lists_of_vectors(x, rate):
    path = [Vec(x)]
    while len(path) < 4:
        path.append(path[-1].turned(rate) + Vec(rate, 0.1))
    steps = [b - a for a, b in zip(path, path[1:])]
    nearest = min(abs(s) for s in steps)
    corners = [Vec(0.0, rate)] * 2
    total = 0.0
    for c in corners[1:]:
        total += c.dot(path[2])
    return nearest * total + max([p.x for p in path])


@program({"x": 0.7, "rate": 0.3})
def lists_of_vectors_with_two_names(x, rate):
    path = [Vec(x)]
    same = path
    for i in range(3):
        same.append(path[i] * rate)
        for p in path[:2]:
            same.append(p + Vec(rate, x))
    return sum(p.square for p in same) * len(path)


@program({"x": 0.7})
def list_of_vectors_that_grows_in_its_loop(x):
    path = [Vec(x), Vec(0.2, x)]
    y = 0.0
    for p in path:
        y += p.x * p.y
        if len(path) < 5:
            path.append(p * x)
    return y


@program({"x": 0.7})
def list_of_vectors_that_is_handed_on(x):
    path = [Vec(x), Vec(0.2, x)]
    path.append(last_of(path) + Vec(x, x))
    return abs(path[2]) * len(path) + sum(v.y for v in doubled(path))


def last_of(path):
    return path[-1]


def doubled(path):
    return [p + p for p in path]
