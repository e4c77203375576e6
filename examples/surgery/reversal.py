"""Gradient reversal: features that help one head and confuse the other (domain-adversarial training).

python examples/surgery/reversal.py
"""

import numpy as np

import tangent
from tangent import insert_grad_of


def reversed_gradient(h, strength):
    with insert_grad_of(h) as dh:
        dh = -strength * dh
    return h


def loss(w, label_head, domain_head, x, label, domain):
    h = np.tanh(x @ w)
    task = np.mean((h @ label_head - label) ** 2)
    adversary = np.mean((reversed_gradient(h, 0.5) @ domain_head - domain) ** 2)
    return task + adversary


SHOWN = (loss, ("w", "domain_head"))


def data(count=20, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    return 0.3 * rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=2), x, x[:, 0], np.sign(x[:, 1])


if __name__ == "__main__":
    bw, bhead = tangent.grad(loss, ("w", "domain_head"))(*data())
    print("gradient by the features:", np.round(bw[0], 4), "by the adversary's own head:", np.round(bhead, 4))
