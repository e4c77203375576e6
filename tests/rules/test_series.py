"""Series of `np.polynomial` that a function makes: called, differentiated, integrated, and reckoned with."""

from __future__ import annotations

import numpy as np
import pytest

import tangent
from rules.check import made
from tangent.testing import check_grads

C, X = np.array([1.0, 2.0, -3.0]), 0.5
MADE = {
    "numbers": "np.polynomial.Polynomial([x, c[1], x * c[2]])(x)",
    "sums": "(np.polynomial.Hermite(c) * np.polynomial.Hermite([x, 1.0]) - x)(x)",
    "remainder": "divmod(np.polynomial.Polynomial(c), np.polynomial.Polynomial([x, 1.0]))[1](x)",
}


@pytest.mark.parametrize("call", MADE.values(), ids=MADE)
def test_series_that_are_made_inside(call: str) -> None:
    check_grads(made(f"def f(c, x):\n    return {call}\n"), (C, X))


def test_second_derivatives_of_a_series() -> None:
    check_grads(made("def f(c, x):\n    return np.polynomial.Polynomial(c)(x)\n"), (C, X), order=2, modes=("reverse",))


@pytest.mark.parametrize(
    ("call", "error"),
    [("Polynomial([])", ValueError), ("Polynomial(c, [x])", ValueError), ("Polynomial(c, symbol=2)", TypeError)],
    ids=["nothing", "half a domain", "symbol"],
)
def test_what_numpy_refuses_is_refused(call: str, error: type[Exception]) -> None:
    f = made(f"def f(c, x):\n    return np.polynomial.{call}(x)\n")
    for derivative in (tangent.grad(f, ("x",)), tangent.jvp(f, ("x",))):
        with pytest.raises(error):
            derivative(C, X, 1.0)


def test_points_in_several_dimensions() -> None:
    """Numbers are doubles to NumPy here, and points have as many of each coordinate."""
    f = made("def f(c, x, y):\n    return np.polynomial.polynomial.polyval2d(x, y, c)\n")
    c = np.ones((2, 2), np.float32)
    check_grads(f, (np.outer(C, C), X, 0.7))
    assert np.asarray(tangent.jvp(f, ("c",))(c, X, 0.7, c)).dtype == float
    with pytest.raises(ValueError, match="incompatible"):
        tangent.vjp(f, ("c",), check_dims=False)(c, C, X, C)
