"""Typical programs whose versions ask nothing at run time: the same numbers as raw code, without dispatch."""

import math
import random
from typing import NamedTuple

import numpy as np
import pytest

import tangent

RNG = np.random.default_rng(0)
ASKING = ("unbroadcast", "add_grad", "lazy_zero", "fit_matmul", "adjoint", "add_part", "shadow(", "mirror")


def arm(angles, n):
    """Names that are bound at once to one number share nothing."""
    total = 0.0
    for t in range(n):
        x = y = turn = 0.0
        for a in angles:
            turn += a + 0.01 * t
            x += math.cos(turn)
            y += math.sin(turn)
        total += math.hypot(x - 1.0, y - 1.0)
    return total


def drawn(start, sigma, n, seed):
    gen = random.Random(seed)
    total = 0.0
    for _ in range(n):
        s = start
        for _ in range(4):
            s *= math.exp(sigma * gen.gauss(0.0, 1.0) - gen.randint(0, 1))
        total += max(s - 1.0, 0.0)
    return total / n


def drawn_arrays(x, n, rng):
    total = 0.0
    for _ in range(n):
        z = rng.normal(0.0, 1.0, size=(3, 2)) + rng.standard_normal(2) + rng.uniform()
        total += np.sum(x * z) ** 2
    return total


def epidemic(beta, gamma, start, n):
    s, i = 1.0 - start, start
    ill = []
    for _ in range(n):
        new, cured = beta * s * i, gamma * i
        s, i = s - new, i + new - cured
        ill.append(i)
    return max(ill) + sum(ill) / len(ill)


def option(s, r, sigma, n):
    up = math.exp(sigma * math.sqrt(1.0 / n))
    p = (math.exp(r / n) - 1.0 / up) / (up - 1.0 / up)
    values = [max(1.0 - s * up ** (n - 2 * i), 0.0) for i in range(n + 1)]
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            hold = math.exp(-r / n) * (p * values[i] + (1 - p) * values[i + 1])
            values[i] = max(hold, 1.0 - s * up ** (step - 2 * i))
    return values[0]


def option_on_arrays(s, r, sigma, n):
    up = np.exp(sigma * np.sqrt(1.0 / n))
    p = (np.exp(r / n) - 1.0 / up) / (up - 1.0 / up)
    v = np.maximum(1.0 - s * up ** (n - 2.0 * np.arange(n + 1)), 0.0)
    for step in range(n - 1, -1, -1):
        v = np.maximum(p * v[:-1] + (1 - p) * v[1:], 1.0 - s * up ** (step - 2.0 * np.arange(step + 1)))
    return v[0]


def warped(a, b):
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = abs(a[i - 1] - b[j - 1]) + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


def attention(x, wq, wk, wv, heads):
    n, d = x.shape
    q = (x @ wq).reshape(n, 2, -1).transpose(1, 0, 2)
    k = (x @ wk).reshape(n, 2, -1).transpose(1, 0, 2)
    v = (x @ wv).reshape(n, 2, -1).transpose(1, 0, 2)
    e = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(d // heads))
    return np.mean((e / e.sum(axis=-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, d) ** 2)


def moved(a, points):
    q, _ = np.linalg.qr(a)
    total = 0.0
    for p in points:
        r = q @ p + np.linalg.solve(a, p) + np.linalg.inv(a)[0]
        total += np.sqrt(r @ r + 1.0)
    return total + np.linalg.det(a)


def horner(c):
    total = 0.0
    for x in np.linspace(-1, 1, 7):
        v = 0.0
        for a in c[::-1]:
            v = v * x + a
        total += v * v
    return total


def cell(p, x, h, c):
    z = np.concatenate([x, h])
    gate = 1.0 / (1.0 + np.exp(-(p["wf"] @ z + p["bf"])))
    c = gate * c + np.tanh(p["wg"] @ z)
    return p["s"] * np.tanh(c), c


def recurrent(p, xs):
    h, c = np.zeros(3), np.zeros(3)
    loss = 0.0
    for x in xs:
        h, c = cell(p, x, h, c)
        loss += np.sum(h**2)
    return loss


def of_tuple(p, n):
    x = 1.0
    for _ in range(n):
        x = p[0] * math.sin(x) + p[1] * x + p[0] * p[1]
    return x * p[1]


def of_pairs(params, x):
    for w, b in params[:-1]:
        x = np.maximum(x @ w + b, 0.0)
    w, b = params[-1]
    return np.mean((x @ w + b) ** 2)


def of_dicts(p, x):
    h = np.tanh(x @ p["in"]["w"] + p["in"]["b"])
    return np.sum((h @ p["out"]["w"]) ** 2)


def added(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def scaled(a, s):
    return a[0] * s, a[1] * s, a[2] * s


def orbit(x, v, n):
    """Tuples of numbers that small functions are given and give back."""
    place, speed = (x, 0.0, 0.1), (0.0, v, x)
    for _ in range(n):
        r = math.sqrt(place[0] ** 2 + place[1] ** 2 + place[2] ** 2)
        speed = added(speed, scaled(place, -0.1 / r**3))
        place = added(place, scaled(speed, 0.1))
    a, b, c = place
    return a * b + c


def traded(a, n):
    """Tuples that are exchanged in a branch, with items that nobody reads."""
    s, t = (a, 2.0, 0.5), (1.0, a * a, a)
    for i in range(n):
        if i % 2:
            s, t = t, (s[1] * a, s[0], 0.1)
        s = scaled(s, t[0])
    return s[0] * t[1]


class Moving(NamedTuple):
    place: float
    speed: float


def pushed(s, h):
    return Moving(s.place, s.speed - h * math.sin(s.place))


def moving(x, v, n):
    s = Moving(x, v)
    for _ in range(n):
        s = pushed(s, 0.1)
        s = Moving(s.place + 0.1 * s.speed, s[1])
    return s.place * s.speed


WIDE = [RNG.normal(size=(20, 4)), *(RNG.normal(size=(4, 4)) for _ in range(3))]
PARAMETERS = {"wf": RNG.normal(size=(3, 5)), "bf": np.zeros(3), "wg": RNG.normal(size=(3, 5)), "s": 0.7}
SQUARE = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
CASES = [
    (arm, ([0.3, 0.2, -0.1], 5), (0,)),
    (drawn, (1.1, 0.2, 6, 3), (0, 1)),
    (epidemic, (0.5, 0.1, 0.05, 20), (0, 1, 2)),
    (option, (1.1, 0.05, 0.3, 6), (0, 1, 2)),
    (option_on_arrays, (1.1, 0.05, 0.3, 6), (0, 1, 2)),
    (warped, (RNG.normal(size=5), RNG.normal(size=6)), (0, 1)),
    (attention, (*WIDE, 2), (0, 1, 2, 3)),
    (moved, (SQUARE, RNG.normal(size=(4, 3))), (0, 1)),
    (horner, (RNG.normal(size=5),), (0,)),
    (recurrent, (PARAMETERS, RNG.normal(size=(4, 2))), (0, 1)),
    (of_tuple, ((0.5, 0.3), 4), (0,)),
    (of_tuple, ((0.5, np.float64(0.3)), 4), (0,)),
    (orbit, (1.1, 0.9, 5), (0, 1)),
    (orbit, (1.1, np.float64(0.9), 5), (0, 1)),
    (traded, (1.3, 4), (0,)),
    (moving, (1.1, 0.9, 5), (0, 1)),
    (moving, (1.1, np.float64(0.9), 5), (0, 1)),
    (of_pairs, ([(RNG.normal(size=(4, 4)), np.ones(4)), (RNG.normal(size=(4, 2)), np.ones(2))], WIDE[0]), (0, 1)),
    (of_pairs, (((RNG.normal(size=(4, 4)), np.ones(1)), (RNG.normal(size=(4, 1)), np.ones(1))), WIDE[0]), (0, 1)),
    (of_dicts, ({"in": {"w": WIDE[1], "b": np.ones(4)}, "out": {"w": WIDE[2]}}, WIDE[0]), (0, 1)),
]
ALLOWED = {
    "option_on_arrays": ("unbroadcast",),
    "warped": ("shadow(",),
    "moved": ("adjoint",),
    "of_pairs": ("add_part", "unbroadcast"),
    "of_dicts": ("add_part",),
}


def parts(g):
    if isinstance(g, (tuple, list)):
        return [p for x in g for p in parts(x)]
    return [p for x in g.values() for p in parts(x)] if isinstance(g, dict) else [g]


@pytest.mark.parametrize(("f", "args", "wrt"), CASES, ids=[f.__name__ for f, *_ in CASES])
def test_typical(f, args, wrt):
    raw, g = (tangent.grad(f, wrt=wrt, optimized=o) for o in (False, True))
    expected = raw(*args)
    for _ in range(4):
        for p, q in zip(parts(g(*args)), parts(expected), strict=True):
            assert np.shape(p) == np.shape(q)
            np.testing.assert_allclose(p, q, rtol=1e-10, atol=1e-12)
    text = g.version(*args).source
    asked = [a for a in ASKING if a in text and a not in ALLOWED.get(f.__name__, ())]
    assert not asked, text


def shortest(d):
    d = d.copy()
    for k in range(len(d)):
        d[:, :] = np.minimum(d, d[:, k, None] + d[None, k, :])
    return np.sum(d)


def larger(x, y):
    return np.sum(np.maximum(x, y) * np.minimum(2.0 * x, y - 1.0))


@pytest.mark.parametrize("n", [5, 15])
@pytest.mark.parametrize("ties", [False, True])
def test_both_shares_are_made_at_once(n, ties):
    d = RNG.integers(1, 4, size=(n, n)).astype(float) if ties else RNG.uniform(1.0, 9.0, size=(n, n))
    raw, g = (tangent.grad(shortest, optimized=o) for o in (False, True))
    assert "bt3 = take_share(bd2[:, :], n" in g.version(d).source, g.version(d).source
    raw2, g2 = (tangent.grad(larger, wrt=(0, 1), optimized=o) for o in (False, True))
    kept = d.copy()
    other = np.where(d > 2.0, d.T, np.nan if ties else d + 1.0)
    for _ in range(4):
        np.testing.assert_allclose(g(d), raw(d), rtol=1e-12)
        for p, q in zip(g2(d, other), raw2(d, other), strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-12)
    np.testing.assert_array_equal(d, kept)


def test_generators_that_are_given():
    x = np.arange(6.0).reshape(3, 2)
    g = tangent.grad(drawn_arrays)
    expected = tangent.grad(drawn_arrays, optimized=False)(x, 3, np.random.default_rng(1))
    for _ in range(4):
        np.testing.assert_allclose(g(x, 3, np.random.default_rng(1)), expected, rtol=1e-12)
