"""Derivatives by hand of the kernels in `inplace.py`: in place, keeping only what is read, with what experts know."""

from __future__ import annotations

import numpy as np

from benchmarks import inplace


def gauss_seidel(a, b, sweeps):
    x = np.zeros_like(b)
    n = len(b)
    kept = np.empty((sweeps, n))
    for sweep in range(sweeps):
        kept[sweep] = x
        inplace.gauss_seidel(x, a, b)
    bx, ba, bb = 2.0 * x, np.zeros_like(a), np.zeros_like(b)
    for old in kept[::-1]:
        for i in reversed(range(n)):
            t = bx[i] / a[i, i]
            bx[i] = 0.0
            bb[i] += t
            ba[i, i] -= t * x[i]
            x[i] = old[i]
            ba[i, :i] -= t * x[:i]
            ba[i, i + 1 :] -= t * x[i + 1 :]
            bx[:i] -= t * a[i, :i]
            bx[i + 1 :] -= t * a[i, i + 1 :]
    return ba, bb


def adi(u, lower, diagonal, upper, steps):
    """The adjoint of a solution is the solution of the transposed system."""
    u = u.copy()
    kept = []
    for _ in range(steps):
        for i in range(u.shape[0]):
            inplace.thomas(lower, diagonal, upper, u[i])
        kept.append(u.copy())
        for j in range(u.shape[1]):
            inplace.thomas(lower, diagonal, upper, u[:, j])
        kept.append(u.copy())
    below, above = np.roll(upper, 1), np.roll(lower, -1)
    b, bdiagonal = 2.0 * u, np.zeros_like(diagonal)
    for _ in range(steps):
        u = kept.pop()
        for j in range(u.shape[1]):
            inplace.thomas(below, diagonal, above, b[:, j])
        bdiagonal -= np.sum(b * u, axis=1)
        u = kept.pop()
        for i in range(u.shape[0]):
            inplace.thomas(below, diagonal, above, b[i])
        bdiagonal -= np.sum(b * u, axis=0)
    return b, bdiagonal


def fdtd(ez, c, steps):
    ez = ez.copy()
    hx, hy = np.zeros_like(ez), np.zeros_like(ez)
    for _ in range(steps):
        inplace.fdtd(ez, hx, hy, c)
    be, bx, by = 2.0 * ez, np.zeros_like(ez), np.zeros_like(ez)
    for _ in range(steps):
        t = c * be[1:-1, 1:-1]
        by[1:-1, 1:-1] += t
        by[:-2, 1:-1] -= t
        bx[1:-1, 1:-1] -= t
        bx[1:-1, :-2] += t
        t = c * by[:-1, :]
        be[1:, :] += t
        be[:-1, :] -= t
        t = c * bx[:, :-1]
        be[:, 1:] -= t
        be[:, :-1] += t
    return be


def cholesky(a):
    a = a.copy()
    inplace.cholesky(a)
    n = len(a)
    b = np.zeros_like(a)
    b[np.arange(n), np.arange(n)] = 1.0 / np.diag(a)
    for j in reversed(range(n)):
        column, row = a[j + 1 :, j], a[j, :j]
        bc = b[j + 1 :, j]
        b[j, j] -= bc @ column / a[j, j]
        bc /= a[j, j]
        b[j + 1 :, :j] -= bc[:, None] * row
        b[j, j] /= 2.0 * a[j, j]
        b[j, :j] -= bc @ a[j + 1 :, :j] + 2.0 * b[j, j] * row
    return b


def solve(a, b):
    x = b.copy()
    inplace.solve_triangular(a, x)
    bx, ba = 2.0 * x, np.zeros_like(a)
    for i in reversed(range(len(b))):
        t = bx[i] = bx[i] / a[i, i]
        bx[:i] -= t * a[i, :i]
        ba[i, : i + 1] = -t * x[: i + 1]
    return ba, bx


def floyd_warshall(d):
    d = d.copy()
    kept = []
    for k in range(len(d)):
        way = d[:, k, None] + d[None, k, :]
        kept.append(way < d)
        np.minimum(d, way, out=d)
    b = np.ones_like(d)
    for k in reversed(range(len(d))):
        t = b * kept[k]
        b -= t
        b[:, k] += t.sum(axis=1)
        b[k] += t.sum(axis=0)
    return b


def bodies(x, v, dt, steps):
    x, v = x.copy(), v.copy()
    f = np.zeros_like(x)
    kept = []
    for _ in range(steps):
        kept.append(x.copy())
        inplace.forces(x, f)
        v += dt * f
        x += dt * v
    bx, bv = 2.0 * x, np.zeros_like(v)
    for x in reversed(kept):
        bv += dt * bx
        bf = dt * bv
        for i in range(len(x)):
            r = x - x[i]
            s = np.sum(r * r, axis=1) + 0.1
            g = 1.0 / (s * np.sqrt(s))
            br = g[:, None] * bf[i] - r * (3.0 * (r @ bf[i]) * g / s)[:, None]
            bx += br
            bx[i] -= br.sum(axis=0)
    return bx, bv


def pulled(y, b):
    """The transposed Jacobian of the slope at y, times b."""
    return np.array([-b[1] * (2.0 * y[0] * y[1] + 1.0), b[0] + b[1] * (1.0 - y[0] * y[0])])


def rk4(y, dt, steps):
    y = y.copy()
    k1, k2, k3, k4 = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    kept = []
    for _ in range(steps):
        inplace.slope(y, k1)
        y2 = y + 0.5 * dt * k1
        inplace.slope(y2, k2)
        y3 = y + 0.5 * dt * k2
        inplace.slope(y3, k3)
        y4 = y + dt * k3
        inplace.slope(y4, k4)
        kept.append((y, y2, y3, y4))
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    b = 2.0 * y
    while kept:
        y, y2, y3, y4 = kept.pop()
        b1 = dt / 6.0 * b
        t4 = pulled(y4, b1)
        t3 = pulled(y3, 2.0 * b1 + dt * t4)
        t2 = pulled(y2, 2.0 * b1 + 0.5 * dt * t3)
        b = b + t4 + t3 + t2 + pulled(y, b1 + 0.5 * dt * t2)
    return b
