"""`scipy.stats`: distributions of whole numbers, and of vectors, in terms of `scipy.special` and NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tangent.backends.scipy.kernels import covariance_of, log_of, points_of, within


def poisson_logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    n = np.asarray(k) - loc
    m = np.maximum(n, 0)
    return within(special.xlogy(m, mu) - special.gammaln(m + 1.0) - mu, n, 0)


def poisson_pmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return np.exp(poisson_logpmf(k, mu, loc))


def poisson_cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    n = np.floor(np.asarray(k) - loc)
    return np.where(n < 0, 0.0, special.gammaincc(np.maximum(n, 0.0) + 1.0, mu))


def poisson_sf(k: Any, mu: Any, loc: Any = 0) -> Any:
    n = np.floor(np.asarray(k) - loc)
    return np.where(n < 0, 1.0, special.gammainc(np.maximum(n, 0.0) + 1.0, mu))


def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    i = np.asarray(k) - loc
    m = np.clip(i, 0, n)
    ways = special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0)
    return within(ways + special.xlogy(m, p) + special.xlog1py(n - m, -p), i, 0, n)


def binom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(binom_logpmf(k, n, p, loc))


def binom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    m = np.floor(np.asarray(k) - loc)
    inside = np.clip(m, 0.0, n - 1.0)
    return np.where(m < 0, 0.0, np.where(m >= n, 1.0, special.betainc(n - inside, inside + 1.0, 1.0 - p)))


def binom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    m = np.floor(np.asarray(k) - loc)
    inside = np.clip(m, 0.0, n - 1.0)
    return np.where(m < 0, 1.0, np.where(m >= n, 0.0, special.betainc(inside + 1.0, n - inside, p)))


def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    i = np.asarray(k) - loc
    m = np.maximum(i, 0)
    ways = special.gammaln(n + m) - special.gammaln(m + 1.0) - special.gammaln(n)
    return within(ways + n * np.log(p) + special.xlog1py(m, -p), i, 0)


def nbinom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(nbinom_logpmf(k, n, p, loc))


def geom_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    i = np.asarray(k) - loc
    return within(special.xlog1py(np.maximum(i, 1) - 1, -p) + np.log(p), i, 1)


def geom_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(geom_logpmf(k, p, loc))


def geom_logsf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.maximum(np.floor(np.asarray(k) - loc), 0.0) * np.log1p(-p)


def geom_sf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(geom_logsf(k, p, loc))


def geom_cdf(k: Any, p: Any, loc: Any = 0) -> Any:
    return -np.expm1(geom_logsf(k, p, loc))


def nbinom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    m = np.floor(np.asarray(k) - loc)
    return np.where(m < 0, 0.0, special.betainc(n, np.maximum(m, 0.0) + 1.0, p))


def nbinom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    m = np.floor(np.asarray(k) - loc)
    return np.where(m < 0, 1.0, special.betaincc(n, np.maximum(m, 0.0) + 1.0, p))


def poisson_logcdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return log_of(poisson_cdf(k, mu, loc), poisson_sf(k, mu, loc))


def poisson_logsf(k: Any, mu: Any, loc: Any = 0) -> Any:
    return log_of(poisson_sf(k, mu, loc), poisson_cdf(k, mu, loc))


def binom_logcdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return log_of(binom_cdf(k, n, p, loc), binom_sf(k, n, p, loc))


def binom_logsf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return log_of(binom_sf(k, n, p, loc), binom_cdf(k, n, p, loc))


def nbinom_logcdf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return log_of(nbinom_cdf(k, n, p, loc), nbinom_sf(k, n, p, loc))


def nbinom_logsf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    return log_of(nbinom_sf(k, n, p, loc), nbinom_cdf(k, n, p, loc))


def geom_logcdf(k: Any, p: Any, loc: Any = 0) -> Any:
    return log_of(geom_cdf(k, p, loc), geom_sf(k, p, loc))


def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    i = np.asarray(k) - loc
    m = np.clip(i, 0, 1)
    return within(special.xlogy(m, p) + special.xlog1py(1 - m, -p), i, 0, 1)


def bernoulli_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    return np.exp(bernoulli_logpmf(k, p, loc))


# Vectors


def multivariate_normal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    """The logarithm of the density at points whose coordinates are along the last axis; no singular covariance."""
    sigma = covariance_of(np.asarray(cov), mean)
    d = len(sigma)
    away = np.reshape(points_of(np.asarray(x), d) - (0.0 if mean is None else mean), (-1, d))
    root = np.linalg.cholesky(sigma)
    z = np.linalg.solve(root, away.T)
    level = np.sum(np.log(np.diagonal(root))) + d * 0.5 * math.log(2.0 * math.pi)
    return np.reshape(-0.5 * np.sum(z * z, axis=0) - level, np.shape(points_of(np.asarray(x), d))[:-1])


def multivariate_normal_pdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    return np.exp(multivariate_normal_logpdf(x, mean, cov, allow_singular))


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """The logarithm of the density at a point, or at the columns of a matrix; the last coordinate may be left out."""
    p, a = np.asarray(x), np.asarray(alpha)
    if len(p) == len(a) - 1:
        p = np.concatenate([p, 1.0 - np.sum(p, axis=0, keepdims=True)])
    shares = special.xlogy(np.reshape(a - 1.0, (-1,) + (1,) * (np.ndim(p) - 1)), p)
    return np.sum(shares, axis=0) + special.gammaln(np.sum(a)) - np.sum(special.gammaln(a))


def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    return np.exp(dirichlet_logpdf(x, alpha))
