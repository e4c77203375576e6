"""`scipy.special`: sums of exponentials, written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tangent.backends.scipy.kernels import (
    cosine_integral,
    fresnel_cosine,
    fresnel_sine,
    hyperbolic_cosine_integral,
    hyperbolic_sine_integral,
    largest_finite,
    sine_integral,
)
from tangent.errors import UnsupportedError
from tangent.runtime import stop_gradient


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """The logarithm of a sum of exponentials, with weights b."""
    a = np.asarray(a)
    if return_sign and (np.iscomplexobj(a) or np.iscomplexobj(b)):
        raise UnsupportedError(
            "cannot differentiate 'scipy.special.logsumexp' of complex numbers with 'return_sign'",
            why="the sign is a phase there, and changes with the numbers",
            todo="Leave 'return_sign' out: the imaginary part of the result is the phase.",
        )
    shift = stop_gradient(largest_finite(a, axis))
    terms = np.exp(a - shift)
    total = np.sum(terms if b is None else b * terms, axis=axis, keepdims=keepdims)
    level = shift if keepdims else np.reshape(shift, np.shape(total))
    if return_sign:
        return np.log(np.abs(total)) + level, np.sign(total)
    return np.log(total) + level


def softmax(x: Any, axis: Any = None) -> Any:
    """Exponentials that sum up to 1."""
    x = np.asarray(x)
    e = np.exp(x - stop_gradient(largest_finite(x, axis)))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    """The logarithms of these."""
    x = np.asarray(x)
    t = x - stop_gradient(largest_finite(x, axis))
    return t - np.log(np.sum(np.exp(t), axis=axis, keepdims=True))


def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the gamma function of matrices."""
    total = 0.25 * d * (d - 1) * np.log(np.pi)
    for k in range(d):
        total = total + special.gammaln(a - 0.5 * k)
    return total


def chdtr(v: Any, x: Any) -> Any:
    """The distribution of chi-squared."""
    return special.gammainc(0.5 * v, 0.5 * x)


def chdtrc(v: Any, x: Any) -> Any:
    """What is left above it."""
    return special.gammaincc(0.5 * v, 0.5 * x)


def sici(x: Any) -> Any:
    return sine_integral(x), cosine_integral(x)


def shichi(x: Any) -> Any:
    return hyperbolic_sine_integral(x), hyperbolic_cosine_integral(x)


def fresnel(x: Any) -> Any:
    return fresnel_sine(x), fresnel_cosine(x)
