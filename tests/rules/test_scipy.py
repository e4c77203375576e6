"""SciPy: rules and functions written out, in both modes and to second order, against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
from scipy import integrate, linalg, ndimage, signal, special, stats

import tangent
from rules import check as checks
from rules.dtypes import KINDS, faults
from rules.sample import S, Sample, cplx, positive, real, spd, unit
from tangent.errors import MissingRuleError, RuleError, UnsupportedError
from tangent.rules.table import table

checks.NAMES.update(
    special=special, linalg=linalg, stats=stats, signal=signal, integrate=integrate, scipy_fft=scipy.fft,
    ndimage=ndimage,
)

SQUARE = real(3, 3) + 2.0 * np.eye(3)
EVERYWHERE = "erf erfc erfcx dawsn ndtr log_ndtr expit log_expit exp2 exp10 expm1 cosm1 exprel j0 j1 i0 i1 i0e i1e"
POSITIVE = "gamma gammaln loggamma rgamma digamma log1p cbrt entr exp1 expi spence y0 y1 k0 k1"
OF_TWO = "beta betaln xlogy xlog1py rel_entr kl_div boxcox poch"


def elementwise(names: str, **values: Any) -> Sample:
    """One call of several functions of the same arguments, so that their derivatives are made together."""
    calls = [f"special.{name}({', '.join(values)})" for name in names.split()]
    return S(f"({', '.join(calls)})", **values)


SAMPLES = [
    elementwise(EVERYWHERE, x=real(3)),
    elementwise(POSITIVE, x=positive(3)),
    elementwise(OF_TWO, x=positive(3), y=positive(3, seed=3)),
    elementwise("erfinv ellipk ellipe", x=0.5 * unit(3)),
    elementwise("erfcinv ndtri logit", x=0.5 + 0.4 * unit(3)),
    S("special.lambertw(x)", x=positive(3)),
    S("(special.ndtri_exp(-x), special.erfi(x), special.k0e(x), special.k1e(x), special.kve(2, x), "
      "special.hyp0f1(1.5, x), special.wrightomega(x), special.chdtr(2.5, x), special.chdtrc(2.5, x), "
      "special.stdtr(3.0, x))", x=positive(3)),
    S("(special.gammaincinv(2.5, x), special.gammainccinv(2.5, x), special.betaincinv(2.5, 1.5, x), "
      "special.betaincc(2.5, 1.5, x))", x=0.5 + 0.4 * unit(3)),
    S("(special.owens_t(x, y), special.boxcox1p(y, x), special.inv_boxcox(y, 0.3 * x), special.huber(y, 3.0 * x), "
      "special.pseudo_huber(y, x), special.powm1(y, x))", x=real(3), y=positive(3)),
    S("(special.jv(2, x), special.yv(2, x), special.iv(2, x), special.ive(2, x), special.kv(2, x), special.jn(2, x), "
      "special.yn(2, x), special.kn(2, x), special.expn(3, x), special.polygamma(2, x), special.zeta(2.5, x), "
      "special.gammainc(2.5, x), special.gammaincc(2.5, x), special.hyp1f1(1.5, 2.5, x))", x=positive(3)),
    S("(special.expn(0, x), special.expn(1, x), special.expn(np.array([0, 1, 4]), x))", x=positive(3)),
    S("special.expit(x) * special.gammaln([y, 3.0])", x=[0.3, 0.4], y=1.3),
    S("(special.betainc(2.5, 1.5, x), special.hyp2f1(0.5, 1.5, 2.5, x))", x=0.5 + 0.4 * unit(3)),
    S("(special.gammainc(a, x), special.gammaincinv(a, z), special.betainc(a, b, z), special.stdtr(a, x - 1.0))",
      a=positive(3), b=positive(3, seed=3), x=positive(3, seed=5), z=0.5 + 0.4 * unit(3)),
    S("(special.gammaincc(a, 1.5), special.gammainccinv(a, 0.4), special.betaincc(a, b, 0.8), special.stdtrit(a, 0.3), "
      "special.betaincinv(a, b, 0.6))", a=positive(3), b=positive(3, seed=3), orders=1),
    S("(special.sici(x), special.fresnel(x), special.shichi(x))", x=positive(3)),
    S("(stats.t.cdf(x, a), stats.gamma.sf(x, a), stats.beta.logcdf(z, a, b), stats.chi2.ppf(z, a))",
      x=positive(3), a=2.5, b=1.5, z=0.5 + 0.4 * unit(3)),
    S("special.binom(x, y)", x=4.0 + positive(3), y=positive(3)),
    S("special.logsumexp(x, axis=1, keepdims=True)", x=real(2, 3)),
    S("special.logsumexp(x, axis=0, b=b, return_sign=True)", x=real(2, 3), b=real(2, 3)),
    S("(special.softmax(x, axis=1), special.log_softmax(x))", x=real(2, 3)),
    S("special.multigammaln(x, 2)", x=1.0 + positive(3)),
    S("(linalg.inv(a), linalg.det(a), linalg.expm(a))", a=SQUARE),
    S("(linalg.solve(a, b), linalg.solve(a, b, transposed=True))", a=SQUARE, b=real(3, 2)),
    S("(linalg.solve(a, b, assume_a='pos'), linalg.cho_solve(linalg.cho_factor(a), b))", a=spd(3), b=real(3)),
    S("linalg.cholesky(a, lower=True)", a=spd(3)),
    S("linalg.solve_triangular(a, b)", a=SQUARE, b=real(3)),
    S("linalg.solve_triangular(a, b, trans='T', lower=True)", a=SQUARE, b=real(3, 2)),
    S("linalg.solve_triangular(a, b, lower=True, unit_diagonal=True)", a=SQUARE, b=real(3)),
    S("(linalg.solve_triangular(a, b), linalg.solve_triangular(a, b, 'T'), linalg.solve_triangular(a, b, 2, True))",
      a=SQUARE + 0.3j * real(3, 3, seed=1), b=cplx(3)),
    S("linalg.lu_solve(linalg.lu_factor(a), b)", a=SQUARE, b=real(3)),
    S("linalg.solve_sylvester(a, b, q)", a=spd(3), b=spd(2), q=real(3, 2)),
    S("(linalg.sqrtm(a), linalg.logm(a))", a=spd(3)),
    S("(linalg.lu(a)[1:], linalg.lu(a, permute_l=True), linalg.lu(a, p_indices=True)[2])", a=SQUARE[[1, 0, 2]]),
    S("(linalg.eigh(a), linalg.eigvalsh(a))", a=spd(3)),
    S("(linalg.solve_banded((1, 2), a + 3.0, b), linalg.solve_banded((1, 1), a[:3] + 3.0, b[:, 0]))",
      a=real(4, 4), b=real(4, 2)),
    S("(linalg.solveh_banded(a + [[0.5], [4.0]], b), linalg.solveh_banded(a + [[4.0], [0.5]], b, lower=True))",
      a=0.5 * unit(2, 4), b=real(4)),
    S("(linalg.solve_toeplitz((c, r), b), linalg.solve_toeplitz(c, b), linalg.matmul_toeplitz((c, r), b), "
      "linalg.solve_circulant(c, b), linalg.hankel(c, r))", c=np.array([4.0, 1.0, 0.5]), r=real(3), b=real(3)),
    S("(linalg.solve_continuous_lyapunov(a, q), linalg.solve_discrete_lyapunov(0.1 * a, q), linalg.polar(a)[1], "
      "linalg.polar(a, 'left')[0], linalg.pinv(a[:, :2]), linalg.lstsq(a, q)[0])", a=SQUARE, q=real(3, 3)),
    S("(linalg.cosm(a), linalg.sinm(a), linalg.tanm(0.3 * a), linalg.coshm(a), linalg.sinhm(a), linalg.tanhm(a), "
      "linalg.expm_frechet(a, q)[1], linalg.khatri_rao(a, q), linalg.circulant(a[0]))", a=0.5 * SQUARE, q=real(3, 3)),
    S("(linalg.eigh_tridiagonal(d, e)[0], linalg.eigvals(np.diag(d) + 0.1).real, "
      "linalg.cho_factor(np.diag(d) + 1.0)[0])", d=1.0 + positive(3), e=real(2)),
    S("(linalg.svd(a, full_matrices=False), linalg.svdvals(a), linalg.qr(a, mode='economic'))", a=real(4, 2)),
    S("linalg.block_diag(a, b) @ linalg.toeplitz(c, d)", a=real(2, 2), b=real(3), c=real(5), d=real(2)),
    S("(stats.norm.logpdf(x, m, s), stats.norm.pdf(x, m, s), stats.norm.cdf(x, m, s), stats.norm.sf(x, m, s), "
      "stats.norm.logcdf(x, m, s), stats.norm.logsf(x, loc=m, scale=s))", x=real(3), m=0.3, s=1.5),
    S("(stats.laplace.logpdf(x, m, s), stats.logistic.logpdf(x, m, s), stats.cauchy.logpdf(x, m, s), "
      "stats.t.logpdf(x, 2.5, m, s), stats.t.pdf(x, 2.5, m, s), stats.logistic.cdf(x, m, s))", x=real(3), m=0.2, s=1.3),
    S("(stats.gamma.logpdf(x, a, scale=s), stats.expon.logpdf(x, scale=s), stats.chi2.logpdf(x, a), "
      "stats.lognorm.logpdf(x, a), stats.expon.cdf(x), stats.expon.pdf(x), stats.gamma.pdf(x, a))",
      x=positive(3), a=2.5, s=1.5),
    S("(stats.norm.ppf(x), stats.beta.logpdf(x, a, 1.5), stats.uniform.logpdf(x, -0.2, a), stats.beta.pdf(x, a, a))",
      x=0.5 + 0.4 * unit(3), a=2.5),
    S("(stats.poisson.logpmf(np.array([0, 2, 3]), m), stats.binom.logpmf(np.array([0, 2, 3]), 5, m / 3.0))",
      m=positive(3)),
    S("(signal.convolve(x, y, 'same'), signal.fftconvolve(x, y, mode='valid'), signal.correlate(x, y))",
      x=real(5), y=real(3)),
    S("(signal.convolve(x, y, 'same'), signal.correlate(y, x, 'full'), signal.fftconvolve(x, y[:1], 'valid', axes=1), "
      "signal.oaconvolve(x, y[:, :1], axes=[0]))", x=real(3, 4), y=real(3, 3)[:2]),
    *(S(f"(signal.convolve2d(x, y, {mode!r}, {boundary!r}, 0.5), signal.correlate2d(x, y, {mode!r}, {boundary!r}))",
        x=real(3, 4), y=real(2, 3))
      for mode, boundary in (("full", "wrap"), ("same", "symm"), ("same", "fill"), ("valid", "fill"))),
    S("(signal.lfilter(b, a, x), signal.lfilter(b, a, x, axis=0, zi=np.outer(b, b[1:]).T), "
      "signal.sosfilt(np.outer(b[:2], np.array([1.0, 0.5, 0.2, 1.0, 0.3, 0.1])) / b[:2, None], x))",
      b=positive(3), a=np.array([2.0, 0.3, 0.1]), x=real(4, 3)),
    S("signal.lfilter([1.0, c], [1, 0.3 * c], x)", c=0.7, x=real(5)),
    S("(integrate.trapezoid(y, x), integrate.cumulative_trapezoid(y, x, initial=0), "
      "integrate.cumulative_trapezoid(y, dx=0.3, axis=0))", y=real(2, 4), x=np.sort(real(4))),
    S("np.real(scipy_fft.fft(x, n=5, axis=0, norm='ortho', workers=1))", x=real(4, 2)),
    *(S(f"(scipy_fft.dct(x, {t}), scipy_fft.dst(x, {t}, 5, 0), scipy_fft.idct(x, {t}, norm='ortho'), "
        f"scipy_fft.idst(x, {t}, 3, norm='forward'), scipy_fft.dst(x, {t}, orthogonalize=True))", x=real(4, 4))
      for t in (1, 2, 3, 4)),
    S("(scipy_fft.dctn(x, axes=0), scipy_fft.idctn(x, 3, norm='ortho'), scipy_fft.dstn(x, s=(3, 5), workers=1), "
      "scipy_fft.idstn(x, axes=(1, 0)))", x=real(4, 4)),
    S("(scipy_fft.fftshift(x, axes=0), scipy_fft.ifftshift(x), scipy_fft.fftfreq(5, d=x[0, 0]))", x=real(4, 2)),
    S("(ndimage.correlate(x, w, mode='wrap', origin=(0, -1)), ndimage.convolve(x, w, mode='constant', cval=0.5), "
      "ndimage.convolve1d(x, w[0], axis=0, mode='mirror'), ndimage.uniform_filter(x, (1, 3), mode='nearest'))",
      x=real(4, 3), w=real(2, 3)),
    S("(ndimage.gaussian_filter(x, s), ndimage.gaussian_filter1d(x, 0.7, 0, 2, truncate=2.0), ndimage.laplace(x), "
      "ndimage.sobel(x), ndimage.prewitt(x, 0), ndimage.gaussian_laplace(x, 0.6))", x=real(4, 3), s=0.7),
    S("ndimage.gaussian_gradient_magnitude(x, 0.8)", x=real(3, 3)),
    *(S(f"(ndimage.map_coordinates(x, c, order={order}, mode={mode!r}), ndimage.shift(x, 0.3 * s, order={order}))",
        x=real(4, 5), c=0.4 + 1.3 * positive(2, 3), s=0.7)
      for order, mode in ((0, "nearest"), (1, "constant"), (2, "reflect"), (3, "grid-wrap"))),
    S("ndimage.affine_transform(x, m, offset=0.17, order=1, mode='mirror')", x=real(3, 4), m=0.9 * np.eye(2) + 0.03),
]  # fmt: skip
CHECKS = (
    checks.check_reverse, checks.check_forward, checks.check_adjoint, checks.check_shapes, checks.check_forward_reverse,
)  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.call[:60])
def test_derivatives(sample: Sample) -> None:
    checks.check(sample, CHECKS)


@pytest.mark.parametrize("call", ["special.expit(x)", "special.gammaln(x)"])
def test_reverse_over_reverse(call: str) -> None:
    sample = S(call, x=positive(3))
    checks.check(sample, (checks.check_reverse_reverse,))
    assert [*faults(checks.Case(sample), KINDS["float32"]), *faults(checks.Case(sample), KINDS["int64"])] == []


@pytest.mark.parametrize(
    ("sample", "what"),
    [
        (S("special.jv(v, x)", v=1.5, x=2.5), "'v'"),
        (S("special.gammainc(a, x)", a=1.5, x=1e7), "'a'"),
        (S("special.hyp1f1(a, 2.5, x)", a=1.5, x=2.5), "'a'"),
        (S("special.logsumexp(x, return_sign=True)[0]", x=cplx(3)), "return_sign"),
        (S("linalg.qr(a, mode='r')[0]", a=SQUARE), "mode"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(sample: Sample, what: str) -> None:
    f = checks.function_of(sample)
    args = list(sample.values.values())
    with pytest.raises(UnsupportedError, match=what):
        tangent.vjp(f, sample.wrt, check_dims=False)(*args, f(*args))


def test_keywords_and_functions_are_refused_by_name() -> None:
    with pytest.raises(RuleError, match="'pivoting'"):
        tangent.vjp(checks.function_of(S("linalg.qr(a, pivoting=True)[1]", a=SQUARE)))
    with pytest.raises(MissingRuleError, match="schur"):
        tangent.vjp(checks.function_of(S("linalg.schur(a)[0]", a=SQUARE)))


def ranked(x: Any) -> Any:
    return np.sum(ndimage.median_filter(x, 3) ** 2)


def rotated(x: Any) -> Any:
    return np.sum(ndimage.rotate(x.reshape(2, 2), 20.0))


def filled(x: Any) -> Any:
    out = np.zeros(4)
    ndimage.gaussian_filter(x, 1.0, output=out)
    return np.sum(out)


@pytest.mark.parametrize("mode", [tangent.vjp, tangent.jvp])
@pytest.mark.parametrize("f", [ranked, rotated, filled], ids=lambda f: f.__name__)
def test_wrappers_of_compiled_code_are_refused(f: Any, mode: Any) -> None:
    """Their text says nothing: what they write, or give back, was taken for a constant, and the gradient for zero."""
    with pytest.raises(tangent.TangentError, match="ndimage"):
        mode(f)(np.arange(4.0), 1.0 if mode is tangent.vjp else np.ones(4))


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "grid-wrap"])
def test_images(mode: str) -> None:
    """What is written out gives what SciPy does, in the middle and beyond the edges."""
    ours = {f: table().written_out(getattr(ndimage, f)) for f in ("correlate", "convolve", "map_coordinates")}
    x, at = real(5, 4), real(2, 40, low=-3.0, high=7.0)
    for w in (real(3, 3), real(2, 4)):
        for f in ("correlate", "convolve"):
            expected = getattr(ndimage, f)(x, w, mode=mode, cval=0.7, origin=(0, -1))
            np.testing.assert_allclose(ours[f](x, w, mode=mode, cval=0.7, origin=(0, -1)), expected, atol=1e-12)
    for order in range(4):
        expected = ndimage.map_coordinates(x, at, order=order, mode=mode, cval=0.3)
        found = ours["map_coordinates"](x, at, order=order, mode=mode, cval=0.3)
        np.testing.assert_allclose(found, expected, atol=1e-10)
