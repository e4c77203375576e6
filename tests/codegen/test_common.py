"""Derivatives of the functions that work on a memory are made once, and are no part of a derivative's text."""

import inspect

import numpy as np

import tangent
from programs.numeric import gradient


class Account:
    def __init__(self, amount):
        self.amount = amount


def paid(x):
    accounts = [Account(x), Account(2.0 * x)]
    held = accounts[0], accounts
    held[1].append(held[0])
    for account in accounts:
        account.amount = account.amount * x
    return accounts[0].amount + accounts[1].amount


def kept(x):
    prices = dict.fromkeys(("a", "b"), x)
    prices["b"] += x * x
    dear = max(prices, key=prices.get)
    return prices[dear] * x


def sold(y):
    prices = dict.fromkeys(("a", "b", "c"), np.sin(y))
    prices["c"] += y
    cheap = min(prices, key=prices.get)
    return prices[cheap] / y


def called(derivative):
    """The derivatives of Tangent's own functions that generated code calls, by name."""
    found = inspect.getclosurevars(derivative.plain).nonlocals
    return {v: f for v, f in found.items() if getattr(f, "common", False)}


def test_the_text_has_the_functions_of_the_user_alone():
    text = tangent.grad(kept).source
    assert "call_store_fwd(memory" in text
    assert text.count("def ") == 1


def test_they_are_the_same_for_all_derivatives():
    first, second = called(tangent.grad(kept)), called(tangent.grad(sold))
    assert first["call_store_fwd"] is second["call_store_fwd"]
    assert "def call_store_fwd(memory" in inspect.getsource(first["call_store_fwd"])


def test_they_are_differentiated_again():
    for f in (paid, kept):
        (slope,) = gradient(lambda point, f=f: tangent.grad(f)(point[0]), (1.3,), 1.0)
        np.testing.assert_allclose(tangent.grad(tangent.grad(f))(1.3), slope, rtol=1e-6)
        np.testing.assert_allclose(tangent.jvp(tangent.grad(f))(1.3, dx=1.0), slope, rtol=1e-6)
