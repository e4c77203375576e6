"""Samples of the elementwise rules: numbers, 0-d to 3-d arrays, operands that broadcast, operators, methods, `math`."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, positive, real, unit


def binary(name: str, *more: Sample, domain: object = real, other: object = None, orders: int = 2) -> list[Sample]:
    """A function of two operands: numbers, equal shapes, both ways of broadcasting."""
    a, b = domain, other or domain
    return [
        S(f"{name}(x, y)", x=a(), y=b(seed=1), orders=orders),  # type: ignore[operator]
        S(f"{name}(x, y)", x=a(3), y=b(3, seed=1), orders=orders),  # type: ignore[operator]
        S(f"{name}(x, y)", x=a(2, 3), y=b(3, seed=1), orders=orders),  # type: ignore[operator]
        S(f"{name}(x, y)", x=a(2, 1), y=b(2, 1, 3, seed=1), orders=orders),  # type: ignore[operator]
        *more,
    ]


def first(samples: list[Sample]) -> list[Sample]:
    """The same samples, with y fixed: the derivative by it is zero."""
    return [Sample(s.call, s.values, ("y",), s.orders) for s in samples]


def unary(
    name: str, *more: Sample, domain: object = real, holomorphic: bool = False, in_math: str = ""
) -> list[Sample]:
    """A function of one operand: a number, 0-d, 1-d and 3-d; complex if it is holomorphic; `math` if it has it."""
    samples = [
        S(f"np.{name}(x)", x=domain()),  # type: ignore[operator]
        S(f"np.{name}(x)", x=np.array(domain(seed=2))),  # type: ignore[operator]
        S(f"np.{name}(x)", x=domain(3)),  # type: ignore[operator]
        S(f"np.{name}(x)", x=domain(2, 1, 2)),  # type: ignore[operator]
    ]
    if holomorphic:
        samples.append(S(f"np.{name}(x)", x=cplx(3)))
    if in_math:
        samples.append(S(f"math.{in_math}(x)", x=domain(seed=3)))  # type: ignore[operator]
    return samples + list(more)


def above_one(*shape: int, seed: int = 0) -> object:
    return 1.0 + positive(*shape, seed=seed)


MASK = np.array([True, False, True])

SAMPLES: dict[str, list[Sample]] = {
    # Arithmetic
    "add": binary("np.add", S("x + y", x=real(2, 3), y=real()), S("x + y", x=cplx(3), y=real(3)), S("x + 1", x=real())),
    "subtract": binary(
        "np.subtract", S("x - y", x=real(), y=real(2, 3)), S("x - y", x=real(3), y=cplx(3)), S("1 - x", x=real(3))
    ),
    "multiply": binary(
        "np.multiply", S("x * y", x=real(2, 3), y=real(3)), S("x * y", x=cplx(3), y=cplx(2, 1)), S("2 * x", x=real())
    ),
    "divide": binary(
        "np.divide",
        S("x / y", x=real(), y=positive(3)),
        S("x / y", x=cplx(3), y=cplx(3, seed=2)),
        S("1 / x", x=positive(2)),
        S("np.true_divide(x, y)", x=real(3), y=positive()),
        other=positive,
    ),
    "negative": unary("negative", S("-x", x=real(2, 2)), S("-x", x=cplx())),
    "positive": unary("positive", S("+x", x=real(2, 2)), S("+x", x=real())),
    "square": unary("square", holomorphic=True),
    "reciprocal": unary("reciprocal", domain=positive, holomorphic=True),
    "power": binary(
        "np.power",
        S("x ** y", x=positive(), y=real()),
        S("x ** range(3)", x=positive(3)),
        S("np.where(x > 0, x ** y, 0.0)", x=np.array([-1.0, 2.0]), y=np.array([1.5, 2.5])),
        S("x ** y", x=positive(2, 2), y=real(2)),
        S("x ** 3", x=np.array([-1.0, 0.0, 2.0])),
        S("x ** 0", x=np.array([-1.0, 0.0, 2.0])),
        S("2.0 ** y", y=real(3)),
        S("x ** n", "n", x=real(3), n=np.array([0, 1, 2])),
        S("x ** y", x=cplx(3), y=cplx(3, seed=4)),
        S("np.float_power(x, y)", x=positive(3), y=real()),
        S("np.pow(x, y)", x=positive(3), y=real()),
        S("np.power(x, y, dtype=complex)", x=np.array([-1.5, 2.0]), y=1.5),
        S("np.float_power(x, y, dtype=complex)", x=np.array([-1.5, 2.0]), y=0.5),
        S("np.power(range(1, 4), y)", y=real(3)),
        S("math.pow(x, y)", x=positive(), y=real()),
        domain=positive,
        other=real,
    ),
    "power_integer": [S("x ** 2", x=real()), S("x ** 3", x=np.array([-1.0, 0.0, 2.0])), S("x ** 5", x=cplx(2))],
    "power_negative": [S("x ** -2", x=positive()), S("x ** -1", x=real(3)), S("x ** -3", x=cplx(2))],
    "mod": binary(
        "np.mod",
        S("x % y", x=-4.3, y=1.7),
        S("x % y", x=real(2, 3), y=-0.7),
        S("np.remainder(x, y)", x=real(3), y=0.7),
        other=positive,
    ),
    "fmod": binary("np.fmod", S("np.fmod(x, y)", x=-4.3, y=1.7), S("math.fmod(x, y)", x=4.3, y=1.7), other=positive),
    "math_remainder": [S("math.remainder(x, y)", x=4.3, y=1.7), S("math.remainder(x, y)", x=-5.0, y=1.7)],
    "math_fma": [S("math.fma(x, y, z)", x=1.5, y=-0.4, z=0.3)],
    # Exponentials and logarithms
    "exp": unary("exp", holomorphic=True, in_math="exp"),
    "exp2": unary("exp2", holomorphic=True, in_math="exp2"),
    "expm1": unary("expm1", holomorphic=True, in_math="expm1"),
    "log": unary("log", domain=positive, holomorphic=True, in_math="log"),
    "log2": unary("log2", domain=positive, holomorphic=True, in_math="log2"),
    "log10": unary("log10", domain=positive, holomorphic=True, in_math="log10"),
    "log1p": unary("log1p", domain=unit, holomorphic=True, in_math="log1p"),
    "sqrt": unary("sqrt", domain=positive, holomorphic=True, in_math="sqrt"),
    "cbrt": unary("cbrt", domain=positive, in_math="cbrt"),
    "logaddexp": binary("np.logaddexp"),
    "logaddexp2": binary("np.logaddexp2"),
    "math_log": [S("math.log(x, b)", x=1.3, b=2.5), S("math.log(x, 10)", x=0.4)],
    # Circular and hyperbolic
    "sin": unary("sin", holomorphic=True, in_math="sin"),
    "cos": unary("cos", holomorphic=True, in_math="cos"),
    "tan": unary("tan", domain=unit, holomorphic=True, in_math="tan"),
    "asin": unary("asin", S("np.arcsin(x)", x=unit(3)), domain=unit, holomorphic=True, in_math="asin"),
    "acos": unary("acos", S("np.arccos(x)", x=unit(3)), domain=unit, holomorphic=True, in_math="acos"),
    "atan": unary("atan", S("np.arctan(x)", x=real(3)), holomorphic=True, in_math="atan"),
    "sinh": unary("sinh", holomorphic=True, in_math="sinh"),
    "cosh": unary("cosh", holomorphic=True, in_math="cosh"),
    "tanh": unary("tanh", holomorphic=True, in_math="tanh"),
    "asinh": unary("asinh", S("np.arcsinh(x)", x=real(3)), holomorphic=True, in_math="asinh"),
    "acosh": unary("acosh", S("np.arccosh(x)", x=above_one(3)), domain=above_one, holomorphic=True, in_math="acosh"),
    "atanh": unary("atanh", S("np.arctanh(x)", x=unit(3)), domain=unit, holomorphic=True, in_math="atanh"),
    "beyond_real": [*(S(f"cmath.{n}(x)", x=x) for n, x in (("asin", -1.4), ("acos", 1.4), ("acosh", 0.4)))],
    "in_dtype": [
        S(f"np.{n}(x, dtype=complex)", x=np.array([-2.0, 0.3, 1.7]))
        for n in ("arcsin", "acos", "arccosh", "sqrt", "log")
    ],
    "deg2rad": unary("deg2rad", S("np.radians(x)", x=real(3)), in_math="radians"),
    "rad2deg": unary("rad2deg", S("np.degrees(x)", x=real(3)), in_math="degrees"),
    "sinc": unary("sinc", S("np.sinc(x)", x=np.array([0.0, 1e-6, 0.9, 4.7]))),
    "unwrap": [
        S("np.unwrap(p)", p=np.array([0.1, 3.0, -3.0, -0.2])),
        S("np.unwrap(p, axis=0)", p=4.0 * real(3, 2)),
        S("np.unwrap(p, discont=2.0, period=3.0)", p=4.0 * real(4)),
        S("np.unwrap(x, period=q)", x=6.0 * real(5), q=2.5),
    ],
    "arctan2": binary(
        "np.arctan2",
        S("np.atan2(x, y)", x=real(3), y=-positive()),
        S("math.atan2(x, y)", x=0.3, y=-1.2),
        other=positive,
    ),
    "hypot": binary("np.hypot", S("math.hypot(x, y)", x=0.3, y=-1.2), other=positive),
    # Special functions
    "i0": [S("np.i0(x)", x=real(4)), S("np.i0(x)", x=np.array([0.0, 2.5, -6.0])), S("np.i0(x)", x=real(2, 2))],
    "math_erf": [S("math.erf(x)", x=0.4), S("math.erf(x)", x=-2.1)],
    "math_erfc": [S("math.erfc(x)", x=0.4), S("math.erfc(x)", x=2.1)],
    "math_gamma": [S("math.gamma(x)", x=0.4), S("math.gamma(x)", x=4.1), S("math.gamma(x)", x=-1.6)],
    "math_lgamma": [S("math.lgamma(x)", x=0.4), S("math.lgamma(x)", x=41.0), S("math.lgamma(x)", x=-21.4)],
    # Signs, choices and bounds
    "fabs": unary("fabs", in_math="fabs"),
    "copysign": first(binary("np.copysign", S("math.copysign(x, y)", x=0.7, y=-1.0))),
    "maximum": binary("np.maximum", S("np.maximum(x, 0)", x=real(5))),
    "minimum": binary("np.minimum", S("np.minimum(0.1, x)", x=real(5))),
    "fmax": binary("np.fmax"),
    "fmin": binary("np.fmin"),
    "where": [
        S("np.where(c, x, y)", "c", c=MASK, x=real(3), y=real(3, seed=1)),
        S("np.where(c, x, 0.0)", "c", c=MASK, x=real(2, 3)),
        S("np.where(c, x, y)", "c", c=np.array([[True], [False]]), x=real(), y=real(3)),
        S("np.where(c, x, y)", "c", c=True, x=real(), y=real(seed=1)),
        S("np.where(c, x, y)", "c", c=MASK, x=cplx(3), y=real(2, 1)),
    ],
    "heaviside": [
        S("np.heaviside(x, y)", "x", x=np.array([0.0, 1.0, -1.0]), y=real(2, 3)),
        S("np.heaviside(0.0, y)", y=0.3),
    ],
    "nan_to_num": [
        S("np.nan_to_num(x)", x=np.array([1 + 1j, np.nan + 2j, 1 + 1j * np.inf])),
        S("np.nan_to_num(nan=c, x=x, copy=True)", x=np.array([0.5, np.nan]), c=0.1),
        S(
            "np.nan_to_num(x, nan=c, posinf=d, neginf=e)",
            x=np.array([0.5, np.nan, np.inf, -np.inf]),
            c=0.1,
            d=0.2,
            e=0.3,
        ),
        S(
            "np.nan_to_num(z, nan=c, posinf=d, neginf=e)",
            z=np.array([1 + 1j, complex(np.nan, 2), complex(1, np.inf), complex(-np.inf, np.nan)]),
            c=0.1,
            d=0.2,
            e=0.3,
        ),
        S("np.nan_to_num(x)", x=real(3)),
        S("np.nan_to_num(x, nan=2.0, posinf=1.0, neginf=-1.0)", x=np.array([0.5, -1.0])),
        S("np.nan_to_num(x)", x=real()),
    ],
    "clip": [
        S("np.clip(x, -0.5, 0.5)", x=real(5)),
        S("np.clip(x, lo, hi)", x=real(2, 3), lo=-0.5 + 0.1 * real(3), hi=0.5),
        S("np.clip(x, lo, None)", x=real(5), lo=0.1),
        S("np.clip(x, a_min=None, a_max=hi)", x=real(5), hi=0.1),
        S("np.clip(x, lo, hi)", x=0.7, lo=0.1, hi=0.4),
        S("x.clip(-0.5, 0.5)", x=real(5)),
        S("np.clip(x, lo, 0.5, dtype=complex)", x=real(3), lo=-0.3),
    ],
    "steps": [
        *(S(f"x * np.{n}(x)", x=3.0 * real(4)) for n in "floor ceil rint trunc fix around round sign".split()),
        S("x * np.floor_divide(x, 0.7)", x=3.0 * real(4)),
        S("x * math.floor(x) + round(x) - math.ceil(x) * math.trunc(x)", x=2.3),
        S("x * x.is_integer() + 2.0 * x", x=2.5),
    ],
    # The binary point
    "ldexp": [
        S("np.ldexp(x, n)", "n", x=real(3), n=np.array([-1, 0, 3])),
        S("np.ldexp(x, 2)", x=real()),
        S("math.ldexp(x, 3)", x=real()),
    ],
    "nextafter": [S("np.nextafter(x, 2.0)", x=real(3)), S("math.nextafter(x, 2.0)", x=real())],
    "modf": [S("np.modf(x)", x=3.0 * real(3)), S("math.modf(x)", x=-2.3), S("np.modf(x)[0]", x=3.0 * real(2, 2))],
    "frexp": [S("np.frexp(x)", x=3.0 * real(3)), S("math.frexp(x)[0]", x=5.3), S("np.frexp(x)[0]", x=5.3)],
    "divmod": [
        S("divmod(x, y)[1]", x=4.3, y=1.7),
        S("np.divmod(x, y)[1]", x=real(3), y=positive(2, 1)),
        S("divmod(x, y)", x=-4.3, y=1.7),
    ],
    # Complex numbers
    "real": [
        S("np.real(z)", z=cplx(3)),
        S("z.real", z=cplx(2, 2)),
        S("np.real(z)", z=cplx()),
        S("np.real(x)", x=real(3)),
        S("np.real(val=z)", z=cplx(3)),
    ],
    "imag": [
        S("np.imag(z)", z=cplx(3)), S("z.imag", z=cplx(2, 2)), S("np.imag(z)", z=cplx()), S("np.imag(val=z)", z=cplx(3))
    ],
    "conj": [
        S("np.conj(z)", z=cplx(3)),
        S("np.conjugate(x)", x=real(3)),
    ],
    "conj_method": [
        S("z.conj()", z=cplx(2, 2)),
        S("z.conjugate()", z=cplx()),
        S("x.conj()", x=real(3)),
        S("x.conjugate()", x=0.3),
    ],
    "abs": unary(
        "abs", S("abs(x)", x=real()), S("abs(z)", z=cplx()), S("np.absolute(z)", z=cplx(2, 2)), S("abs(x)", x=real(3))
    ),
    "sign": [
        S("np.sign(x) * x", x=real(3)),
        S("np.sign(x)", x=cplx(2, 2)),
        S("np.sign(x) * y", x=cplx(), y=0.3),
        S("np.sign(x) * y", x=cplx(), y=real(2)),
    ],
    "angle": [S("np.angle(z)", z=cplx(3)), S("np.angle(z, deg=True)", z=cplx(2, 2)), S("np.angle(z, True)", z=cplx())],
    "real_if_close": [S("np.real_if_close(z)", z=cplx(3)), S("np.real_if_close(x)", x=real(3))],
    # Numbers from numbers
    "builtin_float": [S("float(x)", x=real()), S("float(x)", x=np.array(0.3))],
    "builtin_complex": [
        S("complex(x, y)", x=0.3, y=-0.4),
        S("complex(x)", x=0.3),
        S("complex(imag=y, real=0.5)", y=0.3),
        S("complex(imag=y)", y=0.3),
        S("np.complex128(x, y)", x=0.3, y=-0.4),
    ],
    "cmath_rect": [S("cmath.rect(r, t)", r=0.7, t=0.4)],
    "cmath_polar": [S("cmath.polar(z)", z=0.7 - 0.4j), S("cmath.polar(x)", x=-0.7)],
    # Kernels
    "cis": [S("cis(x)", x=0.4)],
    "ratio": binary("ratio", S("ratio(x, y)", x=cplx(3), y=cplx(3, seed=4)), other=positive),
    "leg_share": [
        S("leg_share(x, y, np.hypot(x, y))", x=real(2, 3), y=real(3)),
        S("leg_share(x, y, np.hypot(x, y))", x=0.3, y=0.4),
    ],
    "inverse": [S("inverse(z, 2)", z=cplx(3)), S("inverse(z, 1)", z=0.3 - 0.4j), S("inverse(x, 3)", x=positive(2, 2))],
    **{
        name: [
            S(f"{name}(x, y, np.hypot(x, y), 1)", x=real(2, 3), y=real(3)),
            S(f"{name}(x, y, np.hypot(x, y), 3)", x=0.3, y=0.4),
        ]
        for name in ("inverse_real", "inverse_imag")
    },
    "cosine": binary("cosine", S("cosine(x, y)", x=0.3, y=0.5), other=positive),
    "times": binary("times", S("times(x, y)", x=cplx(3), y=cplx(3, seed=4))),
    "power_slope": binary(
        "power_slope", S("power_slope(x, 2)", x=real(3)), S("power_slope(x, 0)", x=real(3)), domain=positive, other=real
    ),
    "power_log": first(binary("power_log", domain=positive, other=real)),
    "gap": binary("gap"),
    "logistic": [S("logistic(x)", x=20.0 * real(4)), S("logistic(x)", x=real())],
    "leg_one": [S("leg_one(x)", x=unit(4)), S("leg_one(z)", z=cplx(3)), S("leg_one(x)", x=0.3)],
    "leg_tanh": [S("leg_tanh(x)", x=unit(4)), S("leg_tanh(z)", z=cplx(3))],
    "logistic2": [S("logistic2(x)", x=real(4))],
    "leg_cosh": [S("leg_cosh(x)", x=1.5 + positive(4)), S("leg_cosh(z)", z=cplx(3)), S("leg_cosh(x)", x=1.3)],
    "conj_sign": [S("conj_sign(x)", x=real(3)), S("conj_sign(z)", z=cplx(3)), S("conj_sign(x)", x=0.3)],
    "hypot_one": [S("hypot_one(x)", x=real(4)), S("hypot_one(z)", z=cplx(3)), S("hypot_one(x)", x=real())],
    "share": [
        S("share(b, m, o)", "m", "o", b=real(3), m=MASK, o=np.array([True, True, False])),
        S("share(b, True, False)", b=real()),
    ],
    "in_degrees": [S("in_degrees(x, True)", x=real(3)), S("in_degrees(x, False)", x=real())],
    "sinc_derivative": [
        S("sinc_derivative(x, 1)", x=np.array([0.0, 0.3, 2.5])),
        S("sinc_derivative(x, 3)", x=3.0 * real(4)),
    ],
    "i0_derivative": [S("i0_derivative(x, 1)", x=3.0 * real(4)), S("i0_derivative(x, 2)", x=real())],
    "math_polygamma": [
        S("math_polygamma(0, x)", x=0.7),
        S("math_polygamma(2, x)", x=-1.3),
        S("math_polygamma(1, x)", x=-25.3),
    ],
    "where_is": [
        S("where_is(b, x, np.inf)", "x", b=real(2), x=np.array([np.inf, 1.0])),
        S("where_is(b, x, np.nan)", "x", b=cplx(2), x=np.array([complex(np.nan, 1), complex(0, np.nan)])),
    ],
    "real_beside": [S("real_beside(z, 1.0)", z=cplx(3)), S("real_beside(z, 1j)", z=cplx(3))],
    "real_as": [S("real_as(z, 1.0)", z=cplx(3)), S("real_as(z, 1j)", z=cplx(3))],
}
