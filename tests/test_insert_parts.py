# ruff: noqa: F841  (what blocks bind is read in the backward pass)
"""Blocks that change parts of the gradient they have: elements, items, attributes, under whatever name.

At second order such a block is a function of its own (normalise/outlined.py). The programs all double the gradient of
the second element of `x * x`.
"""

from __future__ import annotations

import numpy as np
import pytest

from tangent import grad, hvp, insert_grad_of, jvp
from tangent.errors import ArgumentError, UnsupportedError

X = np.array([0.5, 0.8, 1.1])
V = np.array([1.0, -0.5, 2.0])
TWICE = np.array([1.0, 2.0, 1.0])


def both(f):
    """The gradient, raw and optimised."""
    return grad(f, optimized=False), grad(f)


class Pair:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def double(self):
        self.w = self.w * TWICE


def doubled(pair):
    pair.w[1] *= 2.0


def an_attribute(x):
    p = Pair(x * x, x)
    with insert_grad_of(p) as dp:
        dp.w *= TWICE
    return np.sum(p.w * p.b)


def an_element_of_an_attribute(x):
    p = Pair(x * x, x)
    with insert_grad_of(p) as dp:
        w = dp.w
        w[1] *= 2.0
    return np.sum(p.w * p.b)


def by_setattr(x):
    p = Pair(x * x, x)
    with insert_grad_of(p) as dp:
        for field in ("w", "b"):
            setattr(dp, field, getattr(dp, field) * (TWICE if field == "w" else 1.0))
    return np.sum(p.w * p.b)


def by_its_own_method(x):
    p = Pair(x * x, x)
    with insert_grad_of(p) as dp:
        dp.double()
    return np.sum(p.w * p.b)


def by_a_function(x):
    p = Pair(x * x, x)
    with insert_grad_of(p) as dp:
        if np.sum(dp.w) > 0.0:
            doubled(dp)
    return np.sum(p.w * p.b)


def by_a_function_inside(x):
    w = x * x
    with insert_grad_of(w) as dw:

        def double(k):
            dw[k] *= 2.0

        double(1)
    return np.sum(w * x)


def objects_in_a_list(x):
    ps = [Pair(x * x, x), Pair(x, x)]
    with insert_grad_of(ps) as dps:
        for dp, scale in zip(dps, (TWICE, np.ones(3))):
            dp.w = dp.w * scale
    return np.sum(ps[0].w * ps[1].w)


def items_of_a_dict(x):
    d = {"w": x * x, "b": x}
    with insert_grad_of(d) as g:
        for key, v in g.items():
            if key == "w":
                v *= TWICE
    return np.sum(d["w"] * d["b"])


def items_of_a_list(x):
    xs = [x * x, x]
    with insert_grad_of(xs) as g:
        g[0][1] *= 2.0
        for i in range(len(g)):
            g[i] = 1.0 * g[i]
    return np.sum(xs[0] * xs[1])


# A gradient and a part of it at once: what is bound anew counts, the part after the whole


def a_part_and_the_whole(x):
    pair = (x * x, x * 1.0)
    with insert_grad_of(pair[0]) as dfirst, insert_grad_of(pair) as dpair:
        dfirst = dpair[0] * TWICE
    return np.sum(pair[0] * pair[1])


def the_whole_and_a_part(x):
    pair = [x * x, x * 1.0]
    with insert_grad_of(pair) as dpair, insert_grad_of(pair[0]) as dfirst:
        dpair = [dfirst * TWICE, dpair[1]]
    return np.sum(pair[0] * pair[1])


def both_of_an_object_that_changes(x):
    p = Pair(x * x, x)
    p.b = p.b * 1.0
    with insert_grad_of(p.w) as dw, insert_grad_of(p) as dp:
        dw = dp.w * TWICE
        dp.w = 0.0 * dp.w
    return np.sum(p.w * p.b)


PROGRAMS = [
    an_attribute, an_element_of_an_attribute, by_setattr, by_its_own_method, by_a_function, by_a_function_inside,
    objects_in_a_list, items_of_a_dict, items_of_a_list, a_part_and_the_whole, the_whole_and_a_part,
    both_of_an_object_that_changes,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_parts_of_a_gradient(f):
    want = X * X + 2.0 * X * X * TWICE
    for optimized in (True, False):
        np.testing.assert_allclose(grad(f, optimized=optimized)(X), want, rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f):
    def along(x):
        return np.sum(grad(f)(x) * V)

    want = 2.0 * X * V + 4.0 * X * TWICE * V
    np.testing.assert_allclose(grad(along)(X), want, rtol=1e-12)
    assert np.isclose(jvp(along)(X, V), want @ V, rtol=1e-12)


# Jumps, variables of blocks, and what blocks collect


def truncated(x, n, k):
    p = Pair(x * 1.0, x)
    for t in range(n):
        p = Pair(np.sin(p.w) * p.b, p.b + p.w)
        with insert_grad_of(p) as dp:
            seen = 1.0 if t == n - 1 else seen + 1.0  # noqa: F821
            dp.w *= seen
            if t == k:
                break
            if t == k + 2:
                continue
            dp.b = dp.b * dp.w
    return np.sum(p.w * p.b)


def test_second_order_of_jumps():
    def along(x, k):
        return np.sum(grad(truncated)(x, 5, k) * V)

    e = 1e-6
    for k in (1, 9):
        numeric = (along(X + e * V, k) - along(X - e * V, k)) / (2 * e)
        assert np.isclose(np.sum(grad(along)(X, k) * V), numeric, rtol=1e-6)
        assert np.isclose(jvp(along)(X, k, V), numeric, rtol=1e-6)


def collected(x, norms):
    d = {"w": x * x, "b": x}
    with insert_grad_of(d) as g:
        norms.append(np.sum(g["w"]))
        g["w"] = g["w"] * norms[-1]
    return np.sum(d["w"] * d["b"])


def handed_out(x):
    norms = []
    d = {"w": x * x, "b": x}
    with insert_grad_of(d) as g:
        norms.append(np.sum(g["w"]))
        g["w"] = g["w"] * norms[-1]
    return np.sum(d["w"] * d["b"]), norms


def test_what_a_block_collects():
    df, e = grad(collected), 1e-6
    want = np.sum((df(X + e * V, []) - df(X - e * V, [])) * V) / (2 * e)
    assert np.isclose(hvp(collected)(X, [], V) @ V, want, rtol=1e-6)
    assert grad(handed_out, has_aux=True)(X)[1] == [np.sum(X)]

    def along(x):
        return np.sum(grad(handed_out, has_aux=True)(x)[0] * V)

    with pytest.raises(UnsupportedError, match=r"changes a gradient in part and 'norms': 'norms' is handed on"):
        grad(along)(X)


def test_a_number_is_a_gradient_for_all_items_of_a_container():
    def of_a_list(xs, k):
        with insert_grad_of(xs) as dxs:
            dxs = k * 2
        return xs[0] * xs[1]

    def of_a_dict(p):
        with insert_grad_of(p) as dp:
            dp = 0
        return np.sum(p["w"]) * p["b"][0]

    for df in both(of_a_list):
        assert df([1.0, 2.0], 3.0) == [6.0, 6.0]
    assert grad(grad(lambda k: sum(grad(of_a_list)([1.0, 2.0], k * k))))(3.0) == 8.0
    for df in both(of_a_dict):
        bp = df({"w": np.ones(2), "b": [3.0]})
        assert bp["w"].tolist() == [0.0, 0.0] and bp["b"] == [0.0]


def test_a_gradient_has_as_many_items_as_its_container():
    def f(xs, new):
        with insert_grad_of(xs) as dxs:
            dxs = new
        return xs[0] * xs[1]

    for df in both(f):
        assert df([1.0, 2.0], (3.0, 4.0)) == [3.0, 4.0]
        assert df([1.0, 2.0], np.array([3.0, 4.0])) == [3.0, 4.0]
        with pytest.raises(ArgumentError, match="a gradient that is a list of 1 for a list of 2"):
            df([1.0, 2.0], [3.0])
        with pytest.raises(ArgumentError, match="a gradient that is a dict of 1 for a list of 2"):
            df([1.0, 2.0], {"a": 3.0})
