# ruff: noqa  (programs under test are written as users write)
"""Who shares what: views of all kinds, aliases, buffers that are used again, side effects inside expressions."""

import functools

import numpy as np

from nasty.checks import M, V, nasty
from nasty.helpers import Box, doubles, fills, returns_it


@nasty(V)
def broadcast_view_written(x):
    y = np.zeros((2, 3))
    y[:] = x
    y[0] = 0.0
    return np.sum(y * x)


@nasty(V)
def ellipsis_written(x):
    y = np.zeros(3)
    y[...] = x * x
    return np.sum(y)


@nasty(V)
def zero_dim_written(x):
    s = np.array(0.0)
    s += np.sum(x * x)
    return s * 1.0


@nasty(V)
def zeros_like_written(x):
    y = np.zeros_like(x)
    y += x
    y *= x
    return np.sum(y)


@nasty(V)
def empty_like_written(x):
    y = np.empty_like(x)
    y[:] = 1.0
    y[0] = x[0]
    return np.sum(y * x)


@nasty(V)
def array_of_scalars_written(x):
    y = np.array([x[0], x[1]])
    y[0] = y[1]
    return y[0] * y[1]


@nasty(V)
def stacked_then_written(x):
    y = np.stack([x, x])
    y[0] += x
    return np.sum(y * y)


@nasty(V)
def copied_then_original_written(x):
    y = x * 1.0
    z = y.copy()
    y[0] = 0.0
    return np.sum(y * z)


@nasty(V)
def saved_list_of_aliases(x):
    y = x * 1.0
    history = []
    for i in range(3):
        y[i] = y[i] * 2.0
        history.append(y)
    return np.sum(history[0] * history[2])


@nasty(V)
def multiplied_list(x):
    rows = [x * 1.0] * 2
    rows[0] += 1.0
    return np.sum(rows[1] * x)


@nasty(V)
def default_mutable(x, seen=None):
    if seen is None:
        seen = []
    seen.append(x[0])
    return seen[0] * seen[-1]


@nasty(V, V)
def same_values_two_arguments(x, y):
    x[0] = y[1]
    return np.sum(x * y)


@nasty(2.0)
def augmented_float_alias(x):
    y = x
    y += 1.0
    return x * y


@nasty(2.0)
def augmented_float_loop(x):
    y = x
    for _ in range(3):
        y *= x
    return y


@nasty(np.array(2.0))
def augmented_zero_dim_argument(x):
    y = x
    y += 1.0
    return x * y * 1.0


@nasty(V)
def inactive_buffer(x):
    w = np.zeros(3)
    w[0] = 2.0
    w[1:] += 3.0
    return np.sum(w * x)


@nasty(V)
def inactive_then_active(x):
    w = np.zeros(3)
    total = 0.0
    for i in range(3):
        w[0] = i
        total = total + np.sum(w * x)
    return total


@nasty(V)
def inactive_buffer_rewritten_after_use(x):
    w = np.ones(3)
    y = w * x * x
    w[:] = 0.0
    return np.sum(y)


@nasty(V)
def inactive_index_rewritten(x):
    idx = np.array([0, 1])
    y = x[idx]
    idx[0] = 2
    return np.sum(y * y)


@nasty(V)
def inactive_list_rewritten(x):
    ks = [2.0, 3.0]
    y = x[0] * ks[0] * x[0]
    ks[0] = 100.0
    return y + ks[1] * x[1]


@nasty(V)
def inactive_object_rewritten(x):
    box = Box(2.0)
    y = box.value * x[0] * x[0]
    box.value = 50.0
    return y


@nasty(V)
def inactive_popped(x):
    ks = [2.0, 3.0, 4.0]
    total = 0.0
    while ks:
        total = total + ks.pop() * x[0] * x[0]
    return total


@nasty(V)
def random_state_used_once(x):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=3)
    y = noise * x
    return np.sum(y * y * rng.normal())


@nasty(V)
def iterator_consumed(x):
    it = iter([2.0, 3.0])
    y = x[0] * next(it) * x[0]
    return y * next(it)


@nasty(V)
def active_iterator(x):
    it = iter(x)
    a = next(it)
    return a * next(it)


@nasty(V)
def counter_in_closure(x):
    state = {"n": 0}

    def step():
        state["n"] += 1
        return state["n"]

    return x[0] ** 2 * step() + x[1] * step()


@nasty(V)
def memoryview_written(x):
    y = x * 1.0
    memoryview(y)[0] = 5.0
    return np.sum(y * y)


@nasty(V)
def array_wraps_without_copy(x):
    y = x * 1.0
    z = np.array(y, copy=False) if np.lib.NumpyVersion(np.__version__) < "2.0.0" else np.asarray(y)
    z[0] = x[1]
    return np.sum(y)


@nasty(M)
def diagonal_view(x):
    y = x * 1.0
    d = np.einsum("ii->i", y[:, :2])
    d[:] = 0.0
    return np.sum(y * y)


@nasty(M)
def swapaxes_view(x):
    y = x * 1.0
    np.swapaxes(y, 0, 1)[0] = x[0, 0] * 2.0
    return np.sum(y * y)


@nasty(M)
def split_views(x):
    y = x * 1.0
    top, _ = np.split(y, 2)
    top[:] = 0.0
    return np.sum(y * y)


@nasty(V)
def atleast_view(x):
    y = x * 1.0
    np.atleast_2d(y)[0, 0] = 0.0
    return np.sum(y * y)


@nasty(V)
def real_view(x):
    y = x * 1.0
    y.real[0] = 0.0
    return np.sum(y * y)


@nasty(V)
def conditional_alias(x):
    y = x * 1.0
    z = y if x[0] > 0 else x
    z += 1.0
    return np.sum(y * y)


@nasty(V)
def walrus_alias(x):
    y = x * 1.0
    (z := y)[0] = 9.0
    return np.sum(z * y)


@nasty(V)
def starred_alias(x):
    y = x * 1.0
    first, *rest = [y, x]
    first *= 2.0
    return np.sum(y * rest[0])


@nasty(V)
def loop_over_aliases(x):
    a, b = x * 1.0, x * 2.0
    for v in (a, b):
        v *= x
    return np.sum(a * b)


@nasty(V)
def with_statement_alias(x):
    y = x * 1.0
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = 1.0
    return np.sum(y * x)


@nasty(V)
def partial_fills(x):
    y = x * 1.0
    fill = functools.partial(fills, y)
    fill(4.0)
    return np.sum(y * y)


@nasty(V)
def apply_along(x):
    def f(row):
        row[0] = 2.0
        return np.sum(row)

    y = x * 1.0
    return np.apply_along_axis(f, 0, y) * np.sum(y)


@nasty(V)
def list_comprehension_side_effect(x):
    y = x * 1.0
    [doubles(y) for _ in range(2)]
    return np.sum(y * x)


@nasty(V)
def condition_side_effect(x):
    y = x * 1.0
    if returns_it(y) is not None and fills(y, x[1]) is None:
        return np.sum(y * y)
    return 0.0


@nasty(V)
def assert_side_effect(x):
    y = x * 1.0
    assert fills(y, 1.0) is None
    return np.sum(y * y)


@nasty(V)
def print_argument_side_effect(x):
    y = x * 1.0
    str(fills(y, 1.0))
    return np.sum(y * y)
