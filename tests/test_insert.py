# ruff: noqa: F841  (what blocks bind is read in the backward pass)
"""Gradient surgery: `with insert_grad_of(x) as dx:` in every place where a statement can stand."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pytest

import tangent
from tangent import grad, insert_grad_of, jvp, stop_gradient
from tangent.errors import ArgumentError, UnsupportedError

LOG: list = []


@pytest.fixture(autouse=True)
def empty_log():
    LOG.clear()


def both(f, wrt=(0,)):
    """The gradient, raw and optimised."""
    return grad(f, wrt, optimized=False), grad(f, wrt)


# The listing


# fmt: off
def listing(x):
    with insert_grad_of(x) as dx:
        if dx > 10:
            print('Warning, large gradient', dx)
            dx = 10
    return x * x
# fmt: on


def test_the_listing(capsys):
    df = grad(listing)
    assert listing(3.0) == 9.0
    assert df(3.0) == 6.0
    assert capsys.readouterr().out == ""
    assert df(8.0) == 10.0 and isinstance(df(8.0), float)
    assert capsys.readouterr().out == "Warning, large gradient 16.0\n" * 2
    assert "# Inserted code\n" in df.source
    assert "    if dx > 10:\n        print('Warning, large gradient', dx)\n        dx = 10\n" in df.source


def test_second_order_of_the_listing():
    ddf = grad(grad(listing))
    assert ddf(3.0) == 2.0 and ddf(8.0) == 0.0
    assert tangent.hvp(listing)(3.0, 1.0) == 2.0


def test_the_block_is_skipped_in_one_line_and_in_loops():
    def f(x):
        for _ in range(2):
            with insert_grad_of(x) as dx:
                dx = LOG.append(x)  # noqa: E701
            x = x * x
        return x

    assert f(2.0) == 16.0 and LOG == []


def test_a_debugger_goes_on_tracing():
    seen = []

    def tracer(frame, event, arg):
        if frame.f_code is listing.__code__:
            seen.append((event, frame.f_lineno - listing.__code__.co_firstlineno))
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        listing(3.0)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is tracer
    assert seen == [("call", 0), ("line", 1), ("line", 5), ("return", 5)]


# Jumps: the backward loop ends early, and everything around it stays right. The same numbers come from cutting the
# graph with stop_gradient.


def truncated(w, x, n, k):
    h = x
    for t in range(n):
        with insert_grad_of(h) as dh:
            if t == n - k:
                dh = 0.0 * dh
                break
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def truncated_by_cutting(w, x, n, k):
    h = x
    for t in range(n):
        if t == n - k:
            h = stop_gradient(h)
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def in_the_middle(w, x, n, k):
    h = np.sin(x)
    for t in range(n):
        u = w * h + x
        h = h * 0.5
        with insert_grad_of(u):
            if t == k:
                break
        h = np.tanh(u) + h
        u = h * h
    return np.sum(h * h)


def in_the_middle_by_cutting(w, x, n, k):
    h = np.sin(x)
    for t in range(n):
        u = w * h + x
        h = h * 0.5
        if t == k:
            u, h = stop_gradient(u), stop_gradient(h)
        h = np.tanh(u) + h
        u = h * h
    return np.sum(h * h)


def nested_break(w, x, n, k):
    total = np.cos(x)
    for s in range(3):
        h = total * w
        for t in range(n + s):
            u = w * h
            with insert_grad_of(u) as du:
                if t == k:
                    break
            h = np.tanh(u + x)
            u = h + 1.0
        total = total * h + s
    return np.sum(total)


def nested_break_by_cutting(w, x, n, k):
    total = np.cos(x)
    for s in range(3):
        h = total * w
        for t in range(n + s):
            u = w * h
            if t == k:
                u = stop_gradient(u)
            h = np.tanh(u + x)
            u = h + 1.0
        total = total * h + s
    return np.sum(total)


def nested_continue(w, x, n, k):
    total = np.cos(x)
    for s in range(3):
        h = total * w
        for t in range(n + s):
            h = np.sin(h)
            u = w * h
            h = h * h
            with insert_grad_of(u) as du:
                if (t + s) % 2 == k:
                    continue
                LOG.append(t)
            h = np.tanh(u + x) * 1.5
        total = total * h + s
    return np.sum(total)


def nested_continue_by_cutting(w, x, n, k):
    total = np.cos(x)
    for s in range(3):
        h = total * w
        for t in range(n + s):
            h = np.sin(h)
            u = w * h
            h = h * h
            if (t + s) % 2 == k:
                u, h = stop_gradient(u), stop_gradient(h)
            h = np.tanh(u + x) * 1.5
        total = total * h + s
    return np.sum(total)


def inside_a_branch(w, x, n, k):
    total = np.cos(x)
    for s in range(2):
        h = np.exp(total)
        t = 0
        while t < n:
            h = h * 0.9
            if t % 2 == 0:
                h = np.sin(h * w)
                with insert_grad_of(h) as dh:
                    if t > k:
                        dh = dh * 0.0
                        continue
                    if t == k:
                        dh = dh * 0.0
                        break
                h = h * h
            else:
                h = np.cos(h)
            h = h + x
            t = t + 1
        total = total * h
    return np.sum(total)


def inside_a_branch_by_cutting(w, x, n, k):
    total = np.cos(x)
    for s in range(2):
        h = np.exp(total)
        t = 0
        while t < n:
            h = h * 0.9
            if t % 2 == 0:
                h = np.sin(h * w)
                if t >= k:
                    h = stop_gradient(h)
                h = h * h
            else:
                h = np.cos(h)
            h = h + x
            t = t + 1
        total = total * h
    return np.sum(total)


def with_lists(w, x, n, k):
    hs = []
    total = x
    for s in range(2):
        h = total
        for t in range(n):
            u = np.sin(h * w)
            with insert_grad_of(u):
                if t == k:
                    break
            h = u * x
            hs.append(h)
        total = total + h
    for h in hs:
        total = total * h
    return np.sum(total)


def with_lists_by_cutting(w, x, n, k):
    k = k if k < n else -1
    hs = []
    total = x
    for s in range(2):
        h = total
        for t in range(n):
            u = np.sin(h * w)
            if t == k:
                u = stop_gradient(u)
            h = u * (stop_gradient(x) if t < k else x)
            if t < k:
                h = stop_gradient(h)
            hs.append(h)
        total = total + h
    for h in hs:
        total = total * h
    return np.sum(total)


CUTS = [
    (truncated, truncated_by_cutting), (in_the_middle, in_the_middle_by_cutting),
    (nested_break, nested_break_by_cutting), (nested_continue, nested_continue_by_cutting),
    (inside_a_branch, inside_a_branch_by_cutting), (with_lists, with_lists_by_cutting),
]  # fmt: skip


@pytest.mark.parametrize("f, reference", CUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n, k", [(4, 1), (4, 0), (4, 3), (0, 0), (3, 7), (5, 2)])
def test_jumps_act_on_the_backward_loop(f, reference, n, k):
    w, x = 0.8, np.array([0.3, -0.7])
    np.testing.assert_array_equal(f(w, x, n, k), reference(w, x, n, k))
    expected = grad(reference, (0, 1))(w, x, n, k)
    for derivative in both(f, (0, 1)):
        for got, want in zip(derivative(w, x, n, k), expected):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f, reference", CUTS[:-1], ids=lambda f: f.__name__)
def test_second_order_of_jumps(f, reference):
    """The gradient is a function as any other, cut where it is cut."""
    w, x = 0.8, np.array([0.3, -0.7])

    def total(w, x, n, k):
        return np.sum(grad(f, 1)(w, x, n, k) * np.array([1.0, 2.0]))

    h = 1e-6
    numeric = (total(w + h, x, 4, 1) - total(w - h, x, 4, 1)) / (2 * h)
    assert np.isclose(grad(total)(w, x, 4, 1), numeric, rtol=1e-6)
    assert np.isclose(jvp(total)(w, x, 4, 1, 1.0), numeric, rtol=1e-6)
