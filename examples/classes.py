"""Networks written as classes: one of layers that are called, one of parameters in a dataclass; exclusive or again.

python -m tangent show examples/classes.py:cross_entropy
python examples/classes.py
"""

import dataclasses
import itertools

import numpy as np

import tangent


class Dense:
    def __init__(self, inputs, outputs, rng):
        self.w = rng.normal(size=(inputs, outputs))
        self.b = np.zeros(outputs)

    def __call__(self, x):
        return x @ self.w + self.b


class Network:
    def __init__(self, sizes, seed=0):
        rng = np.random.default_rng(seed)
        self.layers = [Dense(n, m, rng) for n, m in itertools.pairwise(sizes)]

    def __call__(self, x):
        *hidden, last = self.layers
        for layer in hidden:
            x = np.tanh(layer(x))
        return last(x)

    def loss(self, x, label):
        return cross_entropy(self(x), label)


@dataclasses.dataclass
class Parameters:
    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray


def loss(p, x, label):
    return cross_entropy(np.tanh(x @ p.w1 + p.b1) @ p.w2 + p.b2, label)


def cross_entropy(logits, label):
    return np.mean(np.log(np.sum(np.exp(logits), axis=-1)) - np.sum(logits * label, axis=-1))


X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LABEL = np.eye(2)[[0, 1, 1, 0]]
EXAMPLE = {"cross_entropy": {"logits": np.array([[0.1, 0.7], [1.5, -0.3]]), "label": np.eye(2)}}
WRT = {"cross_entropy": (0,)}


def train_network(steps=500, rate=0.5):
    """The gradient by `self` is a network of gradients."""
    network = Network([2, 4, 2])
    gradient = tangent.grad(Network.loss, wrt="self")
    for _ in range(steps):
        step = gradient(network, X, LABEL)
        for layer, change in zip(network.layers, step.layers):
            layer.w, layer.b = layer.w - rate * change.w, layer.b - rate * change.b
    return network


def train_parameters(steps=500, rate=0.5):
    """The gradient by a dataclass is one of the same class."""
    rng = np.random.default_rng(0)
    p = Parameters(rng.normal(size=(2, 4)), np.zeros(4), rng.normal(size=(4, 2)), np.zeros(2))
    gradient = tangent.grad(loss)
    for _ in range(steps):
        step = gradient(p, X, LABEL)
        p = Parameters(**{k: v - rate * getattr(step, k) for k, v in vars(p).items()})
    return p


if __name__ == "__main__":
    print(f"a class of layers:       {Network([2, 4, 2]).loss(X, LABEL):.4f} -> {train_network().loss(X, LABEL):.4f}")
    print(f"a dataclass of matrices: {loss(train_parameters(), X, LABEL):.4f} after training")
