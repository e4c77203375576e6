"""Every line of docs/kinks.md: the derivative of a function where it has none, or at the end of its domain."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import function_of
from rules.sample import S

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kinks.md"
FIRST, SECOND = (
    re.findall(r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \|$", part, re.MULTILINE)
    for part in PAGE.read_text(encoding="utf-8").split("## At second order")
)

pytestmark = pytest.mark.filterwarnings("ignore")


def number(text: str) -> Any:
    """`[1.0, inf]` as an array, `0.0` as a number."""
    value = eval(text, {"inf": np.inf, "nan": np.nan, "np": np})
    return np.array(value) if isinstance(value, list) else value


@pytest.mark.parametrize("optimized", [True, False], ids=["optimized", "raw"])
@pytest.mark.parametrize(("call", "at", "derivative"), FIRST, ids=[f"{call} at {at}" for call, at, _ in FIRST])
def test_line(call: str, at: str, derivative: str, optimized: bool) -> None:
    x, expected = number(at), number(derivative)
    f = function_of(S(call, x=x))
    seed = np.ones_like(f(x))
    got = tangent.vjp(f, optimized=optimized, check_dims=False)(x, seed if seed.shape else 1.0)
    np.testing.assert_allclose(got, expected, atol=1e-15)
    push = tangent.jvp(f, optimized=optimized, check_dims=False)
    for index in np.ndindex(np.shape(x)):
        tangents = np.zeros(np.shape(x))
        tangents[index] = 1.0
        dy = push(x, tangents if np.shape(x) else 1.0)
        np.testing.assert_allclose(np.sum(dy), np.asarray(expected)[index], atol=1e-15)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("call", "at", "hessian"), SECOND, ids=[f"{call} at {at}" for call, at, _ in SECOND])
def test_line_at_second_order(call: str, at: str, hessian: str) -> None:
    x, expected = number(at), number(hessian)
    f = function_of(S(f"np.sum({call})", x=x))
    slope, push = tangent.grad(f), tangent.jvp(f)
    pull, ahead = tangent.vjp(slope), tangent.jvp(slope)
    pulled, pushed = tangent.grad(push), tangent.jvp(push)
    with np.errstate(divide="ignore", invalid="ignore") if "where" in call else np.errstate():
        for k, e in enumerate(np.eye(x.size)):
            rows = [pull(x, 1.0, e), ahead(x, dx=e), pulled(x, e), [pushed(x, e, d) for d in np.eye(x.size)]]
            for row in rows:
                np.testing.assert_allclose(row, expected[k], atol=1e-14)


def test_the_page_has_lines() -> None:
    assert len(FIRST) > 50 < 2 * len(SECOND)
