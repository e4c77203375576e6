"""Persistent arrays that statements write into, while parts that were read before stay as they were."""

import copy

import numpy as np

from programs.registry import program
from programs.samples import signed
from tangent import PersistentArray


class _Field:
    def __init__(self, x):
        self.x = PersistentArray(x)

    def scaled(self, i):
        row = self.x[i]
        self.x[i] = row * self.x[0]
        return row


def _moved(x, i):
    row = x[i]
    x[i] = row * x[0]
    return row


@program({"a": signed(3, 2)})
def row_kept_while_it_changes(a):
    x = PersistentArray(a)
    b = x[1]
    x[1] = 2 * x[0]
    return np.sum(x**2) + np.sum(b * x[1])


@program({"a": signed(4)})
def slice_and_whole_kept_while_they_change(a):
    x = PersistentArray(a)
    tail, whole = x[1:], np.asarray(x)
    x[1] = x[0] * 3
    whole[0] *= 2
    return np.sum(tail * x[1:]) * x[1] + np.sum(whole * x)


@program({"a": signed(3, 2)})
def rows_of_a_loop_are_as_they_were_read(a):
    x = PersistentArray(a)
    first, second, *_ = x
    for i, row in enumerate(x):
        x[i] = row * second
    return np.sum(x**2) + np.sum(first * second)


@program({"a": signed(3, 2)})
def rows_kept_in_a_list(a):
    x = PersistentArray(a)
    kept = []
    for i in range(2):
        kept.append(x[i])
        x[i] = x[i + 1] * kept[0]
    return np.sum(kept[0] * kept[1]) + np.sum(x)


@program({"a": signed(3, 2)})
def rows_that_helpers_give(a):
    x = PersistentArray(a)
    first, second = _moved(x, 0), _moved(x, 1)
    return np.sum(first * second * x[0])


@program({"a": signed(3, 2)})
def rows_that_methods_give(a):
    f = _Field(a)
    first, second = f.scaled(0), f.scaled(2)
    return np.sum(first * second * f.x[2])


@program({"a": signed(3, 2)})
def parts_of_persistent_arrays_in_dicts(a):
    held = {"x": PersistentArray(a)}
    row = held["x"][0]
    held["x"][0] = row * 3
    before = held["x"].copy()
    held["x"][1] = held["x"][0] * before[1]
    return np.sum(row * held["x"][1]) + np.sum(before)


@program({"a": signed(4), "v": 1.5})
def places_in_lists_and_masks_with_a_version_kept(a, v):
    x = PersistentArray(a)
    old, seen = copy.copy(x), x[:2]
    x[[0, 2]] = x[1:3] * v
    x[np.asarray(x) > 0.5] = old[0]
    return np.sum(x * old) + np.sum(seen * x[2:])
