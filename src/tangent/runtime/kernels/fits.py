"""`np.polyfit` with all that it can return, in terms of what has rules."""

from __future__ import annotations

from typing import Any

import numpy as np


def fitted_polynomial(
    x: Any, y: Any, deg: float, rcond: Any = None, full: bool = False, w: Any = None, cov: bool | str = False
) -> Any:
    """The coefficients of `np.polyfit`, and with `full` or `cov` what comes beside them."""
    x = np.asarray(x) + 0.0
    columns = int(deg) + 1
    a, b = np.vander(x, columns), np.asarray(y) + 0.0
    if w is not None:
        a = (a * np.expand_dims(w, -1)).astype(a.dtype)
        b = np.transpose(np.transpose(b) * w).astype(b.dtype)
    scale = np.sqrt(np.sum(a * a, axis=0)) if np.iscomplexobj(a) else np.linalg.norm(a, axis=0)
    a = a / scale
    cut = len(x) * np.finfo(x.dtype).eps if rcond is None else rcond
    c, residuals, rank, s = np.linalg.lstsq(a, b, cut)
    c = np.transpose(np.transpose(c) / scale)
    if full:
        return c, residuals, rank, s, cut
    if not cov:
        return c
    spread_of = np.linalg.inv(np.transpose(a) @ a) / np.outer(scale, scale)
    if cov == "unscaled":
        return c, spread_of
    if np.ndim(b) == 2:
        spread_of = np.expand_dims(spread_of, -1)
    return c, spread_of * (residuals / (len(x) - columns))
