# ruff: noqa  (programs under test are written as users write)
"""Lists and dicts that change."""

from nasty.checks import V, nasty


@nasty(V)
def append_list(x):
    ys = []
    for v in x:
        ys.append(v * v)
    return ys[0] + ys[1] * ys[2]


@nasty(V)
def append_alias(x):
    ys = []
    zs = ys
    zs.append(x[0])
    ys.append(x[1])
    return zs[0] * zs[1]


@nasty(V)
def pop_list(x):
    ys = [x[0], x[1], x[2]]
    v = ys.pop()
    return v * v + ys[0] * len(ys)


@nasty(V)
def insert_list(x):
    ys = [x[0]]
    ys.insert(0, x[1])
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def extend_list(x):
    ys = [x[0]]
    ys.extend([x[1], x[2]])
    return ys[0] * ys[1] * ys[2]


@nasty(V)
def augment_list(x):
    ys = [x[0]]
    ys += [x[1], x[2]]
    return ys[0] * ys[1] * ys[2]


@nasty(V)
def reverse_list(x):
    ys = [x[0], x[1], x[2]]
    ys.reverse()
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def sort_list(x):
    ys = [x[2], x[0], x[1]]
    ys.sort()
    return ys[0] * 3.0 + ys[1]


@nasty(V)
def delete_from_list(x):
    ys = [x[2], x[0], x[1]]
    del ys[0]
    return ys[0] * 3.0


@nasty(V)
def clear_list(x):
    ys = [x[2], x[0], x[1]]
    zs = ys
    zs.clear()
    ys.append(x[0])
    return zs[0] * 2.0


@nasty(V)
def write_list(x):
    ys = [x[0], x[1]]
    ys[0] = x[2] * x[2]
    return ys[0] * ys[1]


@nasty(V)
def write_list_alias(x):
    ys = [x[0], x[1]]
    zs = ys
    zs[0] = 5.0
    return ys[0] * ys[1]


@nasty(V)
def write_dict(x):
    d = {"a": x[0]}
    d["b"] = x[1] * x[1]
    d["a"] = d["b"] * 2.0
    return d["a"] * d["b"]


@nasty(V)
def update_dict(x):
    d = {"a": x[0]}
    d.update(b=x[1], a=x[2])
    return d["a"] * d["b"]


@nasty(V)
def default_dict(x):
    d = {}
    d.setdefault("a", []).append(x[0])
    d.setdefault("a", []).append(x[1])
    return d["a"][0] * d["a"][1]


@nasty(V)
def pop_dict(x):
    d = {"a": x[0], "b": x[1]}
    v = d.pop("a")
    return v * v * d["b"]


@nasty([1.0, 2.0, 3.0])
def write_argument_list(xs):
    xs[0] = xs[1] * xs[2]
    return xs[0] * xs[0]


@nasty([1.0, 2.0, 3.0])
def append_argument_list(xs):
    xs.append(xs[0] * xs[1])
    return xs[-1] * xs[0]
