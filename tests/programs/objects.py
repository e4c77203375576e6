"""Objects as arguments: attributes, methods, properties, operators; the gradient of an object is one of its class."""

import collections
import dataclasses
import functools
from types import SimpleNamespace

import numpy as np

from programs.registry import program
from programs.samples import signed


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray
    name: str = "layer"

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)

    def norm(self):
        return np.sum(self.w**2) + self.bias_norm

    @property
    def bias_norm(self):
        return np.sum(self.b**2)

    @staticmethod
    def scale(x, k=2.0):
        return x * k

    @classmethod
    def named(cls, x):
        return x * len(cls.__name__)

    def method_calling_methods(self, x):
        return self(x) * self.norm() + self.scale(x) - self.named(x)


LAYER = Layer(signed(2, 2), signed(2, shift=1.0))


@program({"layer": LAYER, "x": signed(2, shift=2.0)})
def attributes(layer, x):
    return np.sum(np.tanh(x @ layer.w + layer.b))


@program({"layer": LAYER, "x": signed(2, shift=2.0)})
def called_object(layer, x):
    return np.sum(layer(layer(x)))


@program({"layer": LAYER})
def method_of_an_argument(layer):
    return layer.norm() * np.sum(layer.b)


@program({"layer": LAYER})
def property_of_an_argument(layer):
    return layer.bias_norm * layer.bias_norm


@program({"layer": LAYER, "x": signed(2, shift=2.0)})
def methods_that_call_methods(layer, x):
    return np.sum(layer.method_calling_methods(x))


@program({"layer": LAYER, "x": signed(2, shift=2.0)})
def bound_method_kept(layer, x):
    f = layer.method_calling_methods
    return np.sum(f(x))


@program({"layer": LAYER, "x": signed(2, shift=2.0)}, wrt="x")
def inactive_object(layer, x):
    return np.sum(layer(x)) * layer.norm()


class Network:
    def __init__(self, layers, rate):
        self.layers = layers
        self.rate = rate

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, x, y):
        error = self.forward(x) - y
        return np.mean(error * error) + self.rate * self.penalty()

    def penalty(self):
        return sum([layer.norm() for layer in self.layers])


NETWORK = Network([LAYER, Layer(signed(2, 2, shift=0.5), signed(2))], 0.1)


@program({"network": NETWORK, "x": signed(3, 2), "y": signed(3, 2, shift=1.0)})
def list_of_objects(network, x, y):
    return network.loss(x, y)


class Shifted(Network):
    shift = 2.0

    def forward(self, x):
        return super().forward(x) + self.shift * self.rate


@program({"network": Shifted([LAYER], 0.3), "x": signed(3, 2), "y": signed(3, 2, shift=1.0)})
def inherited(network, x, y):
    return network.loss(x, y)


@program({"p": SimpleNamespace(a=0.7, b=[1.5, 2.0])})
def simple_namespace(p):
    return p.a * p.b[0] + p.b[1] * p.a


Pair = collections.namedtuple("Pair", ["first", "second"])


@program({"p": Pair(0.7, 1.2)})
def namedtuple_argument(p):
    return p.first * p.second * p.first


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    inner: SimpleNamespace


@program({"p": Frozen(0.7, SimpleNamespace(k=1.5))})
def frozen_dataclass(p):
    return p.a * p.inner.k**2


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __mul__(self, k):
        return (self.x * k + self.y) * k

    def __rmul__(self, k):
        return self.x * k * 10.0

    def __sub__(self, other):
        return self.x - (other.x if isinstance(other, Vector) else other) * self.y

    def __neg__(self):
        return -self.x * self.y

    def __getitem__(self, i):
        return self.x * self.x if i == 0 else self.y


@program({"v": Vector(0.7, 1.2), "w": Vector(0.3, -0.4), "k": 1.5})
def overloaded_operators(v, w, k):
    return (v @ w) * (v * k) + (k * w) - (v - w) * (w - k) + -v


@program({"v": Vector(0.7, 1.2), "k": 1.5}, wrt="k")
def overloaded_operator_of_an_inactive_object(v, k):
    return (v * k) * (k * v)


@program({"v": Vector(0.7, 1.2)})
def overloaded_index(v):
    return v[0] * v[1]


def squared_length(v):
    return v @ v


@program({"v": Vector(0.7, 1.2)})
def overloaded_operator_in_a_helper(v):
    return squared_length(v) * v.x


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor

    def squared(self, x):
        return self(x) ** 2

    @functools.cached_property
    def double(self):
        return 2.0 * self.factor


TRIPLE = Scale(3.0)


@program({"x": 0.7})
def method_of_a_global_object(x):
    return TRIPLE.squared(x) + TRIPLE(x) * TRIPLE.double


@program({"s": Scale(1.7)})
def objects_in_a_closure(s):
    f = lambda v: s.squared(v) * v
    return f(2.0) + f(s.factor)


@program({"layers": [Scale(0.7), Scale(1.3)], "x": 0.5})
def objects_in_a_list(layers, x):
    for layer in layers:
        x = layer(x) + layer.squared(x)
    return x


@program({"x": 0.7, "s": Scale(1.7)})
def object_passed_to_a_helper(x, s):
    return apply(s, x) * s.factor


def apply(f, x):
    return f(f(x))


class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def add(self, other):
        return Vector(self.a + other.a, self.b * other.b)

    def values(self):
        return [self.a, self.b]

    def get(self, k):
        return self.values()[k]

    def T(self):
        return Vector(self.b, self.a)


@program({"x": np.array([0.7, 1.3])})
def methods_named_as_those_of_containers(x):
    u = Vector(x[0], x[1])
    v = u.add(Vector(x[1], 2.0))
    first, second = u.values()
    return v.get(0) * u.get(1) * first + u.T().a * second


class Gain:
    def __init__(self, w):
        self.w = w

    def act(self, v):
        return self.w * v

    def loss(self, v):
        return self.act(v) * v


def gain_with_a_method_of_its_own(k):
    made = Gain(1.5)
    made.act = lambda v: v * v * k
    return made


@program({"g": gain_with_a_method_of_its_own(2.0), "x": 0.7}, wrt=("x",))
def method_replaced_on_one_object(g, x):
    return g.loss(x) * g.w + Gain(x).loss(g.act(x))
