# ruff: noqa: F841  (what blocks bind is read in the backward pass)
"""Blocks on objects, lists, dicts and arrays that change, whole or in part, also where they jump.

Each program stands beside the same with values that are never changed.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from tangent import checkpoint, grad, insert_grad_of, jvp
from tangent.errors import UnsupportedError

X = np.array([0.5, 0.8, 1.1])
V = np.array([1.0, -0.5, 2.0])


def scaled(v):
    with insert_grad_of(v) as dv:
        dv = dv * 10.0
    return v


class Cell:
    def __init__(self, h):
        self.h, self.items = h, [h * 1.0, h * 2.0]

    def step(self, x):
        self.h *= x
        with insert_grad_of(self.h) as dh:
            dh = dh * 10.0
        self.h += x
        return np.sum(self.h)


def an_attribute_in_place(x):
    cell, total = Cell(x.copy()), 0.0
    for _ in range(3):
        total = total + cell.step(x)
    return total


def an_attribute_by_value(x):
    h, total = x, 0.0
    for _ in range(3):
        h = scaled(h * x) + x
        total = total + np.sum(h)
    return total


def a_whole_object(x):
    cell = Cell(x * x)
    cell.items[1] = cell.h * x
    with insert_grad_of(cell) as dcell:
        dcell.h = dcell.h * 10.0
        dcell.items = [dcell.items[0], dcell.items[1] * 10.0]
    cell.h = cell.h * x
    return np.sum(cell.h) * np.sum(cell.items[0] * cell.items[1])


def its_parts(x):
    h, first, second = scaled(x * x), x * x, scaled(x * x * x)
    return np.sum(h * x) * np.sum(first * second)


Pair = namedtuple("Pair", "a b")


def a_tuple_with_a_list(x):
    cell = Cell(x)
    cell.pair = Pair([x * 1.0, x * 3.0], x * 2.0)
    cell.pair.a[0] = x * x
    with insert_grad_of(cell.pair) as dp:
        dp = dp._replace(b=dp.b * 10.0, a=[dp.a[0] * 10.0, dp.a[1]])
    cell.pair.a[0] = cell.pair.a[0] * x
    return np.sum(cell.pair.a[0] * cell.pair.a[1] * cell.pair.b)


def its_items(x):
    return np.sum(scaled(x * x) * x * (x * 3.0) * scaled(x * 2.0))


def arrays_in_dicts(x):
    d = {"w": x.copy(), "v": x * 1.0}
    both = [d, d]
    both[0]["w"] *= x
    with insert_grad_of(d["w"]) as dw:
        dw = dw * 10.0
    both[1]["w"] *= x
    return np.sum(d["w"] * d["v"])


def arrays_by_value(x):
    return np.sum(scaled(x * x) * x * x)


@dataclass
class Model:
    w: np.ndarray
    h: float = 0.0

    def step(self, x):
        self.h = self.h + np.sum(self.w * x)
        self.w = self.w * self.h
        with insert_grad_of(self) as d:
            d.w = d.w * 10.0
            d.h = d.h * 10.0


def a_dataclass(x):
    model = Model(x * 1.0)
    for _ in range(2):
        model.step(x)
    return model.h + np.sum(model.w)


def a_dataclass_by_value(x):
    w, h = x * 1.0, 0.0
    for _ in range(2):
        h = h + np.sum(w * x)
        w = scaled(w * h)
        h = scaled(h)
    return h + np.sum(w)


WHOLE = [
    (an_attribute_in_place, an_attribute_by_value),
    (a_whole_object, its_parts),
    (a_tuple_with_a_list, its_items),
    (arrays_in_dicts, arrays_by_value),
    (a_dataclass, a_dataclass_by_value),
]


@pytest.mark.parametrize("f, plain", WHOLE, ids=lambda f: f.__name__)
def test_what_changes(f, plain):
    assert np.isclose(f(X), plain(X), rtol=1e-12)
    want = grad(plain)(X)
    for optimized in (True, False):
        np.testing.assert_allclose(grad(f, optimized=optimized)(X), want, rtol=1e-11)


@pytest.mark.parametrize("f, plain", WHOLE[2:3], ids=lambda f: f.__name__)
def test_second_order(f, plain):
    def along(x):
        return np.sum(grad(f)(x) * V)

    dplain, e = grad(plain), 1e-6
    numeric = np.sum((dplain(X + e * V) - dplain(X - e * V)) * V) / (2 * e)
    assert np.isclose(np.sum(grad(along)(X) * V), numeric, rtol=1e-5)


def holds_a_list_twice(x):
    cell = Cell(x)
    cell.again = cell.items
    cell.items[0] = x
    with insert_grad_of(cell) as dcell:
        dcell = None
    return cell.again[0]


def test_what_has_no_gradient_of_its_own_is_refused():
    with pytest.raises(UnsupportedError, match="holds a list twice"):
        grad(holds_a_list_twice)(2.0)


# Where blocks jump, gradients stay where they are: in variables, attributes and items


def jumps(x, n, k, ends):
    h = x
    for t in range(n):
        h = h * x
        with insert_grad_of(h) as dh:
            if t == k:
                dh = dh * 0.5
                if ends:
                    break
                continue
        h = np.sin(h) + x
    return np.sum(h)


def jumps_on_an_attribute(x, n, k, ends):
    cell = Cell(x)
    for t in range(n):
        cell.h = cell.h * x
        with insert_grad_of(cell.h) as dh:
            if t == k:
                dh = dh * 0.5
                if ends:
                    break
                continue
        cell.h = np.sin(cell.h) + x
    return np.sum(cell.h)


def jumps_on_an_array(x, n, k, ends):
    cell = Cell(x.copy())
    for t in range(n):
        cell.h *= x
        with insert_grad_of(cell.h) as dh:
            if t == k:
                dh = dh * 0.5
                if ends:
                    break
                continue
        cell.h[:] = np.sin(cell.h) + x
    return np.sum(cell.h)


def jumps_on_a_list_in_a_list(x, n, k, ends):
    g = [[x * 1.0], [x * 1.0, 1.0]]
    for t in range(n):
        g[1][0] = g[1][0] * x
        with insert_grad_of(g[1][0]) as dh:
            if t == k:
                dh = dh * 0.5
                if ends:
                    break
                continue
        g[1][0] = np.sin(g[1][0]) + x
    return np.sum(g[1][0])


def jumps_while_a_list_grows(x, n, k, ends):
    cell = Cell(x)
    for t in range(n):
        cell.h = cell.h * x
        cell.items.append(cell.h)
        with insert_grad_of(cell.h) as dh:
            if t == k:
                dh = dh * 0.5
                if ends:
                    break
                continue
        cell.h = np.sin(cell.h) + x + 0.0 * cell.items[-1]
    return np.sum(cell.h)


JUMPS = [jumps_while_a_list_grows, jumps_on_an_attribute, jumps_on_an_array, jumps_on_a_list_in_a_list]


@pytest.mark.parametrize("f", JUMPS, ids=lambda f: f.__name__)
def test_jumps(f):
    plain, df = grad(jumps), grad(f, optimized=f is not jumps_on_an_attribute)
    for n, k, ends in [(3, 0, True), (4, 2, True), (4, 2, False), (3, 9, True), (0, 0, True)]:
        np.testing.assert_allclose(df(X, n, k, ends), plain(X, n, k, ends), rtol=1e-11)


def test_second_order_of_jumps():
    def along(x, ends):
        return np.sum(grad(jumps_on_an_attribute)(x, 4, 2, ends) * V)

    plain, e = grad(jumps), 1e-6
    for ends in (True, False):
        numeric = np.sum((plain(X + e * V, 4, 2, ends) - plain(X - e * V, 4, 2, ends)) * V) / (2 * e)
        assert np.isclose(np.sum(grad(along)(X, ends) * V), numeric, rtol=1e-5)
        assert np.isclose(jvp(along)(X, ends, V), numeric, rtol=1e-5)


# Checkpointed loops


def ended(w, x, n, k):
    h = x * w
    for t in range(n):
        h = np.sin(h * w) + x
        with insert_grad_of(h) as dh:
            if t == k:
                dh = dh * 0.5
                break
        h = h * x
    return np.sum(h * h)


def left_out(w, x, n, k):
    a = x * w
    q = np.sum(a * a)
    for t in range(n):
        a[:] = np.sin(a * w) + x
        with insert_grad_of(a) as da:
            if t == k:
                da = da * 0.5
                continue
        a[1:] = a[1:] * a[:-1]
    return np.sum(a * a) * q


def ended_and_left_out(w, x, n, k):
    h = x * w
    for t in range(n):
        h = np.sin(h * w) + x
        with insert_grad_of(h) as dh:
            if t == k:
                dh = dh * 0.5
                break
            if t == k + 2:
                continue
        h = h * x
    return np.sum(h * h)


@pytest.mark.parametrize("f", [ended, left_out, ended_and_left_out])
def test_checkpointed_loops(f):
    want = grad(f, (0, 1))
    for optimized in (True, False):
        df = grad(f, (0, 1), checkpoint=2, optimized=optimized)
        for n, k in [(0, 0), (1, 0), (9, 4), (9, 0), (6, 8)]:
            for a, b in zip(df(0.8, X, n, k), want(0.8, X, n, k)):
                np.testing.assert_allclose(a, b, rtol=1e-11)


def test_second_order_of_checkpointed_loops():
    def along(w):
        return np.sum(grad(ended_and_left_out, 1, checkpoint=2)(w, X, 5, 1) * V)

    plain, e = grad(ended_and_left_out, 1), 1e-6
    numeric = np.sum((plain(0.8 + e, X, 5, 1) - plain(0.8 - e, X, 5, 1)) * V) / (2 * e)
    assert np.isclose(grad(along)(0.8), numeric, rtol=1e-5)
    assert np.isclose(jvp(along)(0.8, 1.0), numeric, rtol=1e-5)


def test_the_end_of_a_checkpointed_loop_that_changes_objects_is_refused():
    def f(x):
        cell = Cell(x)
        with checkpoint(2):
            for t in range(3):
                cell.h = cell.h * x
                with insert_grad_of(cell.h):
                    if t == 1:
                        break
        return cell.h

    with pytest.raises(UnsupportedError, match="its steps change objects"):
        grad(f)(2.0)
