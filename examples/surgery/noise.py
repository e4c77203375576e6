"""Gradient noise: random numbers are added to the gradient of a layer while it flows back.

python examples/surgery/noise.py
"""

import numpy as np

import tangent
from tangent import insert_grad_of


def loss(w, x, y, rng, scale):
    h = np.tanh(x @ w)
    with insert_grad_of(h) as dh:
        dh = dh + scale * rng.normal(size=dh.shape)
    return np.mean((np.sum(h, axis=1) - y) ** 2)


SHOWN = (loss, "w")


def gradients(count=200, scale=0.01, seed=0):
    """The exact gradient, and the mean of noisy ones."""
    rng = np.random.default_rng(seed)
    w, x, y = rng.normal(size=(3, 2)), rng.normal(size=(10, 3)), rng.normal(size=10)
    dloss = tangent.grad(loss)
    noisy = [dloss(w, x, y, rng, scale) for _ in range(count)]
    return dloss(w, x, y, rng, 0.0), noisy


if __name__ == "__main__":
    exact, noisy = gradients()
    print("exact", np.round(exact[0], 4), "one noisy", np.round(noisy[0][0], 4))
    print("mean of noisy ones", np.round(np.mean(noisy, axis=0)[0], 4))
