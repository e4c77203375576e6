"""Arguments that look like numbers are taken for numbers; of another kind, they have a derivative of their own."""

import collections
import dataclasses
import math
import types

import numpy as np
import pytest

import tangent
from tangent import grad, jvp, vjp

RNG = np.random.default_rng(3)


def kept_numbers(x):
    out = []
    for _ in range(3):
        x += 0.1 * np.sin(x)
        out.append(x)
    return sum(out)


def two_names(x, y):
    x *= y
    z = x
    x += 1.0
    return x * z


def bump(x, k):
    x += k
    return x


def bumped_twice(x):
    return bump(x, 2.0) * bump(x, 3.0) * x


def swap(p, q):
    p += q
    return q, p


def swapped(p, q):
    for _ in range(3):
        p, q = swap(p, q)
    return p * q


def run(x, n):
    out = []
    for _ in range(n):
        x += 0.1 * np.sin(x)
        out.append(x)
    return out


def kept_by_helper(x):
    total = 0.0
    for y in run(x, 4):
        total += y * y
    return total


def said(x: float, y: float):
    z = x
    x += y
    return z * x


def said_of_helper(x: float, k: float = 2.0):
    return x * k


def broadcast(x, y):
    return said_of_helper(x) * y + said_of_helper(y, x)


CASES = [(kept_numbers, 1), (two_names, 2), (bumped_twice, 1), (swapped, 2), (kept_by_helper, 1), (said, 2)]


def total(v):
    return float(np.sum(v))


def slopes(f, arguments, directions):
    def at(e):
        moved = [a + e * d for a, d in zip(arguments, directions)]
        return total(f(*[np.asarray(v) if isinstance(a, np.ndarray) else v for a, v in zip(arguments, moved)]))

    return (at(1e-6) - at(-1e-6)) / 2e-6


@pytest.mark.parametrize("f, count", CASES)
@pytest.mark.parametrize("shape", [None, (), (3,), (2, 1)])
def test_numbers_and_arrays_have_the_right_derivative(f, count, shape):
    """In place, an array changes for all who hold it, and a number does not."""
    draw = (lambda: float(RNG.uniform(0.5, 1.5))) if shape is None else lambda: np.asarray(RNG.uniform(0.5, 1.5, shape))
    arguments, directions = ([draw() for _ in range(count)] for _ in range(2))
    expected = slopes(f, arguments, directions)
    seed = np.ones(np.shape(f(*[np.copy(a) if shape is not None else a for a in arguments])))
    seed = float(seed) if seed.shape == () else seed
    wrt = tuple(range(count))
    for optimized in (True, False):
        derivative = vjp(f, wrt, optimized=optimized)
        for _ in range(4 if optimized else 1):
            found = derivative(*arguments, seed)
            found = found if count > 1 else (found,)
            assert sum(np.sum(g * d) for g, d in zip(found, directions)) == pytest.approx(expected, rel=1e-6)
            assert all(np.shape(g) == np.shape(a) for g, a in zip(found, arguments))
        assert total(jvp(f, wrt, optimized=optimized)(*arguments, *directions)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("f, count", CASES)
def test_derivatives_for_numbers_ask_nothing_when_they_run(f, count):
    for text in (grad(f, tuple(range(count))).source, jvp(f, tuple(range(count))).source):
        assert not any(word in text for word in ("own_any", "shadow", "mirror", "isinstance", "add_into"))


@pytest.mark.parametrize("f", [kept_numbers, two_names, bumped_twice, kept_by_helper, said])
def test_second_derivatives_of_numbers(f):
    others = (0.8,) if f.__code__.co_argcount == 2 else ()
    e = 1e-5
    slope = (grad(f)(0.6 + e, *others) - grad(f)(0.6 - e, *others)) / (2 * e)
    assert grad(grad(f))(0.6, *others) == pytest.approx(slope, rel=1e-6)
    assert jvp(grad(f))(0.6, *others, 1.0, 1.0) == pytest.approx(slope, rel=1e-6)


def test_an_annotation_that_does_not_hold_changes_no_number():
    x, y = np.ones((2, 1)), np.array([1.0, 2.0, 3.0])
    bx, by = vjp(broadcast, (0, 1))(x, y, np.ones((2, 3)))
    assert bx.tolist() == [[18.0], [18.0]] and by.tolist() == [6.0, 6.0, 6.0]
    bx, by = vjp(said, (0, 1))(x + 0.0, np.array([[2.0], [3.0]]), np.ones((2, 1)))
    assert bx.tolist() == [[6.0], [8.0]] and by.tolist() == [[6.0], [8.0]]


def test_precision_is_that_of_the_argument():
    assert type(grad(two_names)(np.float32(0.5), 0.7)) is np.float32
    assert type(grad(two_names)(np.float64(0.5), 0.7)) is np.float64


def test_the_version_for_arrays_is_that_of_their_derivative():
    x = np.linspace(0.1, 0.9, 5)
    version = vjp(two_names).version(x, x, np.ones(5))
    assert np.allclose(version(x, x + 1.0, np.ones(5)), 2.0 * (x * (x + 1.0) + 1.0) * (x + 1.0))


def test_inside_a_function_it_is_the_derivative_for_anything():
    def f(x, y):
        return np.sum(vjp(two_names)(x, y, np.ones(3)))

    x, y = np.array([0.3, 0.7, 1.1]), np.array([1.2, 0.5, 0.9])
    want = np.array([2.0 * y[i] ** 2 for i in range(3)])
    assert np.allclose(tangent.grad(f)(x, y), want)


def test_compiled_code_takes_arrays():
    pytest.importorskip("numba")
    compiled, x = vjp(two_names, compile="numba"), np.array([0.3, 0.7])
    assert np.allclose(compiled(x, x + 1.0, np.ones(2)), vjp(two_names)(x, x + 1.0, np.ones(2)))
    assert compiled(0.3, 1.3, 1.0) == pytest.approx(vjp(two_names)(0.3, 1.3))


def price(spot, strike, rate, vol, time):
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol**2) * time) / (vol * math.sqrt(time))
    d2 = d1 - vol * math.sqrt(time)
    return spot * normal(d1) - strike * math.exp(-rate * time) * normal(d2)


def normal(z):
    return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))


def epidemic(beta, gamma, days):
    s, i, peak = 0.99, 0.01, 0.0
    for _ in range(days):
        new, well = beta * s * i, gamma * i
        s, i = s - new, i + new - well
        peak = max(peak, i)
    return peak


def root(x, y):
    while abs(y * y - x) > 1e-3:
        y = 0.5 * (y + x / y)
    return y


REQUIRED = [
    (price, (0, 3), (100.0, 95.0, 0.02, 0.3, 1.5)),
    (epidemic, (0, 1), (0.4, 0.1, 60)),
    (root, (0,), (2.0, 1.0)),
]


@pytest.mark.parametrize("f, wrt, arguments", REQUIRED)
def test_what_has_to_be_a_number_is_taken_for_one(f, wrt, arguments):
    derivative = grad(f, wrt)
    assert not any(word in derivative.source for word in ("unbroadcast", "init_grad", "lazy_zero", "check_seed"))
    tangent.check_grads(f, arguments, wrt=wrt)
    for kind in (np.asarray, np.float32, lambda a: np.asarray([a])[0]):
        given = [kind(a) if i in wrt else a for i, a in enumerate(arguments)]
        found, expected = derivative(*given), derivative(*arguments)
        np.testing.assert_allclose(np.array(found), np.array(expected), rtol=1e-4)
        first = found[0] if len(wrt) > 1 else found
        assert np.asarray(first).dtype == np.asarray(given[wrt[0]]).dtype


def test_what_may_be_an_array_is_not():
    def f(x, tolerance):
        if tolerance > 1e-3:
            return np.sum(x * tolerance)
        return x * x

    assert not hasattr(grad(f), "numbers")
    assert grad(f, 1).numbers == {"tolerance": "number"}
    np.testing.assert_array_equal(grad(f)(np.ones(3), 0.5), np.full(3, 0.5))


def logistic(p, n):
    a, b = p
    x, xs = 0.5, []
    for _ in range(n):
        x += 0.1 * (a * x - b * x * x)
        xs.append(x)
    return sum(xs)


def sums_of_squares(p, n):
    s, kept = 0.0, []
    for v in p:
        s += v * v
        kept.append(s)
    return sum(kept) * kept[0] * n


def by_turns(p, n):
    s, kept = p[0] * 1.0, []
    for i in range(n):
        s += p[i % 2] * s * 0.1
        kept.append(s)
        kept[0] = kept[0] * 1.1
    return kept[0] + kept[-1] * p[1]


def both(p, kept):
    z = p[0]
    z += p[1]
    kept.append(z)
    return z


def by_helper(p, n):
    r, kept = 0.0, []
    for _ in range(n):
        r += both(p, kept)
    return r * sum(kept)


def by_name(p, n):
    x = p["u"]
    kept = [x]
    for _ in range(n):
        x += 0.1 * p["v"]
        kept.append(x)
        if x > 100.0:
            break
    return math.exp(-0.1 * kept[-1]) * kept[1]


Pair = collections.namedtuple("Pair", "a b")
HOLDERS = [tuple, list, np.array, lambda v: Pair(*v)]


def directional(f, p, d, e=1e-6):
    ends = [f(type(p)(*m) if isinstance(p, Pair) else np.array(m) if isinstance(p, np.ndarray) else type(p)(m), 4)
            for m in ([v + s * w for v, w in zip(p, d)] for s in (e, -e))]  # fmt: skip
    return (ends[0] - ends[1]) / (2 * e)


@pytest.mark.parametrize("make", HOLDERS)
@pytest.mark.parametrize("f", [logistic, sums_of_squares, by_turns, by_helper])
def test_what_holds_numbers_is_taken_for_a_holder_of_numbers(f, make):
    p, d = make([0.6, 0.4]), (0.3, -0.7)
    for optimized in (True, False):
        derivative = grad(f, optimized=optimized)
        for _ in range(3):
            assert np.dot(tuple(derivative(p, 4)), d) == pytest.approx(directional(f, p, d), rel=1e-6)
    seconds = np.dot(tuple(jvp(grad(f))(p, 4, dp=make(d))), d)
    slope = directional(lambda q, n: np.dot(tuple(grad(f)(q, n)), d), p, d, 1e-5)
    assert seconds == pytest.approx(slope, rel=1e-5)


def test_dicts_of_numbers_are_taken_for_such():
    assert grad(by_name).numbers["p"] == "fields"
    tangent.check_grads(by_name, ({"u": 0.3, "v": 0.2}, 3), wrt=0)


def test_holders_of_numbers_ask_nothing_when_they_run():
    for f in (logistic, by_turns, by_name):
        assert not any(word in grad(f).source for word in ("shadow", "mirror", "isinstance", "add_into"))


def cumulated(p):
    x = p[0] * 1.0
    kept = [x]
    x = x + p[1]
    kept.append(x)
    kept[0] += x
    return np.sum(kept[0] * kept[1])


@pytest.mark.parametrize("p", [np.array([[1.0, 2.0], [0.5, 0.1]]), [np.array([1.0, 2.0]), 0.3], [0.4, 0.2]])
def test_holders_of_arrays_have_their_own_derivative(p):
    tangent.check_grads(cumulated, (p,))


def test_single_precision_is_kept():
    assert grad(logistic)(np.array([0.6, 0.4], np.float32), 3).dtype == np.float32


@dataclasses.dataclass
class Rates:
    a: float
    b: float


def by_attributes(p, n):
    x, xs = 0.5, []
    for _ in range(n):
        x += 0.1 * (p.a * x - p.b * x * x)
        xs.append(x)
    return sum(xs)


def kept_twice(p):
    x = p.a * 0.5
    xs = [x, x]
    xs[0] += p.b
    return np.sum(xs[0] * xs[1])


@pytest.mark.parametrize("make", [Rates, Pair, lambda a, b: types.SimpleNamespace(a=a, b=b)])
def test_objects_that_hold_numbers_are_taken_for_such(make):
    for _ in range(3):
        found = grad(by_attributes)(make(0.6, 0.4), 4)
        assert (found.a, found.b) == pytest.approx(grad(logistic)((0.6, 0.4), 4), rel=1e-12)
    assert "shadow" not in grad(by_attributes).version(Rates(0.6, 0.4), 4).source


def test_objects_that_hold_arrays_have_their_own_derivative():
    for a, b in ((0.6, 0.4), (np.array([1.0, 2.0]), 0.3), (np.array([1.0, 2.0]), np.array([0.5, 0.1]))):
        tangent.check_grads(lambda a, b: kept_twice(Rates(a, b)), (a, b))
        found = grad(kept_twice)(Rates(a, b))
        assert np.shape(found.a) == np.shape(a) and np.shape(found.b) == np.shape(b)
        expected = [np.sum(a * 0.5 + b * 0.5), np.sum(a * 0.5 + 0.0 * b)]
        if isinstance(a, np.ndarray):  # which the list holds twice
            expected = [np.sum(a * 0.5 + b), 2.0 * np.sum(a * 0.5 + b)]
        assert np.allclose([np.sum(found.a), np.sum(found.b)], expected)
