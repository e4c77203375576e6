"""Loops over dicts, sets and deques that change meanwhile: Python stops them, and so do their derivatives."""

from collections import OrderedDict, defaultdict, deque

from programs.registry import program


def _grown_under_another_name(d, x):
    same = d
    try:
        for k in d:
            same[k + "b"] = x
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _grown_in_another_dict(x):
    plan = {"now": {"a": x}}
    try:
        for k in plan["now"]:
            plan["now"][k + "b"] = x
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _joined(x):
    d = {"a": x}
    try:
        for k in d:
            d |= {k + "b": x}
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _filled_by_reading(x):
    d = defaultdict(float, a=x)
    s = 0.0
    try:
        for k in d:
            s += d[k] + d[k + "b"]
    except RuntimeError as e:
        return x * len(str(e))
    return s * 0.0


def _exchanged(x):
    d = {"a": x, "b": x * x}
    try:
        for k in d:
            v = d.pop(k)
            d[k + "b"] = v
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _beside_others(x):
    d = {"a": x, "b": x * x}
    try:
        for k, j in zip(d, (1.0, 2.0)):
            d[k + "b"] = j * x
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _backward(x):
    d = {"a": x, "b": x * x}
    try:
        for i, k in enumerate(reversed(d)):
            d[i] = d[k]
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _through_a_function(x):
    d = {"a": x, "b": x * x}
    try:
        for v in map(lambda k: d[k], d):
            d["c"] = v
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _turned(x):
    s, q = 0.0, deque([x, x * x, 1.0])
    try:
        for i, v in enumerate(q):
            s += i * v
            q.rotate(1)
    except RuntimeError as e:
        return x * len(str(e))
    return s * 0.0


def _moved_to_the_end(x):
    d = OrderedDict(a=x, b=x * x)
    try:
        for k in d:
            d.move_to_end(k)
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


def _read_by_a_generator(x):
    d = {"a": x, "b": x * x}

    def values():
        for k in d:
            yield d[k]

    try:
        for v in values():
            d["c"] = v
    except RuntimeError as e:
        return x * len(str(e))
    return 0.0


@program({"x": 1.3})
def loops_that_python_stops(x):
    y = _grown_under_another_name({"a": x, "b": x * x}, x) + _grown_in_another_dict(x) + _joined(x)
    y += _filled_by_reading(x) * _exchanged(x) + _beside_others(x) * _backward(x)
    return y * _through_a_function(x) + _read_by_a_generator(x)


@program({"x": 1.3})
def loops_over_deques_and_ordered_dicts_that_python_stops(x):
    return _turned(x) * _moved_to_the_end(x)


@program({"x": 1.3})
def loops_that_are_left_after_a_change(x):
    d, steps = {"a": x, "b": x * x}, deque([x, x * x])
    for k in d:
        d[k + "b"] = x * d[k]
        if k == "a":
            break
    for v in steps:
        if v > 1.0:
            steps.append(v * x)
            break
    return sum(d.values()) * sum(steps)


@program({"x": 1.3})
def keys_computed_from_keys(x):
    d = {"a": x, "b": x * x}
    for k in list(d):
        d.update({k + "c": x * d[k]})
    for k in sorted(d):
        d |= {k + "d": d[k] * d[k]}
    return d
