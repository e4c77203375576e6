"""What the functions of `np.polynomial` share, in terms of what has rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime import operators as of_objects
from tangent.runtime.kernels.calculus import between_zeros
from tangent.runtime.objects import is_object

Function = Callable[..., Any]


def as_series(alist: Any, trim: bool = True) -> Any:
    """`np.polynomial.polyutils.as_series`: coefficients as arrays of floats, without zeros at the end."""
    out: Any = []
    for a in alist:
        out = [*out, trimmed_series(a) if trim else np.multiply(np.array(a, ndmin=1), 1.0)]
    return out


def trimmed_series(a: Any) -> Any:
    """Coefficients as an array of floats, without zeros at the end."""
    row = np.multiply(np.array(a, ndmin=1), 1.0)
    return row[: series_length(row)]


def series_length(row: Any) -> int:
    """How many coefficients are left without the zeros at the end, one at least."""
    return max(int(np.max(np.flatnonzero(row), initial=0)) + 1, 1)


def coefficients(row: Any) -> Any:
    """The coefficients of a series as an array of floats; NumPy says what is wrong with them."""
    require_series(row)
    return np.multiply(np.array(row, ndmin=1), 1.0)


def series_ends(ends: Any, default: Any) -> Any:
    """The ends of the domain of a series, or of its window."""
    if ends is None:
        return default
    ends = coefficients(ends)
    if len(ends) != 2:
        raise ValueError("a domain and a window have two ends")
    return ends


def require_series(row: Any) -> None:
    """Stop where NumPy does: at coefficients that are none, or no row."""
    np.polynomial.polyutils.as_series([row], trim=False)


def series_symbol(symbol: str) -> str:
    """The name of the variable of a series; NumPy says what is wrong with it."""
    return np.polynomial.Polynomial([0], symbol=symbol).symbol


def mapped_domain(x: Any, old: Any, new: Any) -> Any:
    """`np.polynomial.polyutils.mapdomain`: a line through points, or of a series."""
    off, scl = np.polynomial.polyutils.mapparms(old, new)
    if is_object(x):
        return of_objects.plus(off, of_objects.times(scl, x))
    return off + scl * np.multiply(x, 1.0)


def series_at_points(val_f: Function, c: Any, *args: Any) -> Any:
    """The value of a series in several variables at points."""
    for k in range(1, len(args)):
        if np.shape(args[k]) != np.shape(args[0]):
            raise ValueError("the coordinates of the points are incompatible")
    c = val_f(np.multiply(args[0], 1.0), c)
    for k in range(1, len(args)):
        c = val_f(np.multiply(args[k], 1.0), c, tensor=False)
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
    roots = np.sort(np.multiply(np.asarray(roots), 1.0))
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


def series_sum(c1: Any, c2: Any) -> Any:
    """The sum of two series."""
    c1, c2 = trimmed_series(c1), trimmed_series(c2)
    n = max(len(c1), len(c2))
    return trimmed_series(between_zeros(c1, 0, n - len(c1), 0) + between_zeros(c2, 0, n - len(c2), 0))


def series_difference(c1: Any, c2: Any) -> Any:
    """The difference of two series."""
    return series_sum(c1, -trimmed_series(c2))


def series_division(mul_f: Function, c1: Any, c2: Any) -> tuple[Any, Any]:
    """Quotient and remainder of two series: from the highest power down, a multiple of c2 is taken off."""
    c1, c2 = trimmed_series(c1), trimmed_series(c2)
    if c2[-1] == 0:
        raise ZeroDivisionError("division of a series by zero")
    if len(c2) == 1:
        return c1 / c2[-1], 0.0 * c1[:1]
    quotient: Any = []
    for k in range(len(c1) - len(c2), -1, -1):
        p = mul_f(np.eye(1, k + 1, k, dtype=c2.dtype)[0], c2)
        q = c1[-1] / p[-1]
        c1 = c1[:-1] - q * p[:-1]
        quotient = [q, *quotient]
    return np.stack(quotient) if quotient else 0.0 * c1[:1], trimmed_series(c1)


def polynomial_division(c1: Any, c2: Any) -> tuple[Any, Any]:
    """`np.polynomial.polynomial.polydiv`."""
    c1, c2 = trimmed_series(c1), trimmed_series(c2)
    if c2[-1] == 0:
        raise ZeroDivisionError("division of a polynomial by zero")
    c1, c2 = c1.astype(np.result_type(c1, c2)), c2.astype(np.result_type(c1, c2))
    if len(c2) == 1:
        return c1 / c2[-1], 0.0 * c1[:1]
    quotient: Any = []
    for k in range(len(c1) - len(c2), -1, -1):
        top = c1[-1] / c2[-1]
        c1 = np.concatenate([c1[:k], c1[k:-1] - c2[:-1] * top])
        quotient = [top, *quotient]
    return np.stack(quotient) if quotient else 0.0 * c1[:1], trimmed_series(c1)


def series_by_x(c: Any, up: Any, same: Any, down: Any) -> Any:
    """A series times x, which takes each function of its basis to the next one, itself and the one before."""
    up, same, down = np.asarray(up, c.dtype), np.asarray(same, c.dtype), np.asarray(down, c.dtype)
    return between_zeros(c * up, 1, 0, 0) + between_zeros(c * same, 0, 1, 0) + between_zeros(c[1:] * down[1:], 0, 2, 0)


def series_matrix(linear_f: Function, n: int, m: int, dtype: Any) -> Any:
    """What becomes of each of the first n functions of a basis: columns of coefficients."""
    return linear_f(np.eye(n, dtype=dtype), m)


def series_derivative(der_f: Function, c: Any, m: int, scl: Any, axis: int) -> Any:
    """The derivative of a series: its coefficients by what becomes of each function of the basis."""
    c = np.multiply(np.array(c, ndmin=1), 1.0)
    basis = series_matrix(der_f, np.shape(c)[axis], m, c.dtype)
    return scl**m * np.moveaxis(np.tensordot(basis, c, (1, axis)), 0, axis)


def series_integral(
    int_f: Function, val_f: Function, c: Any, m: int, k: Any, lbnd: Any, scl: Any, axis: int
) -> Any:  # fmt: skip
    """The integral of a series, each time with the constant that makes it a given number at the lower bound."""
    constants: Any = k if np.iterable(k) else [k]
    if m < 0 or len(constants) > m:
        raise ValueError("an integral takes as many constants as there are integrations, at most")
    c = np.moveaxis(np.multiply(np.array(c, ndmin=1), 1.0), axis, 0)
    for i in range(m):
        start = constants[i] if i < len(constants) else 0.0
        if len(c) == 1 and np.all(np.equal(c, 0)):
            c = scl * c + start
        else:
            c = scl * np.tensordot(series_matrix(int_f, len(c), 1, c.dtype), c, 1)
            c = np.concatenate([c[:1] + (start - val_f(lbnd, c)), c[1:]])
    return np.moveaxis(c, 0, axis)


def polyval2d(x: Any, y: Any, c: Any) -> Any:
    """`np.polynomial.polynomial.polyval2d`."""
    return series_at_points(np.polynomial.polynomial.polyval, c, x, y)


def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    """`np.polynomial.polynomial.polygrid2d`."""
    return np.polynomial.polynomial.polyval(y, np.polynomial.polynomial.polyval(x, c))
