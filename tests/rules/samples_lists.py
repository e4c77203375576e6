"""Samples of lists and tuples where NumPy takes arrays: as arguments, made inside, beside arrays; and of `np.r_`."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, real

PAIR, OTHER, SQUARE = [0.1, 0.2], [0.3, 0.5], [[2.0, 0.1], [0.2, 1.0]]

ARGUMENTS: dict[str, list[Sample]] = {
    "lists": [
        S("np.sin(x)", x=PAIR),
        S("np.add(x, y)", x=PAIR, y=(0.3, 0.4)),
        S("np.multiply(x, 2.0)", x=PAIR),
        S("np.power(*[x, *(y,)])", x=PAIR, y=OTHER),
        S("np.sum(x, axis=0)", x=SQUARE),
        S("np.sort(x)", x=[0.3, 0.2]),
        S("np.average(x, weights=w)", x=PAIR, w=[1.0, 2.0]),
        S("np.cross(x, y)", x=[0.1, 0.2, 0.4], y=[0.3, 0.4, 0.5]),
        S("np.vdot(x, y)", x=PAIR, y=OTHER),
        S("np.interp(x, xp, fp)", x=0.3, xp=[0.0, 1.0], fp=[0.2, 0.5]),
        S("np.linalg.solve(a, b)", a=SQUARE, b=OTHER),
        S("np.full((2, 2), x)", x=PAIR),
        S("np.unwrap(x)", x=[0.1, 5.0]),
        S("np.add.outer(x, y)", x=PAIR, y=OTHER),
        S("np.stack(x) * np.sum(x)", x=PAIR),
        S("np.dot(x[0], x[1])", x=SQUARE),
        S("np.add(p['a'], p['b'])", p={"a": PAIR, "b": OTHER}),
        S("(lambda a: np.sort(a))(x)", x=[0.3, 0.2]),
        S("(lambda a, b: (lambda c: np.clip(c, 0.0, 0.25))(a) + b)(x, y)", x=PAIR, y=0.3),
        S("np.minimum.accumulate(x, **dict(axis=1))", x=SQUARE),
        S("np.divide.accumulate(x, **dict(axis=0))", x=PAIR),
        S("np.add(x, x, **{'out': None})", x=PAIR),
        S("np.cumsum(x, **dict(axis=0, out=None))", x=PAIR),
        S("np.trapezoid(**dict(y=x, x=None))", x=real(4)),
        S("np.trapezoid(**dict(y=x), dx=0.5)", x=real(4)),
        S("np.clip(**dict(a=x), max=y)", x=real(4), y=0.3),
        S("np.interp(**dict(x=x, xp=[-2.0, 0.0, 2.0], fp=y, left=None))", x=real(4), y=real(3)),
        S("np.clip(x, **dict(a_min=None, a_max=y))", x=real(4), y=0.2),
    ],
    "made_lists": [
        S("np.add([v * v for v in x], [v for v in x])", x=real(3)),
        S("np.multiply(x.tolist(), 2)", x=real(3)),
        S("np.add(sorted(x), list(y))", x=[0.3, 0.1], y=(0.2, 0.4)),
        S("(lambda a: np.add(a, a))([x, y])", x=0.3, y=0.4),
        S("(lambda a, w=None: np.average(a, weights=w))([x, y, 2.0])", x=0.3, y=0.4),
        S("(lambda a, w=None: np.average(a, weights=w))([x, y], [y, 2.0])", x=0.3, y=0.4),
        S("(lambda a, b=None, c=None: np.clip(a, b, c))([x, y], c=0.35)", x=0.3, y=0.4),
        S("np.average(x, **dict(axis=(0, 1), returned=True))", x=real(2, 3, 2)),
        S("np.subtract([x, y], [y, 1.0])", x=0.3, y=0.4),
    ],
    "lists_beside_arrays": [
        S("np.sum(np.multiply(x, [1.0, 2.0, 3.0]))", x=real(3)),
        S("np.sum(x * [1, 2, 3])", x=real(3)),
        S("x ** [1, 2, 3]", x=real(3)),
        S("np.power(x, (1, 2, 3))", x=real(3)),
        S("[2.0, 3.0] @ x", x=real(2, 2)),
        S("np.sum([1.0, 2.0] - x)", x=real(2)),
        S("np.concatenate([x, range(2)])", x=real(3)),
        S("np.gradient(x, range(4))", x=real(4)),
        S("np.average(x, None, w, True)", x=[0.1, 0.2], w=[0.3, 0.4]),
        S("np.histogram_bin_edges(x, 3)", x=[0.1, 0.2, 0.5]),
        S("np.einsum('a,b,c->abc', x[0], y, y)", x=[[0.1, 0.2]], y=[0.3, 0.4]),
    ],
}

JOINS: dict[str, list[Sample]] = {
    "r_": [
        S("np.r_[x]", x=real(3)),
        S("np.r_[x, 0, y]", x=real(2), y=real(3)),
        S("np.r_[x, 0, y]", x=[0.1, 0.2], y=[0.3]),
        S("np.r_[x, y, 1:4]", x=real(2), y=0.3),
        S("np.r_['1', x, x]", x=real(2, 2)),
        S("np.r_['0,2', x, y]", x=real(2), y=real(2, seed=1)),
        S("np.r_['0,2,0', x, y]", x=real(2), y=real(3)),
    ],
    "c_": [S("np.c_[x, y]", x=real(3), y=real(3, 2)), S("np.c_[x]", x=cplx(2)), S("np.c_[x, 1.0]", x=0.3)],
    "grids": [
        S("np.mgrid[0:2, 0:x:3j]", x=0.3),
        S("np.ogrid[0:2, 0:x:3j][1]", x=0.3),
        S("np.r_[0:x:4j]", x=0.3),
    ],
    "sliding_window_view": [
        S("np.lib.stride_tricks.sliding_window_view(x, 2)", x=real(4)),
        S("np.lib.stride_tricks.sliding_window_view(x, (2, 2))", x=real(3, 4)),
        S("np.lib.stride_tricks.sliding_window_view(x, 2, axis=-1)", x=real(2, 4)),
        S("np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(1, 1))", x=real(2, 4)),
    ],
    "sum_windows": [S("sum_windows(b, x, 2)", "x", b=real(3, 2), x=real(4))],
    "deepcopy": [S("copy.deepcopy(x)", x=real(3)), S("copy.deepcopy(x)[0] * x[1]", x=[0.3, 0.4])],
    "flat": [S("sum([v * v for v in x.flat])", x=real(2, 2))],
    "with_axes": [S("with_axes(x, 3, 1)", x=real(2)), S("with_axes(x, 1, 0)", x=real(2))],
    "rejoined": [
        S("np.split(x, [2, 9, 3])", x=real(5)),
        S("rejoined(b, x, [2, 9, 3])", "x", b=[real(2), real(3), real(0), real(2)], x=real(5)),
    ],
    "gathered_results": [
        S("gathered_results(r, (2,), np.dtype(float))", r=[0.1, 0.2]),
        S("gathered_tangents(b, r, (2,), np.dtype(float))", "r", b=[0.1, 0.2], r=[0.3, 0.4]),
        S("scattered_results(b, r, (2,), np.dtype(float))", "r", b=real(2), r=[0.3, 0.4]),
    ],
}

NAMED: dict[str, list[Sample]] = {
    "named_results": [
        S("np.linalg.eigh(x).eigenvalues", x=real(3, 3)),
        S("np.linalg.svd(x).S", x=real(3, 3)),
        S("np.linalg.slogdet(x).logabsdet", x=real(3, 3)),
        S("np.linalg.qr(x).Q", x=real(3, 3)),
    ],
    "unbound_methods": [S("np.ndarray.sum(x, 0)", x=real(2, 3)), S("np.ndarray.reshape(x, 3, 2)", x=real(2, 3))],
    "without_output": [S("np.add(x, x, None)", x=real(2)), S("np.exp(x, None)", x=real(2))],
    "without_dimensions": [S("np.sum(x, axis=-1)", x=0.3), S("math.gamma(x)", x=np.array(0.4))],
}

SAMPLES = {**ARGUMENTS, **JOINS, **NAMED}
