"""Objects that come as arguments and change: what they hold becomes variables."""

import numpy as np

from programs.registry import program
from programs.samples import signed


class Bar:
    """Heat in a bar, with what was seen of it."""

    def __init__(self, u, rate):
        self.u, self.rate, self.time, self.seen, self.hottest = u, rate, 0.0, [], None

    def step(self, dt):
        bend = self.u[:-2] - 2.0 * self.u[1:-1] + self.u[2:]
        self.u[1:-1] += self.rate * dt * bend
        self.time += dt
        self.watch(self.u[1])

    def watch(self, v):
        self.seen.append(v * self.rate)
        if self.hottest is None or v > self.hottest:
            self.hottest = v

    def warm(self, v):
        self.u += v

    @property
    def energy(self):
        return np.sum(self.u * self.u)

    def __call__(self, x):
        self.rate = np.tanh(self.rate * x)
        return self.rate + self.energy


@program({"bar": Bar(signed(5), 0.3), "dt": 0.1})
def simulation_that_is_given(bar, dt):
    for _ in range(3):
        bar.step(dt)
    return bar.energy * bar.time + sum(bar.seen) * bar.hottest


@program({"bar": Bar(signed(4), 0.3), "x": 0.7})
def object_that_is_called(bar, x):
    return bar(x) * bar(2.0 * x)


@program({"bar": Bar(signed(4), 0.3), "other": Bar(signed(4) * 2.0, 0.8)})
def two_objects_that_are_given(bar, other):
    bar.warm(other.rate)
    other.step(0.2)
    bar.u, other.u = other.u, bar.u
    bar.u[0] *= other.hottest
    return bar.energy * other.energy


@program({"bar": Bar(signed(4), 0.3), "x": 0.7})
def another_name_of_what_is_added_to(bar, x):
    bar.warm(x)
    before = bar.u
    bar.u *= 3.0
    return np.sum(before * bar.u) * bar.rate


@program({"bar": Bar(signed(4), 0.3), "x": 0.7})
def another_name_beside_an_object(bar, x):
    u = +bar.u
    u += x
    before = u
    u *= 3.0
    return np.sum(before * u) * bar.rate


def restart(bar):
    bar.u = bar.u * bar.rate
    return bar


@program({"bar": Bar(signed(4), 0.3), "x": 0.7})
def object_that_is_handed_on(bar, x):
    bar.warm(x)
    return restart(bar).energy


class Spring:
    """Two numbers that a loop reads, and what is computed from them."""

    kind = "linear"

    def __init__(self, k, c):
        self.k, self.c = k, c

    @property
    def ratio(self):
        return self.c / self.k

    def force(self, x, v):
        return -self.k * x - self.c * v


class Car:
    """An object that holds others."""

    def __init__(self, mass, front, rear):
        self.mass, self.front, self.rear = mass, front, rear

    def pull(self, x, v):
        return (self.front.force(x, v) + self.rear.force(0.5 * x, v)) / self.mass


@program({"spring": Spring(1.2, 0.3), "x": 0.7}, {"spring": Spring(signed(3) ** 2, 0.3), "x": 0.7})
def numbers_of_an_object_in_a_loop(spring, x):
    v = 0.0 * x
    for _ in range(4):
        v = v - 0.1 * (spring.k * x + spring.c * v)
        x = x + 0.1 * v
    return np.sum(x * x)


@program({"spring": Spring(1.2, 0.3), "x": 0.7}, {"spring": Spring(signed(3) ** 2, signed(3)), "x": signed(3)})
def methods_of_an_object_in_a_loop(spring, x):
    v = 0.0 * x
    for _ in range(4):
        v = v + 0.1 * spring.force(x, v) * spring.ratio
        x = x + 0.1 * v
    return np.sum(x * x)


@program({"car": Car(2.0, Spring(1.2, 0.3), Spring(0.4, 0.1)), "x": 0.7})
def objects_in_an_object_in_a_loop(car, x):
    v = 0.0
    for _ in range(4):
        v = v + 0.1 * car.pull(x, v)
        x = x + 0.1 * v * car.rear.c
    return x * x


def stretched_by(spring, x):
    return spring.k * x + spring.c


@program({"spring": Spring(1.2, 0.3), "x": 0.7})
def object_for_a_function_in_a_loop(spring, x):
    for _ in range(4):
        x = 0.5 * stretched_by(spring, x)
    return x * x


@program({"car": Car(2.0, Spring(1.2, 0.3), Spring(0.4, 0.1)), "x": 0.7})
def object_in_an_object_that_changes(car, x):
    for _ in range(3):
        car.front.k *= x
        x = x + car.front.k * car.rear.k
    return x * car.pull(x, 1.0)
