"""Find how fast waves run inside a plate from what sensors at its edge hear: a Numba simulation fitted with SciPy.

python -m tangent show examples/wave_fit.py:misfit
python examples/wave_fit.py [FILE.svg]

The simulation is compiled by Numba, and so is its gradient. Prints how long a fit takes with the compiled gradient, and
how long a gradient takes otherwise. Without Numba or SciPy everything runs as Python code, with fewer steps.
"""

import importlib.util
import math
import sys
import time

import numpy as np

import tangent

NUMBA = importlib.util.find_spec("numba") is not None
SCIPY = importlib.util.find_spec("scipy") is not None
SIZE, STEPS = (40, 120) if NUMBA else (12, 20)

if NUMBA:
    from numba import njit
else:

    def njit(function):
        return function


@njit
def sounds(speed, steps):
    """What sensors along the right edge hear of a push near the left one; every row has a speed of its own."""
    n = speed.shape[0]
    u = np.zeros((steps + 2, n, n))
    heard = np.zeros((steps, n))
    for i in range(n):
        for j in range(1, n - 1):
            u[0, i, j] = math.exp(-0.04 * (j - 8.0) ** 2)
            u[1, i, j] = u[0, i, j]
    for t in range(1, steps + 1):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                around = u[t, i - 1, j] + u[t, i + 1, j] + u[t, i, j - 1] + u[t, i, j + 1] - 4.0 * u[t, i, j]
                u[t + 1, i, j] = 2.0 * u[t, i, j] - u[t - 1, i, j] + speed[i] * speed[i] * around
        for i in range(n):
            heard[t - 1, i] = u[t + 1, i, n - 2]
    return heard


@njit
def misfit(speed, steps, recorded):
    heard = sounds(speed, steps)
    total = 0.0
    for t in range(steps):
        for i in range(speed.shape[0]):
            total += (heard[t, i] - recorded[t, i]) ** 2
    return total


def truth():
    """Slow rows in the middle."""
    rows = np.linspace(-1.0, 1.0, SIZE)
    return 0.55 - 0.15 * np.exp(-8.0 * rows * rows)


def start():
    return np.full(SIZE, 0.5)


EXAMPLE = {"misfit": {"speed": np.full(7, 0.5), "steps": 5, "recorded": np.ones((5, 7)) * 0.1}}


def fit(iterations=60):
    """The speeds that explain the records, and the misfit on the way."""
    from scipy.optimize import minimize

    recorded = sounds(truth(), STEPS)
    both = tangent.value_and_grad(misfit)  # of a function that Numba compiles: compiled, too
    kept = []
    found = minimize(
        both, start(), (STEPS, recorded), jac=True, method="L-BFGS-B", bounds=[(0.3, 0.65)] * SIZE,
        options={"maxiter": iterations}, callback=lambda x: kept.append(float(misfit(x, STEPS, recorded))),
    )  # fmt: skip
    return found.x, kept


def seconds(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def timings():
    """Seconds for one gradient: as Python code, by differences of the compiled simulation, compiled."""
    arguments = start(), STEPS, sounds(truth(), STEPS)
    plain = getattr(misfit, "py_func", misfit)
    found = {"gradient as Python code": seconds(tangent.grad(plain_of(plain)), *arguments)}
    misfit(*arguments)
    found["by differences of the compiled misfit"] = seconds(misfit, *arguments) * (SIZE + 1)
    gradient = tangent.grad(misfit)
    found["compiled, first call"] = seconds(gradient, *arguments)
    found["compiled"] = min(seconds(gradient, *arguments) for _ in range(5))
    return found


def plain_of(function):
    """The function with callees that are not compiled."""
    import types

    inner = getattr(sounds, "py_func", sounds)
    return types.FunctionType(function.__code__, {**function.__globals__, "sounds": inner}, function.__name__)


def drawing(lines, width=480, height=300):
    """Lines over the rows of the plate, as SVG."""
    low, high = min(map(min, lines.values())), max(map(max, lines.values()))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for k, (name, values) in enumerate(lines.items()):
        colour = ("#999999", "#1b6ca8", "#c0392b")[k]
        across, up = (width - 60) / (len(values) - 1), (height - 90) / (high - low)
        places = [(30 + i * across, height - 40 - (v - low) * up) for i, v in enumerate(values)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        style = ' stroke-dasharray="6 4"' if k == 2 else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{style}/>')
        parts.append(f'<text x="{40 + 150 * k}" y="24" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">row of the plate</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    for name, taken in timings().items():
        print(f"{name:38} {taken * 1e3:10.2f} ms")
    if not SCIPY:
        return
    taken, result = time.perf_counter(), fit()
    taken = time.perf_counter() - taken
    speed, kept = result
    print(f"fit: {len(kept)} steps in {taken:.2f} s, misfit {kept[0]:.2e} -> {kept[-1]:.2e}", end=", ")
    print(f"speeds wrong by {np.abs(speed - truth())[2:-2].max():.1e} at most")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(drawing({"start": start(), "truth": truth(), "found": speed}))


if __name__ == "__main__":
    main()
