"""A network with one hidden layer, trained on the exclusive or: four functions, differentiated as they stand.

python -m tangent show examples/mlp.py:mlp
python examples/mlp.py
"""

import numpy

import tangent


def logsumexp(x):
    return numpy.log(numpy.sum(numpy.exp(x), axis=-1, keepdims=True))


def logsoftmax(logits):
    return logits - logsumexp(logits)


def softmax_xent(logits, y):
    return -numpy.sum(logsoftmax(logits) * y, axis=-1)


def mlp(x, w1, b1, wout, bout, label):
    h1 = numpy.tanh(numpy.dot(x, w1) + b1)
    out = numpy.dot(h1, wout) + bout
    loss = numpy.mean(softmax_xent(out, label))
    return loss


X = numpy.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LABEL = numpy.eye(2)[[0, 1, 1, 0]]


def parameters(hidden=4, seed=0):
    rng = numpy.random.default_rng(seed)
    return [rng.normal(size=(2, hidden)), numpy.zeros(hidden), rng.normal(size=(hidden, 2)), numpy.zeros(2)]


EXAMPLE = {"mlp": dict(zip(("x", "w1", "b1", "wout", "bout", "label"), (X, *parameters(), LABEL)))}
WRT = {"mlp": (1, 2, 3, 4)}


def train(steps=500, rate=0.5):
    """The parameters after gradient descent."""
    dmlp = tangent.grad(mlp, wrt=(1, 2, 3, 4))
    at = parameters()
    for _ in range(steps):
        at = [p - rate * b for p, b in zip(at, dmlp(X, *at, LABEL))]
    return at


if __name__ == "__main__":
    print(f"loss: {mlp(X, *parameters(), LABEL):.4f} before training, {mlp(X, *train(), LABEL):.4f} after")
