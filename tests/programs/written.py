"""Arrays that are written in place, and what is made of them afterwards."""

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"a": positive(3), "w": positive(3, 2)})
def divided_by_its_own_part(a, w):
    w /= 1.5 + w[:, ::-1] ** 2
    a[1] = w[0, 1]
    return np.sum(np.tanh(a)) + np.sum(np.cos(w))


@program({"a": positive(3), "w": positive(3, 2)})
def divided_by_its_own_row(a, w):
    w /= w[1]
    a[1] = w[0, 1]
    return a * w[2, 0]


@program({"m": positive(3, 3)})
def rows_behind_a_star(m):
    first, *rest = m
    rest[0][0] = first[1] * 2.0
    rest[1] *= first
    return np.sum(m * m)


class Held:
    def __init__(self, w):
        self.w = w


@program({"m": positive(3, 3)})
def rows_behind_a_star_of_an_object(m):
    held = Held(m)
    held.w[0, 1] *= m[2, 2]
    first, *_, last = held.w
    first *= 2.0
    last[0] = first[1]
    return np.sum(held.w**2)


@program({"m": positive(2, 2), "v": positive(2)})
def lists_behind_a_star(m, v):
    xs = [m, m * 2.0, v]
    a, *b = xs
    b[0] *= 2.0
    b.append(a)
    b[-1][0] = v
    return np.sum(xs[1] ** 2) + np.sum(m * m)


@program({"x": positive(3), "a": 1.3})
def repeated_list_whose_items_are_scaled(x, a):
    parts = [x * 1.0, x * 2.0]
    xs = parts * 2
    for i in range(3):
        xs[i] *= a
    ys = xs[1:]
    ys[0] += a
    return np.sum(parts[0] * xs[2] + parts[1] * xs[1])


@program({"x": positive(3), "y": positive(3)})
def other_names_of_functions_that_write(x, y):
    add, times, at = np.add, np.multiply, np.add.at
    o = np.zeros(3)
    add(x, y, o)
    times(o, x, out=o)
    at(o, [0, 0, 2], y)

    def step(k):
        times(o, k, o)

    step(y)
    return np.sum(o * o * x)


@program({"x": positive(3), "y": positive(3), "a": 1.3}, {"x": 0.7, "y": 1.2, "a": 0.6})
def name_of_an_imaginary_part(x, y, a):
    z = x + 1j * y
    im = z.imag
    im *= a
    return np.sum(z.real * z.imag**2 + im)


@program({"z": positive(2, 3) + 1j * positive(2, 3), "a": positive(2)})
def imaginary_parts_that_are_written(z, a):
    re, im = z.real, z.imag
    re[...] = im * a[0]
    for row in z.imag:
        row *= a[1]
        row[0] += row[1] ** 2
    tail = z.imag[:, 1:]
    tail -= a[0] * tail**2
    z *= a[1] * (1.0 + 1.0j)
    return np.sum(re * im**2) + tail[0, 0]


@program({"z": positive(3) + 1j * positive(3), "a": positive(2)})
def functions_that_write_into_imaginary_parts(z, a):
    im = z.imag
    np.add.at(im, [0, 0], a)
    np.multiply(im, a[0], out=im)
    np.put(im, [1], a[1] * z.real[0])
    np.maximum.at(im, [2], a[:1])
    np.copyto(z[2:].imag, a[1] * im[0])
    return np.sum(z.real * im**2)


@program({"a": positive(6), "v": 1.2})
def shape_before_there_are_other_names(a, v):
    b = a * v
    b.shape = (2, 3)
    c, d = b, np.asarray(b)
    c[0] *= v
    d += b.T[0, 1]
    return np.sum(b**2)


@program({"x": positive(3), "v": 0.7})
def methods_that_write_under_names(x, v):
    a = x * v
    sort = a.sort
    sort()
    back = a.fill
    b = a * x
    back(v * b[1])
    return np.sum(a * b)


@program({"a": np.array([0.5, 0.6]), "b": np.array([0.1, 0.2])})
def item_in_place_after_its_array_was(a, b):
    ys, zs = [a], {"b": b[:]}
    a *= 0.5
    b *= a
    ys[0] += 1.0
    zs["b"] *= ys[0]
    a[:] = a * b
    b[0] = 1.0
    return np.sum(ys[0] * 3.0) + np.sum(zs["b"] * a)


def _scale_first_row(a, v):
    rows = a.reshape(2, 3)
    rows[0] *= v[0]


@program({"x": positive(6)})
def rows_scaled_by_a_number_of_another_array(x):
    a = np.sin(x)
    b = a * x
    _scale_first_row(a, b)
    return np.sum(a * a * b)


@program({"x": positive(3)})
def array_of_arrays(x):
    held = np.empty((2, 2), object)
    held[0, 0], held[0, 1] = x, x * x
    held[1, 0] = np.sin(held[0, 1])
    held[1, 1] = x[0]
    s = 0.0
    for row in held:
        for v in row:
            s = s + np.sum(v * v)
    return s


@program({"x": positive(3)})
def array_of_number_objects(x):
    held = np.zeros(3, dtype=object)
    held += x
    held[1] *= x[0]
    for i in range(3):
        held[i] = held[i] * held[i - 1]
    return held[0] * held[1] + held[2]


@program({"a": signed(4), "u": positive(4)})
def indices_that_change(a, u):
    where = np.arange(4)
    for _ in range(3):
        a[where[:2]] *= u[:2]
        where[:] = where[np.array([2, 3, 1, 0])]
    return a


@program({"a": signed(4), "u": positive(4)})
def masks_that_change_under_another_name(a, u):
    mask = np.array([True, False, True, False])
    seen = mask[:]
    for k in range(3):
        a[seen] *= 2.0 * k + 2.0
        mask[k] = False
        a[seen] += u[0] * a[0]
    return a


@program({"a": signed(4), "u": positive(4)})
def lists_of_indices_that_change(a, u):
    where = [0, 1]
    for k in range(3):
        a[where] *= u[:2]
        where[0] = where[1]
        where[1] = (k + 2) % 4
    return a


def _scaled_at(a, where, u):
    a[where] *= u


@program({"a": signed(4), "u": positive(4)})
def indices_that_change_in_a_call(a, u):
    where = np.zeros((3, 2), dtype=int)
    where[:, 1] = 2
    row = where[0]
    for k in range(3):
        _scaled_at(a, row, u[:2])
        np.add.at(a, row, u[2:])
        row[0] += 1
        where[0, 1] = k
    return a


@program({"a": signed(4), "u": positive(4)})
def batches_in_random_order(a, u):
    rng = np.random.default_rng(0)
    where = np.arange(4)
    for _ in range(2):
        rng.shuffle(where)
        for start in range(0, 4, 2):
            batch = where[start : start + 2]
            a[batch] -= 0.1 * u[batch] * a[batch]
    return a


def _shaken(x, rng, noise):
    rng.standard_normal(out=noise)
    x += noise * x


@program({"a": signed(4), "u": positive(4)})
def noise_in_a_buffer(a, u):
    rng = np.random.default_rng(1)
    noise = np.empty_like(u)
    _shaken(a, rng, noise)
    _shaken(u, rng, noise)
    return a * u * noise


@program({"u": np.array([0.7, -1.3, 0.4]), "a": np.array([1.1, 0.6, -0.8])})
def places_shuffled_by_a_generator_without_a_name(u, a):
    where = np.array([0, 1, 1])
    np.add.at(a, where, u)
    np.random.default_rng(3).shuffle(where)
    a[where] *= u
    np.random.default_rng(1).shuffle(np.zeros(3))
    np.random.default_rng(2).shuffle(a[1:])
    return a * u


@program({"a": signed(4), "u": positive(4)})
def numbers_that_are_shuffled(a, u):
    np.random.seed(3)
    np.random.shuffle(a)
    a *= u
    names = ["first", "second", "third"]
    np.random.shuffle(names)
    return a[names.index("second")] * a


@program({"a": signed(4), "u": positive(4)})
def bytes_that_are_marked(a, u):
    seen = bytearray(4)
    for i in (0, 1, 1, 3, 0):
        a[seen[i]] *= u[i]
        seen[1:3] = b"\x02\x01"
        seen[i] = 3 - seen[i]
    return a


def _whole(m, x):
    m[:] = x


@program(
    {"x": 3.0 * signed(4), "m": np.arange(4), "n": [np.arange(4), np.arange(4)], "d": {"m": np.arange(4)}},
    wrt=("x",),
)
def numbers_stored_into_integers_that_are_given(x, m, n, d):
    for i in range(1, 4):
        m[i] = x[i] * 5.0
    _whole(n[0], x * 3.0)
    d["m"][1:] = x[1:] * 2.0
    return m * x, n[0] * x + n[1], d["m"] / 2.0 * x


@program({"x": positive(3, 3)})
def places_chained_and_unpacked(x):
    y = x * 1.0
    z = y[0] = y[1] * y[2]
    y[0, 0], (y[1, 0], y[2, 0]) = z[1], (y[0, 2], z[2])
    (y[1, 1], *rest) = y[2]
    y[2, 1:] = y[None, 0, ..., :2] * rest[0]
    return y


@program({"x": positive(3, 4)})
def rows_of_a_loop_and_sorted_places(x):
    y = x.copy()
    for row in y:
        row *= row[0]
    order = np.argsort(y, axis=1)
    np.put_along_axis(y, order[:, :2], x[:, 2:] ** 2, axis=1)
    y[order[:, 0] > 1] += y[:, :1].sum()
    y.T[[0, 0, 2]] = x[:, 0] * np.array([[1.0], [2.0], [3.0]])
    return y


@program({"x": positive(3, 3)})
def rows_of_one_more_axis_than_their_place(x):
    y = np.sin(x)
    for i in range(2):
        y[i] = x[i : i + 1] @ y
    np.multiply(x[:1], y[1, 1], out=y[None, 2])
    y[:] = (y * y)[None]
    return y
