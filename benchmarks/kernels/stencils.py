"""Stencils, in place."""

from __future__ import annotations

import numpy as np


def heat(u, steps):
    """Heat in a plate, in place, point by point."""
    u = u.copy()
    v = np.zeros_like(u)
    n, m = u.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = v[i, j]
    return np.sum(u * u)


def heat_by_hand(u, steps):
    a = u.copy()
    v = np.zeros_like(u)
    n, m = u.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = v[i, j]
    b = 2.0 * a
    c = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                c[i, j] = b[i, j]
                b[i, j] = 0.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                w = 0.1 * c[i, j]
                b[i, j] += c[i, j] - 4.0 * w
                b[i - 1, j] += w
                b[i + 1, j] += w
                b[i, j - 1] += w
                b[i, j + 1] += w
    return b


def heat_for_jax(u, steps):
    import jax

    def step(u, _):
        inner = u[1:-1, 1:-1]
        new = inner + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
        return u.at[1:-1, 1:-1].set(new), None

    u = jax.lax.scan(step, u, None, length=20)[0]
    return jax.numpy.sum(u * u)


def smooth(a, steps):
    """A line smoothed in place, by slices."""
    a = a.copy()
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a * a)


def smooth_by_hand(a, steps):
    x = a.copy()
    n = len(x)
    t = np.empty(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            t[i] = (x[i - 1] + x[i + 1]) / 2
        for i in range(1, n - 1):
            x[i] = t[i]
    b = 2.0 * x
    for _ in range(steps):
        for i in range(1, n - 1):
            t[i] = b[i] / 2
            b[i] = 0.0
        for i in range(1, n - 1):
            b[i - 1] += t[i]
            b[i + 1] += t[i]
    return b


def smooth_for_jax(a, steps):
    import jax

    def step(a, _):
        return a.at[1:-1].set((a[:-2] + a[2:]) / 2), None

    a = jax.lax.scan(step, a, None, length=50)[0]
    return jax.numpy.sum(a * a)


def relax(a, steps):
    """Gauss-Seidel sweeps with a nonlinear term: every point sees what was just written."""
    a = a.copy()
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] + a[i, j] * a[i, j]) / 5.0
    return np.sum(a)


def relax_by_hand(a, steps):
    x = a.copy()
    n = x.shape[0]
    old = np.empty((steps, n - 2, n - 2))
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                old[t, i - 1, j - 1] = x[i, j]
                x[i, j] = (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] + x[i, j] * x[i, j]) / 5.0
    b = np.ones_like(x)
    for t in range(steps - 1, -1, -1):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                w = b[i, j] / 5.0
                b[i, j] = 2.0 * w * old[t, i - 1, j - 1]
                b[i - 1, j] += w
                b[i + 1, j] += w
                b[i, j - 1] += w
                b[i, j + 1] += w
    return b


def relax_for_jax(a, steps):
    import jax

    n = a.shape[0]

    def point(k, a):
        i, j = 1 + k // (n - 2), 1 + k % (n - 2)
        new = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] + a[i, j] * a[i, j]) / 5.0
        return a.at[i, j].set(new)

    def sweep(a, _):
        return jax.lax.scan(lambda a, k: (point(k, a), None), a, jax.numpy.arange((n - 2) * (n - 2)))[0], None

    return jax.numpy.sum(jax.lax.scan(sweep, a, None, length=3)[0])


def wave(c, u0, steps):
    """A wave on a string, all times kept."""
    n = u0.shape[0]
    u = np.zeros((steps + 2, n))
    for i in range(n):
        u[0, i] = u0[i]
        u[1, i] = u0[i]
    for t in range(1, steps + 1):
        for i in range(1, n - 1):
            bend = u[t, i + 1] - 2.0 * u[t, i] + u[t, i - 1]
            u[t + 1, i] = 2.0 * u[t, i] - u[t - 1, i] + c[i] * c[i] * bend
    s = 0.0
    for i in range(n):
        s += u[steps + 1, i] * u[steps + 1, i]
    return s


def wave_by_hand(c, u0, steps):
    n = u0.shape[0]
    u = np.zeros((steps + 2, n))
    u[0] = u0
    u[1] = u0
    bend = np.empty((steps + 1, n))
    for t in range(1, steps + 1):
        for i in range(1, n - 1):
            bend[t, i] = u[t, i + 1] - 2.0 * u[t, i] + u[t, i - 1]
            u[t + 1, i] = 2.0 * u[t, i] - u[t - 1, i] + c[i] * c[i] * bend[t, i]
    b = np.zeros((steps + 2, n))
    bc = np.zeros(n)
    for i in range(n):
        b[steps + 1, i] = 2.0 * u[steps + 1, i]
    for t in range(steps, 0, -1):
        for i in range(1, n - 1):
            w = b[t + 1, i]
            bc[i] += 2.0 * c[i] * bend[t, i] * w
            v = c[i] * c[i] * w
            b[t, i - 1] += v
            b[t, i] += 2.0 * w - 2.0 * v
            b[t, i + 1] += v
            b[t - 1, i] -= w
    return bc


def wave_for_jax(c, u0, steps):
    import jax

    def step(pair, _):
        old, now = pair
        bend = now[2:] - 2.0 * now[1:-1] + now[:-2]
        inner = 2.0 * now[1:-1] - old[1:-1] + c[1:-1] * c[1:-1] * bend
        return (now, jax.numpy.zeros_like(now).at[1:-1].set(inner)), None

    (_, last), _ = jax.lax.scan(step, (u0, u0), None, length=100)
    return jax.numpy.sum(last * last)


def fields(hz, ex, ey, steps):
    """Electric and magnetic fields in two dimensions (FDTD)."""
    hz, ex, ey = hz.copy(), ex.copy(), ey.copy()
    n, m = hz.shape
    for t in range(steps):
        for j in range(m):
            ey[0, j] = float(t)
        for i in range(1, n):
            for j in range(m):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(n):
            for j in range(1, m):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(n - 1):
            for j in range(m - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return np.sum(hz * hz)


def fields_by_hand(hz, ex, ey, steps):
    h, x, y = hz.copy(), ex.copy(), ey.copy()
    n, m = h.shape
    for t in range(steps):
        for j in range(m):
            y[0, j] = float(t)
        for i in range(1, n):
            for j in range(m):
                y[i, j] -= 0.5 * (h[i, j] - h[i - 1, j])
        for i in range(n):
            for j in range(1, m):
                x[i, j] -= 0.5 * (h[i, j] - h[i, j - 1])
        for i in range(n - 1):
            for j in range(m - 1):
                h[i, j] -= 0.7 * (x[i, j + 1] - x[i, j] + y[i + 1, j] - y[i, j])
    bh = 2.0 * h
    bx, by = np.zeros_like(x), np.zeros_like(y)
    for _ in range(steps):
        for i in range(n - 1):
            for j in range(m - 1):
                w = 0.7 * bh[i, j]
                bx[i, j + 1] -= w
                bx[i, j] += w
                by[i + 1, j] -= w
                by[i, j] += w
        for i in range(n):
            for j in range(1, m):
                w = 0.5 * bx[i, j]
                bh[i, j] -= w
                bh[i, j - 1] += w
        for i in range(1, n):
            for j in range(m):
                w = 0.5 * by[i, j]
                bh[i, j] -= w
                bh[i - 1, j] += w
        for j in range(m):
            by[0, j] = 0.0
    return bh


def fields_for_jax(hz, ex, ey, steps):
    import jax

    def step(state, t):
        hz, ex, ey = state
        ey = ey.at[0].set(t)
        ey = ey.at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        change = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return (hz.at[:-1, :-1].add(-0.7 * change), ex, ey), None

    (hz, _, _), _ = jax.lax.scan(step, (hz, ex, ey), jax.numpy.arange(20.0))
    return jax.numpy.sum(hz * hz)
