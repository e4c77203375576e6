"""Functions that only compiled code calls, as Python would do them; Numba compiles their overloads."""

from __future__ import annotations

from typing import Any

import numpy as np


def where(condition: Any, x: Any, y: Any) -> Any:
    """`np.where`, a number where all three are numbers (Numba's own gives an array without axes)."""
    return np.where(condition, x, y)[()]


def matmul(x: Any, y: Any) -> Any:
    """`np.matmul` (which Numba takes for an elementwise function in larger expressions)."""
    return np.matmul(x, y)
