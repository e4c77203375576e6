"""Versions know the kinds of numbers and arrays that functions find in their modules and closures, as they are then."""

import types

import numpy as np
import pytest

import tangent

X = np.linspace(0.2, 1.3, 20)
RATE = 2.0
COUNT = 3
DATA = np.cos(np.arange(20.0))
MATRIX = np.sin(np.arange(60.0)).reshape(20, 3)
ASKED = ("unbroadcast", "spread", "settled", "add_grad", "matmul_adjoint", "dot_adjoint")


def rated(x):
    return np.sum(RATE * x * x) / COUNT


def compared(x):
    return np.sum((x - DATA) ** 2 / x)


def weighed(x):
    return np.sum(x * DATA)


def projected(x):
    return np.sum((x @ MATRIX) ** 2) + np.dot(x, DATA)


def inside(x):
    return helper(x) + np.sum(DATA * x)


def helper(x):
    return np.sum(np.tanh(x * RATE) * DATA)


def captured():
    weights, power = np.sin(np.arange(20.0)), 3

    def loss(x):
        return np.sum(weights * x**power)

    return loss


def check(f, x=X):
    v, gradient = np.cos(x), tangent.grad(f)
    second, reverse = tangent.jvp(gradient), tangent.vjp(gradient)
    slope = (f(x + 1e-5 * v) - f(x - 1e-5 * v)) / 2e-5
    curve = (gradient(x + 1e-5 * v) - gradient(x - 1e-5 * v)) / 2e-5
    for _ in range(4):
        assert gradient(x).shape == x.shape
        np.testing.assert_allclose(np.sum(gradient(x) * v), slope, rtol=1e-6)
        np.testing.assert_allclose(second(x, 1.0, v), curve, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(reverse(x, 1.0, v), curve, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [rated, compared, weighed, projected, inside, captured()])
def test_nothing_is_asked(f):
    text = tangent.grad(f).version(X).source
    assert not any(word in text for word in ASKED), text
    check(f)


@pytest.mark.parametrize("value", [0.5, 2, np.float64(0.5), np.ones(1), np.arange(20.0), np.ones((2, 20)), True])
def test_other_kinds_ask_for_other_versions(monkeypatch, value):
    check(rated)
    check(compared)
    monkeypatch.setitem(globals(), "RATE", value)
    monkeypatch.setitem(globals(), "DATA", value)
    check(rated)
    check(compared)


def test_what_is_outside_is_not_given_away():
    before, gradient = DATA.copy(), tangent.grad(weighed)
    for _ in range(4):
        found = gradient(X)
        found += 1.0
        np.testing.assert_array_equal(DATA, before)


class Settings:
    base = 0.5

    def __init__(self):
        self.rate, self.weights = 2.0, np.cos(np.arange(20.0))

    @property
    def doubled(self):
        return 2.0 * self.rate


SETTINGS = Settings()
TABLE = {"rate": 2.0, "inner": [1.0, np.sin(np.arange(20.0))]}
LIBRARY = types.ModuleType("library")
LIBRARY.rate = 2.0


def led_through_objects(x):
    return np.sum(SETTINGS.rate * x * x * SETTINGS.weights) * Settings.base


def led_through_containers(x):
    return np.sum(TABLE["rate"] * x * TABLE["inner"][1]) * TABLE["inner"][0]


def led_through_modules(x):
    return np.sum(LIBRARY.rate * x * x)


def led_through_captured():
    settings, table = Settings(), [1.0, 2.0]

    def loss(x):
        return np.sum(settings.rate * x * x) * table[-1]

    return loss


@pytest.mark.parametrize(
    "f", [led_through_objects, led_through_containers, led_through_modules, led_through_captured()]
)
def test_nothing_is_asked_of_what_paths_lead_to(f):
    test_nothing_is_asked(f)


@pytest.mark.parametrize("value", [0.5, 2, np.float64(0.5), np.ones(1), np.arange(20.0), np.ones((2, 20)), True])
def test_paths_that_lead_to_other_kinds_ask_for_other_versions(monkeypatch, value):
    for f in (led_through_objects, led_through_containers, led_through_modules):
        check(f)
    monkeypatch.setattr(SETTINGS, "rate", value)
    monkeypatch.setitem(TABLE, "rate", value)
    monkeypatch.setattr(LIBRARY, "rate", value)
    for f in (led_through_objects, led_through_containers, led_through_modules):
        check(f)


def test_paths_that_end_are_told_as_without_a_version(monkeypatch):
    gradient = tangent.grad(led_through_containers)
    for _ in range(4):
        gradient(X)
    monkeypatch.delitem(TABLE, "rate")
    with pytest.raises(KeyError, match="rate"):
        gradient(X)


def widened(x):
    y = x * SETTINGS.rate
    widen()
    return np.sum(y * SETTINGS.rate)


def widen():
    SETTINGS.rate = SETTINGS.rate * np.ones((2, 1))


def widened_here(x):
    y = x * SETTINGS.rate
    SETTINGS.rate = SETTINGS.rate * np.ones((2, 1))
    return np.sum(y * SETTINGS.rate)


def computed(x):
    return np.sum(x * x * SETTINGS.doubled)


@pytest.mark.parametrize("f", [widened, widened_here, computed])
def test_what_changes_on_the_way_is_not_presumed(monkeypatch, f):
    gradient = tangent.grad(f)
    for _ in range(4):
        monkeypatch.setattr(SETTINGS, "rate", 2.0)
        factor = 4.0 * X * 2.0 if f is computed else 8.0
        np.testing.assert_allclose(gradient(X), factor * np.ones(20))


def set_pace(v):
    global PACE
    PACE = v


@pytest.mark.parametrize("set_to", [set_pace])  # no function mentions it
def test_numbers_that_are_set_beforehand_are_read_where_they_are_used(set_to):
    def slowed(x):
        for _ in range(3):
            x = x - PACE * np.sin(x)
        return x

    gradient = tangent.grad(slowed)
    assert "PACE * np.cos(x)" in gradient.source and "PACE2" not in gradient.source
    for pace in (0.1, 0.5):
        set_to(pace)
        expected = (slowed(1.0 + 1e-6) - slowed(1.0 - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(1.0), expected, rtol=1e-8)


PACE = 0.1
