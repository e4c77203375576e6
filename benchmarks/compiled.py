"""Compiled gradients against those written by hand and those of JAX: `python -m benchmarks.compiled`.

All compiled, in one process, on one thread. A row tells the best of several runs in microseconds, the ratios, and how
long the first call takes. The exit status is 1 if a gradient is wrong or a target is missed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import tangent
from benchmarks.kernels import KERNELS, Kernel

BY_HAND, BY_JAX = 1.2, 5.0


def best(f: Callable[..., Any], arguments: tuple[Any, ...], seconds: float = 0.3) -> float:
    """The shortest of many runs, in microseconds."""
    f(*arguments)
    found, end = [], time.perf_counter() + seconds
    while len(found) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        f(*arguments)
        found.append(time.perf_counter() - start)
    return min(found) * 1e6


def first_call(f: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    start = time.perf_counter()
    value = f(*arguments)
    return value, time.perf_counter() - start


def with_jax(kernel: Kernel) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The gradient by JAX, compiled; loop lengths are constants, as `scan` wants them."""
    try:
        import jax
    except ImportError:
        return None
    if kernel.for_jax is None:
        return None
    jax.config.update("jax_enable_x64", True)
    arrays = tuple(jax.numpy.asarray(a) if not isinstance(a, int) else a for a in kernel.arguments)
    static = tuple(i for i, a in enumerate(arrays) if isinstance(a, int))
    made = jax.jit(jax.grad(kernel.for_jax), static_argnums=static)
    return (lambda *a: np.asarray(made(*a))), arrays


def row(kernel: Kernel) -> dict[str, float]:
    import numba

    ours = tangent.grad(kernel.function, compile="numba", error_model="numpy")
    value, first = first_call(ours, kernel.arguments)
    found = {"tangent": best(ours, kernel.arguments), "first": first}
    found["primal"] = best(numba.njit(kernel.function, error_model="numpy"), kernel.arguments)
    if kernel.by_hand is not None:
        by_hand = numba.njit(kernel.by_hand, error_model="numpy")
        np.testing.assert_allclose(value, by_hand(*kernel.arguments), rtol=1e-9, atol=1e-12)
        found["hand"] = best(by_hand, kernel.arguments)
    if (made := with_jax(kernel)) is not None:
        other, found["jax first"] = first_call(*made)
        np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-9)
        found["jax"] = best(*made)
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    heads = ("primal", "hand", "tangent", "jax", "t/hand", "jax/t", "first", "jax first")
    print(f"{'kernel':12}", *(f"{head:>9}" for head in heads))
    by_hand, by_jax = [], []
    for kernel in KERNELS:
        if given.only not in kernel.name:
            continue
        r = row(kernel)
        slower, faster = r["tangent"] / r.get("hand", np.nan), r.get("jax", np.nan) / r["tangent"]
        by_hand.append(slower)
        by_jax.append(faster)
        times = [r.get(key, np.nan) for key in heads[:4]]
        rest = [slower, faster, r["first"], r.get("jax first", np.nan)]
        print(f"{kernel.name:12}", *(f"{x:9.1f}" for x in times), *(f"{x:9.2f}" for x in rest), flush=True)
    mean = statistics.geometric_mean([x for x in by_jax if x == x] or [np.inf])
    worst = max([x for x in by_hand if x == x] or [0.0])
    print(f"against the gradient written by hand at worst {worst:.2f} (target {BY_HAND}); ", end="")
    print(f"faster than JAX by {mean:.1f} in the geometric mean (target {BY_JAX})")
    return 0 if worst <= BY_HAND and mean >= BY_JAX else 1


if __name__ == "__main__":
    sys.exit(main())
