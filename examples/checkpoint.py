"""A long simulation in little memory: few of its states are kept, the others are computed again.

python -m tangent show examples/checkpoint.py:energy
python examples/checkpoint.py
"""

import tracemalloc

import numpy as np

import tangent


def wave(u, before, speed, dt=0.05):
    """One step of a wave on a ring."""
    bend = np.roll(u, 1) - 2.0 * u + np.roll(u, -1)
    return 2.0 * u - before + dt * dt * speed * speed * bend - 0.01 * dt * u**3


def energy(u, speed, steps):
    """What is left after so many steps; 20 states are kept."""
    before = u
    with tangent.checkpoint(20):
        for _ in range(steps):
            u, before = wave(u, before, speed), u
    return np.sum(u * u)


def energy_of_all(u, speed, steps):
    """The same, and every state is kept."""
    before = u
    for _ in range(steps):
        u, before = wave(u, before, speed), u
    return np.sum(u * u)


EXAMPLE = {"energy": {"u": np.sin(np.arange(8.0)), "speed": np.linspace(0.5, 1.5, 8), "steps": 12}}

if __name__ == "__main__":
    start, speed = np.sin(np.linspace(0.0, 6.28, 1000)), np.linspace(0.5, 1.5, 1000)
    for f in (energy, energy_of_all):
        slope = tangent.grad(f, wrt="speed")
        slope(start, speed, 2)
        tracemalloc.start()
        found = slope(start, speed, 1000)
        megabytes = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"{f.__name__}: {megabytes:.1f} MB, the gradient's norm is {np.linalg.norm(found)}")
