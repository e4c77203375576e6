"""The calls that benchmarks/rules.py measures: forty of them, each with the same gradient by all tools."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.rules import CALLS, function, row, slower

import tangent


def test_there_are_forty() -> None:
    assert len(CALLS) == 40


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in CALLS if n not in ("cumprod", "pad", "svd", "eigh")])
def test_gradients_agree_with_autograd(name: str) -> None:
    autograd = pytest.importorskip("autograd")
    x = CALLS[name][1]
    expected = autograd.grad(function(name, autograd.numpy))(x)
    got = tangent.grad(function(name))(x)
    if name == "cholesky":  # it reads one triangle only
        got, expected = got + got.T, expected + expected.T
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8 * np.max(np.abs(expected)))


def test_what_is_slower_is_told() -> None:
    measured = {
        "exp": {"primal": 1.0, "tangent": 3.0, "autograd": 2.0},
        "sqrt": {"primal": 1.0, "tangent": 2.0, "autograd": 2.0},
    }
    assert slower(measured, "autograd") == ["exp"]
    assert row("exp", measured["exp"]) == "| `np.exp(x)` | 1000000 | 3.0 | 2.0 | - |"
