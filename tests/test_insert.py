# ruff: noqa: F841  (what blocks bind is read in the backward pass)
"""Gradient surgery: `with insert_grad_of(x) as dx:` in every place where a statement can stand."""

from __future__ import annotations

import sys
from dataclasses import dataclass
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
                dx = LOG.append(x)
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
    for _s in range(2):
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
    for _s in range(2):
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
    for _s in range(2):
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
    for _s in range(2):
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


# Where a block can stand


class Pair(NamedTuple):
    a: float
    b: float


class Layer:
    def __init__(self, w):
        self.w = w

    def step(self, h):
        with insert_grad_of(h) as dh:
            LOG.append(float(dh))
            dh = dh * 2.0
        return h * self.w


def reverse_gradient(h):
    with insert_grad_of(h) as dh:
        dh = -dh
    return h


def in_callees(x):
    return reverse_gradient(x * x) * 3.0


def in_methods(x, layer):
    return layer.step(layer.step(x))


def in_closures(x):
    def inner(y):
        with insert_grad_of(y) as dy:
            dy = dy * 10.0
        return y * x

    return inner(x * 2.0)


def test_callees_methods_and_closures():
    for derivative in both(in_callees):
        assert derivative(2.0) == -12.0
    for derivative in both(in_methods):
        assert derivative(2.0, Layer(3.0)) == 36.0
    assert LOG == [3.0, 18.0] * 2
    assert grad(in_closures)(3.0) == 2.0 * 3.0 * 10.0 + 6.0
    assert in_callees(2.0) == 12.0 and in_methods(2.0, Layer(3.0)) == 18.0


def several(x, y):
    with insert_grad_of(x) as dx, insert_grad_of(y) as dy:
        dx, dy = dy, dx
    return x * y * y


def nested(x, y):
    with insert_grad_of(x) as dx, insert_grad_of(y) as dy:
        dx, dy = dy, dx
    return x * y * y


@pytest.mark.parametrize("f", [several, nested])
def test_several_items(f):
    for derivative in both(f, (0, 1)):
        assert derivative(2.0, 3.0) == (12.0, 9.0)


def items(params, xs, pair, i):
    with insert_grad_of(params["w"]) as dw, insert_grad_of(xs[i]) as dx, insert_grad_of(pair.b) as db:
        LOG.append((dw.copy(), float(dx), float(db)))
        dw[0] = 100.0
        dx = 7
        db = -db
    return np.sum(params["w"] * params["v"]) * xs[i] * pair.b + params["v"][0] + xs[0] + pair.a


def test_items_and_fields():
    w, v = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    xs, pair = np.array([1.0, 2.0]), Pair(0.5, 3.0)
    for derivative in both(items, (0, 1, 2)):
        bparams, bxs, bpair = derivative({"w": w, "v": v}, xs, pair, 1)
        np.testing.assert_allclose(bparams["w"], [100.0, 24.0])
        np.testing.assert_allclose(bparams["v"], [7.0, 12.0])
        np.testing.assert_allclose(bxs, [1.0, 7.0])
        assert bpair == Pair(1.0, -22.0)
    for dw, dx, db in LOG:
        np.testing.assert_allclose(dw, [18.0, 24.0])
        assert (dx, db) == (33.0, 22.0)


def values_of_that_moment(x, n):
    y = x
    scale = 1.0
    for i in range(n):
        scale = scale * 2.0
        y = y * x
        with insert_grad_of(y) as dy:
            LOG.append((i, scale, y, dy))
        y = y + scale
        scale = scale + 1.0
    scale = 0.0
    return y * scale + y


def test_the_block_sees_the_values_of_its_moment():
    x = 1.5
    for derivative in both(values_of_that_moment):
        LOG.clear()
        derivative(x, 2)
        assert [(1, 6.0, (x * x + 2.0) * x, 1.0), (0, 2.0, x * x, x)] == LOG


def of_what_is_not_asked_for(x, y):
    z = y * 2.0
    with insert_grad_of(z) as dz, insert_grad_of(y) as dy:
        LOG.append((dz, dy))
    unused = x * 5.0
    with insert_grad_of(unused) as du:
        LOG.append(du)
    return x * z


def test_gradients_that_nobody_asked_for_are_there():
    for derivative in both(of_what_is_not_asked_for):
        LOG.clear()
        assert derivative(3.0, 4.0) == 8.0
        assert LOG == [0.0, (3.0, 0.0)]


def synthetic(x, w):
    h = np.tanh(w * x)
    with insert_grad_of(h) as dh:
        dh = 0.1 * h
    return 0.0


def test_a_gradient_can_be_made_where_none_arrives():
    h = np.tanh(0.5 * 2.0)
    for derivative in both(synthetic, "w"):
        assert np.isclose(derivative(2.0, 0.5), 0.1 * h * (1 - h * h) * 2.0)


def aliases(x, y):
    with insert_grad_of(x) as dx:
        dx *= 2.0
    with insert_grad_of(y) as dy:
        LOG.append(dy)
    z = x + y
    return np.sum(z * z)


def test_changes_in_place_reach_nobody_else():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for derivative in both(aliases, (0, 1)):
        bx, by = derivative(x, y)
        np.testing.assert_array_equal(bx, [16.0, 24.0])
        np.testing.assert_array_equal(by, [8.0, 12.0])
        by[0] = 50.0
        np.testing.assert_array_equal(LOG[-1], [8.0, 12.0])


def logged(x, n):
    norms = []
    for _ in range(n):
        x = np.sin(x)
        with insert_grad_of(x) as dx:
            norms.append(float(np.linalg.norm(dx)))
    return np.sum(x), norms


def test_a_log_made_in_the_function_is_handed_out():
    x = np.array([0.3, 0.4])
    bx, norms = grad(logged, has_aux=True)(x, 3)
    assert len(norms) == 3 and norms[0] == pytest.approx(np.sqrt(2))
    assert logged(x, 3)[1] == []
    np.testing.assert_allclose(jvp(logged, has_aux=True)(x, 3, np.ones(2))[0], np.sum(bx))


# Forward mode and what is refused


def test_forward_mode_skips_blocks_that_only_look():
    def f(x):
        with insert_grad_of(x) as dx:
            print(dx)
        return x * x

    assert jvp(f)(3.0, 1.0) == 6.0
    assert grad(jvp(f))(3.0, 1.0) == 2.0
    with pytest.raises(UnsupportedError, match=r"test_insert.py:\d+: .*in forward mode: the block changes"):
        jvp(listing)


def refused(f, text):
    with pytest.raises(UnsupportedError, match=rf"test_insert.py:\d+: .*'with insert_grad_of': .*{text}"):
        grad(f)


def test_blocks_in_with_match_and_try():
    def f(x, kinds):
        for kind in kinds:
            match kind:
                case "square":
                    x = x * x
                    with insert_grad_of(x) as dx:
                        dx = 0.5 * dx
                case _:
                    with np.errstate(all="ignore"):
                        x = 3.0 * x
                        with insert_grad_of(x) as dx:
                            dx = 2.0 * dx
            try:
                x = x * [1.0, 2.0][len(kind) - 4]
                with insert_grad_of(x) as dx:
                    dx = 10.0 * dx
            except IndexError:
                with insert_grad_of(x) as dx:
                    dx = 100.0 * dx
        return x

    assert f(2.0, ("cube", "square")) == 36.0
    expected = 100.0 * 0.5 * 12.0 * 10.0 * 2.0 * 3.0  # backward: no item for "square", one for "cube"
    assert grad(f)(2.0, ("cube", "square")) == pytest.approx(expected)


class Weights:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def act(self, x):
        with insert_grad_of(self.w) as dw:
            dw = 0.5 * dw
        return self.w * x + self.b


def test_attributes_of_plain_objects():
    def f(weights, x):
        h = x
        for _ in range(2):
            h = weights.act(h)
        return h

    found = grad(f)(Weights(3.0, 1.0), 2.0)
    assert (found.w, found.b) == (0.5 * 3.0 * 2.0 + 0.5 * 7.0, 4.0)  # each call halves what it adds


@dataclass
class Scaled:
    a: float
    b: np.ndarray


def test_fields_of_dataclasses():
    def f(pair):
        with insert_grad_of(pair.b) as db:
            db[0] = 0.0
        return pair.a * np.sum(pair.b * pair.b)

    found = grad(f)(Scaled(2.0, np.array([1.0, 2.0])))
    assert found.a == 5.0 and found.b.tolist() == [0.0, 8.0]


def cut_in_place(x, w, n, k, ends):
    a = x.copy()
    cubes = np.sum(a * a * a)
    for t in range(n):
        a[1:] = a[:-1] * w[1:] * a[1:]
        with insert_grad_of(w):
            if t < n - k and ends:
                break
            if t < n - k:
                continue
        a[0] = a[2] * 0.5
    return np.sum(a) * cubes


def by_hand_in_place(x, w, n, k, ends):
    """What is left out is the identity for gradients; what it overwrote is put back all the same."""
    states, a = [], x.copy()
    for _ in range(n):
        states.append(a.copy())
        a[1:] = a[:-1] * w[1:] * a[1:]
        a[0] = a[2] * 0.5
    total, ba, bw = np.sum(a), np.full_like(x, np.sum(x**3)), np.zeros_like(w)
    for t in reversed(range(n)):
        ba[2], ba[0] = ba[2] + 0.5 * ba[0], 0.0
        if t < n - k:
            if ends:
                break
            continue
        before, b = states[t], ba[1:].copy()
        ba[1:] = 0.0
        ba[:-1] += b * w[1:] * before[1:]
        ba[1:] += b * before[:-1] * w[1:]
        bw[1:] += b * before[:-1] * before[1:]
    return ba + 3.0 * x * x * total, bw


@pytest.mark.parametrize("optimized", [True, False])
@pytest.mark.parametrize("n, k", [(1, 0), (3, 1), (4, 2), (4, 4)])
@pytest.mark.parametrize("ends", [True, False])
def test_jumps_in_loops_that_write_in_place(ends, n, k, optimized):
    x, w = np.array([0.5, 0.8, 1.1]), np.array([0.9, 1.2, 1.4])
    found = grad(cut_in_place, (0, 1), optimized=optimized)(x, w, n, k, ends)
    np.testing.assert_allclose(found, by_hand_in_place(x, w, n, k, ends), rtol=1e-12)


def test_refusals():
    def uses(x, scale):
        with insert_grad_of(x) as dx:
            scale = scale * 2.0
        return x * scale

    def returns(x):
        with insert_grad_of(x) as dx:
            return dx
        return x

    def computed(x):
        with insert_grad_of(x * x) as dx:
            print(dx)
        return x

    def mixed(x):
        with np.errstate(all="ignore"), insert_grad_of(x) as dx:
            print(dx)
        return x

    def unpacked(x):
        with insert_grad_of(x) as (dx, _dy):
            print(dx)
        return x

    def two_names(x):
        with insert_grad_of(x) as dx, insert_grad_of(x) as dx_too:
            dx, dx_too = 2.0 * dx, 3.0 * dx_too
        return x * x

    def one_name(x, y):
        with insert_grad_of(x) as dx, insert_grad_of(y) as dx:
            print(dx)
        return x * y

    def of_the_block(xs):
        with insert_grad_of(xs) as _dxs:
            for i in range(2):
                with insert_grad_of(xs[i]) as dx:
                    dx = 0.0
        return xs[0] * xs[1]

    def shares_a_log(x, log):
        log.append(x)
        with insert_grad_of(x) as dx:
            log.append(dx)
        return x * x

    refused(uses, "binds 'scale'")
    refused(returns, "does not end with 'return'")
    refused(computed, "takes a variable")
    refused(mixed, "another context manager")
    refused(unpacked, "plain name")
    refused(two_names, "the gradient of 'x' has two names")
    refused(one_name, "two gradients have one name")
    refused(of_the_block, "it reads 'i', which a block binds")
    refused(shares_a_log, "changes 'log', which the function itself changes")


def test_a_gradient_of_another_shape_is_refused():
    def f(x):
        with insert_grad_of(x) as dx:
            dx = dx[:1]
        return np.sum(x * x)

    with pytest.raises(ArgumentError, match=r"a gradient of shape \(1,\) for a value of shape \(3,\)"):
        grad(f)(np.ones(3))


def test_second_order_meaning_of_an_inner_block():
    """A block of the gradient's gradient: it stands in the code of the first, and runs in the second."""

    def f(x):
        with insert_grad_of(x) as dx:
            dx = dx * dx
            with insert_grad_of(dx) as ddx:
                LOG.append(ddx)
        return x * x

    assert grad(f)(3.0) == 36.0 and LOG == []
    assert grad(grad(f))(3.0) == 24.0 and LOG == [1.0]


def test_comments_and_lines_stay():
    def f(x):
        with insert_grad_of(x) as dx:
            # a comment of mine
            dx = (dx
                    * 2.0)  # fmt: skip
            text = """two
            lines"""
        with insert_grad_of(x) as dx:
            dx = [dx   ,][0]  # fmt: skip
            if dx > 0: print("x")  # noqa: E701  # fmt: skip
        return x * x

    source = grad(f).source
    assert '    dx = [dx   ,][0]  # fmt: skip\n    if dx > 0: print("x")  # noqa: E701  # fmt: skip\n' in source
    assert '    text = """two\n            lines"""\n' in source
    assert source.count("# Inserted code") == 2


def test_an_error_in_a_block_tells_the_line():
    def f(x):
        with insert_grad_of(x) as dx:
            dx = dx + missing  # noqa: F821
        return x * x

    with pytest.raises(NameError) as caught:
        grad(f)(2.0)
    assert any("dx = dx + missing" in note for note in caught.value.__notes__)


def test_pdb_stops_in_the_backward_pass(monkeypatch):
    import pdb

    stops = []
    monkeypatch.setattr(pdb, "set_trace", lambda: stops.append(sys._getframe(1).f_locals["dx"]))

    def f(x):
        with insert_grad_of(x) as dx:
            import pdb

            pdb.set_trace()
        return x * x

    assert f(2.0) == 4.0 and stops == []
    assert grad(f)(2.0) == 4.0 and stops == [4.0]
