"""Log the norm of the gradient at every step of a recurrence: where does it vanish?

python examples/surgery/norms.py
"""

import numpy as np

import tangent
from tangent import insert_grad_of


def loss(w, x, steps):
    norms = []
    h = np.zeros_like(x)
    for _ in range(steps):
        h = np.tanh(w @ h + x)
        with insert_grad_of(h) as dh:
            norms.append(float(np.linalg.norm(dh)))
    return np.sum(h * h), norms


SHOWN = (loss, "w")


def norms_of(scale, steps=8, width=4, seed=0):
    """The norms, last step first, for weights of some scale."""
    rng = np.random.default_rng(seed)
    w = scale * rng.normal(size=(width, width)) / np.sqrt(width)
    _, norms = tangent.grad(loss, "w", has_aux=True)(w, rng.normal(size=width), steps)
    return norms


if __name__ == "__main__":
    for scale in (0.5, 3.0):
        print(f"weights of scale {scale}:", *(f"{n:.1e}" for n in norms_of(scale)))
