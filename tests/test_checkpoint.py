"""Checkpoints: the same gradients, few states, the fewest repetitions, and errors for what cannot be run again."""

import copy
import functools
import math
import random

import numpy as np
import pytest
from benchmarks import memory
from benchmarks.measure import peak_bytes

import tangent
from programs.checkpointed import LOOPS
from tangent import TangentError, checkpoint, grad, insert_grad_of, jvp, value_and_grad, vjp
from tangent.runtime.checkpoint import advance, places, snapshot_count

X, W = np.linspace(0.1, 1.0, 4), np.linspace(0.5, 1.5, 4)


def same(a, b):
    """Whether two gradients are equal to the last bit."""
    if isinstance(a, tuple):
        return all(map(same, a, b))
    if isinstance(a, dict):
        return all(same(a[k], b[k]) for k in a)
    return same(a.w, b.w) if hasattr(a, "w") else np.array_equal(a, b)


# The same gradients


@pytest.mark.parametrize("optimized", [True, False])
@pytest.mark.parametrize("name", LOOPS)
def test_the_gradient_is_the_same_to_the_last_bit(name, optimized):
    f, args, wrt = LOOPS[name]
    expected = grad(f, wrt, optimized=optimized)(*args)
    for count in (1, 3, True) if optimized else (2,):
        found = grad(f, wrt, optimized=optimized, checkpoint=count)(*args)
        if name == "array_written_after":  # into whose shadow the loop's share is added as a whole
            np.testing.assert_allclose(found, expected, rtol=1e-14)
        else:
            assert same(found, expected)


THROUGH_TANGENTS = {"collected_in_a_list", "list_that_is_read", "comprehension"}  # summed in another order
SECOND = sorted(set(LOOPS) - {"calls_a_method", "parameters_in_a_dict", "complex_state", "array_written_after"})


@pytest.mark.parametrize("name", SECOND)
def test_forward_over_reverse_is_the_same(name):
    f, args, _ = LOOPS[name]
    tangent_ = np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0
    found = jvp(grad(f, 0, checkpoint=3), 0, check_dims=False)(*args, 1.0, tangent_)
    exact = 1e-12 if name in THROUGH_TANGENTS else 1e-14
    np.testing.assert_allclose(found, jvp(grad(f, 0), 0, check_dims=False)(*args, 1.0, tangent_), rtol=exact)


@pytest.mark.parametrize("name", SECOND)
def test_reverse_over_reverse_is_the_same_up_to_rounding(name):
    f, args, _ = LOOPS[name]
    seed = np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0
    found = vjp(grad(f, 0, checkpoint=3), 0, check_dims=False)(*args, 1.0, seed)
    np.testing.assert_allclose(found, vjp(grad(f, 0), 0, check_dims=False)(*args, 1.0, seed), rtol=1e-5)


def last_wins(x, y, u, n):
    w = u.copy()
    w[1] = max(w[0, 1], abs(y[0]))
    for i in range(2, n):
        w[2] = x[i] * u[0]
    return np.sum(w * w)


def test_reverse_over_forward_is_the_same():
    """Steps of a derivative name what only its backward pass uses; a name of the module (`copy`) is another."""
    args = (np.arange(1.0, 6.0), np.arange(2.0, 4.0), np.linspace(0.1, 2.0, 15).reshape(5, 3))
    before, pushed = copy.deepcopy(args), jvp(last_wins, (0, 1, 2))
    found, want = (vjp(pushed, (0, 1, 2), checkpoint=k)(*args, 5, *args) for k in (3, None))
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    assert same(args, before)


def test_a_list_that_got_shorter_is_refused_at_second_order():
    f, args, _ = LOOPS["array_written_after"]
    with pytest.raises(TangentError, match="takes from it") as found:
        vjp(grad(f, 0, checkpoint=3), 0, check_dims=False)(*args, 1.0, np.ones_like(args[0]))
    assert "checkpointed.py" in str(found.value)


def plain(x, w, n):
    for _ in range(n):
        x = np.sin(x * w)
    return np.sum(x) + np.sum(w * w)


def marked(x, w, n):
    with checkpoint(3):
        for _ in range(n):
            x = np.sin(x * w)
    return np.sum(x) + np.sum(w * w)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
def test_a_mark_around_a_loop(n):
    assert marked(X, W, n) == plain(X, W, n)
    assert same(grad(marked, (0, 1))(X, W, n), grad(plain, (0, 1))(X, W, n))
    assert same(value_and_grad(marked)(X, W, n), value_and_grad(plain)(X, W, n))


def test_forward_mode_keeps_the_mark():
    """It has nothing to keep itself, but the derivative of a tangent has."""
    pushed = jvp(marked)
    assert "with checkpoint(3):" in pushed.source
    assert same(pushed(X, W, 6, X), jvp(plain)(X, W, 6, X))
    found = grad(pushed)
    assert "start_stack" in found.source
    np.testing.assert_allclose(found(X, W, 6, X), grad(jvp(plain))(X, W, 6, X), rtol=1e-12)


def test_marks_in_marks():
    def nested(x, w, n):
        with checkpoint(2):
            for _ in range(n):
                y = x
                with checkpoint(2):
                    for _ in range(n):
                        y = np.sin(y * w)
                x = x + y
        return np.sum(x)

    def flat(x, w, n):
        for _ in range(n):
            y = x
            for _ in range(n):
                y = np.sin(y * w)
            x = x + y
        return np.sum(x)

    found = grad(nested, (0, 1))
    assert found.source.count("places(0") == 2
    assert same(found(X, W, 5), grad(flat, (0, 1))(X, W, 5))
    np.testing.assert_allclose(tangent.hvp(nested)(X, W, 5, X), tangent.hvp(flat)(X, W, 5, X), rtol=1e-12)


def test_a_number_of_snapshots_that_is_known_at_run_time():
    def chosen(x, k, n):
        with checkpoint(k):
            for _ in range(n):
                x = np.sin(x)
        return x

    assert grad(chosen)(0.5, 2, 9) == grad(chosen)(0.5, 9, 9) == grad(chosen)(0.5, None, 9)
    with pytest.raises(ValueError, match="one snapshot at least"):
        grad(chosen)(0.5, 0, 9)


def test_inserted_code_in_a_checkpointed_loop():
    def halved(x, n):
        with checkpoint(2):
            for _ in range(n):
                x = x * 3.0
                with insert_grad_of(x) as dx:
                    dx = 0.5 * dx
        return x

    assert grad(halved)(1.0, 6) == 1.5**6


def test_the_callers_list_stays_as_it_is():
    def collected(x, n):
        ys = []
        for _ in range(n):
            x = np.sin(x)
            ys.append(x)
        return ys[1] * ys[2], ys

    (_, ys), _ = value_and_grad(collected, has_aux=True, checkpoint=2)(0.5, 4)
    assert ys == collected(0.5, 4)[1]


# Functions


def layer(x, w, *, scale=1.0):
    z = w * x
    return scale * np.tanh(z) + np.sin(z)


kept_layer = checkpoint(layer)


class Net:
    def __init__(self, w):
        self.w = w

    @checkpoint
    def act(self, x):
        return np.tanh(self.w * x)


def test_a_checkpointed_function():
    def f(x, w):
        return np.sum(kept_layer(x, w, scale=2.0) * x)

    def g(x, w):
        return np.sum(layer(x, w, scale=2.0) * x)

    found = grad(f, (0, 1))
    assert "return layer(x, w, scale=scale), (x, w, scale)" in found.source
    assert same(found(X, W), grad(g, (0, 1))(X, W))
    assert same(jvp(f)(X, W, X), jvp(g)(X, W, X))
    np.testing.assert_allclose(tangent.hvp(f)(X, W, X), tangent.hvp(g)(X, W, X), rtol=1e-12)
    assert grad(kept_layer)(0.5, 2.0) == grad(layer)(0.5, 2.0)
    assert not hasattr(layer, "checkpointed")


def test_checkpoints_of_functions_known_at_run_time():
    def f(x, w):
        def inner(y):
            return np.sin(y * w)

        return np.sum(checkpoint(inner)(x) * checkpoint(layer)(x, w))

    def g(x, w):
        def inner(y):
            return np.sin(y * w)

        return np.sum(inner(x) * layer(x, w))

    assert same(grad(f, (0, 1))(X, W), grad(g, (0, 1))(X, W))


def test_checkpoints_of_lambdas():
    def f(x):
        return np.sum(checkpoint(lambda v: np.sin(v * x))(x))

    assert same(grad(f)(X), grad(lambda x: np.sum(np.sin(x * x)))(X))


def test_a_checkpointed_method():
    def f(net, x):
        return np.sum(net.act(x))

    bnet, bx = grad(f, (0, 1))(Net(W), X)
    slope = 1.0 - np.tanh(W * X) ** 2
    np.testing.assert_allclose(bnet.w, slope * X)
    np.testing.assert_allclose(bx, slope * W)


# Few states, few repetitions


@functools.cache
def fewest(steps, count):
    """The least number of steps that are run without a record, over all ways to place snapshots."""
    if steps <= 1:
        return 0
    if count == 1:
        return steps * (steps - 1) // 2
    return min(m + fewest(steps - m, count - 1) + fewest(m, count) for m in range(1, steps))


def test_the_schedule_is_optimal():
    @functools.cache
    def ours(steps, count):
        if steps <= 1 or count == 1:
            return fewest(steps, count)
        m = advance(steps, count)
        return m + ours(steps - m, count - 1) + ours(m, count)

    assert all(ours(n, k) == fewest(n, k) for n in range(1, 80) for k in range(1, 9))


def test_places():
    assert sorted(places(0, 10, 3)) == [0, 4, 7, 9]
    assert sorted(places(5, 6, 3)) == [5]
    assert [snapshot_count(None, n) for n in (1, 10, 100, 10**4, 10**6)] == [1, 3, 5, 8, 12]


RUNS = [0]


@tangent.custom_vjp
def counted(x):
    RUNS[0] += 1
    return 0.9 * x


def counted_forward(x):
    RUNS[0] += 1
    return 0.9 * x, None


counted.defvjp(counted_forward, lambda saved, b: (0.9 * b,))


def runs(f, n, count):
    RUNS[0] = 0
    grad(f, checkpoint=count)(1.0, n)
    return RUNS[0]


@pytest.mark.parametrize("n, count", [(1, 1), (2, 1), (10, 3), (50, 3), (60, 5), (60, 60), (30, 1)])
def test_steps_are_run_as_often_as_the_optimum_says(n, count):
    """Once without a record as the schedule says, once with it; and the last step once more, for the value."""

    def repeated(x, n):
        for _ in range(n):
            x = counted(x)
        return x

    assert runs(repeated, n, count) == fewest(n, count) + n + 1


def extended(x, n):
    for _ in range(n + 2):
        x = np.sin(x) * 1.1
    return np.sum(x)


def shortened(x, n):
    y = x
    for _ in range(len(x) - n):
        y = y * x
    return np.sum(y)


@pytest.mark.parametrize("f", [extended, shortened])
@pytest.mark.parametrize("count", [1, 2, 100])
def test_the_number_of_steps_is_computed(f, count):
    x = np.array([0.3, 0.8, 1.2, 0.5])
    assert np.array_equal(grad(f, checkpoint=count)(x, 1), grad(f)(x, 1))
    assert np.array_equal(grad(f, checkpoint=count)(x, 4), grad(f)(x, 4))


@pytest.mark.parametrize("n, count", [(1, 1), (10, 3), (50, 3), (60, 5), (60, 60), (30, 1)])
def test_loops_of_unknown_length_are_close_to_the_optimum(n, count):
    def repeated(x, n):
        while n > 0:
            x = counted(x)
            n = n - 1
        return x

    assert runs(repeated, n, count) <= 1.1 * (fewest(n, count) + n) + n


def test_memory():
    """10,000 steps of 1,000 floats with 100 snapshots: at most 3 % of what a plain record keeps."""
    n = 10_000
    found = memory.checkpointed(n)
    assert found <= 0.03


def by_while(x, w, n):
    while n > 0:
        x = np.sin(x * w)
        n = n - 1
    return np.sum(x)


def test_memory_of_loops_of_unknown_length():
    x, w, n = np.ones(1000), np.full(1000, 0.9), 1000
    found = grad(by_while, (0, 1), checkpoint=True)
    found(x, w, 3)
    assert peak_bytes(lambda: found(x, w, n)) <= 0.03 * n * 8000


# What is refused


def drawn(x):
    for _ in range(3):
        x = x * np.random.normal()
    return x


def drawn_from(x, rng):
    for _ in range(3):
        x = x * rng.normal()
    return x


def noise(x):
    return x * random.random()


def drawn_by_a_helper(x):
    for _ in range(3):
        x = noise(x)
    return x


def taken(x, items):
    for _ in range(3):
        x = x * next(items)
    return x


STEPS = 0


def counted_outside(x):
    global STEPS
    for _ in range(3):
        STEPS = STEPS + 1
        x = x * STEPS
    return x


def swapped(x):
    a, b = x.copy(), np.zeros(4)
    first = b
    for _ in range(3):
        b[:] = a * a
        a, b = b, a
    return np.sum(a) + np.sum(first)


def popped(x):
    xs = [x, x * x, x]
    y = x
    for _ in range(3):
        y = y * xs.pop()
    return y


class Stack:
    def __init__(self, x):
        self.waiting = [x, x * x, x]

    def taken(self):
        return self.waiting.pop()


def popped_by_an_object(x):
    stack = Stack(x)
    y = x
    for _ in range(3):
        y = y * stack.taken()
    return y


@pytest.mark.parametrize(
    "f, text",
    [(drawn, "np.random.normal"), (drawn_from, "rng.normal"), (drawn_by_a_helper, "which calls random.random"),
     (taken, "'next'"), (counted_outside, "from outside the function"), (swapped, "binds it anew"),
     (popped, "take items from the list 'xs'"), (popped_by_an_object, "take items from the list 'stack.waiting'")],
)  # fmt: skip
def test_what_cannot_be_run_again_is_refused(f, text):
    with pytest.raises(TangentError, match=text) as caught:
        grad(f, checkpoint=2)
    assert "test_checkpoint.py:" in str(caught.value)


@checkpoint
def random_layer(x):
    return x * np.random.rand()


@checkpoint
def filling(a, x):
    a[0] = x


def test_functions_that_cannot_be_run_again_are_refused():
    with pytest.raises(TangentError, match=r"np.random.rand"):
        grad(lambda x: random_layer(x))

    def f(x):
        a = np.zeros(2)
        filling(a, x)
        return a[0]

    with pytest.raises(TangentError, match="writes into its argument 'a'"):
        grad(f)


class Noise:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.calls = 0

    def __call__(self, x):
        return x * self.rng.normal()

    def draw(self, x):
        return x * self.rng.normal()

    def count(self, x):
        self.calls += 1
        return x * self.calls


TIMES = [0]


def times_outside(x):
    TIMES[0] += 1
    return x * TIMES[0]


def applied(x, f):
    for _ in range(4):
        x = f(x)
    return x


def applied_by_a_helper(x, f):
    for _ in range(4):
        x = twice(f, x)
    return x


def twice(f, x):
    return f(f(x))


def applied_in_turn(x, f):
    fs = [f, math.sin]
    for i in range(4):
        x = fs[i % 2](x)
    return x


def applied_one_by_one(x, f):
    with checkpoint(1):
        for _ in range(2):
            for g in [f, math.sin]:
                x = g(x)
    return x


@checkpoint
def applying(x, f):
    return f(x) * x


def applied_in_a_layer(x, f):
    return applying(x, f)


@pytest.mark.parametrize(
    "f", [applied, applied_by_a_helper, applied_in_turn, applied_one_by_one, applied_in_a_layer]
)  # fmt: skip
@pytest.mark.parametrize(
    "given, why",
    [(noise, "calls random.random"), (Noise(), "calls t.normal"), (Noise().draw, "calls t.normal"),
     (functools.partial(lambda r, x: x * r.normal(), np.random.default_rng(0)), "calls r.normal"),
     (Noise().count, "changes the object"), (times_outside, "changes 'TIMES'")],
)  # fmt: skip
def test_functions_that_come_in_are_looked_at_when_they_do(f, given, why):
    found = grad(f, checkpoint=2)
    assert found(0.3, math.tanh) == grad(f)(0.3, math.tanh)
    with pytest.raises(TangentError, match=why):
        found(0.3, given)


SCALE = [1.0]


@checkpoint
def scaled_layer(x):
    return x * SCALE[0]


def test_what_is_changed_before_it_is_read_again_is_refused():
    def f(x):
        y = scaled_layer(x)
        SCALE[0] = 2.0 * SCALE[0]
        return y

    def g(x):
        for _ in range(3):
            x = x * SCALE[0]
        SCALE[0] = 2.0 * SCALE[0]
        return x

    assert grad(g)(1.0) == 1.0
    SCALE[0] = 1.0
    for make in (lambda: grad(f), lambda: grad(g, checkpoint=2)):
        with pytest.raises(TangentError, match="'SCALE' under 'checkpoint'"):
            make()


def test_jumps_of_inserted_code_where_a_list_grows_are_refused():
    def truncated(x):
        xs = []
        with checkpoint(2):
            for i in range(4):
                x = x * 2.0
                xs.append(x)
                with insert_grad_of(x):
                    if i < 2:
                        break
        return x + xs[0]

    with pytest.raises(TangentError, match="leaves the backward loop"):
        grad(truncated)(1.0)


def test_options():
    with pytest.raises(ValueError, match="from 1 on"):
        grad(plain, checkpoint=0)
    with pytest.raises(ValueError, match="one snapshot at least"):
        checkpoint(0)
    with pytest.raises(TypeError, match="number of snapshots or a Python function"):
        checkpoint("many")
    with pytest.raises(TangentError, match="compiled"):
        grad(plain, checkpoint=2, compile="numba")
    assert grad(plain, checkpoint=False)(X, W, 3).shape == X.shape
