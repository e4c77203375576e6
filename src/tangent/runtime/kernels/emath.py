"""The functions of `np.emath`, which answer with complex numbers where need be, in terms of what has rules."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_complex(x: Any) -> Any:
    """x in the precision that `np.emath` has: single, where the numbers need no more, or double."""
    return np.asarray(x).astype(np.csingle if np.asarray(x).dtype.char in "fbhBH" else np.cdouble)


def complex_below_zero(x: Any) -> Any:
    """x as complex numbers, if any is negative."""
    return as_complex(x) if np.isrealobj(x) and np.any(np.less(x, 0)) else np.asarray(x)


def complex_beyond_one(x: Any) -> Any:
    """x as complex numbers, if any is larger than 1 in absolute value."""
    return as_complex(x) if np.isrealobj(x) and np.any(np.greater(np.abs(x), 1)) else np.asarray(x)


def emath_sqrt(x: Any) -> Any:
    """`np.emath.sqrt`."""
    return np.sqrt(complex_below_zero(x))


def emath_log(x: Any) -> Any:
    """`np.emath.log`."""
    return np.log(complex_below_zero(x))


def emath_log10(x: Any) -> Any:
    """`np.emath.log10`."""
    return np.log10(complex_below_zero(x))


def emath_log2(x: Any) -> Any:
    """`np.emath.log2`."""
    return np.log2(complex_below_zero(x))


def emath_logn(n: Any, x: Any) -> Any:
    """`np.emath.logn`."""
    return np.log(complex_below_zero(x)) / np.log(complex_below_zero(n))


def emath_power(x: Any, p: Any) -> Any:
    """`np.emath.power`."""
    return np.power(complex_below_zero(x), np.multiply(p, 1.0) if np.any(np.less(p, 0)) else np.asarray(p))


def emath_arccos(x: Any) -> Any:
    """`np.emath.arccos`."""
    return np.arccos(complex_beyond_one(x))


def emath_arcsin(x: Any) -> Any:
    """`np.emath.arcsin`."""
    return np.arcsin(complex_beyond_one(x))


def emath_arctanh(x: Any) -> Any:
    """`np.emath.arctanh`."""
    return np.arctanh(complex_beyond_one(x))
