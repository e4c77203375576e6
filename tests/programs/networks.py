"""Networks of objects that a function makes: layers of several classes, activations by default, networks asked at once."""

import math
import random

import numpy as np

from programs.registry import program
from programs.samples import signed


class Linear:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return x @ self.w + self.b


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Scaled:
    def __init__(self, layer, factor=1.5):
        self.layer, self.factor = layer, factor

    def __call__(self, x):
        return self.factor * self.layer(x)


class Dense:
    def __init__(self, w, act=np.tanh, *, then=math.sin):
        self.w, self.act, self.then = w, act, then

    def forward(self, x):
        return self.act(x @ self.w) * self.then(0.4)


class Sequential:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Net:
    def __init__(self, layers):
        self.layers = layers
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        for i, layer in enumerate(self.layers):
            x = layer(x) + i
        return x

    def loss(self, x, y):
        return np.mean((self.forward(x) - y) ** 2) * self.calls


X = signed(3, 2)


@program({"w1": signed(2, 2), "w2": signed(2, 1, shift=1.0), "b": signed(2)})
def layers_of_several_classes(w1, w2, b):
    net = Net([Linear(w1, b), Tanh(), Linear(w2, 0.3), Scaled(Tanh())])
    return np.sum(net.forward(X)) + net.loss(X, 0.5)


@program({"w1": signed(2, 2), "w2": signed(2, 1, shift=1.0)})
def network_asked_at_once(w1, w2):
    y = np.sum(Sequential(Linear(w1, 0.1), Tanh(), Linear(w2, 0.3))(X) ** 2)
    y += Net([Linear(w1, 0.2), Tanh()]).loss(X, y) * Dense(w1).forward(X).sum()
    return y


@program({"w1": signed(2, 2), "w2": signed(2, 2, shift=1.0)})
def activations_by_default(w1, w2):
    first, second = Dense(w1), Dense(w2, np.sin, then=math.cos)
    return np.sum(second.forward(first.forward(X)))


@program({"w1": signed(2, 2), "w2": signed(2, 2, shift=1.0)})
def layers_that_change_afterwards(w1, w2):
    layers = [Linear(w1, 0.1), Tanh()]
    layers.append(Linear(w2, 0.3))
    x = X
    for layer in layers:
        x = layer(x)
    layers[0].w = w2
    for layer in layers:
        x = layer(x)
    return np.sum(x)


@program({"w1": signed(2, 2), "w2": signed(2, 2, shift=1.0)})
def loop_over_layers_that_is_left(w1, w2):
    x, count = X, 0
    for layer in [Linear(w1, 0.1), Tanh(), Linear(w2, 0.3)]:
        if count == 2:
            break
        x = layer(x)
        count += 1
    return np.sum(x) * count


TALLY = [1, 0, 1, 1]
RATES = [0.5, 1.5]


def likelihood(p, seen):
    """What is filled in one call is emptied on its way back."""
    state = [p, 1.0 - p]
    for k in seen[1:]:
        new = []
        for i in range(2):
            total = 0.0
            for j in range(2):
                total += state[j] * RATES[(i + j) % 2] * p
            new.append(total * (0.3 + 0.1 * k))
        c = sum(new)
        state = [v / c + 0.1 * p for v in new]
    return state[0] * 2.0 + state[1]


@program({"p": 0.4})
def lists_of_the_module_in_a_helper(p):
    return likelihood(p, TALLY) + 2.0 * likelihood(p * p, TALLY) * RATES[1]


@program({"p": 0.4, "seen": [np.int64(1), np.int64(0), np.int64(1)]}, wrt="p")
def whole_numbers_of_numpy_in_a_list(p, seen):
    return likelihood(p, seen) * p


@program({"a": signed(4), "b": signed(3, shift=1.0)}, {"a": [0.2, 0.5, 0.9], "b": [0.3, 1.1]})
def table_of_least_costs(a, b):
    n, m = len(a), len(b)
    table = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    table[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            table[i][j] = cost + min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
    return table[n][m]


@program({"x": np.array([0.4, 0.7])})
def table_whose_rows_have_names(x):
    table = [[0.0] * 3 for _ in range(3)]
    row = table[1]
    row[2] = x[0] * x[1]
    for i in range(2):
        table[i + 1][i] = table[i][2] + x[i] ** 2
        row[1] = row[1] + table[i + 1][i]
    return table[1][1] * table[2][1] + row[2]


@program({"x": 0.4})
def random_numbers_of_a_generator(x):
    rnd = random.Random(3)
    total = 0.0
    for _ in range(5):
        total += math.exp(-x * rnd.gauss(0.0, 1.0)) * rnd.choice([1.0, 2.0])
    return total


def walk(x, rng):
    return sum(math.sin(x * rng.gauss(0.0, 1.0) + rng.betavariate(2.0, 3.0)) for _ in range(4))


@program({"x": 0.4})
def random_numbers_of_a_generator_that_is_given(x):
    return walk(x, random.Random(3)) * x


class Stacked:
    def __init__(self, weights):
        self.layers = [Dense(w) for w in weights]

    def __call__(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


@program({"weights": [signed(2, 2), signed(2, 2, shift=1.0), signed(2, 1)]})
def list_of_layers_with_one_activation(weights):
    return np.sum(Stacked(weights)(X))


@program({"weights": [signed(2, 2), signed(2, 2, shift=1.0)]})
def list_of_layers_of_which_one_changes_its_activation(weights):
    layers = [Dense(w) for w in weights]
    layers[1].act = np.sin
    x = X
    for layer in layers:
        x = layer.forward(x)
    return np.sum(x)
