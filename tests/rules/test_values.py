"""Functions of libraries that are values: which rule is for a call of one depends on the form of the call."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import FIRST, SECOND, check, made
from rules.sample import S, real

A, B = real(3), real(2, 3)
FORMS: list[tuple[Any, str, dict[str, Any]]] = [
    (max, "op(x, y)", {"x": 0.3, "y": 0.4}),
    (max, "op([x, y])", {"x": 0.3, "y": 0.4}),
    (min, "op(x, y, 0.5)", {"x": 0.3, "y": 0.4}),
    (math.hypot, "op(x)", {"x": 0.3}),
    (math.hypot, "op(x, y, 1.0)", {"x": 0.3, "y": 0.4}),
    (math.log, "op(x, y)", {"x": 0.3, "y": 0.4}),
    (np.einsum, "op('i,ji->j', x, y)", {"x": A, "y": B}),
    (np.einsum, "op(y, [0, 1], x, [1])", {"x": A, "y": B}),
    (np.atleast_2d, "op(x, y)", {"x": A, "y": B}),
    (np.atleast_2d, "op(x)", {"x": A}),
    (np.median, "op(x, axis=0)", {"x": B}),
    (np.cumsum, "op(x, axis=1)", {"x": B}),
    (np.linspace, "op(x, y, 3)", {"x": 0.3, "y": 0.4}),
    (np.clip, "op(x, max=0.2)", {"x": A}),
    (np.average, "op(x, weights=y)", {"x": A, "y": np.array([0.2, 0.3, 0.9])}),
]


@pytest.mark.parametrize(("op", "call", "values"), FORMS, ids=[f"{op.__name__}: {call}" for op, call, _ in FORMS])
def test_form(op: Any, call: str, values: dict[str, Any]) -> None:
    check(S(call, "op", op=op, **values), (*FIRST, *SECOND))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_as_there_are(count: int) -> None:
    f = made("def f(op, xs):\n    return sum([np.sum(v) for v in list(op(*xs))])\n")
    got = tangent.grad(f, ("xs",))(np.atleast_2d, [real(3, seed=k) for k in range(count)])
    assert [g.tolist() for g in got] == [[1.0, 1.0, 1.0]] * count


def test_median_of_a_function() -> None:
    np.testing.assert_array_equal(tangent.grad(np.median)(np.array([3.0, 1.0, 2.0])), [0.0, 0.0, 1.0])


@pytest.mark.parametrize("family", [np.polynomial.Polynomial, np.polynomial.Chebyshev], ids=["Polynomial", "Chebyshev"])
def test_series_that_are_arguments(family: Any) -> None:
    """The gradient of a series is a series of the gradients of its coefficients."""
    f = made("def f(p, x):\n    return p(x) * np.sum(p.coef)\n")
    c, x, h = np.array([1.0, 2.0, -3.0]), 0.5, 1e-6
    bp, bx = tangent.grad(f, ("p", "x"))(family(c), x)
    expected = [(f(family(c + h * e), x) - f(family(c - h * e), x)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(bp.coef, expected, rtol=1e-7)
    np.testing.assert_allclose(bx, (f(family(c), x + h) - f(family(c), x - h)) / (2 * h), rtol=1e-7)
    pushed = tangent.jvp(f, ("p", "x"))(family(c), x, family([0.0, 1.0, 0.0]), 0.0)
    np.testing.assert_allclose(pushed, bp.coef[1], rtol=1e-12)


FORWARD = {
    "np.sin(x)": "return dx * np.cos(x)",
    "np.append(x, y)": "return np.append(dx, dy)",
    "np.linspace(x, y, 4)": "return np.linspace(dx, dy, 4)",
    "np.polysub(x, y)": "return np.polysub(dx, dy)",
    "np.linalg.solve(x, y)": "return solve_columns(x, dy - matmul_columns(dx, np.linalg.solve(x, y), y), y)",
    "np.arctan2(x, y)": "r = np.hypot(y, x)\n    return dx * inverse_real(y, x, r, 1) + dy * inverse_imag(y, x, r, 1)",
}


@pytest.mark.parametrize("call", FORWARD)
def test_forward_text(call: str) -> None:
    """Nothing is computed twice, nor for its shape alone; a sum of tangents is solved for once."""
    f = made(f"def f(x, y):\n    return {call}\n")
    wrt = ("x", "y") if "y" in call else ("x",)
    assert tangent.jvp(f, wrt).source.strip().split(":\n    ", 1)[1] == FORWARD[call]
