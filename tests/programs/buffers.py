"""Functions that fill arrays of their module, or that they captured, as scratch."""

import numpy as np

from programs.registry import program
from programs.samples import positive

WORK = np.zeros(4)
TABLE = np.zeros((2, 4))
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
