"""A derivative that raises half-way leaves what it was given, and the module, as they were; and works afterwards."""

import copy

import numpy as np
import pytest

import tangent
from tangent import insert_grad_of

WORK = np.zeros(3)


class Interruption(BaseException):
    """Like KeyboardInterrupt: nothing that catches exceptions catches it."""


class Stop:
    """A stream that raises when it is written to for the n-th time."""

    def __init__(self):
        self.left, self.kind = -1, ValueError

    def arm(self, left, kind):
        self.left, self.kind = left, kind

    def write(self, text):
        if text == "step":
            self.left -= 1
            if self.left == 0:
                raise self.kind("stop")


STOP = Stop()


class Layer:
    def __init__(self, w):
        self.w, self.seen = w, [1.0]


def arrays(a, s):
    for i in range(2):
        a[i] = a[i + 1] * s
        print("step", file=STOP)
        a *= s
    b = a[1:]
    b += s
    print("step", file=STOP)
    return np.sum(a * a)


def lists(xs, s):
    xs.append(s * xs[0])
    print("step", file=STOP)
    xs[0] = s
    del xs[1]
    print("step", file=STOP)
    xs.insert(0, s * s)
    return sum(xs) * xs.pop()


def lists_of_arrays(xs, s):
    xs[1][0] = s * 2.0
    print("step", file=STOP)
    xs[0] = xs[1] * s
    print("step", file=STOP)
    return np.sum(xs[0]) + np.sum(xs[1])


def dicts(d, s):
    d["w"][0] = d["w"][1] * s
    print("step", file=STOP)
    d["k"] = s
    d["w"] *= s
    print("step", file=STOP)
    return np.sum(d["w"]) * d["k"]


def objects(o, s):
    o.w[0] = s * o.w[1]
    print("step", file=STOP)
    o.w *= s
    o.seen.append(s)
    print("step", file=STOP)
    o.more = s
    return np.sum(o.w) * o.seen[-1]


def module(x, s):
    np.multiply(x, s, out=WORK)
    print("step", file=STOP)
    WORK[0] = s * WORK[1]
    print("step", file=STOP)
    return np.sum(WORK * x)


def _fill(a, s):
    a[0] *= s
    print("step", file=STOP)
    a[1:] = a[:-1] * s


def helpers(a, s):
    _fill(a, s)
    _fill(a[1:], s)
    return np.sum(a)


def backward(a, s):
    a[0] *= s
    t = s * a[1]
    with insert_grad_of(t) as _dt:
        print("step", file=STOP)
    a[1:] = a[:-1] * t
    with insert_grad_of(t) as _dt:
        print("step", file=STOP)
    _fill(a, t)
    return np.sum(a * t)


GIVEN = {
    arrays: np.array([1.0, 2.0, 3.0]),
    lists: [1.0, 2.0, 3.0],
    lists_of_arrays: [np.array([1.0, 2.0]), np.array([0.5, 0.7])],
    dicts: {"w": np.array([1.0, 2.0])},
    objects: Layer(np.array([1.0, 2.0])),
    module: np.array([1.0, 2.0, 3.0]),
    helpers: np.array([1.0, 2.0, 3.0]),
    backward: np.array([1.0, 2.0, 3.0]),
}
MODES = {
    "reverse": (lambda f: tangent.vjp(f, wrt=(0, 1)), (1.0,)),
    "raw": (lambda f: tangent.vjp(f, wrt=(0, 1), optimized=False), (1.0,)),
    "forward": (lambda f: tangent.jvp(f, wrt=(1,)), (1.0,)),
    "forward over reverse": (lambda f: tangent.jvp(tangent.vjp(f, wrt=(1,)), wrt=(1,)), (1.0, 1.0)),
    "reverse over reverse": (lambda f: tangent.vjp(tangent.vjp(f, wrt=(1,)), wrt=(1,)), (1.0, 1.0)),
}


def shown(x):
    """All that can be seen of a value: its numbers, and which objects hold them."""
    if isinstance(x, Layer):
        return {k: shown(v) for k, v in vars(x).items()}
    if isinstance(x, dict):
        return {k: (id(v), shown(v)) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [(id(v), shown(v)) for v in x]
    return x.tolist() if isinstance(x, np.ndarray) else x


FIRST = [(f, mode) for f in GIVEN for mode in ("reverse", "raw", "forward")]
SECOND = [(f, mode) for f in (arrays, lists, helpers, backward) for mode in MODES if "over" in mode]


@pytest.mark.parametrize("f, mode", FIRST + SECOND, ids=lambda p: getattr(p, "__name__", p))
def test_an_exception_half_way_leaves_nothing(f, mode):
    made, extra = MODES[mode]
    derivative = made(f)
    raised = 0
    for left in range(1, 5):
        for kind in (ValueError, Interruption):
            x = copy.deepcopy(GIVEN[f])
            before = shown(x)
            STOP.arm(left, kind)
            try:
                derivative(x, 1.3, *extra)
            except kind:
                raised += 1
            assert shown(x) == before
            assert not WORK.any()
    STOP.arm(-1, ValueError)
    assert raised >= 2 or (f is backward and mode == "forward")
    after, fresh = (d(copy.deepcopy(GIVEN[f]), 1.3, *extra) for d in (derivative, made(f)))
    assert numbers(after) == numbers(fresh)


def numbers(x):
    """The numbers of a gradient, in order."""
    if isinstance(x, Layer):
        return numbers(vars(x))
    if isinstance(x, dict):
        return [numbers(v) for v in x.values()]
    return [numbers(v) for v in x] if isinstance(x, (list, tuple)) else np.asarray(x, float).tolist()


def filled_beyond(x):
    out = np.zeros(3)
    for _ in range(2):
        out += np.outer(x, x)
    return np.sum(out)


@pytest.mark.parametrize("derivative, given", [(tangent.grad(filled_beyond), 1), (tangent.jvp(filled_beyond), 2)])
def test_what_does_not_fit_into_an_array_is_not_broadcast(derivative, given) -> None:
    for _ in range(4):
        with pytest.raises(ValueError, match="non-broadcastable output"):
            derivative(*[np.ones(3)] * given)
