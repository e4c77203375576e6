"""Scalar code in loops: a recurrence, and a mixture of Gaussians."""

from __future__ import annotations

import math

import numpy as np


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
