"""Kernels of the elementwise rules: what is not one NumPy call, for numbers and arrays of any inexact dtype."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import init_grad, is_foreign
from tangent.runtime.fit import broadcast_like
from tangent.runtime.zeros import dtype_of, gradient_dtype


def precision(x: Any) -> Any:
    """The real dtype in which the derivatives of x are computed."""
    return np.finfo(gradient_dtype(dtype_of(x))).dtype


def is_boolean(x: Any) -> bool:
    """Whether x is of truth values, which NumPy neither subtracts nor gives a sign."""
    return bool(dtype_of(x).kind == "b")


def is_whole(x: Any) -> bool:
    """Whether x is of integers or truth values."""
    return bool(dtype_of(x).kind in "biu")


def inexact(x: Any) -> Any:
    """x, of floats where it is of integers or truth values: their squares and differences need not be of their kind."""
    return 1.0 * np.asarray(x) if is_whole(x) else x


def ratio(x: Any, y: Any) -> Any:
    """`x / y`, but 0 where x is 0, whatever y is; never an exception."""
    if isinstance(x, float) and isinstance(y, float):
        return x / y if y and x else x * math.copysign(math.inf, y) if x else 0.0 * x
    if type(y) is np.ndarray and y.dtype.kind == "f" and y.size and y.min() > 0.0:
        return x / y
    if is_foreign(x) or is_foreign(y):
        return x / y
    with np.errstate(divide="ignore", invalid="ignore"):
        return _nothing_from_nothing(x, np.divide(x, y))


def cosine(x: Any, r: Any) -> Any:
    """`x / r` for a side x of a length r: 0 where x is 0, and the sign of x where it is infinite.

    >>> cosine(3.0, 5.0), cosine(0.0, 0.0), cosine(-math.inf, math.inf)
    (0.6, 0.0, -1.0)
    """
    if isinstance(x, float) and isinstance(r, float):
        return math.copysign(1.0, x) if math.isinf(x) else ratio(x, r)
    if type(r) is np.ndarray and r.size and r.max() < np.inf:
        return ratio(x, r)
    with np.errstate(invalid="ignore"):
        part = ratio(x, r)
    return part if is_foreign(part) else np.where(np.isinf(x), np.copysign(1.0, x), part).astype(part.dtype)[()]


def leg_share(x: Any, y: Any, r: Any) -> Any:
    """`x / r` for a leg x, where r is `hypot(x, y)`: its rule knows of that, so that no terms cancel."""
    return cosine(x, r)


def inverse(z: Any, n: int) -> Any:
    """`z ** -n`, but 0 where z is 0: of the derivatives of an angle, which zero has none of.

    >>> inverse(2j, 1), inverse(0j, 1), inverse(np.array([0.0, 2.0]), 2)
    (-0.5j, 0j, array([0.  , 0.25]))
    """
    if isinstance(z, (float, complex)):
        return (1.0 / z) ** n if z else 0.0 * z
    if is_foreign(z):
        return 1.0 / z**n
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(z, 0), 0.0, np.divide(1.0, z) ** n).astype(gradient_dtype(dtype_of(z)))[()]


def inverse_real(x: Any, y: Any, r: Any, n: int) -> Any:
    """The real part of `(x + 1j * y) ** -n`, for the length r of x and y: 0 where that is 0."""
    return _inverse_parts(x, y, r, n)[0] if n > 1 else ratio(cosine(x, r), r)


def inverse_imag(x: Any, y: Any, r: Any, n: int) -> Any:
    """The imaginary part of `(x + 1j * y) ** -n`, as `inverse_real`."""
    return _inverse_parts(x, y, r, n)[1] if n > 1 else -ratio(cosine(y, r), r)


def _inverse_parts(x: Any, y: Any, r: Any, n: int) -> tuple[Any, Any]:
    """Turned back by the angle of x and y, and divided by their length, n times."""
    c, s = cosine(x, r), cosine(y, r)
    a, b = ratio(c, r), -ratio(s, r)
    for _ in range(n - 1):
        a, b = ratio(a * c + b * s, r), ratio(b * c - a * s, r)
    return a, b


def times(x: Any, y: Any) -> Any:
    """`x * y`, but 0 where x or y is 0, whatever the other is."""
    if isinstance(x, float) and isinstance(y, float):
        return x * y if (x and y) or (math.isfinite(x) and math.isfinite(y)) else 0.0
    if is_foreign(x) or is_foreign(y):
        return x * y
    with np.errstate(invalid="ignore"):
        z = np.multiply(x, y)
    return z if np.all(np.isfinite(z)) else _nothing_from_nothing(y, _nothing_from_nothing(x, z))


def _nothing_from_nothing(x: Any, z: Any) -> Any:
    """z, but 0 where x is 0."""
    nothing = np.equal(x, 0)
    return np.where(nothing, 0.0, z)[()] if np.any(nothing) else z


def gap(x: Any, y: Any) -> Any:
    """`x - y`, but 0 where they are equal, also where both are infinite."""
    if is_whole(x) and is_whole(y):  # the difference of two need not be one of their kind
        return np.subtract(x, y, dtype=float)
    with np.errstate(invalid="ignore"):
        z = np.subtract(x, y)
    return np.where(np.equal(x, y), 0.0, z)[()] if np.isnan(z).any() else z


def logistic(x: Any) -> Any:
    """`1 / (1 + exp(-x))`, which has all its digits on both sides, and is 0 where the exponential is infinite."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-x))


def logistic2(x: Any) -> Any:
    """`1 / (1 + 2 ** -x)`, as `logistic`."""
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp2(-x))


def hypot_one(x: Any) -> Any:
    """`sqrt(x * x + 1)`, without overflow for real x."""
    return np.sqrt(x * x + 1.0) if np.iscomplexobj(x) else np.hypot(x, 1.0)


def leg_one(x: Any) -> Any:
    """`sqrt(1 - x * x)`, the cosine of the arcsine: with all digits near 1, in the branch that NumPy takes."""
    if isinstance(x, float) and -1.0 <= x <= 1.0:
        return math.sqrt((1.0 - x) * (1.0 + x))
    return np.cos(np.arcsin(x)) if np.iscomplexobj(x) else np.sqrt((1.0 - x) * (1.0 + x))


def leg_cosh(x: Any) -> Any:
    """`sqrt(x * x - 1)`, the hyperbolic sine of the inverse of cosh: with all digits near 1, in NumPy's branch."""
    if isinstance(x, float) and x >= 1.0:
        return math.sqrt(x - 1.0) * math.sqrt(x + 1.0)
    return np.sqrt(x - 1.0) * np.sqrt(x + 1.0)


def leg_tanh(x: Any) -> Any:
    """`1 - x * x`, what the inverse of tanh divides by: with all digits near 1."""
    return (1.0 - x) * (1.0 + x)


def power_slope(x: Any, y: Any) -> Any:
    """`y * x ** (y - 1)`, the derivative of `x ** y` by x: 0 where y is 0, infinite rather than an exception."""
    if isinstance(x, float) and 1e-9 < x < 1e9:
        if type(y) is np.ndarray or (isinstance(y, (float, int)) and 0.0 < abs(y) < 30.0):
            return y * x ** (y - 1.0)
    y = np.asarray(y) if isinstance(y, range) else y
    with np.errstate(divide="ignore"):
        if isinstance(y, (int, float)):
            return y * (x ** (y - 1.0) if is_foreign(x) else np.power(x, y - 1.0)) if y else 0.0 * x
        constant = np.equal(y, 0)
        slope = y * np.power(np.where(constant, 1.0, x), np.where(constant, 1.0, y - 1.0))
        return slope.astype(np.result_type(x, y, 1.0))[()]


def power_log(x: Any, y: Any) -> Any:
    """`log(x)`, but 0 where `x ** y` is 0 for x = 0: the factor of `x ** y` in its derivative by y."""
    if isinstance(x, float) and isinstance(y, float) and 0.0 < x < math.inf:
        return math.log(x)
    x = np.asarray(x) if isinstance(x, range) else x
    flat = np.equal(x, 0) & (np.real(y) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(np.where(flat, 1.0, x)).astype(np.result_type(x, y, 1.0))[()]


def share(b: Any, mine: Any, other: Any) -> Any:
    """b where the result is mine, half of it where the other has the same value, else 0."""
    if isinstance(b, float) and isinstance(mine, (bool, np.bool_)) and isinstance(other, (bool, np.bool_)):
        return (0.5 * b if other else b) if mine else 0.0
    if isinstance(b, (list, tuple)):
        raise UnsupportedError(
            "cannot differentiate 'max' or 'min' of two lists or tuples",
            why="what they are was not known when the derivative was made",
            todo="Give them as one list: max([a, b]).",
        )
    tie = np.logical_and(mine, other)
    if np.count_nonzero(tie):
        return np.where(mine, np.where(tie, 0.5 * b, b), 0.0)[()]
    return masked(b, mine)


def shares(b: Any, mine: Any, other: Any) -> tuple[Any, Any]:
    """`share(b, mine, other)` and `share(b, other, mine)`; where nothing ties, what one does not have is the other's.

    >>> shares(np.array([1.0, 2.0, 4.0]), np.array([True, False, True]), np.array([False, True, True]))
    (array([1., 0., 2.]), array([0., 2., 2.]))
    """
    if type(b) is np.ndarray and b.size > 100 and b.dtype in BITS and np.shape(mine) == np.shape(other) == b.shape:
        if np.count_nonzero(np.not_equal(mine, other)) == b.size:
            bits = b.view(BITS[b.dtype])
            one = bits * mine
            return one.view(b.dtype), np.subtract(bits, one).view(b.dtype)
    return share(b, mine, other), share(b, other, mine)


def take_share(b: Any, mine: Any, other: Any) -> Any:
    """`share(b, mine, other)`, taken out of the array b: `share(b, other, mine)` stays there.

    >>> b = np.array([1.0, 2.0, 4.0])
    >>> take_share(b, np.array([False, True, True]), np.array([True, False, True]))
    array([0., 2., 2.])
    >>> b
    array([1., 0., 2.])
    """
    if type(b) is np.ndarray and b.size > 100 and b.dtype in BITS and np.shape(mine) == np.shape(other) == b.shape:
        if np.count_nonzero(np.not_equal(mine, other)) == b.size:  # no ties
            bits = b.view(BITS[b.dtype])
            taken = bits * mine
            bits -= taken
            return taken.view(b.dtype)
    rest, taken = shares(b, other, mine)
    b[...] = rest
    return taken


BITS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}


def masked(b: Any, mask: Any) -> Any:
    """b where the mask holds, else 0; of many numbers as a product of their bits (faster than choices).

    >>> masked(np.array([1.0, np.inf, -2.0, np.nan] * 50), np.array([True, False, False, True] * 50))[:4]
    array([ 1.,  0.,  0., nan])
    """
    if type(b) is np.ndarray and b.size > 100 and b.dtype in BITS:
        kept: np.ndarray = b.view(BITS[b.dtype]) * mask
        return kept.view(b.dtype)
    return np.where(mask, b, 0.0)[()]


def where_finite(b: Any, x: Any) -> Any:
    """b, but 0 where x is not finite; of complex numbers, each part by itself."""
    if np.iscomplexobj(x) and np.iscomplexobj(b):
        return np.where(np.isfinite(np.real(x)), np.real(b), 0.0) + 1j * np.where(
            np.isfinite(np.imag(x)), np.imag(b), 0.0
        )
    return np.where(np.isfinite(np.real(x)), b, 0.0)[()]


def where_is(b: Any, x: Any, v: float) -> Any:
    """b where x is v, which is infinite or nan, else 0; of complex numbers, each part by itself."""
    if np.iscomplexobj(x):
        return where_is(b, np.real(x), v) + 1j * where_is(b, np.imag(x), v)
    return np.where(np.isnan(x) if v != v else np.equal(x, v), b, 0.0)[()]


def at_least(x: Any, bound: Any, y: Any) -> Any:
    """The maximum of x and the bound, if there is one, in the dtype of y."""
    return x if bound is None else np.maximum(x, bound, dtype=dtype_of(y))


def divmod_tangent(dx: Any, dy: Any, z: Any, x: Any, y: Any) -> Any:
    """The tangents of `divmod(x, y)`: the quotient is constant between its steps."""
    return init_grad(z[0]), broadcast_like(dx - dy * (x // y), z[1])


def cis(x: float) -> complex:
    """`exp(1j * x)`, a turn by an angle."""
    return complex(math.cos(x), math.sin(x))


def conj_sign(x: Any) -> Any:
    """`conj(x) / abs(x)`, 0 at 0: the sign of a real number, the conjugate of the phase of a complex one."""
    if isinstance(x, float):
        return (math.copysign(1.0, x) if x else 0.0) if x == x else x
    if type(x) is complex and 0.0 < (size := abs(x)) < math.inf:
        return x.conjugate() / size
    if np.iscomplexobj(x):
        return ratio(np.conj(x), np.abs(x))
    return np.sign(x, dtype=float) if is_boolean(x) else np.sign(x)


def conj_sign_slope(b: Any, s: Any, x: Any) -> Any:
    """The derivative of `s = conj_sign(x)` along b, or its transpose: a phase turns, a sign does not change.

    >>> conj_sign_slope(1.0, 1.0, 2.0), conj_sign_slope(1j, 1.0 + 0.0j, 2.0 + 0.0j) == -0.5j
    (0.0, True)
    """
    return -1j * s * ratio(np.imag(b * s), np.abs(x)) if np.iscomplexobj(x) else 0.0 * s


def turned(b: Any, y: Any, x: Any) -> Any:
    """The adjoint of x in `y = np.sign(x)`: the sign of a complex number turns with it, that of a real one does not.

    >>> turned(1.0, 1.0, 2.0), complex(turned(1j, 1.0 + 0.0j, 2.0 + 0.0j))
    (0.0, 0.5j)
    """
    return 1j * np.conj(y) * ratio(np.imag(b * y), np.abs(x)) if np.iscomplexobj(x) else init_grad(x)


def real_as(x: Any, like: Any) -> Any:
    """The real part of x if `like` is real, else x."""
    return x if np.iscomplexobj(like) else np.real(x)


def real_beside(x: Any, a: Any) -> Any:
    """The real part of x if a is complex, else x: of what flows through the squares of the lengths of numbers a."""
    return np.real(x) if np.iscomplexobj(a) else x


def in_degrees(x: Any, deg: bool) -> Any:
    """x in degrees if asked for, else x."""
    return x * (180.0 / math.pi) if deg else x


def sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of `np.sinc`: its series where terms of the closed form cancel, else its recurrence."""
    turns = np.asarray(x, np.promote_types(np.result_type(x), float))
    t = np.multiply(turns, math.pi)
    near = np.abs(t) < n + 1.5
    part = np.where(near, _sinc_near(np.where(near, t, 0.0), n), _sinc_far(np.where(near, 1.0, t), _waves(turns), n))
    return (math.pi**n * part).astype(gradient_dtype(np.asarray(x).dtype))[()]


def _waves(x: Any) -> tuple[Any, Any]:
    """The sine and the cosine of pi x; those of real numbers are exact at all multiples of a quarter turn."""
    if np.iscomplexobj(x):
        return np.sin(math.pi * x), np.cos(math.pi * x)
    rest = x - 2.0 * np.rint(0.5 * x)
    short = np.where(np.abs(rest) > 0.5, np.copysign(1.0, rest) - rest, rest)
    return np.sin(math.pi * short), np.sin(math.pi * (0.5 - np.abs(rest)))


def _sinc_near(t: Any, n: int) -> Any:
    """The n-th derivative of sin(t) / t by its power series."""
    total = 0.0 * t
    for k in reversed(range((n + 1) // 2, (n + 1) // 2 + 14 + 2 * n)):
        slope = math.perm(2 * k, n) / math.factorial(2 * k + 1)
        total = total + (-1.0) ** k * slope * t ** (2 * k - n)
    return total


def _sinc_far(t: Any, waves: tuple[Any, Any], n: int) -> Any:
    """The n-th derivative f of sin(t) / t by t f[n] + n f[n - 1] = sin[n], for the sine and cosine of t."""
    f = waves[0] / t
    for k in range(1, n + 1):
        wave = -waves[k % 2] if k % 4 > 1 else waves[k % 2]
        f = (wave - k * f) / t
    return f


def i0_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of `np.i0`, the mean of cos(t)^n exp(x cos(t)) over half a circle: no terms cancel."""
    nodes = 192
    c = np.cos((np.arange(nodes // 2) + 0.5) * (math.pi / nodes)).astype(precision(x))
    xc = np.multiply.outer(x, c)
    return np.mean(c**n * (np.sinh(xc) if n % 2 else np.cosh(xc)), axis=-1)


def math_polygamma(n: int, x: float) -> float:
    """The n-th derivative of the digamma function, for a number x that is not a pole."""
    if x < -20.0:
        return (-1.0) ** n * math_polygamma(n, 1.0 - x) - _cot_derivative(n, x)
    total = 0.0
    sign = (-1.0) ** (n + 1) * math.factorial(n)
    while x < 20.0 + n:
        total = total + sign * math.prod([1.0 / x] * (n + 1))  # infinite, where a power raises
        x = x + 1.0  # x may be a caller's array of no dimensions
    return total + _polygamma_far(n, x)


def _polygamma_far(n: int, x: float) -> float:
    """Stirling's series of the polygamma functions."""
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
    sign, r = (-1.0) ** (n + 1), 1.0 / x
    head = (
        math.log(x) - 0.5 * r
        if n == 0
        else sign * (math.factorial(n - 1) * r**n + math.factorial(n) / 2 * r ** (n + 1))
    )
    tail = sum(
        b * math.factorial(2 * k + 1 + n) / math.factorial(2 * k + 2) * r ** (2 * k + 2 + n)
        for k, b in enumerate(bernoulli)
    )
    return head + sign * tail


def _cot_derivative(n: int, x: float) -> float:
    """The n-th derivative of pi cot(pi x), as a polynomial in the cotangent."""
    p = np.array([1.0, 0.0])
    for _ in range(n):
        p = np.polymul(np.polyder(p), [-1.0, 0.0, -1.0])
    return float(math.pi ** (n + 1) * np.polyval(p, 1.0 / math.tan(math.pi * math.remainder(x, 1.0))))
