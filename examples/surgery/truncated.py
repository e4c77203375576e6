"""Truncated backpropagation through time: `break` ends the backward loop after `k` steps.

python examples/surgery/truncated.py
"""

import numpy as np

import tangent
from tangent import insert_grad_of


def loss(w, xs, k):
    h = np.zeros(xs.shape[1])
    for t in range(len(xs)):
        with insert_grad_of(h):
            if t == len(xs) - k:
                break
        h = np.tanh(w @ h + xs[t])
    return np.sum(h * h)


SHOWN = (loss, "w")


def data(steps=6, width=3, seed=0):
    rng = np.random.default_rng(seed)
    return 0.5 * rng.normal(size=(width, width)), rng.normal(size=(steps, width))


if __name__ == "__main__":
    w, xs = data()
    dloss = tangent.grad(loss)
    for k in (1, 2, 6):
        print(f"{k} steps back: norm of the gradient {np.linalg.norm(dloss(w, xs, k)):.6f}")
