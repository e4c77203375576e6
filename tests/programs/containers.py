"""Tuples, lists and dicts as arguments, as results and in between; unpacking of every form."""

import bisect
import heapq
import operator

import numpy as np

from programs.registry import program
from programs.samples import signed


@program({"pair": (0.5, -1.5)})
def tuple_argument(pair):
    return pair[0] * pair[1] + pair[0] ** 2


@program({"xs": [0.5, -1.5, 2.0]})
def list_argument(xs):
    return xs[0] * xs[1] + xs[-1] ** 3


@program({"d": {"a": 0.5, "b": -1.5}})
def dict_argument(d):
    return d["a"] * d["b"] * d["a"]


@program({"d": {"a": 0.5, "b": -1.5, "unused": 2.0}})
def dict_argument_partly_used(d):
    return d["a"] * d["b"]


@program({"xs": [0.5, -1.5, 2.0]})
def list_argument_partly_used(xs):
    return xs[1] ** 2


@program({"t": ((0.5, -1.5), (2.0, (0.3, 0.7)))})
def nested_tuple_argument(t):
    (a, b), (c, (d, e)) = t
    return a * b + c * d * e


@program(
    {
        "params": {"layers": [{"w": signed(2, 2), "b": signed(2)}, {"w": signed(2, 1), "b": signed(1)}], "scale": 0.5},
        "x": signed(2),
    }
)
def nested_mixed_argument(params, x):
    for entry in params["layers"]:
        x = np.tanh(np.dot(x, entry["w"]) + entry["b"])
    return x * params["scale"]


@program({"params": [signed(2), {"k": (0.5, signed(2, 2))}]})
def deep_indexing(params):
    return params[0] @ params[1]["k"][1] * params[1]["k"][0]


@program({"x": 0.5, "y": 1.5})
def tuple_result(x, y):
    return x * y, (x, y * y)


@program({"x": 0.5, "y": signed(2)})
def list_result(x, y):
    return [x * y, x, [y]]


@program({"x": 0.5, "y": signed(2)})
def dict_result(x, y):
    return {"loss": np.sum(x * y), "parts": (x, y * y)}


@program({"pair": (0.5, -1.5)})
def argument_returned(pair):
    return pair


@program({"d": {"a": 0.5, "b": signed(2)}})
def dict_rebuilt(d):
    return {"a": d["b"] * d["a"], "b": d["a"]}


@program({"xs": [0.5, -1.5]})
def list_rebuilt(xs):
    a, b = xs
    return [b * a, a]


@program({"x": 0.5, "y": 1.5})
def local_tuple(x, y):
    pair = (x * y, x + y)
    return pair[0] / pair[1]


@program({"x": 0.5, "y": 1.5})
def local_list(x, y):
    xs = [x, y, x * y]
    return xs[0] * xs[1] * xs[2]


@program({"x": 0.5, "y": 1.5})
def local_dict(x, y):
    d = {"u": x * x, "v": y}
    return d["u"] * d["v"] + d["v"]


@program({"x": 0.5, "y": 1.5})
def nested_locals(x, y):
    state = {"position": (x, y), "velocity": [y, -x]}
    p, v = state["position"], state["velocity"]
    return p[0] * v[0] + p[1] ** 2 * v[1]


@program({"x": 0.5})
def local_dict_by_keywords(x):
    d = dict(u=x * x, v=3.0)
    return d["u"] * d["v"] * x


@program({"x": 0.5, "y": 1.5})
def swap(x, y):
    x, y = y, x
    return x - y * y


@program({"x": 0.5, "y": 1.5, "z": -2.0})
def rotation_of_three(x, y, z):
    x, y, z = y, z, x
    x, y, z = y * x, z, x
    return x + y * z * z


@program({"x": 0.5, "y": 1.5, "n": 3}, {"x": 0.5, "y": 1.5, "n": 2})
def swap_in_a_loop(x, y, n):
    for _ in range(n):
        x, y = y, x * y
    return x + 2.0 * y


@program({"a": signed(2), "b": signed(2, shift=1.0), "n": 3})
def swap_of_values_that_are_arrays(a, b, n):
    for _ in range(n):
        a, b = b, np.sin(a) + b
    return a * b


@program({"xs": [0.5, -1.5, 2.0, 3.0]})
def starred_at_the_end(xs):
    first, *rest = xs
    return first * rest[0] + rest[-1] ** 2


@program({"xs": (0.5, -1.5, 2.0, 3.0)})
def starred_in_the_middle(xs):
    a, *middle, b = xs
    s = a * b
    for m in middle:
        s = s + m * m
    return s


@program({"xs": [0.5, -1.5, 2.0]})
def starred_at_the_start(xs):
    *init, last = xs
    return init[0] * init[1] * last


@program({"xs": [0.5, -1.5]})
def starred_empty(xs):
    a, b, *rest = xs
    return a * b + len(rest)


@program({"x": 0.5, "y": 1.5})
def starred_in_a_display(x, y):
    pair = (x, y)
    xs = [*pair, x * y, *pair]
    return xs[0] * xs[2] * xs[4]


@program({"d": {"a": 0.5, "b": 1.5}})
def dict_merged(d):
    e = {**d, "b": d["a"] * 2.0}
    return e["a"] * e["b"] * d["b"]


@program({"x": 0.5, "y": 1.5})
def unpacking_from_a_list(x, y):
    [a, b] = [y, x]
    return a - b * b


@program({"x": 0.5, "y": 1.5, "z": 2.0})
def nested_unpacking(x, y, z):
    a, (b, c) = x, (y, z)
    ((d, e),) = ((b * a, c),)
    return d * e + a


@program({"xs": [0.5, -1.5, 2.0, 1.0]})
def slice_of_a_list(xs):
    s = 0.0
    for x in xs[1:3]:
        s = s + x * x
    return s + xs[:2][1]


@program({"t": (0.5, -1.5, 2.0)})
def slice_of_a_tuple(t):
    a, b = t[1:]
    return a * b


@program({"x": 0.5, "y": 1.5})
def concatenation_of_tuples(x, y):
    t = (x, y) + (x * y,)
    return t[0] * t[2] + t[1]


@program({"x": 0.5, "n": 3})
def list_grown_by_concatenation(x, n):
    xs = [x]
    for i in range(n):
        xs = xs + [np.sin(xs[-1]) * x]
    s = 0.0
    for v in xs:
        s = s + v
    return s


@program({"x": 0.5, "y": 1.5})
def membership_of_a_dict(x, y):
    d = {"u": x}
    if "u" in d and "w" not in d:
        return d["u"] * y
    return y


@program({"d": {"a": 0.5}})
def dict_get(d):
    return d["a"] * d.get("a") + d.get("missing", 2.0) * d["a"]


@program({"xs": [0.5, -1.5, 2.0]})
def length_of_a_list(xs):
    return sum(xs) / len(xs) * xs[0]


@program({"xs": [0.5, -1.5, 2.0]})
def min_max_of_a_list(xs):
    return max(xs) * min(xs)


@program({"xs": [signed(2), signed(2, shift=1.0)]})
def list_of_arrays(xs):
    return xs[0] * xs[1] + np.sum(xs[0])


@program({"xs": [signed(2), signed(2, shift=1.0)]})
def list_of_arrays_stacked(xs):
    return np.sum(np.stack(xs) ** 2, axis=1)


@program({"t": (signed(2, 2), 0.5, [signed(2)])})
def tuple_of_everything(t):
    w, s, (v,) = t
    return s * (w @ v)


@program({"state": (0.1, (0.2, signed(2)))})
def state_threaded_through_a_loop(state):
    for i in range(3):
        a, (b, v) = state
        state = (a + b * 0.1, (b - a * 0.1, np.sin(v) * a))
    return state


@program({"d": {0: 0.5, 1: -1.5}})
def dict_with_integer_keys(d):
    s = 0.0
    for i in range(2):
        s = s + d[i] ** 2 * (i + 1)
    return s


@program({"d": {"x": 0.5, "y": 1.5}, "key": "y"}, {"d": {"x": 0.5, "y": 1.5}, "key": "x"})
def dict_key_at_run_time(d, key):
    return d[key] ** 2 + d["x"]


@program({"xs": [0.5, 1.5, 2.5], "i": 1}, {"xs": [0.5, 1.5, 2.5], "i": -1})
def list_index_at_run_time(xs, i):
    return xs[i] ** 2 * xs[0]


@program({"x": 0.5})
def the_same_value_in_a_container_twice(x):
    t = (x, x, x * x)
    return t[0] * t[1] + t[2]


@program({"x": 0.5})
def containers_of_constants(x):
    weights = [1.0, 2.0, 3.0]
    s = 0.0
    for i, w in enumerate(weights):
        s = s + w * x**i
    return s


@program({"x": 0.5, "table": {"a": [1, 2], "b": [3]}})
def inactive_structures(x, table):
    for key in sorted(table):
        for k in table[key]:
            x = x * k + 0.1
    return x


@program({"pair": (0.5, signed(3))})
def empty_containers(pair):
    t = ()
    d = {}
    return pair[0] * pair[1] + len(t) + len(d)


@program({"xs": []}, {"xs": [0.5]}, wrt="xs")
def empty_list_argument(xs):
    s = 1.0
    for x in xs:
        s = s * x
    return s


@program({"x": 0.5})
def container_result_with_constants(x):
    return {"value": x * x, "constant": 1.0, "nothing": []}


def exchange(re, im):
    re[0], im[0] = re[1] - im[1], im[0]
    re[1] += im[0] * re[0]


@program({"x": signed(3)}, orders=1)
def lists_given_to_a_function_that_writes(x):
    re, im = list(x), [0.5] * 3
    exchange(re, im)
    return re[0] * re[1] + im[0]


@program({"x": signed(4)}, orders=1)
def lists_inside_dicts_are_changed_by_two_loops(x):
    bodies = [{"p": [x[2 * i], x[2 * i + 1]], "v": [0.1, -0.1]} for i in range(2)]
    for i, a in enumerate(bodies):
        for b in bodies[i + 1 :]:
            a["v"][0] -= (a["p"][0] - b["p"][0]) * b["p"][1]
    return bodies[0]["v"][0]


@program({"x": signed(3)})
def generator_taken_apart(x):
    gates = {}
    for k, g in enumerate("ab"):
        gates[g] = x * (k + 2)
    a, b = (np.sin(gates[g]) for g in "ab")
    return a * b


def added_index(indices):
    indices.append(1)


@program({"x": signed(3)}, orders=1)
def list_that_a_function_changed_as_index(x):
    chosen = [0]
    added_index(chosen)
    y = x * 1.0
    y[chosen] = x[chosen] ** 2 * x[2]
    return y


@program({"x": signed(2, 2)}, orders=1)
def lists_of_lists_beside_an_array(x):
    rows = [[x[0, 0], 1.0], [x[1, 1], 2.0]]
    b = x.copy()
    for row in rows:
        row[1] *= x[0, 1]
        b[0] = b[1] * row[1]
        b[1] = b[0] * row[0]
    return b + rows[0][1]


@program({"x": signed(4)})
def table_of_a_comprehension(x):
    n = len(x)
    c = [0.0 for _ in range(n)]
    d = [1.0 for _ in range(n)]
    for i in range(n):
        c[i] = x[i] * (c[i - 1] if i else 1.0)
        d[i] += c[i] * x[0]
        d[0] *= d[i]
    return sum(c) + d[0] * d[2]


@program({"x": signed(4)})
def two_tables_of_comprehensions(x):
    c = [v * 2 for v in x]
    d = [w + 1 for w in c]
    for _ in range(2):
        for i in range(1, len(c)):
            c[i] = c[i] * d[i - 1]
            d[i] = c[i] + x[0]
    return sum(c) + d[2]


@program({"t": (signed(2), [signed(2) + 0.5, signed(2) * 2.0]), "v": 1.3})
def arrays_that_are_swapped_in_a_list_of_an_argument(t, v):
    rows = t[1]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0] *= v
    t[1][1] /= v
    return np.sum(t[0] * rows[0] ** 2 * rows[1])


@program({"t": (signed(2), [signed(2) + 0.5]), "v": 1.3})
def array_that_is_changed_in_a_list_of_an_argument(t, v):
    w = t[1][0]
    s = np.sum(t[1][0] ** 2 * w)
    w[1] = v * s
    t[1][0] *= v
    return np.sum(t[1][0] * t[0])


@program({"ws": [signed(2) + 0.5, signed(2)], "v": 1.3}, orders=1)
def arrays_of_an_argument_that_take_turns(ws, v):
    ws[0], ws[1] = ws[1], ws[0]
    ws[0] = ws[0] * v
    ws[1][0] = v
    return np.sum(ws[0] * ws[1] ** 2)


@program({"rates": [0.02, 0.025, 0.03], "t": 0.5})
def list_that_is_summed_while_it_grows_and_returned(rates, t):
    factors = []
    for rate in rates:
        factors.append((1.0 - rate * sum(factors)) / (1.0 + rate))
    return factors[-1] * t, factors


@program({"d": {"a": 1.5, "b": [1.1, 2.0]}})
def list_in_a_dict_that_is_read_and_written_in_a_loop(d):
    s = 0.0
    for i in range(3):
        s += d["a"] * d["b"][i % 2]
        d["b"][0] = s
    return s


@program({"d": {"a": 1.5, "b": [1.1, 2.0]}})
def dict_and_the_list_in_it_written_in_a_loop(d):
    s = 1.0
    for i in range(3):
        d["a"] = d["a"] * s
        s = s * d["b"][i % 2]
        d["b"][0] = s * d["a"]
    return s * d["b"][0]


# Lists that are changed through what holds them


@program({"x": 1.3})
def list_changed_through_a_list_that_holds_it(x):
    xs = [x]
    held = [xs, xs]
    held[0].append(x * x)
    held[1].insert(0, x * 3.0)
    return sum(xs) * xs[0]


@program({"x": 1.3})
def list_changed_through_a_dict_in_a_loop(x):
    xs = [x]
    held = {"a": xs}
    for i in range(3):
        held["a"].append(x * i)
    return sum(xs) * xs[-1]


@program({"x": 1.3})
def list_that_an_expression_chooses_is_changed(x):
    xs, ys = [x], [x * 2.0]
    (xs if x > 0.0 else ys).append(x * x)
    (lambda: xs)().append(x)
    return sum(xs) * ys[0]


@program({"x": 1.3})
def conditions_over_lists_that_change(x):
    xs = [x]
    held = [xs, xs]
    for i in range(6):
        if i > 0 and sum([u * x for u in xs]) < 10.0:
            held[0].append(x * i)
        s = x if 0.0 < sum(u for u in xs) < 8.0 else x * 2.0
        held[1][0] = s * x
    while len(xs) < 9 and max([u for u in xs]) < 5.0:
        held[0].append(x + xs[-1])
    return sum(xs)


@program({"x": 1.3})
def comprehension_or_a_list(x):
    xs = [x, -x]
    for i in range(2):
        xs = [u * x for u in xs if u > 0.0] or [x]
    none = [u for u in xs if u > 99.0] or [x * 2.0]
    last = x > 0.0 and sum([u * x for u in xs])
    return sum(xs) * none[0] * last


@program({"x": 1.3})
def items_deleted_in_what_others_hold(x):
    xs = [x, x * x, 3.0 * x]
    held, d = [xs], {"a": {"b": x, "c": x * x}}
    del held[0][1], d["a"]["b"]
    return sum(xs) * xs[-1] + d["a"]["c"] * len(d["a"])


@program({"x": 1.3})
def held_lists_given_to_functions_that_write(x):
    heap, row = [x * 2.0], [x, x * 3.0]
    held = {"heap": heap, "row": row}
    heapq.heappush(held["heap"], x)
    bisect.insort(held["row"], x * 2.0)
    return heap[0] * heap[1] * 3.0 + row[1] * row[1] + row[2]


@program({"x": 1.3})
def methods_of_list_as_functions(x):
    xs = [x]
    list.append(xs, x * x)
    operator.setitem(xs, 0, x * 3.0)
    list.insert(xs, 0, x)
    return xs[0] * xs[1] * xs[2]


class Held:
    def __init__(self, value):
        self.value = value


@program({"x": 1.3})
def attributes_set_by_functions(x):
    o, p, q = Held(x), Held(x), Held(x)
    setattr(o, "value", x * x)
    object.__setattr__(p, "value", x * 2.0)
    vars(q)["value"] = x * o.value
    q.__dict__["more"] = p.value * x
    return o.value * p.value * q.value * q.more
