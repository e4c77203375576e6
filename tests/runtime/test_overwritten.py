"""What an assignment to an index sees: of an element that is named twice only the last counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tangent.runtime.kernels.index import LARGE, overwritten

INDICES: list[Any] = [
    [3, 1, 3, -1], np.array([[0, 5], [5, -6]]), ([1, 1, 0], [2, 2, 1]), ([1, -1, 1], 2), (np.array([[0], [1]]), [2, 2]),
    (slice(0, 3), [1, 1, 0]), ([2, 2], slice(1, 3)),
]  # fmt: skip


@pytest.mark.parametrize("shape", [(6, 7), (LARGE, 3)], ids=["small", "large"])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_the_last_one_counts(shape: tuple[int, int], index: Any) -> None:
    b = np.random.default_rng(0).normal(size=shape)
    a = np.zeros(shape)
    value = np.arange(1.0, a[index].size + 1).reshape(a[index].shape)
    a[index] = value
    want = np.where(a[index] == value, b[index], 0.0)
    assert np.array_equal(overwritten(b, index), want)
