"""`scipy.stats`: densities and distributions, in terms of `scipy.special`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


def norm_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    return -0.5 * z * z - np.log(scale) - HALF_LOG_TAU


def norm_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(norm_logpdf(x, loc, scale))


def norm_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.ndtr((np.asarray(x) - loc) / scale)


def norm_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.ndtr((loc - np.asarray(x)) / scale)


def norm_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_ndtr((np.asarray(x) - loc) / scale)


def norm_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_ndtr((loc - np.asarray(x)) / scale)


def norm_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.ndtri(q)


def expon_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    return np.where(z < 0, -np.inf, -z - np.log(scale))


def expon_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(expon_logpdf(x, loc, scale))


def expon_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.expm1(-np.maximum((np.asarray(x) - loc) / scale, 0.0))


def gamma_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    inside = special.xlogy(a - 1.0, np.where(z < 0, 1.0, z)) - z - special.gammaln(a) - np.log(scale)
    return np.where(z < 0, -np.inf, inside)


def gamma_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(gamma_logpdf(x, a, loc, scale))


def beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    outside = (z < 0) | (z > 1)
    z = np.where(outside, 0.5, z)
    inside = special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b) - np.log(scale)
    return np.where(outside, -np.inf, inside)


def beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(beta_logpdf(x, a, b, loc, scale))


def chi2_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_logpdf(x, 0.5 * df, loc, 2.0 * scale)


def t_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    level = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df) - 0.5 * np.log(df * math.pi)
    return level - np.log(scale) - 0.5 * (df + 1.0) * np.log1p(z * z / df)


def t_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(t_logpdf(x, df, loc, scale))


def laplace_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.abs((np.asarray(x) - loc) / scale) - np.log(2.0 * scale)


def logistic_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    return special.log_expit(z) + special.log_expit(-z) - np.log(scale)


def logistic_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.expit((np.asarray(x) - loc) / scale)


def cauchy_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    return -np.log1p(z * z) - np.log(math.pi * scale)


def lognorm_logpdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = np.log((np.asarray(x) - loc) / scale)
    return -0.5 * (z / s) ** 2 - z - np.log(s * scale) - HALF_LOG_TAU


def uniform_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (np.asarray(x) - loc) / scale
    return np.where((z < 0) | (z > 1), -np.inf, -np.log(scale))


def poisson_logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    n = np.asarray(k) - loc
    return special.xlogy(n, mu) - special.gammaln(n + 1.0) - mu


def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    m = np.asarray(k) - loc
    ways = special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0)
    return ways + special.xlogy(m, p) + special.xlog1py(n - m, -p)
