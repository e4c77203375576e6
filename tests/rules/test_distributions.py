"""Distributions of SciPy: values as SciPy has them, in their supports and outside, and derivatives in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import tangent
from rules import check as checks
from rules.sample import S, positive, real, unit
from tangent.rules.table import table

checks.NAMES.update(stats=stats)
pytestmark = pytest.mark.filterwarnings("ignore")

POINTS = np.array([-50.0, -3.0, -0.2, 0.0, 0.1, 0.5, 0.9, 1.0, 1.4, 3.0, 50.0])
SHARES = np.array([1e-10, 0.01, 0.5, 0.99, 1.0 - 1e-10])
COUNTS = np.array([-2.0, 0.0, 1.0, 2.0, 5.0, 7.0, 2.5, -0.5])
INSIDE = {"everywhere": real(3), "positive": 0.15 + positive(3), "between": 0.5 + 0.4 * unit(3)}

# A distribution, what it is called with beside x, and where its support is.
SMOOTH = [
    ("norm", "m, s", "everywhere"), ("t", "2.5, m, s", "everywhere"), ("laplace", "m, s", "everywhere"),
    ("logistic", "m, s", "everywhere"), ("cauchy", "m, s", "everywhere"), ("expon", "0.1, s", "positive"),
    ("gamma", "2.5, 0.1, s", "positive"), ("chi2", "2.5, 0.1, s", "positive"), ("lognorm", "s, 0.1, s", "positive"),
    ("weibull_min", "s, 0.1, s", "positive"), ("beta", "2.5, 1.5, -0.1, s", "between"),
    ("uniform", "-0.2, s", "between"),
]  # fmt: skip
DISCRETE = [("poisson", "p * 5.0"), ("binom", "5, p"), ("nbinom", "3.5, p"), ("geom", "p")]
GIVEN = {"m": 0.2, "s": 1.3, "p": 0.4}
OF_SHARES = ("ppf", "isf")
DENSITIES = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", *OF_SHARES)
CHECKS = (checks.check_reverse, checks.check_forward, checks.check_adjoint, checks.check_shapes)


def written(name: str) -> dict[str, Any]:
    """The methods of a distribution that are written out."""
    family = getattr(stats, name)
    found = {m: getattr(family, m) for m in (*DENSITIES, "logpmf", "pmf") if hasattr(family, m)}
    table()
    return {m: out for m, f in found.items() if (out := table().written_out(f)) is not None}


def used(text: str) -> dict[str, float]:
    return {v: GIVEN[v] for v in GIVEN if v in text.replace(",", " ").split()}


@pytest.mark.parametrize(("name", "given"), [line[:2] for line in (*SMOOTH, *DISCRETE)], ids=lambda v: str(v))
def test_values(name: str, given: str) -> None:
    args = [eval(text, {}, GIVEN) for text in given.split(",")]
    for method, ours in written(name).items():
        at = COUNTS if (name, given) in DISCRETE else SHARES if method in OF_SHARES else POINTS
        np.testing.assert_allclose(ours(at, *args), getattr(getattr(stats, name), method)(at, *args), rtol=1e-9)


@pytest.mark.parametrize("name", [line[0] for line in SMOOTH if line[2] == "everywhere"])
def test_single_precision(name: str) -> None:
    """SciPy computes in double precision; gradients have that of the argument."""
    x = np.array([-20.0, 0.5], np.float32)
    for method, ours in written(name).items():
        at = np.array([1e-10, 0.5], np.float32) if method in OF_SHARES else x
        given = {"t": (2.5,)}.get(name, ())
        value = getattr(getattr(stats, name), method)(at, *given)
        np.testing.assert_allclose(ours(at, *given), value, rtol=1e-5, atol=1e-6 if method in OF_SHARES else 0.0)
        assert ours(at, *given).dtype == value.dtype
        gradient = tangent.vjp(ours, "x" if method not in OF_SHARES else "q")(at, *given, bout=np.ones(2))
        assert gradient.dtype == np.float32 and np.all(np.isfinite(gradient))


@pytest.mark.parametrize(("name", "given", "where"), SMOOTH, ids=lambda v: str(v))
def test_derivatives(name: str, given: str, where: str) -> None:
    """By where they are, and by their scale and place; all methods at once."""
    methods = list(written(name))
    calls = [f"stats.{name}.{m}({'q' if m in OF_SHARES else 'x'}, {given})" for m in methods]
    assert {"pdf", "cdf", "sf", "ppf"} <= set(methods)
    checks.check(S(f"({', '.join(calls)})", x=INSIDE[where], q=INSIDE["between"], **used(given)), CHECKS)


@pytest.mark.parametrize(("name", "given"), DISCRETE, ids=lambda v: str(v))
def test_derivatives_by_parameters(name: str, given: str) -> None:
    calls = [f"stats.{name}.{m}(np.array([1, 2, 4]), {given})" for m in written(name)]
    checks.check(S(f"({', '.join(calls)})", p=0.4), CHECKS)


VECTORS = [
    S("stats.multivariate_normal.logpdf(x, m, c @ c.T)", x=real(4, 3), m=real(3), c=real(3, 3) + 2.0 * np.eye(3)),
    S("stats.multivariate_normal.pdf(x, mean=m, cov=c)", x=real(2), m=real(2), c=positive(2)),
    S("stats.multivariate_normal.logpdf(x, cov=c)", x=real(4), c=1.7),
    S("stats.dirichlet.logpdf(np.concatenate([x, [1.0 - np.sum(x)]]), a)", x=np.array([0.2, 0.3]), a=positive(3)),
    S("stats.dirichlet.pdf(x, a)", x=np.array([[0.2, 0.3], [0.3, 0.1]]), a=positive(3)),
]


@pytest.mark.parametrize("sample", VECTORS, ids=lambda sample: sample.call)
def test_distributions_of_vectors(sample: Any) -> None:
    checks.check(sample, (*CHECKS, checks.check_forward_reverse))


BEFORE, COUNTED = stats.gamma(2.5, scale=1.3), stats.poisson(2.0)


def frozen(m, s, x):
    here, counted, vector = stats.norm(m, scale=s), stats.poisson(m), stats.multivariate_normal([m, s], np.eye(2) * s)
    found = here.logpdf(x) * here.cdf(x) + here.ppf(0.3) * BEFORE.pdf(x) * BEFORE.sf(x)
    return found * counted.logpmf(2) + counted.cdf(1) + vector.logpdf([x, m]) * COUNTED.pmf(3)


def test_parameters_that_are_given_before():
    tangent.check_grads(frozen, (0.4, 1.2, 0.7))
    tangent.check_grads(lambda m, x: stats.norm(m, 1.2).logsf(x), (0.4, 0.7), order=2)
