"""Gradients of lists and dicts of arrays in versions: items are filled in, and belong to nobody else."""

import inspect
from collections import namedtuple

import numpy as np
import pytest

import tangent
from tangent.testing import leaves, map_leaves

RNG = np.random.default_rng(8)
Layer = namedtuple("Layer", "w b")


def real(*shape):
    return RNG.normal(size=shape)


X = real(5, 3)


def pairs(params, x):
    for w, b in params:
        x = np.tanh(x @ w + b)
    return np.mean(x * x)


def lists(params, x):
    ws, bs = params
    for i in range(len(ws)):
        x = np.tanh(np.dot(x, ws[i]) + bs[i])
    return np.sum(x)


def dicts_in_a_list(params, x):
    for layer in params:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.sum(x * x)


def nested(params, x):
    for layer in params["layers"]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.sum(x * x) + params["rate"] * sum(np.sum(layer["w"] ** 2) for layer in params["layers"])


def flat(params, x):
    h = np.tanh(x @ params["w"] + params["b"])
    return np.sum(h @ params["v"])


def most_of_a_dict(params, x):
    return np.sum(np.tanh(x @ params["w"]) * params["b"])


def one_array_for_two_items(params, x):
    s = 0.0
    for u, v in params:
        s += np.sum((u + v) ** 3)
    return s * np.sum(x)


def what_flows_on_is_kept(params, x):
    s = np.zeros(3)
    for v in params:
        s = s * 0.5 + v
    return np.sum(np.sin(s)) * np.sum(x)


def the_same_sum_for_all(params, x):
    total = 0.0 * x[0]
    for v in params:
        total = total + v
    return np.sum(total**3)


def an_item_read_twice(params, x):
    s = 0.0
    for i in range(len(params)):
        s += np.sum(params[i] ** 2) + np.sum(params[0] * params[i])
    return s


def items_behind_the_loop(params, x):
    s = 0.0
    for v in params:
        s += np.sum(v**3)
    return s * np.sum(params[-1])


def loop_that_ends_early(params, x):
    s = 0.0
    for v in params:
        if np.sum(v) > 100.0:
            break
        s += np.sum(v**2)
    return s


def some_items_only(params, x):
    s = 0.0
    for i in range(len(params) - 1):
        s += np.sum(params[i] ** 2)
    return s


def under_a_condition(params, x):
    s = 0.0
    for v in params:
        if v[0] > 0.0:
            s += np.sum(v**2)
    return s


def numbers_beside_arrays(params, x):
    return params["scale"] * np.sum(params["w"] ** 2) + params["offset"]


def item_that_is_added_to(params, x):
    s = 0.0
    for p in params:
        s += np.sum(p["w"] ** 2) * p["k"] + np.sum(p["w"])
    return s


def vectors(n, size=3):
    return [real(size) for _ in range(n)]


CASES = [
    (pairs, [(real(3, 4), real(4)), (real(4, 2), real(2))]),
    (pairs, [(real(3, 4), real(4)), (real(4, 1), real(1))]),
    (pairs, [(real(3, 20), real(20)), (real(20, 3), real(3)), (real(3, 2), real(2))]),
    (pairs, [[real(3, 3), real(3)], [real(3, 3), real(3)]]),
    (pairs, ((real(3, 3), real(3)), (real(3, 3), real(3)))),
    (pairs, [Layer(real(3, 3), real(3)), Layer(real(3, 3), real(3))]),
    (pairs, [(real(3, 3), real(1)), (real(3, 3), real(1))]),
    (lists, ([real(3, 3), real(3, 3)], [real(3), real(3)])),
    (lists, ([real(3, 3), real(3, 3)], [real(3), real(3), real(3)])),
    (lists, ((real(3, 3), real(3, 3)), (real(3), real(3)))),
    (dicts_in_a_list, [{"w": real(3, 3), "b": real(3)}, {"w": real(3, 3), "b": real(3)}]),
    (dicts_in_a_list, [{"w": real(3, 3), "b": real(3)}, {"b": real(3), "w": real(3, 3)}]),
    (dicts_in_a_list, [{"w": real(3, 3), "b": real(3), "c": real(2)}, {"w": real(3, 3), "b": real(3), "c": 1.0}]),
    (nested, {"layers": [{"w": real(3, 3), "b": real(3)}, {"w": real(3, 3), "b": real(3)}], "rate": 0.1}),
    (flat, {"w": real(3, 4), "b": real(4), "v": real(4)}),
    (flat, {"v": real(4), "b": real(1), "w": real(3, 4)}),
    (most_of_a_dict, {"w": real(3, 4), "b": real(4), "never": real(2, 2)}),
    (one_array_for_two_items, [(real(3), real(3)), (real(3), real(3))]),
    (what_flows_on_is_kept, vectors(3)),
    (the_same_sum_for_all, vectors(3)),
    (the_same_sum_for_all, tuple(vectors(3))),
    (an_item_read_twice, vectors(3)),
    (items_behind_the_loop, vectors(3)),
    (loop_that_ends_early, vectors(3)),
    (some_items_only, vectors(3)),
    (under_a_condition, vectors(4)),
    (numbers_beside_arrays, {"scale": 0.7, "w": real(4), "offset": 2.0}),
    (item_that_is_added_to, [{"w": real(3), "k": 0.5}, {"w": real(3), "k": 1.5}]),
]


def differences(f, params, x):
    numbers = [np.asarray(v, float) for v in leaves(params)]
    flat = np.concatenate([v.ravel() for v in numbers])

    def at(point):
        rest = iter(np.split(point, np.cumsum([v.size for v in numbers])[:-1]))
        return f(map_leaves(lambda v: next(rest).reshape(np.shape(v))[()], params), x)

    steps = 1e-6 * np.eye(flat.size)
    return np.array([(at(flat + h) - at(flat - h)) / 2e-6 for h in steps])


def joined(gradient):
    return np.concatenate([np.ravel(v) for v in leaves(gradient)])


def form(value):
    if isinstance(value, dict):
        return {k: form(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value), [form(v) for v in value]
    return np.shape(value), getattr(value, "dtype", type(value))


@pytest.mark.parametrize(("f", "params"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_of_each_call(f, params):
    expected = differences(f, params, X)
    before = map_leaves(lambda v: v + 0.0, params)
    derivative = tangent.grad(f)
    results = []
    for _ in range(4):
        gradient = derivative(params, X)
        assert form(gradient) == form(params)
        np.testing.assert_allclose(joined(gradient), expected, rtol=1e-5, atol=1e-7)
        np.testing.assert_array_equal(joined(params), joined(before))
        results.append(gradient)
    arrays = [v for g in (*results, params) for v in leaves(g) if isinstance(v, np.ndarray)] + [X]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


@pytest.mark.parametrize(("f", "params"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_tangents_of_gradients(f, params):
    derivative = tangent.jvp(tangent.grad(f))
    direction = map_leaves(lambda v: np.cos(v + 0.0)[()], params)
    moved = [map_leaves(lambda v, d, h=h: v + h * d, params, direction) for h in (1e-6, -1e-6)]
    ahead, back = (joined(tangent.grad(f)(p, X)) for p in moved)
    for _ in range(4):
        got = joined(derivative(params, X, 1.0, direction))
        np.testing.assert_allclose(got, (ahead - back) / 2e-6, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("f", "params", "text"),
    [
        (pairs, CASES[0][1], "bitems[k] = (bw, bb)"),
        (flat, CASES[14][1], "bparams = {'w': "),
        (dicts_in_a_list, CASES[10][1], "= [None] * len("),
    ],
)
def test_what_is_written(f, params, text):
    derivative = tangent.grad(f)
    for _ in range(3):
        derivative(params, X)
    assert any(text in t and "add_part" not in t for t in map(inspect.getsource, derivative.versions.versions.values()))


def test_single_precision():
    params = [(v.astype(np.float32), b.astype(np.float32)) for v, b in CASES[0][1]]
    derivative = tangent.grad(pairs)
    expected = [np.asarray(v) for v in leaves(derivative(params, X.astype(np.float32)))]
    for _ in range(3):
        gradient = derivative(params, X.astype(np.float32))
        assert form(gradient) == form(params)
        for a, b in zip(leaves(gradient), expected):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    mixed = derivative([(params[0][0], CASES[0][1][0][1]), params[1]], X)
    assert [v.dtype for v in leaves(mixed)] == [np.float32, np.float64, np.float32, np.float32]
