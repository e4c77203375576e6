"""Functions as people write them for Numba, with their gradients written by hand, and as JAX wants them written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.kernels import bodies, matrices, networks, recurrences, stencils

RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Kernel:
    """A function, its arguments, its gradient by the first of them written by hand, and the function for JAX.

    `loops`: one of the stencil and loop kernels, over which the mean against JAX is taken.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    by_hand: Callable[..., Any]
    for_jax: Callable[..., Any]
    loops: bool = True


def kernel(module: Any, name: str, *arguments: Any, loops: bool = True) -> Kernel:
    f, hand, jax = (getattr(module, name + end) for end in ("", "_by_hand", "_for_jax"))
    return Kernel(name, f, arguments, hand, jax, loops)


def definite(n: int) -> np.ndarray:
    a = RNG.random((n, n))
    return a @ a.T + n * np.eye(n)


def sparse(n: int) -> tuple[np.ndarray, ...]:
    return RNG.normal(size=5 * n) * 0.5, RNG.integers(0, n, 5 * n), np.arange(0, 5 * n + 1, 5), RNG.random(n)


def kernels() -> list[Kernel]:
    gates = RNG.normal(size=(8, 14))
    return [
        kernel(recurrences, "recurrence", 0.9, 2000),
        kernel(recurrences, "mixture", RNG.normal(size=(5, 3)), RNG.normal(size=5), RNG.normal(size=(5, 3)) * 0.1,
               RNG.normal(size=(500, 3)), loops=False),
        kernel(networks, "network", RNG.normal(size=(20, 20)) * 0.2, RNG.normal(size=(20, 8)), RNG.normal(size=8), 40,
               loops=False),
        kernel(networks, "lstm", gates, RNG.normal(size=(100, 14)), np.zeros(14), np.zeros(14), loops=False),
        kernel(bodies, "fingers", RNG.normal(size=(20, 20)), RNG.normal(size=(20, 20, 3)), RNG.normal(size=(20, 3)),
               loops=False),
        kernel(stencils, "heat", RNG.random((60, 60)), 20),
        kernel(stencils, "smooth", RNG.random(1000), 50),
        kernel(stencils, "relax", RNG.random((30, 30)) * 0.3, 3),
        kernel(stencils, "wave", RNG.random(200) * 0.1 + 0.4, RNG.random(200), 100),
        kernel(stencils, "fields", RNG.random((40, 50)), RNG.random((40, 50)), RNG.random((40, 50)), 20),
        kernel(matrices, "cholesky", definite(40)),
        kernel(matrices, "elimination", definite(40)),
        kernel(matrices, "substitution", np.tril(RNG.random((120, 120))) + 4.0 * np.eye(120), RNG.random(120)),
        kernel(matrices, "levinson", RNG.random(120) * 0.05),
        kernel(matrices, "diffusion", *sparse(200), 20),
        kernel(bodies, "attraction", RNG.random((20, 3)), RNG.random((20, 3)), RNG.random(20), 10, 0.01),
        kernel(bodies, "shortest", RNG.random((30, 30))),
    ]  # fmt: skip
