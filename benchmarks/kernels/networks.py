"""Recurrent networks: in array operations, and gate by gate."""

from __future__ import annotations

import math

import numpy as np


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


def lstm(w, xs, h0, c0):
    """A chain of gated cells with a weight for each unit and gate, unit by unit; the last layer feeds nothing."""
    steps, units = xs.shape
    h, c = h0.copy(), c0.copy()
    total = 0.0
    for t in range(steps):
        for i in range(units):
            forget = 1.0 / (1.0 + math.exp(-(xs[t, i] * w[0, i] + w[4, i])))
            take = 1.0 / (1.0 + math.exp(-(h[i] * w[1, i] + w[5, i])))
            give = 1.0 / (1.0 + math.exp(-(xs[t, i] * w[2, i] + w[6, i])))
            change = math.tanh(h[i] * w[3, i] + w[7, i])
            c[i] = c[i] * forget + take * change
            h[i] = give * math.tanh(c[i])
            total += (h[i] - xs[t, i]) * (h[i] - xs[t, i])
    return total


def lstm_by_hand(w, xs, h0, c0):
    steps, units = xs.shape
    h, c = h0.copy(), c0.copy()
    kept = np.empty((steps, units, 8))
    for t in range(steps):
        for i in range(units):
            forget = 1.0 / (1.0 + math.exp(-(xs[t, i] * w[0, i] + w[4, i])))
            take = 1.0 / (1.0 + math.exp(-(h[i] * w[1, i] + w[5, i])))
            give = 1.0 / (1.0 + math.exp(-(xs[t, i] * w[2, i] + w[6, i])))
            change = math.tanh(h[i] * w[3, i] + w[7, i])
            k = kept[t, i]
            k[0], k[1], k[2], k[3], k[4], k[5] = forget, take, give, change, h[i], c[i]
            c[i] = c[i] * forget + take * change
            k[6] = math.tanh(c[i])
            h[i] = give * k[6]
            k[7] = 2.0 * (h[i] - xs[t, i])
    bw = np.zeros_like(w)
    bh, bc = np.zeros(units), np.zeros(units)
    for t in range(steps - 1, -1, -1):
        for i in range(units):
            k = kept[t, i]
            forget, take, give, change, old, before, out = k[0], k[1], k[2], k[3], k[4], k[5], k[6]
            b = bh[i] + k[7]
            z = b * out * give * (1.0 - give)
            bw[2, i] += z * xs[t, i]
            bw[6, i] += z
            b = bc[i] + b * give * (1.0 - out * out)
            z = b * before * forget * (1.0 - forget)
            bw[0, i] += z * xs[t, i]
            bw[4, i] += z
            z = b * change * take * (1.0 - take)
            bw[1, i] += z * old
            bw[5, i] += z
            y = b * take * (1.0 - change * change)
            bw[3, i] += y * old
            bw[7, i] += y
            bh[i] = z * w[1, i] + y * w[3, i]
            bc[i] = b * forget
    return bw


def lstm_for_jax(w, xs, h0, c0):
    import jax
    import jax.numpy as jnp

    def step(state, x):
        h, c = state
        forget, give = jax.nn.sigmoid(x * w[0] + w[4]), jax.nn.sigmoid(x * w[2] + w[6])
        take, change = jax.nn.sigmoid(h * w[1] + w[5]), jnp.tanh(h * w[3] + w[7])
        c = c * forget + take * change
        h = give * jnp.tanh(c)
        return (h, c), jnp.sum((h - x) ** 2)

    return jnp.sum(jax.lax.scan(step, (h0, c0), xs)[1])
