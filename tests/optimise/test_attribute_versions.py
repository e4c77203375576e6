"""Versions know the kinds of what objects among the arguments hold, as it is at each call."""

import copy
import math
import types
from dataclasses import dataclass

import numpy as np
import pytest

import tangent
from tangent.errors import UnsupportedError

ASKED = ("unbroadcast", "add_grad", "put_attribute(", "call_fwd", "lazy_zero", "settled", "check_seed")


class Spring:
    def __init__(self, k, c):
        self.k, self.c = k, c

    def force(self, x, v):
        return -self.k * x - self.c * v


class Computed(Spring):
    """What `k` gives is not what is held under that name."""

    @property
    def k(self):
        return self.half * self.c

    @k.setter
    def k(self, v):
        self.half = v


class LookedUp:
    def __init__(self, c):
        self.c = c

    def __getattr__(self, name):
        if name == "k":
            return 2.0 * self.c
        raise AttributeError(name)


class Slotted:
    __slots__ = ("c", "k")

    def __init__(self, k, c):
        self.k, self.c = k, c


@dataclass
class WithDefaults:
    k: float = 1.2
    c: float = 0.3


class OfTheClass:
    k = 1.5

    def __init__(self, c):
        self.c = c


class Reading(Spring):
    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return 3.0 * found if name == "k" else found


def swing(p, x, n):
    v = 0.0
    for _ in range(n):
        v = v - 0.1 * (p.k * x + p.c * v)
        x = x + 0.1 * v
    return np.sum(x * x)


def pull(p, x):
    return p.k * x + p.c


def pulled(p, x, n):
    for _ in range(n):
        x = 0.5 * pull(p, x)
    return np.sum(x * x)


OBJECTS = [
    Spring(1.2, 0.3), Spring(2, 0.3), Spring(1.2, np.array([0.3, 0.1])), Spring(np.array(1.2), 0.3), Computed(1.2, 0.3),
    Spring(np.float64(1.2), 0.3), LookedUp(0.3), Slotted(1.2, 0.3), WithDefaults(), OfTheClass(0.3),
    types.SimpleNamespace(k=1.2, c=0.3), Spring(np.array([1.2, 0.4]), 0.3),
]  # fmt: skip


def along(p, names=("half", "k", "c")):
    """A tangent of an object: the first of its attributes, by one."""
    tangent_ = copy.copy(p)
    held = [v for v in names if v in (p.__slots__ if isinstance(p, Slotted) else vars(p))]
    for v in held:
        object.__setattr__(tangent_, v, np.ones(np.shape(getattr(p, v))) * (v == held[0]))
    return tangent_, held[0]


def moved(p, name, by):
    other = copy.copy(p)
    object.__setattr__(other, name, getattr(p, name) + by)
    return other


@pytest.mark.parametrize("f", [swing, pulled])
def test_versions_are_chosen_by_what_objects_hold(f):
    """Objects of many kinds take turns: each call has the gradient of its own."""
    gradient, forward = tangent.grad(f, wrt=("p", "x")), tangent.jvp(f, wrt="p")
    second = tangent.jvp(tangent.grad(f, wrt=("x",)), wrt="p")
    for _ in range(4):
        for p in OBJECTS:
            direction, name = along(p)
            slope = (f(moved(p, name, 1e-6), 0.7, 3) - f(moved(p, name, -1e-6), 0.7, 3)) / 2e-6
            bp, bx = gradient(p, 0.7, 3)
            np.testing.assert_allclose(np.sum(getattr(bp, name)), slope, rtol=1e-7)
            np.testing.assert_allclose(bx, (f(p, 0.7 + 1e-6, 3) - f(p, 0.7 - 1e-6, 3)) / 2e-6, rtol=1e-7)
            np.testing.assert_allclose(forward(p, 0.7, 3, direction), slope, rtol=1e-7)
            by_x = tangent.grad(f, wrt=("x",), optimized=False)
            mixed = (by_x(moved(p, name, 1e-6), 0.7, 3) - by_x(moved(p, name, -1e-6), 0.7, 3)) / 2e-6
            np.testing.assert_allclose(second(p, 0.7, 3, 1.0, direction), mixed, rtol=1e-6)


@pytest.mark.parametrize("f", [swing, pulled])
def test_nothing_is_asked_where_kinds_are_known(f):
    text = tangent.grad(f, wrt=("p", "x")).version(Spring(1.2, 0.3), 0.7, 3).source
    assert not any(word in text for word in ASKED), text
    assert "put_attributes(p, " in text


def test_tangents_of_attributes_are_attributes_of_tangents():
    text = tangent.jvp(swing, wrt="p").version(Spring(1.2, 0.3), 0.7, 3, Spring(1.0, 0.0)).source
    assert "dp.k" in text and "attribute_tangent" not in text, text


def test_attributes_keep_their_precision():
    gradient = tangent.grad(swing, wrt=("p", "x"))
    for k in [np.ones(2), np.ones(2, np.float32)] * 4:
        bp, _ = gradient(Spring(k, 0.3), 0.7, 3)
        assert bp.k.dtype == k.dtype
        assert isinstance(bp.c, float)


def test_a_class_that_says_what_reading_means_is_refused():
    with pytest.raises(UnsupportedError, match="'__getattribute__' says what reading means"):
        tangent.grad(swing)(Reading(1.2, 0.3), 0.7, 3)


class Rod:
    def __init__(self, w):
        self.w = w

    def step(self, x):
        return self.w * x


def stepped(rod, x):
    for _ in range(3):
        x = rod.step(x)
    return x


def test_methods_that_are_redefined_are_seen():
    """What a method does was written out where it is called; another one counts from the next call on."""

    def changing(self, x):
        self.w = 0.5 * self.w
        return self.w * x

    gradient, rod, old = tangent.grad(stepped, wrt=("x",)), Rod(0.5), Rod.step
    try:
        for method, slope in ((old, 0.125), (lambda self, x: 2.0 * self.w * x, 1.0), (changing, 2.0**-9), (old, 0.125)):
            Rod.step = method
            for _ in range(4):
                assert gradient(rod, 0.7) == slope
    finally:
        Rod.step = old
    assert rod.w == 0.5


def both(p, q, x):
    for _ in range(2):
        p.k = 0.9 * p.k + q.c
        x = x * q.k
    return x


def test_one_object_given_twice_is_not_taken_for_two():
    p = Spring(0.9, 0.2)
    gradient = tangent.grad(both, wrt=("x",))
    for _ in range(4):
        assert gradient(Spring(0.9, 0.2), Spring(0.5, 0.4), 1.3) == pytest.approx(0.25)
        with pytest.raises(tangent.TangentError, match="given twice"):
            gradient(p, p, 1.3)


def moved_all(ps, k):
    for _ in range(3):
        for p in ps:
            p.c += p.force(p.k, k)
    return sum(p.c for p in ps)


def test_lists_of_objects_are_lists_of_attributes():
    ps = [Spring(1.2, 0.3), Spring(0.4, 0.1)]
    gradient = tangent.grad(moved_all, wrt=("ps", "k"))
    text = gradient.version(ps, 0.7).source
    assert not any(word in text for word in ASKED), text
    assert "[None] * len(ps)" in text

    def slope(name):
        low, high = ([moved(ps[0], name, by), copy.copy(ps[1])] for by in (-1e-6, 1e-6))
        return (moved_all(high, 0.7) - moved_all(low, 0.7)) / 2e-6

    want = slope("k"), slope("c")
    for _ in range(4):
        (first, _), _ = gradient(ps, 0.7)
        np.testing.assert_allclose((first.k, first.c), want, rtol=1e-7)
    assert ps[0].c == 0.3


def test_one_object_twice_in_a_list_is_one():
    p, gradient = Spring(1.2, 0.3), tangent.grad(moved_all, wrt=("k",))
    for _ in range(4):
        other = [copy.copy(p), copy.copy(p)]
        once = [p, p]
        low, high = (moved_all(copy.deepcopy(once), 0.7 + by) for by in (-1e-6, 1e-6))
        np.testing.assert_allclose(gradient(once, 0.7), (high - low) / 2e-6, rtol=1e-7)
        low, high = (moved_all(copy.deepcopy(other), 0.7 + by) for by in (-1e-6, 1e-6))
        np.testing.assert_allclose(gradient(other, 0.7), (high - low) / 2e-6, rtol=1e-7)


class Step:
    def __init__(self, a):
        self.a = a

    def __call__(self, x):
        return self.a * x


class Wave:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return np.sin(self.k * x)


class Flat:
    def __call__(self, x):
        return 0.5 * x


def through(steps, x):
    for step in steps:
        x = step(x)
    return np.sum(x)


def test_short_lists_of_objects_of_several_classes_are_written_out():
    steps, x = [Step(1.2), Wave(0.7), Flat(), Wave(1.1)], np.linspace(0.1, 0.4, 3)
    text = tangent.grad(through, wrt=("steps", "x")).version(steps, x).source
    assert "for " not in text and "call_fwd" not in text and "unbroadcast" not in text, text
    assert "bsteps = [put_attributes(steps_0, a=" in text, text


def test_objects_of_several_classes_are_told_apart_by_their_places():
    """Lists of the same objects, in other orders and of other lengths, take turns; long ones are looped over."""
    gradient, forward = tangent.grad(through, wrt=("steps", "x")), tangent.jvp(through, wrt="x")
    a, b, c, x = Step(1.2), Wave(0.7), Flat(), np.linspace(0.1, 0.4, 3)
    for _ in range(4):
        for steps in ([a, b, c], [b, a, c], [a, b], [b, a, a], [a, a], [a, *[b, c] * 9]):
            bsteps, bx = gradient(steps, x)
            ones, by = np.ones(3), 1e-6
            slope = (through(steps, x + by) - through(steps, x - by)) / (2 * by)
            np.testing.assert_allclose(np.sum(bx), slope, rtol=1e-7)
            np.testing.assert_allclose(forward(steps, x, ones), slope, rtol=1e-7)
            assert [*map(type, bsteps)] == [*map(type, steps)]
            for i, step in enumerate(steps):
                if isinstance(step, Step):
                    others = [[*steps[:i], Step(step.a + d), *steps[i + 1 :]] for d in (by, -by)]
                    slope = (through(others[0], x) - through(others[1], x)) / (2 * by)
                    np.testing.assert_allclose(bsteps[i].a, slope, rtol=1e-6)


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


class Halved(Node):
    """What `v` gives is not what is held under that name."""

    @property
    def v(self):
        return 0.5 * self.w

    @v.setter
    def v(self, v):
        self.w = 2.0 * v


def total(n, x):
    if n is None:
        return 0.0
    return math.tanh(n.v * x) + total(n.left, x) * total(n.right, x) + total(n.left, x)


def test_what_an_object_receives_from_its_attributes_is_put_together_at_once():
    def tree(cls, depth):
        return None if not depth else cls(0.3 * depth, tree(cls, depth - 1), tree(Node, depth - 1))

    gradient = tangent.grad(total, wrt=("n", "x"))
    raw = tangent.grad(total, wrt=("n", "x"), optimized=False)
    text = gradient.version(tree(Node, 3), 0.7).source
    assert "bn = put_each(n, left=add_grad(" in text, text

    def held(b):
        return [] if b is None else [v for x in vars(b).values() for v in (held(x) if isinstance(x, Node) else [x])]

    for _ in range(4):
        for cls in (Node, Halved):
            (b, bx), (want, slope) = gradient(tree(cls, 4), 0.7), raw(tree(cls, 4), 0.7)
            np.testing.assert_allclose(bx, slope, rtol=1e-12)
            assert held(b) == pytest.approx(held(want)), cls
            assert bx == pytest.approx((total(tree(cls, 4), 0.7 + 1e-6) - total(tree(cls, 4), 0.7 - 1e-6)) / 2e-6)
