"""Versions of derivatives for arguments of known kinds: less to decide, the same numbers."""

import itertools
import math

import numpy as np
import pytest

import tangent
from tangent.codegen import choice
from tangent.errors import SeedError


def layer(x, w, b):
    return np.sum(np.tanh(x @ w + b) ** 2)


def recurrence(x, a, n):
    for _ in range(n):
        x = a * math.sin(x) + 0.1 * x if x > 0.5 else math.exp(-x * x) + a * x
    return x


def scaled(x):
    return x * 3.0


def sums(x, y, s):
    total = 0.0
    for k in range(len(x)):
        total = total + np.sum(scaled(x[k]) * y / s)
    return total + np.mean(x + y, axis=0)[0] * s


def squares(x, n):
    y = x * 2.0
    for _ in range(n):
        y = y * y + x
    return np.sum(y * x) + np.sum(y / (1.0 + x * x))


def same(a, b, tolerance=1e-12):
    for p, q in zip(a, b, strict=True):
        assert np.shape(p) == np.shape(q) and getattr(p, "dtype", None) == getattr(q, "dtype", None)
        np.testing.assert_allclose(p, q, rtol=tolerance, atol=tolerance)


def test_floats_need_no_dispatch():
    g = tangent.grad(recurrence, wrt=(0, 1))
    assert "unbroadcast" in g.anything().source
    version = g.version(0.3, 1.7, 5)
    assert "unbroadcast" not in version.source and "init_grad" not in version.source
    same(version(0.3, 1.7, 5), tangent.grad(recurrence, wrt=(0, 1), optimized=False)(0.3, 1.7, 5))


def test_matrices_are_multiplied_and_summed():
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(5, 4)), rng.normal(size=(4, 3)), rng.normal(size=3)
    g = tangent.grad(layer, wrt=(0, 1, 2))
    version = g.version(x, w, b)
    for line in ("np.dot(x.T, bt2)", ".sum(axis=0)"):
        assert line in version.source
    assert "unbroadcast" not in version.source and "adjoint" not in version.source
    same(version(x, w, b), g(x, w, b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_way_to_broadcast(dtype, monkeypatch):
    monkeypatch.setattr(choice, "MOST", 1000)
    rng = np.random.default_rng(0)
    plain, g = (tangent.grad(sums, wrt=(0, 1, 2), optimized=o) for o in (False, True))
    shapes = [(3, 2), (3, 1), (1, 2), (1, 1), (20, 2), (20, 1)]
    for p, q in itertools.product(shapes, [*shapes, (2,), (1,)]):
        if len(q) == 2 and p[0] != q[0] and 1 not in (p[0], q[0]):
            continue
        x, y = (rng.normal(size=s).astype(dtype) for s in (p, q))
        version = g.version(x, y, 1.5)
        assert version is not g
        same(version(x, y, 1.5), plain(x, y, 1.5), 1e-12 if dtype == "float64" else 1e-4)


def test_lengths_that_differ_share_a_version():
    g = tangent.grad(layer, wrt=(1,))
    w, b = np.ones((4, 3)), np.ones(3)
    assert g.version(np.ones((100, 4)), w, b) is g.version(np.ones((200, 4)), w, b)
    assert g.version(np.ones((100, 4)), w, b) is not g.version(np.ones((1, 4)), w, b)


def test_a_version_is_made_when_calls_repeat():
    g = tangent.grad(lambda x, y: np.sum(x * y + y / x - x))
    x, y = np.array([1.0, 2.0]), 3.0
    results = []
    for n in range(choice.AFTER + 2):
        assert len(g.versions.versions) == (n > choice.AFTER)
        results.append(g(x, y))
    for r in results:
        np.testing.assert_array_equal(r, results[0])


@pytest.mark.parametrize("optimized", [True, False])
def test_shapes_that_do_not_fit_are_an_error_in_every_call(optimized):
    """A version for shapes that fit computes what these need and no more; it would give numbers for others."""
    x, y, longer = np.ones(20), np.ones(20), np.ones(30)
    for f in (lambda x, y: np.sum(x * y), lambda x, y: np.sum(x[:, None] @ y[None, :] * x), lambda x, y: x @ y):
        g, d = (make(f, ("x", "y"), optimized=optimized) for make in (tangent.grad, tangent.jvp))
        for _ in range(4):
            g(x, y)
            d(x, y, x, y)
        for _ in range(5):
            for call, args in ((f, (x, longer)), (g, (x, longer)), (d, (x, longer, x, longer))):
                with pytest.raises(ValueError):
                    call(*args)


def test_arguments_stay_and_results_are_their_own():
    x = np.linspace(0.1, 0.5, 40000)
    g = tangent.grad(squares)
    version = g.version(x, 2)
    assert "out=" in version.source
    kept = x.copy()
    one, two = version(x, 2), version(x, 2)
    np.testing.assert_array_equal(x, kept)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, tangent.grad(squares, optimized=False)(x, 2), rtol=1e-12)
    assert not np.shares_memory(one, two) and not np.shares_memory(one, x)


def test_the_seed_is_no_result():
    g = tangent.vjp(lambda x, y: x + y * 1.0, wrt=(0, 1))
    x, seed = np.ones((3, 2)), np.ones((3, 2))
    version = g.version(x, np.ones(2), seed)
    bx, by = version(x, np.ones(2), seed)
    assert not np.shares_memory(bx, seed) and by.tolist() == [3.0, 3.0]


def test_wrong_seeds_are_refused():
    g = tangent.vjp(lambda x, y: x * y + x / y, wrt=(0, 1))
    version = g.version(np.ones(3), np.ones(3), np.ones(3))
    with pytest.raises(SeedError):
        version(np.ones(3), np.ones(3), np.ones(4))


def test_a_helper_redefined_is_seen():
    g = tangent.grad(sums)
    x, y = np.ones((2, 2)), np.ones(2)
    version = g.version(x, y, 1.0)
    before = version(x, y, 1.0)
    kept = globals()["scaled"]
    try:
        globals()["scaled"] = lambda x: x * 5.0
        np.testing.assert_allclose(version(x, y, 1.0) - before, 2.0)
    finally:
        globals()["scaled"] = kept


def test_not_too_many():
    g = tangent.grad(layer)
    for n in range(1, 12):
        g.version(np.ones((n, 2)), np.ones((2, 2)), np.ones(2))
    assert len(g.versions.versions) == choice.MOST
    assert g.version(np.ones((13, 2)), np.ones((2, 2)), np.ones(2)) is g


def inner(u):
    u[1:-1] += 0.1 * u[:-2]


def outer(u):
    inner(u)


def written(u):
    u = u.copy()
    s = np.sum(u * u * u)
    outer(u)
    return s + np.sum(u * u)


def test_what_callers_of_callers_read_is_put_back():
    u = np.array([0.3, 0.7, -0.4, 1.2, 0.5])
    tangent.check_grads(written, (u,))


def only_after(u, n):
    u = u.copy()
    for _ in range(n):
        outer(u)
    return np.sum(u * u)


def test_what_is_read_before_is_not_put_back():
    g = tangent.grad(only_after)
    assert "_stack" not in g.source.split("def outer_fwd")[1] and "u_old" not in g.source
    tangent.check_grads(only_after, (np.linspace(0.1, 1.0, 6), 3), wrt=0)


def pulled(x):
    return np.log(np.sum(np.exp(x), axis=1, keepdims=True))


def likelihood(x, w):
    z = x @ w
    return np.mean(np.sum((z - pulled(z)) * z, axis=1))


def test_second_derivatives_are_written_out():
    rng = np.random.default_rng(0)
    x, w, v = rng.normal(size=(20, 30)), rng.normal(size=(30, 5)), rng.normal(size=(30, 5))
    product = tangent.jvp(tangent.grad(likelihood, wrt=1), wrt=1)
    version = product.version(x, w, 1.0, v)
    assert "saved" not in version.source and "unbroadcast" not in version.source and version.source.count("def ") == 1
    same([version(x, w, 1.0, v)], [tangent.jvp(tangent.grad(likelihood, 1, optimized=False), 1)(x, w, 1.0, v)])


def shortest(d):
    d = d.copy()
    for k in range(len(d)):
        d[:, :] = np.minimum(d, d[:, k, None] + d[None, k, :])
    return np.sum(d)


def test_masks_are_kept_instead_of_what_they_compare():
    for d in (np.random.default_rng(0).uniform(1.0, 9.0, size=(20, 20)), np.ones((20, 20)), np.full((20, 20), np.inf)):
        version = tangent.grad(shortest).version(d)
        same([version(d)], [tangent.grad(shortest, optimized=False)(d)])
        assert "m_stack.append(" in version.source and ".copy())" not in version.source


def _newton(f, slope, x):
    for _ in range(5):
        x = x - f(x) / slope(x)
    return x


def _root(a):
    return _newton(lambda v: v**3 - a, lambda v: 3 * v**2, 1.0)


def test_a_number_that_functions_take_is_given_back():
    derivative = tangent.value_and_grad(_root)
    for _ in range(4):
        value, gradient = derivative(2.0)
        assert value == _root(2.0) and gradient == pytest.approx(1 / (3 * 2.0 ** (2 / 3)), rel=1e-6)


def test_raw_code_stays_as_it_is():
    raw = tangent.grad(_root, optimized=False)
    assert [raw(2.0) for _ in range(4)] == [raw(2.0)] * 4
    assert raw.versions is None and raw.version(2.0) is raw


def gated(params, xs):
    wf, wi, wc, b = params
    h, c = np.zeros(b.shape[0]), np.zeros(b.shape[0])
    for x in xs:
        z = np.concatenate([h, x])
        f, i = np.tanh(wf @ z + b), np.tanh(np.dot(wi, z))
        c = f * c + i * np.tanh(wc @ z)
        h = np.tanh(c)
    return np.sum(h**2)


def test_sums_of_products_with_joined_arrays_are_written_in_place():
    r = np.random.default_rng(3)
    params = (*(r.normal(size=(20, 38)) for _ in range(3)), r.normal(size=20))
    xs, gradient = r.normal(size=(4, 18)), tangent.grad(gated)
    for name in ("bwf", "bwi", "bwc", "bb"):
        assert f"        {name} += " in gradient.version(params, xs).source
    for _ in range(4):
        found = gradient(params, xs)
    v = tuple(np.cos(np.arange(p.size)).reshape(p.shape) for p in params)
    near = [gated(tuple(p + h * t for p, t in zip(params, v)), xs) for h in (1e-6, -1e-6)]
    assert sum(np.sum(b * t) for b, t in zip(found, v)) == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-6)


def forward_algorithm(logits, step):
    alpha = logits[0]
    for t in range(1, len(logits)):
        m = np.max(alpha[:, None] + step, axis=0)
        alpha = m + np.log(np.sum(np.exp(alpha[:, None] + step - m), axis=0)) + logits[t]
    return np.log(np.sum(np.exp(alpha)))


def test_sums_beside_new_axes_are_sums_without_them():
    r = np.random.default_rng(4)
    logits, step, gradient = r.normal(size=(5, 20)), r.normal(size=(20, 20)), tangent.grad(forward_algorithm, (0, 1))
    text = gradient.version(logits, step).source
    assert "keepdims" not in text and "[:, 0]" not in text and "[:]" not in text
    v, w = r.normal(size=logits.shape), r.normal(size=step.shape)
    near = [forward_algorithm(logits + h * v, step + h * w) for h in (1e-6, -1e-6)]
    for _ in range(4):
        b, c = gradient(logits, step)
        assert np.sum(b * v) + np.sum(c * w) == pytest.approx((near[0] - near[1]) / 2e-6, rel=1e-6)
