"""Functions that fill arrays of their module, or that they captured, as scratch; and lists of parts of an array."""

import numpy as np

from programs.registry import program
from programs.samples import positive

WORK = np.zeros(4)
TABLE = np.zeros((2, 4))
OTHER = np.zeros(4)
HELD = {"work": np.zeros(4)}
WEIGHTS = np.arange(1.0, 5.0)


@program({"x": positive(4)})
def filled_buffer(x):
    WORK[:] = x * WEIGHTS
    WORK[1:] *= x[:-1]
    return np.sum(WORK * WORK)


@program({"x": positive(4)})
def buffer_told_where_to_write(x):
    np.multiply(x, x, out=WORK)
    np.sin(WORK, out=WORK)
    return WORK * x


@program({"x": positive(4)})
def buffer_returned(x):
    np.multiply(x, x, out=WORK)
    return WORK


@program({"x": positive(4)})
def buffer_under_another_name(x):
    b = WORK[1:]
    b[:] = x[1:] * x[0]
    return np.sum(WORK[2:] ** 2)


def fill_table(x):
    TABLE[0] = x * x
    TABLE[1] = TABLE[0] * x


def total():
    return np.sum(TABLE)


@program({"x": positive(4)})
def buffer_filled_and_read_by_helpers(x):
    fill_table(x)
    return total() * TABLE[1, 0]


def doubled(x):
    WORK[:] = 2.0 * x
    return WORK


@program({"x": positive(4)})
def buffer_that_a_helper_gives_again(x):
    a = doubled(x)
    a[0] *= x[1]
    b = doubled(a * x)
    return np.sum(a * b)


@program({"x": positive(4)})
def parts_of_a_buffer_in_a_loop(x):
    s = 0.0
    for i in range(3):
        part = WORK[: i + 1]
        np.multiply(x[: i + 1], i + 1.0, out=part)
        s += np.sum(part**2)
    return s


def with_scratch(n):
    scratch = np.zeros(n)

    def norm(x):
        np.multiply(x, x, out=scratch)
        scratch[0] += x[1]
        return np.sqrt(np.sum(scratch))

    return norm


captured_buffer = program({"x": positive(4)})(with_scratch(4))


# From one buffer to another, and by other ways to them


@program({"x": positive(4)})
def from_one_buffer_to_another(x):
    WORK[:] = x * x
    OTHER[:] = WORK * 2.0
    return np.sum(OTHER * x)


@program({"x": positive(4)})
def from_a_buffer_to_one_in_a_dict(x):
    np.multiply(x, x, out=WORK)
    HELD["work"][:] = WORK * 2.0
    part = OTHER[1:]
    part[:] = HELD["work"][:-1] * x[0]
    return HELD["work"] * x, np.sum(OTHER[1:] * x[1:])


def work():
    return WORK


@program({"x": positive(4)})
def buffer_that_a_function_gives(x):
    a = work()
    a[:] = x * x
    OTHER[:] = work()
    return np.sum(OTHER * WORK * x)


@program({"x": positive(4)}, orders=1)
def buffers_of_a_class_and_of_a_function(x):
    np.multiply(x, x, out=Buffers.first)
    np.multiply(Buffers.first, x, out=Buffers.second)
    return Buffers.first.sum() * Buffers.second * x


class Buffers:
    first = np.zeros(4)
    second = np.zeros(4)


def squared_into_its_own(x):
    np.multiply(x, x, out=squared_into_its_own.buffer)
    return squared_into_its_own.buffer.sum()


squared_into_its_own.buffer = np.zeros(4)


@program({"x": positive(4)}, orders=1)
def buffer_that_a_function_has_as_its_attribute(x):
    return squared_into_its_own(x) * x


@program({"x": positive(4)}, orders=1)
def one_of_two_buffers(x):
    a = WORK if x[0] > 0.0 else OTHER
    a[:] = x * x
    return WORK.sum() * x


def squares_into_a_default(x, out=np.zeros(4)):  # noqa: B008
    out[:] = x * x
    return out


@program({"x": positive(4)}, orders=1)
def default_that_two_calls_have_in_common(x):
    a = squares_into_a_default(x)
    b = squares_into_a_default(a + x)
    return a * b * x


# Lists of parts of an array, as functions give them


@program({"x": positive(3, 2), "s": 1.3})
def item_of_sections_scaled(x, s):
    a = x * 1.0
    y = np.sum(a**3)
    parts = np.split(a, 3)
    parts[0] *= s
    return np.sum(a * a) + y


@program({"x": positive(3, 2), "s": 1.3})
def items_of_sections_written_and_bound_anew(x, s):
    a = x * 1.0
    parts = np.split(a, 3)
    parts[0][:] = parts[0] * s
    parts[1][0] += parts[0][0, 1]
    parts[0] = parts[0] * parts[1]
    return np.sum(a**3) + np.sum(parts[0])


@program({"x": positive(3, 2), "s": 1.3})
def sections_in_a_loop(x, s):
    a = x * 1.0
    parts = np.array_split(a, 2)
    for i in range(2):
        parts[i] *= s
        parts[i] *= parts[0][0]
    return np.sum(a**3)


def rows_of(a):
    return np.vsplit(a, 3)


def fill_parts(parts, s):
    parts[0] *= s
    parts[1][:] = parts[0] * s


@program({"x": positive(3, 2), "s": 1.3})
def sections_through_functions(x, s):
    a = x * 1.0
    y = a**2
    parts = rows_of(a)
    parts[2][0, 0] = s
    fill_parts(parts, s)
    return np.sum(a * y * a)


@program({"x": positive(3, 2), "s": 1.3})
def sections_exchanged(x, s):
    a = x * 1.0
    parts = np.split(a, 3)
    parts[0], parts[1] = parts[1], parts[0]
    parts[0] *= s
    parts.append(a[0])
    parts[3][1] = s
    return np.sum(a**3) + np.sum(parts[0]) * np.sum(parts[1] ** 2)


def exchange_beside(a, g, w):
    for _ in range(2):
        w[0] = 0.5 * np.sin(w[0] * w[1]) + 0.5 * a
        g[:] = np.cos(g) * a
        a, g = g, a


@program({"x": positive(3, 2)})
def exchanged_rows_under_one_view(x):
    x = x * 1.0
    exchange_beside(x[0], x[-1], x[::-1])
    return np.sum(np.sin(x) * x)


@program({"x": positive(3, 2)})
def exchanged_with_a_row_under_a_view(x):
    x = x * 1.0
    y = x[1] ** 2
    exchange_beside(y, x[-1], x[::-1])
    return np.sum(np.sin(x) * x) + np.sum(y)


@program({"x": positive(5, 2)})
def exchanged_parts_in_a_chain(x):
    y = np.ravel(x) * 1.0
    exchange_beside(y[0:3], y[5:8], y[2:8].reshape(2, 3))
    return np.sum(np.sin(y) * y)


# Tables that do not vary, and change between two reads of the backward pass

STEPS_TAKEN = [0.0]
CHANGING = np.ones(4)


def next_weight(k):
    CHANGING[k] = k + 2.0


@program({"x": positive(4)})
def table_of_the_module_that_changes_between_reads(x):
    CHANGING[:] = 1.0
    s = 0.0
    for k in range(3):
        s += np.sum(x * CHANGING * x)
        next_weight(k)
    return s


def one_more():
    STEPS_TAKEN[0] += 1.0


@program({"x": positive(4)})
def count_of_the_module_between_reads(x):
    STEPS_TAKEN[0] = 1.0
    s = 0.0
    for k in range(3):
        s += x[k] * x[k] * STEPS_TAKEN[0]
        one_more()
    return s


def begin():
    CHANGING[:] = WEIGHTS * 2.0


def weighted(x):
    return np.sum(x * CHANGING * x)


@program({"x": positive(4)})
def table_of_the_module_that_is_filled_first(x):
    begin()
    return weighted(x) + weighted(x[::-1])


def fill_with_product(x, filled, factor):
    filled[:] = x * factor


@program({"x": positive(4), "v": positive(4, shift=1.0)})
def buffer_given_to_a_function_that_fills_another(x, v):
    np.multiply(x, x, out=WORK)
    fill_with_product(x, v, WORK)
    return v


@program({"x": positive(4), "v": positive(4, shift=1.0)})
def parts_of_buffers_given_to_a_function_that_fills(x, v):
    TABLE[1] = x * x
    fill_with_product(x[1:], v[1:], factor=TABLE[1, 1:])
    return v


# Arrays that each iteration makes for itself


@program({"u": positive(5), "k": 0.3})
def flux_of_each_step(u, k):
    u = u.copy()
    for _ in range(3):
        flux = np.zeros_like(u)
        flux[1:-1] = u[2:] + u[:-2] - 2.0 * u[1:-1]
        flux[0] = flux[1] * u[0]
        u += k * flux
    return np.sum(u * u)


@program({"w": positive(3), "x": positive(3)})
def buffer_that_the_next_step_reads(w, x):
    total, old = 0.0, x
    for k in range(3):
        new = np.zeros(3)
        new[:] = w * x
        new[k] = new[0] * new[1]
        total += np.sum(new * old)
        new[2] = total
        old = new
    return total + old[2] * old[0]


@program({"w": positive(3), "x": positive(3)})
def buffers_that_a_list_keeps(w, x):
    total, held = 0.0, []
    for k in range(3):
        new = w * x
        new[k] = new[0] * new[1]
        held.append(new)
        total += np.sum(new**3)
        new[2] = total
    for new in held:
        total *= np.sum(new)
    return total


@program({"w": positive(3), "x": positive(3)})
def buffers_within_buffers(w, x):
    total = 0.0
    for k in range(3):
        outer = w * x
        row = outer[1:]
        for i in range(2):
            inner = np.zeros(2)
            inner[0] = outer[i] ** 2
            inner[1] = inner[0] * outer[i + 1]
            outer[i] = inner[1] * inner[0]
            inner[0] = row[0] + inner[1] ** 2
            total += inner[0] * inner[1]
        row *= total
        total += np.sum(outer**2) if k else row[0]
    return total


def doubled_first(b, w):
    b[0] = 2.0 * w[0] * b[1]
    return b


@program({"w": positive(3), "x": positive(3)})
def buffers_that_a_helper_fills(w, x):
    total = 0.0
    for k in range(3):
        new = x * w
        same = doubled_first(new, w)
        total += np.sum(same * new)
        new[1] = total * same[0]
        total += same[1] ** 2
    return total


@program({"w": positive(3), "x": positive(3)})
def products_of_what_changes(w, x):
    a, total = np.zeros(3), 0.0
    for k in range(3):
        a[:] = w * k + a
        total += np.dot(a, x) + np.sum(np.outer(a, x)) + np.tensordot(a, x, 1) + np.einsum("i,i->", x, a)
        a[k] = 0.5 * a[1] * x[0]
    return total
