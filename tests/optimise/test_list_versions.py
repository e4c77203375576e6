"""Versions for lists of floats and dicts of numbers: the same numbers as raw code, without dispatch."""

import math

import numpy as np
import pytest

import tangent

FLOATS = [0.7, 1.3, 0.4, 1.1]


def squares(xs):
    s = 0.0
    for x in xs:
        s += x * x
    return s


def relaxed(xs, n):
    for _ in range(n):
        xs = [x * 0.9 + 0.1 * math.sin(x) for x in xs]
    return sum(xs)


def tree(q, s, n):
    """A list that others take the place of."""
    vals = [s * j for j in range(n + 1)]
    for i in range(n, 0, -1):
        vals = [q * vals[j + 1] + (1 - q) * vals[j] * vals[j] for j in range(i)]
    return vals[0]


def stepped(xs, n):
    for _ in range(n):
        new = []
        for i in range(len(xs)):
            new.append(xs[i] - 0.1 * xs[i] * xs[i - 1])
        xs = new
    return xs[0] * xs[1]


def changed_later(xs, n):
    vals = [2.0 * x for x in xs]
    for _ in range(n):
        vals = [0.5 * v * v for v in vals]
        vals[0] = vals[1] * vals[0]
        vals.append(0.1 * vals[0])
    return sum(vals)


def grows_under_another_name(xs):
    ys = []
    for x in xs:
        ys.append(x * x)
    zs = ys
    ys.append(np.ones(2) * xs[0])
    return np.sum(zs[-1]) * zs[0] * len(zs)


def written(xs):
    xs[0] = xs[1] * xs[2]
    xs.append(2.0 * xs[0])
    return squares(xs)


def cells(w, n):
    x, y = 1.0, 0.5
    for _ in range(n):
        x, y = math.tanh(w[0][0] * x + w[0][1] * y), math.tanh(w[1][0] * x + w[1][1] * y)
    return x + y


def fields(q, n):
    x = 0.1
    for _ in range(n):
        x = q["a"] * math.tanh(q["b"] * x) + q["c"]
    return x


def states(a, b, seen):
    """A list of integers says what is read."""
    p, total = np.array([0.5, 0.5]), 0.0
    for o in seen:
        p = (p @ a) * b[:, o]
        total += np.log(np.sum(p))
        p = p / np.sum(p)
    return total


def warped(a, b):
    """The least of three numbers, in a table that begins full."""
    d = np.full((len(a) + 1, len(b) + 1), 1e9)
    d[0, 0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[len(a), len(b)]


def layer(q, x):
    return np.sum(np.tanh(x @ q["w"] + q["b"]) ** 2)


def polygon(corners):
    total = 0.0
    for i in range(len(corners)):
        x, y = corners[i]
        u, v = corners[(i + 1) % len(corners)]
        total += x * v - u * y
    return 0.5 * total


def orbit(state, n):
    x, y, u, v = state
    for _ in range(n):
        r = (x * x + y * y) ** 1.5
        x, y, u, v = x + 0.1 * u, y + 0.1 * v, u - 0.1 * x / r, v - 0.1 * y / r
    return x * u


def swing(state):
    return [state[1], -math.sin(state[0])]


def pendulum(state, n):
    for _ in range(n):
        slope = swing(state)
        state = [state[0] + 0.1 * slope[0], state[1] + 0.1 * slope[1]]
    return state[0]


def advanced(f, y, h):
    k = f(y)
    mid = f([a + 0.5 * h * b for a, b in zip(y, k)])
    return [a + h * b for a, b in zip(y, mid)]


def midpoint(state, n):
    for _ in range(n):
        state = advanced(swing, state, 0.1)
    return state[0] * state[1]


def softmax(xs):
    top = max(xs)
    e = [math.exp(x - top) for x in xs]
    return math.log(e[1] / sum(e))


def packed(v):
    """The best value for each size, in a list that begins with zeros."""
    best = [0.0] * 6
    for i in range(len(v)):
        for size in range(5, i, -1):
            best[size] = max(best[size], best[size - i - 1] + v[i])
    return best[5]


def perceptron(w):
    """Numbers of NumPy in lists."""
    hidden = [math.tanh(0.5 * w[i] + w[i + 1]) for i in range(3)]
    return sum([w[i] * hidden[i] for i in range(3)])


def grows_elsewhere(xs):
    ys = [xs[0], xs[1]]
    zs = ys
    zs.append(np.ones(2) * xs[0] * xs[2])
    return np.sum(ys[-1]) * ys[0] * len(ys)


def holds_arrays(xs, n):
    state = [xs[0], xs[1]]
    for _ in range(n):
        state = [state[1] * np.array(xs), state[0]]
    return np.sum(state[0]) + np.sum(state[1])


CASES = {
    pendulum: (FLOATS, 3), midpoint: (FLOATS[:2], 3), softmax: (FLOATS,), packed: (np.array(FLOATS),),
    perceptron: (np.array(FLOATS),), grows_elsewhere: (FLOATS,), holds_arrays: (FLOATS, 3),
    squares: (FLOATS,), relaxed: (FLOATS, 3), tree: (0.3, 0.4, 4), stepped: (FLOATS, 3), changed_later: (FLOATS, 2),
    states: (np.eye(2) + 0.3, np.eye(2) + 0.2, [0, 1, 1]), warped: (np.array(FLOATS), np.array(FLOATS[::-1]) + 0.1),
    grows_under_another_name: (FLOATS,), written: (FLOATS,), cells: ([[0.3, 0.2], [0.1, 0.4]], 3),
    fields: ({"a": 0.7, "b": 1.2, "c": 0.1}, 3), layer: ({"w": np.eye(3), "b": np.ones(3)}, np.eye(3)),
    polygon: ([[0.1, 0.7], [1.2, 0.3], [0.9, 1.4]],), orbit: ([0.7, 1.3, 0.4, 1.1], 3),
}  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_same_numbers(f):
    args = CASES[f]
    gradient, raw = tangent.grad(f), tangent.grad(f, optimized=False)(*args)
    tangent.check_grads(f, args, wrt=(0,), modes=("reverse",), rtol=1e-5, atol=1e-6)
    for _ in range(4):
        found = gradient(*args)
        assert type(found) is type(raw)
        flat = [list(x.values()) if isinstance(x, dict) else x for x in (found, raw)]
        for a, b in zip(*(x if isinstance(x, list) else [x] for x in flat)):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        squares,
        relaxed,
        tree,
        stepped,
        cells,
        states,
        warped,
        polygon,
        orbit,
        pendulum,
        midpoint,
        softmax,
        packed,
        perceptron,
    ],
)
def test_nothing_is_asked_at_run_time(f):
    text = tangent.grad(f).version(*CASES[f]).source
    assert not any(asked in text for asked in ("unbroadcast", "add_part", "sequence", "memory", "_adjoint"))


def test_what_lists_hold_tells_versions_apart():
    gradient = tangent.grad(lambda w: sum([x * x for row in w for x in row]) * w[0][0])
    plain = [[1.0, 2.0], [3.0]]
    for _ in range(4):
        assert gradient(plain) == [[16.0, 4.0], [6.0]]
    assert gradient([[1.0, 2], [3.0]]) == [[16.0, 4.0], [6.0]]
    assert gradient([[2.0], []]) == [[12.0], []]
    with pytest.raises(TypeError):
        gradient([[1.0], [[2.0]]])
    assert gradient(plain) == [[16.0, 4.0], [6.0]]


def test_one_list_given_twice():
    gradient = tangent.grad(lambda xs, ys: sum([x * y * y for x, y in zip(xs, ys)]), wrt=(0, 1))
    for _ in range(4):
        first, second = gradient(FLOATS, FLOATS)
        assert first is not second and first is not FLOATS
        np.testing.assert_allclose(first, np.square(FLOATS))
        np.testing.assert_allclose(second, 2.0 * np.square(FLOATS))
