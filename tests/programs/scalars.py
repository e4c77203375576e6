"""Plain Python floats: the functions of `math`, and recurrences on numbers."""

import cmath
import math
from math import cos, erf, exp, log, pi, sin, sqrt

from programs.registry import program


@program({"x": 0.6})
def math_trigonometric(x):
    return math.sin(x) * math.cos(x) + math.tan(x)


@program({"x": 0.6})
def math_inverse_trigonometric(x):
    return math.asin(x) * math.acos(x) + math.atan(x)


@program({"x": 0.6})
def math_hyperbolic(x):
    return math.sinh(x) * math.cosh(x) + math.tanh(x)


@program({"x": 0.6})
def math_inverse_hyperbolic(x):
    return math.asinh(x) * math.acosh(x + 1.0) + math.atanh(x)


@program({"x": 0.6})
def math_exponentials(x):
    return math.exp(x) * math.expm1(x) + math.exp2(x)


@program({"x": 0.6})
def math_logarithms(x):
    return math.log(x) * math.log2(x) + math.log10(x) * math.log1p(x)


@program({"x": 0.6, "b": 3.0})
def math_log_with_base(x, b):
    return math.log(x, 10) + math.log(x, b)


@program({"x": 0.6})
def math_roots(x):
    return math.sqrt(x) * math.cbrt(x)


@program({"x": 0.6, "y": 1.7})
def math_pow(x, y):
    return math.pow(x, y) + math.pow(x, 3) * math.pow(2.0, y)


@program({"x": 0.6, "y": -1.7})
def math_atan2(x, y):
    return math.atan2(x, y) * math.atan2(y, x)


@program({"x": 0.6, "y": -1.7})
def math_hypot(x, y):
    return math.hypot(x, y) * x


@program({"x": 0.6, "y": -1.7, "z": 2.0})
def math_hypot_of_three(x, y, z):
    return math.hypot(x, y, z)


@program({"x": 0.6}, {"x": -0.6})
def math_fabs(x):
    return math.fabs(x) * x


@program({"x": 2.6}, {"x": -2.6})
def math_steps(x):
    return math.floor(x) * x + math.ceil(x) * x * x + math.trunc(x) * math.sin(x)


@program({"x": 2.6, "y": -1.0})
def math_copysign(x, y):
    return math.copysign(x, y) * x + y


@program({"x": 7.6, "y": 3.0}, {"x": -7.6, "y": 3.0})
def math_fmod(x, y):
    return math.fmod(x, y) * x


@program({"x": 0.6})
def math_error_function(x):
    return math.erf(x) * math.erfc(2.0 * x)


@program({"x": 2.6}, orders=1)
def math_gamma(x):
    return math.gamma(x) / x


@program({"x": 2.6}, orders=1)
def math_lgamma(x):
    return math.lgamma(x) * x


@program({"x": 40.0})
def math_degrees_and_radians(x):
    return math.sin(math.radians(x)) + math.degrees(x / 100.0)


@program({"x": 0.6, "y": 1.7})
def math_constants(x, y):
    return math.pi * x * y + math.e * x**2 + math.tau * y**2


@program({"x": 0.6})
def math_names_imported(x):
    return sin(x) * cos(pi * x) + exp(-x) * log(x) + sqrt(x) * erf(x)


@program({"x": 0.6, "y": 1.7})
def math_predicates(x, y):
    if math.isfinite(x) and not math.isnan(y) and not math.isclose(x, y):
        return x * y * y
    return x


@program({"x": 1.6, "n": 5})
def math_factorials(x, n):
    return x**n / math.factorial(n) + math.comb(n, 2) * x + math.gcd(4, 6) * x


@program({"xs": [0.5, 1.5, -2.0]})
def math_fsum(xs):
    return math.fsum(xs) ** 2


@program({"xs": [0.5, 1.5, -2.0]})
def math_prod(xs):
    return math.prod(xs) * 2.0


@program({"p": (0.5, 1.5), "q": (2.0, -1.0)})
def math_dist(p, q):
    return math.dist(p, q)


@program({"x": 0.6}, {"x": -2.7})
def conversions(x):
    return float(x) * x + int(x) * x + round(x) * x


@program({"x": 2.567})
def round_to_digits(x):
    return round(x, 1) * x


@program({"x": 0.6, "n": 5})
def exponential_series(x, n):
    term = 1.0
    s = 1.0
    for k in range(1, n + 1):
        term = term * x / k
        s = s + term
    return s


@program({"x": 0.6})
def sine_series(x):
    term = x
    s = x
    for k in range(1, 6):
        term = -term * x * x / ((2 * k) * (2 * k + 1))
        s += term
    return s


@program({"x": 2.6, "n": 5})
def newton_square_root(x, n):
    y = x
    for _ in range(n):
        y = 0.5 * (y + x / y)
    return y


@program({"x": 2.6})
def newton_to_tolerance(x):
    y = 1.0
    while abs(y * y - x) > 1e-14:
        y = y - (y * y - x) / (2.0 * y)
    return y


@program({"x": 0.3, "r": 3.1, "n": 4})
def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


@program({"x": 1.4, "n": 4})
def continued_fraction(x, n):
    y = x
    for _ in range(n):
        y = x + 1.0 / y
    return y


@program({"x": 0.4, "n": 4})
def chebyshev(x, n):
    a = 1.0
    b = x
    for _ in range(n - 1):
        a, b = b, 2.0 * x * b - a
    return b


@program({"x": 0.4, "n": 4})
def legendre(x, n):
    p, q = 1.0, x
    for k in range(1, n):
        p, q = q, ((2 * k + 1) * x * q - k * p) / (k + 1)
    return q


@program({"a": 0.9, "b": 1.7})
def arithmetic_geometric_mean(a, b):
    for _ in range(4):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


@program({"x": 0.3, "e": 0.4})
def kepler_equation(x, e):
    u = x
    for _ in range(6):
        u = u - (u - e * math.sin(u) - x) / (1.0 - e * math.cos(u))
    return u


@program({"a": 0.2, "b": 1.1, "n": 4})
def trapezoidal_rule(a, b, n):
    h = (b - a) / n
    s = 0.5 * (math.exp(-a * a) + math.exp(-b * b))
    for i in range(1, n):
        t = a + i * h
        s = s + math.exp(-t * t)
    return s * h


@program({"a": 0.2, "b": 1.1})
def simpson_rule(a, b):
    m = (a + b) / 2
    return (b - a) / 6 * (math.sin(a) + 4 * math.sin(m) + math.sin(b))


@program({"c": 0.7})
def bisection_by_the_value(c):
    """A fixed number of halvings, then one Newton step carries the derivative."""
    lo, hi = 0.0, 2.0
    for _ in range(8):
        mid = 0.5 * (lo + hi)
        if mid * mid * mid > c:
            hi = mid
        else:
            lo = mid
    return mid - (mid**3 - c) / (3 * mid**2)


@program({"x": 7.3, "y": 2.2})
def remainder_loop(x, y):
    while x > y:
        x = x - y
    return x * y


@program({"x": 0.5, "y": 0.25})
def mandelbrot_escape(x, y):
    u, v = 0.0, 0.0
    for _ in range(5):
        u, v = u * u - v * v + x, 2 * u * v + y
    return u * u + v * v


@program({"x": 1.1, "v": 0.2, "dt": 0.1})
def damped_oscillator(x, v, dt):
    for _ in range(4):
        a = -x - 0.2 * v
        v = v + dt * a
        x = x + dt * v
    return 0.5 * (x * x + v * v)


@program({"p": 0.3, "n": 5})
def compound_interest(p, n):
    balance = 100.0
    for year in range(n):
        balance = balance * (1 + p) - 5.0 * year
        if balance > 200.0:
            balance = balance - 0.1 * (balance - 200.0)
    return balance


@program({"x": 0.31})
def collatz_like(x):
    for _ in range(6):
        if x < 0.5:
            x = 2.0 * x
        else:
            x = 2.0 - 2.0 * x
    return x * x


@program({"lat": 0.9, "lon": 0.2})
def great_circle(lat, lon):
    a = math.sin((lat - 0.5) / 2) ** 2 + math.cos(lat) * math.cos(0.5) * math.sin((lon - 1.0) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(a))


@program({"x": 0.7, "y": -1.3})
def complex_of_real_numbers(x, y):
    z = complex(x, x * y)
    return abs(z) ** 2 + z.real * z.imag + (z * z.conjugate() * complex(y)).real


def phasor(r, phi):
    return complex(r * math.cos(phi), r * math.sin(phi)) * (1 + 2j)


@program({"r": 0.7, "phi": 1.3})
def complex_number_of_a_helper(r, phi):
    return abs(phasor(r, phi) + r) + phasor(r, phi).imag


@program({"x": 0.7})
def complex_functions(x):
    z = cmath.sqrt(x - 5.0) * x + cmath.exp(x) * 1j
    return abs(z) + cmath.rect(x, 2 * x).real * cmath.phase(z)


@program({"z": 0.3 - 0.4j, "x": 1.5}, {"z": 0.3 - 0.4j, "x": 1.5 + 0.5j})
def complex_numbers_in_a_loop(z, x):
    w = 0j
    for k in range(3):
        w = w * z + x / (k + z)
    return abs(w) + (w * z.conjugate()).real
