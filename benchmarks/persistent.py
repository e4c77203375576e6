"""The lattice listing: `python -m benchmarks.persistent [--plots FOLDER]`.

A lattice of rows of d = 2000 floats grows by a row in each of n outer steps, and m = 15 inner steps assign to a row
of it. Time and peak memory of its gradient are measured for n = 100..1000, and the exponents of growth in n fitted:

The listing adds rows, so its gradient keeps nothing; the comparison is of the same program with products.

immutable arrays      every `append` and `setitem` copies the array          O(n^2 m d), kept: O(n^2 m d)
recorded subarrays    in place, rows recorded; `append` copies the array     O(n^2 d + n d m)
persistent arrays     versions share one array in memory                     O(n d m)
"""

from __future__ import annotations

import argparse
import copy
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import numpy as np

import tangent
from benchmarks.measure import peak_bytes, peer
from benchmarks.plot import line_plot
from tangent import PersistentArray, append, setitem

WIDTH, INNER = 2000, 15
OUTER = (100, 200, 400, 700, 1000)
SHORT = (20, 40, 80, 120)  # for what grows with the square: more does not fit into memory
NARROW, LONG = 50, (400, 800, 1200)  # where the square shows: rows that are there at the start count little

TURNS = 8  # memory that is new to the process costs most where it is much, and not always the same
WARM = 3  # calls before the clock runs: a derivative that is called again has a version for its arguments

Gradient = Callable[[np.ndarray, int], Any]
Contender = tuple[Gradient, tuple[int, ...], int]  # with the sizes that it is run for, and the width of rows


def lattice(x, n, m):
    for i in range(n):
        x = append(x, x[i])
        for j in range(m):
            x = setitem(x, m + i, numpy.add(x[m + i], x[j]))
    return numpy.mean(x)


def products(x, n, m):
    """The same with products, whose backward pass reads the rows."""
    for i in range(n):
        x = append(x, x[i])
        for j in range(m):
            x = setitem(x, m + i, numpy.multiply(x[m + i], x[j]))
    return numpy.mean(x)


def lattice_by_hand(x, n, m):
    """O(n d m): one array with room for all rows, adjoints in place; nothing is kept, since it is linear."""
    rows = np.empty((m + n, x.shape[1]))
    rows[:m] = x
    for i in range(n):
        rows[m + i] = rows[i]
        for j in range(m):
            rows[m + i] += rows[j]
    b = np.full(rows.shape, 1.0 / rows.size)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            b[j] += b[m + i]
        b[i] += b[m + i]
    return b[:m]


def products_by_hand(x, n, m):
    """O(n d m): the rows that are overwritten are kept."""
    rows = np.empty((m + n, x.shape[1]))
    rows[:m] = x
    kept = np.empty((n, m, x.shape[1]))
    for i in range(n):
        rows[m + i] = rows[i]
        for j in range(m):
            kept[i, j] = rows[m + i]
            rows[m + i] *= rows[j]
    b = np.full(rows.shape, 1.0 / rows.size)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            row = b[m + i]
            b[j] += row * kept[i, j]
            row *= rows[j]
        b[i] += b[m + i]
    return b[:m]


def immutable(x, n, m):
    """What a tape of immutable arrays does: every step makes an array, and the tape keeps it."""
    tape = []
    for i in range(n):
        x = np.concatenate([x, x[i : i + 1]])
        for j in range(m):
            tape.append(x)
            x = x.copy()
            x[m + i] = x[m + i] * x[j]
    b = np.full(x.shape, 1.0 / x.size)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            x = tape.pop()
            row = b[m + i]
            b = b.copy()
            b[j] += row * x[m + i]
            b[m + i] = row * x[j]
        last, b = b[-1], b[:-1].copy()
        b[i] += last
    return b


def subarrays(x, n, m):
    """Rows are assigned in place and recorded; appending copies, in both passes."""
    kept = []
    for i in range(n):
        x = np.concatenate([x, x[i : i + 1]])
        for j in range(m):
            kept.append(x[m + i].copy())
            x[m + i] *= x[j]
    b = np.full(x.shape, 1.0 / x.size)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            x[m + i] = kept.pop()
            b[j] += b[m + i] * x[m + i]
            b[m + i] *= x[j]
        last, b = b[-1], b[:-1].copy()
        x = x[:-1].copy()
        b[i] += last
    return b


def contenders() -> dict[str, Contender]:
    gradient, linear = tangent.grad(products), tangent.grad(lattice)
    return {
        "immutable arrays": (lambda x, n: immutable(x, n, INNER), SHORT, WIDTH),
        "immutable arrays, narrow": (lambda x, n: immutable(x, n, INNER), LONG, NARROW),
        "recorded subarrays": (lambda x, n: subarrays(x, n, INNER), OUTER, WIDTH),
        "persistent arrays (ours)": (lambda x, n: gradient(PersistentArray(x), n, INNER), OUTER, WIDTH),
        "NumPy arrays (ours)": (lambda x, n: gradient(x, n, INNER), OUTER, WIDTH),
        "hand-written": (lambda x, n: products_by_hand(x, n, INNER), OUTER, WIDTH),
        "listing, persistent arrays (ours)": (lambda x, n: linear(PersistentArray(x), n, INNER), OUTER, WIDTH),
        "listing, hand-written": (lambda x, n: lattice_by_hand(x, n, INNER), OUTER, WIDTH),
        **_autograd(), **_torch(), **_jax(),
    }  # fmt: skip


def _autograd() -> dict[str, Contender]:
    """autograd has no assignment: a row is replaced by joining what is before and behind it."""
    library, anp = peer("autograd"), peer("autograd.numpy")
    if library is None or anp is None:
        return {}

    def f(x, n):
        for i in range(n):
            x = anp.concatenate([x, x[i : i + 1]])
            for j in range(INNER):
                x = anp.concatenate([x[:-1], x[-1:] * x[j : j + 1]])
        return anp.mean(x)

    return {"autograd": (library.grad(f), SHORT, WIDTH)}


def _torch() -> dict[str, Contender]:
    torch = peer("torch")
    if torch is None:
        return {}
    torch.set_num_threads(1)

    def gradient(x, n):
        leaf = torch.tensor(x, requires_grad=True)
        y = leaf
        for i in range(n):
            y = torch.cat([y, y[i : i + 1]])
            for j in range(INNER):
                y = torch.index_put(y, (torch.tensor([INNER + i]),), y[-1:] * y[j : j + 1])
        return torch.autograd.grad(y.mean(), leaf)[0].numpy()

    return {"PyTorch": (gradient, SHORT, WIDTH)}


def _jax() -> dict[str, Contender]:
    """`x.at[i].set(v)`, not compiled: each length of the lattice would be a program of its own."""
    jax, jnp = peer("jax"), peer("jax.numpy")
    if jax is None or jnp is None:
        return {}
    jax.config.update("jax_enable_x64", True)

    def f(x, n):
        for i in range(n):
            x = jnp.concatenate([x, x[i : i + 1]])
            for j in range(INNER):
                x = x.at[INNER + i].set(x[INNER + i] * x[j])
        return jnp.mean(x)

    return {"JAX, not compiled": (jax.grad(f), SHORT[:2], WIDTH)}


def start(width: int = WIDTH) -> np.ndarray:
    return 1.0 + 1e-3 * np.cos(np.arange(1.0 * INNER * width)).reshape(INNER, width)


def seconds(gradient: Gradient, n: int, width: int = WIDTH) -> float:
    begin = time.process_time()
    gradient(start(width), n)
    return time.process_time() - begin


def exponent(values: dict[int, float]) -> float:
    """The slope of the fitted line of the logarithms.

    >>> round(exponent({100: 1.0, 1000: 100.0}), 3)
    2.0
    """
    return statistics.linear_regression([math.log(n) for n in values], [math.log(v) for v in values.values()]).slope


def check() -> None:
    """All compute the same, and the listing runs verbatim with both kinds of arrays, without derivatives too."""
    x = start(5)
    for name, (gradient, _, _) in contenders().items():
        expected = (lattice_by_hand if name.startswith("listing") else products_by_hand)(x, 4, INNER)
        np.testing.assert_allclose(gradient(x, 4), expected, rtol=1e-7, err_msg=name)
    assert lattice(x, 4, INNER) == lattice(PersistentArray(x), 4, INNER)
    np.testing.assert_allclose(tangent.grad(lattice)(PersistentArray(x), 4, INNER), lattice_by_hand(x, 4, INNER))
    old = PersistentArray(x)
    new = copy.copy(old)
    new[0] = 7.0
    assert np.all(np.asarray(old) == x)


def results() -> dict[str, tuple[dict[int, float], dict[int, float]]]:
    """Seconds and bytes by n: of the shortest of several runs, in turns, so that all meet the same machine.

    Every other turn goes the other way round: who comes behind one that has given back much memory waits for it.
    """
    check()
    found: dict[str, tuple[dict[int, float], dict[int, float]]] = {}
    all_ = contenders()
    for gradient, _, width in all_.values():
        for _ in range(WARM):
            gradient(start(width), 2)
    for turn in range(TURNS):
        for name, (gradient, sizes, width) in [*all_.items()][:: -1 if turn % 2 else 1]:
            times, _ = found.setdefault(name, ({}, {}))
            for n in sizes if turn == 0 or sizes is OUTER else ():
                times[n] = min(times.get(n, math.inf), seconds(gradient, n, width))
    for name, (gradient, sizes, width) in all_.items():
        for n in sizes:
            found[name][1][n] = float(peak_bytes(lambda n=n, g=gradient, w=width: g(start(w), n)))
    return found


def table(found: dict[str, tuple[dict[int, float], dict[int, float]]]) -> list[str]:
    lines = [
        f"Rows of {WIDTH} floats, {INNER} inner steps, {OUTER[0]} to {OUTER[-1]} outer steps "
        f"({SHORT[0]} to {SHORT[-1]} for what grows with the square; narrow: rows of {NARROW}). "
        "Memory is what Python allocates.", "",
        "| gradient of the lattice | exponent of time | exponent of memory | seconds | MiB | at n = |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, (times, memory) in found.items():
        n = max(times)
        native = name.startswith(("PyTorch", "JAX"))
        grows = "-" if native else f"{exponent(memory):.2f}"
        size = "-" if native else f"{memory[n] / 2**20:.0f}"
        lines.append(f"| {name} | {exponent(times):.2f} | {grows} | {times[n]:.3f} | {size} | {n} |")
    for kind in ("", "listing, "):
        ours, hand = found[f"{kind}persistent arrays (ours)"][0], found[f"{kind}hand-written"][0]
        ratio = statistics.median(ours[n] / hand[n] for n in ours)
        most = 1.3 if kind else 1.5
        verdict = "met" if ratio <= most else "missed"
        what = "Of the listing, which is linear, persistent" if kind else "Persistent"
        lines += ["", f"{what} arrays take {ratio:.2f} times the hand-written derivative (at most {most}: {verdict})."]
    return lines


def plots(found: dict[str, tuple[dict[int, float], dict[int, float]]], folder: Path) -> list[str]:
    """The paper's plot, as two pictures."""
    line_plot(folder / "persistent_time.svg", {k: v[0] for k, v in found.items()}, "outer steps", "seconds")
    kept = {k: {n: b / 2**20 for n, b in v[1].items()} for k, v in found.items() if not k.startswith(("Py", "JAX"))}
    line_plot(folder / "persistent_memory.svg", kept, "outer steps", "MiB")
    return ["persistent_time.svg", "persistent_memory.svg"]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--plots", type=Path, help="a folder for the plots")
    wanted = options.parse_args()
    found = results()
    print("\n".join(table(found)))
    if wanted.plots:
        plots(found, wanted.plots)
    ours = found["persistent arrays (ours)"]
    good = all(0.9 <= exponent(values) <= 1.1 for values in ours)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
