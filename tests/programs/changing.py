"""Functions that append to lists of their caller, take from them, and fill its dicts."""

from collections import Counter, defaultdict

import numpy as np

from programs.registry import program
from programs.samples import signed

FACTOR = 3.0


def _push(xs, v):
    xs.append(v * v)


def _record(kept, k, v):
    kept[k] = v


def _push_and_record(xs, kept, k, v):
    """Calls two others, and leaves early."""
    _push(xs, v)
    if v > 2.0:
        return 0.0
    _record(kept, k, v * 2)
    return v


def _taken(xs):
    if not xs:
        return 1.0
    return xs.pop()


def _stepped(state, rate=0.1, *, decay=0.9):
    g = 2 * state["w"]
    state["m"] = decay * state["m"] + 0.1 * g
    state["w"] -= rate * state["m"]
    return state["w"] ** 2


def _multiples(i, xs):
    xs.extend([i * j * FACTOR for j in range(3)])


def _counted_down(xs, v, n):
    if n == 0:
        return
    xs.append(v * n)
    _counted_down(xs, v * v, n - 1)


@program({"x": 0.8, "n": 4})
def list_and_dict_filled_by_helpers(x, n):
    xs, kept, s = [], {}, 0.0
    for i in range(n):
        s = s * x + _push_and_record(xs, kept, i, x * i) * len(xs)
    return sum(xs) * s + sum(kept.values())


@program({"x": 0.8})
def items_taken_by_a_helper_in_order(x):
    xs = [x]
    for _ in range(3):
        _push(xs, xs[-1])
    s = x * len(xs) + _taken(xs) * xs[0] - _taken(xs) * (xs[0] if xs else x)
    return s + _taken(xs) + _taken(xs) + _taken(xs)


@program({"x": 0.8})
def state_of_an_optimiser(x):
    state, loss = {"w": x, "m": 0.0}, 0.0
    for i in range(3):
        loss += _stepped(state) * i
    return loss + _stepped(state, decay=x, rate=0.3)


@program({"x": 0.8})
def helper_whose_comprehension_has_our_names(x):
    xs = []
    for j in range(3):
        _multiples(x * j, xs)
    j = x
    _multiples(j, xs)
    return sum(v * k for k, v in enumerate(xs))


@program({"x": 0.8})
def list_of_two_names_that_a_helper_changes(x):
    xs = []
    ys = xs
    _push(xs, x)
    _push(ys, x + 1)
    _counted_down(xs, x, 2)
    return xs[0] * ys[1] + xs[3]


@program({"x": signed(3)})
def arrays_kept_by_helpers(x):
    xs, kept = [x * 2], {}
    t = x * xs[0] + _taken(xs) * x[0]
    _push(xs, t)
    _record(kept, "t", xs[0])
    kept["t"][0] = 3.0 * x[1]
    return np.sum(kept["t"] * xs[0])


def _noted(kept, v):
    kept["a"].append(v)
    kept["n"] += 1.0


@program({"x": 0.8})
def dict_of_lists_that_grow(x):
    kept = {"a": [], "b": [x], "n": x}
    for i in range(3):
        _noted(kept, x * i)
        _push(kept["b"], kept["a"][i])
    return sum(kept["a"]) * sum(kept["b"]) * kept["n"]


@program({"x": 0.8})
def dict_of_lists_that_is_returned(x):
    for i in range(3):
        kept = {"a": [], "b": []}
        kept["a"].append(x * i)
        kept["b"].insert(0, x * kept["a"][0])
    return x * x, kept


def _counted(sums, k, v):
    sums[k] += v


@program({"x": 0.8})
def sums_that_begin_with_nothing(x):
    sums, numbers, odd = defaultdict(float), Counter(), 0.0
    for i in range(5):
        _counted(sums, i % 2, x**i)
        numbers[i % 2] += 1
        odd += sums[i, i] + sums[1] * numbers["none"]
    return sum(sums[k] / (1 + numbers[k]) for k in (0, 1)) * sums[1] + len(sums) * x + odd


@program({"x": signed(3)})
def sums_of_arrays_that_begin_with_nothing(x):
    sums = defaultdict(float)
    for i in range(4):
        sums[i % 2] += x * i
    return np.sum(sums[0] * sums[1])


@program({"x": signed(3), "y": 0.6})
def pairs_that_hold_what_a_list_changes(x, y):
    xs, ps = [x, x * y], [(x, y * x)]
    for _ in range(2):
        xs[0], xs[-1] = xs[-1], xs[0]
        xs[-1] *= np.sin(y)
    return np.sum(ps[-1][0] * xs[0] * ps[0][1])


@program({"x": signed(3)})
def value_that_a_list_gets_twice_at_once(x):
    xs, s = [x], x * 0.5
    xs.extend([s, s])
    xs[0] += x * 2.0
    return np.sum(xs[0] * xs[1] + xs[2] * s)


@program({"x": signed(3), "v": 0.7})
def longer_under_another_name(x, v):
    xs = [x[0]]
    ys = xs
    for i in range(3):
        ys += [v * x[i] * xs[-1]]
        xs[0] = xs[0] * ys[-1]
    ys += [v, x[1]]
    return sum(xs) * sum(ys) + len(xs)


@program({"y0": [1.0, 0.4, 2.0], "k": 0.7})
def list_of_numbers_whose_items_are_kept(y0, k):
    y, history = list(y0), []
    for _ in range(3):
        slope = [-k * v for v in y]
        for j in range(len(y)):
            y[j] += 0.1 * slope[j] * y[0]
        history.append(y[0])
    return sum(history) * y[2]


def slopes_of(y, k):
    return [k * (y[1] - y[0]), y[0] * (2.0 - y[2]) - y[1], y[0] * y[1]]


@program({"y0": [1.0, 0.4, 2.0], "k": 0.7})
def list_of_numbers_given_to_a_helper(y0, k):
    y, history = list(y0), []
    for _ in range(3):
        slope = slopes_of(y, k)
        for j in range(len(y)):
            y[j] += 0.1 * slope[j]
        history.append(y[0])
    return sum(history) + max(y)


@program({"x": 0.7, "n": 4})
def lists_of_numbers_made_of_one_another(x, n):
    u, history = [x * i for i in range(n)], []
    for _ in range(3):
        new, old = u[:], u
        for j in range(1, n):
            new[j] = 0.5 * u[j - 1] * x + u[j]
        u = new
        old[0] = old[0] * 2.0 + x
        history.append(u[1] + old[0])
    return sum(history)


@program({"x": 0.7, "n": 4})
def number_list_under_two_names(x, n):
    y, history = [x, 2.0 * x], []
    z = y
    for i in range(n):
        z[i % 2] += x * y[1 - i % 2]
        history.append(y[0] * z[1])
    return sum(history)


def hold(box, ys):
    box.append(ys)


@program({"x": 0.7, "n": 3})
def number_list_that_a_helper_puts_away(x, n):
    box, y, history = [], [x, 1.0], []
    hold(box, y)
    for _ in range(n):
        box[0][0] = x * y[0]
        y[1] += y[0]
        history.append(y[1])
    return sum(history)
