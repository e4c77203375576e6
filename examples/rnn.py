"""A recurrent network: the backward pass keeps the hidden states, one list for one variable.

python -m tangent show examples/rnn.py:loss
python examples/rnn.py
"""

import numpy as np

import tangent


def cell(h, x, w, u):
    return np.tanh(h @ w + x @ u)


def loss(w, u, xs, target):
    h = np.zeros(w.shape[0])
    for x in xs:
        h = cell(h, x, w, u)
    return np.sum((h - target) ** 2)


def data(steps=5, width=3, seed=0):
    rng = np.random.default_rng(seed)
    w, u = 0.5 * rng.normal(size=(2, width, width))
    return {"w": w, "u": u, "xs": rng.normal(size=(steps, width)), "target": np.linspace(-0.5, 0.5, width)}


EXAMPLE = {"loss": data()}
WRT = {"loss": ("w", "u")}


def train(steps=200, rate=0.1):
    """Losses on the way of gradient descent."""
    at = data()
    step = tangent.value_and_grad(loss, wrt=("w", "u"))
    losses = []
    for _ in range(steps):
        value, (bw, bu) = step(**at)
        at["w"], at["u"] = at["w"] - rate * bw, at["u"] - rate * bu
        losses.append(float(value))
    return losses


if __name__ == "__main__":
    losses = train()
    print(f"loss: {losses[0]:.4f} before training, {losses[-1]:.2e} after {len(losses)} steps")
