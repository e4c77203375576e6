"""Dicts of objects whose attributes change, and some whose objects have other names."""

import math
from dataclasses import dataclass

import numpy as np

from programs.registry import program
from programs.samples import signed


class Account:
    def __init__(self, amount, rate=0.1):
        self.amount, self.rate = amount, rate

    def earn(self):
        self.amount *= 1.0 + self.rate

    def pay(self, other, part):
        sum_ = part * self.amount
        self.amount -= sum_
        other.amount += math.sin(sum_)


@program({"x": 0.7})
def accounts_by_name(x):
    bank = {name: Account(x * (i + 1), 0.1 * x) for i, name in enumerate("abc")}
    for _ in range(2):
        for name in bank:
            bank[name].earn()
        bank["a"].pay(bank["c"], 0.3)
        for name, account in bank.items():
            if name != "b":
                account.amount += bank["b"].amount * x
    poorest = sorted(bank)[0]
    rich = [a.amount for a in bank.values() if a.amount > 0.5]
    return sum(a.amount * a.rate for a in bank.values()) + bank[poorest].amount * len(bank) + sum(rich)


@dataclass
class Layer:
    w: float
    b: float = 0.1


@program({"x": signed(3)})
def layers_by_number(x):
    layers = {}
    for i in range(3):
        layers[i] = Layer(x * (i + 1))
        if i in layers and i + 1 not in layers:
            layers[i].b = x[i] * layers[0].w
    h = x
    for i in layers.keys():
        h = np.tanh(layers[i].w * h + layers[i].b)
    return np.sum(h) + np.sum(layers[2].w)


@program({"x": 0.7})
def keys_that_another_object_gets(x):
    bank = {"a": Account(x), "b": Account(2.0 * x)}
    old = bank["a"]
    bank["a"] = Account(x * x)
    old.amount *= 3.0
    bank["a"].amount += old.amount * bank["b"].amount
    return bank["a"].amount + old.amount


@program({"x": 0.7})
def keys_that_loops_replace(x):
    bank = {i: Account(x * i) for i in range(3)}
    for i in range(3):
        bank[i] = Account(bank[i].amount + x, x)
    for account in bank.values():
        account.earn()
    last = account
    bank[2] = Account(x)
    return sum(a.amount for a in bank.values()) * last.amount


@program({"x": 0.7})
def objects_that_leave_a_dict(x):
    bank = {"a": Account(x), "b": Account(2.0 * x)}
    gone = bank.pop("a")
    bank["b"].pay(gone, 0.5)
    del bank["b"]
    return gone.amount * len(bank) + gone.amount


@program({"x": 0.7})
def objects_in_a_dict_and_a_list(x):
    bank = {"a": Account(x), "b": Account(2.0 * x)}
    held = [bank["a"]]
    bank["a"].earn()
    held[0].amount *= x
    return bank["a"].amount + held[0].amount
