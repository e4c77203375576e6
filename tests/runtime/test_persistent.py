"""The persistent array: against a naive model that copies, its memory, its errors, and derivatives through it."""

import copy
import gc
import pickle
import threading
import tracemalloc
import weakref

import numpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import tangent
from tangent import PersistentArray, append, setitem
from tangent.errors import ShapeError, VersionError

# Versions


def test_three_versions():
    x = PersistentArray([1.0, 2.0, 3.0])
    x_copy = copy.copy(x)
    x[1] = 7.0
    assert_array_equal(x_copy, [1.0, 2.0, 3.0])
    x_copy[1] = 8.0
    assert_array_equal(x, [1.0, 7.0, 3.0])
    assert_array_equal(x_copy, [1.0, 8.0, 3.0])


WRITES = st.one_of(
    st.tuples(st.just("set"), st.integers(0, 9), st.integers(0, 9), st.floats(-5, 5)),
    st.tuples(st.just("slice"), st.integers(0, 9), st.integers(1, 3), st.floats(-5, 5)),
    st.tuples(st.just("append"), st.integers(0, 9), st.just(0), st.floats(-5, 5)),
    st.tuples(st.just("delete"), st.integers(0, 9), st.integers(1, 3), st.just(0.0)),
    st.tuples(st.just("add.at"), st.integers(0, 9), st.integers(0, 9), st.floats(-5, 5)),
    st.tuples(st.just("copy"), st.integers(0, 9), st.just(0), st.just(0.0)),
    st.tuples(st.just("setitem"), st.integers(0, 9), st.integers(0, 9), st.floats(-5, 5)),
    st.tuples(st.just("drop"), st.integers(0, 9), st.just(0), st.just(0.0)),
    st.tuples(st.just("read"), st.integers(0, 9), st.just(0), st.just(0.0)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(WRITES, max_size=40), st.booleans())
def test_against_copies(steps, flat):
    shape = (3,) if flat else (3, 2)
    start = np.arange(float(np.prod(shape))).reshape(shape)
    pairs = [(PersistentArray(start), start.copy())]
    for kind, who, where, value in steps:
        k = who % len(pairs)
        x, model = pairs[k]
        i = where % len(model) if len(model) else 0
        if kind == "copy":
            pairs.append((copy.copy(x), model.copy()))
        elif kind == "drop" and len(pairs) > 1:
            del pairs[k]
        elif kind == "read":
            assert_array_equal(x, model)
        elif kind == "append":
            row = np.full(shape[1:], value)
            x.append(row)
            pairs[k] = (x, np.concatenate([model, row[None]]))
        elif kind == "delete" and where <= len(model):
            x.delete(where)
            pairs[k] = (x, model[: len(model) - where].copy())
        elif kind == "set" and len(model):
            x[i] = value
            model[i] = value
        elif kind == "slice":
            x[i::where] = value
            model[i::where] = value
        elif kind == "add.at" and len(model):
            np.add.at(x, [i, i, 0], value)
            np.add.at(model, [i, i, 0], value)
        elif kind == "setitem" and len(model):
            new = model.copy()
            new[i] = value
            pairs.append((setitem(x, i, np.full(shape[1:], value)), new))
    for x, model in pairs:
        assert x.shape == model.shape
        assert_array_equal(x, model)
    for x, model in reversed(pairs):
        assert_array_equal(x, model)


def test_indices_are_kept_as_they_were():
    x = PersistentArray(np.zeros(4))
    before, index = copy.copy(x), np.array([0, 1])
    x[index] = 5.0
    index[:] = 3
    assert_array_equal(before, np.zeros(4))
    assert_array_equal(x, [5.0, 5.0, 0.0, 0.0])


# NumPy's functions


def test_ufuncs_and_reductions():
    x = PersistentArray(np.arange(6.0).reshape(3, 2))
    before = copy.copy(x)
    x[0] = 10.0
    assert type(x + 1) is np.ndarray
    assert_array_equal(np.multiply(before, x), np.asarray(before) * np.asarray(x))
    assert np.mean(x) == np.mean(np.asarray(x)) and x.shape == np.shape(x) == (3, 2)
    assert_array_equal(np.add.reduce(x, axis=1), np.asarray(x).sum(axis=1))
    assert_array_equal(np.concatenate([x, before]), np.concatenate([np.asarray(x), np.asarray(before)]))
    x += before
    assert isinstance(x, PersistentArray)
    assert_array_equal(x, [[10.0, 11.0], [4.0, 6.0], [8.0, 10.0]])
    assert_array_equal(before, np.arange(6.0).reshape(3, 2))


def test_out_with_a_mask_keeps_the_rest():
    x = PersistentArray([1.0, 2.0])
    np.add(x, 1.0, out=x, where=np.array([True, False]))
    assert_array_equal(x, [2.0, 2.0])


def test_views_do_not_get_out():
    x = PersistentArray(np.arange(6.0).reshape(3, 2))
    flat, row, turned = np.reshape(x, 6), x[0], np.transpose(x)
    x[0] = 9.0
    assert_array_equal(flat, np.arange(6.0))
    assert_array_equal(row, [0.0, 1.0])
    assert_array_equal(turned, np.arange(6.0).reshape(3, 2).T)
    with pytest.raises(ValueError, match="read-only"):
        x[0][1] = 4.0
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(x, 1.0)
    with pytest.raises(ValueError, match="copied"):
        np.asarray(x, copy=False)


def test_pickle_and_deepcopy():
    x = PersistentArray(np.arange(3.0))
    for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        other[0] = 5.0
        assert_array_equal(x, np.arange(3.0))
        assert_array_equal(other, [5.0, 1.0, 2.0])


# Errors


def test_errors():
    x = PersistentArray(np.zeros((2, 3)))
    with pytest.raises(ShapeError, match=r"the row has shape \(2,\), the place for it \(3,\)"):
        x.append(np.zeros(2))
    with pytest.raises(ShapeError, match="cannot assign"):
        x[0] = np.zeros(2)
    with pytest.raises(ShapeError, match=r"the value has shape \(\)"):
        setitem(x, 0, 1.0)
    with pytest.raises(ShapeError, match="complex"):
        append(np.zeros((1, 2)), np.zeros(2, complex))
    with pytest.raises(VersionError, match="cannot delete 3 rows: the array has 2"):
        x.delete(3)
    with pytest.raises(VersionError, match="only rows at the end"):
        del x[0]
    with pytest.raises(ShapeError, match="takes an array, not a list"):
        append([1.0], 2.0)
    del x[1:]
    del x[-1]
    assert len(x) == 0
    with pytest.raises(VersionError):
        x.pop()
    x.free()
    with pytest.raises(VersionError, match="was freed"):
        x[0]
    assert repr(x) == "PersistentArray(freed)"


def test_a_failed_write_changes_nothing():
    x = PersistentArray(np.arange(3.0))
    before = copy.copy(x)
    for bad in (lambda: x.__setitem__(7, 1.0), lambda: x.__setitem__(slice(0, 2), np.zeros(3))):
        with pytest.raises((IndexError, ShapeError)):
            bad()
    x[0] = 4.0
    assert_array_equal(x, [4.0, 1.0, 2.0])
    assert_array_equal(before, np.arange(3.0))


# Memory


def test_differences_go_with_their_handles():
    x = PersistentArray(np.zeros((4, 1000)))
    kept = [copy.copy(x)]
    for k in range(50):
        x[k % 4] = k
        kept.append(copy.copy(x))
    versions = [weakref.ref(h._version) for h in kept]
    del kept[10:41]
    gc.disable()
    try:
        assert sum(v() is not None for v in versions) == len(versions)  # the oldest need the way between
        del kept[:10]
        assert sum(v() is not None for v in versions) == len(kept)
    finally:
        gc.enable()
    assert_array_equal(x[:, 0], [48.0, 49.0, 46.0, 47.0])


def test_memory_is_that_of_what_is_written():
    tracemalloc.start()
    x = PersistentArray(np.zeros((1000, 100)))
    base = tracemalloc.get_traced_memory()[0]
    kept = []
    for k in range(1000):
        kept.append(copy.copy(x))
        x[k] = 1.0
    assert tracemalloc.get_traced_memory()[0] - base < 3 * 1000 * 100 * 8
    while kept:
        assert kept.pop()[-1, 0] == 0.0
    del x
    assert tracemalloc.get_traced_memory()[0] < base
    tracemalloc.stop()


def test_nothing_is_kept_without_a_handle():
    x = PersistentArray(np.zeros(1000))
    tracemalloc.start()
    for k in range(1000):
        x[k] = 1.0
    assert tracemalloc.get_traced_memory()[0] < 20_000
    tracemalloc.stop()


def test_long_histories_are_freed_and_walked():
    x = PersistentArray(np.zeros(3))
    first = copy.copy(x)
    for k in range(100_000):
        x[0] = float(k)
        latest = copy.copy(x)
    assert first[0] == 0.0 and latest[0] == 99_999.0
    del x, latest
    assert first[0] == 0.0


def test_rows_are_appended_at_the_cost_of_a_row():
    x = PersistentArray(np.zeros((0, 2)))
    buffers = set()
    for k in range(1000):
        x.append([k, k])
        buffers.add(len(x._version.buffer.data))
    assert len(buffers) <= 10 and x[999, 0] == 999


def test_threads_read_versions_of_one_array():
    x = PersistentArray(np.zeros(50))
    versions = []
    for k in range(50):
        versions.append(copy.copy(x))
        x[k] = 1.0
    wrong = []

    def read(order):
        for k in order:
            if versions[k][:].sum() != k:
                wrong.append(k)

    threads = [threading.Thread(target=read, args=(np.random.default_rng(s).integers(0, 50, 300),)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


# Derivatives


def lattice(x, n, m):
    for i in range(n):
        x = append(x, x[i])
        for _ in range(m):
            x = setitem(x, i + 1, numpy.add(x[i + 1], x[i]))
    return numpy.mean(x)


def products(x, row, n, m):
    for i in range(n):
        x = append(x, row * x[i])
        for j in range(m):
            x = setitem(x, i + 1, np.multiply(x[i + 1], x[j]) + np.sin(x[i]))
    return np.sum(x * x)


def branches(x, v):
    y = x
    for k in range(3):
        if k == 1:
            x = setitem(x * v, k, x[0] * x[2])
        else:
            x = append(x, x[k] * v)
    return np.sum(x[2:] * y[0])


def column(x, v, i):
    y = setitem(x, (slice(None), i), v)
    z = setitem(y, [0, 0], y[1:3])
    return np.sum(np.exp(z)) + np.sum(y * y)


def made_inside(v, n):
    x = PersistentArray(np.zeros((1, 3)))
    for i in range(n):
        x = append(x, v * x[i] + np.cos(v))
    return np.sum(x * x)


def rows_of(x, v):
    total = sum(np.sum(row * row) for row in x)
    for row in x:
        total = total + np.dot(row, v)
    return total


def stores(x, v):
    y = copy.copy(x)
    x[1] = v * x[0]
    x[0, 1] *= v[2]
    x[::2] = x[::2] + v
    x += v
    np.add.at(x, [0, 0], v)
    np.multiply(x, x, out=x)
    return np.sum(np.sin(x) * y)


def stores_into_a_copy(x, v):
    y = copy.copy(x)
    y[1] = v * y[0]
    z = y.copy()
    z[0] = y[1]
    return np.sum(x * y * z)


def rows_at_the_end(x, v):
    y = PersistentArray(x)
    for i in range(3):
        y.append(v * y[i])
        y[i] = y[i + 1] * y[-1]
    y.delete(1)
    last = y.pop()
    del y[4:]
    y += 0.5
    return np.sum(np.sin(y)) + np.sum(last * y[0]) + len(y)


def rows_of_an_argument(x, v):
    y = copy.copy(x) if isinstance(x, PersistentArray) else PersistentArray(x)
    taken = v
    while len(y) > 1:
        taken = taken * y.pop()
        y[0] = y[0] * taken
    return np.sum(taken * y[0])


def _grow(y, v, n):
    if n:
        y.append(y[-1] * v)
        _grow(y, v, n - 1)


def rows_that_helpers_append(x, v):
    y = PersistentArray(x)
    z = y
    _grow(y, v, 2)
    z[0] = y[3] * y[4]
    del z[-1]
    held = [y, PersistentArray(y)]
    for w in held:
        w.append(w[0] * v)
        w *= w[1]
    return np.sum(y * held[1]) + len(z)


class Stack:
    def __init__(self, x):
        self.rows, self.count = PersistentArray(x), 0

    def push(self, v):
        self.rows.append(v)
        self.count += 1

    def drop(self):
        self.count -= 1
        return self.rows.pop()


def rows_in_an_object(x, v):
    stack = Stack(x)
    for i in range(3):
        stack.push(stack.rows[i] * v)
    top = stack.drop()
    stack.rows[0] = top * stack.rows[1]
    stack.rows.delete(1)
    return np.sum(stack.rows * top) + stack.count


ROW = np.array([0.3, -0.4, 0.8])
START = np.array([[0.5, 1.5, -0.7], [0.2, -0.3, 1.1], [0.9, 0.4, -0.6]])
PROGRAMS = [
    (lattice, (START, 3, 2), (0,)),
    (products, (START, ROW, 3, 2), (0, 1)),
    (branches, (START, ROW), (0, 1)),
    (column, (START, ROW, 1), (0, 1)),
    (made_inside, (ROW, 4), (0,)),
    (rows_of, (START, ROW), (0, 1)),
    (stores, (START, ROW), (0, 1)),
    (stores_into_a_copy, (START, ROW), (0, 1)),
    (rows_at_the_end, (START, ROW), (0, 1)),
    (rows_of_an_argument, (START, ROW), (0, 1)),
    (rows_that_helpers_append, (START, ROW), (0, 1)),
    (rows_in_an_object, (START, ROW), (0, 1)),
]


@pytest.mark.parametrize("f, args, wrt", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_derivatives(f, args, wrt):
    tangent.check_grads(f, args, wrt=wrt)


@pytest.mark.parametrize("f, args, wrt", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("optimized", [True, False])
def test_derivatives_with_persistent_arrays(f, args, wrt, optimized):
    if f is made_inside:
        return
    persistent = (PersistentArray(args[0]), *args[1:])
    assert np.allclose(f(*copy.deepcopy(args)), f(*copy.deepcopy(persistent)))
    g = tangent.grad(f, wrt=wrt, optimized=optimized)
    plain, same = g(*args), g(*persistent)
    for a, b in zip(plain if len(wrt) > 1 else [plain], same if len(wrt) > 1 else [same]):
        assert type(b) is np.ndarray
        np.testing.assert_allclose(b, a)
    tangents = [np.ones_like(args[k]) for k in wrt]
    push = tangent.jvp(f, wrt=wrt, optimized=optimized)
    np.testing.assert_allclose(push(*persistent, *tangents), push(*args, *tangents))
    assert_array_equal(persistent[0], args[0])


@pytest.mark.parametrize("f, args, wrt", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("modes", ["rr", "fr", "rf"])
def test_second_order(f, args, wrt, modes):
    start, rest = args[0], args[1:]
    direction = np.cos(np.arange(np.size(start))).reshape(np.shape(start))
    first = tangent.grad(f)
    if modes == "fr":
        found = tangent.jvp(first, wrt=(0,))(*args, 1.0, direction)
    elif modes == "rr":
        found = tangent.grad(first)(*args, 1.0, direction)
    else:
        found = tangent.grad(tangent.jvp(f, wrt=(0,)))(*args, direction)
    step = 1e-6
    expected = (first(start + step * direction, *rest) - first(start - step * direction, *rest)) / (2 * step)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_gradients_keep_dtypes():
    g = tangent.grad(products, wrt=(0, 1))
    bx, brow = g(START.astype(np.float32), ROW, 2, 1)
    assert bx.dtype == np.float32 and brow.dtype == np.float64


def test_arguments_and_seeds_are_not_written_to():
    def keep(x, v):
        return setitem(x, 0, v)

    x, v, seed = START.copy(), ROW.copy(), np.ones((3, 3))
    bx, bv = tangent.grad(keep, wrt=(0, 1))(x, v, seed)
    assert_array_equal(seed, np.ones((3, 3)))
    assert_array_equal(x, START)
    bx[:] = 7.0
    assert_array_equal(bv, np.ones(3))


@pytest.mark.parametrize("form", ["plain", "version"])
def test_a_step_costs_what_it_writes(form):
    """Peak memory of the gradient grows like the lattice, not like its square; also of its first calls."""
    x = PersistentArray(np.ones((1, 100)))
    gradient = tangent.grad(products_of_rows)
    gradient = gradient.plain if form == "plain" else gradient.version(x, 2, 2)

    def peak(n):
        gradient(x, 2, 2)
        tracemalloc.start()
        gradient(x, n, 3)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(400) < 5.5 * peak(100)


def products_of_rows(x, n, m):
    for i in range(n):
        x = append(x, x[i])
        for _ in range(m):
            x = setitem(x, i + 1, numpy.multiply(x[i + 1], x[i]))
    return numpy.mean(x)


# Parts that stay as they were, of arguments


def row_kept(x, row):
    b = x[1]
    x[1] = row * x[0]
    return np.sum(x * x) + np.sum(b * x[1])


def slice_kept(x, row):
    tail = x[1:]
    for i, r in enumerate(x):
        x[i] = r * row
    return np.sum(tail * x[1:])


def whole_kept(x, row):
    whole = np.asarray(x)
    x[[0, 0]] = x[1:3] * row
    return np.sum(whole * x)


def kept_of_an_object(x, row):
    stack = Stack(x)
    top = stack.rows[2]
    stack.rows[2] = top * row
    return np.sum(top * stack.rows[2])


@pytest.mark.parametrize("f", [row_kept, slice_kept, whole_kept, kept_of_an_object])
@pytest.mark.parametrize("optimized", [True, False])
def test_parts_of_an_argument_stay(f, optimized):
    """A row that was read is a copy, where that of a NumPy array is a view."""
    g, push = tangent.grad(f, optimized=optimized), tangent.jvp(f, optimized=optimized)
    moved = np.cos(START)
    up, down = (f(PersistentArray(START + s * moved), ROW) for s in (1e-6, -1e-6))
    for _ in range(4):
        x = PersistentArray(START)
        found = g(x, ROW)
        np.testing.assert_allclose(np.sum(found * moved), (up - down) / 2e-6, rtol=1e-7)
        np.testing.assert_allclose(push(x, ROW, moved), (up - down) / 2e-6, rtol=1e-7)
        assert_array_equal(x, START)
