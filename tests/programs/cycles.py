"""Things that hold themselves, and lists that grow by operators in place under several names."""

import functools

from programs.registry import program
from programs.samples import signed


class Link:
    def __init__(self, v, after=None):
        self.v, self.after = v, after


@program({"x": 1.1})
def two_objects_that_hold_each_other(x):
    a = Link(x)
    b = Link(x * 2.0, a)
    a.after = b
    for _ in range(3):
        a.v = a.v * a.after.v
        a = a.after
    return a.v + a.after.v


@program({"x": 1.1})
def object_that_holds_itself(x):
    a = Link(x)
    a.after = a
    a.v = x * a.after.v
    return a.after.v * a.after.after.v


@program({"x": 1.1})
def list_that_holds_itself(x):
    xs = [x]
    xs.append(xs)
    xs[0] = xs[1][0] * x
    return xs[1][0] * xs[0]


@program({"x": 1.1})
def dict_that_holds_itself(x):
    d = {"v": x}
    d["me"] = d
    d["v"] = d["me"]["v"] * x
    return d["me"]["v"] * x


@program(
    {"x": [1.0, 2.0, 3.0], "z": [2.0, 4.0]},
    {"x": (3.0, 1.0), "z": (2.0, 4.0)},
    {"x": signed(2), "z": signed(2)},
    {"x": [signed(2), signed(2)], "z": [signed(2)]},
)
def joined_under_another_name(x, z):
    y = x
    y += z
    return (y[0] * x[1] + y[-1] * y[0]).sum() if hasattr(y[0], "sum") else y[0] * x[1] + y[-1] * y[0]


@program({"x": [1.0, 2.0, 3.0]}, {"x": (3.0, 1.0)}, {"x": signed(2)})
def joined_with_itself(x):
    y = x
    y += y
    return y[0] * x[1] + y[-1] * len(y)


@program({"x": [1.0, 2.0]}, {"x": (3.0, 1.0)}, {"x": signed(2)})
def repeated_under_another_name(x):
    y = x
    x *= 2
    return x[0] * y[-1] * len(y)


@program({"p": {"w": [1.0, 2.0]}, "z": [3.0, 4.0]}, {"p": {"w": (1.0, 2.0)}, "z": (3.0, 4.0)}, orders=1)
def list_of_a_dict_joined_under_a_name(p, z):
    y = p["w"]
    y += z
    return y[0] * p["w"][-1] + p["w"][0]


def doubled(c):
    c.v = c.v * 2.0


@program({"x": 1.2}, orders=1)
def item_joined_that_has_a_name(x):
    c = Link(x)
    doubled(c)
    d = {"a": [x]}
    ys = d["a"]
    d["a"] += [x * x]
    return ys[-1] * len(ys) * c.v


@program({"x": 1.2})
def list_that_grows_in_a_list(x):
    xs = [x]
    ys = [xs]
    xs.append(x * x)
    return ys[0][-1] * x


@program({"x": 1.2})
def list_that_grows_by_an_operator_in_a_tuple(x):
    xs = [x]
    ys = (xs, 1.0)
    xs += [x * x]
    return ys[0][-1] * x


@program({"x": 1.2})
def row_that_is_put_away_and_goes_on_growing(x):
    row, rows = [], []
    for i in range(3):
        row.append(x * (i + 1))
        rows.append(row)
    return rows[0][-1] * rows[1][0] * len(rows[0])


@program({"xs": signed(5)})
def groups_that_are_put_away_and_begun_anew(xs):
    groups, group = [], []
    for v in xs:
        if v < 0.0:
            groups.append(group)
            group = []
        group.append(v * v)
    groups.append(group)
    return sum(sum(g) * len(g) for g in groups)


def wrapped(xs):
    return [xs, xs]


@program({"x": 1.2})
def list_that_grows_after_a_function_has_kept_it(x):
    xs = [x]
    ys = wrapped(xs)
    xs.append(x * x)
    return ys[0][-1] * x


@program({"x": 1.2})
def list_that_grows_after_a_partial_has_kept_it(x):
    xs = [x]
    last = functools.partial(lambda a, b: a[-1] * b, xs)
    xs.append(x * x)
    return last(x)


@program({"x": 1.2})
def list_that_shrinks_in_a_list(x):
    xs = [x, x * 2.0]
    ys = [xs]
    t = xs.pop()
    return sum(ys[0]) * t


@program({"x": 1.2, "n": 4})
def joined_with_a_list_or_a_tuple(x, n):
    out = []
    for k in range(n):
        out += [k * x] if k % 2 else (k * x * x, x)
    return sum(out) * out[1]
