# ruff: noqa: F841  (what blocks bind is read in the backward pass)
"""Gradient surgery: `with insert_grad_of(x) as dx:` in every place where a statement can stand."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import pytest

import tangent
from tangent import grad, insert_grad_of, jvp
from tangent.errors import ArgumentError, UnsupportedError

LOG: list = []


@pytest.fixture(autouse=True)
def empty_log():
    LOG.clear()


def both(f, wrt=(0,)):
    """The gradient, raw and optimised."""
    return grad(f, wrt, optimized=False), grad(f, wrt)


# The listing


def listing(x):
    with insert_grad_of(x) as dx:
        if dx > 10:
            print("Warning, large gradient", dx)
            dx = 10
    return x * x


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
