# ruff: noqa  (programs under test are written as users write)
"""What functions write into: `out=`, `np.add.at`, `np.copyto`, masks and indices; stores in branches and loops."""

import numpy as np

from nasty.checks import M, V, nasty


@nasty(V)
def out_keyword(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    return np.sum(y * x)


@nasty(V)
def out_itself(x):
    y = x * 1.0
    np.add(y, x, out=y)
    return np.sum(y * y)


@nasty(V)
def out_argument(x):
    np.exp(x, out=x)
    return np.sum(x)


@nasty(V)
def out_positional(x):
    y = np.zeros(3)
    np.sin(x, y)
    return np.sum(y)


@nasty(V)
def out_tuple(x):
    y = np.zeros(3)
    np.sin(x, out=(y,))
    return np.sum(y * x)


@nasty(V)
def out_of_reduction(x):
    y = np.zeros(())
    np.sum(x * x, out=y)
    return y * 2.0


@nasty(V)
def out_of_dot(x):
    y = np.zeros(())
    np.dot(x, x, out=y)
    return y * 1.0


@nasty(V)
def out_of_method(x):
    y = np.zeros(())
    x.sum(out=y)
    return y * 3.0


@nasty(V)
def out_with_where(x):
    y = x * 2.0
    np.multiply(x, x, out=y, where=np.array([True, False, True]))
    return np.sum(y)


@nasty(V)
def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x)
    return np.sum(y * y)


@nasty(V)
def subtract_at(x):
    y = x * 1.0
    np.subtract.at(y, [0, 0], 2.0)
    return np.sum(y * y)


@nasty(V)
def multiply_at(x):
    y = x * 1.0
    np.multiply.at(y, [0, 0], x[1])
    return np.sum(y)


@nasty(V)
def copyto(x):
    y = np.zeros(3)
    np.copyto(y, x * x)
    return np.sum(y * x)


@nasty(V)
def copyto_constant(x):
    y = x * 1.0
    np.copyto(y, 3.0, where=x > 1.5)
    return np.sum(y * y)


@nasty(V)
def put_function(x):
    y = x * 1.0
    np.put(y, [0, 1], x[2])
    return np.sum(y * y)


@nasty(V)
def place_function(x):
    y = x * 1.0
    np.place(y, x > 1.5, [7.0])
    return np.sum(y * y)


@nasty(V)
def putmask_function(x):
    y = x * 1.0
    np.putmask(y, x > 1.5, x * x)
    return np.sum(y * y)


@nasty(M)
def fill_diagonal(x):
    y = x * 1.0
    np.fill_diagonal(y, 0.0)
    return np.sum(y * y)


@nasty(M)
def put_along_axis(x):
    y = x * 1.0
    np.put_along_axis(y, np.array([[0], [1]]), 9.0, axis=1)
    return np.sum(y * y)


@nasty(V)
def shuffled(x):
    y = x * 1.0
    np.random.default_rng(0).shuffle(y)
    return y[0] * 2.0 + y[1]


@nasty(V)
def mask_written(x):
    y = x * 1.0
    y[y > 1.5] = 0.0
    return np.sum(y * x)


@nasty(V)
def mask_augmented(x):
    y = x * 1.0
    y[x > 1.5] *= x[0]
    return np.sum(y * y)


@nasty(V)
def repeated_index_augmented(x):
    y = x * 1.0
    y[[0, 0, 1]] += x
    return np.sum(y * y)


@nasty(V)
def index_array_written(x):
    y = np.zeros(3)
    y[[2, 0, 1]] = x * x
    return y[0] * y[1] + y[2]


@nasty(V)
def swapped_elements(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y[0] * 2.0 + y[1] * x[0]


@nasty(V)
def overlapping_slices(x):
    y = x * 1.0
    y[1:] = y[:-1]
    return np.sum(y * x)


@nasty(V)
def chained_store(x):
    y = np.zeros(3)
    z = np.zeros(3)
    y[0] = z[1] = x[0] * x[1]
    return np.sum(y * x) + z[1]


@nasty(V)
def swapped_buffers(x):
    a, b = x * 1.0, np.zeros(3)
    for _ in range(3):
        b[:] = a * x
        a, b = b, a
    return np.sum(a)


@nasty(V)
def store_in_branch(x):
    y = x * 1.0
    if x[0] > 0:
        y[0] = x[1]
    else:
        y[1] = x[0]
    return np.sum(y * y)


@nasty(V)
def store_in_loop(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * (y[i - 1] if i else 1.0)
    return y[2]


@nasty(V)
def store_in_while(x):
    y = np.zeros(3)
    i = 0
    while i < 3:
        y[i] = x[i] ** 2
        i += 1
    return np.sum(y)
