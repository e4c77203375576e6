"""The attributes of objects as dicts: `vars(x)`, `x.__dict__`."""

import types

import numpy as np

from programs.registry import program


class Settings:
    def __init__(self, **named):
        self.__dict__.update(named)


@program({"x": 0.7}, orders=1)
def attributes_updated_and_read(x):
    s = Settings(rate=x, scale=x * x)
    s.__dict__["more"] = s.rate * 3.0
    vars(s)["rate"] += s.scale
    return sum(k * v for k, v in enumerate(vars(s).values(), 1)) + s.__dict__["more"] * len(s.__dict__)


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def parameters(self):
        return [v for v in self.__dict__.values() if isinstance(v, np.ndarray)]


class Stack:
    def __init__(self, *layers):
        self.layers = layers

    def parameters(self):
        found = []
        for layer in self.layers:
            found += layer.parameters()
        return found


@program({"x": np.array([0.7, 1.2])})
def parameters_found_in_attributes(x):
    return sum(np.sum(p**2) for p in Stack(Layer(x, 2.0 * x), Layer(x * x, 1.0)).parameters())


@program({"x": 0.7}, orders=1)
def attributes_handed_on(x):
    old = types.SimpleNamespace(a=x, b=x * x)
    new = types.SimpleNamespace(**{**vars(old), "a": 3.0 * x})
    return new.a * new.b + vars(old).get("c", x)
