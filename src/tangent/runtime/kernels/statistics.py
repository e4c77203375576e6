"""Kernels of covariance, correlation and histograms: variables in rows, observations in columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.runtime.kernels.calculus import between_zeros
from tangent.runtime.kernels.reduce import is_far


def observations(m: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The rows of m and y, as `np.cov` takes them."""
    x = as_rows(m, rowvar)
    rows = x if y is None else np.concatenate([x, as_rows(y, rowvar)], axis=0)
    return rows if dtype is None else np.asarray(rows, dtype=dtype)


def as_rows(m: Any, rowvar: bool = True) -> Any:
    """m with a variable in each row."""
    return np.atleast_2d(m) if rowvar or np.ndim(m) < 2 else np.transpose(m)


def own_rows(b: Any, which: int, m: Any, rowvar: bool = True) -> Any:
    """The part of b that belongs to m, which has the first rows (0) or the last (-1), in the shape of m."""
    rows = np.shape(as_rows(m, rowvar))[0]
    part = b[:rows] if which == 0 else b[np.shape(b)[0] - rows :]
    return np.reshape(part, np.shape(m)) if rowvar or np.ndim(m) < 2 else np.transpose(part)


def rows_of(t: Any, which: int, z: Any, rowvar: bool = True) -> Any:
    """The rows of t at the first (0) or last (-1) places of z, zeros elsewhere."""
    x = as_rows(t, rowvar)
    missing = np.shape(z)[0] - np.shape(x)[0]
    return between_zeros(x, 0, missing, 0) if which == 0 else between_zeros(x, missing, 0, 0)


def covariance_weights(
    m: Any, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights: Any = None, aweights: Any = None
) -> Any:
    """The factors of the products of observations in `np.cov`, which has divided by their degrees of freedom."""
    f = np.ones(np.shape(as_rows(m, rowvar))[1]) if fweights is None else fweights
    aweights = None if aweights is None else np.asarray(aweights, float)
    w = np.asarray(f) if aweights is None else np.multiply(f, aweights)
    freedom = np.sum(w) - lost(bias, ddof) * (1.0 if aweights is None else np.sum(w / np.sum(w) * aweights))
    return w / (freedom if freedom > 0 else np.nan)


def lost(bias: bool, ddof: int | None) -> int:
    """The degrees of freedom that `np.cov` takes off."""
    if ddof is not None:
        return ddof
    return 0 if bias else 1


def weigh_tangent(t: Any, fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> Any:
    """The tangent of `covariance_weights` for the tangent t of `aweights`."""
    w, freedom, rate = _freedom(fweights, aweights, bias, ddof)
    t = np.real(t)
    return (t * (1 if fweights is None else fweights) - w / freedom * np.sum(rate * t)) / freedom


def weigh_adjoint(b: Any, fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> Any:
    """The adjoint of `aweights` in `covariance_weights`."""
    w, freedom, rate = _freedom(fweights, aweights, bias, ddof)
    return (b * (1 if fweights is None else fweights) - rate * np.sum(b * (w / freedom))) / freedom


def _freedom(fweights: Any, aweights: Any, bias: bool, ddof: int | None) -> tuple[Any, Any, Any]:
    """The weights of observations, their degrees of freedom, and the derivative of these by `aweights`."""
    f = 1.0 if fweights is None else np.asarray(fweights)
    aweights = np.real(np.asarray(aweights))
    w = f * aweights
    total = np.sum(w)
    mean = np.sum(w / total * aweights)
    rate = f - lost(bias, ddof) * f * (2.0 * aweights - mean) / total
    return w, total - lost(bias, ddof) * mean, rate


def centred(x: Any, w: Any) -> Any:
    """The rows of x less their means with the weights w; far from 0 twice, as the rounding of means does not cancel."""
    mean = row_means(x, w)
    return x - mean - row_means(x - mean, w) if is_far(x, mean, 1) else x - mean


def row_means(x: Any, w: Any) -> Any:
    """The means of the rows of x with the weights w."""
    if np.ndim(w) == 0:
        return np.mean(x, axis=1, keepdims=True)
    return np.sum(x * w, axis=1, keepdims=True) / np.sum(w)


def gram_adjoint(b: Any, z: Any, w: Any) -> Any:
    """The adjoint of z in `(z * w) @ conj(z).T`, b having lost axes of length 1."""
    b = np.reshape(b, (np.shape(z)[0], np.shape(z)[0]))
    return (b @ np.conj(z) + np.conj(b.T @ z)) * w


def gram(z: Any, w: Any) -> Any:
    """`(z * w) @ conj(z).T` without axes of length 1."""
    return np.squeeze((z * w) @ np.conj(z.T))


def gram_weights_adjoint(b: Any, z: Any) -> Any:
    """The adjoint of w in `(z * w) @ conj(z).T`."""
    return np.real(np.sum(z * (np.reshape(b, (np.shape(z)[0], np.shape(z)[0])) @ np.conj(z)), axis=0))


def gram_tangent(t: Any, z: Any, w: Any) -> Any:
    """The tangent of `(z * w) @ conj(z).T` without axes of length 1, for the tangent t of z."""
    c = (t * w) @ np.conj(z.T)
    return np.squeeze(c + np.conj(c.T))


def correlation_adjoint(b: Any, z: Any) -> Any:
    """The adjoint of centred rows z in their correlations."""
    length = np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True))
    u = z / length
    bu = gram_adjoint(b, u, 1.0)
    return (bu - np.conj(u) * np.sum(np.real(bu * u), axis=1, keepdims=True)) / length


def correlation_tangent(t: Any, z: Any) -> Any:
    """The tangent of the correlations of centred rows z, for the tangent t of the rows."""
    length = np.sqrt(np.sum(np.abs(z) ** 2, axis=1, keepdims=True))
    u = z / length
    t = t - np.mean(t, axis=1, keepdims=True)
    return gram_tangent((t - u * np.sum(np.real(t * np.conj(u)), axis=1, keepdims=True)) / length, u, 1.0)


def histogram_bins(a: Any, edges: Any) -> Any:
    """The bin of each element of a, -1 if it is in none; the last bin includes its end."""
    i = np.searchsorted(edges, a, side="right") - 1
    i = np.where(np.equal(a, edges[-1]), np.size(edges) - 2, i)
    return np.where(np.greater(a, edges[-1]), -1, i)
