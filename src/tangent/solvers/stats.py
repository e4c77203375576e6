"""`scipy.stats`: distributions whose parameters are given before they are asked anything."""

from __future__ import annotations

from typing import Any

from scipy import stats

from tangent.rules.table import table
from tangent.template import non_differentiable


@non_differentiable
def asked(family: Any, name: str) -> Any:
    """What a distribution, or a copy of one of SciPy's, is asked, as it is written out if it is."""
    known = getattr(stats, getattr(family, "name", ""), family)
    method = getattr(known if type(known) is type(family) else family, name)
    return table().written_out(method) or method


class Frozen:
    """A distribution with its parameters."""

    def __init__(self, family: Any, args: Any, named: Any) -> None:
        self.family, self.args, self.named = family, args, named

    def logpdf(self, x: Any) -> Any:
        return asked(self.family, "logpdf")(x, *self.args, **self.named)

    def pdf(self, x: Any) -> Any:
        return asked(self.family, "pdf")(x, *self.args, **self.named)

    def logpmf(self, k: Any) -> Any:
        return asked(self.family, "logpmf")(k, *self.args, **self.named)

    def pmf(self, k: Any) -> Any:
        return asked(self.family, "pmf")(k, *self.args, **self.named)

    def cdf(self, x: Any) -> Any:
        return asked(self.family, "cdf")(x, *self.args, **self.named)

    def logcdf(self, x: Any) -> Any:
        return asked(self.family, "logcdf")(x, *self.args, **self.named)

    def sf(self, x: Any) -> Any:
        return asked(self.family, "sf")(x, *self.args, **self.named)

    def logsf(self, x: Any) -> Any:
        return asked(self.family, "logsf")(x, *self.args, **self.named)

    def ppf(self, q: Any) -> Any:
        return asked(self.family, "ppf")(q, *self.args, **self.named)

    def isf(self, q: Any) -> Any:
        return asked(self.family, "isf")(q, *self.args, **self.named)


def frozen(self: Any, *args: Any, **kwds: Any) -> Any:
    return Frozen(self, args, kwds)


def frozen_vector(self: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False, seed: Any = None) -> Any:
    return Frozen(self, (mean, cov, allow_singular), {})


# What those are asked that were made before


def frozen_logpdf(self: Any, x: Any) -> Any:
    return asked(self.dist, "logpdf")(x, *self.args, **self.kwds)


def frozen_pdf(self: Any, x: Any) -> Any:
    return asked(self.dist, "pdf")(x, *self.args, **self.kwds)


def frozen_logpmf(self: Any, k: Any) -> Any:
    return asked(self.dist, "logpmf")(k, *self.args, **self.kwds)


def frozen_pmf(self: Any, k: Any) -> Any:
    return asked(self.dist, "pmf")(k, *self.args, **self.kwds)


def frozen_cdf(self: Any, x: Any) -> Any:
    return asked(self.dist, "cdf")(x, *self.args, **self.kwds)


def frozen_logcdf(self: Any, x: Any) -> Any:
    return asked(self.dist, "logcdf")(x, *self.args, **self.kwds)


def frozen_sf(self: Any, x: Any) -> Any:
    return asked(self.dist, "sf")(x, *self.args, **self.kwds)


def frozen_logsf(self: Any, x: Any) -> Any:
    return asked(self.dist, "logsf")(x, *self.args, **self.kwds)


def frozen_ppf(self: Any, q: Any) -> Any:
    return asked(self.dist, "ppf")(q, *self.args, **self.kwds)


def frozen_isf(self: Any, q: Any) -> Any:
    return asked(self.dist, "isf")(q, *self.args, **self.kwds)
