"""What the functions of `np.polynomial` share, in terms of what has rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]


def as_series(alist: Any, trim: bool = True) -> Any:
    """`np.polynomial.polyutils.as_series`: coefficients as arrays of floats, without zeros at the end."""
    out: Any = []
    for a in alist:
        row = np.multiply(np.array(a, ndmin=1), 1.0)
        out = [*out, row[: series_length(row)] if trim else row]
    return out


def series_length(row: Any) -> int:
    """How many coefficients are left without the zeros at the end, one at least."""
    return max(int(np.max(np.flatnonzero(row), initial=0)) + 1, 1)


def series_at_points(val_f: Function, c: Any, *args: Any) -> Any:
    """The value of a series in several variables at points."""
    c = val_f(args[0], c)
    for k in range(1, len(args)):
        c = val_f(args[k], c, tensor=False)
    return c


def series_basis(vander_fs: Any, points: Any, degrees: Any) -> Any:
    """The products of the basis functions of several variables at points."""
    n = len(vander_fs)
    basis = vander_fs[0](points[0], degrees[0])
    for k in range(1, n):
        one = vander_fs[k](points[k], degrees[k])
        basis = np.expand_dims(basis, -1) * np.expand_dims(one, tuple(range(-1 - k, -1)))
    return basis


def flat_series_basis(vander_fs: Any, points: Any, degrees: Any) -> Any:
    """The same, along one axis."""
    basis = series_basis(vander_fs, points, degrees)
    return np.reshape(basis, (*np.shape(basis)[: -len(degrees)], -1))


def series_from_roots(line_f: Function, mul_f: Function, roots: Any) -> Any:
    """The series with the roots."""
    if len(roots) == 0:
        return np.ones(1)
    roots = np.sort(np.asarray(roots))
    out = line_f(-roots[0], 1)
    for k in range(1, len(roots)):
        out = mul_f(out, line_f(-roots[k], 1))
    return out


def series_power(mul_f: Function, c: Any, pow: int, maxpower: Any = None) -> Any:
    """A power of a series."""
    c = as_series([c])[0]
    if pow == 0:
        return np.ones_like(c[:1])
    out = c
    for _ in range(1, int(pow)):
        out = mul_f(out, c)
    return out


def polyval2d(x: Any, y: Any, c: Any) -> Any:
    """`np.polynomial.polynomial.polyval2d`."""
    return series_at_points(np.polynomial.polynomial.polyval, c, x, y)


def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    """`np.polynomial.polynomial.polygrid2d`."""
    return np.polynomial.polynomial.polyval(y, np.polynomial.polynomial.polyval(x, c))
