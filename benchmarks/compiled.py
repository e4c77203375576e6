"""Compiled gradients against those written by hand, and those of JAX and PyTorch: `python -m benchmarks.compiled`.

In one process, on one thread. A row tells the best of several runs in microseconds, the ratios, and the processor time
of the first call in seconds, by compilers that have compiled something small before. The last row is the Jacobian of
bundle adjustment, against C++ too where there is a compiler. The exit status is 1 if a gradient is wrong or a target is
missed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tangent
from benchmarks.kernels import Kernel, cameras, eager, kernels

BY_HAND, BY_JAX = 1.2, 5.0
OBSERVATIONS = 1000
Row = dict[str, float]


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
    """The result of the first call, and how long the processor has worked on it."""
    start = time.process_time()
    value = f(*arguments)
    return value, time.process_time() - start


def warm_up() -> None:
    """Compile something small with each compiler: what they load once is no part of a first call."""

    def energy(x: Any) -> Any:
        return (x * x).sum()

    tangent.grad(energy, compile="numba", error_model="numpy")(np.ones(3))
    try:
        import jax
    except ImportError:
        return
    jax.config.update("jax_enable_x64", True)
    jax.jit(jax.grad(energy))(jax.numpy.ones(3))


def with_jax(kernel: Kernel) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The gradient by JAX, compiled; loop lengths are constants, as `scan` wants them."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    arrays = tuple(jax.numpy.asarray(a) if not isinstance(a, int) else a for a in kernel.arguments)
    static = tuple(i for i, a in enumerate(arrays) if isinstance(a, int))
    made = jax.jit(jax.grad(kernel.for_jax), static_argnums=static)
    return (lambda *a: np.asarray(made(*a))), arrays


def with_torch(kernel: Kernel) -> Callable[..., Any] | None:
    """The gradient by PyTorch, operation by operation."""
    function = getattr(eager, kernel.name, None)
    try:
        import torch
    except ImportError:
        return None
    if function is None:
        return None
    torch.set_num_threads(1)
    rest = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in kernel.arguments[1:]]

    def gradient(first: Any, *_: Any) -> Any:
        x = torch.tensor(first, requires_grad=True, dtype=torch.float64)
        function(torch, x, *rest).backward()
        return x.grad.numpy()

    return gradient


def row(kernel: Kernel) -> Row:
    import numba

    ours = tangent.grad(kernel.function, compile="numba", error_model="numpy")
    value, first = first_call(ours, kernel.arguments)
    found = {"tangent": best(ours, kernel.arguments), "first": first}
    found["primal"] = best(numba.njit(kernel.function, error_model="numpy"), kernel.arguments)
    by_hand = numba.njit(kernel.by_hand, error_model="numpy")
    np.testing.assert_allclose(value, by_hand(*kernel.arguments), rtol=1e-9, atol=1e-12)
    found["hand"] = best(by_hand, kernel.arguments)
    if (made := with_jax(kernel)) is not None:
        other, found["jax first"] = first_call(*made)
        np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-9)
        found["jax"] = best(*made)
    if (gradient := with_torch(kernel)) is not None:
        np.testing.assert_allclose(value, gradient(*kernel.arguments), rtol=1e-6, atol=1e-9)
        found["torch"] = best(gradient, kernel.arguments)
    return found


# Bundle adjustment


def camera_rows() -> Callable[..., None]:
    """The Jacobian by Tangent: two rows for each observation, from one compiled function."""
    import numba

    pullback = tangent.vjp(
        cameras.error, wrt=tuple(range(cameras.PARAMETERS)), compile="numba", error_model="numpy", inline="always"
    ).dispatcher

    def rows(params: Any, features: Any, out: Any) -> None:  # Numba needs the arguments one by one
        for k in range(params.shape[0]):
            p, u, v = params[k], features[k, 0], features[k, 1]
            r0, r1, r2, c0, c1, c2, x0, x1, x2 = p[0], p[1], p[2], p[3], p[4], p[5], p[11], p[12], p[13]
            focal, u0, v0, k1, k2, w = p[6], p[7], p[8], p[9], p[10], p[14]
            one = pullback(r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, w, u, v, (1.0, 0.0))
            two = pullback(r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, w, u, v, (0.0, 1.0))
            for j in range(15):
                out[k, 0, j] = one[j]
                out[k, 1, j] = two[j]

    compiled: Callable[..., None] = numba.njit(rows, error_model="numpy")
    return compiled


def camera_rows_in_cpp() -> Callable[..., None] | None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp())
    (folder / "rows.cpp").write_text(cameras.CPP)
    built = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", str(folder / "rows.so")]
    subprocess.run([*built, str(folder / "rows.cpp")], check=True)
    library = ctypes.CDLL(str(folder / "rows.so"))
    pointer = ctypes.POINTER(ctypes.c_double)

    def rows(*arrays: Any) -> None:
        library.rows(*(a.ctypes.data_as(pointer) for a in arrays), ctypes.c_long(len(arrays[0])))

    return rows


def camera_row() -> Row:
    import numba

    params, features, out = cameras.data(OBSERVATIONS)
    by_hand = numba.njit(cameras.rows_by_hand, error_model="numpy")
    by_hand(params, features, out)
    want = out.copy()
    rows = camera_rows()
    _, first = first_call(rows, (params, features, out))
    np.testing.assert_allclose(out, want, rtol=1e-9, atol=1e-9)
    found = {
        "first": first,
        "tangent": best(rows, (params, features, out)),
        "hand": best(by_hand, (params, features, out)),
    }
    if (in_cpp := camera_rows_in_cpp()) is not None:
        in_cpp(params, features, out)
        np.testing.assert_allclose(out, want, rtol=1e-9, atol=1e-9)
        found["c++"] = best(in_cpp, (params, features, out))
    try:
        import jax
    except ImportError:
        return found
    made = jax.jit(jax.vmap(jax.jacrev(cameras.for_jax)))
    other, found["jax first"] = first_call(lambda *a: np.asarray(made(*a)), (params, features))
    np.testing.assert_allclose(other, want, rtol=1e-6, atol=1e-6)
    found["jax"] = best(lambda *a: np.asarray(made(*a)), (params, features))
    return found


HEADS = ("primal", "hand", "c++", "tangent", "jax", "torch", "t/hand", "jax/t", "first", "jax first")


def printed(name: str, r: Row) -> None:
    r["t/hand"], r["jax/t"] = r["tangent"] / r["hand"], r.get("jax", np.nan) / r["tangent"]
    cells = [f"{r[head]:9.{1 if k < 6 else 2}f}" if head in r else " " * 9 for k, head in enumerate(HEADS)]
    print(f"{name:12}", *cells, flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
    warm_up()
    print(f"{'kernel':12}", *(f"{head:>9}" for head in HEADS))
    found: list[tuple[Kernel, Row]] = []
    for kernel in kernels():
        if given.only in kernel.name:
            found.append((kernel, row(kernel)))
            printed(*((found[-1][0].name, found[-1][1])))
    cameras_too = [camera_row()] if given.only in "cameras" else []
    for r in cameras_too:
        printed("cameras", r)
    rows = [r for _, r in found] + cameras_too
    mean = statistics.geometric_mean([r["jax/t"] for k, r in found if k.loops and "jax" in r] or [np.inf])
    slower = [r["t/hand"] for r in rows]
    later = [k.name for k, r in found if k.loops and r["first"] > r.get("jax first", np.inf)]
    behind = [r["tangent"] / r["c++"] for r in cameras_too if "c++" in r]
    print(
        f"against the gradient written by hand: {sum(x <= BY_HAND for x in slower)} of {len(slower)} rows within ",
        end="",
    )
    print(f"{BY_HAND}, at worst {max(slower, default=0.0):.2f}")
    print(f"faster than JAX on stencils and loops by {mean:.1f} in the geometric mean (target {BY_JAX})")
    print(f"first call longer than JAX's: {', '.join(later) or 'none'}")
    print("".join(f"bundle adjustment: {x:.2f} of the time of C++\n" for x in behind), end="")
    good = max(slower, default=0.0) <= BY_HAND and mean >= BY_JAX and all(x <= 1.0 for x in behind)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
