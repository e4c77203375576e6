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
W3 = np.array([[0.3, 1.0, 0.7], [-0.4, 0.2, 1.1], [0.9, -0.6, 0.5]])
ALONG = W3 + W3.T

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


# Functions of values and vectors. What does not depend on the basis that belongs to equal values has a derivative. It
# is known where the vectors alone count, or where neither the values that repeat nor their vectors do.
WEIGHT = np.array([[0.6, 0.3, 1.2], [-0.5, 0.8, 0.1], [0.4, 1.0, -0.7]])
OF_VECTORS = [
    ("np.sum((v := np.linalg.eigh(x)[1][:, :2]) @ v.T * b)", PAIR),
    ("(v := np.linalg.eigh(x)[1][:, 2]) @ b @ v", PAIR),
    ("(r := np.linalg.eigh(x))[0][2] * (r[1][:, 2] @ b @ r[1][:, 2])", PAIR),
    ("np.sum((r := np.linalg.svd(x))[0] @ r[2] * b)", 2.0 * TURN),
    ("np.sum((r := np.linalg.svd(x))[0] @ r[2] * b)", PAIR),
]


def slopes(f: Any, at: Any, fold: Any, h: float = 1e-4) -> Any:
    """The gradient of f by differences, along matrices that fold makes."""
    units = [fold(e.reshape(3, 3)) for e in np.eye(9)]
    return np.reshape([(f(at + h * e, WEIGHT) - f(at - h * e, WEIGHT)) / (2 * h) for e in units], (3, 3))


@pytest.mark.parametrize(("call", "at"), OF_VECTORS, ids=[line[0] for line in OF_VECTORS])
def test_vectors_whose_basis_does_not_count(call: str, at: Any) -> None:
    f = function_of(S(call, x=at, b=WEIGHT))
    fold = symmetric if "eigh" in call else np.asarray
    gradient = tangent.grad(f, ("x",))
    for _ in range(3):  # the first calls, and the version for such arguments
        np.testing.assert_allclose(fold(gradient(at, WEIGHT)), slopes(f, at, fold), atol=1e-6)


# A function of the values, in its vectors: in reverse mode its derivative at equal values is not known. Where the
# function is 0, nothing comes back to the vectors, and it is not known either.
BOTH = [
    "np.sum(((r := np.linalg.eigh(x))[1] * np.exp(r[0])) @ r[1].T * b)",
    "np.sum(((r := np.linalg.eigh(x))[1] * (r[0] - 2.0)) @ r[1].T * b)",
    "np.sum(((r := np.linalg.svd(x))[0] * np.exp(r[1])) @ r[2] * b)",
    "np.sum(((r := np.linalg.svd(x))[0] * (r[1] - 2.0)) @ r[2] * b)",
    "np.real(np.sum(((r := np.linalg.eig(x))[1] * np.exp(r[0])) @ np.linalg.inv(r[1]) * b))",
]


@pytest.mark.parametrize("at", [2.0 * I3, PAIR], ids=["all equal", "two equal"])
@pytest.mark.parametrize("call", BOTH)
def test_functions_of_values_and_vectors_are_right_or_nan(call: str, at: Any) -> None:
    f = function_of(S(call, x=at, b=WEIGHT))
    fold = symmetric if "eigh" in call else np.asarray
    got, expected = fold(tangent.grad(f, ("x",))(at, WEIGHT)), slopes(f, at, fold)
    assert np.any(np.isnan(got)) or np.allclose(got, expected, atol=1e-6)
    for d in (np.diag([1.0, 2.0, 3.0]), np.diag([3.0, 1.0, 2.0]), I3, ALONG):
        pushed = tangent.jvp(f, ("x",))(at, WEIGHT, d)
        assert np.isnan(pushed) or np.isclose(pushed, np.sum(expected * d), atol=1e-6)


@pytest.mark.parametrize("call", [BOTH[1].replace("(r[0] - 2.0)", "(r[0] - 2.0) ** 2")])
def test_second_order_of_values_and_vectors_is_nan(call: str) -> None:
    """The first derivative is zero, the second is not known."""
    gradient = tangent.grad(function_of(S(call, x=I3, b=WEIGHT)), ("x",))
    np.testing.assert_array_equal(gradient(2.0 * I3, WEIGHT), 0.0)
    assert np.any(np.isnan(tangent.vjp(gradient, "x")(2.0 * I3, WEIGHT, 1.0, ALONG)))
    assert np.any(np.isnan(tangent.jvp(gradient, "x")(2.0 * I3, WEIGHT, dx=ALONG)))


# Second order: the matrix, a direction, and what the gradient changes by along it.
INV = np.linalg.inv(PAIR)
SPREAD = np.diag([1.0, 2.0, 2.0, 5.0])


def polar_change(d: Any, s: float) -> Any:
    """The change of the orthogonal factor of `s * TURN`."""
    t = TURN.T @ d
    return TURN @ (t - t.T) / (2 * s)


CURVED = [
    ("np.sum(np.linalg.eigvalsh(x))", 2.0 * I3, 0.0 * ALONG),
    ("np.sum(np.linalg.eigvalsh(x) ** 2)", PAIR, 2.0 * ALONG),
    ("np.sum((np.linalg.eigvalsh(x) - 2.0) ** 2)", 2.0 * I3, 2.0 * ALONG),
    ("np.sum(np.linalg.eigh(x)[0] ** 3)", PAIR, 3.0 * (PAIR @ ALONG + ALONG @ PAIR)),
    ("np.sum(np.log(np.linalg.eigvalsh(x)))", PAIR, -INV @ ALONG @ INV),
    ("np.sum(np.real(np.linalg.eigvals(x)) ** 2)", PAIR, 2.0 * ALONG),
    ("np.sum(np.real(np.linalg.eig(x)[0]) ** 2)", 2.0 * I3, 2.0 * ALONG),
    ("np.sum(np.linalg.svdvals(x) ** 2)", 3.0 * TURN, 2.0 * ALONG),
    ("np.sum(np.linalg.svd(x)[1] ** 2)", TURN, 2.0 * ALONG),
    ("np.sum(np.linalg.svd(x, compute_uv=False))", 3.0 * TURN, polar_change(ALONG, 3.0)),
    ("np.linalg.norm(x, 'nuc')", 2.0 * TURN, polar_change(ALONG, 2.0)),
]
FORWARD_ONLY = ("**", "np.log")  # what each value counts for changes with the values


@pytest.mark.parametrize(("call", "at", "expected"), CURVED, ids=[line[0] for line in CURVED])
def test_second_order_where_differentiable(call: str, at: Any, expected: Any) -> None:
    """By forward over reverse mode, as `hessian` and `hvp` do it; reverse over reverse is the same, or nan."""
    gradient = tangent.grad(function_of(S(call, x=at)))
    reads_triangle = any(name in call for name in ("eigh", "eigvalsh"))
    fold = symmetric if reads_triangle else np.asarray
    np.testing.assert_allclose(fold(tangent.jvp(gradient, "x")(at, dx=ALONG)), expected, atol=1e-11)
    back = fold(tangent.vjp(gradient, "x")(at, 1.0, ALONG))
    if any(name in call for name in FORWARD_ONLY):
        assert np.all(np.isnan(back)) or np.allclose(back, expected, atol=1e-11)
    else:
        np.testing.assert_allclose(back, expected, atol=1e-11)


@pytest.mark.parametrize(
    ("call", "at"),
    [("np.linalg.eigvalsh(x)[2]", PAIR), ("np.linalg.eigh(x)[0][2]", PAIR), ("np.linalg.norm(x, 2)", PAIR),
     ("np.linalg.svdvals(x)[0]", PAIR), ("np.linalg.norm(x, 2)", np.diag([3.0, 0.0, 0.0])),
     ("np.linalg.norm(x, -2)", SPREAD), ("np.linalg.cond(x)", SPREAD), ("np.linalg.norm(x, 'nuc')", SPREAD),
     ("np.linalg.norm(x)", TURN), ("np.linalg.det(x)", 2.0 * I3), ("np.linalg.slogdet(x)[1]", PAIR),
     ("np.trace(np.linalg.cholesky(x))", PAIR), ("np.trace(np.linalg.pinv(x))", 2.0 * I3)],
)  # fmt: skip
def test_second_order_of_what_is_simple(call: str, at: Any) -> None:
    """One value that does not repeat among others that do; and functions that need no vectors."""
    f = function_of(S(call, x=at))
    gradient, n = tangent.grad(f), len(at)
    d = np.cos(np.arange(n * n, dtype=float)).reshape(n, n)
    d = d + d.T
    h = 1e-3

    def curvature(h: float) -> Any:
        return (f(at + h * d) - 2 * f(at) + f(at - h * d)) / h**2

    expected = (4 * curvature(h / 2) - curvature(h)) / 3
    for got in (tangent.jvp(gradient, "x")(at, dx=d), tangent.vjp(gradient, "x")(at, 1.0, d)):
        np.testing.assert_allclose(np.sum(got * d), expected, rtol=1e-5, atol=1e-6)


def test_equal_values_move_apart() -> None:
    """Forward mode gives the rates of the values in their order, though the vectors are any basis."""
    for call, order in (("np.linalg.eigvalsh(x)", 1), ("np.linalg.svdvals(x)", -1)):
        f = function_of(S(call, x=I3))
        rates = np.linalg.eigvalsh(ALONG)[::order]
        np.testing.assert_allclose(tangent.jvp(f)(2.0 * I3, ALONG), rates, atol=1e-12)


@pytest.mark.parametrize("call", ["np.sum(np.real(np.linalg.eigvals(x)) ** 2)", "np.sum(np.linalg.eigvalsh(x) ** 2)"])
def test_reverse_over_forward_is_right_or_nan(call: str) -> None:
    f = function_of(S(call, x=PAIR))
    got = tangent.vjp(tangent.jvp(f), "x")(PAIR, ALONG, 1.0)
    assert np.all(np.isnan(got)) or np.allclose(symmetric(got), 2.0 * ALONG)
