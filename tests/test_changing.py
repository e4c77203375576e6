"""Functions that change lists and dicts of their caller are written out there; those that are redefined are seen."""

import math

import tangent


def push(xs, v):
    xs.append(v * v)


def kept(x):
    xs = []
    for i in range(3):
        push(xs, x * i)
    return sum(xs)


def tried(x):
    xs = []
    try:
        push(xs, x)
    except ValueError:
        push(xs, 2.0 * x)
    return xs[0]


class Sum:
    def __init__(self):
        self.total = 0.0

    def add(self, v):
        self.total = self.total + v
        return self.total


def added(x):
    s = Sum()
    t = x * 2.0
    y = t * s.add(x) + (math.log(x) if x > 0.0 else x) * s.add(sum([math.sin(i * x) for i in range(3)]))
    return y + s.add(x)


def test_what_is_written_out_is_plain() -> None:
    source = tangent.grad(kept).source
    assert "memory" not in source
    assert "xs.append(v * v)" in source
    assert "# Grad of: push(xs, x * i)" in source


def test_what_may_fail_stays_a_call() -> None:
    assert "push_fwd" in tangent.grad(tried).source
    assert tangent.grad(tried)(1.5) == 3.0


def test_redefined_functions_are_seen(monkeypatch) -> None:
    derivative = tangent.grad(kept)
    assert derivative(0.5) == 5.0
    monkeypatch.setitem(globals(), "push", lambda xs, v: xs.append(3.0 * v))
    assert derivative(0.5) == 9.0


def test_what_is_computed_sometimes_is_not_computed_before() -> None:
    def difference(x, e=1e-6):
        return (added(x + e) - added(x - e)) / (2 * e)

    for x in (0.7, -0.7):
        assert abs(tangent.grad(added)(x) - difference(x)) < 1e-7


def history(x):
    kept = {"loss": [], "x": []}
    for _ in range(3):
        kept["loss"].append(x * x)
        x = x - 0.1 * x
        push(kept["x"], x)
    return sum(kept["loss"]) + kept["x"][-1]


def test_lists_of_a_dict_are_variables() -> None:
    source = tangent.grad(history).source
    assert "memory" not in source
    assert "kept_loss.append(x * x)" in source
    assert "# Grad of: kept['loss'].append(x * x)" in source
