"""Lists that hold nothing but numbers, and change by their items: right whatever holds them, and written in place."""

import copy

import numpy as np
import pytest

import tangent


def in_turns(x, n):
    a, b, out = [x, 1.0], [2.0, x], []
    for _ in range(n):
        a, b = b, a
        a[0] += b[1] * x
        out += [v * v for v in a]
    return sum(out)


def looped_while_it_changes(x, n):
    y, out = [x, 1.0], []
    for _ in range(n):
        for v in y:
            y[1] = v * x
            out.append(v)
    return sum(out) + y[1]


def sometimes_nothing(x, n):
    y, out = [x, None, 1.0], []
    for _ in range(n):
        y[1] = x if y[1] is None else y[1] * 0.5
        y[0] += y[1]
        out.append(y[0])
    return sum(out)


def counted(x, n):
    y, out = list(range(4)), []
    for i in range(n):
        y[i % 4] = y[i % 4] * x + i
        out.append(y[i % 4])
    return sum(out)


def grown_and_changed(x, n):
    y, out = [], []
    for i in range(n):
        y.append(x * i)
        y[i // 2] += x
        out.append(y[0])
        if i % 3 == 2:
            y.pop()
    return sum(out) + sum(y)


def kept_whole(x, n):
    u, out = [x, x * x], []
    for _ in range(n):
        out.append(u)
        u = list(u)
        u[0] += x * u[1]
    return sum(v[0] * v[1] for v in out)


def rows_under_two_names(x, n):
    t, out = [[x] * 3] * 3, []
    for i in range(n):
        t[i % 3][i % 3] = t[(i + 1) % 3][0] * x
        out.append(t[0][0])
    return sum(out)


def put(ys, i, v):
    ys[i] = v
    return ys


def written_by_a_helper(x, n):
    y, out = [x, 1.0, 2.0], []
    for i in range(n):
        z = put(y, i % 3, y[(i + 1) % 3] * x)
        z[0] += 0.5
        out.append(y[0])
    return sum(out)


def backwards(y0, n):
    y, out = list(y0), []
    w = y[:]
    for _ in range(n):
        for j in range(len(y)):
            w[j] = w[j] + y[j] * y[0] * 0.1
        y = w[::-1]
        out.append(y[0])
    return sum(out)


def tridiagonal(d, n):
    c, x = [0.0] * len(d), [0.0] * len(d)
    c[0] = d[0]
    for i in range(1, len(d)):
        c[i] = (d[i] - 0.3 * c[i - 1]) / (2.0 + 0.1 * c[i - 1])
    x[-1] = c[-1]
    for i in range(len(d) - 2, -1, -1):
        x[i] = c[i] - 0.2 * x[i + 1] * x[i + 1]
    return n * sum(v * v for v in x)


ONE = [in_turns, looped_while_it_changes, sometimes_nothing, counted, grown_and_changed, kept_whole,
       rows_under_two_names, written_by_a_helper]  # fmt: skip
SEVERAL = [backwards, tridiagonal]
FLOATS = [0.7, 1.1, 0.4, 0.9]


def slope(f, x, i=None, h=1e-6):
    """The derivative by x, or by one of its elements, as a difference."""

    def moved(by):
        y = copy.deepcopy(x)
        if i is None:
            return f(y + by, 5)
        y[i] += by
        return f(y, 5)

    return np.sum(moved(h) - moved(-h)) / (2.0 * h)


@pytest.mark.parametrize("f", ONE)
def test_numbers_and_arrays_in_turns(f):
    gradient = tangent.grad(f)
    x = np.array([0.7, 1.2])
    for given in (0.7, 0.7, 0.7, np.float64(0.6), x, 0.7, x):
        seed = np.ones(2) if given is x else 1.0
        found = gradient(given, 5, seed)
        wanted = [slope(f, x, i) for i in range(2)] if given is x else slope(f, float(given))
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_array_equal(x, [0.7, 1.2])


@pytest.mark.parametrize("f", SEVERAL)
def test_holders_in_turns(f):
    gradient = tangent.grad(f)
    for given in (FLOATS, FLOATS, FLOATS, tuple(FLOATS), np.array(FLOATS), FLOATS):
        before = copy.deepcopy(given)
        wanted = [slope(f, np.array(FLOATS), i) for i in range(4)]
        np.testing.assert_allclose(gradient(given, 5), wanted, rtol=1e-5)
        np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("f", SEVERAL)
def test_items_change_in_place(f):
    gradient = tangent.grad(f)
    text = gradient.source + gradient.version(FLOATS, 5).source
    assert "memory" not in text and "mutated" not in text


def test_nothing_is_asked_of_numbers_in_lists():
    text = tangent.grad(tridiagonal).version(FLOATS, 5).source
    assert not any(asked in text for asked in ("unbroadcast", "add_part", "sequence", "init_grad"))


def filtered(rates, n):
    weights, total = [r / n for r in rates], 0.0
    for k in range(n):
        weights = [sum(weights[i] * rates[j] for i in range(len(rates))) * (k + 1) for j in range(len(rates))]
        scale = sum(weights)
        total += scale * scale
        weights = [w / scale for w in weights]
    return total


def network(xs, n):
    hidden = []
    for x in xs:
        s = 0.0
        for k in range(n):
            s += x * k
        hidden.append(s / (1.0 + s * s))
    out = [sum(w * v for w, v in zip(xs, hidden)) + b for b in xs]
    top = max(out)
    return sum((v - top) ** 2 for v in out)


@pytest.mark.parametrize("f", [filtered, network])
def test_lists_that_loops_go_through(f):
    gradient = tangent.grad(f)
    wanted = [slope(f, np.array(FLOATS), i) for i in range(4)]
    for _ in range(4):
        np.testing.assert_allclose(gradient(FLOATS, 5), wanted, rtol=1e-5)
    np.testing.assert_allclose(gradient(np.array(FLOATS), 5), wanted, rtol=1e-5)
    text = gradient.version(FLOATS, 3).source
    assert not any(asked in text for asked in ("unbroadcast", "lazy_zero", "sequence"))


def longer_and_shorter(x, n):
    u, total = [x, 2.0 * x], 0.0
    for _ in range(n):
        total += sum(u)
        u = [v * x for v in u] + [x]
    for j in range(n):
        total += sum([v * v for v in u])
        if j % 2:
            u = [x * j] * j
        else:
            u = [v * x for v in u]
    return total


def begun_again(x, n):
    u, total = [x, 2.0 * x], 0.0
    for i in range(n):
        for _ in range(2):
            total += u[0] * u[-1]
            u = [v * x for v in u] + [x]
        if i > 1:
            u = [x, x * i]
    u = [x] * 7
    for _ in range(n):
        u = [u[0] * x] * 4
        total += u[1]
    return total


@pytest.mark.parametrize("f", [longer_and_shorter, begun_again])
def test_lists_of_other_lengths_under_one_name(f):
    gradient = tangent.grad(f)
    for _ in range(4):
        np.testing.assert_allclose(gradient(0.7, 5), slope(f, 0.7), rtol=1e-5)
