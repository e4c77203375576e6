"""Versions compute nothing twice: not in a block, not in every iteration, and no sums apart."""

import math

import numpy as np
import pytest

import tangent

RNG = np.random.default_rng(0)


def version(f, *args, wrt=None):
    """The version of a gradient, which gives the same as the plain text."""
    wrt = tuple(range(len(args))) if wrt is None else wrt
    made = tangent.grad(f, wrt=wrt).version(*args)
    for a, b in zip(made(*args), tangent.grad(f, wrt=wrt, optimized=False)(*args)):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    return made


def lines(f, *args, wrt=None):
    return [line.strip() for line in version(f, *args, wrt=wrt).source.splitlines() if "#" not in line]


def two_products(alpha, beta, a, b, x):
    return np.sum((alpha * a @ x + beta * b @ x) ** 2)


def decay(y, k, dt, n):
    for _ in range(n):
        k1 = -k * y * y
        k2 = -k * (y + 0.5 * dt * k1) * (y + 0.5 * dt * k1)
        y = y + 0.5 * dt * (k1 + k2)
    return np.sum(y)


def relax(u, f, h, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] - h * h * f[1:-1])
    return np.sum(u * u)


def test_an_outer_product_is_made_once():
    a, b, x = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=3)
    source = lines(two_products, 2.0, 3.0, a, b, x)
    assert sum("bt5[:, None] * x" in line for line in source) == 1


def test_numbers_are_multiplied_before_the_loop():
    source = lines(decay, RNG.normal(size=3), 0.3, 0.1, 4, wrt=(0, 1))
    loops = [i for i, line in enumerate(source) if line.startswith("for")]
    for text in ("= 0.5 * dt", "= -k"):
        (place,) = [i for i, line in enumerate(source) if line.endswith(text)]
        assert place < loops[0]
    assert not any("0.5 * dt" in line for line in source[loops[0] :])


def test_parts_are_added_to_the_adjoint_itself():
    source = lines(relax, RNG.normal(size=9), RNG.normal(size=9), 0.1, 3, wrt=(0, 1))
    assert sum(line.startswith("bf[1:-1]") for line in source) == 1
    assert sum("np.zeros(" in line for line in source) == 1


def returned_twice(x, y):
    return np.sum(x * y) + np.sum((x + y) * 2.0)


def test_gradients_stay_apart():
    x, y = RNG.normal(size=5), RNG.normal(size=5)

    def same(x, y):
        z = x + y
        return np.sum(z * z)

    for f in (same, returned_twice):
        bx, by = version(f, x, y)(x, y)
        assert not np.shares_memory(bx, by)


def overflowing(x, c, n):
    for _ in range(n):
        x = x * (c / 0.0 if n > 9 else c * c)
    return np.sum(x)


def logarithm(x, c, n):
    for _ in range(n):
        x = x * math.log(c)
    return np.sum(x)


@pytest.mark.parametrize("f", [overflowing, logarithm])
def test_nothing_fails_before_a_loop_without_iterations(f):
    x = RNG.normal(size=3)
    made = tangent.grad(f).version(x, 2.0, 2)
    np.testing.assert_array_equal(made(x, -1.0, 0), np.ones(3))


def rewritten(x, n):
    """The same text, of an array that changes in between."""
    a = x.copy()
    s = 0.0
    for i in range(n):
        s = s + np.sum(np.sin(a) * a)
        a[i] = a[i] * a[i]
        s = s + np.sum(np.sin(a) * a)
    return s


def rebound(x, y, n):
    s = 0.0
    for _ in range(n):
        p = np.sum(np.exp(x * y))
        x = x * 0.9
        s = s + p * np.sum(np.exp(x * y))
    return s


def swapped(x, y, n):
    for _ in range(n):
        x, y = y * np.tanh(x), x * np.tanh(y)
    return np.sum(x * y)


def kept(x, w, n):
    """An invariant that the way back reads."""
    for _ in range(n):
        if x[0] > 0.5:
            x = x * np.exp(w)
        x = np.tanh(x * np.exp(w)) + np.exp(w)
    return np.sum(x)


def filled(x, n):
    """Sums that are read while they are made stay apart."""
    total = np.zeros_like(x)
    for i in range(n):
        part = np.zeros_like(x)
        part[i] += x[i] * x[i]
        part[i + 1] += part[i] * total[i]
        total += part
    return np.sum(total * total)


def nested(x, y, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s = s + np.sum(x * y) * y[j] + np.sum(x * y) * x[i]
    return s


def biggest(x, n):
    best = 0.0
    for i in range(n):
        best = max(best, x[i] * 2.0)
        best = max(x[i], best)
    return best * best


@pytest.mark.parametrize(
    "f, args, wrt",
    [
        (rewritten, (RNG.normal(size=4), 3), (0,)), (rebound, (RNG.normal(size=4), RNG.normal(size=4), 3), (0, 1)),
        (swapped, (RNG.normal(size=4), RNG.normal(size=4), 3), (0, 1)), (kept, (RNG.normal(size=4), 0.2, 3), (0, 1)),
        (kept, (RNG.normal(size=4), RNG.normal(size=4), 3), (0, 1)), (filled, (RNG.normal(size=5), 4), (0,)),
        (nested, (RNG.normal(size=4), RNG.normal(size=4), 4), (0, 1)), (biggest, (RNG.normal(size=4), 4), (0,)),
        (biggest, (np.ones(4), 4), (0,)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("iterations", ["some", "none"])
def test_versions_are_right(f, args, wrt, iterations):
    args = args if iterations == "some" else (*args[:-1], 0)
    version(f, *args, wrt=wrt)
    if iterations == "some" and args[0][0] != 1.0:
        tangent.check_grads(f, args, wrt=wrt)


def test_the_half_of_a_double():
    def f(x, w):
        return np.sum(x @ w - 0.5 * np.sum(w * w, axis=0))

    source = lines(f, RNG.normal(size=(4, 3)), RNG.normal(size=(3, 2)))
    assert any(".sum(axis=0))[None] * w" in line for line in source)


def activated(x, kind, alpha=None):
    if kind == "relu":
        y = np.maximum(x, 0.0)
    elif kind == "tanh":
        y = np.tanh(x)
    else:
        y = x
    if alpha is not None:
        y = alpha * y
    return y


def test_what_is_decided_by_constants_is_decided_once():
    def f(x, w):
        return np.sum(activated(activated(x @ w, "tanh"), alpha=0.5, kind="relu") + activated(x, "none"))

    source = lines(f, RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3)))
    assert not any("if " in line or "_fwd" in line or "branch" in line for line in source)


def test_comparisons_of_constants():
    def f(x):
        n = 3
        if n > 2 and n != 4:
            y = x * x
        else:
            y = x
        return y

    assert "if" not in tangent.grad(f).source.split()
    assert tangent.grad(f)(3.0) == 6.0


def test_nothing_is_left_of_a_branch():
    def f(x, n):
        debug = 0
        for i in range(n):
            if debug > 1:
                x = x * i
        for i in range(n):
            if debug == 0:
                if debug != 0:
                    x = x - i
                else:
                    x = x * x
        if debug < 0:
            x = -x
        return x

    gradient = tangent.grad(f)
    assert gradient(1.5, 2) == tangent.grad(f, optimized=False)(1.5, 2) == 4 * 1.5**3
    assert "if" not in gradient.source.split()
