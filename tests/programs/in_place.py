"""Writes in place in corners: half-way through a `try`, by callees given numbers or tuples, through broadcast views."""

import functools

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"x": positive(4)})
def store_that_fails_is_not_done(x):
    a = x * 1.0
    try:
        a[0] = x[1] ** 2
        a[10] = x[2]
    except IndexError:
        a[1] = x[3] * a[0]
    return a * a


@program({"x": positive(4)})
def stores_in_attempts_in_a_loop(x):
    a = x * 1.0
    for k in range(6):
        try:
            a[k] = a[k] * x[1] ** 2
            a[k + 1] *= x[2]
            a[k + 2] += a[k]
        except IndexError:
            a[0] += x[3] * a[1]
    return a


@program({"x": positive(4)})
def attempt_writes_by_another_name(x):
    a = x * 1.0
    b = a
    try:
        b += x[1]
        b[9]
    except IndexError:
        pass
    return a * a


@program({"x": positive(4)})
def attempt_with_out(x):
    a = x * 1.0
    try:
        np.multiply(a, x, out=a)
        np.add(a, np.ones(3), out=a)
    except ValueError:
        a[0] *= x[1]
    return a


@program({"x": positive(4)})
def loop_of_stores_inside_an_attempt(x):
    a = x * 1.0
    try:
        for k in range(6):
            a[k] = a[k] * x[0]
    except IndexError:
        a[1] *= x[1]
    return a


def scaled(v, k):
    v *= k
    return v


@program({"x": positive(4)}, orders=1)
def callee_scales_a_number(x):
    s = x[0] * x[1]
    r = scaled(s, x[2])
    return r * s


@program({"x": positive(4)}, orders=1)
def callee_scales_a_number_and_an_array(x):
    a = x * 1.0
    s = x[0] * x[1]
    r = scaled(s, x[2])
    q = scaled(a, x[3])
    return r * s + a * q


def swapped_sums(a, b, n):
    for _ in range(n):
        a += b
        a, b = b, a
    return a


@program({"x": positive(4), "n": 3}, {"x": positive(4), "n": 2}, {"x": positive(4), "n": 0}, orders=1)
def callee_swaps_its_arguments(x, n):
    s = x * x
    t = x + 1.0
    return swapped_sums(s, t, n) * s * t


def scaled_pair(p, k):
    a, b = p
    a *= k
    b += a
    return a, b


@program({"x": positive(4)}, orders=1)
def callee_writes_into_a_tuple(x):
    a = x * x
    b = x + 1.0
    u, v = scaled_pair((a, b), x[2])
    return a * u + v * b


@program({"x": positive(4)})
def broadcast_view_of_a_written_array(x):
    a = x * 1.0
    b = np.broadcast_to(a, (2, 4))
    a[0] = 5 * x[1]
    return b * x


@program({"x": positive(4)})
def broadcast_views_in_a_loop(x):
    a = x * 1.0
    s = 0.0
    for k in range(3):
        b = np.broadcast_to(a, (3, 4))
        a[k] = a[k + 1] * x[k]
        s += np.sum(b * np.arange(12.0).reshape(3, 4)) + b[1, 2] * b[2, 2]
    return s


@program({"x": positive(4)})
def windows_of_a_written_array(x):
    a = x * 1.0
    w = np.lib.stride_tricks.sliding_window_view(a, 2)
    a[1] = x[0] ** 2
    return w**2 * np.arange(6.0).reshape(3, 2)


@program({"x": positive(4)})
def broadcast_arrays_of_written_arrays(x):
    a = x * 1.0
    b = np.outer(x, x)
    u, v = np.broadcast_arrays(a, b)
    a[1] *= x[2]
    b[0] += a
    return u * v


@program({"x": positive(4)})
def greatest_at_repeated_indices(x):
    b = np.zeros(3)
    np.maximum.at(b, [0, 1, 1, 2], x * x)
    np.minimum.at(b, [0, 0], x[:2])
    return b * b


@program({"x": positive(4)})
def partition_in_place(x):
    b = x * x
    b.partition(2)
    return b[2] * b[:2].sum()


@program({"x": positive(4)})
def shape_assigned(x):
    b = x * x
    b.shape = (2, 2)
    b[0] *= 2
    return b[:, 0] * b[:, 1]


@program({"x": positive(4)})
def shape_assigned_after_a_pair(x):
    b, c = np.multiply(x, x), x[::-1].copy()
    np.add(b, c, out=b)
    b.shape = c.shape = 2, 2
    return b @ c


@program({"x": positive(4)})
def real_and_imaginary_parts_stored(x):
    z = np.zeros(4, complex)
    z.real[:] = x
    z.imag[1:] = x[:-1] ** 2
    z *= 1j
    z.real += x
    z.imag[0] *= x[1]
    return np.abs(z) ** 2


@program({"x": positive(4)})
def real_parts_by_a_name(x):
    z = x * (1.0 + 2.0j)
    re = z.real
    re *= x
    re[1:] += re[:-1].copy() / x[0]
    w = z * z
    re[0] = w.imag[1]
    return np.abs(z) ** 2 + w.imag * re


@program({"x": positive(4)})
def real_parts_read_between_writes(x):
    y = x * (1.0 + 1.0j)
    for _ in range(2):
        y = y.real * x + y
        y[0] *= y[1]
        y.imag[1:] *= y.real[:-1]
    return np.abs(y) ** 2


def less_their_squares(a, b):
    a[:] = b * b - a


@program({"x": positive(4)})
def real_parts_filled_by_a_function(x):
    z = x * (1.0 + 2.0j)
    less_their_squares(z.real, x)
    less_their_squares(z[::2].real, z.real[1::2])
    return np.abs(z) ** 2


def damped(p, h):
    p = p.copy()
    for _ in range(2):
        p -= 0.1 * h * p
        p /= np.sqrt(p @ p)
    return p


@program({"x": positive(4)})
def result_of_a_loop_written_into(x):
    y = damped(x * x, x)
    y[1] = 2.0
    y *= np.exp(x)
    return y


@program({"x": positive(4)})
def store_by_its_method(x):
    a = x * 1.0
    a.__setitem__(0, x[1] ** 2)
    return a * a


@program({"x": positive(2, 2)})
def flat_in_place(x):
    a = x * x
    a.flat[1] = x[1, 1]
    a.flat[2:4] *= x[0]
    return a * a


@program({"x": positive(4)})
def einsum_view_written(x):
    a = np.outer(x, x)
    d = np.einsum("ii->i", a)
    d *= 2
    return a * a


@program({"x": positive(4)})
def dict_updated_by_keyword(x):
    d = {"a": x[0]}
    d.update(c=x[3] ** 2)
    d["a"] *= x[1]
    return sum(d.values())


@program({"x": signed(4)})
def rows_of_a_list_written(x):
    rows = [np.zeros(4) for _ in range(2)]
    for i in range(2):
        rows[i][i] = x[i] * x[i + 1]
        rows[i] += x
    return sum(np.sum(a**2) for a in rows)


@program({"x": signed(2)})
def item_of_an_array_without_axes(x):
    s = np.zeros(())
    s[...] = x[0]
    t = s[()]
    s[...] = x[1]
    return s * t


@program({"x": positive(4)})
def cast_that_may_be_the_array_itself(x):
    a = x * 1.0
    b = a.astype(float, copy=False)
    b[0] = x[3] * 2
    c = a.astype(float)
    c[1] = 0.0
    return a * c


def squared_into(x, out=None):
    if out is None:
        out = np.empty_like(x)
    np.multiply(x, x, out=out)
    return out


@program({"x": positive(4)}, orders=1)
def optional_buffer(x):
    a = squared_into(x)
    b = np.zeros(4)
    c = squared_into(a, out=b)
    squared_into(b, b)
    return a * b * c


@program({"x": positive(4)})
def sum_kept_while_the_array_changes(x):
    a = x.copy()
    t = a + 1
    u = 2.0 - a
    a[0] = 5 * x[1]
    a[1:] *= 2
    return t * a * u


@program({"x": positive(4)})
def sum_kept_in_a_loop_of_stores(x):
    a = x * x
    s = 0.0
    for i in range(3):
        t = a + i
        a[i] = t[i + 1] * x[i]
        s = s + np.sum(t)
    return s


def shifted(a):
    return a + 1.0


@program({"x": positive(4)})
def result_of_a_call_kept_while_the_array_changes(x):
    a = x * x
    t = shifted(a)
    v = a[1:]
    w = v - 1.0
    a *= x
    a[2] = 0.0
    return t[1:] * a[1:] * w


@program({"x": positive(4)})
def result_of_a_shift_is_written(x):
    y = shifted(x)
    y[0] *= 0.5
    y[1] = x[0]
    return y * x[0]


def doubled(a):
    t = a + 1
    a *= 2
    return t * a


@program({"x": positive(4)}, orders=1)
def callee_keeps_a_sum(x):
    return doubled(x * x)


def divided_and_scaled(a, b):
    a /= b + 1
    b *= a


@program({"x": positive(4)}, orders=1)
def callee_divides_in_a_loop(x):
    u = x * x
    divided_and_scaled(u, u)
    for _ in range(2):
        divided_and_scaled(u[:2], u[2:])
    return u * u


def filled_with_squares(a, v):
    for i in range(len(a)):
        a[i] = v[i] ** 2


def filled_by_recursion(a, v, n):
    if n == 0:
        filled_with_squares(a, v)
    else:
        filled_by_recursion(a, v, n - 1)
        a *= v


@program({"x": positive(4), "n": 2}, {"x": positive(4), "n": 0})
def recursion_that_scales(x, n):
    b = np.zeros(4)
    filled_by_recursion(b, x, n)
    return b


@program({"x": positive(4)})
def rows_filled(x):
    b = np.outer(x, x)
    b[1].fill(x[2])
    b[:, 0].fill(1.0)
    return b * b


def added_to(v, total):
    total += v
    return None, total


@program({"x": positive(4)}, orders=1)
def total_returned_in_a_tuple(x):
    total = np.zeros(4)
    keep = total
    for _ in range(2):
        _, total = added_to(x, total)
    return total * keep


@program({"x": positive(4)})
def array_twice_in_a_list(x):
    m = x * 1.0
    xs = [0.5, m]
    xs.insert(0, m)
    xs[0][...] = xs[-1] ** 2
    return xs[0] + xs[2]


def scaled_in_a_dict(a):
    ys = {"w": a, "b": np.sin(a)}
    ys["w"] /= 1.5


@program({"x": positive(4)}, orders=1)
def callee_writes_by_a_dict_of_its_own(x):
    b = x * x
    scaled_in_a_dict(b[::2])
    return np.tanh(b) * x


def decayed(m):
    return np.exp(-m)


def applied_and_scaled(h, w):
    y = h(w)
    y[1] *= 2.0
    return y


@program({"x": positive(4)}, orders=1)
def result_of_a_function_that_is_given(x):
    return applied_and_scaled(decayed, x)


def set_to_one(a, g):
    a[None] = 1.0


@program({"x": positive(4)})
def list_of_overlapping_views(x):
    m = x * x
    v = x * 1.0
    set_to_one(m, v[:])
    views = {"w": v[::-1], "b": m[2]}
    both = [views["w"], views["w"][:]]
    both.append(np.exp)
    return -both[0] * x


@program({"x": positive(4)})
def rows_and_columns_are_swapped(x):
    a = np.outer(x, x)
    a[0], a[1] = a[1].copy(), a[0].copy()
    a[:, [0, 2]] = a[:, [2, 0]]
    return np.sum(a * np.arange(16.0).reshape(4, 4))


@program({"x": positive(4)})
def item_that_get_finds_is_written(x):
    d = {"a": x * 1.0}
    d.get("a")[0] = x[1] ** 2
    d.get("b", d["a"])[1] *= x[2]
    return d["a"] * x


@program({"x": positive(4)}, orders=1)
def lambda_that_writes(x):
    a = np.zeros(4)
    put = lambda i, v: np.add.at(a, [i, i], v)  # noqa: E731
    scale = lambda k: scaled_in_a_dict(a[:k])  # noqa: E731
    for i in range(4):
        put(i, x[i] ** 2)
        scale(i)
    return a * x


@program({"x": positive(4)})
def sections_that_are_written(x):
    a = x * 1.0
    parts = np.split(a, [1, 1, 3])
    parts[2][...] = np.tanh(x).mean()
    return a * a * x


def square_at(a, i, v):
    a[i] = v * v


@program({"x": positive(4)})
def partial_application_that_writes(x):
    a = np.zeros(4)
    put = functools.partial(square_at, a)
    scaled = functools.partial(square_at, v=x[0] * x[1])
    for i in range(2):
        put(i, x[i])
        scaled(a, i + 2)
    return a * x


@program({"x": positive(4)})
def table_in_a_list(x):
    best = [0.0] * 5
    for k in range(4):
        for c in range(4, k, -1):
            best[c] = np.logaddexp(best[c], best[c - 1] + x[k])
    best[0] += x[0] * best[4]
    return best[0] * best[3]


@program({"x": positive(4)})
def rows_of_a_table_that_are_copied(x):
    row = [0.0] * 4
    for i in range(3):
        new = row[:]
        new[0] = x[i] * 2
        for j in range(1, 4):
            new[j] = row[j - 1] * x[i] + new[j] * 0.5
        row = new
    return row[3] * row[2]


def mirrored_in_place(r):
    y = r * 2.0
    y[:1] += r[1] * np.flip(y[:1])
    return y


@program({"x": positive(4)}, orders=1)
def view_of_a_view_in_a_helper(x):
    return mirrored_in_place(x) * x


def with_its_reverse(r):
    y = r * 2.0
    back = y[::-1]
    y[0] *= r[1]
    return y, back


@program({"x": positive(4)}, orders=1)
def two_results_that_overlap(x):
    y, back = with_its_reverse(x)
    keep = back + 1.0
    back[1:3] *= y[:2]
    return y * keep * x


def transform_of_halves(a):
    n = len(a)
    if n == 1:
        return a
    e = transform_of_halves(a[::2])
    o = transform_of_halves(a[1::2])
    out = np.zeros(n, dtype=complex)
    for k in range(n // 2):
        w = np.exp(-2j * np.pi * k / n) * o[k]
        out[k] = e[k] + w
        out[k + n // 2] = e[k] - w
    return out


@program({"x": signed(4)})
def fourier_by_recursion(x):
    y = transform_of_halves(x.astype(complex))
    return np.sum(np.abs(y) ** 2 * np.arange(1.0, 5.0))


@program({"x": positive(3, 4)})
def rows_in_a_list_are_views(x):
    a = x * 1.0
    rows = [r for r in a]
    rows[0] *= rows[1]
    for k in range(3):
        rows[k] /= rows[k - 1].sum()
    rows[1] **= 2
    return a * a


@program({"x": positive(3, 4)})
def appended_rows_are_views(x):
    a = x * 1.0
    rows = []
    for r in a:
        rows.append(r)
    rows[0] += added_up(rows[1])
    return a * a


def added_up(v):
    return np.sum(v) ** 2


@program({"x": positive(4)})
def pairs_that_are_counted_see_what_the_loop_wrote(x):
    a = x * 1.0
    for i, (u, v) in enumerate(zip(a[:-1], a[1:])):
        a[i + 1] = u * v + a[i]
    for (i, u), v in zip(enumerate(a), a[::-1]):
        a[-1 - i] = u * v + i
    return a


@program({"x": positive(4)})
def numbers_and_rows_raised_to_powers(x):
    s = x[0]
    s **= 2
    s += x[1]
    a = np.outer(x, x)
    row = a[1]
    row **= 2
    row %= 0.7
    for i in range(3):
        s **= 1.1
        s += x[i]
    return np.sum(a * a) * s * x[0]


def raised(v):
    v **= 2
    return v


@program({"x": positive(4)})
def helper_that_raises_numbers_and_arrays(x):
    return raised(x[0]) * x[0] + np.sum(raised(x * 1.0) * x)


@program({"x": positive(4)})
def arrays_without_axes_under_two_names(x):
    a, c, d = np.zeros(()), np.zeros_like(x[0]), np.ones_like(x.sum())
    b, e, f = a, c, d
    b += x[2]
    a *= b
    e += x[1]
    c *= e
    f *= x[2]
    d *= f
    return a + c + d * x


@program({"x": signed(4)})
def random_numbers_written_over(x):
    rng = np.random.RandomState(0)
    p = rng.randn(4)
    p[:] = p[::-1] * x
    for _ in range(2):
        g = rng.standard_normal(4)
        g *= x
        g[0] = p[1]
        p += g * g
    return p


@program({"x": signed(4)})
def element_written_behind_an_ellipsis(x):
    a = x * x
    a[..., 1] = 2.0 * a[0]
    a[..., 2] *= a[..., 1]
    return a


def _noise(rng, n):
    return rng.standard_normal(n)


def _shaken(z, rng):
    p = rng.normal(size=4)
    p[:] = p[::-1] * z
    return p


@program({"x": 0.7})
def random_numbers_of_a_generator_that_is_given(x):
    rng = np.random.default_rng(3)
    y = _noise(rng, 4)
    y *= x
    return np.sum(_shaken(x, rng) * y**2)


@program({"x": positive(3)})
def integers_of_the_same_storage(x):
    i = np.array([0, 1, 2])
    j = i.astype(int, copy=False)
    j[0] = 2
    y = np.sum(x[i] ** 2)
    j[1] = 2
    return y + np.sum(x[i] ** 3)


@program({"a": positive(3), "b": positive(3)})
def methods_that_are_told_where(a, b):
    c = np.zeros(3)
    mean = np.zeros(1)
    a.cumsum(out=c)
    a.clip(0.5, 1.0, out=a)
    (a * b).cumsum(out=b)
    a.mean(keepdims=True, out=mean)
    return np.sum(c * b) * mean[0]


@program({"x": positive(3)})
def scaled_back_under_another_name(x):
    a = x.copy()
    b = a
    b *= 2.0
    s = np.sum(a**2)
    b /= 2.0
    return s + np.sum(a**2) * np.sum(a**3)


@program({"a": positive(3, 3), "b": positive(3)})
def told_where_by_position(a, b):
    c = np.zeros((3, 3))
    rows = np.zeros(3)
    np.dot(a, a, c)
    np.sum(c, 0, None, rows)
    np.clip(b, 0.8, 1.4, b)
    np.cumsum(rows, 0, None, rows)
    np.add.reduce(c * c, 1, None, a[0])
    np.multiply.accumulate(b, 0, None, b)
    return np.sum(a * rows) * np.sum(b)


@program({"a": positive(4), "b": positive(4)})
def filled_by_names_of_arguments(a, b):
    np.copyto(src=b[:2] * 2.0, dst=a[::2])
    np.copyto(a, b * a, "same_kind", b > 1.0)
    np.put(v=a[:2] * b[0], a=b, ind=[0, 3])
    np.putmask(a, values=b * 2.0, mask=[True, False, False, True])
    np.place(arr=b, mask=[False, True, True, False], vals=a[:1])
    a.put(indices=[1], values=b[2] * a[1])
    np.ndarray.fill(a[2:3], b[1] * b[2])
    np.ndarray.sort(b)
    return np.sum(a * b * np.arange(4.0))


@program({"x": positive(3)})
def numbers_put_in_place_of_nan(x):
    a = x * 2.0
    held = [a, [a]]
    held[1][0] = a
    a[1] = np.nan
    np.nan_to_num(a, copy=False, nan=0.5)
    held[0][0] *= x[1]
    b = np.nan_to_num(x, False)
    b[2] = np.inf
    np.nan_to_num(x, None, 0.0, 3.0)
    return np.sum(a * a) + np.sum(held[1][0] * x)


def _exponentials(x, out=None):
    return np.exp(x, out=out)


def _scaled(x, factor, *, out=None):
    np.multiply(x, factor, out)
    return np.multiply(x, factor, out=out)


@program({"x": positive(3)})
def written_into_what_may_be_none(x):
    buffer = np.zeros(3)
    y = _exponentials(x) * _exponentials(x[::-1], buffer)
    z = _scaled(buffer, x[0], out=buffer)
    z[1] = x[2]
    return np.sum(y * buffer) + np.sum(_scaled(x, 2.0) * x)


@program({"a": positive(3), "b": positive(3), "n": 0}, {"a": positive(3), "b": positive(3), "n": 2})
def steady_values_of_a_loop_that_may_not_run(a, b, n):
    s = a[0]
    u = np.zeros(3)
    u.fill(s * s)
    for _ in range(n):
        np.tanh(b, out=a)
        u = u * a
    return s + np.sum(u)


@program({"x": positive(3, 4)})
def rows_of_an_array_in_a_copied_list(x):
    a = x * 1.0
    rows = []
    for r in a:
        rows.append(r)
    rows = [*rows]
    rows[0] += added_up(rows[1])
    return np.sum(a * a)


@program({"u": positive(6), "k": positive()})
def sums_in_place_of_steady_fractions(u, k):
    w = u.copy()
    lap = np.zeros_like(w)
    other = w[1:-1]
    for _ in range(3):
        lap[1:-1] = (w[2:] - 2 * w[1:-1] + w[:-2]) / 0.9 ** 2
        w += k * lap / (k + 1.0) ** 2
        other *= k
        w[0] = w[-1] = 0.0
    return w * other[0]


@program({"u": positive(6), "k": positive()})
def added_arrays_that_change_at_once_under_another_name(u, k):
    a = u * k
    b = a[::-1]
    for _ in range(2):
        c = np.sin(a)
        a += 0.1 * c * k
        b += 0.1 * a * k
        b[1:] -= 0.1 * k * a[1:] * c[1:]
    return a * b


def _last_row_twice(a):
    for i in range(2):
        a[-1] = np.arctan(a[i])
    v = a.copy()
    v[...] = 2.0


@program({"w": positive(3, 3)})
def copy_that_is_filled_and_dropped(w):
    _last_row_twice(w)
    return w


@program({"w": positive(4, 4)})
def column_beside_a_difference_into_its_array(w):
    w[1:][:, 0] = np.tanh(w[0, :-1])
    np.subtract(w[::-1] * w[::-1], 1.0 / ((w[::-1] * 1) ** 2 + 1.0), w)
    return w[:, 0]


class Rows:
    def __init__(self, w):
        self.w = w


def _added_in_halves(a):
    if len(a) < 2:
        return
    a[1:] += np.sin(a[:-1])
    _added_in_halves(a[::2])


def _last_rows(m):
    _added_in_halves(m[-1])
    o = Rows(m[0])
    o.w[:] = np.sin(m[-1])
    return np.sin(m[0, -1])


@program({"m": signed(2, 5)})
def rows_that_a_recursive_helper_fills(m):
    s = _last_rows(m[::-1])
    return 0.5 * np.full((2, 3), s)[-1]


def _swept(d, w):
    n = len(d)
    c = np.zeros(n)
    c[0] = w[0] / 4.0
    d[0] = d[0] / 4.0
    for i in range(1, n):
        s = 4.0 - w[i] * c[i - 1]
        c[i] = w[i] / s
        d[i] = (d[i] - w[i] * d[i - 1]) / s
    for i in range(n - 2, -1, -1):
        d[i] = d[i] - c[i] * d[i + 1]


@program({"x": signed(3, 3), "w": signed(3)}, {"x": signed(1, 1), "w": signed(1)}, orders=2)
def rows_and_columns_that_a_function_sweeps(x, w):
    u = x * 1.0
    for _ in range(2):
        for i in range(u.shape[0]):
            _swept(u[i], w)
        for j in range(u.shape[1]):
            _swept(u[:, j], w)
    return u * u


@program({"x": signed(3, 3), "w": signed(3)}, orders=2)
def parts_that_a_function_sweeps_with_what_is_changed(x, w):
    u, v = x * 1.0, w * w
    for k in range(2):
        _swept(u[k], v)
        v *= u[k]
        _swept(u[:, k + 1], v)
        _swept(v[1:], w)
    return u * v


def _doubled_rest(d, w):
    t = d[0] * w
    d[0] = d[1] * t
    d[1:] *= np.tanh(d[0])
    return t * d[-1]


@program({"x": signed(3, 3), "w": signed()}, orders=2)
def values_that_are_there_again(x, w):
    u, s = x * 1.0, 0.0
    for k in range(3):
        s = s + _doubled_rest(u[k], w)
        for i in range(2):
            s = s + _doubled_rest(u[i : i + 2, k], w)
    return s + u


@program({"x": signed(7), "w": signed(3)})
def places_counted_from_a_length(x, w):
    out, s = np.zeros((4, 3)), 0.0
    for i in range(3):
        for k in range(3):
            out[i, k] = x[i + k] * w[k] + s
            s = s + x[i + out.shape[0]] * x[out.shape[1] - k]
    return out * s


@program({"x": signed(3)})
def equal_to_itself_but_new(x):
    a, b, c = --x, x**1, -(-x[:])
    x[0] = 3.0 * x[1]
    b *= 2.0
    c[1] = x[0] * b[2]
    return np.sum(a * a * x) + np.sum(b * c)


@program({"x": signed(3)})
def conjugates_of_real_arrays(x):
    y, z = x.conj(), np.conj(x)
    x[0] = 3.0 * x[1]
    z[1] = y[0]
    y *= 1.5
    return np.sum(x * y * z)


@program({"x": signed(3)})
def arrays_that_functions_hand_on(x):
    a, b = x * 1.0, x * 2.0
    y = next(iter([a]))
    y.fill(a[2] * a[1])
    z = max([b], key=len)
    np.copyto(z, b[0] * y)
    np.add.at(z, [0, 0], a[1])
    return np.sum(np.sin(y) * a) + np.sum(z * b * x)


@program({"x": signed(3)}, orders=2)
def chosen_elements_that_a_loop_changes(x):
    s = 0.0
    for k in range(2):
        u = x[[0, 1, 2]]
        u[k] = u[k] * x[0]
        w = x[[0, 1, 2]]
        s = s + sum(u[i] * w[i] for i in range(3))
        x = x * 1.1
    return s


PLACES = np.array([2, 1, 2])


@program({"x": positive(5)}, orders=2)
def elements_at_places_of_the_module(x):
    a = x * 1.0
    a[0] = a[1] * a[2]
    a[:3] += a[PLACES]
    return a * a


@program({"w": positive(2)})
def shapes_assigned_in_a_chain(w):
    rows, columns = np.mgrid[0:2, 0:3]
    z = (rows * w[0] + w[1]) ** (columns + 1.0)
    rows.shape = columns.shape = z.shape = 6
    kept = np.zeros((2, 3))
    for k in range(3):
        here = z < 3.0 - k
        kept[rows[here], columns[here]] += z[here]
        z = z[here] * w[0]
        rows, columns = rows[here], columns[here]
    return kept


@program({"x": signed(2, 3)})
def running_sums_in_place(x):
    sums = x * x
    np.add.accumulate(sums, axis=1, out=sums)
    np.multiply.accumulate(sums, axis=0, out=sums)
    return sums * x


@program({"x": signed(4)})
def parts_filled_with_random_numbers(x):
    rng = np.random.default_rng(3)
    noise, y = np.zeros((2, 4)), x * 1.0
    for k in range(2):
        rng.random(out=noise[k])
        rng.standard_normal(2, out=noise[1 - k, 2:])
        y = y * noise[0] + np.sin(y) * noise[1]
    return y
