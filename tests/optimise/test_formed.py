"""Nothing is computed for its form alone, in versions: the text, and the gradients that the raw code gives."""

import numpy as np
import pytest

import tangent
from rules.check import made

R = np.random.default_rng(3)
X, Y, V = R.normal(size=(20, 30)), R.normal(size=(30, 25)), R.normal(size=20)
W = R.normal(size=(20, 20))

LINES = [
    ("np.mean(x @ y)", (X, Y), "bt = np.full((x.shape[0], y.shape[1]), bout / (x.shape[0] * y.shape[1]))"),
    ("np.trace(x @ y)", (W, W), "bt = bout * np.eye(x.shape[0], y.shape[1])"),
    ("np.trace(x @ x)", (W,), "bt = along_diagonal(bout, x)"),
    ("np.einsum('ij,jk->ik', x, y).sum()", (X, Y), "bt = np.full((x.shape[0], y.shape[1]), bout)"),
    ("np.einsum('ij,jk', x, y).sum()", (X, Y), "bt = np.full((x.shape[0], y.shape[1]), bout)"),
    ("np.sum(np.einsum('ij,ij->i', x, x) @ x)", (W,), None),
    ("np.sum(x[None, :] - x[:, None])", (V,), "bt3 = np.full((x.shape[0], x.shape[0]), bout)"),
    ("np.sum(np.tril(x) @ y)", (W, V), "bt2 = np.full(x.shape[0], bout)"),
    ("np.sum((x ** 2)[[1, 2, 1]] * y)", (V, R.normal(size=3)), None),
    ("np.sum(np.take(x @ x, [1, 2], axis=0))", (W,), "bt = untake("),
    ("np.sum(np.repeat(np.exp(x) @ y, 2))", (X, R.normal(size=30)), None),
    ("np.sum(np.where(y > 0, x, y * x))", (V, V[::-1].copy()), None),
    ("np.sum(np.interp(x, np.arange(3.0), np.ones(3)) @ y)", (V, V), None),
    ("np.sum(np.diff(np.outer(x, y)))", (V, V), None),
    ("np.sum(x @ y)", (X.astype(np.float32), Y.astype(np.float32)), None),
    ("np.sum(x @ y)", (np.ones((1, 30)), Y), "np.full((1, y.shape[1]), bout)"),
]


@pytest.mark.parametrize(("call", "args", "line"), LINES, ids=[line[0] for line in LINES])
def test_form(call, args, line):
    names = "xy"[: len(args)]
    f = made(f"def f({', '.join(names)}):\n    return {call}\n")
    raw, g = (tangent.grad(f, tuple(names), optimized=o) for o in (False, True))
    expected = raw(*args)
    for _ in range(4):
        got = g(*args)
        for p, q in zip(*((b if isinstance(b, tuple) else (b,)) for b in (got, expected)), strict=True):
            assert p.dtype == q.dtype
            np.testing.assert_allclose(p, q, rtol=1e-12 if p.dtype == float else 1e-5, atol=1e-14)
    if line is not None:
        assert line in g.version(*args).source


def counted(x, seen):
    seen.append(x)
    return x @ x


def test_what_does_more_than_compute_is_called():
    seen = []
    g = tangent.grad(lambda x: np.sum(counted(x, seen)))
    for n in range(1, 6):
        np.testing.assert_allclose(g(W), tangent.grad(lambda x: np.sum(x @ x))(W), rtol=1e-12)
        assert len(seen) == n
