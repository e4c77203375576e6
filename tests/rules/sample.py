"""A sample is one call of a function that has a rule, with arguments inside the domain where it is smooth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Sample:
    call: str
    values: dict[str, Any]
    fixed: tuple[str, ...] = ()
    orders: int = 2  # 1 where the second derivative does not exist
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def wrt(self) -> tuple[str, ...]:
        return tuple(k for k, v in self.values.items() if k not in self.fixed and is_differentiable(v))


def is_differentiable(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(is_differentiable(v) for v in value)
    if isinstance(value, dict):
        return bool(value) and all(is_differentiable(v) for v in value.values())
    return isinstance(value, float | complex) or getattr(value, "dtype", np.dtype(int)).kind in "fc"


def S(call: str, *fixed: str, orders: int = 2, **values: Any) -> Sample:
    """`S("np.sum(x, axis=0)", x=real(2, 3))`; names of values that are not differentiated follow the call."""
    return Sample(call, values, fixed, orders)


def real(*shape: int, low: float = -1.5, high: float = 1.5, seed: int = 0) -> Any:
    """Distinct numbers in (low, high), away from each other, so that sorting and maxima are smooth."""
    n = int(np.prod(shape, dtype=int))
    rng = np.random.default_rng(seed + n)
    points = low + (high - low) * (np.arange(n) + 0.5 + 0.3 * rng.uniform(-1, 1, n)) / max(n, 1)
    out = rng.permutation(points).reshape(shape)
    return float(out) if shape == () else out


def positive(*shape: int, seed: int = 0) -> Any:
    return real(*shape, low=0.3, high=2.5, seed=seed)


def unit(*shape: int, seed: int = 0) -> Any:
    return real(*shape, low=-0.85, high=0.85, seed=seed)


def cplx(*shape: int, seed: int = 0) -> Any:
    out = real(*shape, seed=seed) + 1j * real(*shape, seed=seed + 1)
    return complex(out) if shape == () else out


def spd(n: int, *batch: int, seed: int = 0) -> Any:
    """Symmetric positive definite matrices."""
    a = np.random.default_rng(seed + n).normal(size=(*batch, n, n))
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)
