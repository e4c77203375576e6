"""Vectors that fill up a basis: what does not see how they are turned has a derivative, everything else is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tangent
from rules.check import SECOND, check, check_reverse, function_of
from rules.sample import S, Sample, cplx, real
from tangent.errors import UnsupportedError

W = real(4, 4, seed=3)


@pytest.mark.parametrize(
    "sample",
    [
        S("(n := np.linalg.svd(x)[0][:, 2:]) @ np.conj(n.T)", x=real(4, 2)),
        S("(n := np.linalg.svd(x)[0][:, 2:]) @ np.conj(n.T)", x=cplx(4, 2)),
        S("(n := np.linalg.svd(x)[2][2:].T) @ n.T", x=real(2, 4)),
        S("(n := np.linalg.qr(x, 'complete')[0][:, 2:]) @ n.T", x=real(4, 2)),
    ],
    ids=lambda sample: sample.call,
)
def test_projections_onto_a_null_space(sample: Sample) -> None:
    check(sample, (check_reverse, *SECOND[:1]))


@pytest.mark.parametrize("call", ["np.linalg.svd(x)[0]", "np.linalg.qr(x, mode='complete')[0]"])
def test_what_depends_on_the_choice_of_vectors(call: str) -> None:
    """Refused in reverse mode; in forward mode, which cannot know what is done with them, their tangent is nan."""
    f = function_of(S(call, x=real(4, 2)))
    x: Any = real(4, 2)
    with pytest.raises(UnsupportedError, match="by the vectors that fill up a basis"):
        tangent.vjp(f)(x, W)
    assert np.isnan(tangent.jvp(f)(x, x)[:, 2:]).all()
    assert np.isfinite(tangent.jvp(f)(x, x)[:, :2]).all()


@pytest.mark.parametrize("dtype", [float, complex])
def test_matrices_without_elements(dtype: Any) -> None:
    f = function_of(S("np.linalg.svd(x)[2]", x=np.zeros((0, 2), dtype)))
    x = np.zeros((0, 2), dtype)
    assert tangent.vjp(f)(x, np.eye(2, dtype=dtype)).shape == (0, 2)
    np.testing.assert_array_equal(tangent.jvp(f)(x, x), np.zeros((2, 2)))
