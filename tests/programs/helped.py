"""Kernels in functions that a function calls: arrays made and filled in their loops, forms of them, rows of lists."""

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


def _squared_in_form(y):
    for _ in range(2):
        square = np.reshape(y, (2, 2))
        y[:] = np.reshape(square**2, 4)


@program({"x": signed(4)})
def forms_of_an_array_that_is_filled(x):
    y = x.copy()
    _squared_in_form(y)
    return y


def _turned(y):
    for _ in range(2):
        turned = np.reshape(y, (2, 2)).T
        y[:] = np.ravel(turned) * y


@program({"x": signed(4)})
def views_of_forms_of_an_array(x):
    y = x.copy()
    _turned(y)
    return y


def _wrapped(x, side):
    total = np.zeros(3)
    for k in range(2):
        d = x * (k + 1)
        d[d > side] -= side
        d[0] = d[1] ** 2
        total += d**2
    return total


@program({"x": np.array([0.3, 0.9, 1.7]), "side": 1.1})
def arrays_made_and_changed_in_a_loop(x, side):
    return _wrapped(x, side)


def _product(a, b):
    rows = []
    for i in range(2):
        row = []
        for j in range(2):
            total = 0.0
            for k in range(3):
                total += a[i, k] * b[k, j]
            row.append(total)
        rows.append(row)
    return rows


@program({"a": signed(2, 3), "b": signed(3, 2)})
def rows_of_sums(a, b):
    return np.array(_product(a, b))


@program({"x": signed(3)})
def sums_that_lists_hold(x):
    rows = []
    total = x * 1.0
    for _ in range(2):
        rows.append(total)
        total += x * x  # the rows are the same array, and change with it
    total = total * 2.0
    total += x
    return rows[0] * rows[1] + total


@program({"x": signed(3)})
def sums_held_where_a_loop_is_left(x):
    rows = []
    total = x * x
    while True:
        rows.append(total)
        if len(rows) > 1:
            break
        total = x * 3.0
    total += x
    return rows[0] * rows[1]


class Holder:
    def __init__(self):
        self.held = None


@program({"x": signed(3)})
def held_by_an_object_and_changed(x):
    holder = Holder()
    y = x * 2.0
    holder.held = y
    y += x
    y[0] = x[1] * x[2]
    return holder.held * x


def _fill(p, a):
    a[:] = p * p


def _drive(p, v, a, force, dt):
    for _ in range(2):
        force(p, a)
        v[:] += dt * a
        p[:] += dt * v


def _fill_through(a, p, f=_fill):
    _call(f, p, a=a)


def _call(f, p, a):
    f(p, a)


@program({"x": signed(3)})
def function_passed_that_fills_an_argument(x):
    p, v, a = x.copy(), x * 0.0, np.zeros(3)
    _drive(p, v, a, _fill, 0.1)
    b = np.zeros(3)
    _fill_through(b, p)
    p[:] = 1.0
    return v * p + b


def _add_to_all(x, *rest, **named):
    for r in rest:
        r += x * x
    named["last"][:] = x * rest[0]


@program({"x": signed(3)})
def arrays_among_others_that_are_filled(x):
    a, b, c = x * 0.0, x * 2.0, np.ones(3)
    _add_to_all(x, a, b, last=c)
    return a * b + c


def _relaxed(a, b):
    change = 0.0
    for i in range(1, len(a) - 1):
        b[i] = 0.5 * (a[i - 1] * a[i + 1])
        change += abs(b[i] - a[i])
    return change


@program({"x": signed(5)})
def writer_called_in_a_condition(x):
    a, b = x.copy(), x.copy()
    while _relaxed(a, b) > 0.1:
        a, b = b, a
    if _relaxed(b, a) > 0.01:
        a *= 2.0
    return a * b


def _stepped(p, a):
    for _ in range(2):
        _fill(p, a)
        p[:] += a


@program({"x": signed(3)})
def helper_of_a_helper_that_keeps_what_both_change(x):
    p, a = x.copy(), np.zeros(3)
    _stepped(p, a)
    return p


def _cubed(p, a):
    a[:] = p**3


@program({"x": signed(3), "w": signed(3)})
def same_expression_before_and_after_a_call_that_writes(x, w):
    p, v, a = x.copy(), w.copy(), np.zeros(3)
    for _ in range(2):
        v += 0.1 * a
        p += 0.1 * v
        _cubed(p, a)
        v += 0.1 * a
    return v


def _moved(w, g, rate):
    w -= rate * g


@program({"x": signed(3), "rate": 0.05}, orders=1)
def steps_that_read_what_another_helper_fills(x, rate):
    w, g = x.copy(), np.zeros(3)
    for _ in range(2):
        _cubed(w, g)
        _moved(w, g, rate)
    return np.sum(w * g)


def _lowered(w, step):
    w[:] -= step


def _moved_by_another(w, g, rate):
    step = rate * np.sin(g)
    _lowered(w, step)


@program({"x": signed(3), "rate": 0.05})
def steps_of_a_helper_that_calls_another(x, rate):
    w, g = x.copy(), np.zeros(3)
    for _ in range(2):
        _cubed(w, g)
        _moved_by_another(w, g, rate)
    return w


def _squares_behind_the_first(p):
    part = p[1:]
    return part * part


@program({"x": signed(3), "c": 0.3})
def parts_kept_by_a_helper_while_the_array_changes(x, c):
    p = x.copy()
    total = 0.0
    for _ in range(3):
        squares = _squares_behind_the_first(p)
        p[:2] *= squares * c
        total = total + squares.sum()
    return total * p


def square_of_a_row(p):
    row = p[0]
    return row * row


@program({"x": np.array([[0.7, 1.3], [0.4, 2.1]])})
def row_kept_by_a_helper_and_written(x):
    p, total = x.copy(), 0.0
    for _ in range(3):
        z = square_of_a_row(p)
        p[0] *= z * 0.3
        total = total + z.sum()
    return np.sum(total * p)


@program({"x": signed(4)})
def series_of_numpys_own_text(x):
    slopes = np.polynomial.polynomial.polyder(x)
    return np.sum(slopes**3) + np.sum(np.polynomial.chebyshev.chebder(x) ** 2)


def _scaled_sums(c, b):
    c[1:] -= c[:-1] * b[1:]
    np.multiply(c, b, out=c)
    return c


@program({"x": signed(4), "y": signed(4)})
def running_sums_that_a_function_writes_into(x, y):
    return _scaled_sums(np.cumsum(x), y) * _scaled_sums(np.convolve(x, y)[:4], x)


def _mirror_images_added(y, r):
    for k in range(1, 4):
        alpha = r[k] * y[0]
        y[:k] += alpha * np.flip(y[:k])


@program({"x": signed(4)})
def mirror_images_that_a_function_adds(x):
    y = x * x
    _mirror_images_added(y, x)
    return np.sum(y * x)


def _reflected(r):
    y = r * r
    for k in range(1, 3):
        alpha = r[k] * y[0]
        y[:k] += alpha * np.flip(y[:k])
    return y


@program({"x": signed(3)})
def mirror_images_in_a_result(x):
    return _reflected(x * 0.3)


def _counted_weights(a, weights):
    counts = np.zeros(2, dtype=a.dtype)
    for i in range(a.shape[0]):
        counts[i % 2] += weights[i]
    return counts


@program({"x": signed(3), "r": signed(3)})
def weights_and_how_many_there_are(x, r):
    return _counted_weights(r, x) / _counted_weights(r, np.ones_like(r))


def _at_more_places(a):
    places = [0, 1, 1]
    for p in places:
        a[p] *= 2.0
    places.append(2)
    for p in places:
        a[p] *= a[0]


@program({"a": np.array([0.7, -1.3, 0.4])})
def helper_that_walks_a_list_of_places_before_and_after_it_grows(a):
    _at_more_places(a)
    return a


def _of_more_values(a):
    values, total = [a[0] * 2.0, a[1]], 0.0
    for v in values:
        total = total + v * v
    values.append(total)
    for v in values:
        total = total + v * v * v
    return total


@program({"a": np.array([0.7, -1.3, 0.4])})
def helper_that_walks_a_list_of_values_before_and_after_it_grows(a):
    return _of_more_values(a) * _of_more_values(0.5 * a)


def _at_places_so_far(a):
    places = []
    for j in range(3):
        for p in places:
            a[p] = np.sin(a[p]) * a[2]
        places.append(j)


@program({"a": np.array([0.7, -1.3, 0.4])})
def helper_that_walks_a_list_in_each_round_in_which_it_grows(a):
    _at_places_so_far(a)
    return a


def _moved_or_shown(z, n):
    if n < 9:
        return z[0] + 1.5
    return z[0]


def _moved_or_whole(z, n):
    return _moved_or_itself(z, n)


def _moved_or_itself(z, n):
    if n < 9:
        z = z + 1.5
    return z


@program({"m": positive(2, 3), "v": positive(3), "n": 2}, {"m": positive(2, 3), "v": positive(3), "n": 9})
def row_that_a_helper_shows_or_makes(m, v, n):
    m = m * 1.0
    b = _moved_or_shown(m[::-1], n)
    for _ in range(2):
        b[:] = np.sin(v) * b
    return np.sum(b * b) + np.sum(m * m)


@program({"m": positive(2, 3), "v": positive(3), "n": 2}, {"m": positive(2, 3), "v": positive(3), "n": 9})
def array_that_a_helper_gives_back_or_makes(m, v, n):
    m = m * 1.0
    b = _moved_or_whole(m, n)
    b[0] *= np.sin(v)
    return np.sum(b * b) + np.sum(m * m)


def _both(z):
    return z, z + 1.5


@program({"m": positive(2, 3), "v": positive(3)})
def array_that_a_helper_gives_back_beside_a_new_one(m, v):
    m = m * 1.0
    same, new = _both(m)
    new[0] *= np.sin(v)
    same[1] += v * new[1]
    return np.sum(new * new) + np.sum(m * m)


@program({"m": positive(2, 3), "v": positive(3)})
def arrays_that_a_helper_makes_two_at_a_time(m, v):
    low, high = _low_and_high(m)
    low[0] *= np.sin(v)
    high[1] = low[0] * high[0]
    return np.sum(low * high * m)


def _low_and_high(z):
    return z - 0.5, z + 0.5


@program({"m": positive(2, 3), "v": positive(3)})
def new_array_and_a_view_of_it_from_a_helper(m, v):
    m = m * 2.0
    y, row = _moved_with_row(m)
    y[0] *= np.sin(v)
    row *= v
    m[0] += row
    return np.sum(y * y) + np.sum(m * m)


def _moved_with_row(z):
    y = z + 1.5
    return y, y[0]


@program({"m": positive(2, 3), "v": positive(3), "n": 1}, {"m": positive(2, 3), "v": positive(3), "n": 5})
def new_one_and_the_old_one_in_either_order(m, v, n):
    m = m * 2.0
    a, b = _in_either_order(m, n)
    a[0] *= np.sin(v)
    b[1] += v * a[0]
    return np.sum(a * a) + np.sum(m * m * b)


def _in_either_order(z, n):
    return (z, z + 1.0) if n < 3 else (z + 1.0, z)


@program({"m": positive(2, 3), "v": positive(3), "n": 1}, {"m": positive(2, 3), "v": positive(3), "n": 5})
def array_of_one_argument_or_new_from_the_other(m, v, n):
    m = m * 2.0
    w = m + 0.0
    y = _first_or_moved(m, w, n)
    y[0] *= np.sin(v)
    return np.sum(y * y) + np.sum(m * m) + np.sum(w**3)


def _first_or_moved(z, w, n):
    return z if n < 3 else w + 1.5


@program({"m": positive(2, 3), "v": positive(3)})
def new_and_old_ones_deep_in_what_a_helper_gives(m, v):
    m = m * 2.0
    (a, pair), rows = _deep(m)
    a[0] *= np.sin(v)
    pair[1][1] += v * a[0]
    pair[0][0] -= v
    rows["first"] *= v
    return np.sum(a * a) + np.sum(m * m) + np.sum(pair[1] ** 2)


def _deep(z):
    return (z + 0.5, [z, z - 1.0]), {"first": z[0]}


@program({"m": positive(2, 3), "v": positive(3)})
def new_ones_beside_the_old_one_in_a_loop(m, v):
    m = m * 2.0
    s = 0.0
    for _ in range(3):
        a, b = _both(m[::-1])
        a[0] *= np.sin(v)
        b[1] += v * a[0]
        s = s + np.sum(b)
    return s + np.sum(m * m)


@program({"m": positive(2, 3), "v": positive(3), "n": 2}, {"m": positive(2, 3), "v": positive(3), "n": 9})
def name_bound_anew_to_what_a_helper_gives_of_it(m, v, n):
    m = m * 2.0
    whole = m
    for _ in range(2):
        m = _moved_or_itself(m, n)
        m[0] *= v
    return np.sum(m * m) + np.sum(whole * whole * whole)
