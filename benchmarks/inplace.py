"""Kernels as scientific codes write them: in place, into arguments, interpreted. `python -m benchmarks.inplace`

The gradient's time is given as a multiple of the primal's, and for those with a derivative by hand, of that.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tangent
from benchmarks.measure import Case, measured


@dataclass(frozen=True)
class Kernel:
    """A function of arrays that it may write into, of which the loss is the last word."""

    name: str
    loss: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    hand: Callable[..., Any]


# Stencils


def heat(u, steps):
    """Explicit diffusion on a line."""
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])


def heat_loss(u, steps):
    u = u.copy()
    heat(u, steps)
    return np.sum(u * u)


def heat_by_hand(u, steps):
    u = u.copy()
    heat(u, steps)
    b = 2.0 * u
    for _ in range(steps):
        t = 0.1 * b[1:-1]
        b[1:-1] -= 2.0 * t
        b[:-2] += t
        b[2:] += t
    return b


def relax(u, f, h):
    """One sweep of Jacobi's method for Poisson's equation in the plane."""
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - h * h * f[1:-1, 1:-1])


def relax_loss(u, f, h, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        relax(u, f, h)
    return np.sum(u * u)


def relax_by_hand(u, f, h, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        relax(u, f, h)
    b, bf = 2.0 * u, np.zeros_like(f)
    for _ in range(sweeps):
        t = 0.25 * b[1:-1, 1:-1]
        b[1:-1, 1:-1] = 0.0
        b[:-2, 1:-1] += t
        b[2:, 1:-1] += t
        b[1:-1, :-2] += t
        b[1:-1, 2:] += t
        bf[1:-1, 1:-1] -= h * h * t
    return b, bf


def gauss_seidel(x, a, b):
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]


def gauss_seidel_loss(a, b, sweeps):
    x = np.zeros_like(b)
    for _ in range(sweeps):
        gauss_seidel(x, a, b)
    return np.sum(x * x)


def thomas(lower, diagonal, upper, d):
    """A tridiagonal system, solved into d."""
    n = len(d)
    c = np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = d[0] / diagonal[0]
    for i in range(1, n):
        w = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / w
        d[i] = (d[i] - lower[i] * d[i - 1]) / w
    for i in range(n - 2, -1, -1):
        d[i] = d[i] - c[i] * d[i + 1]


def adi_loss(u, lower, diagonal, upper, steps):
    """Alternating directions: rows are solved, then columns."""
    u = u.copy()
    for _ in range(steps):
        for i in range(u.shape[0]):
            thomas(lower, diagonal, upper, u[i])
        for j in range(u.shape[1]):
            thomas(lower, diagonal, upper, u[:, j])
    return np.sum(u * u)


def fdtd(ez, hx, hy, c):
    hx[:, :-1] -= c * (ez[:, 1:] - ez[:, :-1])
    hy[:-1, :] += c * (ez[1:, :] - ez[:-1, :])
    ez[1:-1, 1:-1] += c * (hy[1:-1, 1:-1] - hy[:-2, 1:-1] - hx[1:-1, 1:-1] + hx[1:-1, :-2])


def fdtd_loss(ez, c, steps):
    ez = ez.copy()
    hx, hy = np.zeros_like(ez), np.zeros_like(ez)
    for _ in range(steps):
        fdtd(ez, hx, hy, c)
    return np.sum(ez * ez)


# Linear algebra


def lu(a):
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])


def lu_loss(a):
    a = a.copy()
    lu(a)
    return np.sum(np.log(np.abs(np.diag(a))))


def lu_by_hand(a):
    a = a.copy()
    lu(a)
    n = len(a)
    b = np.zeros_like(a)
    b[np.arange(n), np.arange(n)] = 1.0 / np.diag(a)
    for k in reversed(range(n - 1)):
        c = b[k + 1 :, k + 1 :]
        b[k, k + 1 :] -= a[k + 1 :, k] @ c
        b[k + 1 :, k] -= c @ a[k, k + 1 :]
        a[k + 1 :, k + 1 :] += np.outer(a[k + 1 :, k], a[k, k + 1 :])
        b[k, k] -= b[k + 1 :, k] @ a[k + 1 :, k] / a[k, k]
        b[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k] *= a[k, k]
    return b


def cholesky(a):
    for j in range(len(a)):
        a[j, j] = np.sqrt(a[j, j] - a[j, :j] @ a[j, :j])
        a[j + 1 :, j] = (a[j + 1 :, j] - a[j + 1 :, :j] @ a[j, :j]) / a[j, j]


def cholesky_loss(a):
    a = a.copy()
    cholesky(a)
    return np.sum(np.log(np.diag(a)))


def solve_triangular(a, b):
    for i in range(len(b)):
        b[i] = (b[i] - a[i, :i] @ b[:i]) / a[i, i]


def solve_loss(a, b):
    b = b.copy()
    solve_triangular(a, b)
    return np.sum(b * b)


def floyd_warshall(d):
    for k in range(len(d)):
        d[:, :] = np.minimum(d, d[:, k, None] + d[None, k, :])


def floyd_loss(d):
    d = d.copy()
    floyd_warshall(d)
    return np.sum(d)


# Dynamics


def forces(x, f):
    f[:] = 0.0
    for i in range(len(x)):
        r = x - x[i]
        s = np.sum(r * r, axis=1) + 0.1
        f[i] += np.sum(r / (s * np.sqrt(s))[:, None], axis=0)


def bodies_loss(x, v, dt, steps):
    x, v = x.copy(), v.copy()
    f = np.zeros_like(x)
    for _ in range(steps):
        forces(x, f)
        v += dt * f
        x += dt * v
    return np.sum(x * x)


def slope(y, out):
    out[0] = y[1]
    out[1] = (1.0 - y[0] * y[0]) * y[1] - y[0]


def rk4_loss(y, dt, steps):
    y = y.copy()
    k1, k2, k3, k4 = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(steps):
        slope(y, k1)
        slope(y + 0.5 * dt * k1, k2)
        slope(y + 0.5 * dt * k2, k3)
        slope(y + dt * k3, k4)
        y += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y * y)


# Images and counts


def convolve(image, kernel, out):
    h, w = kernel.shape
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + h, j : j + w] * kernel)


def convolve_loss(image, kernel):
    out = np.zeros((image.shape[0] - kernel.shape[0] + 1, image.shape[1] - kernel.shape[1] + 1))
    convolve(image, kernel, out)
    return np.sum(out * out)


def convolve_by_hand(image, kernel):
    h, w = kernel.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    convolve(image, kernel, out)
    b, bi, bk = 2.0 * out, np.zeros_like(image), np.zeros_like(kernel)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            part = slice(i, i + h), slice(j, j + w)
            bk += b[i, j] * image[part]
            bi[part] += b[i, j] * kernel
    return bi, bk


def histogram_loss(weights, bins, n):
    counts = np.zeros(n)
    np.add.at(counts, bins, weights)
    return np.sum(counts * counts)


def histogram_by_hand(weights, bins, n):
    counts = np.zeros(n)
    np.add.at(counts, bins, weights)
    return (2.0 * counts)[bins]


def kernels() -> list[Kernel]:
    from benchmarks import inplace_by_hand as hand  # which imports the kernels from here

    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(40, 40)) + 40.0 * np.eye(40)
    spd = matrix @ matrix.T
    n = 24
    tri = np.full(n, -1.0), np.full(n, 4.0), np.full(n, -1.0)
    return [
        Kernel("1-d stencil", heat_loss, (rng.normal(size=1000), 100), (0,), heat_by_hand),
        Kernel("2-d stencil", relax_loss, (rng.normal(size=(64, 64)), rng.normal(size=(64, 64)), 0.1, 30), (0, 1),
               relax_by_hand),
        Kernel("Gauss-Seidel", gauss_seidel_loss, (matrix, rng.normal(size=40), 5), (0, 1), hand.gauss_seidel),
        Kernel("ADI", adi_loss, (rng.normal(size=(n, n)), *tri, 2), (0, 2), hand.adi),
        Kernel("FDTD", fdtd_loss, (rng.normal(size=(50, 50)), 0.4, 30), (0,), hand.fdtd),
        Kernel("LU", lu_loss, (matrix,), (0,), lu_by_hand),
        Kernel("Cholesky", cholesky_loss, (spd,), (0,), hand.cholesky),
        Kernel("triangular solve", solve_loss, (np.tril(matrix), rng.normal(size=40)), (0, 1), hand.solve),
        Kernel("Floyd-Warshall", floyd_loss, (rng.uniform(1.0, 9.0, size=(40, 40)),), (0,), hand.floyd_warshall),
        Kernel("n-body", bodies_loss, (rng.normal(size=(20, 3)), rng.normal(size=(20, 3)), 0.01, 5), (0, 1),
               hand.bodies),
        Kernel("RK4 with buffers", rk4_loss, (np.array([1.0, 0.5]), 0.05, 100), (0,), hand.rk4),
        Kernel("convolution in loops", convolve_loss, (rng.normal(size=(20, 20)), rng.normal(size=(3, 3))), (0, 1),
               convolve_by_hand),
        Kernel("histogram by np.add.at", histogram_loss, (rng.normal(size=5000), rng.integers(0, 50, 5000), 50), (0,),
               histogram_by_hand),
    ]  # fmt: skip


def case(kernel: Kernel) -> Case:
    gradient = tangent.grad(kernel.loss, wrt=kernel.wrt)
    tangent.check_grads(kernel.loss, kernel.args, wrt=kernel.wrt, modes=("reverse",), rtol=1e-4, atol=1e-4)
    return Case(
        kernel.name, lambda: kernel.loss(*kernel.args), lambda: gradient(*kernel.args),
        lambda: kernel.hand(*kernel.args), target=1.3, rounds=9, tolerance=1e-8,
    )  # fmt: skip


def table() -> list[str]:
    lines = ["| kernel | gradient over primal | gradient over hand-written | |", "|---|---|---|---|"]
    ratios = []
    for kernel in kernels():
        try:
            found = measured(case(kernel))
        except Exception as e:
            lines.append(f"| {kernel.name} | - | - | fails: {type(e).__name__}: {str(e).splitlines()[0][:90]} |")
            continue
        primal, low, high = found.ratio("ours", "primal")
        row = f"| {kernel.name} | {primal:.1f} ({low:.1f}-{high:.1f}) |"
        hand, low, high = found.ratio("ours", "hand-written")
        ratios.append(hand)
        lines.append(f"{row} {hand:.2f} ({low:.2f}-{high:.2f}) | {'met' if hand <= 1.3 else 'missed'} |")
    if ratios:
        mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
        verdict = "met" if mean <= 1.2 else "missed"
        lines += ["", f"Geometric mean over hand-written: {mean:.2f} (at most 1.2: {verdict})."]
    return lines


def main() -> int:
    print("\n".join(table()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
