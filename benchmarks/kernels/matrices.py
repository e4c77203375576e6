"""Linear algebra in loops, in place."""

from __future__ import annotations

import math

import numpy as np


def cholesky(a):
    """The logarithm of the determinant, by the factor."""
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(a[i, i])
    s = 0.0
    for i in range(n):
        s += math.log(a[i, i])
    return s


def cholesky_by_hand(a):
    f = a.copy()
    n = f.shape[0]
    for i in range(n):
        for j in range(i):
            s = f[i, j]
            for k in range(j):
                s -= f[i, k] * f[j, k]
            f[i, j] = s / f[j, j]
        s = f[i, i]
        for k in range(i):
            s -= f[i, k] * f[i, k]
        f[i, i] = math.sqrt(s)
    b = np.zeros_like(f)
    for i in range(n):
        b[i, i] = 1.0 / f[i, i]
    for i in range(n - 1, -1, -1):
        w = b[i, i] / (2.0 * f[i, i])
        b[i, i] = w
        for k in range(i):
            b[i, k] -= 2.0 * w * f[i, k]
        for j in range(i - 1, -1, -1):
            w = b[i, j] / f[j, j]
            b[j, j] -= w * f[i, j]
            b[i, j] = w
            for k in range(j):
                b[i, k] -= w * f[j, k]
                b[j, k] -= w * f[i, k]
    return b


def cholesky_for_jax(a):
    import jax
    import jax.numpy as jnp

    n = a.shape[0]
    rows = jnp.arange(n)

    def column(f, j):
        left = jnp.where(rows < j, f[j], 0.0)
        col = a[:, j] - f @ left
        pivot = jnp.sqrt(col[j])
        return f.at[:, j].set(jnp.where(rows < j, 0.0, col / pivot)), None

    f, _ = jax.lax.scan(column, jnp.zeros_like(a), rows)
    return jnp.sum(jnp.log(jnp.diagonal(f)))


def elimination(a):
    """Factors without pivoting; the squares of the pivots."""
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    s = 0.0
    for i in range(n):
        s += a[i, i] * a[i, i]
    return s


def elimination_by_hand(a):
    f = a.copy()
    n = f.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            w = f[i, k] / f[k, k]
            f[i, k] = w
            for j in range(k + 1, n):
                f[i, j] -= w * f[k, j]
    b = np.zeros_like(f)
    for i in range(n):
        b[i, i] = 2.0 * f[i, i]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            w, s = f[i, k], b[i, k]
            for j in range(k + 1, n):
                b[k, j] -= b[i, j] * w
                s -= b[i, j] * f[k, j]
            b[i, k] = s / f[k, k]
            b[k, k] -= s * w / f[k, k]
    return b


def elimination_for_jax(a):
    import jax
    import jax.numpy as jnp

    n = a.shape[0]
    rows = jnp.arange(n)

    def column(a, k):
        w = jnp.where(rows > k, a[:, k] / a[k, k], 0.0)
        right = jnp.where(rows > k, a[k], 0.0)
        return (a - jnp.outer(w, right)).at[:, k].set(jnp.where(rows > k, w, a[:, k])), None

    a, _ = jax.lax.scan(column, a, rows)
    return jnp.sum(jnp.diagonal(a) ** 2)


def substitution(a, b):
    """The solution of a triangular system."""
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        t = b[i]
        for j in range(i):
            t -= a[i, j] * x[j]
        x[i] = t / a[i, i]
    return np.sum(x * x)


def substitution_by_hand(a, b):
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        t = b[i]
        for j in range(i):
            t -= a[i, j] * x[j]
        x[i] = t / a[i, i]
    ba, bx = np.zeros_like(a), 2.0 * x
    for i in range(n - 1, -1, -1):
        w = bx[i] / a[i, i]
        ba[i, i] = -w * x[i]
        for j in range(i):
            bx[j] -= w * a[i, j]
            ba[i, j] = -w * x[j]
    return ba


def substitution_for_jax(a, b):
    import jax
    import jax.numpy as jnp

    def row(x, i):
        return x.at[i].set((b[i] - a[i] @ x) / a[i, i]), None

    x, _ = jax.lax.scan(row, jnp.zeros_like(b), jnp.arange(b.shape[0]))
    return jnp.sum(x * x)


def levinson(r):
    """Durbin's recursion for a Toeplitz system."""
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        s = 0.0
        for i in range(k):
            s += r[k - i - 1] * y[i]
        alpha = -(r[k] + s) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y * y)


def levinson_by_hand(r):
    n = r.shape[0]
    y, z = np.zeros(n), np.zeros(n)
    ys = np.zeros((n, n))
    alphas, betas = np.zeros(n), np.zeros(n)
    y[0] = -r[0]
    alphas[0], betas[0] = -r[0], 1.0
    for k in range(1, n):
        betas[k] = (1.0 - alphas[k - 1] * alphas[k - 1]) * betas[k - 1]
        s = 0.0
        for i in range(k):
            ys[k, i] = y[i]
            s += r[k - i - 1] * y[i]
        alphas[k] = -(r[k] + s) / betas[k]
        for i in range(k):
            z[i] = y[i] + alphas[k] * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alphas[k]
    br, by, bz = np.zeros(n), 2.0 * y, np.zeros(n)
    balpha = bbeta = 0.0
    for k in range(n - 1, 0, -1):
        balpha += by[k]
        by[k] = 0.0
        for i in range(k):
            bz[i] = by[i]
        for i in range(k):
            balpha += bz[i] * ys[k, k - i - 1]
            by[k - i - 1] += alphas[k] * bz[i]
        bbeta -= balpha * alphas[k] / betas[k]
        bs = -balpha / betas[k]
        br[k] += bs
        for i in range(k):
            br[k - i - 1] += bs * ys[k, i]
            by[i] += bs * r[k - i - 1]
        balpha = -2.0 * alphas[k - 1] * betas[k - 1] * bbeta
        bbeta *= 1.0 - alphas[k - 1] * alphas[k - 1]
    br[0] -= by[0] + balpha
    return br


def levinson_for_jax(r):
    import jax
    import jax.numpy as jnp

    n = r.shape[0]
    rows = jnp.arange(n)

    def step(state, k):
        y, alpha, beta = state
        beta = (1.0 - alpha * alpha) * beta
        back = jnp.where(rows < k, r[(k - rows - 1) % n], 0.0)
        alpha = -(r[k] + jnp.sum(back * y)) / beta
        turned = jnp.where(rows < k, y[(k - rows - 1) % n], 0.0)
        return ((y + alpha * turned).at[k].set(alpha), alpha, beta), None

    start = jnp.zeros(n).at[0].set(-r[0])
    (y, _, _), _ = jax.lax.scan(step, (start, -r[0], 1.0 + 0.0 * r[0]), jnp.arange(1, n))
    return jnp.sum(y * y)


def diffusion(values, columns, starts, x, steps):
    """A sparse matrix applied again and again."""
    n = x.shape[0]
    u = x.copy()
    y = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            t = 0.0
            for k in range(starts[i], starts[i + 1]):
                t += values[k] * u[columns[k]]
            y[i] = t
        for i in range(n):
            u[i] = math.tanh(y[i])
    return np.sum(u * u)


def diffusion_by_hand(values, columns, starts, x, steps):
    n = x.shape[0]
    us = np.zeros((steps + 1, n))
    us[0] = x
    for s in range(steps):
        for i in range(n):
            t = 0.0
            for k in range(starts[i], starts[i + 1]):
                t += values[k] * us[s, columns[k]]
            us[s + 1, i] = math.tanh(t)
    b = np.zeros_like(values)
    bu, bold = 2.0 * us[steps], np.zeros(n)
    for s in range(steps - 1, -1, -1):
        bold[:] = 0.0
        for i in range(n):
            w = bu[i] * (1.0 - us[s + 1, i] * us[s + 1, i])
            for k in range(starts[i], starts[i + 1]):
                b[k] += w * us[s, columns[k]]
                bold[columns[k]] += w * values[k]
        bu, bold = bold, bu
    return b


def diffusion_for_jax(values, columns, starts, x, steps):
    import jax
    import jax.numpy as jnp

    n = x.shape[0]
    rows = jnp.repeat(jnp.arange(n), 5)

    def step(u, _):
        return jnp.tanh(jnp.zeros(n).at[rows].add(values * u[columns])), None

    u, _ = jax.lax.scan(step, x, None, length=20)
    return jnp.sum(u * u)
