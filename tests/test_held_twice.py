"""One array that an argument holds twice, or that two arguments hold, is one array in derivatives, too."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import tangent
from tangent.errors import TangentError

WEIGHTS = np.array([1.0, 2.0, 3.0])
STEP = 1e-6


@dataclass
class Layer:
    a: Any
    b: Any


class Pair(NamedTuple):
    a: Any
    b: Any


def scaled(layer, s):
    layer.a *= s
    return np.sum(layer.a * layer.b) * s


def scaled_beside_others(layer, s, *more):
    layer.a *= s
    return np.sum(layer.a * layer.b) * more[0]


def scaled_and_stored(layer, s, *more, factor=2.0):
    layer.a *= s
    layer.b[0] = factor
    return np.sum(layer.a * layer.b) * more[0]


def scaled_tuple(pair, s):
    pair.a[1:] *= s
    return np.sum(pair.a * pair.b)


def scaled_list(xs, s):
    xs[0][0] = s
    xs[1] *= s
    return np.sum(xs[0] * xs[1])


def scaled_dict(d, s):
    d["a"][1:] *= s
    return np.sum(d["a"] * d["b"])


def scaled_deep(d, s):
    d["l"][0]["w"] *= s
    return np.sum(d["l"][0]["w"] * d["b"])


def scaled_parts(s, *more):
    more[0][0] = s
    return np.sum(more[0] * more[1]) * s


HOLDERS = [
    (scaled, lambda w: Layer(w, w), ()),
    (scaled_beside_others, lambda w: Layer(w, w), (2.0,)),
    (scaled_and_stored, lambda w: Layer(w, w), (2.0,)),
    (scaled_tuple, lambda w: Pair(w, w), ()),
    (scaled_list, lambda w: [w, w], ()),
    (scaled_dict, lambda w: {"a": w, "b": w}, ()),
    (scaled_deep, lambda w: {"l": [{"w": w}], "b": w}, ()),
]


def leaves(value):
    if isinstance(value, Layer):
        value = [value.a, value.b]
    if isinstance(value, dict):
        value = list(value.values())
    return [x for v in value for x in leaves(v)] if isinstance(value, (list, tuple)) else [value]


@pytest.mark.parametrize(("f", "holder", "more"), HOLDERS, ids=lambda x: getattr(x, "__name__", ""))
def test_changes_are_seen_by_all_who_hold_it(f, holder, more):
    w, s = np.array([0.5, 0.7, 1.1]), 1.3
    want = f(holder(w.copy()), s, *more)
    by_w = [
        (f(holder(w + e), s, *more) - f(holder(w - e), s, *more)) / (2 * STEP) for e in STEP * np.eye(3)
    ]  # fmt: skip
    by_s = (f(holder(w.copy()), s + STEP, *more) - f(holder(w.copy()), s - STEP, *more)) / (2 * STEP)
    derivative = tangent.value_and_grad(f, wrt=(0, 1))
    given = holder(w)
    for _ in range(4):
        value, (by_holder, by_number) = derivative(given, s, *more)
        np.testing.assert_allclose(value, want)
        np.testing.assert_allclose(sum(leaves(by_holder)), by_w, rtol=1e-7)
        np.testing.assert_allclose(by_number, by_s, rtol=1e-7)
    np.testing.assert_allclose(tangent.jvp(f, wrt="s")(given, s, *more, ds=1.0), by_s, rtol=1e-7)
    np.testing.assert_array_equal(w, [0.5, 0.7, 1.1])


def test_seeds_have_one_name_whatever_is_given():
    w = np.array([0.5, 0.7, 1.1])
    first = tangent.grad(scaled_beside_others, wrt="s")
    for given in (Layer(w, w), Layer(w, w.copy())):
        np.testing.assert_allclose(first(given, 1.3, 2.0, bout=3.0), 3.0 * first(given, 1.3, 2.0))
    np.testing.assert_allclose(tangent.jvp(first, wrt="s")(Layer(w, w), 1.3, 2.0, ds=1.0), 4.0 * w @ w)
    np.testing.assert_allclose(tangent.vjp(first, wrt="s")(Layer(w, w), 1.3, 2.0), 4.0 * w @ w)


def test_among_star_arguments():
    w = np.array([0.5, 0.7, 1.1])
    value, by_s = tangent.value_and_grad(scaled_parts)(1.3, w, w)
    np.testing.assert_allclose(value, (1.3**2 + w[1:] @ w[1:]) * 1.3)
    np.testing.assert_allclose(by_s, 3 * 1.3**2 + w[1:] @ w[1:])


def test_with_the_module():
    def read(layer, s):
        layer.a *= s
        return np.sum(layer.a * WEIGHTS)

    before = WEIGHTS.copy()
    value, by_s = tangent.value_and_grad(read, wrt=1)(Layer(WEIGHTS, 0.0), 1.3)
    np.testing.assert_array_equal(WEIGHTS, before)
    np.testing.assert_allclose((value, by_s), (1.3**2 * before @ before, 2 * 1.3 * before @ before))


def test_parts_that_overlap_are_refused():
    w = np.array([0.5, 0.7, 1.1])
    with pytest.raises(TangentError, match="part of an array"):
        tangent.grad(scaled_list)([w[:2], w[1:]], 1.3)


def test_many_arrays_that_are_apart_need_no_memory():
    rows = [*np.arange(1.0, 301.0).reshape(100, 3)]
    found = tangent.grad(scaled_list)([r.copy() for r in rows], 1.3)
    np.testing.assert_allclose(found[0], [0.0, *(1.3 * rows[1][1:])])


def stored_beside_others(p, s, *more):
    p[0] = s
    return np.sum(more[0] * more[1]) * s


def exchanged_with_others(p, s, *more):
    p[:], more[1][:] = more[1] * s, p * 1.0
    return np.sum(more[0] * more[1]) + np.sum(p) * s


def test_an_argument_that_is_also_among_star_arguments():
    w, other = np.array([0.5, 0.7, 1.1]), np.array([1.2, 0.4, 0.9])
    with pytest.raises(TangentError, match="shares its memory"):
        tangent.grad(stored_beside_others, wrt="s")(w, 1.3, w, other)
    np.testing.assert_allclose(tangent.grad(stored_beside_others, wrt="s")(w, 1.3, w.copy(), other), w @ other)


def test_arguments_and_star_arguments_are_written():
    p, a, b = np.array([0.5, 0.7, 1.1]), np.array([1.2, 0.4, 0.9]), np.array([0.3, 0.8, 0.6])
    by_s, by_more = tangent.grad(exchanged_with_others, wrt=("s", "more"))(p, 1.3, a, b)
    np.testing.assert_allclose(by_s, 2 * 1.3 * np.sum(b))
    np.testing.assert_allclose(by_more[1], 1.3**2 * np.ones(3))
    np.testing.assert_array_equal(b, [0.3, 0.8, 0.6])


def test_a_named_tuple_that_holds_another_argument():
    def beside(pair, a, s):
        pair.a[0] = s
        return np.sum(a * pair.b) * s

    w = np.array([0.5, 0.7, 1.1])
    other = w.copy()
    np.testing.assert_allclose(
        tangent.grad(beside, wrt="s")(Pair(w, other), w, 1.3), 2 * 1.3 * other[0] + w[1:] @ other[1:]
    )
