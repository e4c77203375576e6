"""Owners of methods that are no arrays: modules in variables, operators with a `dot`, fields that are called `T`."""

import collections

import numpy as np

from programs.registry import program
from programs.samples import signed

STEP = collections.namedtuple("STEP", ["size", "T", "mean"])


class Diagonal:
    def __init__(self, d):
        self.d = d

    def dot(self, v):
        return self.d * v

    def sum(self, v):
        return np.sum(v * self.d)

    def any(self, v):
        return v * v

    def clip(self, v, low):
        return np.where(v > low, v, low)


class Library:
    def __init__(self, xp):
        self.xp = xp

    def energy(self, x):
        return self.xp.sum(x * x) + self.xp.mean(x)


class Gas:
    def __init__(self, t):
        self.T = t
        self.size = 2.0 * t


class Rules:
    @staticmethod
    def mean(v):
        return v[0] * v[1]


STIFFNESS = Diagonal(np.array([1.0, 2.0, 0.5]))
OF_NUMPY = Library(np)


def _clipped(x, xp):
    return xp.sum(xp.clip(x, -0.5, 1.5) * xp.exp(x))


def _by_default(x, xp=np):
    a = xp.zeros(3)
    a[1:] = x[1:] * x[:-1]
    return xp.sum(a * a)


def _relaxed(op, b):
    for _ in range(2):
        b = b - 0.1 * op.dot(b)
    return b


def _library_of(x):
    return np


@program({"x": signed(3)}, orders=1)
def module_in_a_variable(x):
    xp = np
    return xp.sum(x * x) * xp.linalg.norm(x)


@program({"x": signed(3)}, orders=1)
def module_called_np_here(x):
    lib = np
    a = lib.zeros(3)
    a[1:] = x[1:] * x[:-1]
    return lib.sum(a * a)


@program({"x": signed(3)})
def module_given_to_a_helper(x):
    return _clipped(x, np) + _by_default(x)


@program({"x": signed(3), "n": 1}, {"x": signed(3), "n": 0}, wrt="x", orders=1)
def module_or_nothing(x, n):
    xp = np if n else Rules
    return xp.mean(x * x)


@program({"x": signed(3)}, orders=1)
def modules_in_a_tuple(x):
    s = 0.0
    for lib in (np, np):
        s = s + lib.sum(x * x)
    return s


@program({"x": signed(3)}, orders=1)
def module_from_a_call(x):
    xp = _library_of(x)
    return xp.sum(x * x)


@program({"x": signed(3)}, orders=1)
def module_in_an_object(x):
    return OF_NUMPY.energy(x)


@program({"x": signed(3)}, orders=1)
def operator_given_to_a_helper(x):
    return np.sum(_relaxed(STIFFNESS, x) ** 2)


@program({"op": STIFFNESS, "x": signed(3)}, wrt="x", orders=1)
def operator_as_an_argument(op, x):
    return op.sum(op.clip(x, -0.5) * op.any(x))


@program({"t": STEP(0.7, 1.3, 0.4)}, orders=1)
def fields_called_as_members_of_arrays(t):
    return t.size * t.T + t.T * t.mean


@program({"x": signed(3)})
def made_fields_called_as_members_of_arrays(x):
    t = STEP(x[0], x[1], x[2])
    return t.size * t.T * t.mean


@program({"x": signed(3)}, orders=1)
def class_in_a_variable(x):
    rules = Rules
    return rules.mean(x * x)


@program({"x": signed(3)}, orders=1)
def attributes_called_as_members_of_arrays(x):
    g = Gas(x[0])
    return g.T * x[1] + g.size * g.T


class Tank:
    def __init__(self, gas, base):
        self.gas, self.base = gas, base


@program({"g": Gas(0.7)})
def given_attributes_called_as_members_of_arrays(g):
    return g.T**2 * g.size + g.size


@program({"gases": [Gas(0.7), Gas(1.2)]})
def listed_attributes_called_as_members_of_arrays(gases):
    return sum(g.T * g.size**2 for g in gases)


@program({"tank": Tank(Gas(0.7), 1.3)})
def held_attributes_called_as_members_of_arrays(tank):
    return tank.base * tank.gas.size**2 * tank.gas.T


@program({"g": Gas(0.7), "x": signed(3)})
def attributes_beside_those_of_arrays(g, x):
    return g.size * np.sum(x) * x.size / x.shape[0] + np.sum(x.T) * g.T
