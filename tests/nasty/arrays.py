# ruff: noqa  (programs under test are written as users write)
"""Arrays that are written into: under their own names, under others, through views and by methods."""

import numpy as np

from nasty.checks import M, V, nasty


@nasty(V)
def write_element(x):
    y = x.copy()
    y[0] = x[1] * x[2]
    return np.sum(y * x)


@nasty(V)
def write_constant(x):
    y = x * 2.0
    y[0] = 0.0
    return np.sum(y * y)


@nasty(V)
def write_argument(x):
    x[0] = x[1] * 2.0
    return np.sum(x * x)


@nasty(V)
def write_argument_constant(x):
    x[0] = 5.0
    return np.sum(x * x)


@nasty(V)
def write_after_read(x):
    y = x * 1.0
    z = y * y
    y[0] = 10.0
    return np.sum(z * y)


@nasty(V)
def write_through_alias(x):
    y = x * 1.0
    z = y
    z[1] = x[0] * x[0]
    return np.sum(y * x)


@nasty(V)
def write_through_slice(x):
    y = x * 1.0
    z = y[1:]
    z[0] = x[0] ** 2
    return np.sum(y * y)


@nasty(M)
def write_through_reshape(x):
    y = x * 1.0
    z = y.reshape(-1)
    z[0] = x[1, 1]
    return np.sum(y * y)


@nasty(M)
def write_through_transpose(x):
    y = x * 1.0
    y.T[0] = x[0, 1]
    return np.sum(y * y)


@nasty(M)
def write_through_ravel(x):
    y = x * 1.0
    np.ravel(y)[2] = x[0, 0]
    return np.sum(y * y)


@nasty(V)
def write_through_asarray(x):
    y = x * 1.0
    np.asarray(y)[0] = x[2]
    return np.sum(y * y)


@nasty(V)
def increment_element(x):
    y = np.zeros(3)
    y[0] += x[0] * x[1]
    y[0] += x[2]
    return y[0] * y[0]


@nasty(V)
def increment_slice(x):
    y = x * x
    y[1:] += x[:-1]
    return np.sum(y * y)


@nasty(V)
def scale_slice(x):
    y = x * 1.0
    y[1:] *= x[0]
    return np.sum(y)


@nasty(V)
def divide_in_place(x):
    y = x * 1.0
    y /= x[1]
    return np.sum(y * x)


@nasty(V)
def power_in_place(x):
    y = x * 1.0
    y **= 2
    return np.sum(y * x)


@nasty(V)
def augmented_alias(x):
    y = x * 2.0
    z = y
    z += x
    return np.sum(y * y)


@nasty(V)
def augmented_argument(x):
    x += 1.0
    return np.sum(x * x)


@nasty(V)
def augmented_argument_alias(x):
    y = x
    y *= 3.0
    return np.sum(x)


@nasty(V)
def augmented_view(x):
    y = x * 1.0
    z = y[:2]
    z *= 2.0
    return np.sum(y * x)


@nasty(V)
def augmented_view_of_argument(x):
    z = x[:2]
    z += 1.0
    return np.sum(x * x)


@nasty(V)
def augmented_in_loop(x):
    y = x
    for _ in range(3):
        y *= 2.0
    return np.sum(y * x)


@nasty(V)
def augmented_item_of_list(x):
    xs = [x * 1.0, x * 2.0]
    xs[0] += x
    return np.sum(xs[0] * xs[1])


@nasty(V)
def augmented_alias_in_list(x):
    y = x * 1.0
    xs = [y, y]
    xs[0] += x
    return np.sum(xs[1] * x)


@nasty(V)
def augmented_alias_in_tuple(x):
    y = x * 1.0
    t = (y, 2.0)
    y += 1.0
    return np.sum(t[0] * x)


@nasty(V)
def augmented_alias_in_dict(x):
    d = {"a": x * 1.0}
    y = d["a"]
    y *= x
    return np.sum(d["a"])


@nasty(M)
def rows_scaled(x):
    a = x * 1.0
    for row in a:
        row *= 2.0
    return np.sum(a * x)


@nasty(M)
def rows_of_argument_scaled(x):
    for row in x:
        row *= 2.0
    return np.sum(x * x)


@nasty(M)
def rows_written(x):
    a = x * 1.0
    for i, row in enumerate(a):
        row[0] = row[1] * i
    return np.sum(a * a)


@nasty(M)
def rows_unpacked(x):
    a = x * 1.0
    p, q = a
    p += q
    return np.sum(a * a)


@nasty(M)
def rows_zipped(x):
    a = x * 1.0
    for p, q in zip(a, x):
        p *= q
    return np.sum(a)


@nasty(V)
def sort_method(x):
    y = x * -1.0
    y.sort()
    return y[0] * 2.0 + y[1] * y[2]


@nasty(V)
def sort_argument(x):
    x.sort()
    return x[0] * x[1]


@nasty(V)
def fill_method(x):
    y = x * 1.0
    y.fill(2.0)
    return np.sum(y * x)


@nasty(V)
def fill_active(x):
    y = np.zeros(3)
    y.fill(x[0])
    return np.sum(y * x)


@nasty(V)
def partition_method(x):
    y = x * -1.0
    y.partition(1)
    return y[1]


@nasty(V)
def put_method(x):
    y = x * 1.0
    y.put([0], x[2])
    return np.sum(y * y)


@nasty(V)
def itemset_by_flat(x):
    y = x * 1.0
    y.flat[0] = x[1] * 3.0
    return np.sum(y * y)


@nasty(V)
def resize_method(x):
    y = x * 1.0
    y.resize((2,), refcheck=False)
    return np.sum(y * y)


@nasty(V)
def shape_assigned(x):
    y = x * 1.0
    y.shape = (3, 1)
    return np.sum(y * x)


@nasty(V)
def real_assigned(x):
    y = x * 1.0
    y.real = x * x
    return np.sum(y)


@nasty(V)
def dtype_viewed(x):
    y = x * 1.0
    z = y.view()
    z[0] = 7.0
    return np.sum(y * y)
