"""Fit a damped oscillation to noisy points by gradient descent; draws the fit where matplotlib is installed.

python -m tangent show examples/curve_fit.py:loss
python examples/curve_fit.py
"""

import importlib.util

import numpy as np

import tangent


def model(p, t):
    return p["height"] * np.exp(-p["decay"] * t) * np.cos(p["pace"] * t)


def loss(p, t, y):
    return np.mean((model(p, t) - y) ** 2)


def data(count=60, seed=0):
    t = np.linspace(0.0, 4.0, count)
    truth = {"height": 2.0, "decay": 0.5, "pace": 3.0}
    return t, model(truth, t) + 0.05 * np.random.default_rng(seed).normal(size=count)


START = {"height": 1.0, "decay": 0.1, "pace": 2.6}
EXAMPLE = {"loss": dict(zip(("p", "t", "y"), (START, *data())))}


def fit(steps=1500, rate=0.1):
    """The parameters after gradient descent: a dictionary in, a dictionary of gradients out."""
    t, y = data()
    gradient = tangent.grad(loss)
    p = dict(START)
    for _ in range(steps):
        b = gradient(p, t, y)
        p = {name: p[name] - rate * b[name] for name in p}
    return p


def draw(p, file="curve_fit.png"):
    from matplotlib import pyplot

    t, y = data()
    pyplot.plot(t, y, ".", t, model(p, t), "-")
    pyplot.savefig(file)


if __name__ == "__main__":
    found = fit()
    print("fitted", {name: round(float(value), 3) for name, value in found.items()})
    if importlib.util.find_spec("matplotlib"):
        draw(found)
