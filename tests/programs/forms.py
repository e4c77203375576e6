"""Calls in other forms: methods that have names of their own, stars, functions under other names, lists in tuples."""

import functools
from numpy import sort as in_order
from numpy.linalg import norm as length

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"x": positive(2, 3)})
def methods_of_arrays_by_name(x):
    total, largest, pick = x.sum, x.max, x.item
    return total() * largest() + pick(2) * pick(1, 1) + np.sum(total(axis=0) * total(0))


@program({"x": positive(2, 3)})
def methods_of_arrays_in_a_list(x):
    s = 0.0
    for measure in [x.sum, x.max, x.mean, x.std]:
        s = s + measure() ** 2
    return s


@program({"x": positive(2, 3)})
def partials_of_methods(x):
    columns = functools.partial(x.sum, axis=0)
    turned = functools.partial(x.reshape, order="F")
    return np.sum(columns() ** 2) + np.sum(turned((6,)) * np.arange(6.0))


@program({"x": positive(2, 3)})
def methods_given_what_a_dict_holds(x):
    options = {"axis": 1, "keepdims": True}
    where = (1, 2)
    return np.sum(x.mean(**options) * x) * x.item(*where) + np.sum(x.transpose(*(1, 0))[0] ** 2)


@program({"x": positive(2, 3)})
def unbound_methods_of_what_a_tuple_holds(x):
    given = (x, 3, 2)
    return np.sum(np.ndarray.reshape(*given)[0] ** 2)


@program({"x": 0.7, "y": 1.6})
def one_sequence_behind_a_star(x, y):
    xs = [x * y, y, 2.0 * x]
    given = (xs,)
    return max(*given) * min(*xs)


@program({"x": positive(2, 3)})
def names_of_norms_in_tuples(x):
    s = 0.0
    for order in ("fro", "nuc", 1):
        given = (x, order)
        s = s + np.linalg.norm(*given) ** 2
    return s


@program({"x": 0.3, "y": 1.4})
def lists_for_functions_under_other_names(x, y):
    return length([x, y, x * y]) * in_order([y, x])[0]


@program({"x": signed(2)})
def lists_in_tuples(x):
    given = ((x, [1.0, 2.0]),)
    square = lambda *a: np.square(*a)
    return np.sum(np.square(*given)) + np.sum(square((x, [x[1], 2.0])) * x)
