"""Blocks in functions that are called in unusual ways; the gradients are worked out by hand."""

import functools
from dataclasses import dataclass

import numpy as np
import pytest

from tangent import grad, insert_grad_of, value_and_grad

log = []


def scaled(v, k):
    with insert_grad_of(v) as dv:
        dv = dv * k
    return v * v


def of_itself(x):
    return scaled(scaled(x, 2.0), 3.0)


def in_a_generator(x):
    return sum(scaled(x * i, float(i)) for i in range(4))


def by_partial(x):
    return functools.partial(scaled, k=4.0)(x)


def by_map(x):
    return sum(map(scaled, [x, x * 2.0], [2.0, 2.0]))


def folded(x):
    def step(total, v):
        with insert_grad_of(total) as dtotal:
            dtotal = dtotal * 2.0
        return total * v

    return functools.reduce(step, [x, x, x], 1.0)


def even(x, n):
    with insert_grad_of(x):
        log.append(("even", n))
    return odd(x * 2.0, n - 1) if n > 0 else x


def odd(x, n):
    with insert_grad_of(x) as dx:
        log.append(("odd", n))
        dx = dx + 1.0
    return even(x * 3.0, n - 1) if n > 0 else x


def by_turns(x):
    return even(x, 3)


def on_the_way_out(x, n=3):
    if n == 0:
        return x
    y = on_the_way_out(x * x, n - 1)
    with insert_grad_of(y) as dy:
        log.append(n)
        dy = dy * 2.0
    return y * 1.5


@dataclass
class Layer:
    w: float
    b: float

    def __call__(self, x):
        y = self.w * x + self.b
        with insert_grad_of(self.w) as dw, insert_grad_of(self.b) as db:
            log.append((float(dw), float(db)))
            dw = dw * 2.0
            db = 0.0 * db
        return y


def a_layer_twice(w):
    layer = Layer(w, w)
    return layer(3.0) * layer(6.0)


CASES = [
    (of_itself, 2.0, 192.0, []),
    (in_a_generator, 1.5, 108.0, []),
    (by_partial, 2.0, 16.0, []),
    (by_map, 2.0, 40.0, []),
    (folded, 2.0, 28.0, []),
    (by_turns, 1.0, 26.0, [("odd", 0), ("even", 1), ("odd", 2), ("even", 3)]),
    (on_the_way_out, 1.0, 216.0, [3, 2, 1]),
    (a_layer_twice, 2.0, 152.0, [(0.0, 0.0), (48.0, 8.0)]),
]


@pytest.mark.parametrize("f, x, want, order", CASES, ids=[c[0].__name__ for c in CASES])
def test_blocks_in_callees(f, x, want, order):
    ways = (
        grad(f), grad(f, optimized=False), grad(f, checkpoint=2), lambda x: value_and_grad(f)(x)[1],
    )  # fmt: skip
    for way in ways:
        log.clear()
        assert np.isclose(way(x), want)
        assert log == order
