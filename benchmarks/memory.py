"""Peak memory of the gradient of a loop of 10,000 steps with a state of 1,000 floats, against what must be kept."""

from __future__ import annotations

import numpy as np

import tangent
from benchmarks.measure import peak_bytes

STEPS, WIDTH = 10_000, 1_000


def steps_of(x: np.ndarray, w: np.ndarray, n: int):
    for _ in range(n):
        x = np.sin(x * w)
    return np.sum(x)


def steps_in_place(x: np.ndarray, w: np.ndarray, n: int):
    x = x.copy()
    for _ in range(n):
        x[:] = np.sin(x * w)
    return np.sum(x)


def by_hand(x, w, n):
    kept = np.empty((n, len(x)))
    for t in range(n):
        kept[t] = x
        x = np.sin(x * w)
    bx, bw = np.ones_like(x), np.zeros_like(w)
    for t in reversed(range(n)):
        x = kept[t]
        bz = bx * np.cos(x * w)
        bw += bz * x
        bx = bz * w
    return bx, bw


def checkpointed(n: int = STEPS, snapshots: int = 100) -> float:
    """Peak memory with checkpoints, as a share of the states that a plain record keeps."""
    x, w = np.linspace(0.1, 1.0, WIDTH), np.linspace(0.9, 1.2, WIDTH)
    gradient = tangent.grad(steps_of, wrt=(0, 1), checkpoint=snapshots)
    for a, b in zip(gradient(x, w, 50), by_hand(x, w, 50)):
        np.testing.assert_allclose(a, b, rtol=1e-9)
    return peak_bytes(lambda: gradient(x, w, n)) / (n * WIDTH * 8)


def ratios(n: int = STEPS) -> dict[str, float]:
    """Peak memory as a multiple of the states that must be kept."""
    x, w = np.linspace(0.1, 1.0, WIDTH), np.linspace(0.9, 1.2, WIDTH)
    gradient, in_place = (tangent.grad(f, wrt=(0, 1)) for f in (steps_of, steps_in_place))
    for g in (gradient, in_place, in_place, in_place):  # by then it has its version
        for a, b in zip(g(x, w, 50), by_hand(x, w, 50)):
            np.testing.assert_allclose(a, b, rtol=1e-9)
    must = n * WIDTH * 8
    return {
        "ours": peak_bytes(lambda: gradient(x, w, n)) / must,
        "in place": peak_bytes(lambda: in_place(x, w, n)) / must,
        "hand-written": peak_bytes(lambda: by_hand(x, w, n)) / must,
    }
