"""Logistic regression by Newton's method: the gradient and the Hessian of one function.

python -m tangent show examples/logistic.py:loss --order 2
python examples/logistic.py
"""

import numpy as np

import tangent


def loss(w, x, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.01 * np.sum(w * w)


def data(count=50, seed=0):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(count), rng.normal(size=(count, 2))])
    y = (x @ np.array([0.5, 2.0, -1.0]) + rng.normal(size=count) > 0).astype(float)
    return x, y


EXAMPLE = {"loss": dict(zip(("w", "x", "y"), (np.array([0.1, 0.2, -0.3]), *data())))}


def fit(steps=6):
    """The weights, and the norm of the gradient at every step."""
    x, y = data()
    gradient, curvature = tangent.grad(loss), tangent.hessian(loss)
    w, norms = np.zeros(3), []
    for _ in range(steps):
        b = gradient(w, x, y)
        w = w - np.linalg.solve(curvature(w, x, y), b)
        norms.append(float(np.linalg.norm(b)))
    return w, norms


if __name__ == "__main__":
    w, norms = fit()
    print("weights", np.round(w, 3), "gradient norms", *(f"{n:.1e}" for n in norms))
