"""How long a transformation takes, and how it grows: `python -m benchmarks.transform [--profile]`.

Prints the processor time for the four functions of the MLP listing, for straight-line functions of 100 to 1000 lines
with the exponent of growth, and what importing Tangent adds to importing NumPy. The exit status is 1 if a target is
missed.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.util
import linecache
import math
import pstats
import random
import statistics
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tangent
from tangent.rules.table import table

LINES = (100, 200, 400, 700, 1000)
OPERATIONS = (
    "{a} * {b}", "{a} + {b}", "np.sin({a})", "{a} - {b} * 0.5", "np.tanh({a} + {b})", "np.exp(-{a} * {a})",
    "{a} / (1.0 + {b} * {b})", "np.sqrt(1.0 + {a} * {a})",
)  # fmt: skip


def straight_line(lines: int, seed: int = 0) -> types.FunctionType:
    """A function of so many assignments, each reading two of the ten before it."""
    rng = random.Random(seed)
    names = ["x", "y"]
    body = []
    for k in range(lines):
        a, b = rng.choice(names[-10:]), rng.choice(names[-10:])
        names.append(f"v{k}")
        body.append(f"    v{k} = {rng.choice(OPERATIONS).format(a=a, b=b)}\n")
    text = f"def f(x, y):\n{''.join(body)}    return {' + '.join(names[-10:])}\n"
    return defined(text, f"<benchmark {lines} {seed}>")


def defined(text: str, file: str) -> types.FunctionType:
    """The function `f` of a text, with its source where Python looks for it."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, object] = {"np": np}
    exec(compile(text, file, "exec"), names)
    f = names["f"]
    assert isinstance(f, types.FunctionType)
    return f


def mlp() -> Callable[..., object]:
    """The example's function, new each time, so that nothing of it is remembered."""
    path = Path(__file__).resolve().parents[1] / "examples" / "mlp.py"
    spec = importlib.util.spec_from_file_location("mlp", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mlp  # type: ignore[no-any-return]


def seconds(action: Callable[..., object], *args: object, **options: object) -> float:
    start = time.process_time()
    action(*args, **options)
    return time.process_time() - start


def mlp_seconds(repeats: int = 7) -> float:
    """The best of several, each of a fresh function; the rule table is warm."""
    fresh = [mlp() for _ in range(repeats + 1)]
    tangent.grad(fresh[0], wrt=(1, 2, 3, 4))
    return min(seconds(tangent.grad, f, wrt=(1, 2, 3, 4)) for f in fresh[1:])


def growth(repeats: int = 2) -> dict[int, float]:
    """Seconds for straight-line functions, by lines."""
    functions = {n: [straight_line(n, k) for k in range(repeats)] for n in LINES}
    return {n: min(seconds(tangent.grad, f, wrt=(0, 1)) for f in fs) for n, fs in functions.items()}


def exponent(times: dict[int, float]) -> float:
    """The slope of the fitted line of log time over log lines.

    >>> round(exponent({100: 1.0, 1000: 100.0}), 3)
    2.0
    """
    return statistics.linear_regression([math.log(n) for n in times], [math.log(t) for t in times.values()]).slope


def import_seconds(repeats: int = 7) -> float:
    """What `import tangent` takes after `import numpy`, in fresh processes; the median."""
    program = "import numpy, time; t = time.process_time(); import tangent; print(time.process_time() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(repeats + 1)]
    return statistics.median(times[1:])


def profiled(lines: int = 1000, shown: int = 15) -> None:
    """Where the time of the largest function goes."""
    f = straight_line(lines, seed=99)
    profile = cProfile.Profile()
    profile.runcall(tangent.grad, f, wrt=(0, 1))
    for order in ("tottime", "cumtime"):
        pstats.Stats(profile).sort_stats(order).print_stats(shown)


def row(what: str, value: float, unit: str, target: float) -> bool:
    met = value <= target
    print(f"{what:<42}{value:>9.2f} {unit:<3} target {target:g} {unit:<3} {'met' if met else 'MISSED'}")
    return met


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--profile", action="store_true", help="profile the function of 1000 lines")
    wanted = options.parse_args()
    cold = seconds(table)
    print(f"{'rule table, on first use':<42}{1000 * cold:>9.2f} ms")
    met = [row("MLP listing (four functions)", 1000 * mlp_seconds(), "ms", 50.0)]
    times = growth()
    for n, t in times.items():
        met.append(row(f"straight-line function of {n} lines", t, "s", 2.0))
    met.append(row("exponent of growth", exponent(times), "", 1.2))
    met.append(row("import tangent, after numpy", 1000 * import_seconds(), "ms", 100.0))
    if wanted.profile:
        profiled()
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
