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
