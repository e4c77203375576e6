"""Repeated eigenvalues and singular values: right where the function is differentiable, nan where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import function_of
from rules.sample import S

pytestmark = pytest.mark.filterwarnings("ignore")
I3 = np.eye(3)
TURN = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
PAIR = TURN @ np.diag([2.0, 2.0, 5.0]) @ TURN.T

# A differentiable function of a matrix, where it is taken, and its derivative there.
SMOOTH = [
    ("np.sum(np.linalg.eigvalsh(x))", 2.0 * I3, I3),
    ("np.sum(np.linalg.eigvalsh(x) ** 2)", PAIR, 2.0 * PAIR),
    ("np.sum(np.log(np.linalg.eigvalsh(x)))", PAIR, np.linalg.inv(PAIR)),
    ("np.sum(np.linalg.eigh(x)[0] ** 3)", PAIR, 3.0 * PAIR @ PAIR),
    ("np.linalg.eigh(x)[0][2]", PAIR, np.outer(TURN[:, 2], TURN[:, 2])),
    ("np.sum(np.linalg.svd(x, compute_uv=False))", TURN, TURN),
    ("np.sum(np.linalg.svdvals(x) ** 2)", 3.0 * TURN, 6.0 * TURN),
    ("np.sum(np.linalg.svd(x)[1])", 3.0 * TURN, TURN),
    ("np.linalg.norm(x, 'nuc')", 2.0 * TURN, TURN),
    ("np.linalg.norm(x)", TURN, TURN / np.sqrt(3.0)),
    ("np.linalg.det(x)", 2.0 * I3, 4.0 * I3),
    ("np.linalg.slogdet(x)[1]", PAIR, np.linalg.inv(PAIR)),
    ("np.sum(np.real(np.linalg.eigvals(x)))", PAIR, I3),
    ("np.trace(np.linalg.cholesky(x))", 4.0 * I3, 0.25 * I3),
    ("np.trace(np.linalg.pinv(x))", 2.0 * I3, -0.25 * I3),
]


def symmetric(b: Any) -> Any:
    """The gradient by a symmetric matrix: functions that read one triangle have it there."""
    return (b + b.T) / 2


@pytest.mark.parametrize(("call", "at", "expected"), SMOOTH, ids=[line[0] for line in SMOOTH])
def test_right_where_differentiable(call: str, at: Any, expected: Any) -> None:
    f = function_of(S(call, x=at))
    got = tangent.grad(f)(at)
    reads_triangle = any(name in call for name in ("eigh", "eigvalsh", "cholesky"))
    np.testing.assert_allclose(symmetric(got) if reads_triangle else got, expected, atol=1e-12)
    direction = at / 2 + I3
    pushed = tangent.jvp(f)(at, direction)
    np.testing.assert_allclose(pushed, np.sum(expected * direction), atol=1e-12)


# The vectors of equal values are any basis: what depends on which one it is has no derivative.
UNDEFINED = [
    ("np.sum(np.linalg.eigh(x)[1][:, 0] * w)", PAIR),
    ("np.sum(np.linalg.svd(x)[0] * w)", 2.0 * I3),
    ("np.sum(np.real(np.linalg.eig(x)[1]) * w)", PAIR),
]


@pytest.mark.parametrize(("call", "at"), UNDEFINED, ids=[line[0] for line in UNDEFINED])
def test_nan_where_not(call: str, at: Any) -> None:
    w = np.array([[0.3, 1.0, 0.7], [-0.4, 0.2, 1.1], [0.9, -0.6, 0.5]])[:, : 1 if "[:, 0]" in call else 3].squeeze()
    f = function_of(S(call, x=at, w=w))
    assert np.any(np.isnan(tangent.grad(f, ("x",))(at, w)))
    assert np.isnan(tangent.jvp(f, ("x",))(at, w, np.arange(9.0).reshape(3, 3) ** 2))
