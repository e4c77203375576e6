"""Programs that write into arrays and containers."""

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"x": signed(3)})
def store_one_element(x):
    y = np.zeros(3)
    y[0] = x[1] * x[2]
    y[2] = x[0]
    return y * x


@program({"x": signed(3)})
def store_into_a_copy(x):
    y = x.copy()
    y[0] = y[1] * y[2]
    return y * y


@program({"x": signed(4)})
def store_a_slice(x):
    y = x * 1.0
    y[1:3] = np.sin(x[:2])
    return y


@program({"x": signed(4)})
def store_a_constant_cuts_one_element(x):
    y = x * x
    y[0] = 0.0
    return y


@program({"x": signed(4)})
def store_by_mask(x):
    y = x * x
    y[x < 0] = 0.5
    return y * x


@program({"x": signed(4)})
def store_by_mask_of_active(x):
    y = np.zeros_like(x)
    y[x > 0] = x[x > 0] ** 2
    return y


@program({"x": signed(4)})
def store_by_index_array(x):
    y = np.zeros(4)
    y[[2, 0]] = x[[1, 1]]
    return y * x


@program({"x": signed(4)})
def store_by_repeated_indices_last_wins(x):
    y = np.zeros(4)
    y[[1, 1, 2]] = x[:3]
    return y


@program({"x": signed(4)})
def add_by_repeated_indices_adds_once(x):
    y = np.ones(4)
    y[[1, 1, 2]] += x[:3]
    return y * y


@program({"x": signed(4)})
def add_at_adds_every_time(x):
    y = np.ones(4)
    np.add.at(y, [1, 1, 2], x[:3])
    return y * y


@program({"x": signed(3)})
def element_plus_long_form(x):
    v = np.ones(3)
    for i in range(3):
        v[i] = v[i] + x[i] * v[0]
    return v


@program({"x": signed(3)})
def element_plus_short_form(x):
    v = np.ones(3)
    for i in range(3):
        v[i] += x[i] * v[0]
    return v


@program({"x": signed(3), "y": signed(2)})
def inner_loop_adds_to_an_element(x, y):
    x = x * 1.0
    for i in range(len(x)):
        for j in range(len(y)):
            x[i] += y[j] * x[i]
    return x


@program({"x": signed(5)})
def reads_and_writes_the_same_array(x):
    a = x.copy()
    for i in range(1, 5):
        a[i] = a[i] * a[i - 1]
    return a


@program({"x": signed(5), "steps": 2})
def smooth(x, steps):
    a = x.copy()
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return a * a


@program({"a": signed(5), "steps": 2})
def smooth_the_argument(a, steps):
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return a


@program({"a": signed(3)})
def add_to_the_argument(a):
    a += a * a
    return a


@program({"x": 0.7}, {"x": signed(3)})
def add_to_the_argument_of_any_type(x):
    y = x
    x += 1.0
    return x * y


@program({"x": signed(4)})
def overlapping_slices(x):
    y = x.copy()
    y[1:] = y[:-1] * 2.0
    y[:-1] += y[1:]
    return y


@program({"x": signed(3, 3)})
def write_through_a_row(x):
    y = x * x
    row = y[1]
    row[0] = 3.0
    row *= 2.0
    return y


@program({"x": signed(3, 3)})
def write_through_a_transpose(x):
    y = x * x
    t = y.T
    t[0] = x[0] * x[1]
    return y * x


@program({"x": signed(6)})
def write_through_a_reshape(x):
    y = x * x
    m = y.reshape(2, 3)
    m[0, 1] = x[5]
    return y


@program({"x": signed(4)})
def write_through_a_slice_of_a_slice(x):
    y = x * x
    part = y[1:][::2]
    part[:] = np.sin(part)
    return y


@program({"x": signed(4)})
def read_an_alias_after_the_write(x):
    y = x * 2.0
    z = y
    y[0] = x[1]
    return z * z


@program({"x": signed(4)})
def read_a_copy_after_the_write(x):
    y = x * 2.0
    z = y.copy()
    y[0] = x[1]
    return z * y


@program({"x": signed(4)})
def augmented_alias(x):
    y = x * 2.0
    z = y
    z *= x
    return y + z


@program({"x": signed(4), "n": 3})
def swap_of_buffers(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    for _ in range(n):
        b[1:-1] = a[:-2] * a[2:]
        b[0] = a[0]
        a, b = b, a
    return a + 2.0 * b


def fill(target, source):
    target[:] = source * source


def bump(target, i, v):
    target[i] += v


@program({"x": signed(3)})
def helper_fills_its_argument(x):
    y = np.empty(3)
    fill(y, x)
    bump(y, 0, x[2])
    return y * x


@program({"x": signed(3), "y": signed(3, shift=1.0)})
def out_argument(x, y):
    z = np.empty(3)
    np.add(x, y, out=z)
    np.multiply(z, x, out=z)
    return z


@program({"x": positive(3)})
def copyto_with_where(x):
    y = np.zeros(3)
    np.copyto(y, x * x, where=x > 1.0)
    return y


@program({"x": signed(3, 3)})
def fill_diagonal(x):
    y = x * 2.0
    np.fill_diagonal(y, x[0, 1] ** 2)
    return y


@program({"x": signed(4)})
def sort_in_place(x):
    y = x * x
    y.sort()
    return y * np.arange(4)


@program({"x": 0.7})
def fill_method(x):
    y = np.empty(3)
    y.fill(x * x)
    return y


@program({"x": 0.7, "n": 4})
def append_to_a_list(x, n):
    xs = [x]
    for _ in range(n):
        xs.append(np.sin(xs[-1]) * x)
    return sum(xs)


@program({"x": signed(3)})
def list_collected_then_stacked(x):
    rows = []
    for i in range(3):
        rows.append(x * x[i])
    return np.stack(rows)


@program({"xs": [0.5, 1.5, 2.5]})
def store_into_a_list(xs):
    ys = list(xs)
    ys[0] = ys[1] * ys[2]
    ys[1] += ys[0]
    return ys


@program({"xs": [0.5, 1.5, 2.5]}, orders=1)
def pop_and_insert(xs):
    ys = [x * x for x in xs]
    last = ys.pop()
    ys.insert(0, last * ys[0])
    return ys


@program({"x": 0.7})
def store_into_a_dict(x):
    d = {}
    d["a"] = x * x
    d["b"] = d["a"] * x
    d["a"] += d["b"]
    return d["a"] * d["b"]


@program({"x": 0.7, "n": 5})
def memo_table(x, n):
    memo = {0: 1.0, 1: x}
    for k in range(2, n + 1):
        memo[k] = 2.0 * x * memo[k - 1] - memo[k - 2]
    return memo[n]


@program({"x": signed(3), "y": signed(4)})
def edit_distance_table(x, y):
    d = np.zeros((4, 5))
    d[0, 1:] = 1.0
    d[1:, 0] = 1.0
    for i in range(3):
        for j in range(4):
            d[i + 1, j + 1] = (x[i] - y[j]) ** 2 + 0.5 * (d[i, j + 1] + d[i + 1, j]) + d[i, j] * 0.1
    return d[3, 4]


@program({"a": signed(3, 3) + 4.0 * np.eye(3), "b": signed(3)})
def gaussian_elimination(a, b):
    a = a.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            m = a[i, k] / a[k, k]
            a[i, k:] -= m * a[k, k:]
            b[i] -= m * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program({"x": signed(4)})
def prefix_sums(x):
    y = np.zeros(5)
    for i in range(4):
        y[i + 1] = y[i] + x[i] ** 2
    return y


@program({"x": signed(2, 2)})
def matmul_in_place(x):
    y = x + np.eye(2)
    y @= x
    return y


@program({"m": signed(2, 3)})
def another_name_for_the_argument_in_a_loop(m):
    for _ in range(m.shape[0]):
        line = m
        line += np.arctan(m)
    return m


def first_and_rest(a, g, e):
    a[0] = e
    return g


@program({"a": signed(4)})
def one_array_given_twice(a):
    s = a[0]
    b = first_and_rest(a, a, s * s)
    return b * a


@program({"m": signed(2, 3)})
def called_before_the_array_is_cleared(m):
    s = np.sin(m)
    m[:] = 1.0
    return s * m


@program({"x": signed(4), "s": 0.5})
def early_return_of_the_array(x, s):
    a = x * 2.0
    if s > 10.0:
        return a
    a[1] = s * a[0]
    return a


@program({"x": signed(3, 3)})
def rows_unpacked_and_changed(x):
    a = x * 1.0
    p, q, r = a
    p += q * r
    return a


@program({"x": signed(4)})
def items_as_numbers_stay(x):
    a = x * x
    first = a[0]
    a[0] = a[1] * 3.0
    return first * a


@program({"x": signed(4)}, orders=1)
def list_of_views(x):
    a = x * 1.0
    parts = [a[:2], a[2:]]
    parts[0][0] = x[3]
    parts[1][:] *= parts[0]
    return a


@program({"x": signed(3)}, orders=1)
def integers_cut_the_derivative(x):
    a = np.zeros(3, int)
    a[1] = 2.7 * x[0]
    return a * x


@program({"x": signed(3)})
def single_precision_buffer(x):
    a = np.zeros(3, np.float32)
    a[:] = x * x
    return np.sum(a.astype(float) * x) * 0.0 + x


def in_turns(u, v, k):
    if k == 0:
        return
    u[1:] += v[:-1] * u[:-1]
    in_turns(v, u, k - 1)


@program({"x": signed(4)}, orders=1)
def written_only_by_recursion(x):
    u, v = x.copy(), x[::-1].copy()
    in_turns(u, v, 3)
    return u * v


@program({"x": signed(3), "s": signed()})
def items_written_through_and_replaced(x, s):
    ys = [x, x * s]
    ys[0][1] = s
    ys[1] = np.sin(ys[0])
    ys[0][0] *= 2.0
    ys.append(ys[0])
    ys[2][2] = s * s
    ys.reverse()
    return ys[0] * ys[1] * ys[2]


@program({"x": signed(3), "s": signed()})
def dict_of_an_array_and_a_number(x, s):
    d = {"w": x, "b": s}
    d["b"] *= s
    d["w"] += s
    d["w"] = d["w"] * 2.0
    d["w"][0] = s
    return x * d["w"] + d["b"]


@program({"x": signed(2, 3)})
def popped_and_written(x):
    rows = [x, x[::-1]]
    last = rows.pop()
    rows[-1][0] = last.sum()
    return rows[0] * last


@program({"x": signed(3), "s": signed()})
def joined_lists_share_their_items(x, s):
    ys = [1.0, x]
    ys += [s]
    ys[1][1] = ys[2]
    return x * x


@program({"x": signed(3)})
def list_added_to_an_array(x):
    y = x + [x[0], 2.0, x[1]]
    return y * y


def scale_and_add(row, whole):
    whole *= 2.0
    row += whole[1]


@program({"x": signed(2, 3)}, orders=1)
def overlapping_arguments(x):
    scale_and_add(x[0], x)
    return x * x


def decayed(m):
    return np.exp(-m)


def decayed_twice(m):
    y = decayed(m)
    y[0] *= 0.5
    return y


@program({"x": signed(3, 2), "a": signed(2)}, orders=1)
def result_of_a_helper_is_added_to(x, a):
    y = decayed(x)
    for p in range(1, len(y)):
        y[p] += a
    return y


@program({"x": signed(3), "a": signed()}, orders=1)
def result_of_a_helper_is_overwritten(x, a):
    y = decayed_twice(x)
    y[1] = a * x[0]
    y[2] *= y[1]
    return y * a


def chained(b):
    r = b.copy()
    r[0] *= r[1]
    r[1] *= b[2]
    return r


def chained_with_squares(b):
    r, s = b.copy(), np.zeros(3)
    for i in range(3):
        r[i] *= r[i - 1]
        s[i] = r[i] ** 2
    return {"r": r, "s": s}


def handed_on(step, y):
    return step(y)


@program({"x": positive(3)})
def result_of_a_helper_times_its_argument(x):
    y = x * x
    q = chained(y)
    return np.sum(q * y)


@program({"x": positive(3)})
def parts_of_a_result_times_the_argument(x):
    y = x * x
    d = chained_with_squares(y)
    return np.sum(d["r"][:2] * y[1:] * d["s"][1:])


@program({"x": positive(3)})
def result_of_a_handed_on_function_times_its_argument(x):
    y = x * x
    for _ in range(2):
        q = handed_on(chained, y)
        y = q.reshape(3) * y
    return np.sum(q * y)


@program({"x": positive(3)})
def divided_by_its_own_element(x):
    a = x * x
    a[:2] /= a[0]
    a[1:] *= a[1]
    return a


@program({"x": positive(2, 2)})
def inverse_by_elimination(x):
    a = np.hstack([x + 2.0 * np.eye(2), np.eye(2)])
    for c in range(2):
        a[c] /= a[c, c]
        for r in range(2):
            if r != c:
                a[r] -= a[r, c] * a[c]
    return a[:, 2:]


@program({"x": positive(3)})
def copied_between_stores_of_a_loop(x):
    a = x * 1.0
    moved = a.copy()
    for _ in range(2):
        a[:] = moved
        moved = moved + 0.5 * np.sin(a)
    return np.sum(a**2)


@program({"x": positive(4)})
def item_of_a_dict_changed_and_stored_into(x):
    a = x[2:] * 2.0
    parts = {"half": a / 1.5, "all": a}
    parts["all"] *= x[:2]
    parts["all"][:1] = a[:1] ** 2
    return np.sum(a * x[2:])


@program({"a": positive(2), "b": positive(3)})
def argument_changed_through_a_dict_and_returned(a, b):
    both = {"first": b, "second": a}
    both["first"][1] = b[0] * a[1]
    return b


@program({"x": positive(3)})
def loop_while_what_a_list_gives_is_small(x):
    a = x.copy()
    waiting = [0.0]
    while waiting.pop() < 9.0:
        a = a * 2.0 + x[0]
        waiting.append(a[0] * x[1])
    return a * x


@program({"x": positive(2)})
def one_array_in_a_list_again_and_again(x):
    s = np.zeros(2)
    kept = []
    for _ in range(2):
        s += x
        kept.append(s)
    t = 0.0
    for v in kept:
        t += (v * v).sum()
    return t


@program({"x": positive(2)})
def product_that_is_also_made_in_place(x):
    a, b = np.zeros(2), np.ones(2)
    kept = []
    for _ in range(2):
        a += b * x
        b *= x
        kept.append(a)
        kept.append(b)
    t = 0.0
    for v in kept:
        t += (v**2).sum()
    return t


TURNS = 3


def taking_turns(x, n, turns):
    ends, other = np.zeros(3), np.ones(3)
    for i in range(n):
        ends[0] = x * i
        if turns:
            ends, other = other, ends
    return np.sum(ends * other) * x


def chosen(a, turns):
    return a if turns else a * 2.0


@program({"x": 0.7})
def a_global_number_beside_storage(x):
    a = np.array([x, 2.0 * x])
    b = chosen(a, TURNS)
    b[0] = x**2
    return taking_turns(x, 3, TURNS) + np.sum(a * a)


@program({"a": positive(3), "b": positive(3)})
def buffers_in_a_list_that_is_turned(a, b):
    buffers = [a, b]
    for _ in range(2):
        buffers[0][:] = buffers[1] * buffers[0]
        buffers = buffers[1:] + buffers[:1]
    return np.sum(a * b)


@program({"m": positive(2, 3), "s": 0.7})
def name_of_an_array_that_is_given_items_of_a_list(m, s):
    shown = m
    m[0] = 0.9 * m[1]
    factors = [2.0, 2.0 * s, s * s]
    while factors:
        shown = factors.pop()
        m[0] += shown * s
    return np.sum(shown * m)


class Cell:
    def __init__(self, w):
        self.w = w


@program({"a": positive(3), "u": positive(3)})
def mask_that_changes_beside_objects_that_hold_one_another(a, u):
    hit = np.array([True, False, True])
    u[hit] *= 0.5 * a[0]
    hit[0] = False
    u[hit] += a[1]
    one, other = Cell(a), Cell(u)
    one.w, other.w = other, one
    return np.sum(u * a) if one.w.w is one else np.sum(a)


def swept(c, d):
    x = np.zeros(len(d))
    x[-1] = d[-1]
    for i in range(len(d) - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


@program({"c": positive(4), "u": positive(4), "n": 3})
def what_a_solver_gives_is_given_to_it_again(c, u, n):
    """The backward pass of the last call puts back what the value is computed from."""
    for _ in range(n):
        u = swept(c, u)
    v = swept(c, u) if n > 1 else u
    return np.dot(u, v)
