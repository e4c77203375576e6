"""Kernels of the parts of a whole: deviations over their length."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import gradient_type, implements, is_array, is_complex, rank, value_of, written
from tangent.backends.numba.reduce import axes_of
from tangent.runtime import (
    about_mean,
    at_rank,
    deviation_direction,
    off_line,
    safe_ratio,
)


@implements(deviation_direction)
def along_deviations(a: Any, r: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
    if is_complex(a):
        return None
    return lambda a, r, axis=None, keepdims=False, where=True: safe_ratio(
        about_mean(a, axis, where), at_rank(r, a, axis, keepdims)
    )


@implements(off_line)
def beside_line(t: Any, x: Any, axis: Any = None, where: Any = True) -> Any:
    axes = axes_of(axis, rank(x))
    if axes is None or not is_array(x) or not is_array(t) or value_of(where, default=...) is not True:
        return None
    text = f"""def impl(t, x, axis=None, where=True):
    top, bottom = np.max(x, {axes}, None, True), np.min(x, {axes}, None, True)
    upper = np.where((x > top / 2 + bottom / 2) | (x == top), kind(1), kind(0))
    lower = kind(1) - upper
    p = np.maximum(np.sum(upper, {axes}, None, None, True), kind(1))
    q = np.maximum(np.sum(lower, {axes}, None, None, True), kind(1))
    d = x - upper * top - lower * bottom
    above = np.sum(upper * d, {axes}, None, None, True) / p
    below = np.sum(lower * d, {axes}, None, None, True) / q
    over = np.sum(upper * t, {axes}, None, None, True) / p
    under = np.sum(lower * t, {axes}, None, None, True) / q
    r, s = d - upper * above - lower * below, t - upper * over - lower * under
    gap_x, gap_t = top - bottom + (above - below), over - under
    squares = np.sum(r * r, {axes}, None, None, True)
    product = np.sum(r * s, {axes}, None, None, True)
    weight = p * q / (p + q)
    total = weight * gap_x * gap_x + squares
    between = safe_ratio(gap_t * squares - gap_x * product, total) / (p + q)
    slope = safe_ratio(weight * gap_x * gap_t + product, total)
    return (upper * q - lower * p) * between + s - r * slope
"""
    return written(text, np=np, kind=gradient_type(x), safe_ratio=safe_ratio)
