"""The MLP listing: batch 16, sizes 64 to 8192; and its Hessian-vector product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy
import numpy as np

import tangent
from benchmarks import peers
from benchmarks.measure import Case

SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
BATCH = 16
CLASSES = 10


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


def mlp_by_hand(x, w1, b1, wout, bout, label):
    h = np.dot(x, w1)
    h += b1
    np.tanh(h, out=h)
    out = np.dot(h, wout)
    out += bout
    p = np.exp(out)
    p /= np.sum(p, axis=-1, keepdims=True)
    # loss = mean over rows of (sum(label) * logsumexp - sum(out * label))
    p *= np.sum(label, axis=-1, keepdims=True)
    p -= label
    p /= len(x)
    bz = np.dot(p, wout.T)
    h2 = h * h
    np.subtract(1.0, h2, out=h2)
    bz *= h2
    return np.dot(x.T, bz), bz.sum(axis=0), np.dot(h.T, p), p.sum(axis=0)


def traced(np, x, w1, b1, wout, bout, label):
    h1 = np.tanh(x @ w1 + b1)
    out = h1 @ wout + bout
    e = np.exp(out)
    lse = np.log(np.sum(e, -1))[:, None]
    return np.mean(-np.sum((out - lse) * label, -1))


def arguments(size: int, dtype: str = "float64") -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    label = np.eye(CLASSES)[rng.integers(0, CLASSES, BATCH)]
    parts = (
        rng.normal(size=(BATCH, size)), rng.normal(size=(size, size)) / np.sqrt(size), rng.normal(size=size),
        rng.normal(size=(size, CLASSES)) / np.sqrt(size), rng.normal(size=CLASSES), label,
    )  # fmt: skip
    return tuple(a.astype(dtype) for a in parts)


def cases(sizes: tuple[int, ...] = SIZES, dtypes: tuple[str, ...] = ("float64", "float32")) -> Iterator[Case]:
    """One after the other: the arguments of the largest are half a gigabyte, for each of the peers."""
    gradient = tangent.grad(mlp, wrt=(1, 2, 3, 4))
    for dtype in dtypes:
        for size in sizes:
            args = arguments(size, dtype)
            yield Case(
                f"MLP, {size} units, {dtype}", lambda args=args: mlp(*args), lambda args=args: gradient(*args),
                lambda args=args: mlp_by_hand(*args),
                peers.by(traced, args, (1, 2, 3, 4), tools=(*peers.TENSORFLOW, "tangent-ad"), primal=mlp),
                1.3 if size <= 128 else 1.1, tolerance=1e-9 if dtype == "float64" else 1e-3,
                rounds=15 if size <= 2048 else 5,
            )  # fmt: skip


def second_order_cases(sizes: tuple[int, ...] = (128, 512)) -> list[Case]:
    gradient = tangent.grad(mlp, wrt=(1,))
    product = tangent.jvp(gradient, wrt=(1,))
    found = []
    for size in sizes:
        args = arguments(size)
        v = np.random.default_rng(1).normal(size=args[1].shape)

        def by_differences(args=args, v=v):
            ends = [gradient(args[0], args[1] + h * v, *args[2:]) for h in (1e-6, -1e-6)]
            return (ends[0] - ends[1]) / 2e-6

        found.append(
            Case(
                f"Hessian-vector product of the MLP, {size} units", lambda args=args: gradient(*args),
                lambda args=args, v=v: product(*args, 1.0, v), by_differences, {}, 2.5, "primal", tolerance=1e-5,
            )
        )  # fmt: skip
    return found
