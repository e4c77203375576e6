# ruff: noqa: E701, E702, F841  (blocks in one line; what blocks bind is read in the backward pass)
"""What a block may be about: places of every kind, blocks inside blocks, objects that are changed."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tangent import grad, hvp, insert_grad_of, jvp
from tangent.errors import UnsupportedError

LOG: list = []
X = np.array([1.0, 2.0, 3.0])


def both(f, args, wrt=(0,)):
    """The gradient, raw and optimised, with what was logged."""
    found = []
    for optimized in (False, True):
        LOG.clear()
        found.append((grad(f, wrt, optimized=optimized)(*copy.deepcopy(args)), list(LOG)))
    return found


# Inside each other


def nested(x, y):
    with insert_grad_of(x) as dx:
        dx = 2.0 * dx
        # inside
        with insert_grad_of(y) as dy:
            # deep inside
            dy = 3.0 * dy  # times three
            text = """two
   lines"""
        LOG.append((text, dx, dy))
        # the end
    return x * y


def nested_deeply(x, y):
    with insert_grad_of(x) as dx:
        if dx > 100.0:
            with insert_grad_of(y) as dy: dy = 0.0  # fmt: skip
        else:
            for _ in range(1):
                with (
                    insert_grad_of(y) as dy,
                ):
                    dy = (dy
                        * 3.0)  # fmt: skip
        dx = 2.0 * dx
    return x * y


def with_a_function_beside(x, y):
    def same(u):
        with insert_grad_of(u) as du:
            du = 3.0 * du
        return u

    with insert_grad_of(x) as dx:
        dx = (2.0 *
        dx); LOG.append(dx)  # fmt: skip
    return x * same(y)


@pytest.mark.parametrize("f", [nested, nested_deeply, with_a_function_beside])
def test_blocks_inside_blocks(f):
    for found, log in both(f, (2.0, 5.0), (0, 1)):
        assert found == (10.0, 6.0)
        assert f is not nested or log == [("two\n   lines", 10.0, 6.0)]


def test_lines_of_nested_blocks():
    source = grad(nested).source
    lines = (
        "    dx = 2.0 * dx\n    # inside\n    # deep inside\n    dy = 3.0 * dy  # times three\n"
        '    text = """two\n   lines"""\n    LOG.append((text, dx, dy))\n    # the end\n'
    )
    assert lines in source


# Arrays, lists and dicts that are written in place


def one_element_at_a_time(x):
    a = np.zeros(3)
    for i in range(3):
        a[i] = x[i] ** 2
        with insert_grad_of(a[i]) as g:
            LOG.append((i, float(g), a.tolist()))
            g = 10.0 * g
    return a[0] + 2.0 * a[1] + 3.0 * a[2]


def test_elements_of_an_array_that_is_filled():
    for found, log in both(one_element_at_a_time, (X,)):
        np.testing.assert_array_equal(found, [20.0, 80.0, 180.0])
        assert log == [(2, 3.0, [1.0, 4.0, 9.0]), (1, 2.0, [1.0, 4.0, 0.0]), (0, 1.0, [1.0, 0.0, 0.0])]


def a_view(x):
    a = x.copy()
    v = a[1:2]
    v *= 2.0
    with insert_grad_of(v) as g:
        g = 10.0 * g
    return np.sum(a)


def rows(x):
    rows = [x * 1.0, x * 2.0]
    rows[0][0] = x[0] * 1.0
    rows[1][1] = 0.0
    with insert_grad_of(rows[0][1]) as g:
        g = 20.0 * g
    return np.sum(rows[0])


def all_rows(x):
    rows = [x * 1.0, x * 2.0]
    rows[0][0] = x[0] * 1.0
    rows[1][1] = 0.0
    with insert_grad_of(rows) as g:
        g = [g[0] * np.array([1.0, 20.0, 1.0]), g[1]]
    return np.sum(rows[0])


def a_dict_of_arrays(x):
    d = {"a": x * 1.0, "n": 3}
    d["a"][0] = x[0] * 1.0
    with insert_grad_of(d["a"]) as g:
        g = g * np.array([1.0, 20.0, 1.0])
    d["a"][1] *= 1.0
    return np.sum(d["a"])


def fills(a, x):
    a[:] = x * 1.0
    with insert_grad_of(a) as da:
        da[1] *= 20.0


def a_callee_that_fills(x):
    a = np.empty(3)
    fills(a, x)
    return np.sum(a)


@pytest.mark.parametrize("f", [a_view, rows, all_rows, a_dict_of_arrays, a_callee_that_fills])
def test_what_is_written_in_place(f):
    for found, _ in both(f, (X,)):
        np.testing.assert_array_equal(found, [1.0, 20.0, 1.0])


def numbers_in_a_dict(x):
    state = {"h": 1.0, "n": 0}
    for _ in range(3):
        state["h"] = state["h"] * x
        state["n"] += 1
        h = state["h"]
        with insert_grad_of(h) as dh:
            LOG.append((state["n"], state["h"], float(dh)))
            dh = 0.5 * dh
        state["h"] = h
    return state["h"]


def test_numbers_in_a_dict():
    for found, log in both(numbers_in_a_dict, (2.0,)):
        assert found == 0.5 * 4.0 + 0.25 * 4.0 + 0.125 * 4.0
        assert log == [(3, 8.0, 1.0), (2, 4.0, 1.0), (1, 2.0, 1.0)]


def a_list_under_its_old_name(xs):
    xs = list(xs)
    xs[0] = xs[0] * 1.0
    with insert_grad_of(xs) as g:
        g = [10.0 * v for v in g]
    return xs[0] + 2.0 * xs[1]


def test_a_list_under_its_old_name():
    for found, _ in both(a_list_under_its_old_name, ([1.0, 2.0],)):
        assert found == [10.0, 20.0]


# Objects that are made and changed: the block sees them as they were


class Cell:
    def __init__(self, w, seen):
        self.w, self.h, self.seen = w, 0.0, seen

    def step(self, x):
        self.h = self.h * self.w + x
        with insert_grad_of(self.h) as dh:
            LOG.append((float(dh), self.h))
            self.seen.append(float(dh))
            dh = 0.5 * dh
        return self.h


SEEN: list = []


def through_a_cell(x):
    cell = Cell(3.0, SEEN)
    for _ in range(3):
        y = cell.step(x)
    return y


def test_attributes_of_objects_that_change():
    for found, log in both(through_a_cell, (2.0,)):
        assert found == 0.5 + 0.5 * 3.0 * 0.5 + (0.5 * 3.0) ** 2 * 0.5
        assert log == [(1.0, 26.0), (1.5, 8.0), (2.25, 2.0)]
    assert SEEN == [1.0, 1.5, 2.25] * 2


class Inner:
    def __init__(self, h):
        self.h = h


class Outer:
    def __init__(self, x):
        self.inner, self.items = Inner(x), [x, x]


def scaled(o, x):
    o.inner.h = o.inner.h * x
    o.items[1] = o.items[1] * x


def deep_inside(x):
    o = Outer(x)
    scaled(o, x)
    with insert_grad_of(o.inner.h) as dh, insert_grad_of(o.items[1]) as di:
        LOG.append((o.inner.h, list(o.items)))
        dh, di = 10.0 * dh, 100.0 * di
    scaled(o, x)
    return o.inner.h + o.items[1]


def test_objects_in_objects():
    for found, log in both(deep_inside, (2.0,)):
        assert found == (4.0 + 10.0 * 8.0) + (4.0 + 100.0 * 8.0)
        assert log == [(4.0, [2.0, 4.0])]


def truncated_cell(x, k):
    cell = Cell(3.0, [])
    h = x
    for t in range(4):
        cell.h = cell.h * 3.0 + h
        h = cell.h
        with insert_grad_of(h):
            LOG.append((t, cell.h))
            if t == k:
                break
    return cell.h


def test_jumps_beside_objects_that_change():
    for _, log in both(truncated_cell, (1.0, 2)):
        assert log == [(3, 64.0), (2, 16.0)]


def counts(x, cell):
    cell.h = x
    y = cell.step(x)
    with insert_grad_of(y):
        cell.count = 1
    return y


def keeps_a_log(x):
    cell = Cell(3.0, [])
    begin(cell, x)
    return cell.step(x)


def begin(cell, x):
    cell.seen.append(x)


@pytest.mark.parametrize(
    "f, args, text",
    [(counts, (2.0, Cell(3.0, [])), "changes 'cell'"), (keeps_a_log, (2.0,), "changes 'self.seen'")],
)  # fmt: skip
def test_what_would_be_lost_is_refused(f, args, text):
    for optimized in (False, True):
        with pytest.raises(UnsupportedError, match=text):
            grad(f, optimized=optimized)(*args)


# What the block makes of a gradient


@pytest.mark.parametrize("x, want", [(2.0, 1.0), (np.float32(2.0), np.float32(1.0)), (2.0 + 1.0j, 1.0 + 1.0j)])
def test_a_complex_gradient_of_something_real_is_its_real_part(x, want):
    def f(x):
        with insert_grad_of(x) as dx:
            dx = 1.0 + 1.0j
        return abs(x)

    found = grad(f)(x)
    assert found == want and isinstance(found, complex) == isinstance(x, complex)


class Stepper:
    def __init__(self, w):
        self.w, self.h, self.seen = w, 0.0, [0.0]

    def step(self, x):
        self.h = self.h * self.w + x * x
        self.seen.append(self.h)
        with insert_grad_of(self.h) as dh:
            dh = dh * self.h + self.seen[-1] * len(self.seen)
        return self.h


def stepped(x):
    stepper = Stepper(3.0)
    for _ in range(2):
        y = stepper.step(x)
    return y


def test_second_order_of_blocks_that_look_at_objects():
    first, x, e = grad(stepped), 1.3, 1e-6
    numeric = (first(x + e) - first(x - e)) / (2 * e)
    assert grad(first)(x) == pytest.approx(numeric, rel=1e-6)
    assert jvp(first)(x, dx=1.0) == pytest.approx(numeric, rel=1e-6)
    assert hvp(stepped)(x, 1.0) == pytest.approx(numeric, rel=1e-6)
