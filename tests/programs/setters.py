"""Objects of one function whose class says what assignments do: properties with setters, dataclasses."""

from dataclasses import dataclass, field

import numpy as np

from programs.registry import program
from programs.samples import signed


class Account:
    def __init__(self, amount):
        self._amount = amount
        self.fees = 0.0

    @property
    def amount(self):
        return self._amount

    @amount.setter
    def amount(self, value):
        self.fees += 0.01 * value * self._amount
        self._amount = value

    def earn(self, rate):
        self.amount = self.amount * (1.0 + rate)


class Capped(Account):
    def earn(self, rate):
        if self.amount < 2.0:
            super().earn(rate)


@program({"x": 0.7}, {"x": 1.9})
def properties_that_are_set(x):
    a, b = Account(x), Capped(1.5 * x)
    for i in range(4):
        a.earn(0.1 * x)
        b.earn(0.2)
        a.amount += b.amount
        b.amount *= 0.9
    return a.amount * b.fees + a.fees


@program({"x": signed(3)})
def arrays_that_are_set(x):
    a = Account(x * x)
    a.amount = np.sin(a.amount)
    a.amount *= x
    return np.sum(a.amount) + np.sum(a.fees)


@program({"x": 0.7})
def set_in_a_list(x):
    accounts = [Account(x * i) for i in range(3)]
    for a in accounts:
        a.amount += x
        a.amount = a.amount * a.amount
    return sum(a.amount * a.fees for a in accounts)


@dataclass
class Fit:
    slope: float
    offset: float = 0.5
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.scale = 2.0 * self.slope

    def step(self, t, y, rate):
        error = self.slope * t + self.offset * self.scale - y
        self.slope -= rate * error * t
        self.offset -= rate * error
        self.seen.append(error * error)


@program({"x": 0.7, "rate": 0.1})
def parameters_of_a_dataclass(x, rate):
    fit = Fit(x)
    for i in range(4):
        fit.step(0.5 * i, x * x, rate)
    return fit.slope * fit.offset + sum(fit.seen)


@dataclass
class Wave:
    height: float
    speed: float = 1.0


@program({"x": signed(3)})
def arrays_of_a_dataclass(x):
    wave = Wave(speed=2.0, height=x)
    for _ in range(3):
        wave.height = wave.height + 0.1 * np.sin(wave.speed * wave.height)
        wave.speed *= 0.9
    return np.sum(wave.height * wave.speed)
