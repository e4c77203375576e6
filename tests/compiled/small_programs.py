"""Programs with small arrays: views, stores, helpers, loops and sizes that a careless rewrite would get wrong."""

import numpy as np


def view_then_write(x):
    v = x[0:3]
    y = x.copy()
    y[0] = 5.0 * x[1]
    return np.sum(v * v) + y[0] * v[0]


def written_view(x):
    y = x.copy()
    v = y[0:3]
    v[0] = x[4] * x[1]
    return np.sum(y * y) + np.dot(v, v)


def base_written_later(x):
    y = x * 1.0
    v = y[1:4]
    y[1] = 7.0 * x[0]
    w = v * 2.0
    return np.sum(w * x[0:3])


def alias(x):
    a = np.zeros(3)
    b = a
    b[0] = x[0]
    a[1] = x[1] * b[0]
    return np.sum(a * b)


def negative(x):
    v = x[-3:]
    w = x[-4:-1]
    u = np.cross(v, w)
    u[-1] *= x[0]
    return u[-1] * u[0] + u[-2]


def matrix(x):
    R = np.array([[x[0], -x[1], 0.0], [x[1], x[0], 1.0], [0.0, 2, x[2]]])
    R[1] += x[1:4]
    R[:, 0] *= 2.0
    v = R.T @ x[0:3]
    q = R @ R
    return np.sum(q * R) + v @ v + np.linalg.norm(v)


def loop_carried(x, n):
    p = np.array([1.0, 0.0, 0.0])
    w = x[0:3]
    for _ in range(n):
        p = p + 0.1 * np.cross(w, p)
        p /= np.linalg.norm(p)
    return p[0] * x[3] + p[1]


def rows_written(x, n):
    traj = np.zeros((n + 1, 3))
    traj[0] = x[0:3]
    for k in range(n):
        s = traj[k]
        f = np.array([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - x[3] * s[2]])
        traj[k + 1] = s + 0.01 * f
    return np.sum(traj[n] * traj[n])


def branches(x):
    v = np.ones(3)
    if x[0] > 0:
        v = x[0:3] * 2.0
    else:
        v[2] = x[1]
    return np.sum(v * x[1:4])


def sizes_differ(x):
    v = x[0:3]
    if x[0] > 100:
        v = x[0:2]
    return np.sum(v * v)


def helper_fills(out, a):
    out[0] = a[0] * 2.0
    out[1] += a[1]


def filled(x):
    o = np.zeros(2)
    helper_fills(o, x)
    helper_fills(o, x[1:3])
    return o[0] * o[1] + o[0]


def rot(q, v):
    u = q[1:4]
    t = 2.0 * np.cross(u, v)
    return v + q[0] * t + np.cross(u, t)


def quat(x):
    v = rot(x[0:4], x[1:4])
    w = rot(x[0:4], v)
    return np.dot(v, w) + w[2]


def unpacked(x):
    v = x[0:3] * 2.0
    a, b, c = v
    return a * b + c * v[0]


def shape_used(x):
    v = np.zeros(3)
    for i in range(len(v)):
        v[i] = x[i] ** 2
    for i in range(v.shape[0]):
        v[i] += i * x[0]
    return v.sum() + i


def variable_index(x, n):
    v = np.zeros(3)
    for i in range(n):
        v[i] = x[i] * 2.0
    return np.sum(v * v)


def int_store(x):
    v = np.zeros(2)
    v[0] = 7
    v[1] = x[0]
    return (v[0] / 2) * v[1] + 7 // 2 + v[0] // 2 * x[1]


def returned(x):
    v = x[0:3] * x[1]
    return v + np.array([1.0, x[3], 0.0])


def returned_matrix(x):
    return np.outer(x[0:2], x[2:4]) + np.eye(2)


def given_on(x):
    v = x[0:3] * 2.0
    m = np.linalg.inv(np.outer(v, v) + np.eye(3))
    return np.sum(m @ v)


def self_store(x):
    v = x[0:3] * 1.0
    v[0:2] = v[1:3]
    v[:] = v[::-1]
    return v[0] * v[1] + 3 * v[2]


def swap(x):
    a = x[0:2] * 1.0
    b = x[2:4] * 2.0
    for _ in range(3):
        a, b = b, a + b
    return np.sum(a * b)


def inverted(x):
    a = np.array([[x[0], x[1]], [x[2], 5.0]])
    p = np.linalg.inv(a) @ a.T
    b = np.linalg.inv(np.array([[x[3]]]))
    return np.sum(p * p) * b[0, 0] + np.linalg.det(a) + np.linalg.det(b) + np.trace(p)


def solved(x):
    a = np.array([[x[0], x[1]], [x[2], 5.0]])
    v = np.linalg.solve(a, x[2:4])
    m = np.linalg.solve(a, a.T @ a + np.diag(x[1:3]))
    sign, size = np.linalg.slogdet(m)
    return v @ m @ v + np.linalg.det(m) * sign - size * np.sum(np.diag(m))


def estimated(x, n):
    """A Kalman filter with one thing measured."""
    f = np.array([[1.0, x[0]], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    s, p = np.zeros((2, 1)), np.eye(2)
    out = 0.0
    for k in range(n):
        s = f @ s
        p = f @ p @ f.T + x[1] * np.eye(2)
        y = x[k % 4] - (h @ s)[0, 0]
        c = h @ p @ h.T + np.array([[x[2]]])
        g = p @ h.T @ np.linalg.inv(c)
        s = s + g * y
        p = (np.eye(2) - g @ h) @ p
        out += np.log(np.linalg.det(c)) + y * y / c[0, 0]
    return out


def column_and_row(x):
    c = x[0:3].copy().reshape((3, 1))
    d = np.zeros((3, 1)) + c * x[3]
    e = d - np.ones((1, 3))
    return np.sum(e * e) + np.sum(d)


def broadcast_column(x):
    c = np.array([[x[0]], [x[1]]])
    r = np.array([x[2], x[3]])
    m = c * r + r
    return np.sum(m * m)


def reused_list(x):
    a = x[0]
    s = 0.0
    for _ in range(3):
        t = [a, x[1]]
        a = a * 1.5
        v = np.array(t)
        s = s + np.sum(v * v) * a
    return s


def aug_alias(x):
    v = x[0:3] * 1.0
    w = v
    w += x[1:4]
    return np.sum(v * w)


def aug_param(x, y):
    y = y * 1.0
    z = y
    z += 1.0
    return np.sum(np.cross(x[0:3], y) * z)


def row_rebound(x, n):
    m = np.zeros((3, 3))
    s = 0.0
    for i in range(3):
        r = m[i]
        m = m + x[0]
        s = s + r[0] + r[1] * x[1]
    return s + np.sum(m)


def index_changes(x, n):
    m = np.outer(x, x)
    i = 0
    r = m[i]
    i = 1
    return r[0] * x[0] + np.sum(r[1:3] * r[0:2])


def grow(a, b):
    a += b
    return a


def helper_augments(x):
    v = x[0:3] * 1.0
    w = v
    u = grow(w, x[1:4])
    return np.sum(v * w) + u[0]


def helper_of_helper(v, x):
    t = v
    r = grow(v, x[1:4])
    return t * r


def deeper(x):
    v = x[0:3] * 1.0
    return np.sum(helper_of_helper(v, x) * v)


def empty_loop(x):
    v = np.zeros(3)
    for i in range(0):
        v[i] = x[i]
    return np.sum(v) + x[0]


def used_after(x):
    v = np.zeros(3)
    for i in range(3):
        w = v[i] + x[i]
        v[i] = w * w
    return v[2] * w + i * x[0]


def rows_scaled_in_place(x):
    out = np.zeros((2, 3))
    for i in range(2):
        row = out[i]
        row[:] = x[0:3] * x[i]
        row *= x[i + 1]
    return np.sum(out) * out[1, 2]


def summed_in_short_loop(x):
    v, total = np.zeros(3), 0.0
    for k in range(3):
        v[k] = x[k] * x[3]
        total += np.dot(v, x[:3])
    return total


def summed_where_another_stays(x):
    a, total = np.zeros(3), 0.0
    for k in range(3):
        a[:] = x[:3] * k + a
        total += np.tensordot(a, x[1:4], 1)
        a[k] = 0.5 * a[1] * x[0]
    return total


POINT = np.array([0.7, -1.2, 1.9, 0.4, 2.2])
ALONE = (
    view_then_write, base_written_later, alias, negative, matrix, branches, filled, quat, unpacked, int_store, returned,
    returned_matrix, given_on, inverted, solved, column_and_row, self_store, swap, broadcast_column, aug_alias,
    helper_augments, deeper, used_after, rows_scaled_in_place, summed_in_short_loop, summed_where_another_stays,
)  # fmt: skip
WITH_A_COUNT = (loop_carried, rows_written, estimated, variable_index, row_rebound, index_changes)
AS_THEY_ARE = (written_view, sizes_differ, reused_list)
CASES = [
    *((f, (POINT,)) for f in ALONE),
    *((f, (POINT, n)) for f in WITH_A_COUNT for n in (0, 3)),
    (aug_param, (POINT[:4], np.array([1.0, 2.0, -0.5]))),
]
