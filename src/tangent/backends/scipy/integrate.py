"""`scipy.integrate`: integrals of samples, in terms of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The trapezoidal rule."""
    return np.trapezoid(y, x, dx, axis)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """The same up to each sample."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    h = dx if x is None else np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    parts = np.cumsum(0.5 * h * (y[..., 1:] + y[..., :-1]), axis=-1)
    if initial is not None:
        parts = np.concatenate([np.full((*np.shape(parts)[:-1], 1), initial), parts], axis=-1)
    return np.moveaxis(parts, -1, axis)
