"""Synthetic gradients: a small model predicts the gradient of a layer, so that the layer need not wait for it.

python examples/surgery/synthetic.py
"""

import numpy as np

import tangent
from tangent import insert_grad_of


def loss(w, v, x, y, predictor, seen):
    h = np.tanh(x @ w)
    with insert_grad_of(h) as dh:
        seen.append((h, dh))
        dh = h @ predictor
    return np.mean((h @ v - y) ** 2)


SHOWN = (loss, "w")


def data(count=64, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    return 0.5 * rng.normal(size=(3, 4)), rng.normal(size=4), x, np.sin(x[:, 0])


def train(steps=300, rate=0.5):
    """The loss before and after: the first layer only ever sees predicted gradients."""
    w, v, x, y = data()
    predictor = np.zeros((4, 4))
    step = tangent.value_and_grad(loss, ("w", "v"))
    values = []
    for _ in range(steps):
        seen = []
        value, (bw, bv) = step(w, v, x, y, predictor, seen)
        (h, dh), = seen
        predictor = np.linalg.lstsq(h, dh, rcond=None)[0]
        w, v = w - rate * bw, v - rate * bv
        values.append(float(value))
    return values


if __name__ == "__main__":
    values = train()
    print(f"loss {values[0]:.4f} before, {values[-1]:.4f} after")
