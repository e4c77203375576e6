"""Lists of objects whose attributes change: simulations as they are written with classes."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from programs.registry import program
from programs.samples import signed


class Body:
    softness = 0.01

    def __init__(self, mass, x, v=0.0):
        self.mass, self.x = mass, x
        self.v = v

    @property
    def energy(self):
        return 0.5 * self.mass * self.v * self.v

    def pull(self, other, dt):
        d = other.x - self.x
        self.v += dt * other.mass * d / (d * d + self.softness) ** 1.5

    def move(self, dt):
        self.x += dt * self.v


@program({"x": 0.7})
def bodies_that_attract(x):
    bodies = [Body(1.0 + 0.1 * i, x * i, 0.1) for i in range(3)]
    for _ in range(2):
        for a in bodies:
            for b in bodies:
                if a is not b:
                    a.pull(b, 0.1)
        for a in bodies:
            a.move(0.1)
    pairs = 0.0
    for a, b in combinations(bodies, 2):
        pairs += (a.x - b.x) ** 2
    return sum(a.energy for a in bodies) + pairs


class Space:
    def __init__(self, x, dt):
        self.bodies, self.dt = [], dt
        self.history = []
        for i in range(3):
            body = Body(1.0, x + i)
            body.v = -0.1 * x
            self.bodies.append(body)

    def step(self):
        for left, right in zip(self.bodies[:-1], self.bodies[1:]):
            spring(left, right, self.dt)
        for body in self.bodies:
            body.move(self.dt)
        self.history.append(self.total())

    def total(self):
        return sum(body.energy for body in self.bodies)


def spring(left, right, dt):
    stretch = right.x - left.x - 0.5
    if abs(stretch) < 0.01:
        return
    left.v += dt * stretch / left.mass
    right.v -= dt * stretch / right.mass


@program({"x": 0.7})
def bodies_of_a_space(x):
    space = Space(x, 0.1)
    for _ in range(3):
        space.step()
    return sum(space.history) + space.bodies[-1].x * space.dt


@dataclass
class Account:
    balance: float
    gained: float = 0.0

    def withdraw(self, amount):
        if self.balance < amount:
            return 0.0
        self.balance -= amount
        return amount

    def accrue(self, rate):
        self.gained = self.balance * rate
        self.balance += self.gained


@program({"x": 0.05})
def accounts_of_a_bank(x):
    accounts = [Account(10.0), Account(20.0), Account(balance=5.0)]
    for t in range(4):
        for account in accounts:
            account.accrue(x)
        giver, taker = accounts[t % 3], accounts[t % 3 - 1]
        taker.balance += giver.withdraw(6.0 * (1.0 + x))
    return max(a.balance for a in accounts) + sum([a.gained for a in accounts])


class Layer:
    def __init__(self, w):
        self.w = w
        self.seen = 0.0

    def __call__(self, x):
        self.seen = x
        return np.tanh(x * self.w)


@program({"x": signed(3)})
def layers_that_learn(x):
    layers = [Layer(x * (1.0 + i)) for i in range(2)]
    y = 0.5 * np.ones(3)
    for _ in range(2):
        for layer in layers:
            y = layer(y)
        for layer in layers:
            layer.w -= 0.1 * y * layer.seen
    return np.sum(y * layers[0].w)


@program({"x": signed(2)})
def objects_that_share_an_array(x):
    shared = x * 1.0
    bodies = [Body(1.0, shared) for _ in range(3)]
    for body in bodies:
        body.x += x
    return sum(np.sum(body.x) for body in bodies)


@program({"x": signed(2)})
def objects_that_come_to_share_an_array(x):
    bodies = [Body(float(i), x * (i + 1)) for i in range(3)]
    bodies[0].x = bodies[2].x
    for body in bodies:
        body.x *= x
    return sum(np.sum(body.x) * (1.0 + body.mass) for body in bodies)


@program({"x": 0.7})
def objects_that_are_born_later(x):
    bodies = [Body(1.0, x)]
    last = bodies[-1]
    for i in range(3):
        bodies.append(Body(x, last.x * x, float(i)))
        last.x += bodies[-1].v * x
        last = bodies[-1]
    return sum(body.x * body.mass for body in bodies) + last.v * last.x


@program({"x": 0.7})
def one_object_twice_in_a_list(x):
    body = Body(x, x)
    bodies = [body, body, Body(x, 2.0 * x)]
    for b in bodies:
        b.x = b.x * b.x
    return sum(b.x for b in bodies)


@program({"x": 0.7})
def objects_in_another_order(x):
    bodies = [Body(float(i), x * i) for i in range(4)]
    first = bodies[0]
    bodies.reverse()
    bodies[1] = Body(2.0, x * x)
    first.x = math.sin(x)
    return sum(i * body.x * body.mass for i, body in enumerate(bodies)) + first.x


@program({"x": 0.7})
def lists_filled_then_changed(x):
    places, speeds = [], []
    for i in range(4):
        places.append(x * i)
        speeds.append(0.1 * i)
    for _ in range(3):
        for i in range(4):
            speeds[i] += -0.1 * places[i]
            places[i] += 0.1 * speeds[i]
    return sum(places) + max(p * p for p in places)


@program({"x": signed(2)})
def arrays_of_a_list_that_took_them_over(x):
    rows = [x * (i + 1.0) for i in range(3)]
    both = [*rows, rows[0]]
    for i in range(4):
        both[i] *= x
    return sum(np.sum(row) for row in both)


@program({"x": 0.7})
def two_lists_that_one_variable_runs_over(x):
    bodies = [Body(1.0, x * i) for i in range(3)]
    accounts = [Account(x + i) for i in range(3)]
    for each in bodies:
        each.x += x
    for each in accounts:
        each.accrue(x)
    return sum(each.x for each in bodies) + sum(each.gained for each in accounts)


class Dense:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w * x + self.b)


class Net:
    def __init__(self, layers, scale=1.0):
        self.seen = []
        self.scale = scale
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
            self.seen.append(self.scale * x)
        return x


@program({"x": signed(3), "w": 0.7})
def network_that_is_given_its_layers(x, w):
    net = Net([Dense(w, x), Dense(x, w), Dense(0.5, w)], w)
    return np.sum(net(x)) + np.sum(net.seen[0] * net.seen[2])


@program({"x": signed(3), "w": 0.7})
def layers_with_two_names(x, w):
    layers = [Dense(w, x), Dense(x, w)]
    net = Net(layers)
    layers[0].w = w * w
    y = net(x)
    net.layers[1].b = y
    return np.sum(layers[1](x))


class Unit:
    """A layer that keeps what it was given, and how it has to change."""

    def __init__(self, w, kept=None):
        self.w = w
        self.kept = kept
        self.change = np.zeros_like(w)

    def forward(self, x):
        self.kept = x[:1] * 2.0
        return np.tanh(x * self.w)

    def backward(self, y, slope):
        slope = slope * (1.0 - y * y)
        self.change[...] = self.kept * slope
        return slope * self.w

    def update(self, rate):
        self.w -= rate * self.change


@program({"x": signed(2), "w": signed(2, shift=1.0), "rate": 0.3})
def objects_that_keep_nothing_at_first(x, w, rate):
    units = [Unit(w.copy()), Unit(w * 2.0)]
    for _ in range(2):
        y = x
        for unit in units:
            y = unit.forward(y)
        slope = 2.0 * y
        for unit in reversed(units):
            slope = unit.backward(y, slope)
        for unit in units:
            unit.update(rate)
    return slope


@program({"x": signed(2), "w": signed(2, shift=1.0), "rate": 0.3})
def objects_that_keep_other_shapes_later(x, w, rate):
    units = [Unit(w.copy(), np.zeros(2)), Unit(w * 2.0, np.zeros(2))]
    for _ in range(2):
        y = x
        for unit in units:
            y = unit.forward(y)
        slope = 2.0 * y
        for unit in reversed(units):
            slope = unit.backward(y, slope)
        for unit in units:
            unit.update(rate)
    return sum(np.sum(unit.w) for unit in units)
