"""Gradient time over primal time for 40 calls, against autograd and JAX: `python -m benchmarks.rules [--only NAME]`.

The sum of the squares of each call's result is differentiated. A ratio is the time of the gradient over the time
of that sum in NumPy, for all three; JAX is jitted and compiled beforehand. The tools take turns, the best of all turns
counts. Prints a table and the calls where another tool is faster by more than a tenth.
"""

from __future__ import annotations

import argparse
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import tangent
from benchmarks.transform import defined

RNG = np.random.default_rng(0)
V = RNG.uniform(0.5, 1.5, 100_000)
M = RNG.uniform(0.5, 1.5, (200, 200))
SPD = M @ M.T + 200 * np.eye(200)
SMALL = RNG.uniform(0.5, 1.5, (500, 4, 4)) + 4 * np.eye(4)
IMAGE = RNG.uniform(0.5, 1.5, (64, 64, 16))
PLACES = RNG.integers(0, 100_000, 50_000)

# The call, with x for its operand; other names stand for arrays that are constant.
CALLS: dict[str, tuple[str, Any]] = {
    "multiply": ("x * x", V),
    "polynomial": ("x * x * x - 2.0 * x + 1.0", V),
    "exp": ("np.exp(x)", V),
    "tanh": ("np.tanh(x)", V),
    "sqrt": ("np.sqrt(x)", V),
    "power": ("x ** 2.5", V),
    "logaddexp": ("np.logaddexp(x, 0.3)", V),
    "hypot": ("np.hypot(x, 0.3)", V),
    "maximum": ("np.maximum(x, 1.0)", V),
    "where": ("np.where(x > 1.0, x * x, x)", V),
    "clip": ("np.clip(x, 0.7, 1.2)", V),
    "broadcast": ("x[:, None] * x", V[:200]),
    "sum_axis": ("np.sum(x, axis=0) ** 2", M),
    "mean": ("np.mean(x * x, axis=1)", M),
    "var": ("np.var(x)", V),
    "std_axis": ("np.std(x, axis=0)", M),
    "max": ("np.max(x, axis=1)", M),
    "prod": ("np.prod(x, axis=1)", IMAGE),
    "cumsum": ("np.cumsum(x)", V),
    "cumprod": ("np.cumprod(x, axis=1)", M),
    "norm": ("np.linalg.norm(x, axis=1)", M),
    "logsumexp": ("np.log(np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)), axis=1))", M),
    "matmul": ("x @ m", M),
    "dot": ("np.dot(x, v)", V),
    "batched_matmul": ("x @ b", SMALL),
    "tensordot": ("np.tensordot(x, k, axes=([2], [0]))", IMAGE),
    "einsum": ("np.einsum('ij,kj->ik', x, m)", M),
    "einsum_batched": ("np.einsum('bij,bjk->bik', x, b)", SMALL),
    "inv": ("np.linalg.inv(x)", SPD),
    "solve": ("np.linalg.solve(x, m)", SPD),
    "slogdet": ("np.linalg.slogdet(x)[1]", SPD),
    "cholesky": ("np.linalg.cholesky(x)", SPD),
    "eigh": ("np.linalg.eigh(x)[0]", SPD),
    "svd": ("np.linalg.svd(x, full_matrices=False)[1]", M),
    "slice": ("x[1:] - x[:-1]", V),
    "gather": ("x[i]", V),
    "sort": ("np.sort(x)", V),
    "concatenate": ("np.concatenate([x, x * x])", V),
    "pad": ("np.pad(x, 2) ** 2", M),
    "fft": ("np.abs(np.fft.fft(x)) ** 2", V[:65536]),
}
CONSTANTS = {"m": M, "v": V[::-1].copy(), "b": SMALL, "k": RNG.uniform(size=(16, 8)), "i": PLACES}


def function(name: str, module: types.ModuleType = np) -> Callable[[Any], Any]:
    """The call as a function of x that returns one number, over one of the libraries."""
    text = f"def f(x):\n    y = {CALLS[name][0]}\n    return np.sum(y * y)\n"
    made = defined(text, f"<benchmark {name} {module.__name__}>")
    made.__globals__.update(CONSTANTS)
    made.__globals__["np"] = module
    return made


def gradients(name: str) -> dict[str, Callable[[], Any]]:
    """The primal, and the gradient by each tool that is there."""
    x = CALLS[name][1]
    primal, ours = function(name), tangent.grad(function(name))
    found: dict[str, Callable[[], Any]] = {"primal": lambda: primal(x), "tangent": lambda: ours(x)}
    for tool, make in (("autograd", _autograd), ("jax", _jax)):
        try:
            found[tool] = make(name, x)
            found[tool]()
        except Exception:  # a tool that is not installed, or cannot do this call
            found.pop(tool, None)
    return found


def _autograd(name: str, x: Any) -> Callable[[], Any]:
    import autograd
    import autograd.numpy as anp

    g = autograd.grad(function(name, anp))
    return lambda: g(x)


def _jax(name: str, x: Any) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    g = jax.jit(jax.grad(function(name, jnp)))
    at = jnp.asarray(x)
    return lambda: g(at).block_until_ready()


def measure(name: str, seconds: float = 0.6) -> dict[str, float]:
    """The best time of each, the tools taking turns for so many seconds."""
    tools = gradients(name)
    best = dict.fromkeys(tools, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for tool, run in tools.items():
            start = time.perf_counter()
            run()
            best[tool] = min(best[tool], time.perf_counter() - start)
    return best


def row(name: str, best: dict[str, float]) -> str:
    """One line: the time of the call, and the ratios."""
    shown = [f"{best[tool] / best['primal']:.1f}" if tool in best else "-" for tool in ("tangent", "autograd", "jax")]
    return f"| `{CALLS[name][0]}` | {best['primal'] * 1e6:.0f} | " + " | ".join(shown) + " |"


def slower(measured: dict[str, dict[str, float]], than: str) -> list[str]:
    """The calls where a tool is faster by more than a tenth."""
    return [n for n, best in measured.items() if than in best and best["tangent"] > 1.1 * best[than]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=CALLS, action="append", help="measure only this call")
    parser.add_argument("--seconds", type=float, default=0.6, help="time for each call")
    given = parser.parse_args()
    measured = {}
    print("| call | NumPy, us | Tangent | autograd | JAX, jitted |\n|---|---|---|---|---|")
    with np.errstate(all="ignore"):
        for name in given.only or CALLS:
            measured[name] = measure(name, given.seconds)
            print(row(name, measured[name]), flush=True)
    for tool in ("autograd", "jax"):
        print(f"\nslower than {tool}: {', '.join(slower(measured, tool)) or 'nowhere'}")


if __name__ == "__main__":
    main()
