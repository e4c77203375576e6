"""`scipy.stats`: densities and distributions, in terms of `scipy.special`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from tangent.backends.scipy.kernels import double, log_of

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


def norm_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return -0.5 * z * z - np.log(scale) - HALF_LOG_TAU


def norm_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(norm_logpdf(x, loc, scale))


def norm_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.ndtr((double(x) - loc) / scale)


def norm_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.ndtr((loc - double(x)) / scale)


def norm_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_ndtr((double(x) - loc) / scale)


def norm_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_ndtr((loc - double(x)) / scale)


def norm_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.ndtri(double(q))


def norm_isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc - scale * special.ndtri(double(q))


def expon_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return np.where(z < 0, -np.inf, -z - np.log(scale))


def expon_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(expon_logpdf(x, loc, scale))


def expon_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.expm1(-np.maximum((double(x) - loc) / scale, 0.0))


def gamma_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    inside = special.xlogy(a - 1.0, np.where(z < 0, 1.0, z)) - z - special.gammaln(a) - np.log(scale)
    return np.where(z < 0, -np.inf, inside)


def gamma_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(gamma_logpdf(x, a, loc, scale))


def beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    outside = (z < 0) | (z > 1)
    z = np.where(outside, 0.5, z)
    inside = special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - special.betaln(a, b) - np.log(scale)
    return np.where(outside, -np.inf, inside)


def beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(beta_logpdf(x, a, b, loc, scale))


def chi2_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_logpdf(x, 0.5 * df, loc, 2.0 * scale)


def t_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    level = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df) - 0.5 * np.log(df * math.pi)
    return level - np.log(scale) - 0.5 * (df + 1.0) * np.log1p(z * z / df)


def t_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(t_logpdf(x, df, loc, scale))


def laplace_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.abs((double(x) - loc) / scale) - np.log(2.0 * scale)


def logistic_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return special.log_expit(z) + special.log_expit(-z) - np.log(scale)


def logistic_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.expit((double(x) - loc) / scale)


def cauchy_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return -np.log1p(z * z) - np.log(math.pi * scale)


def lognorm_logpdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    r = (double(x) - loc) / scale
    z = np.log(np.where(r > 0, r, 1.0))
    return np.where(r > 0, -0.5 * (z / s) ** 2 - z - np.log(s * scale) - HALF_LOG_TAU, -np.inf)


def uniform_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return np.where((z < 0) | (z > 1), -np.inf, -np.log(scale))


# Distribution functions, what is left above them, and quantiles; all of them are flat outside of the support


def expon_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(-np.maximum((double(x) - loc) / scale, 0.0))


def expon_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.maximum((double(x) - loc) / scale, 0.0)


def expon_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(expon_cdf(x, loc, scale), expon_sf(x, loc, scale))


def expon_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc - scale * np.log1p(-double(q))


def expon_isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc - scale * np.log(double(q))


def gamma_cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.gammainc(a, np.maximum((double(x) - loc) / scale, 0.0))


def gamma_sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.gammaincc(a, np.maximum((double(x) - loc) / scale, 0.0))


def gamma_logcdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(gamma_cdf(x, a, loc, scale), gamma_sf(x, a, loc, scale))


def gamma_logsf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(gamma_sf(x, a, loc, scale), gamma_cdf(x, a, loc, scale))


def gamma_ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.gammaincinv(a, double(q))


def gamma_isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.gammainccinv(a, double(q))


def chi2_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(chi2_logpdf(x, df, loc, scale))


def chi2_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_cdf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_sf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_logcdf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_logsf(x, 0.5 * df, loc, 2.0 * scale)


def chi2_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_ppf(q, 0.5 * df, loc, 2.0 * scale)


def chi2_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return gamma_isf(q, 0.5 * df, loc, 2.0 * scale)


def beta_cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.betainc(a, b, np.clip((double(x) - loc) / scale, 0.0, 1.0))


def beta_sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.betainc(b, a, np.clip(1.0 - (double(x) - loc) / scale, 0.0, 1.0))


def beta_logcdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(beta_cdf(x, a, b, loc, scale), beta_sf(x, a, b, loc, scale))


def beta_logsf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(beta_sf(x, a, b, loc, scale), beta_cdf(x, a, b, loc, scale))


def beta_ppf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.betaincinv(a, b, double(q))


def t_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.stdtr(df, (double(x) - loc) / scale)


def t_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.stdtr(df, (loc - double(x)) / scale)


def t_logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(t_cdf(x, df, loc, scale), t_sf(x, df, loc, scale))


def t_logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(t_sf(x, df, loc, scale), t_cdf(x, df, loc, scale))


def t_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.stdtrit(df, double(q))


def t_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc - scale * special.stdtrit(df, double(q))


def laplace_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(laplace_logpdf(x, loc, scale))


def laplace_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z > 0, 1.0 - tail, tail)


def laplace_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return laplace_cdf(loc - double(x), 0.0, scale)


def laplace_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    return np.where(z > 0, np.log1p(-0.5 * np.exp(-np.abs(z))), z - math.log(2.0))


def laplace_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return laplace_logcdf(loc - double(x), 0.0, scale)


def laplace_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q = double(q)
    return loc + scale * np.where(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))


def logistic_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(logistic_logpdf(x, loc, scale))


def logistic_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.expit((loc - double(x)) / scale)


def logistic_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_expit((double(x) - loc) / scale)


def logistic_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return special.log_expit((loc - double(x)) / scale)


def logistic_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * special.logit(double(q))


def cauchy_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(cauchy_logpdf(x, loc, scale))


def cauchy_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.arctan2(1.0, (loc - double(x)) / scale) / math.pi


def cauchy_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.arctan2(1.0, (double(x) - loc) / scale) / math.pi


def cauchy_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(cauchy_cdf(x, loc, scale), cauchy_sf(x, loc, scale))


def cauchy_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(cauchy_sf(x, loc, scale), cauchy_cdf(x, loc, scale))


def cauchy_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    q = double(q)
    away = 1.0 / np.tan(math.pi * np.where(q < 0.5, q, 1.0 - q))
    return loc + scale * np.where(q < 0.5, -away, away)


def uniform_pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(uniform_logpdf(x, loc, scale))


def uniform_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.clip((double(x) - loc) / scale, 0.0, 1.0)


def uniform_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return 1.0 - uniform_cdf(x, loc, scale)


def uniform_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * double(q)


def lognorm_pdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(lognorm_logpdf(x, s, loc, scale))


def lognorm_cdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    r = (double(x) - loc) / scale
    return np.where(r > 0, special.ndtr(np.log(np.where(r > 0, r, 1.0)) / s), 0.0)


def lognorm_sf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    r = (double(x) - loc) / scale
    return np.where(r > 0, special.ndtr(-np.log(np.where(r > 0, r, 1.0)) / s), 1.0)


def lognorm_logcdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    r = (double(x) - loc) / scale
    return np.where(r > 0, special.log_ndtr(np.log(np.where(r > 0, r, 1.0)) / s), -np.inf)


def lognorm_logsf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    r = (double(x) - loc) / scale
    return np.where(r > 0, special.log_ndtr(-np.log(np.where(r > 0, r, 1.0)) / s), 0.0)


def lognorm_ppf(q: Any, s: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * np.exp(s * special.ndtri(double(q)))


def weibull_min_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = (double(x) - loc) / scale
    inside = np.where(z < 0, 1.0, z)
    return np.where(z < 0, -np.inf, np.log(c) + special.xlogy(c - 1.0, inside) - np.power(inside, c) - np.log(scale))


def weibull_min_pdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


def weibull_min_logsf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.power(np.maximum((double(x) - loc) / scale, 0.0), c)


def weibull_min_sf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return np.exp(weibull_min_logsf(x, c, loc, scale))


def weibull_min_cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return -np.expm1(weibull_min_logsf(x, c, loc, scale))


def weibull_min_logcdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return log_of(weibull_min_cdf(x, c, loc, scale), weibull_min_sf(x, c, loc, scale))


def weibull_min_ppf(q: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    return loc + scale * np.power(-np.log1p(-double(q)), 1.0 / c)
