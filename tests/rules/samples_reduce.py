"""Samples of the rules for reductions, accumulations, order statistics, polynomials and grids."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, positive, real

MASK = np.array([True, False, True])
MASKS = np.array([[True, False, True], [True, True, False]])


def with_nan(*shape: int) -> np.ndarray:
    """Distinct numbers with a nan in the second place."""
    a = real(*shape)
    a.flat[1] = np.nan
    return a


def reduction(name: str, *more: Sample, a: object = real, where: bool = False) -> list[Sample]:
    """A reduction over all axes, one, a negative one, several; keepdims; a mask; a number."""
    samples = [
        S(f"np.{name}(x)", x=a(2, 3)),  # type: ignore[operator]
        S(f"np.{name}(x, axis=0)", x=a(2, 3)),  # type: ignore[operator]
        S(f"np.{name}(x, -1, keepdims=True)", x=a(2, 3)),  # type: ignore[operator]
        S(f"np.{name}(x, axis=(0, -1))", x=a(2, 3, 2)),  # type: ignore[operator]
        S(f"np.{name}(x, axis=(2, 0), keepdims=True)", x=a(2, 2, 3)),  # type: ignore[operator]
        S(f"np.{name}(x, keepdims=True)", x=a(4)),  # type: ignore[operator]
    ]
    if where:
        samples.append(S(f"np.{name}(x, axis=1, where=m)", "m", x=a(2, 3), m=MASKS))  # type: ignore[operator]
        samples.append(S(f"np.{name}(x, where=m)", "m", x=a(2, 3), m=MASK))  # type: ignore[operator]
    return samples + list(more)


SAMPLES: dict[str, list[Sample]] = {
    # Sums and moments
    "sum": reduction(
        "sum",
        S("x.sum(axis=1)", x=real(2, 3)),
        S("np.sum(x)", x=real()),
        S("np.sum(x, axis=0, initial=c)", x=real(2, 3), c=0.5),
        S("np.sum(x, 0, dtype=complex)", x=real(2, 3)),
        S("np.sum(x)", x=cplx(3)),
        S("np.add.reduce(x)", x=real(2, 3)),
        where=True,
    ),
    "mean": reduction(
        "mean", S("x.mean()", x=real(3)), S("x.mean(0)", x=cplx(3, 2)), S("np.mean(x)", x=real()), where=True
    ),
    "var": reduction(
        "var",
        S("np.var(x, ddof=1)", x=real(4)),
        S("np.var(x, correction=1)", x=real(4)),
        S("np.var(x, axis=1, mean=m)", x=real(2, 3), m=real(2, 1)),
        S("x.var(axis=0)", x=cplx(3, 2)),
        S("np.var(x, ddof=c)", x=real(2, 3), c=0.6),
        where=True,
    ),
    "std": reduction(
        "std",
        S("np.std(x, ddof=1)", x=real(4)),
        S("np.std(x, axis=1, mean=m, keepdims=True)", x=real(2, 3), m=real(2, 1)),
        S("x.std(axis=0)", x=cplx(3, 2)),
        S("np.std(x, axis=1, ddof=c)", x=real(2, 3), c=0.6),
        where=True,
    ),
    "var_about": [
        S("np.var(z, axis=0, dtype=complex, keepdims=True)", z=cplx(3, 2)),
        S("np.var(x, axis=1, mean=m)", x=real(2, 3), m=cplx(2, 1)),
        S("z.var(0, mean=m, dtype=complex, ddof=c)", z=cplx(3, 2), m=cplx(1, 2), c=0.6),
        S("np.var(x, 1, complex, where=m)", "m", x=cplx(2, 3), m=MASKS),
        S("np.nanvar(x, axis=1, mean=m, dtype=complex)", x=real(2, 3), m=real(2, 1)),
        S("np.nanvar(x, axis=0, mean=m)", x=with_nan(2, 3), m=cplx(1, 3)),
    ],
    "std_about": [
        S("np.std(z, axis=0, dtype=complex, keepdims=True)", z=cplx(3, 2)),
        S("np.std(x, axis=1, mean=m)", x=real(2, 3), m=cplx(2, 1)),
        S("z.std(0, mean=m, dtype=complex, ddof=c)", z=cplx(3, 2), m=cplx(1, 2), c=0.6),
        S("np.nanstd(x, axis=1, ddof=1, dtype=complex)", x=real(2, 3)),
        S("np.nanstd(z, axis=-1, where=m, dtype=complex)", "m", z=cplx(2, 3), m=MASKS),
    ],
    # Products
    "prod": reduction(
        "prod",
        S("x.prod(axis=0)", x=real(2, 3)),
        S("np.prod(x)", x=np.array([2.0, 0.0, 3.0])),
        S("np.prod(x, axis=0)", x=np.array([[0.0, 1.5], [0.0, -2.0], [2.0, 0.0]])),
        S("np.prod(x, axis=1, initial=c)", x=real(2, 3), c=0.5),
        S("np.prod(x)", x=cplx(3)),
        S("np.prod(x, axis=0, dtype=complex)", x=real(2, 3)),
        S("np.prod(x, dtype=float, initial=c)", x=cplx(3), c=0.5),
        where=True,
    ),
    # Extremes
    "max": reduction(
        "max",
        S("x.max(axis=0)", x=real(2, 3)),
        S("np.amax(x)", x=real(3)),
        S("np.max(x, axis=0, initial=c)", x=real(2, 3), c=0.1),
        S("np.max(x, axis=0, initial=-9.0, where=m)", "m", x=real(2, 3), m=MASKS),
        S("np.maximum.reduce(x, dtype=float)", x=cplx(3)),
    ),
    "min": reduction(
        "min",
        S("x.min(axis=0)", x=real(2, 3)),
        S("np.amin(x)", x=real(3)),
        S("np.min(x, axis=0, initial=c)", x=real(2, 3), c=0.1),
        S("np.min(x, axis=0, initial=9.0, where=m)", "m", x=real(2, 3), m=MASKS),
    ),
    # Accumulations
    "cumsum": [
        S("np.cumsum(x)", x=real(2, 3)),
        S("np.cumsum(x, axis=0)", x=real(2, 3)),
        S("x.cumsum(-1)", x=real(2, 3, 2)),
        S("np.cumsum(x, dtype=complex)", x=real(3)),
        S("np.cumsum(x)", x=cplx(3)),
        S("np.add.accumulate(x)", x=real(3, 2)),
    ],
    "cumprod": [
        S("np.cumprod(x)", x=real(2, 3)),
        S("np.cumprod(x, axis=0)", x=real(3, 2)),
        S("x.cumprod(-2)", x=real(2, 3, 2)),
        S("np.cumprod(x)", x=np.array([2.0, 0.0, 3.0, 0.0, 0.5])),
        S("np.cumprod(x)", x=cplx(3)),
        S("np.multiply.accumulate(x, axis=1)", x=real(2, 3)),
    ],
    "recurrence": [
        S("recurrence(a, b)", a=real(2, 4), b=real(2, 4, seed=1)),
        S("recurrence(a, b)", a=np.array([0.5, 2.0, 0.0, 3.0, 1.0]), b=real(5)),
        S("recurrence(a, b)", a=cplx(3), b=cplx(3, seed=1)),
    ],
    "cumulative_sum": [
        S("np.cumulative_sum(x)", x=real(3)),
        S("np.cumulative_sum(x, axis=1)", x=real(2, 3)),
        S("np.cumulative_sum(x, axis=0, include_initial=True)", x=real(2, 3)),
        S("np.cumulative_sum(x, include_initial=True)", x=real(3)),
        S("np.cumulative_sum(x, dtype=complex)", x=real(3)),
    ],
    "cumulative_prod": [
        S("np.cumulative_prod(x)", x=real(3)),
        S("np.cumulative_prod(x, axis=1)", x=real(2, 3)),
        S("np.cumulative_prod(x, axis=0, include_initial=True)", x=real(2, 3)),
        S("np.cumulative_prod(x, include_initial=True)", x=np.array([2.0, 0.0, 3.0])),
    ],
    # Ufunc methods
    "maximum_accumulate": [
        S("np.maximum.accumulate(x)", x=real(5)),
        S("np.maximum.accumulate(x, axis=1)", x=real(2, 5)),
        S("np.maximum.accumulate(x, axis=-2)", x=real(2, 3, 2)),
    ],
    "minimum_accumulate": [
        S("np.minimum.accumulate(x)", x=real(5)),
        S("np.minimum.accumulate(x, axis=-1)", x=real(2, 5)),
    ],
    "logaddexp_accumulate": [
        S("np.logaddexp.accumulate(x)", x=real(5)),
        S("np.logaddexp.accumulate(x, axis=1)", x=real(2, 3)),
    ],
    "logaddexp2_accumulate": [
        S("np.logaddexp2.accumulate(x)", x=real(4)),
        S("np.logaddexp2.accumulate(x, -1)", x=4.0 * real(2, 3)),
    ],
    "logaddexp_reduce": [
        S("np.logaddexp.reduce(x)", x=real(4)),
        S("np.logaddexp.reduce(x)", x=np.full(2, 1.257302210933933)),  # each share is a little more than a half
        S("np.logaddexp.reduce(x, axis=1, keepdims=True)", x=real(2, 3)),
    ],
    "logaddexp2_reduce": [S("np.logaddexp2.reduce(x)", x=real(4)), S("np.logaddexp2.reduce(x, axis=-1)", x=real(2, 3))],
    "hypot_reduce": [S("np.hypot.reduce(x)", x=real(4)), S("np.hypot.reduce(x, axis=1)", x=real(2, 3))],
    "subtract_reduce": [
        S("np.subtract.reduce(x)", x=real(4)),
        S("np.subtract.reduce(x, axis=1, keepdims=True)", x=real(2, 3)),
    ],
    "reduce_behind": [
        S("np.subtract.reduce(x, axis=1, initial=c)", x=real(2, 3), c=0.4),
        S("np.divide.reduce(x, initial=c, where=m)", "m", x=cplx(2, 3), c=1.5 + 0.5j, m=MASKS),
        S("np.fmod.reduce(x, 1, None, None, True, c, m)", "m", x=positive(2, 3), c=7.3, m=MASKS),
    ],
    "divide_reduce": [S("np.divide.reduce(x)", x=positive(4)), S("np.divide.reduce(x, axis=-1)", x=positive(2, 3))],
    "add_reduceat": [
        S("np.add.reduceat(x, [0, 2, 3])", x=real(5)),
        S("np.add.reduceat(x, [0, 3, 1, 1])", x=real(5)),
        S("np.add.reduceat(x, [1, 2], axis=1)", x=real(2, 4)),
        S("np.add.reduceat(x, [0, 2], dtype=complex)", x=real(4)),
    ],
    "strong": [S("strong(x)", x=real(3)), S("strong(x)", x=0.5), S("strong(x)", x=(0.5, 0.7))],
    "outer_operand": [
        S("outer_operand(x, y)", "y", x=real(3), y=real(2, 2)),
        S("outer_operand(x, y)", "y", x=real(2, 2), y=0.5),
    ],
    # Order statistics
    "ptp": reduction("ptp"),
    "median": reduction(
        "median",
        S("np.median(x)", x=real(5)),
        S("np.median(x, 1)", x=real(2, 4)),
        S("np.median(x, axis=[0, -1])", x=real(2, 2, 2)),
    ),
    "nanmedian": reduction(
        "nanmedian", S("np.nanmedian(x, axis=1)", x=with_nan(2, 4)), S("np.nanmedian(x)", x=real(5))
    ),
    "quantile": [
        S("np.quantile(x, 0.3)", x=real(2, 3)),
        S("np.quantile(x, q, axis=0)", x=real(4, 2), q=np.array([0.2, 0.7])),
        S("np.quantile(x, q, axis=(0, 2), keepdims=True)", x=real(2, 2, 2), q=0.4),
        S("np.quantile(x, [0.0, 0.5, 1.0], axis=-1)", x=real(2, 3)),
        S(
            "np.quantile(x, 0.4, axis=0, method='inverted_cdf', weights=w)",
            "w",
            x=real(4),
            w=np.array([1.0, 2.0, 1.0, 0.5]),
        ),
        *[
            S(f"np.quantile(x, q, method='{method}')", *(() if smooth else ("q",)), x=real(5), q=0.37)
            for method, smooth in {
                "inverted_cdf": False,
                "averaged_inverted_cdf": False,
                "closest_observation": False,
                "interpolated_inverted_cdf": True,
                "hazen": True,
                "weibull": True,
                "median_unbiased": True,
                "normal_unbiased": True,
                "lower": False,
                "higher": False,
                "midpoint": False,
                "nearest": False,
            }.items()
        ],
        S("np.quantile(x, 0.3, axis=0, weights=w, method='inverted_cdf')", "w", x=real(5, 2), w=positive(5)),
    ],
    "nanquantile": [
        S("np.nanquantile(x, 0.3, axis=1)", x=real(2, 3)),
        S("np.nanquantile(x, q, axis=1)", x=with_nan(2, 4), q=np.array([0.2, 0.7])),
        S("np.nanquantile(x, [0.2, 0.7], axis=0, method='weibull', keepdims=True)", x=real(4, 2)),
    ],
    "percentile": [
        S("np.percentile(x, 30.0)", x=real(2, 3)),
        S("np.percentile(x, q, axis=0)", x=real(4, 2), q=np.array([20.0, 70.0])),
        S("np.percentile(x, [25, 75], axis=-1, keepdims=True, method='hazen')", x=real(2, 4)),
    ],
    "nanpercentile": [
        S("np.nanpercentile(x, 30.0)", x=real(2, 3)),
        S("np.nanpercentile(x, q, axis=1)", x=with_nan(2, 4), q=33.0),
    ],
    "sort": [
        S("np.sort(x)", x=real(5)),
        S("np.sort(x, axis=0)", x=real(3, 2)),
        S("np.sort(x, axis=None)", x=real(2, 3)),
        S("np.sort(x, kind='stable')", x=real(2, 3)),
    ],
    "partition": [
        S("np.partition(x, 2)", x=real(6)),
        S("np.partition(x, 1, axis=0)", x=real(3, 2)),
        S("np.partition(x, (0, 2), axis=None)", x=real(2, 3)),
    ],
    "unique": [
        S("np.unique(x)", x=real(4)),
        S("np.unique_values(x)", x=real(2, 3)),
        S("np.unique(x, sorted=True)", x=real()),
    ],
    "sort_complex": [S("np.sort_complex(z)", z=cplx(4)), S("np.sort_complex(x)", x=real(4))],
    "average": [
        S("np.average(x)", x=real(2, 3)),
        S("np.average(x, axis=1, weights=w)", x=real(2, 3), w=positive(2, 3)),
        S("np.average(x, axis=0, weights=w)", x=real(2, 3), w=positive(2)),
        S("np.average(x, weights=w, axis=(2, 0), keepdims=True)", x=real(2, 2, 3), w=positive(3, 2)),
        S("np.average(x, 1, keepdims=True)", x=cplx(2, 3)),
    ],
    # Without nans
    "nansum": reduction("nansum", S("np.nansum(x, axis=0, initial=c)", x=with_nan(2, 3), c=0.3), where=True),
    "nanmean": reduction("nanmean", S("np.nanmean(x, axis=1)", x=with_nan(2, 3)), where=True),
    "nanvar": reduction(
        "nanvar",
        S("np.nanvar(x, ddof=1)", x=with_nan(4)),
        S("np.nanvar(x, axis=1, mean=m)", x=real(2, 3), m=real(2, 1)),
        S("np.nanvar(x, ddof=c)", x=with_nan(4), c=0.6),
        where=True,
    ),
    "nanstd": reduction(
        "nanstd", S("np.nanstd(x, ddof=1)", x=with_nan(4)), S("np.nanstd(x, ddof=c)", x=with_nan(4), c=0.6), where=True
    ),
    "nanprod": reduction("nanprod", S("np.nanprod(x, axis=0, initial=c)", x=with_nan(2, 3), c=0.3), where=True),
    "nanmax": reduction(
        "nanmax", S("np.nanmax(x, axis=-1)", x=with_nan(2, 3)), S("np.nanmax(x, initial=c)", x=with_nan(3), c=2.3)
    ),
    "nanmin": reduction("nanmin", S("np.nanmin(x, axis=0, initial=c)", x=with_nan(2, 3), c=-2.3)),
    "nancumsum": [S("np.nancumsum(x)", x=real(2, 3)), S("np.nancumsum(x, axis=1)", x=with_nan(2, 3))],
    "nancumprod": [S("np.nancumprod(x)", x=real(2, 2)), S("np.nancumprod(x, axis=1)", x=with_nan(2, 3))],
    # Outer forms of ufuncs
    **{
        f"{name}_outer": [
            S(f"np.{name}.outer(x, y)", x=domain(2), y=other(3, seed=1)),
            S(f"np.{name}.outer(x, y)", x=domain(2, 1), y=other(2, seed=1)),
            S(f"np.{name}.outer(x, y)", x=domain(2), y=other()),
        ]
        for name, domain, other in (
            ("add", real, real),
            ("subtract", real, real),
            ("multiply", real, real),
            ("divide", real, positive),
            ("power", positive, real),
            ("maximum", real, real),
            ("minimum", real, real),
            ("hypot", real, positive),
            ("logaddexp", real, real),
            ("arctan2", real, positive),
        )
    },
    # Differences and integrals
    "diff": [
        S("np.diff(x)", x=real(4)),
        S("np.diff(x, n=2, axis=0)", x=real(4, 2)),
        S("np.diff(x, prepend=p, append=q)", x=real(2, 3), p=0.3, q=real(2, 2)),
        S("np.diff(x, 4)", x=real(2, 3)),
        S("np.diff(x)", x=cplx(2, 3)),
        S("np.diff(x, 2, -2, append=q)", x=real(2, 3), q=real(1, 3)),
        S("np.diff(x, prepend=0.0)", x=cplx(3)),
    ],
    "ediff1d": [
        S("np.ediff1d(x, to_begin=b)", x=np.zeros(0), b=1.5),
        S("np.ediff1d(x)", x=real(2, 3)),
        S("np.ediff1d(x, to_end=e, to_begin=b)", x=real(4), e=real(2), b=0.3),
        S("np.ediff1d(x, to_begin=[1.0, 2.0])", x=real(3)),
        S("np.ediff1d(x, e, b)", x=real(2, 2), e=real(2, 1), b=real(1, 2)),
    ],
    "trapezoid": [
        S("np.trapezoid(y, None if x[0] < 5.0 else x) + x[0]", y=real(4), x=real(4, seed=1)),
        S("np.trapezoid(y)", y=real(4)),
        S("np.trapezoid(y, dx=h)", y=real(2, 3), h=0.3),
        S("np.trapezoid(y, dx=h)", y=real(2, 3), h=real(2)),
        S("np.trapezoid(y, dx=h, axis=0)", y=real(3, 2), h=real(2, 1)),
        S("np.trapezoid(y, x)", y=real(4), x=real(4, seed=1)),
        S("np.trapezoid(y, x, h)", y=real(4), x=real(4, seed=1), h=0.3),  # of which h counts for nothing
        S("np.trapezoid(y, None if x[0] < 5.0 else x, h)", y=real(4), x=real(4, seed=1), h=0.3),
        S("np.trapezoid(y, x, axis=0)", y=real(3, 2), x=real(3)),
        S("np.trapezoid(y, x, axis=0)", y=real(3, 2), x=real(3, 2, seed=1)),
        S("np.trapezoid(y, x)", y=real(3), x=real(2, 3)),
    ],
    "gradient": [
        S("np.gradient(f)", f=real(5)),
        S("np.gradient(f, h)", f=real(5), h=0.3),
        S("np.gradient(f, h, edge_order=2)", f=real(5), h=0.3),
        S("np.gradient(f, x)", f=real(5), x=np.array([0.0, 0.3, 1.0, 1.1, 2.0])),
        S("np.gradient(f, x, edge_order=2, axis=0)", f=real(4, 2), x=np.array([0.0, 0.3, 1.0, 1.1])),
        S("np.gradient(f, g, h)", f=real(3, 4), g=0.3, h=0.7),
        S("np.gradient(f, h, axis=(1, 0))", f=real(3, 4), h=0.7),
        S("np.gradient(f, axis=-1)", f=real(2, 3)),
    ],
    "interp": [
        S("np.interp(x, xp, fp)", x=real(4), xp=np.array([-1.0, 0.0, 0.5, 1.1]), fp=real(4, seed=1)),
        S(
            "np.interp(x, xp, fp, left=a, right=b)",
            x=2.0 * real(4),
            xp=np.array([-1.0, 0.0, 1.1]),
            fp=real(3),
            a=0.4,
            b=-0.3,
        ),
        S("np.interp(x, xp, fp, period=p)", x=3.0 * real(4), xp=np.array([0.1, 3.7, 0.6]), fp=real(3), p=2.0),
        S("np.interp(x, xp, fp, period=p)", x=3.0 * real(4), xp=np.array([0.1, 3.7, 0.6]), fp=real(3), p=-2.0),
        S(
            "np.interp(x, xp, fp, a, b, p)",
            x=3.0 * real(4),
            xp=np.array([0.1, 0.6, 3.7]),
            fp=real(3),
            a=0.4,
            b=-0.3,
            p=2.0,
        ),
        S("np.interp(x, xp, fp)", x=real(2, 2), xp=np.array([-1.0, 0.2, 1.1]), fp=cplx(3)),
        S("np.interp(x, xp, fp)", x=0.3, xp=np.array([-1.0, 0.2, 1.1]), fp=real(3)),
    ],
    # Covariance
    "cov": [
        S("np.cov(x)", x=real(2, 4)),
        S("np.cov(x)", x=real(5)),
        S("np.cov(x, y)", x=real(4), y=real(4, seed=1)),
        S("np.cov(x, fweights=[1, 2, 3], aweights=w)", x=real(2, 3), w=[1.0, 2.0, 0.5]),
        S("np.cov(x, y, rowvar=False, bias=True)", x=real(4, 2), y=real(4, 1)),
        S("np.cov(x, aweights=a)", x=real(2, 3), a=positive(3)),
        S(
            "np.cov(x, ddof=0, fweights=f, aweights=a)",
            "f",
            x=real(2, 3),
            f=np.array([1, 2, 1]),
            a=np.array([0.3, 1.0, 0.7]),
        ),
        S("np.cov(z)", z=cplx(2, 3)),
    ],
    "corrcoef": [
        S("np.corrcoef(x)", x=real(2, 4)),
        S("np.corrcoef(x, y)", x=real(4), y=real(4, seed=1)),
        S("np.corrcoef(x, rowvar=False)", x=real(4, 3)),
        S("np.corrcoef(z)", z=cplx(2, 4)),
    ],
    "bincount": [
        S("np.bincount(i, weights=w)", "i", i=np.array([0, 2, 2, 1]), w=real(4)),
        S("np.bincount(i, w, minlength=5)", "i", i=np.array([0, 2, 2]), w=real(3)),
        S("np.bincount(i, w)", "i", i=np.array([True, False]), w=real(2)),
    ],
    # Convolution and polynomials
    "convolve": [
        *[
            S(f"np.convolve(a, v, mode='{mode}')", a=real(m), v=real(n))
            for mode in ("same", "valid")
            for m, n in ((5, 3), (5, 2), (2, 5), (4, 4))
        ],
        S("np.convolve(a, v)", a=real(4), v=cplx(3)),
    ],
    "correlate": [
        S("np.correlate(a, v, 1)", a=real(4), v=real(3)),
        *[
            S(f"np.correlate(a, v, '{mode}')", a=real(m), v=real(n))
            for mode in ("same", "full")
            for m, n in ((5, 3), (5, 2), (2, 5), (3, 5), (4, 4))
        ],
        S("np.correlate(a, v)", a=cplx(4), v=cplx(3)),
    ],
    "vander": [
        S("np.vander(x)", x=real(3)),
        S("np.vander(x, 4, increasing=True)", x=np.array([0.0, 0.5])),
        S("np.vander(x, N=2)", x=cplx(2)),
        S("vander_slope(x, 4)", x=real(2)),
    ],
    "polyval": [
        S("np.polyval(p, x)", p=real(4), x=real()),
        S("np.polyval(p, x)", p=real(3), x=real(2, 2)),
        S("np.polyval(p, x)", p=real(1), x=real(2)),
        S("np.polyval(p, z)", p=real(3), z=cplx(2)),
        S("np.polyval(p, x)", p=real(3, 2), x=0.4),
        S("np.polyval(p, x)", p=real(3, 2), x=real(2)),
    ],
    "polyder": [S("np.polyder(p)", p=real(4)), S("np.polyder(p, m=2)", p=real(5)), S("np.polyder(p)", p=real(1))],
    "polyint": [
        S("np.polyint(p)", p=real(4)),
        S("np.polyint(p, 2, k=[1.0, 2.0])", p=real(3)),
        S("np.polyint(p, 2, k)", p=real(3), k=real(2)),
        S("np.polyint(p, k=c)", p=real(2), c=0.4),
        S("np.polyint(p, 2, c)", p=real(2), c=real(4)),  # only as many constants as integrals are taken
        S("np.polyint(p, m=2, k=c)", p=real(2), c=[0.4]),
    ],
    "polyadd": [
        S("np.polyadd(p, q)", p=real(4), q=real(2)),
        S("np.polyadd(p, q)", p=real(2), q=real(3)),
        S("np.polyadd(p, q)", p=real(3), q=0.4),
    ],
    "polysub": [S("np.polysub(p, q)", p=real(4), q=real(2)), S("np.polysub(p, q)", p=real(2), q=real(3))],
    "polymul": [
        S("np.polymul(p, q)", p=real(4), q=real(2)),
        S("np.polymul(p, q)", p=real(1), q=real(3)),
        S("np.polymul(p, q)", p=cplx(2), q=real(2)),
    ],
    "polydiv": [
        S("np.polydiv(u, v)", u=real(5), v=real(3)),
        S("np.polydiv(u, v)", u=real(2), v=real(3)),
        S("np.polydiv(u, v)[0]", u=real(4), v=real(2)),
    ],
    "roots": [S("np.roots(p)", p=np.array([1.0, -2.0, 0.5])), S("np.roots(p)", p=np.array([1.0, 0.3, 2.0, -0.5]))],
    "poly": [
        S("np.poly(r)", r=real(3)),
        S("np.poly(r)", r=cplx(2)),
        S("np.poly(m)", m=real(3, 3)),
        S("np.poly(m)", m=cplx(2, 2)),
    ],
    "polyfit": [
        S("np.polyfit(x, y, 2)", x=real(5), y=real(5, seed=1)),
        S("np.polyfit(x, y, 1.0, w=w)", x=real(4), y=real(4, seed=1), w=positive(4)),
        S("np.polyfit(x, y, deg=1)", x=real(4), y=real(4, 2)),
        S("np.polyfit(x, y, 1)", x=cplx(4), y=cplx(4, seed=2)),
        S("np.polyfit(x, y, 1.0, w=w)", x=cplx(4), y=cplx(4, 2), w=positive(4)),
        S("np.polyfit(x, y, 1, full=True)", x=real(4), y=real(4, seed=1)),
        S("np.polyfit(x, y, 1, cov=True)", x=real(4), y=real(4, 2, seed=1)),
        S("np.polyfit(x, y, 1, None, False, w, 'unscaled')", x=real(4), y=real(4, seed=1), w=positive(4)),
    ],
    # Grids
    "arange": [
        S("np.arange(a, b, h)", "b", a=0.3, b=2.0, h=0.37),
        S("np.arange(a, 3.0)", a=0.3),
        S("np.arange(0.0, 1.0, step=h)", h=0.3),
        S("np.arange(a, 2.0, h, dtype=complex, device='cpu')", a=0.3, h=0.37),
    ],
    "linspace": [
        S("np.linspace(a, b, 4)", a=0.3, b=1.2),
        S("np.linspace(a, b, num=3, endpoint=False)", a=real(2), b=1.2),
        S("np.linspace(a, b, 3, axis=-1)", a=real(2), b=real(2, 2)),
        S("np.linspace(0.0, b, 1)", b=1.2),
    ],
    "logspace": [
        S("np.logspace(a, b, 4)", a=0.3, b=1.2),
        S("np.logspace(a, b, 3, endpoint=False, base=c)", a=real(2), b=1.2, c=2.0),
        S("np.logspace(a, b, 3, base=c)", a=0.3, b=1.2, c=positive(2)),
        S("np.logspace(a, b, 3, base=c, axis=-1)", a=real(2), b=real(2, 1), c=positive(2)),
    ],
    "geomspace": [
        S("np.geomspace(a, b, 4)", a=0.3, b=1.2),
        S("np.geomspace(a, b, 3, axis=-1)", a=positive(2), b=positive(2, seed=1)),
        S("np.geomspace(a, b, 3)", a=-0.5, b=-2.0),
    ],
    "fftfreq": [
        S("np.fft.fftfreq(5, d=h)", h=0.3),
        S("np.fft.rfftfreq(4, h)", h=0.3),
        S("np.fft.fftfreq(5, h)", h=positive(2, 1)),
    ],
    # Builtins and `math` over sequences
    "builtin_sum": [
        S("sum(xs)", xs=[0.3, 0.5, -0.2]),
        S("sum(xs, c)", xs=(0.3, 0.5), c=1.5),
        S("sum(x)", x=real(3)),
        S("sum(x)", x=real(2, 3)),
        S("sum([x, y])", x=real(2, 3), y=real(3)),
    ],
    "builtin_max": [
        S("max(xs)", xs=[0.3, 0.5, -0.2]),
        S("max(xs)", xs=real(3)),
        S("min(xs)", xs=(0.3, 0.5, -0.2)),
    ],
    "builtin_max_of_two": [
        S("max(x, y)", x=0.3, y=0.7),
        S("max(x, 0.0)", x=0.4),
        S("min(x, y)", x=0.3, y=0.7),
        S("min(x, 0.0)", x=0.4),
    ],
    "builtin_max_of_several": [
        S("max(x, y, z)", x=0.3, y=-0.7, z=0.2),
        S("min(x, y, z, 0.1)", x=0.3, y=0.7, z=0.2),
    ],
    "builtin_sorted": [
        S("sorted(xs)", xs=[0.3, 0.5, -0.2]),
        S("sorted(xs, key=abs, reverse=True)", xs=(0.3, 0.5, -0.2)),
    ],
    "math_fsum": [S("math.fsum(xs)", xs=[0.3, 0.5, -0.2])],
    "math_prod": [S("math.prod(xs)", xs=[0.3, 0.5, -0.2]), S("math.prod(xs, start=c)", xs=(0.3, 0.0, 0.4), c=1.5)],
    "math_sumprod": [S("math.sumprod(p, q)", p=[0.3, 0.5], q=[0.1, -0.2])],
    "math_dist": [
        S("math.dist(p, q)", p=[0.3, 0.5], q=[0.1, -0.2]),
        S("math.dist(p, q)", p=(0.3, 0.5, 0.1), q=(0.1, -0.2, 0.4)),
    ],
    "math_hypot": [S("math.hypot(x, y, z)", x=0.3, y=-0.7, z=0.2), S("math.hypot(x)", x=-0.4)],
    # Kernels
    "direction_of": [
        S("direction_of(x, np.linalg.norm(x))", x=real(4)),
        S("direction_of(x, np.linalg.norm(x, axis=1), 1)", x=real(2, 3) * np.array([9.0, 1.0, 1.0])),
    ],
    "exponential_shares": [
        S("exponential_shares(x, np.logaddexp.reduce(x))", x=real(4)),
        S("exponential_shares(x, np.logaddexp.reduce(x, 1), 1)", x=real(2, 3) + np.array([5.0, 0.0, 0.0])),
    ],
    "binary_shares": [S("binary_shares(x, np.logaddexp2.reduce(x, 1), 1)", x=real(2, 3) + np.array([5.0, 0.0, 0.0]))],
    "conj_direction": [
        S("conj_direction(x, np.linalg.norm(x))", x=cplx(4)),
        S("conj_direction(x, np.linalg.norm(x, axis=1), 1)", x=cplx(2, 3) * np.array([9.0, 1.0, 1.0])),
    ],
    "deviation_direction": [
        S("deviation_direction(x, np.std(x) * 2.0)", x=real(4)),
        S("deviation_direction(x, np.std(x, axis=0) * 2.0**0.5, 0)", x=real(2, 3)),
        S("deviation_direction(x, np.std(x, axis=1) * 3.0**0.5, 1)", x=cplx(2, 3)),
        S(
            "deviation_direction(x, np.std(x, axis=1, keepdims=True, where=m) * 2.0**0.5, 1, True, m)",
            "m",
            x=real(2, 3),
            m=np.array([[True, False, True], [True, True, False]]),
        ),
    ],
    "running_mean": [
        S("running_mean(t, x, np.logaddexp.accumulate(x))", t=real(5), x=5.0 * real(5)),
        S("running_mean(t, x, np.logaddexp2.accumulate(x, 1), 1, True)", t=real(2, 4), x=5.0 * real(2, 4)),
    ],
    "running_mean_adjoint": [
        S("running_mean_adjoint(b, x, np.logaddexp.accumulate(x))", b=real(5), x=5.0 * real(5)),
        S("running_mean_adjoint(b, x, np.logaddexp2.accumulate(x, 1), 1, True)", b=real(2, 4), x=5.0 * real(2, 4)),
    ],
    "sides": [
        S("sides(xs, math.hypot(*xs))", xs=[0.3, -0.7, 0.2]),
        S("sides(xs, math.hypot(*xs))", xs=[3.0, -0.7, 0.2]),
    ],
    "piece": [S("piece(t, a, 0)", "a", t=0.3, a=real(2, 3)), S("piece(t, a, 1)", "a", t=real(2, 2), a=real(2, 3))],
    "stretch": [S("stretch(b, 1, 2, 0)", b=real(4, 2)), S("stretch(b, 0, 2, -1)", b=real(2, 3))],
    "between_zeros": [S("between_zeros(t, 1, 2, 0)", t=real(2, 2)), S("between_zeros(t, 0, 1, -1)", t=real(2, 3))],
    "undiff": [
        S("undiff(b, x)", "x", b=real(2, 3), x=real(2, 4)),
        S("undiff(b, x, 2, 0)", "x", b=real(1, 2), x=real(3, 2)),
    ],
    "diff_adjoint": [S("diff_adjoint(b, 2, 0)", b=real(3, 2))],
    "sum_at": [
        S("sum_at(v, i, 4)", "i", v=real(3), i=np.array([0, 2, 2])),
        S("sum_at(v, i, 4)", "i", v=cplx(2, 2), i=np.array([[0, 2], [2, 3]])),
    ],
    "binned": [
        S("binned(w, i, 4)", "i", w=real(4), i=np.array([0, -1, 2, 2])),
        S("binned(w, i, 4)", "i", w=cplx(2, 2), i=np.array([[0, 2], [-1, 3]])),
    ],
    "sum_along": [S("sum_along(b, i, 1)", "i", b=real(2, 3), i=np.array([[0, 0, 1], [2, 2, 2]]))],
    "reduceat_adjoint": [S("reduceat_adjoint(b, a, [0, 2, 1], 0)", "a", b=real(3), a=real(4))],
    "quantile_weights": [
        S("quantile_weights(a, q)", "a", a=real(4), q=0.4),
        S("quantile_weights(a, q, 0, 'hazen')", "a", a=real(4, 2), q=np.array([0.4, 0.3])),
    ],
    "spread": [
        S("spread(b, x)", "x", b=0.3, x=real(2, 3)),
        S("spread(b, x, 0)", "x", b=real(3), x=real(2, 3)),
        S("spread(b, x, (0, -1), True)", "x", b=real(1, 3, 1), x=real(2, 3, 2)),
        S("spread(b, x, 1, False, m)", "x", "m", b=real(2), x=real(2, 3), m=MASKS),
    ],
    "as_dtype": [S("as_dtype(b, x)", "x", b=real(3), x=real(3)), S("as_dtype(b, x)", "x", b=real(3), x=cplx(3))],
    "about_mean": [
        S("about_mean(x)", x=real(2, 3)),
        S("about_mean(x, 0)", x=cplx(2, 3)),
        S("about_mean(x, 1, m)", "m", x=real(2, 3), m=MASKS),
    ],
    "product_of_others": [
        S("product_of_others(x, np.prod(x))", x=np.array([2.0, 0.0, 3.0])),
        S("product_of_others(x, np.prod(x, 1, initial=c), 1, False, c)", x=real(2, 3), c=0.5),
        S("product_of_others(x, np.prod(x, 0), 0)", x=cplx(3, 2)),
    ],
    "cumsum_reversed": [
        S("cumsum_reversed(b, a, 0)", "a", b=real(2, 3), a=real(2, 3)),
        S("cumsum_reversed(b, a)", "a", b=real(6), a=real(2, 3)),
    ],
    "each": [S("each(b, xs)", "xs", b=0.3, xs=[0.1, 0.2]), S("each(b, xs)", "xs", b=real(2, 2), xs=(real(2), 0.2))],
    "total": [S("total(xs)", xs=[0.3, 0.5]), S("total(xs)", xs=(real(2), real(2, 2)))],
    "scaled": [S("scaled(b, w, xs)", "xs", b=0.3, w=[0.1, 0.5], xs=(1.0, 2.0))],
    "weighted": [S("weighted(w, t)", w=[0.1, 0.5], t=(1.0, 2.0))],
    "picked": [S("picked(xs, [2, 0, 1])", xs=(0.1, 0.2, 0.3))],
    "folded": [
        S("folded(b, xs)", "xs", b=[0.1, 0.2, 0.3, 0.4], xs=[0.5, 0.6]),
        S("folded(b, xs)", "xs", b=(0.1, 0.2, 0.3), xs=(0.5,)),
    ],
    "unfolded": [S("unfolded(b, ys)", "ys", b=[0.1, 0.2], ys=[0.0, 0.0, 0.0, 0.0])],
    "put_back": [S("put_back(b, [2, 0, 1], xs)", "xs", b=[0.1, 0.2, 0.3], xs=(0.1, 0.2, 0.3))],
    "gaps": [S("gaps(p, q)", p=(0.1, 0.2), q=[0.5, 0.7]), S("gaps(p, (1.0, 2.0))", p=(0.1, 0.2))],
    "over": [S("over(xs, r)", xs=(0.1, 0.2), r=0.5), S("over(xs, 2.0)", xs=[0.1, 0.2])],
}
