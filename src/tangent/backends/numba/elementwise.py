"""Kernels of the elementwise rules: numbers by branches, arrays by masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.np.numpy_support import as_dtype, from_dtype

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_complex,
    is_number,
    jitable,
)
from tangent.runtime import (
    at_least,
    conj_sign,
    conj_sign_slope,
    cosine,
    gap,
    hypot_one,
    in_degrees,
    inverse,
    inverse_imag,
    inverse_real,
    leg_cosh,
    leg_one,
    leg_share,
    leg_tanh,
    logistic,
    logistic2,
    math_polygamma,
    nonzero_part,
    power_log,
    power_slope,
    ratio,
    share,
    times,
    turned,
    where_finite,
    where_nonzero,
)


def common(*args: Any) -> Any:
    """The number type of a result."""
    return from_dtype(np.result_type(*(as_dtype(gradient_type(a)) for a in args)))


def numbers(*args: Any) -> bool:
    return all(is_number(a) for a in args)


@jitable
def everywhere(y: Any) -> Any:
    """True in the shape of y, also where that is nan."""
    return (y == y) | (y != y)


@implements(ratio)
def quotient(x: Any, y: Any) -> Any:
    kind = common(x, y)
    nothing = kind(0)
    if numbers(x, y):
        return lambda x, y: nothing if x == 0 else safe_divide(x, y)
    return lambda x, y: np.where((x == 0) & everywhere(y), nothing, np.divide(x, y))


@implements(leg_share)
def share_of_leg(x: Any, y: Any, r: Any) -> Any:
    return lambda x, y, r: cosine(x, r)


@implements(cosine)
def side(x: Any, r: Any) -> Any:
    kind = common(x, r)
    nothing = kind(0)
    if numbers(x, r):
        return lambda x, r: np.sign(x) if np.isinf(x) else nothing if x == 0 else safe_divide(x, r)

    def impl(x: Any, r: Any) -> Any:
        whole = x * everywhere(r)
        return np.where(np.isinf(whole), np.sign(whole), np.where(whole == 0, nothing, np.divide(whole, r)))

    return impl


@implements(inverse)
def inverse_power(z: Any, n: Any) -> Any:
    nothing = gradient_type(z)(0)
    if is_number(z):
        return lambda z, n: nothing if z == 0 else (1.0 / z) ** n
    return lambda z, n: np.where(z == 0, nothing, (1.0 / z) ** n)


@implements(inverse_real)
def inverse_power_real(x: Any, y: Any, r: Any, n: Any) -> Any:
    return lambda x, y, r, n: inverse_parts(x, y, r, n)[0]


@implements(inverse_imag)
def inverse_power_imag(x: Any, y: Any, r: Any, n: Any) -> Any:
    return lambda x, y, r, n: inverse_parts(x, y, r, n)[1]


@jitable
def inverse_parts(x: Any, y: Any, r: Any, n: Any) -> Any:
    """The parts of `(x + 1j * y) ** -n`, 0 where the length r is 0."""
    c, s = cosine(x, r), cosine(y, r)
    a, b = ratio(c, r), -ratio(s, r)
    for _ in range(n - 1):
        a, b = ratio(a * c + b * s, r), ratio(b * c - a * s, r)
    return a, b


@jitable
def safe_divide(x: Any, y: Any) -> Any:
    """`x / y` for a number x that is not 0."""
    return x / y if y != 0 else x * math.copysign(math.inf, y.real)


@implements(times)
def product(x: Any, y: Any) -> Any:
    kind = common(x, y)
    nothing = kind(0)
    if numbers(x, y):
        return lambda x, y: nothing if x == 0 or y == 0 else x * y
    return lambda x, y: np.where((x == 0) | (y == 0), nothing, x * y)


@implements(gap)
def difference(x: Any, y: Any) -> Any:
    kind = common(x, y)
    nothing = kind(0)
    if numbers(x, y):
        return lambda x, y: nothing if x == y else x - y
    return lambda x, y: np.where(x == y, nothing, x - y)


@implements(logistic)
def sigmoid(x: Any) -> Any:
    one = gradient_type(x)(1)
    if is_number(x):

        def impl(x: Any) -> Any:
            e = math.exp(-abs(x))
            return (one if x >= 0 else e) / (one + e)

        return impl

    def of_array(x: Any) -> Any:
        e = np.exp(-np.abs(x))
        return np.where(x >= 0, one, e) / (one + e)

    return of_array


@implements(logistic2)
def binary_sigmoid(x: Any) -> Any:
    one = gradient_type(x)(1)
    if is_number(x):

        def impl(x: Any) -> Any:
            e = np.exp2(-abs(x))
            return (one if x >= 0 else e) / (one + e)

        return impl

    def of_array(x: Any) -> Any:
        e = np.exp2(-np.abs(x))
        return np.where(x >= 0, one, e) / (one + e)

    return of_array


@implements(hypot_one)
def root(x: Any) -> Any:
    one = gradient_type(x)(1)
    if is_complex(x):
        return lambda x: np.sqrt(x * x + one)
    return lambda x: np.hypot(x, one)


@implements(leg_one)
def leg(x: Any) -> Any:
    one = gradient_type(x)(1)
    if is_complex(x):
        return lambda x: np.cos(np.arcsin(x))
    return lambda x: np.sqrt((one - x) * (one + x))


@implements(leg_cosh)
def other_leg(x: Any) -> Any:
    one = gradient_type(x)(1)
    return lambda x: np.sqrt(x - one) * np.sqrt(x + one)


@implements(leg_tanh)
def far_leg(x: Any) -> Any:
    one = gradient_type(x)(1)
    return lambda x: (one - x) * (one + x)


@implements(power_slope)
def slope(x: Any, y: Any) -> Any:
    kind = common(x, y)
    one, nothing = kind(1), kind(0)
    if numbers(x, y):
        if is_complex(x) or is_complex(y):
            return lambda x, y: y * x ** (y - one) if y != 0 else nothing * x

        def impl(x: Any, y: Any) -> Any:
            if y == 0:
                return nothing * x
            return y * power_or_inf(x, y - one)

        return impl
    return lambda x, y: np.where(
        y == 0, nothing, y * np.power(np.where(y == 0, one, x), np.where(y == 0, one, y - one))
    )


@jitable
def power_or_inf(x: Any, y: Any) -> Any:
    """`x ** y`, infinite rather than an exception."""
    return math.inf if x == 0 and y < 0 else x**y


@implements(power_log)
def logarithm(x: Any, y: Any) -> Any:
    kind = common(x, y)
    one = kind(1)
    if numbers(x, y):
        if is_complex(x):
            return lambda x, y: np.log(one if x == 0 and y.real > 0 else x)
        return lambda x, y: number_log(one if x == 0 and y.real > 0 else x)
    return lambda x, y: np.log(np.where((x == 0) & (np.real(y) > 0), one, x))


@jitable
def number_log(x: Any) -> Any:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


@implements(share)
def shared(b: Any, mine: Any, other: Any) -> Any:
    kind = gradient_type(b)
    nothing, half = kind(0), kind(0.5)
    if numbers(b, mine, other):
        return lambda b, mine, other: nothing if not mine else half * b if other else b + nothing
    return lambda b, mine, other: np.where(mine, np.where(mine & other, half * b, b), nothing)


@implements(where_finite)
def finite(b: Any, x: Any) -> Any:
    nothing = gradient_type(b)(0)
    if numbers(b, x):
        return lambda b, x: b if np.isfinite(x) else nothing
    return lambda b, x: np.where(np.isfinite(x), b, nothing)


@implements(where_nonzero)
def nonzero(b: Any, value: Any) -> Any:
    nothing = gradient_type(value)(0)
    if numbers(b, value):
        return lambda b, value: nothing if b == 0 and not np.isfinite(value) else value
    return lambda b, value: np.where((b == 0) & ~np.isfinite(value), nothing, value)


@implements(nonzero_part)
def nonzero_adjoint(g: Any, b: Any, value: Any) -> Any:
    nothing = gradient_type(g)(0)
    if numbers(g, b, value):
        return lambda g, b, value: nothing if b == 0 and not (np.isfinite(value) and np.isfinite(g)) else g
    return lambda g, b, value: np.where((b == 0) & ~(np.isfinite(value) & np.isfinite(g)), nothing, g)


@implements(at_least)
def bounded(x: Any, bound: Any, y: Any) -> Any:
    if not is_number(bound) and not is_array(bound):
        return lambda x, bound, y: x
    return lambda x, bound, y: np.maximum(x, bound)


@implements(conj_sign)
def direction(x: Any) -> Any:
    if is_complex(x):
        return lambda x: ratio(np.conj(x), np.abs(x))
    return lambda x: np.sign(x)


@implements(conj_sign_slope)
def turn(b: Any, s: Any, x: Any) -> Any:
    if is_complex(x):
        return lambda b, s, x: -1j * s * ratio(np.imag(b * s), np.abs(x))
    nothing = gradient_type(s)(0)
    return lambda b, s, x: nothing * s


@implements(turned)
def turned_by(b: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return lambda b, y, x: 1j * np.conj(y) * ratio(np.imag(b * y), np.abs(x))
    kind = gradient_type(y)
    nothing = kind(0)
    return (lambda b, y, x: nothing) if is_number(y) else lambda b, y, x: np.zeros(y.shape, kind)


@implements(in_degrees)
def degrees(x: Any, deg: Any) -> Any:
    factor = gradient_type(x)(180.0 / math.pi)
    one = gradient_type(x)(1)
    return lambda x, deg: x * (factor if deg else one)


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


@implements(math_polygamma)
def polygamma(n: Any, x: Any) -> Any:
    """The recurrence up to 20 + n, then Stirling's series; reflected at the digamma function only."""

    def impl(n: Any, x: Any) -> Any:
        if x < -20.0 and n > 0:
            raise ValueError("math.gamma far below zero has no compiled derivative of higher order")
        if x < -20.0:
            return far_digamma(1.0 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
        total = 0.0
        sign = (-1.0) ** (n + 1) * math.gamma(n + 1.0)
        while x < 20.0 + n:
            total += sign * (1.0 / x) ** (n + 1)
            x += 1.0
        return total + stirling(n, x)

    return impl


@jitable
def far_digamma(x: Any) -> Any:
    return stirling(0, x)


@jitable
def stirling(n: Any, x: Any) -> Any:
    sign = (-1.0) ** (n + 1)
    if n == 0:
        total = math.log(x) - 0.5 / x
    else:
        total = sign * (math.gamma(n + 0.0) / x**n + math.gamma(n + 1.0) / (2 * x ** (n + 1)))
    for k in range(len(BERNOULLI)):
        total += sign * BERNOULLI[k] * math.gamma(2 * k + 2.0 + n) / math.gamma(2 * k + 3.0) / x ** (2 * k + 2 + n)
    return total
