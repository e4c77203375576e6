"""Bodies that attract each other, shortest ways, and chains of joints as in hand tracking."""

from __future__ import annotations

import math

import numpy as np


def attraction(x, v, m, steps, dt):
    """Bodies in space, step by step."""
    x, v = x.copy(), v.copy()
    n = x.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                r = dx * dx + dy * dy + dz * dz + 0.01
                f = m[j] / (r * math.sqrt(r))
                ax += f * dx
                ay += f * dy
                az += f * dz
            v[i, 0] += dt * ax
            v[i, 1] += dt * ay
            v[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                x[i, k] += dt * v[i, k]
    return np.sum(x * x)


def attraction_by_hand(x, v, m, steps, dt):
    x, v = x.copy(), v.copy()
    n = x.shape[0]
    kept = np.empty((steps, n, n, 5))
    for s in range(steps):
        for i in range(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                r = dx * dx + dy * dy + dz * dz + 0.01
                f = m[j] / (r * math.sqrt(r))
                kept[s, i, j, 0] = dx
                kept[s, i, j, 1] = dy
                kept[s, i, j, 2] = dz
                kept[s, i, j, 3] = r
                kept[s, i, j, 4] = f
                ax += f * dx
                ay += f * dy
                az += f * dz
            v[i, 0] += dt * ax
            v[i, 1] += dt * ay
            v[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                x[i, k] += dt * v[i, k]
    bx, bv = 2.0 * x, np.zeros_like(v)
    for s in range(steps - 1, -1, -1):
        for i in range(n):
            for k in range(3):
                bv[i, k] += dt * bx[i, k]
        for i in range(n):
            bax, bay, baz = dt * bv[i, 0], dt * bv[i, 1], dt * bv[i, 2]
            for j in range(n):
                dx, dy, dz = kept[s, i, j, 0], kept[s, i, j, 1], kept[s, i, j, 2]
                r, f = kept[s, i, j, 3], kept[s, i, j, 4]
                br = -3.0 * (bax * dx + bay * dy + baz * dz) * f / r
                bdx, bdy, bdz = bax * f + br * dx, bay * f + br * dy, baz * f + br * dz
                bx[j, 0] += bdx
                bx[j, 1] += bdy
                bx[j, 2] += bdz
                bx[i, 0] -= bdx
                bx[i, 1] -= bdy
                bx[i, 2] -= bdz
    return bx


def attraction_for_jax(x, v, m, steps, dt):
    import jax
    import jax.numpy as jnp

    def step(state, _):
        x, v = state
        d = x[None] - x[:, None]
        r = jnp.sum(d * d, axis=2) + 0.01
        v = v + dt * jnp.sum((m / (r * jnp.sqrt(r)))[:, :, None] * d, axis=1)
        return (x + dt * v, v), None

    (x, _), _ = jax.lax.scan(step, (x, v), None, length=10)
    return jnp.sum(x * x)


def shortest(w):
    """The lengths of all shortest ways (Floyd and Warshall)."""
    d = w.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return np.sum(d)


def shortest_by_hand(w):
    d = w.copy()
    n = d.shape[0]
    taken = np.empty((n, n, n), np.bool_)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                taken[k, i, j] = d[i, k] + d[k, j] < d[i, j]
                if taken[k, i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    b = np.ones_like(d)
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, -1, -1):
            for j in range(n - 1, -1, -1):
                if taken[k, i, j]:
                    g = b[i, j]
                    b[i, j] = 0.0
                    b[k, j] += g
                    b[i, k] += g
    return b


def shortest_for_jax(w):
    import jax
    import jax.numpy as jnp

    def through(d, k):
        other = d[:, k, None] + d[None, k]
        return jnp.where(other < d, other, d), None

    return jnp.sum(jax.lax.scan(through, w, jnp.arange(w.shape[0]))[0])


def fingers(angles, offsets, targets):
    """The ends of chains of joints, each turned and moved against the one before."""
    chains, joints = angles.shape
    total = 0.0
    r, p = np.zeros((3, 3)), np.zeros(3)
    for f in range(chains):
        for i in range(3):
            p[i] = 0.0
            for k in range(3):
                r[i, k] = 0.0
            r[i, i] = 1.0
        for j in range(joints):
            c, s = math.cos(angles[f, j]), math.sin(angles[f, j])
            u, v = j % 3, (j + 1) % 3
            for i in range(3):
                a, b = r[i, u], r[i, v]
                r[i, u] = a * c + b * s
                r[i, v] = b * c - a * s
            for i in range(3):
                p[i] += r[i, 0] * offsets[f, j, 0] + r[i, 1] * offsets[f, j, 1] + r[i, 2] * offsets[f, j, 2]
        for i in range(3):
            total += (p[i] - targets[f, i]) * (p[i] - targets[f, i])
    return total


def fingers_by_hand(angles, offsets, targets):
    chains, joints = angles.shape
    out = np.zeros_like(angles)
    kept = np.empty((joints, 3, 2))
    cosines, sines = np.empty(joints), np.empty(joints)
    r, p, br = np.zeros((3, 3)), np.zeros(3), np.zeros((3, 3))
    for f in range(chains):
        r[:] = 0.0
        p[:] = 0.0
        br[:] = 0.0
        for i in range(3):
            r[i, i] = 1.0
        for j in range(joints):
            c, s = math.cos(angles[f, j]), math.sin(angles[f, j])
            cosines[j], sines[j] = c, s
            u, v = j % 3, (j + 1) % 3
            for i in range(3):
                a, b = r[i, u], r[i, v]
                kept[j, i, 0], kept[j, i, 1] = a, b
                r[i, u] = a * c + b * s
                r[i, v] = b * c - a * s
            for i in range(3):
                p[i] += r[i, 0] * offsets[f, j, 0] + r[i, 1] * offsets[f, j, 1] + r[i, 2] * offsets[f, j, 2]
        for j in range(joints - 1, -1, -1):
            c, s = cosines[j], sines[j]
            u, v = j % 3, (j + 1) % 3
            bc, bs = 0.0, 0.0
            for i in range(3):
                g = 2.0 * (p[i] - targets[f, i])
                br[i, 0] += g * offsets[f, j, 0]
                br[i, 1] += g * offsets[f, j, 1]
                br[i, 2] += g * offsets[f, j, 2]
                a, b = kept[j, i, 0], kept[j, i, 1]
                x, y = br[i, u], br[i, v]
                bc += x * a + y * b
                bs += x * b - y * a
                br[i, u] = x * c - y * s
                br[i, v] = x * s + y * c
            out[f, j] = bs * c - bc * s
    return out


def fingers_for_jax(angles, offsets, targets):
    import jax
    import jax.numpy as jnp

    def one(angles, offsets, target):
        def joint(state, given):
            r, p = state
            j, angle, offset = given
            c, s = jnp.cos(angle), jnp.sin(angle)
            u, v = j % 3, (j + 1) % 3
            a, b = r[:, u], r[:, v]
            r = r.at[:, u].set(a * c + b * s).at[:, v].set(b * c - a * s)
            return (r, p + r @ offset), None

        start = (jnp.eye(3), jnp.zeros(3))
        (_, p), _ = jax.lax.scan(joint, start, (jnp.arange(angles.shape[0]), angles, offsets))
        return jnp.sum((p - target) ** 2)

    return jnp.sum(jax.vmap(one)(angles, offsets, targets))
