"""Dicts that are filled in place: memo tables, counts, tables of dynamic programming, ways through graphs."""

import copy
import functools
import math
from collections import defaultdict

import numpy as np

from programs.registry import program
from programs.samples import positive, signed

NUMBERS = [0.7, 1.3, 0.4, 2.1]


@program({"x": 0.7, "n": 6})
def memo_table(x, n):
    memo = {0: x, 1: x * x}
    for i in range(2, n):
        memo[i] = math.sin(memo[i - 1]) + memo[i - 2] * 0.5
    return memo[n - 1]


@program({"xs": NUMBERS})
def sums_by_key(xs):
    sums = {}
    for i in range(len(xs)):
        sums[i % 3] = sums.get(i % 3, 0.0) + xs[i] * xs[i]
    return sum(k * v * v for k, v in sums.items())


@program({"x": 0.8})
def grid_by_pairs(x):
    grid = {}
    for i in range(3):
        for j in range(3):
            if i == 0 or j == 0:
                grid[i, j] = x
            else:
                grid[i, j] = grid[i - 1, j] * x + grid[i, j - 1] - grid[i - 1, j - 1] ** 2
    return grid[2, 2]


@program({"w": [1.0, 2.5, 1.2, 3.1]})
def shortest_ways_of_edges(w):
    dist = {v: float("inf") for v in "abcd"}
    dist["a"] = 0.0
    edges = [("a", "b", 0), ("b", "c", 1), ("a", "c", 2), ("c", "d", 3)]
    for _ in range(3):
        for u, v, i in edges:
            if dist[u] + w[i] < dist[v]:
                dist[v] = dist[u] + w[i]
    return dist["d"] * dist["c"]


@program({"x": 1.3, "n": 5})
def keys_set_once(x, n):
    d = {}
    for i in range(n):
        a = d.setdefault(i % 2, x * i)
        d[i % 2] = a * x + 1.0
    return d[0] * d[1]


@program({"x": 1.3, "n": 5})
def items_taken_out(x, n):
    d = {}
    s = 0.0
    for i in range(n):
        d[i] = x * i
        if i > 2:
            s += d.pop(i - 2) ** 2
        s += d.pop(i + 10, x) * 0.5
    for i in range(n):
        s += d.pop(i, 1.0) * x
    return s + len(d)


@program({"x": 1.3, "n": 5})
def items_deleted_and_stored_again(x, n):
    d = {}
    total = 0.0
    for i in range(n):
        d[i % 2] = d.get(i % 2, x) * 2.0
        total = total + d[i % 2] * x
        if i % 3 == 0:
            del d[i % 2]
    return total + d.get(1, x * x)


@program({"x": 0.7, "n": 3})
def tables_that_take_turns(x, n):
    now = {0: x, 1: x * x}
    for _ in range(n):
        then = {}
        for k in now:
            then[k] = now[k] * x + now[(k + 1) % 2]
        now = then
    return now[0] * now[1]


@program({"x": np.array([0.7, 1.3, 0.4]), "n": 4})
def arrays_by_key(x, n):
    d = {}
    for i in range(n):
        d[i % 2] = d.get(i % 2, 1.0) * x + i
        d["s"] = np.sum(d[i % 2])
    return np.sum(d[0] * d[1]) + d["s"]


@program({"x": np.array([0.7, 1.3, 0.4])})
def number_that_becomes_an_array(x):
    d = {"s": np.sum(x * x)}
    for _ in range(2):
        d["s"] = d["s"] + x
    return np.sum(d["s"] * d["s"])


@program({"x": np.array([0.7, 1.3, 0.4])})
def number_of_a_list_that_becomes_an_array(x):
    d = [np.sum(x * x), 1.0]
    for i in range(2):
        d[0] = d[0] + x * d[1]
    return np.sum(d[0] * d[0])


@program({"x": 1.2, "n": 4})
def dict_that_is_given_back(x, n):
    d = {}
    for i in range(n):
        d[i] = x * i + d.get(i - 1, 0.0) * x
    return d


@program({"d": {"a": 1.2, "b": 0.4}, "x": 1.5})
def copy_of_an_argument_filled(d, x):
    e = dict(d)
    for k in d:
        e[k] = e[k] * x
    return e["a"] + e["b"] ** 2


def _looked_up(d, k):
    return d[k] * d[k]


@program({"x": 1.1, "n": 4})
def dict_read_by_a_helper(x, n):
    d = {0: x}
    for i in range(1, n):
        d[i] = _looked_up(d, i - 1) + x
        d[0] = d[0] * 0.5
    return _looked_up(d, n - 1) + d[0]


@program({"x": 1.1, "n": 4})
def list_of_zeros_added_to(x, n):
    d = [0.0] * n
    for i in range(1, n):
        d[i] += x * d[i - 1] + x
        d[i - 1] += d[i]
    return d[n - 1] + d[0]


@program({"x": 1.1, "n": 4})
def list_of_one_number_changed(x, n):
    d = [x] * n
    for i in range(1, n):
        d[i] = d[i - 1] * x + x
    return d[n - 1] * d[0]


@program({"x": 0.7, "n": 3})
def lists_that_take_turns(x, n):
    now, then = [x, 1.0, x * x], [0.0] * 3
    for _ in range(n):
        for j in range(3):
            then[j] = now[(j + 1) % 3] * x + now[j]
        now, then = then, now
    return now[0] * now[1] + then[2]


@program({"x": 0.7, "n": 3})
def first_list_of_several_kept(x, n):
    a = [x, 1.0]
    first = a
    for _ in range(n):
        b = [0.0, 0.0]
        for j in range(2):
            b[j] = a[j] * x + first[0]
        a[0] = a[0] * 0.5
        a = b
    return a[0] + first[0] * first[1]


@program({"x": np.array([0.6, 1.2, 0.9])})
def keys_beside_values(x):
    d = {0: x[0]}
    for i in range(3):
        d[i] = x[i] * 2.0
    return sum(d) * sum(d.values()) + min(d, key=lambda k: d[k])


@program({"x": 0.7, "n": 4})
def items_that_swap_beside_a_sum(x, n):
    d = {}
    for i in range(n):
        d[i % 2] = d.get(i % 2, x) * x + i
        if i == 2:
            d[0], d[1] = d[1], d[0]
        d.setdefault("t", 2.0)
        d["t"] += d[i % 2] ** 2
    return d.pop("t") * d[0] + d[1]


@program({"x": 0.7, "n": 4})
def items_of_a_list_that_swap_beside_a_sum(x, n):
    d = [x, x * x, 5.0]
    for i in range(n):
        d[i % 2] = d[i % 2] * x + i
        if i == 1:
            d[2] = 3.0
        if i == 2:
            d[0], d[1] = d[1], d[0]
        d[2] += d[i % 2] ** 2
    return d[2] * d[0] + d[1]


@program({"t": [1.5, {"k": 4.0}]})
def dict_in_a_list_scaled_in_place(t):
    c, d = t
    d["k"] *= c
    return t[1]["k"] * c


@program({"p": {"w": [1.0, 2.0], "s": 3.0}}, orders=1)
def list_in_a_dict_scaled_in_place(p):
    w = p["w"]
    for i in range(2):
        w[i] *= p["s"] * w[i]
    return p["w"][0] * p["w"][1]


@program({"q": {"a": 0.7, "b": 1.3}})
def written_under_a_second_name(q):
    p = q
    p["a"] = q["b"]
    return q["a"] * p["b"]


@program({"x": 0.7, "y": 1.3})
def three_names_of_a_dict(x, y):
    q = {}
    p = q
    r = p
    r[0], p[1] = x, y
    q[2] = r[0] * p[1]
    for i in range(3):
        p[0] = q[2] * r[0]
        q[2] += p[0]
    del p[1]
    return q[0] * r[2]


@program({"x": 1.3})
def counts_that_are_also_assigned(x):
    h = defaultdict(float)
    for i in range(3):
        h[i, i + 1] -= x * i
        if (i, i) in h:
            h[0, 0] = 1.0
        s = h[i, i] + h[i, i + 1] ** 2
    return s + sum(v * k[0] for k, v in sorted(h.items()))


LINKS = {"a": ["b", "c"], "b": ["c"], "c": ["a"]}


@program({"x": 0.85})
def ranks_of_pages(x):
    ranks = {p: 1.0 / 3 for p in LINKS}
    for _ in range(3):
        new = {p: (1.0 - x) / 3 for p in LINKS}
        for p, outs in LINKS.items():
            for q in outs:
                new[q] += x * ranks[p] / len(outs)
        ranks = new
    return ranks["a"] ** 2 + ranks["c"]


@program({"x": 1.5})
def pairs_filled_at_once_and_changed(x):
    d = {(i, j): x * i + j for i in range(3) for j in range(2) if i != j}
    e = d
    e[0, 1] = x * x
    del d[1, 0]
    return sum(d.values()) * e[2, 1]


@program({"x": np.array([1.0, 2.0])})
def one_array_under_two_keys(x):
    d = {k: x for k in "ab"}
    d["a"] += 1.0 * x
    return np.sum(d["b"] * d["a"])


@program({"p": {"a": 1.2, "b": 2.0}})
def default_that_is_an_item(p):
    q = {k: v for k, v in p.items()}
    q["a"] = q["a"] * p["b"]
    q.setdefault("c", p["a"])
    return q["a"] * q["c"]


@program({"x": 1.5})
def dict_of_an_iteration_before(x):
    s = 0.0
    for t in range(3):
        if t != 1:
            d = {k: x * t for k in range(3)}
        d[1] += x
        s += d[1] * d[2]
    return s


def remembered_series(n, x, known=None):
    known = {} if known is None else known
    if n < 2:
        return x
    if n not in known:
        known[n] = remembered_series(n - 1, x, known) + x * remembered_series(n - 2, x, known)
    return known[n]


def set_at(n, x, table=None):
    if table is None:
        table = {}
    table[n] = x * n
    return table[n]


@program({"x": 1.3})
def dict_made_where_none_is_given(x):
    table = {}

    def powers(n, known=None):
        known = {} if known is None else known
        if n not in known:
            known[n] = x if n == 0 else powers(n - 1, known) * x
        return known[n]

    first = set_at(4, x) + set_at(2, x * x, table)
    return remembered_series(6, x) + first * table[2] + powers(3)


@program({"x": signed(3)})
def defaults_that_are_computed_where_they_are_set(x):
    found = {}
    for k in range(3):
        found[k] = x[k] * x[0]
    found[0] += found.pop(1)
    found.setdefault(1, x[2] * x[2])
    found.setdefault(7, np.sin(x[1]) * x[0])
    found.setdefault(0, x[2] + 1.0)
    return found[0] * found[1] + found[7] * found[2]


def step_and_what_it_kept(x, w):
    h = np.zeros(3)
    for k in range(1, 3):
        h[k] = np.tanh(h[k - 1] * w + x[k])
    kept = {}
    kept["w"] = w
    kept["h"] = h
    kept["w"] += h[1]
    scale = kept["w"] * 2.0
    kept["both"], last = h * scale, h[2]
    return last, kept


@program({"x": signed(3), "w": 0.7})
def dict_that_is_filled_before_it_is_returned(x, w):
    last, kept = step_and_what_it_kept(x, w)
    found = {"last": last}
    for k in range(2):
        sizes = {}
        sizes["now"] = x[k] * w
        if k:
            sizes["now"] = x[k]
        found["last"] += np.sum(kept["both"]) * sizes["now"]
    found["first"] = kept["h"][1] * found["last"]
    return sum(found.values()) + kept["w"]


def states_and_their_gradients(x, w, seen):
    given, states = {}, {}
    states[-1] = np.copy(x)
    for k in range(len(seen)):
        given[k] = np.zeros(2)
        given[k][seen[k]] = 1.0
        states[k] = np.tanh(w @ states[k - 1] + given[k])
    dw, back = np.zeros_like(w), np.zeros_like(states[0])
    for k in reversed(range(len(seen))):
        d = np.copy(states[k])
        d[seen[k]] -= 1.0
        dw += np.outer(d, states[k - 1])
        back = w.T @ d + back
    for g in [dw, back]:
        np.clip(g, -0.6, 0.6, out=g)
    return states[1], dw, back


@program({"x": signed(2), "w": signed(2, 2) * 0.4, "seen": [1, 0]})
def arrays_in_dicts_and_others_cut_in_a_list(x, w, seen):
    last, dw, back = states_and_their_gradients(x, w, seen)
    return np.sum(last) + np.sum(dw * w) + np.sum(back**2)


@program({"d": {"w": positive(3), "b": 0.3}, "a": positive(3)})
def arrays_of_a_dict_under_several_names(d, a):
    x = d["w"]
    d["w"] *= a
    d["n"] = d["w"]
    d["n"] /= d["b"]
    d["b"] += a[0]
    d["own"] = a
    d["own"] *= d["b"]
    return np.sum(x * d["w"]) + np.sum(a * d["n"])


@program({"x": 1.3})
def keys_that_are_numbers(x):
    d = {1.5: x, 2.5: x * x}
    first, second = d
    best = max(d, key=lambda k: d[k])
    every = [*d]
    s = functools.reduce(lambda a, b: a + b, d)
    return first * d[second] + best * x + every[1] * d[every[0]] + s * x + max(d) * min(d) * x


@program({"x": 1.3})
def largest_key_of_a_dict_that_others_fill(x):
    d = {1: x, 2: x * 2.0}
    held = [d]
    for i in range(3):
        if d[max(d)] > 1.0:
            held[0][len(d) + 1] = x * x * i
    return sum(d.values()) * max(d)


@program({"d": {0: 1.2, 1: 0.7, 2: 1.9}})
def keys_of_an_argument_that_are_numbers(d):
    return max(d) * d[1] + min(d, key=lambda k: d[k]) * d[0] + sum(d) * d[2]


@program({"x": 1.3, "n": 2})
def dicts_spread_in_a_loop_beside_stores(x, n):
    d = {"k": x, "m": x * 2.0}
    for _ in range(n):
        d = {**d, "k": np.tanh(d["m"] * d["m"])}
        d["m"] = d["m"] * x
        d = dict(d, k=d["k"] * x)
    return d["k"] * x * d["m"]


@program({"x": 1.3, "n": 2})
def lists_spread_in_a_loop_beside_stores(x, n):
    xs = [x, x * 2.0]
    for _ in range(n):
        xs = [*xs, np.tanh(xs[0])]
        xs[0] = xs[1] * x
    return sum(xs) * xs[0]


@program({"x": 0.3, "y": 0.4})
def dict_merged_for_a_branch_that_is_not_taken(x, y):
    d = {"k": x * y, "m": x}
    d = {**d, "k": np.tanh(d["k"] * x)}
    b = x
    if y > 1.0:
        b = x * d["k"]
    return b * x


@program({"x": 1.3, "n": 2})
def dicts_merged_in_place_where_others_hold_them(x, n):
    d = {"a": x, "b": x}
    held = [d]
    for _ in range(n):
        d |= {"b": d["a"] * x}
        d["a"] = d["b"] * 0.5 + x
        held[0]["a"] *= x
    return d["a"] * d["b"]


@program({"x": 1.3, "n": 2})
def dicts_merged_beside_stores_under_computed_keys(x, n):
    d = {0: x}
    for i in range(n):
        e = d
        d = d | {i + 1: d[i] * x}
        d |= [(0, np.sin(d[i + 1]))]
        d[0] = d[0] * d[i + 1]
        e[0] = e[0] * d[0]
    return sum(d.values()) + sum(e.values())


def _merge(d, e):
    d |= e
    return d


@program({"x": 1.3})
def dicts_merged_by_a_function(x):
    d = {"a": x, "b": x}
    merged = _merge(d, {"b": x * x})
    merged["a"] = merged["a"] * x
    return d["a"] * d["b"]


@program({"x": 1.3, "n": 2})
def dicts_updated_by_pairs(x, n):
    d = {"a": x}
    for _ in range(n):
        d.update([("b", d["a"] * x)])
        d.update((k, d["b"] * x) for k in "ac")
        d.update(zip("ad", [d["a"] * x, x]))
    return d["a"] * d["b"] + sum(d.values())


@program({"x": 1.3, "n": 2})
def lists_sliced_and_joined_in_a_loop_beside_stores(x, n):
    xs = [x, x * 2.0]
    for _ in range(n):
        xs = xs[::-1]
        xs[0] = np.tanh(xs[1] * xs[0])
        xs = xs + [xs[0] * x]
        xs[1] = xs[0] * xs[-1]
        xs = xs[:]
        xs[0] = xs[1] * x
    return sum(xs)


@program({"x": 1.3, "n": 2})
def lists_made_of_one_another_in_a_loop_beside_stores(x, n):
    xs = [x, x * 2.0]
    for _ in range(n):
        ys = list(xs)
        ys[0] = np.tanh(xs[1] * ys[0])
        xs = sorted(ys)
        xs[1] = ys[0] * xs[0]
        xs = [xs[1] * x, xs[0]]
        for j in range(2):
            xs[j] = xs[j - 1] * xs[1] + x
    return sum(xs)


@program({"x": 1.3, "n": 2})
def lists_copied_by_copy_and_deepcopy_in_a_loop(x, n):
    xs = [x, x * 2.0]
    for _ in range(n):
        ys = copy.copy(xs)
        ys[0] = np.tanh(xs[1] * ys[0])
        xs = copy.deepcopy(ys)
        xs[1] = ys[0] * xs[0]
    return sum(xs)


@program({"d": {0.5: 1.2, 1.5: 0.7, 2.5: 1.9}})
def keys_of_an_argument_unpacked_and_starred(d):
    a, *rest = d
    keys = [*d]
    return a * sum(rest) * d[a] + keys[0] * d[1.5] + max(*d) * d[2.5] + math.hypot(*d) * d[0.5]


@program({"d": {0.5: 1.2, 1.5: 0.7, 2.5: 1.9}})
def keys_of_an_argument_summed_and_listed(d):
    total = math.fsum(d) * d[0.5] + sum(tuple(d)) * d[1.5] + np.sum(np.array(list(d))) * d[2.5]
    return total + math.prod(d) * d[0.5] + sum(sorted(d)) * d[1.5]


def _at_keys(d, keys):
    return sum(d[k] * k for k in keys)


def _product_of_keys(d):
    a, b, c = d
    return a * b * c


@program({"d": {0.5: 1.2, 1.5: 0.7, 2.5: 1.9}})
def keys_of_an_argument_handed_on(d):
    a, b, c = d
    return _at_keys(d, (a, c)) * b + _at_keys(d, [*d]) * _product_of_keys(d)


@program({"d": {0.5: 1.2, 1.5: 0.7}})
def keys_of_an_argument_that_others_hold(d):
    held = {"d": d}
    a, b = held["d"]
    scaled = functools.partial(lambda first, second: first * second * d[0.5])
    return _at_keys(held["d"], (a,)) * b + scaled(*d)


class _Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        yield self.a
        yield self.b


@program({"x": 0.7})
def items_of_an_object_summed(x):
    pair = _Pair(x, 2.0)
    first, second = pair
    return sum(pair) * sum(_Pair(x, x * x), x) + first * second


@program({"x": 0.7})
def list_joined_that_another_name_changes(x):
    a = [x, 2.0]
    b = a
    b[0] = 5.0 * x
    a = a + [1.0]
    a[1] = x
    return sum(a) * b[0] * len(b)
