"""Copies of lists and dicts hold the same arrays as these: what is written into them is seen by both."""

import copy

import numpy as np

from programs.registry import program
from programs.samples import positive


@program({"a": positive(3), "v": 1.3})
def copied_list_of_one_array(a, v):
    s = [a, a]
    w = s.copy()
    w[0] = w[0] * 2.0
    w[1][1] = v
    return np.sum(a**2) + np.sum(w[0] * s[0])


@program({"a": positive(3), "v": 1.3})
def copied_dict_of_one_array(a, v):
    d = {"k": a}
    w = d.copy()
    w["k"][1] = v
    w["k"] = w["k"] * 2.0
    return np.sum(a**2) + np.sum(w["k"] * d["k"])


@program({"a": positive(3), "v": 1.3})
def lists_copied_in_turn(a, v):
    s = [a, a * 2.0]
    for i in range(2):
        w = s.copy()
        w[i][1] = v
        w[0] = w[1] * 2.0
        s = w
    t = copy.copy(s)
    t[1][0] = v
    return np.sum(s[0] * s[1]) + np.sum(a**2)


@program({"x": positive(3), "v": 1.3})
def copied_list_of_lists(x, v):
    s = [[x[0], v], [x[1], x[2]]]
    w = s.copy()
    w[0][1] = x[0] * v
    w[1] = [v, v]
    return s[0][1] * s[1][0] + w[1][0]


@program({"t": [positive(3), positive(3) * 2.0], "v": 1.3})
def given_list_that_is_copied(t, v):
    w = t.copy()
    w[0][1] = v
    w[1] = w[0] * 2.0
    return np.sum(t[0] ** 2) + np.sum(w[1] * t[1])


@program({"t": [positive(3), positive(3) * 2.0], "v": 1.3})
def given_list_of_which_all_is_taken(t, v):
    w = t[:]
    w[0][1] = v
    w[1] = w[0] * 2.0
    return np.sum(t[0] ** 2) + np.sum(w[1] * t[1])
