"""Lists of arrays and tuples that one loop gathers, and that another reads, or NumPy takes for an array."""

import numpy as np

from programs.registry import program
from programs.samples import positive

ROWS = positive(3, 2)


@program({"w": positive(2), "xs": ROWS, "n": 3}, {"w": positive(2), "xs": ROWS, "n": 0}, wrt=("w", "xs"))
def states_read_behind(w, xs, n):
    h, states = np.zeros(2), []
    for t in range(n):
        h = np.tanh(w * h + xs[t])
        states.append(h)
    s = 0
    for t, y in enumerate(states):
        s += 0.9**t * np.sum(y * y)
    return s + np.sum(w)


@program({"w": positive(2), "xs": ROWS, "n": 3}, {"w": positive(2), "xs": ROWS, "n": 0}, wrt=("w", "xs"))
def arrays_as_rows(w, xs, n):
    rows = []
    for t in range(n):
        rows.append(w * xs[t])
    a = np.array(rows)
    return np.sum(a * a) + np.sum(w)


@program({"w": positive(2), "xs": ROWS, "n": 3}, {"w": positive(2), "xs": ROWS, "n": 0}, wrt=("w", "xs"))
def rows_that_begin_with_one(w, xs, n):
    rows = [w]
    for t in range(n):
        rows.append(rows[-1] * xs[t])
    a = np.array(rows)
    return np.sum(a[:, 0] * a[:, 1]) + a.mean()


@program({"p": (0.3, 0.5), "n": 4}, {"p": (0.3, 0.5), "n": 0}, {"p": np.array([0.3, 0.5]), "n": 2})
def orbit_of_tuples(p, n):
    x, y = p
    orbit = []
    for _ in range(n):
        x, y = x + 0.1 * y, y - 0.1 * x * x
        orbit.append((x, y))
    return sum(a * a * b for a, b in orbit) + x


@program({"w": positive(2), "xs": ROWS})
def tuples_of_arrays_and_numbers(w, xs):
    kept, h = [], w
    for x in xs:
        h = h * x
        kept.append((h, np.sum(h)))
    s = 0.0
    for a, b in kept:
        s = s + np.sum(a) * b
    return s


@program({"w": positive(4), "n": 4}, {"w": positive(4), "n": 1})
def arrays_of_several_lengths(w, n):
    parts = []
    for t in range(n):
        parts.append(w[: t + 1] ** 2)
    s = 0.0
    for part in parts:
        s += np.sum(part) * np.sum(part)
    return s


@program({"w": positive(3), "n": 4})
def arrays_and_numbers_by_turns(w, n):
    parts = []
    for t in range(n):
        parts.append(w * t if t % 2 else np.sum(w * w))
    s = 0.0
    for part in parts:
        s = s + np.sum(part * part)
    return s


@program({"w": positive(2), "xs": ROWS})
def gathered_and_grown_again(w, xs):
    rows = []
    for x in xs:
        rows.append(w * x)
    s = 0.0
    for y in rows:
        s += np.sum(y**2)
    rows.append(w * s)
    for y in rows:
        s += np.sum(y)
    return s


@program({"w": positive(2), "xs": ROWS, "n": 2}, {"w": positive(2), "xs": ROWS, "n": 1}, wrt=("w", "xs"))
def last_row_dropped(w, xs, n):
    rows = [w]
    for t in range(n):
        rows.append(w * xs[t])
    rows.pop()
    return np.sum(np.array(rows) * 2.0) + np.sum(w * w)


@program({"w": positive(2), "xs": ROWS})
def one_array_many_times(w, xs):
    h, rows = w * 1.0, []
    for _ in range(3):
        rows.append(h)
    s = 0.0
    for k, y in enumerate(rows):
        s += np.sum(y**2) * (k + xs[k, 0])
    return s


@program({"x": 1.3, "n": 3}, {"x": 1.3, "n": 0}, wrt="x")
def sums_that_begin_whole(x, n):
    s, y = 1, 2
    for i in range(n):
        s = s * x + i
    if n:
        y = x * x
    return s / 2 + y * x + np.sum(y * np.ones(2))


def drift(t, y, p):
    a, b = p
    return np.array([a * y[0] - b * y[0] * y[1], -a * y[1] + b * y[0] * y[1]])


def heun(f, y, times, p):
    ys = [y]
    for i in range(len(times) - 1):
        h = times[i + 1] - times[i]
        k1 = f(times[i], y, p)
        k2 = f(times[i] + h, y + h * k1, p)
        y = y + h / 2 * (k1 + k2)
        ys.append(y)
    return np.array(ys)


@program({"p": positive(2), "y": positive(2), "times": np.linspace(0.0, 0.3, 4)})
def orbit_of_a_system(p, y, times):
    return np.sum(heun(drift, y, times, p) ** 2)
