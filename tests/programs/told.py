"""Functions of NumPy that are told where results go: `at` of any function, several results, parts of numbers, integers."""

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"a": positive(4), "v": 1.3})
def any_function_at_places(a, v):
    np.hypot.at(a, [0, 2, 0], v * a[1])
    np.power.at(a, ([3, 3],), np.array([2.0, v]))
    np.sin.at(a, 1)
    np.exp.at(a, slice(2, None))
    np.cos.at(a, np.array([], int))
    return np.sum(a * np.arange(1.0, 5.0))


@program({"m": positive(2, 3)})
def function_at_places_of_a_matrix(m):
    for i in range(2):
        np.hypot.at(m, ([0, 1, 0], [i, 1, i]), m[i, :1])
        np.square.at(m, (slice(None), 2))
    return np.sum(m * m)


@program({"x": positive(3)})
def two_results_are_told_where(x):
    whole, part, rest = np.empty(3), np.empty(3), np.empty(3)
    np.divmod(x * 2.3, 0.37, out=(whole, part))
    np.modf(x * 1.7, rest[::-1], None)
    q, r = np.divmod(x, 0.41, out=(None, x))
    return np.sum(whole * x) + np.sum(part * rest * r)


@program({"m": positive(2, 3), "v": 1.3})
def all_elements_in_their_order(m, v):
    m.T.flat = m.ravel() * v
    m[:, 1:].flat = m[0, :2] * m[1, :2]
    return np.sum(m * np.arange(6.0).reshape(2, 3))


@program({"x": signed(3), "v": 1.3})
def parts_of_complex_numbers_in_places(x, v):
    z = np.zeros((2, 3), complex)
    z[0] = x
    z[1].imag[...] = x[::-1] * v
    z.real[1, ::2] = x[:2] ** 2
    z[0].imag = x * v
    return np.sum(np.abs(z) ** 2 * x)


@program({"a": positive(4), "v": 1.3})
def chosen_for_their_effects(a, v):
    b = np.zeros(4)
    for i in range(3):
        np.multiply(a, v, out=b) if i % 2 else np.copyto(b, a**2)
        i > 1 and np.add(a, b, out=a)
        i == 1 or a.fill(a[0] * v)
    return np.sum(a * b)


@program({"a": np.array([0.71, 1.31, 0.41, -0.61]), "v": 1.3})
def integers_among_floats(a, v):
    k = np.zeros(4, int)
    b = np.zeros(4)
    k[:] = a * 3
    b[k] = a * v
    k += 1
    b += k
    b[:2] -= k[2:]
    c = k + a * v
    np.add.at(b, [0, 0, 1], k[:3])
    return np.sum(b * a * c)


def _assign_parts(z, x):
    z.imag = x * x
    z.real[0] = x[1]
    z[1:].flat = x[:2] * z[0]


@program({"x": positive(3), "v": 1.3})
def parts_assigned_by_a_helper(x, v):
    z = x * (1.0 + 0.5j)
    _assign_parts(z, x * v)
    return np.sum(np.abs(z) ** 2)
