"""Small numerical kernels as scientists write them: loops over elements, buffers, stencils, recurrences, sums."""

import math

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"a": positive(3, 3) + np.eye(3), "b": signed(3)})
def elimination_without_pivots(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program({"a": signed(3, 3)})
def elimination_with_row_swaps(a):
    u = a.copy()
    sign = 1.0
    for k in range(2):
        p = k + np.argmax(np.abs(u[k:, k]))
        if p != k:
            u[[k, p]] = u[[p, k]]
            sign = -sign
        u[k + 1 :, k:] -= np.outer(u[k + 1 :, k] / u[k, k], u[k, k:])
    return sign * np.prod(np.diag(u))


@program({"a": positive(3, 3) + 2 * np.eye(3)})
def square_root_of_a_matrix(a):
    low = np.zeros_like(a)
    for j in range(3):
        below = 0.0
        for k in range(j):
            below += low[j, k] ** 2
        low[j, j] = math.sqrt(a[j, j] - below)
        for i in range(j + 1, 3):
            inner = 0.0
            for k in range(j):
                inner += low[i, k] * low[j, k]
            low[i, j] = (a[i, j] - inner) / low[j, j]
    return low


@program({"low": positive(4), "diag": positive(5) + 2.0, "up": positive(4), "rhs": signed(5)})
def tridiagonal_system(low, diag, up, rhs):
    n = len(diag)
    c, d = np.zeros(n - 1), np.zeros(n)
    c[0] = up[0] / diag[0]
    d[0] = rhs[0] / diag[0]
    for i in range(1, n):
        pivot = diag[i] - low[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = up[i] / pivot
        d[i] = (rhs[i] - low[i - 1] * d[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


@program({"r": 0.1 * positive(4)})
def toeplitz_recursion(r):
    y = np.empty_like(r)
    reflection, energy = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        energy *= 1.0 - reflection * reflection
        reflection = -(r[k] + np.dot(r[:k][::-1], y[:k])) / energy
        y[:k] += reflection * np.flip(y[:k])
        y[k] = reflection
    return y


@program({"m": positive(3, 3), "b": signed(3), "n": 2})
def conjugate_gradients_with_buffers(m, b, n):
    m = m @ m.T + np.eye(3)
    x, r = np.zeros_like(b), b.copy()
    p, mp, scaled = r.copy(), np.empty_like(b), np.empty_like(b)
    size = r @ r
    for _ in range(n):
        np.dot(m, p, out=mp)
        step = size / (p @ mp)
        np.multiply(p, step, out=scaled)
        x += scaled
        np.multiply(mp, step, out=scaled)
        r -= scaled
        old, size = size, r @ r
        p *= size / old
        p += r
    return x


@program({"u": signed(6), "speed": positive(6), "n": 3})
def wave_with_three_levels(u, speed, n):
    before, after = u.copy(), np.zeros_like(u)
    for _ in range(n):
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.1 * speed[1:-1] ** 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        before, u, after = u, after, before
    return u


@program({"ex": signed(3, 4), "ey": signed(3, 4), "hz": signed(3, 4), "source": signed(2)})
def staggered_grid(ex, ey, hz, source):
    for t in range(2):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


@program({"grid": positive(2, 4, 4), "feed": 0.04}, orders=1)
def two_species_in_one_array(grid, feed):
    u, v = grid[0, 1:-1, 1:-1], grid[1, 1:-1, 1:-1]
    for _ in range(2):
        around = grid[0, :-2, 1:-1] + grid[0, 2:, 1:-1] + grid[0, 1:-1, :-2] + grid[0, 1:-1, 2:]
        reaction = u * v * v
        u += 0.1 * (around - 4 * u) - reaction + feed * (1 - u)
        v += reaction - (feed + 0.06) * v
    return grid


@program({"image": positive(4, 4), "mask": signed(2, 2)})
def filter_with_four_loops(image, mask):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            total = 0
            for k in range(2):
                for m in range(2):
                    total += mask[1 - k, 1 - m] * image[i + k, j + m]
            out[i, j] = total
    return out


@program({"x": signed(1, 4, 4, 1), "w": signed(2, 2, 1, 2), "b": signed(2)})
def convolution_and_pooling(x, w, b):
    n, size = x.shape[0], x.shape[1] - w.shape[0] + 1
    out = np.empty((n, size, size, w.shape[3]))
    for i in range(size):
        for j in range(size):
            window = x[:, i : i + w.shape[0], j : j + w.shape[1], :, np.newaxis]
            out[:, i, j, :] = np.sum(window * w[np.newaxis], axis=(1, 2, 3))
    return np.max(np.tanh(out + b)[:, :2, :2], axis=(1, 2))


@program({"a": positive(4, 4)})
def relaxation_with_residual(a):
    new = np.zeros_like(a)
    worst = 0.0
    for _ in range(2):
        worst = 0.0
        for i in range(1, 3):
            for j in range(1, 3):
                new[i, j] = 0.25 * (a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
                worst = max(worst, abs(new[i, j] - a[i, j]))
        a[1:3, 1:3] = new[1:3, 1:3]
    return a, worst


@program({"table": 5 * positive(4, 4)})
def shortest_paths(table):
    for k in range(4):
        for i in range(4):
            table[i, :] = np.minimum(table[i, :], table[i, k] + table[k, :])
    return table


def _soft_minimum(a, b, c, width):
    low = min(a, b, c)
    total = 0.0
    for v in (a, b, c):
        total += math.exp((low - v) / width)
    return low - width * math.log(total)


@program({"x": signed(2), "y": signed(3), "width": 0.7})
def soft_alignment(x, y, width):
    cost = (x[:, None] - y[None, :]) ** 2
    best = np.full((3, 4), 50.0)
    best[0, 0] = 0.0
    for i in range(1, 3):
        for j in range(1, 4):
            before = _soft_minimum(best[i - 1, j], best[i - 1, j - 1], best[i, j - 1], width)
            best[i, j] = cost[i - 1, j - 1] + before
    return best[2, 3]


@program({"start": positive(2), "move": positive(2, 2), "show": positive(2, 3), "seen": [0, 2, 1]})
def hidden_states(start, move, show, seen):
    alpha, scale = np.zeros((3, 2)), np.zeros(3)
    for t in range(3):
        for j in range(2):
            reach = start[j] if t == 0 else alpha[t - 1] @ move[:, j]
            alpha[t, j] = reach * show[j, seen[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    return np.log(scale).sum()


@program({"spot": 100.0, "strike": 103.0, "rate": 0.05, "vol": 0.3, "n": 3})
def american_option_tree(spot, strike, rate, vol, n):
    up = math.exp(vol * math.sqrt(1.0 / n))
    weight = (math.exp(rate / n) - 1 / up) / (up - 1 / up)
    value = np.zeros(n + 1)
    for j in range(n + 1):
        value[j] = max(strike - spot * up ** (2 * j - n), 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = math.exp(-rate / n) * (weight * value[j + 1] + (1 - weight) * value[j])
            value[j] = max(hold, strike - spot * up ** (2 * j - i))
    return value[0]


@program({"spot": 1.2, "v0": 0.05, "rho": -0.5, "z": signed(2, 3, 2)})
def stochastic_volatility_paths(spot, v0, rho, z):
    s, v = np.full(2, spot), np.full(2, v0)
    for t in range(3):
        other = rho * z[0, t] + np.sqrt(1 - rho**2) * z[1, t]
        s *= np.exp(-0.05 * v + np.sqrt(0.1 * v) * z[0, t])
        v += 0.1 * (0.04 - v) + 0.02 * np.sqrt(v) * other
    return np.where(s > 1.0, s - 1.0, 0.0).mean()


@program({"x": signed(3, 2), "m": positive(3)})
def pair_forces(x, m):
    force, energy = np.zeros_like(x), 0.0
    for i in range(2):
        for j in range(i + 1, 3):
            r = x[i] - x[j]
            r2 = r @ r + 0.1
            energy -= m[i] * m[j] / np.sqrt(r2)
            f = m[i] * m[j] * r / r2**1.5
            force[i] -= f
            force[j] += f
    return energy, force


@program({"x": np.array([0.13, 0.81, 0.47]), "v": signed(3), "charge": 0.7})
def charges_on_a_grid(x, v, charge):
    cell = np.floor(x * 4).astype(int)
    right = x * 4 - cell
    density = np.zeros(5)
    np.add.at(density, cell, charge * (1 - right))
    np.add.at(density, cell + 1, charge * right)
    density -= density.mean()
    return v - charge * ((1 - right) * density[cell] + right * density[cell + 1])


@program({"x": signed(8)})
def wavelet_in_place(x):
    x = x.copy()
    half, n = np.zeros(8), 8
    while n > 1:
        n //= 2
        for i in range(n):
            half[i] = (x[2 * i] + x[2 * i + 1]) / math.sqrt(2)
            half[n + i] = (x[2 * i] - x[2 * i + 1]) / math.sqrt(2)
        x[: 2 * n] = half[: 2 * n]
    return x


@program({"x": signed(4) + 1j * signed(4)})
def fourier_in_place(x):
    x = np.array(x[[0, 2, 1, 3]], dtype=complex)
    length = 2
    while length <= 4:
        turn = np.exp(-2j * np.pi / length)
        for i in range(0, 4, length):
            w = 1.0
            for k in range(length // 2):
                u, v = x[i + k], x[i + k + length // 2] * w
                x[i + k], x[i + k + length // 2] = u + v, u - v
                w *= turn
        length *= 2
    return x


@program({"x": positive(3)})
def real_part_squared(x):
    z = x * (1 + 0.5j)
    return np.sum(z.real**2) + np.sum(z.imag**3)


@program({"c": positive(4), "n": 3})
def orbits_until_they_leave(c, n):
    z = np.zeros(4, dtype=complex)
    for _ in range(n):
        inside = np.abs(z) < 2.0
        z[inside] = z[inside] ** 2 + c[inside] * (1 + 0.3j)
    return np.sum(z.real**2 + z.imag)


@program({"rows": [0, 2, 2, 3], "columns": np.array([0, 2, 1]), "values": signed(3), "x": signed(3)})
def sparse_product(rows, columns, values, x):
    y = np.empty(3)
    for i in range(3):
        part = slice(rows[i], rows[i + 1])
        y[i] = values[part] @ x[columns[part]]
    return y


@program({"m": positive(2, 1), "x": signed(2, 3), "v": signed(2, 3)})
def energies_along_a_path(m, x, v):
    v -= np.mean(m * v, axis=0) / np.mean(m)
    energy = np.ndarray(3, dtype=np.float64)
    for i in range(3):
        v += 0.05 * x[::-1] * m
        x += 0.1 * v
        energy[i] = 0.5 * np.sum(m * v**2)
    return energy


@program({"y0": signed(2), "rate": positive(2)})
def runge_kutta_with_a_table(y0, rate):
    weights, y = ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), y0.copy()
    k = np.zeros((4, 2))
    for _ in range(2):
        for stage in range(4):
            change = np.zeros(2)
            for j, w in enumerate(weights[stage]):
                change += w * k[j]
            z = y + 0.1 * change
            k[stage] = np.array([rate[0] * z[0] - z[0] * z[1], z[0] * z[1] - rate[1] * z[1]])
        y = y + 0.1 * sum(b * k[j] for j, b in enumerate((1 / 6, 1 / 3, 1 / 3, 1 / 6)))
    return y


@program({"x": np.array([0.5, 1.5, 0.7]), "y": signed(3)})
def division_where_it_is_defined(x, y):
    out = y * y
    np.divide(y, x - 0.6, out=out, where=x > 0.6)
    return out


@program({"a": signed(2, 3), "b": signed(3, 2), "n": 2})
def sums_of_all_kinds(a, b, n):
    out, trace = np.zeros((2, 2)), 0.0
    for i in range(n):
        inner = 0.0
        for k in range(3):
            inner += a[i, k] * b[k, i]
            inner -= b[k, i]
        out += inner * a[:, :2]
        out += b[i]
        trace = np.tanh(inner) + trace
    return out, trace


@program({"x": signed(3), "w": 1.2}, {"x": 0.4, "w": -0.3})
def sum_that_grows_in_shape(x, w):
    total = 0.0
    for i in range(3):
        if i == 1:
            total += x * w
        else:
            total -= w * i
    return total * w


@program({"obs": signed(4), "gain": 0.3, "drift": 0.9})
def filter_with_a_state_in_a_dict(obs, gain, drift):
    state = {"mean": 0.0, "var": 1.0}
    loss = 0.0
    for z in obs:
        state["mean"] = drift * state["mean"]
        state["var"] = drift**2 * state["var"] + 0.1
        weight = state["var"] / (state["var"] + gain)
        error = z - state["mean"]
        loss += error**2 / (state["var"] + gain) + np.log(state["var"] + gain)
        state["mean"] = state["mean"] + weight * error
        state["var"] = (1 - weight) * state["var"]
    return loss


@program({"x": signed(2, 3)})
def elements_one_after_the_other(x):
    total = 0.0
    for v in x.flat:
        total += v * v
    return total


def squared_slopes(b, u, dx):
    b[1:] = ((u[1:] - u[:-1]) / dx) ** 2


def relaxed(p, dx, b):
    old = p.copy()
    p[1:] = old[:-1] * dx**2 - dx**2 * b[1:]


@program({"steps": 2, "u": positive(5), "dx": 0.3, "p": positive(5)})
def flow_by_helpers_that_fill(steps, u, dx, p):
    b = np.zeros(5)
    for _ in range(steps):
        old = u.copy()
        squared_slopes(b, u, dx)
        relaxed(p, dx, b)
        u[1:] = old[1:] - 0.01 * p[:-1] / dx
    return np.sum(u**2) + np.sum(p**2)
