"""Elementwise functions: one line says both modes. See docs/rules.md for the notation."""

# Arithmetic

def add(z, x, y):            d[x] = d[z];  d[y] = d[z]
def subtract(z, x, y):       d[x] = d[z];  d[y] = -d[z]
def multiply(z, x, y):       d[x] = d[z] * y;  d[y] = d[z] * x
def divide(z, x, y):         d[x] = d[z] / y;  d[y] = -(d[z] / y * z)
def negative(y, x):          d[x] = -d[y]
def positive(y, x):          d[x] = d[y]
def square(y, x):            d[x] = d[y] * (2.0 * x)
def reciprocal(y, x):        d[x] = -d[y] * y * y
def power(z, x, y):          d[x] = times(d[z], power_slope(x, y));  d[y] = times(d[z], times(z, power_log(x, y)))
def float_power(z, x, y):    d[x] = times(d[z], power_slope(as_dtype(x, z), y));  d[y] = times(d[z], times(z, power_log(as_dtype(x, z), y)))
def power_integer(z, x, y):  d[x] = d[z] * y * x ** (y - 1)
def power_negative(z, x, y): d[x] = d[z] * y * x ** y / x
def mod(z, x, y):            d[x] = d[z];  d[y] = -d[z] * (x // y)
def fmod(z, x, y):           d[x] = d[z];  d[y] = -d[z] * np.rint((x - z) / y)
def math_fma(r, x, y, z):    d[x] = d[r] * y;  d[y] = d[r] * x;  d[z] = d[r]

# Exponentials and logarithms

def exp(y, x):    d[x] = d[y] * y
def exp2(y, x):   d[x] = d[y] * y * 0.6931471805599453
def expm1(y, x):  d[x] = d[y] * np.exp(x)
def log(y, x):    d[x] = ratio(d[y], x)
def log2(y, x):   d[x] = ratio(d[y] / 0.6931471805599453, x)
def log10(y, x):  d[x] = ratio(d[y] / 2.302585092994046, x)
def log1p(y, x):  d[x] = ratio(d[y], 1.0 + x)
def sqrt(y, x):   d[x] = ratio(d[y], 2.0 * y)
def cbrt(y, x):   d[x] = ratio(d[y], 3.0 * y * y)
def logaddexp(z, x, y):   d[x] = d[z] * logistic(gap(x, y));  d[y] = d[z] * logistic(gap(y, x))
def logaddexp2(z, x, y):  d[x] = d[z] * logistic2(gap(x, y));  d[y] = d[z] * logistic2(gap(y, x))
def math_log(y, x, base): d[x] = ratio(d[y] / np.log(base), x);  d[base] = -d[y] * y / (base * np.log(base))

# Circular and hyperbolic

def sin(y, x):    d[x] = d[y] * np.cos(x)
def cos(y, x):    d[x] = -d[y] * np.sin(x)
def tan(y, x):    d[x] = d[y] * (1.0 + y * y)
def asin(y, x):   d[x] = ratio(d[y], leg_one(x))
def acos(y, x):   d[x] = -ratio(d[y], leg_one(x))
def atan(y, x):   d[x] = d[y] / (1.0 + 1.0 * x * x)
def sinh(y, x):   d[x] = d[y] * np.cosh(x)
def cosh(y, x):   d[x] = d[y] * np.sinh(x)
def tanh(y, x):   d[x] = d[y] * (1.0 - y * y)
def asinh(y, x):  d[x] = d[y] / hypot_one(x)
def acosh(y, x):  d[x] = ratio(d[y], leg_cosh(x))
def atanh(y, x):  d[x] = ratio(d[y], leg_tanh(x))
def deg2rad(y, x):  d[x] = np.radians(d[y])
def rad2deg(y, x):  d[x] = np.degrees(d[y])
def sinc(y, x):   d[x] = d[y] * sinc_derivative(x, 1)
def unwrap(y, p, discont=None, axis=-1, *, period=6.283185307179586): d[p] = d[y];  d[period] = d[y] * np.rint((y - p) / period)

def arctan2(z, y, x):
    r = np.hypot(x, y)
    d[y] = d[z] * inverse_real(x, y, r, 1)
    d[x] = d[z] * inverse_imag(x, y, r, 1)

def hypot(z, x, y):   d[x] = d[z] * leg_share(x, y, z);  d[y] = d[z] * leg_share(y, x, z)

# Special functions

def i0(y, x):           d[x] = d[y] * i0_derivative(x, 1)
def math_erf(y, x):     d[x] = d[y] * 1.1283791670955126 * np.exp(-1.0 * x * x)
def math_erfc(y, x):    d[x] = -d[y] * 1.1283791670955126 * np.exp(-1.0 * x * x)
def math_gamma(y, x):   d[x] = d[y] * y * math_polygamma(0, x)
def math_lgamma(y, x):  d[x] = d[y] * math_polygamma(0, x)

# Signs, choices and bounds: at a tie each side takes half, at the kink of abs nothing flows

def fabs(y, x):           d[x] = d[y] * conj_sign(x)
def copysign(z, x, y):    d[x] = d[z] * conj_sign(x) * np.sign(z)
def maximum(z, x, y):
    m = z == x
    n = z == y
    d[x] = share(d[z], m, n)
    d[y] = share(d[z], n, m)

def where(z, condition, x, y):
    d[x] = np.where(condition, d[z], 0.0)
    d[y] = np.where(condition, 0.0, d[z])
    d[z] = np.where(condition, d[x], d[y])

def heaviside(z, x1, x2): d[x2] = np.where(np.equal(x1, 0), d[z], 0.0)

def nan_to_num(y, x, copy=True, nan=0.0, posinf=None, neginf=None):
    d[x] = where_finite(d[y], x)
    d[nan] = where_is(d[y], x, np.nan)
    d[posinf] = where_is(d[y], x, np.inf)
    d[neginf] = where_is(d[y], x, -np.inf)

def clip(y, a, a_min=None, a_max=None, out=None):
    d[a] = share(d[y], y == a, (y == a_min) | (y == a_max))
    m = at_least(a, a_min, y)
    d[a_min] = share(share(d[y], y == m, y == a_max), m == a_min, m == a)
    d[a_max] = share(d[y], y == a_max, y == m)

# The binary point

def ldexp(y, x, i):      d[x] = np.ldexp(d[y], i)
def nextafter(z, x, y):  d[x] = d[z];  d[y] = 0.0 * d[z]

# Complex numbers: no conjugation where the function is holomorphic; where it is not, the modes differ

def real(y, x):
    d[x] = d[y]
    d[y] = np.real(d[x])

def imag(y, x):
    d[x] = -1j * d[y]
    d[y] = np.imag(d[x])

def conj(y, x):
    d[x] = np.conj(d[y])
    d[y] = np.conj(d[x])

def conj_method(y, x):  # of an array of real numbers, the array itself
    d[x] = np.conj(d[y])
    d[y] = d[x].conjugate()

def abs(y, x):
    d[x] = d[y] * conj_sign(x)
    d[y] = np.real(d[x] * conj_sign(x))

def sign(y, x):
    d[x] = turned(d[y], y, x)
    d[y] = turned(d[x], np.conj(y), x)

def angle(y, z, deg=False):
    d[z] = -1j * in_degrees(d[y], deg) * inverse(z, 1)
    d[y] = in_degrees(np.imag(d[z] * inverse(z, 1)), deg)

def real_if_close(y, a, tol=100):
    d[a] = d[y]
    d[y] = real_as(d[a], y)

# Numbers from numbers

def builtin_complex(z, real=0.0, imag=0.0):
    d[real] = d[z]
    d[imag] = 1j * d[z]
    d[z] = complex(d[real]) + complex(0.0, d[imag])

def cmath_rect(z, r, phi):           d[r] = d[z] * cis(phi);  d[phi] = 1j * d[z] * z

# Kernels of the rules above

def cis(z, x):               d[x] = 1j * d[z] * z

def ratio(z, x, y):          d[x] = ratio(d[z], y);  d[y] = -ratio(times(d[z], z), y)
def cosine(z, x, r):          d[x] = ratio(d[z], r);  d[r] = -ratio(times(d[z], z), r)
def leg_share(s, x, y, r):
    c = cosine(y, r)
    d[x] = ratio(d[s] * c * c, r)
    d[y] = -ratio(d[s] * c * s, r)

def inverse(y, z, n):        d[z] = -n * times(d[y], inverse(z, n + 1))
def inverse_real(s, x, y, r, n):  d[x] = -n * times(d[s], inverse_real(x, y, r, n + 1));  d[y] = n * times(d[s], inverse_imag(x, y, r, n + 1))
def inverse_imag(s, x, y, r, n):  d[x] = -n * times(d[s], inverse_imag(x, y, r, n + 1));  d[y] = -n * times(d[s], inverse_real(x, y, r, n + 1))

def times(z, x, y):          d[x] = times(d[z], y);  d[y] = times(d[z], x)
def power_slope(s, x, y):    d[x] = times(d[s], times(y, power_slope(x, np.subtract(y, 1))));  d[y] = times(d[s], np.power(x, y - 1.0) + times(s, power_log(x, y - 1)))
def power_log(l, x, y):      d[x] = ratio(d[l], x);  d[y] = np.zeros_like(d[l])
def gap(z, x, y):            d[x] = d[z];  d[y] = -d[z]
def logistic(y, x):          d[x] = d[y] * y * logistic(-x)
def logistic2(y, x):         d[x] = d[y] * 0.6931471805599453 * y * logistic2(-x)
def hypot_one(y, x):         d[x] = d[y] * (x / y)
def leg_one(y, x):           d[x] = -ratio(d[y] * x, y)
def leg_cosh(y, x):          d[x] = ratio(d[y] * x, y)
def leg_tanh(y, x):          d[x] = -d[y] * (2.0 * x)
def conj_sign(y, x):         d[x] = conj_sign_slope(d[y], y, x)
def share(z, b, mine, other): d[b] = share(d[z], mine, other)
def where_finite(y, b, x):   d[b] = where_finite(d[y], x)
def where_is(y, b, x, v):    d[b] = where_is(d[y], x, v)
def in_degrees(y, x, deg):   d[x] = in_degrees(d[y], deg)
def sinc_derivative(y, x, n): d[x] = d[y] * sinc_derivative(x, n + 1)
def i0_derivative(y, x, n):  d[x] = d[y] * i0_derivative(x, n + 1)
def math_polygamma(y, n, x): d[x] = d[y] * math_polygamma(n + 1, x)

def real_as(y, x, like):
    d[x] = d[y]
    d[y] = real_as(d[x], like)

def real_beside(y, x, a):
    d[x] = d[y]
    d[y] = real_beside(d[x], a)
