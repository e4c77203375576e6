"""Functions as people write them for Numba, with their gradients written by hand, and as JAX wants them written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Kernel:
    """A function, its arguments, its gradient by the first of them written by hand, and the function for JAX."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    by_hand: Callable[..., Any] | None = None
    for_jax: Callable[..., Any] | None = None


# A scalar recurrence


def recurrence(x, n):
    h = 0.1
    for _ in range(n):
        h = math.sin(h) * x + 0.5 * h
    return h


def recurrence_by_hand(x, n):
    kept = np.empty(n)
    sines = np.empty(n)
    h = 0.1
    for i in range(n):
        kept[i] = h
        sines[i] = math.sin(h)
        h = sines[i] * x + 0.5 * h
    bh, bx = 1.0, 0.0
    for i in range(n - 1, -1, -1):
        bx += bh * sines[i]
        bh = bh * (math.cos(kept[i]) * x + 0.5)
    return bx


def recurrence_for_jax(x, n):
    import jax

    def step(h, _):
        return jax.numpy.sin(h) * x + 0.5 * h, None

    return jax.lax.scan(step, 0.1 + 0.0 * x, None, length=2000)[0]


# A mixture of Gaussians, in scalar loops


def mixture(means, weights, scales, x):
    n, d = x.shape
    k = weights.shape[0]
    total = 0.0
    for i in range(n):
        s = 0.0
        for j in range(k):
            q = 0.0
            for m in range(d):
                z = (x[i, m] - means[j, m]) * math.exp(scales[j, m])
                q = q + z * z
            s = s + math.exp(weights[j] - 0.5 * q)
        total = total + math.log(s)
    return total


def mixture_by_hand(means, weights, scales, x):
    n, d = x.shape
    k = weights.shape[0]
    bmeans = np.zeros_like(means)
    e = np.empty(k)
    z = np.empty((k, d))
    factors = np.empty((k, d))
    for i in range(n):
        s = 0.0
        for j in range(k):
            q = 0.0
            for m in range(d):
                factors[j, m] = math.exp(scales[j, m])
                z[j, m] = (x[i, m] - means[j, m]) * factors[j, m]
                q += z[j, m] * z[j, m]
            e[j] = math.exp(weights[j] - 0.5 * q)
            s += e[j]
        for j in range(k):
            b = e[j] / s
            for m in range(d):
                bmeans[j, m] += b * z[j, m] * factors[j, m]
    return bmeans


def mixture_for_jax(means, weights, scales, x):
    import jax.numpy as jnp

    z = (x[:, None, :] - means) * jnp.exp(scales)
    return jnp.sum(jnp.log(jnp.sum(jnp.exp(weights - 0.5 * jnp.sum(z * z, axis=2)), axis=1)))


# Stencils


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


# A recurrent network in array operations


def network(w, v, x, steps):
    h = np.zeros(w.shape[0])
    for _ in range(steps):
        h = np.tanh(w @ h + v @ x)
    return np.sum(h * h)


def network_by_hand(w, v, x, steps):
    n = w.shape[0]
    hs = np.zeros((steps + 1, n))
    u = v @ x
    for t in range(steps):
        hs[t + 1] = np.tanh(w @ hs[t] + u)
    bw = np.zeros_like(w)
    bh = 2.0 * hs[steps]
    for t in range(steps - 1, -1, -1):
        bz = bh * (1.0 - hs[t + 1] * hs[t + 1])
        for i in range(n):
            for j in range(n):
                bw[i, j] += bz[i] * hs[t, j]
        bh = bz @ w
    return bw


def network_for_jax(w, v, x, steps):
    import jax

    def step(h, _):
        return jax.numpy.tanh(w @ h + v @ x), None

    h = jax.lax.scan(step, jax.numpy.zeros(w.shape[0]), None, length=40)[0]
    return jax.numpy.sum(h * h)


KERNELS = (
    Kernel("recurrence", recurrence, (0.9, 2000), recurrence_by_hand, recurrence_for_jax),
    Kernel("mixture", mixture, (RNG.normal(size=(5, 3)), RNG.normal(size=5), RNG.normal(size=(5, 3)) * 0.1,
                                RNG.normal(size=(500, 3))), mixture_by_hand, mixture_for_jax),
    Kernel("heat", heat, (RNG.random((60, 60)), 20), heat_by_hand, heat_for_jax),
    Kernel("smooth", smooth, (RNG.random(1000), 50), smooth_by_hand, smooth_for_jax),
    Kernel("relax", relax, (RNG.random((30, 30)) * 0.3, 3), relax_by_hand, relax_for_jax),
    Kernel("network", network, (RNG.normal(size=(20, 20)) * 0.2, RNG.normal(size=(20, 8)), RNG.normal(size=8), 40),
           network_by_hand, network_for_jax),
)  # fmt: skip
