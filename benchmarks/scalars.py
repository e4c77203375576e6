"""Loops over plain floats: the `while` listing, and a recurrence with branches and `math` functions."""

from __future__ import annotations

import math

import tangent
from benchmarks import peers
from benchmarks.measure import Case

STEPS = 2000


def count_up(x):
    while x < 10000:
        x = x + 1
    return x


def count_up_by_hand(x, bx=1.0):
    return bx


def recurrence(x, a, n):
    for _ in range(n):
        if x > 0.5:
            x = a * math.sin(x) + 0.1 * x
        else:
            x = math.exp(-x * x) + a * x
    return x


def annotated(x: float, a: float, n: int):
    for _ in range(n):
        if x > 0.5:
            x = a * math.sin(x) + 0.1 * x
        else:
            x = math.exp(-x * x) + a * x
    return x


def recurrence_by_hand(x, a, n, bx=1.0):
    xs = []
    for _ in range(n):
        xs.append(x)
        if x > 0.5:
            x = a * math.sin(x) + 0.1 * x
        else:
            x = math.exp(-x * x) + a * x
    ba = 0.0
    while xs:
        x = xs.pop()
        if x > 0.5:
            ba += bx * math.sin(x)
            bx = bx * (a * math.cos(x) + 0.1)
        else:
            ba += bx * x
            bx = bx * (a - 2.0 * x * math.exp(-x * x))
    return bx, ba


def traced_count_up(np, x):
    while x < 10000:
        x = x + 1
    return x


def traced_recurrence(np, x, a):
    for _ in range(STEPS):
        x = a * np.sin(x) + 0.1 * x if x > 0.5 else np.exp(-x * x) + a * x
    return x


def cases() -> list[Case]:
    up, step, known = tangent.grad(count_up), tangent.grad(recurrence, (0, 1)), tangent.grad(annotated, (0, 1))
    return [
        Case(
            "the `while` listing, against the primal", lambda: count_up(1.0), lambda: up(1.0),
            lambda: (count_up(1.0), count_up_by_hand(1.0))[1],
            peers.by(traced_count_up, (1.0,), (0,), "jax", ("TensorFlow", "tangent-ad"), count_up), 1.2, "primal",
            rounds=9,
        ),
        Case(
            f"recurrence of {STEPS} steps, annotated as floats", lambda: annotated(0.3, 1.7, STEPS),
            lambda: known(0.3, 1.7, STEPS), lambda: recurrence_by_hand(0.3, 1.7, STEPS),
            peers.by(traced_recurrence, (0.3, 1.7), (0, 1), "jax", ("TensorFlow",)), 1.2, tolerance=1e-3, rounds=9,
        ),
        Case(
            "the same, not annotated", lambda: recurrence(0.3, 1.7, STEPS), lambda: step(0.3, 1.7, STEPS),
            lambda: recurrence_by_hand(0.3, 1.7, STEPS), {}, 1.2, tolerance=1e-6, rounds=9,
        ),
    ]  # fmt: skip
