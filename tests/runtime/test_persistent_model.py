"""Persistent arrays against plain copies: random operations on trees of versions, and what each of them must hold."""

import copy
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tangent import PersistentArray, append, setitem
from tangent.errors import ShapeError, VersionError

INDICES = (
    lambda r, n: int(r.integers(-n, n)),
    lambda r, n: slice(int(r.integers(0, n)), None, int(r.integers(1, 3))),
    lambda r, n: slice(None, None, -1),
    lambda r, n: r.integers(-n, n, 3),
    lambda r, n: [int(r.integers(0, n)), int(r.integers(-n, 0))],
    lambda r, n: r.random(n) < 0.5,
    lambda r, n: (Ellipsis, 1),
    lambda r, n: (int(r.integers(0, n)), slice(1, None)),
    lambda r, n: (r.integers(0, n, 2), 0),
    lambda r, n: Ellipsis,
    lambda r, n: slice(0, 0),
)


class Versions:
    """Handles beside the arrays that they must be equal to."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        start = self.r.normal(size=(4, 3))
        self.pairs = [(PersistentArray(start), start.copy())]

    def step(self):
        if len(self.pairs) > 8:
            del self.pairs[int(self.r.integers(len(self.pairs)))]
        k = int(self.r.integers(len(self.pairs)))
        x, model = self.pairs[k]
        action = self.r.choice([a for a in dir(self) if a.startswith("do_")])
        new = getattr(self, action)(x, model)
        if new is not None:
            self.pairs[k] = x, new
        assert_array_equal(*self.pairs[k])

    def index(self, model):
        return INDICES[int(self.r.integers(len(INDICES)))](self.r, len(model))

    def other(self):
        """A version of the same array, or None if its form is another."""
        return self.pairs[int(self.r.integers(len(self.pairs)))]

    def do_store(self, x, model):
        if len(model):
            index = self.index(model)
            value = self.r.normal(size=model[index].shape) if self.r.random() < 0.5 else 2.5
            x[index] = value
            model[index] = value

    def do_functional(self, x, model):
        if len(model):
            index = self.index(model)
            value = self.r.normal(size=model[index].shape)
            new = model.copy()
            new[index] = value
            self.pairs.append((setitem(x, index, value), new))

    def do_read(self, x, model):
        if len(model):
            index = self.index(model)
            assert_array_equal(x[index], model[index])

    def do_append(self, x, model):
        row = self.r.normal(size=3)
        x.append(row)
        return np.concatenate([model, row[None]])

    def do_functional_append(self, x, model):
        row = self.r.normal(size=3)
        self.pairs.append((append(x, row), np.concatenate([model, row[None]])))

    def do_delete(self, x, model):
        count = int(self.r.integers(0, len(model) + 1))
        del x[len(model) - count :]
        return model[: len(model) - count].copy()

    def do_pop(self, x, model):
        if len(model):
            assert_array_equal(x.pop(), model[-1])
            return model[:-1].copy()

    def do_copy(self, x, model):
        kind = self.r.choice([copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: v.copy()])
        self.pairs.append((kind(x), model.copy()))

    def do_ufunc(self, x, model):
        y, other = self.other()
        if other.shape == model.shape:
            assert_array_equal(np.multiply(x, y) - y, model * other - other)
            np.subtract(x, y, out=x)
            np.subtract(model, other.copy(), out=model)

    def do_augment(self, x, model):
        x *= 0.5
        model *= 0.5
        assert isinstance(x, PersistentArray)

    def do_at(self, x, model):
        if len(model):
            where = self.r.integers(0, len(model), 3)
            np.add.at(x, where, 1.5)
            np.add.at(model, where, 1.5)

    def do_version_as_value(self, x, model):
        y, other = self.other()
        if other.shape == model.shape and len(model):
            order = self.r.permutation(len(model))
            new = model.copy()
            new[order] = other
            self.pairs.append((setitem(x, order, y), new))
            x[...] = y
            return other.copy()

    def do_reduce(self, x, model):
        if len(model):
            assert_array_equal(np.sum(x, axis=0), model.sum(axis=0))
            assert np.max(x) == model.max()
            assert_array_equal(np.concatenate([x, x]), np.concatenate([model, model]))

    def do_mask(self, x, model):
        x[np.greater(x, 0.5)] = 0.25
        model[model > 0.5] = 0.25


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_random_operations(seed):
    versions = Versions(seed)
    for _ in range(40):
        versions.step()
    for x, model in (*versions.pairs, *reversed(versions.pairs)):
        assert x.shape == model.shape and x.dtype == model.dtype
        assert_array_equal(x, model)


def test_branches_of_branches():
    root = PersistentArray(np.zeros(8))
    leaves = {(): root}
    for depth in range(4):
        for path in [p for p in leaves if len(p) == depth]:
            for way in (1.0, 2.0):
                leaves[(*path, way)] = setitem(leaves[path], depth, way)
    order = sorted(leaves, key=lambda p: hash(str(p)))
    for path in (*order, *order[::-1]):  # from far to far
        expected = np.zeros(8)
        expected[: len(path)] = path
        assert_array_equal(leaves[path], expected)


def test_versions_that_nobody_holds_are_gone_at_once():
    x = PersistentArray(np.zeros((3, 4)))
    kept = [copy.copy(x)]
    for k in range(20):
        x[k % 3] = k
        kept.append(copy.copy(x))
    gone = [weakref.ref(h._version) for h in kept[1:-1]]
    counts = sys.getrefcount(x._version.buffer)
    gc.disable()
    try:
        np.asarray(kept[0])  # the way to all others leads from here now
        del kept[1:-1]
        assert np.asarray(kept[-1])[1, 0] == 19.0
        del kept
        assert not any(g() for g in gone) and sys.getrefcount(x._version.buffer) < counts
    finally:
        gc.enable()
    assert_array_equal(x[:, 0], [18.0, 19.0, 17.0])


def test_a_version_as_index_and_value_of_another():
    x = PersistentArray([2, 1, 0])
    before = copy.copy(x)
    x[0] = 0
    assert_array_equal(x[before], [0, 1, 0])
    x[before] = before
    assert_array_equal(x, [0, 1, 2])
    assert_array_equal(before, [2, 1, 0])
    x[:2] = [before[0], 7]
    y = setitem(x, slice(None), before)
    assert_array_equal(y, before)
    assert_array_equal(x, [2, 7, 2])


def test_out_for_one_of_two_results():
    x = PersistentArray([5.0, 7.0])
    rest = PersistentArray([0.0, 0.0])
    whole, same = np.divmod(x, 2.0, out=(None, rest))
    assert_array_equal(whole, [2.0, 3.0])
    assert same is rest and list(rest) == [1.0, 1.0]
    total = np.zeros(())
    assert np.add.reduce(x, out=total) is total and total == 12.0
    with pytest.raises(TypeError):
        np.add(PersistentArray([1, 2]), 1.5, out=PersistentArray([1, 2]))


def test_casting_is_that_of_numpy():
    x = PersistentArray([1, 2, 3])
    x[0] = 7.9
    assert x.dtype == int and x[0] == 7
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    with pytest.raises(ShapeError, match="float64"):
        x.append(1.5)
    x.append(np.int32(4))
    assert_array_equal(x, [7, 2, 3, 4])


def test_no_rows():
    x = PersistentArray(np.zeros((0, 2)))
    before = copy.copy(x)
    assert x.size == 0 and list(x) == [] and np.sum(x) == 0.0
    for bad in (x.pop, lambda: x.delete(1), lambda: x.delete(-1)):
        with pytest.raises(VersionError):
            bad()
    with pytest.raises(IndexError):
        x[0] = 1.0
    with pytest.raises(ShapeError):
        x.append([1.0, 2.0, 3.0])
    x.append([1.0, 2.0])
    del x[:]
    assert len(x) == len(before) == 0
    with pytest.raises(VersionError, match="only rows at the end"):
        PersistentArray([1.0, 2.0]).__delitem__(slice(None, None, 2))


def test_freed_handles():
    x = PersistentArray([1.0])
    other = copy.copy(x)
    x.free()
    x.free()
    for use in (len, np.asarray, copy.copy, np.sum, pickle.dumps, lambda v: v + 1, lambda v: v.append(1.0)):
        with pytest.raises(VersionError, match="was freed"):
            use(x)
    assert other[0] == 1.0


def test_threads_write_to_handles_of_their_own():
    x = PersistentArray(np.zeros(20))
    wrong = []

    def work(value):
        mine = copy.copy(x)
        for k in range(200):
            mine[k % 20] = value
            if k > 20 and not np.all(np.asarray(mine) == value):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and not np.asarray(x).any()


def test_rows_of_fields_are_kept_as_they_were():
    x = PersistentArray(np.array([(1, 2.0), (3, 4.0)], dtype=[("n", int), ("w", float)]))
    before, row = copy.copy(x), x[1]
    x[0], x[1] = (9, 9.0), (7, 7.0)
    assert row["n"] == 3 and [v["n"] for v in before] == [1, 3] and [v["n"] for v in x] == [9, 7]
    with pytest.raises(ValueError, match="read-only"):
        x[0]["n"] = 5


def test_truth_is_that_of_numpy():
    assert not PersistentArray([0.0]) and PersistentArray([2.0])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(PersistentArray([1.0, 2.0]))
