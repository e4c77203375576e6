"""Samples of what is written out in Python: functions that call functions, sets, histograms, iterators, ufunc methods."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, positive, real

PLACES = np.array([0, 2, 0])
MASK = np.array([True, False, True])

CALLING: dict[str, list[Sample]] = {
    "shallow": [S("copy.copy(x) * x", x=real(3)), S("copy.copy(x)[0] * x[1]", x=[0.3, 0.4])],
    "piecewise": [
        S("np.piecewise(x, [x < 0, x >= 0], [lambda t: t * t, lambda t: 3 * t])", x=real(4)),
        S("np.piecewise(x, [x < 0], [lambda t: t * t, 5.0])", x=real(2, 2)),
        S("np.piecewise(x, [x < 0.5, x < 0], [np.sin, lambda t: -t, 1.0])", x=real(5)),
        S("np.piecewise(x, x > 0, [lambda t, k: k * t * t, lambda t, k: t], 2.0)", x=real(4)),
        S("np.piecewise(x, [x < 0], [np.sin, lambda t: t * t])", x=0.4),
    ],
    "vectorize": [
        S("np.vectorize(lambda t: t * t)(x)", x=real(4)),
        S("np.vectorize(lambda t, u: math.sin(t) * u)(x, y)", x=real(2, 1), y=real(3)),
        S("np.vectorize(lambda t: (t, t * t))(x)", x=real(2)),
        S("np.vectorize(lambda t: t * y)(x)", x=real(2), y=0.4),
        S("np.vectorize(lambda t, k: (t * y, k), otypes='dd', excluded=['k'])(x, k=y)", x=real(2), y=0.4),
        S("np.vectorize(lambda v: v @ v * y, signature='(n)->()')(x)", x=real(2, 3), y=0.4),
        S("np.vectorize(lambda t, u=2.0: t * u)(x, u=y)", x=real(2), y=0.4),
        S("np.vectorize(lambda t, u=2.0: t * u)(x)", x=real(2)),
        S("np.vectorize(lambda t, *, u=2.0: t * u)(x, u=y)", x=real(2), y=real(2, seed=1)),
        S("np.vectorize(lambda t, k: t * k[0], excluded=[1])(x, k)", x=real(2), k=real(2)),
        S("np.vectorize(lambda u, v: u @ v, signature='(n),(n)->()')(x, y)", x=real(2, 3), y=real(3)),
        S("np.vectorize(lambda t: 0 if t < 9 else t, otypes=[int])(x) * x", x=real(2)),
    ],
    "windows": [
        S("np.kaiser(5, b)", b=1.3),
        S("np.kaiser(1, b)", b=1.3),
        S("(np.hanning(m), np.hamming(m), np.blackman(m), np.bartlett(m))", m=5.2),
        S("np.hanning(1) * np.blackman(0).size * m", m=5.2),
    ],
    "in_place": [
        S("operator.iadd(1.0 * x, y)", x=real(3), y=real(3, seed=1)),
        S("operator.isub(x * y, y)", x=real(3), y=0.3),
        S("operator.imul(x, y)", x=0.7, y=1.3),
        S("operator.itruediv(1.0 * x, y)", x=real(2, 2), y=positive(2)),
        S("operator.ipow(1.0 * x, y)", x=positive(3), y=positive(3, seed=1)),
        S("operator.imod(1.0 * x, y)", x=positive(3), y=positive(3, seed=1)),
        S("operator.imatmul(1.0 * x, y)", x=real(2, 2), y=real(2, 2, seed=1)),
    ],
    "series": [
        S("np.polynomial.legendre.legval(x, c)", x=real(3), c=real(4)),
        S("np.polynomial.polynomial.polydiv(a, b)", a=real(5), b=positive(2)),
        S("np.polynomial.polynomial.polydiv(a, b)[1]", a=real(2), b=positive(3)),
        S("np.polynomial.polynomial.polydiv(1e-5 * a, b)", a=1e-5 * real(5), b=positive(3)),  # np.polydiv cuts it off
        S("np.polynomial.chebyshev.chebdiv(a, b)", a=real(4), b=positive(2)),
        S("np.polynomial.polynomial.polyval2d(x, x, c)", x=real(3), c=real(3, 2)),
        S("np.polynomial.polynomial.polygrid2d(x, y, c)", x=real(3), y=real(2), c=real(3, 2)),
        S("np.polynomial.chebyshev.chebval2d(x, x, c)", x=real(3), c=real(3, 2)),
        S("np.polynomial.chebyshev.chebmul(a, b)", a=real(3), b=real(2)),
        S("np.polynomial.polynomial.polypow(a, 3)", a=real(3)),
        S("np.polynomial.polyutils.as_series([a])", a=real(3)),
        S("np.polynomial.polyutils.mapdomain(x, old, new)", x=real(3), old=[-1.0, 1.5], new=[0.0, 2.5]),
        S("np.polynomial.chebyshev.chebfromroots(r)", r=real(3)),
        S("np.polynomial.chebyshev.chebvander2d(x, x, [2, 1])", x=real(3)),
        S("np.polynomial.legendre.legmul(a, b)", a=real(3), b=real(2)),
        S("np.polynomial.hermite.hermsub(a, np.polynomial.hermite.hermmulx(b))", a=real(3), b=real(2)),
        S("np.polynomial.laguerre.lagder(a, 2, axis=1)", a=real(2, 3)),
        S("np.polynomial.hermite_e.hermeint(a, 2, [k], lower, scl)", a=real(3), k=0.4, lower=0.3, scl=1.3),
    ],
    "reduce": [S("np.copysign.reduce(x, axis=None)", x=np.array(2.0))],
    "apply_along_axis": [
        S("np.apply_along_axis(lambda t: np.sum(t * t), 0, x)", x=real(3, 2)),
        S("np.apply_along_axis(np.cumsum, 1, x)", x=real(3, 2)),
        S("np.apply_along_axis(np.sort, -1, x)", x=real(3, 2)),
        S("np.apply_along_axis(lambda t, k: np.outer(t, k * t), 1, x, 2.0)", x=real(2, 2, 2)),
    ],
    "apply_over_axes": [
        S("np.apply_over_axes(np.sum, x, (0, 2))", x=real(3, 2, 2)),
        S("np.apply_over_axes(np.prod, x, 0)", x=real(3, 2)),
    ],
    "fromfunction": [
        S("np.fromfunction(lambda i, j: x[0] * i + x[1] * j, (2, 3))", x=real(2)),
    ],
    "fromiter": [
        S("np.fromiter([x * x, y], float)", x=0.3, y=0.4),
        S("np.fromiter(x, float, count=2)", x=[0.1, 0.2, 0.5]),
    ],
    "map": [
        S("list(map(math.sin, x))", x=[0.1, 0.2]),
        S("sum(map(lambda t, u: t * u, x, y))", x=[0.1, 0.2], y=(0.3, 0.4)),
        S("sum(filter(lambda t: t > 0.15, x))", x=[0.1, 0.2, 0.3]),
        S("list(filter(None, x))", x=[0.1, 0.2]),
        S("list(zip(x, y))", x=[0.3, 0.2], y=[0.1, 0.5]),
        S("list(zip(x, y, strict=True))", x=[0.3, 0.2], y=[0.1, 0.5]),
        S("list(enumerate(x))[1][1]", x=[0.3, 0.2]),
        S("list(enumerate(x, start=2))[1][1]", x=[0.3, 0.2]),
        S("list(reversed(x))", x=[0.3, 0.1]),
        S("list(reversed(x))[0] * 2", x=real(3)),
    ],
    "largest": [
        S("max(x, key=abs)", x=[0.1, -0.2]),
        S("max(x, y, key=lambda t: -t)", x=0.3, y=0.4),
        S("max(x, default=0.0)", x=[0.1, -0.2]),
        S("max([], default=x)", x=0.2),
        S("min(x, default=y, key=None)", x=[0.1, -0.2], y=0.3),
        S("min([x, y], key=lambda v: v[0])", x=real(2), y=real(2, seed=3)),
    ],
}

SETS: dict[str, list[Sample]] = {
    "unique": [
        S("np.unique(x, return_index=True)", x=real(3)),
        S("np.unique(x, False, True, True)[0]", x=real(2, 2)),
        S("np.unique(x, axis=0)", x=real(3, 2)),
        S("np.unique(x, axis=0)", x=real(3, 2).tolist()),
        S("np.unique_all(x).values", x=real(3)),
        S("np.unique_all(x)", x=real(3)),
        S("np.unique_counts(x).values", x=real(3)),
        S("np.unique_inverse(x)[0]", x=real(3)),
    ],
    "sets": [
        S("np.union1d(x, y)", x=real(3), y=real(2, seed=4)),
        S("np.setxor1d(x, y)", x=real(3), y=real(2, 2, seed=3)),
        S("np.setdiff1d(x, y)", "y", x=real(3), y=np.array([7.0])),
        S("np.setdiff1d(x, y, assume_unique=True)", "y", x=real(2, 2), y=np.array([7.0])),
        S("np.intersect1d(x, y)", "x", x=np.array([1.0, 2.0]), y=real(2)),
    ],
    "histogram": [
        S("np.histogram(x, bins=3, weights=w)[0]", "x", x=real(5), w=positive(5)),
        S("np.histogram(x, [0.0, 1.0, 2.0], weights=w)", "x", x=real(5), w=positive(5)),
        S("np.histogram(x, 3, (0.0, 1.0), None, w)[0]", "x", x=real(5), w=positive(5)),
        S("np.histogram(x, bins=3, density=True, weights=w)[0]", "x", x=real(5), w=positive(5)),
        S("np.histogram(x, bins=3)[1]", x=real(5)),
        S("np.histogram(x, bins=3, density=True)", x=real(5)),
        S("np.histogram_bin_edges(x, 3)", x=real(5)),
        S("np.histogram2d(x, x, bins=([-2.0, 2.0], [-2.0, 0.0, 2.0]), weights=w)", "x", x=real(5), w=positive(5)),
        S("np.histogram2d(x, y, bins=2, weights=w)[0]", "x", "y", x=real(5), y=real(5, seed=2), w=positive(5)),
        S(
            "np.histogram2d(x, y, [0.0, 1.0, 2.0], None, False, w)",
            "x",
            "y",
            x=real(5),
            y=real(5, seed=2),
            w=positive(5),
        ),
        S("np.histogramdd(x, bins=(2, 3), weights=w)", "x", x=real(5, 2), w=positive(5)),
        S("np.histogramdd(x, bins=3, weights=w)", x=real(5), w=positive(5)),
        S("np.histogramdd(x, bins=3, weights=w)", "x", x=real(5), w=[0.2, 0.3, 0.4, 0.5, 0.6]),
        S("np.histogramdd((x, y), bins=2, density=True, weights=w)[0]", x=real(5), y=real(5, seed=2), w=positive(5)),
    ],
    "several_results": [
        S("np.average(x, axis=0, weights=w, returned=True)", x=real(2, 3), w=positive(2)),
        S("np.average(x, None, w, True)[1]", x=real(3), w=positive(3)),
        S("np.average(x, returned=False)", x=real(3)),
        S("np.linspace(x, y, 3, retstep=True)", x=0.3, y=0.9),
        S("np.linspace(x, 2, 3, retstep=True)", x=real(3)),
        S("np.linspace(x, 2, 3, retstep=True)", x=[0.3, 0.4]),
        S("np.linspace(x, y, 3, False, True)", x=real(2), y=positive(2)),
    ],
    "positional": [
        S("np.sum(x, 0, None, None, True)", x=real(2, 3)),
        S("x.var(0, None, None, 1, True)", x=real(3, 2)),
        S("np.max(x, 1, None, True, v)", x=real(2, 3), v=-3.0),
        S("np.quantile(x, 0.3, 0, None, False, 'hazen', True)", x=real(5, 2)),
        S("np.take(x, [0, 4], 0, None, 'wrap')", x=real(3)),
        S("np.concatenate([x, y], 0, None)", x=real(3), y=real(2)),
        S("np.clip(x, -0.5, 0.5, None)", x=real(5)),
        S("x.item(1, 2)", x=real(2, 3)),
        S("x.item((1, 2))", x=real(2, 3)),
        S("x.reshape(*s)", "s", x=real(2, 3), s=(3, 2)),
        S("pow(base=x, exp=y)", x=0.3, y=2.0),
    ],
    "atleast": [
        S("np.atleast_1d(x, y)", x=0.3, y=0.2),
        S("np.atleast_2d(x, y)", x=real(2), y=0.2),
        S("np.atleast_3d(x, y, 1.0)", x=real(2, 2), y=real(3)),
        S("np.atleast_2d(*xs)", xs=[real(2), 0.2]),
        S("np.atleast_2d(x, *xs)", x=0.3, xs=(real(2),)),
        S("np.atleast_1d(*xs)", xs=[0.2]),
    ],
}

# Methods of ufuncs that have no rule of their own, and forms of those that have
WRITTEN = (
    "float_power remainder fmod copysign subtract divide logaddexp logaddexp2 hypot maximum minimum fmax fmin multiply"
).split()
METHODS: dict[str, list[Sample]] = {
    "of_nothing": [
        S("math.dist(x, y) + math.hypot(*x) + sum(y)", x=real(0), y=real(0)),
        S("np.dot(x, np.transpose(y))", x=real(2, 3, 0), y=real(3, 0)),
    ],
    "divmod_outer": [S("np.divmod.outer(x, y)[1]", x=positive(3), y=positive(2, seed=5))],
    **{f"{f}_accumulate": [S(f"np.{f}.accumulate(x)", x=positive(4)), S(f"np.{f}.accumulate(x, axis=1)", x=positive(2, 3))]
       for f in [*WRITTEN, "power", "arctan2"]},
    **{f"{f}_reduce": [S(f"np.{f}.reduce(x)", x=positive(4)), S(f"np.{f}.reduce(x, 1, None)", x=positive(2, 3)),
                       S(f"np.{f}.reduce(x, -1, keepdims=True)", x=positive(2, 3))] for f in WRITTEN},
    **{f"{f}_outer": [S(f"np.{f}.outer(x, y)", x=positive(3), y=positive(2, seed=5)),
                      S(f"np.{f}.outer(x, y)", x=positive(2), y=0.7)] for f in [*WRITTEN, "power", "arctan2", "add"]},
    **{f"{f}_reduceat": [S(f"np.{f}.reduceat(x, [0, 2])", x=positive(4)),
                         S(f"np.{f}.reduceat(x, [0, 2, 1], axis=1)", x=positive(2, 4))] for f in [*WRITTEN, "add"]},
    # of arrays that lie so that NumPy leaves out nothing
    **{f"{f}_reduce": [S(f"np.{f}.reduce(x)", x=positive(3, 2)), S(f"np.{f}.reduce(x, -1, keepdims=True)", x=positive(3, 2))]
       for f in ("power", "arctan2")},
    **{f"{f}_reduceat": [S(f"np.{f}.reduceat(x, [0, 2])", x=positive(4))] for f in ("power", "arctan2")},
    "reduceat_alone": [S("np.hypot.reduceat(x, [0, 3, 1])", x=real(4) - 2.0)],
    "one_axis": [
        *(S(f"np.{f}.accumulate(x, axis=None)", x=positive(4)) for f in ("maximum", "hypot")),
        *(S(f"np.{f}.reduceat(x, [0, 2], (0,))", x=positive(4)) for f in ("add", "hypot")),
        S("np.multiply.accumulate(x, (1,))", x=positive(2, 3)),
        S("np.divide.reduce(x, axis=None)", x=positive(4)),
    ],
    "reduce_options": [
        S("np.add.reduce(x, 0, None, None, False, v, m)", "m", x=positive(3), v=0.5, m=MASK),
        S("np.multiply.reduce(x, axis=(0, 1), initial=v)", x=positive(2, 3), v=1.1),
        S("np.maximum.reduce(x, initial=v, where=m)", "m", x=positive(3), v=0.4, m=MASK),
        S("np.logaddexp.reduce(x, initial=v)", x=positive(3), v=0.2),
        S("np.logaddexp.reduce(x, where=m, initial=-np.inf)", "m", x=positive(3), m=MASK),
        S("np.logaddexp2.reduce(x, initial=v, axis=None)", x=positive(2, 2), v=0.2),
        S("np.hypot.reduce(x, initial=v, where=m)", "m", x=positive(3), v=0.4, m=MASK),
    ],
}  # fmt: skip

# Keywords of ufuncs, starred operands, array-likes
FORMS: dict[str, list[Sample]] = {
    "ufunc_options": [
        S("np.add(x, y, dtype=np.float64)", x=real(3), y=real(3)),
        S("np.add(x, y, dtype=complex)", x=real(3), y=real(3)),
        S("np.sin(x, dtype='f8', casting='unsafe')", x=real(3)),
        S("np.exp(x, order='F', subok=False)", x=real(3, 2)),
        S("np.multiply(x, y, where=True, out=None)", x=real(3), y=0.4),
        S("np.matmul(x, y, dtype=float)", x=real(3, 2), y=real(2)),
        S("np.power(x, y, dtype=np.float64)", x=positive(3), y=real(3, seed=2)),
    ],
    "real_parts": [  # of complex numbers, where a dtype asks for real ones
        S("np.square(x, dtype=float, casting='unsafe')", x=cplx(3)),
        S("np.divide(x, y, dtype=float, casting='unsafe')", x=cplx(3), y=2.0 + cplx(3, seed=2)),
        S("np.matmul(x, y, dtype=float, casting='unsafe')", x=cplx(2, 3), y=cplx(3)),
        S("np.sum(x, axis=0, dtype=float)", x=cplx(2, 3)),
        S("np.prod(x, axis=0, dtype=float)", x=cplx(2, 3)),
        S("np.cumprod(x, axis=1, dtype=float)", x=cplx(2, 3)),
        S("np.var(x, dtype=float)", x=cplx(2, 3)),
        S("np.nanstd(x, axis=1, dtype=float)", x=cplx(2, 3)),
        S("np.cov(x, dtype=float)", x=cplx(2, 3)),
        S("np.corrcoef(x, dtype=float)", x=cplx(2, 3)),
    ],
    "array_likes": [
        S("np.sin([x, y])", x=0.1, y=0.4),
        S("np.linalg.norm([x, y])", x=0.3, y=0.4),
        S("np.mean([[x, y], [1.0, x]])", x=0.3, y=0.4),
        S("np.dot([x, y], [1.0, 2.0])", x=0.3, y=0.4),
        S("np.square((x, [1.0, 2.0]))", x=real(2)),
        S("np.interp([x, y], [0.0, 1.0], (y, 2.0))", x=0.3, y=0.4),
        S("np.sort([x, y, 0.35])", x=0.3, y=0.4),
        S("np.average([x, y], weights=[y, 1.0])", x=0.3, y=0.4),
        S("np.concatenate(x)", orders=1, x=[[0.3, 0.1], [0.2]]),
        S("np.stack(x)", orders=1, x=[[0.3, 0.1], [0.2, 0.4]]),
        S("np.cumsum(x)", orders=1, x=[0.1, 0.2]),
        S("np.linalg.solve(x, y)", orders=1, x=[[2.0, 0.3], [0.1, 1.0]], y=[0.1, 0.2]),
    ],
    "starred": [
        S("np.einsum('ij,jk', *xs)", xs=(real(2, 3), real(3, 2))),
        S("np.einsum('i,ij,j', x, *ys)", x=real(2), ys=[real(2, 3), real(3)]),
        S("math.hypot(*x)", x=[0.3, 0.4, 0.5]),
        S("max(*x, y)", x=[0.3, 0.4], y=0.2),
        S("np.meshgrid(*xs)", xs=[real(2), real(3)]),
        S("np.broadcast_arrays(*xs, y)", xs=(real(2, 1), real(3)), y=0.5),
    ],
    "emath": [
        *(S(f"np.emath.{f}(x)", x=x) for f in ("sqrt", "log", "log2", "log10") for x in (real(3), 0.4, cplx(2))),
        *(S(f"np.emath.{f}(x)", x=2.0 * real(4)) for f in ("arccos", "arcsin", "arctanh")),
        S("np.emath.logn(n, x)", n=positive(3), x=real(3)),
        S("np.emath.power(x, p)", x=real(3), p=positive(3)),
        S("np.emath.power(x, -2)", x=real(3)),
    ],
    "complex_forms": [
        S("np.multiply.outer(x, y)", x=cplx(2), y=real(3)),
        S("np.add.reduce(x)", x=cplx(3)),
        S("np.divide.outer(x, y)", x=cplx(2), y=cplx(2, seed=3) + 2.0),
    ],
}
SAMPLES = {**CALLING, **SETS, **METHODS, **FORMS}
