"""Train through a rounding: the gradient passes as if it were not there.

python examples/surgery/straight_through.py
"""

import numpy as np

import tangent


def straight_through(y, x):
    d[x] = d[y]  # noqa: F821  (the notation of templates, which are read and never called)


def loss(x, target):
    levels = np.round(x * 4.0) / 4.0
    return np.sum((levels - target) ** 2)


with tangent.rules({np.round: straight_through}):
    dloss = tangent.grad(loss)

SHOWN = (dloss, "x")


def descend(steps=30, rate=0.2):
    """Quantised parameters that reach a quantised target."""
    x, target = np.array([0.1, 0.9, -0.6]), np.array([0.75, -0.25, 0.5])
    for _ in range(steps):
        x = x - rate * dloss(x, target)
    return np.round(x * 4.0) / 4.0, target


if __name__ == "__main__":
    found, target = descend()
    print("found", found, "target", target)
    print("without the rule the gradient is", tangent.grad(loss)(found, target + 1.0))
