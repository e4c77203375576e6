"""The functions of `scipy.special`, elementwise. `special` is the module; see docs/rules.md.

A parameter that has a slope which SciPy has no function for is refused, `no_slope`, where no sum of a few terms is one.
"""

# Error functions and the normal distribution

def erf(y, x):       d[x] = d[y] * 1.1283791670955126 * np.exp(-x * x)
def erfc(y, x):      d[x] = -d[y] * 1.1283791670955126 * np.exp(-x * x)
def erfcx(y, x):     d[x] = d[y] * (2.0 * x * y - 1.1283791670955126)
def erfinv(x, y):    d[y] = d[x] * 0.886226925452758 * np.exp(x * x)
def erfcinv(x, y):   d[y] = -d[x] * 0.886226925452758 * np.exp(x * x)
def dawsn(y, x):     d[x] = d[y] * (1.0 - 2.0 * x * y)
def ndtr(y, x):      d[x] = d[y] * 0.3989422804014327 * np.exp(-0.5 * x * x)
def log_ndtr(y, x):  d[x] = d[y] * 0.7978845608028654 / special.erfcx(-0.7071067811865476 * x)
def ndtri(x, p):     d[p] = d[x] * 2.5066282746310002 * np.exp(0.5 * x * x)
def ndtri_exp(x, y):  d[y] = d[x] * 2.5066282746310002 * np.exp(y + 0.5 * x * x)
def erfi(y, x):      d[x] = d[y] * 1.1283791670955126 * np.exp(x * x)
def owens_t(y, h, a):
    d[h] = -d[y] * 0.19947114020071635 * np.exp(-0.5 * h * h) * special.erf(0.7071067811865476 * a * h)
    d[a] = d[y] * 0.15915494309189535 * np.exp(-0.5 * h * h * (1.0 + a * a)) / (1.0 + a * a)
def stdtr(y, df, t):
    d[t] = d[y] * np.exp(-special.betaln(0.5, 0.5 * df) - 0.5 * (df + 1.0) * np.log1p(t * t / df)) / np.sqrt(df)
    d[df] = d[y] * stdtr_slope(df, t)

def stdtrit(t, df, p):
    d[p] = d[t] * np.exp(special.betaln(0.5, 0.5 * df) + 0.5 * (df + 1.0) * np.log1p(t * t / df)) * np.sqrt(df)
    d[df] = -d[t] * stdtr_slope(df, t) * np.exp(special.betaln(0.5, 0.5 * df) + 0.5 * (df + 1.0) * np.log1p(t * t / df)) * np.sqrt(df)

# Gamma and beta functions

def gamma(y, x):            d[x] = d[y] * y * special.digamma(x)
def gammaln(y, x):          d[x] = d[y] * special.digamma(x)
def loggamma(y, x):         d[x] = d[y] * special.digamma(x)
def rgamma(y, x):           d[x] = -d[y] * y * special.digamma(x)
def digamma(y, x):          d[x] = d[y] * special.polygamma(1, x)
def polygamma(y, n, x):     d[x] = d[y] * special.polygamma(n + 1, x)
def beta(y, a, b):          d[a] = d[y] * y * (special.digamma(a) - special.digamma(a + b));  d[b] = d[y] * y * (special.digamma(b) - special.digamma(a + b))
def betaln(y, a, b):        d[a] = d[y] * (special.digamma(a) - special.digamma(a + b));  d[b] = d[y] * (special.digamma(b) - special.digamma(a + b))
def binom(y, n, k):         d[n] = d[y] * y * (special.digamma(n + 1.0) - special.digamma(n - k + 1.0));  d[k] = d[y] * y * (special.digamma(n - k + 1.0) - special.digamma(k + 1.0))
def poch(y, z, m):          d[z] = d[y] * y * (special.digamma(z + m) - special.digamma(z));  d[m] = d[y] * y * special.digamma(z + m)
def gammainc(y, a, x):      d[x] = d[y] * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a));  d[a] = d[y] * gammainc_slope(a, x)
def gammaincc(y, a, x):     d[x] = -d[y] * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a));  d[a] = -d[y] * gammainc_slope(a, x)
def betainc(y, a, b, x):
    d[x] = d[y] * np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    d[a] = d[y] * betainc_slopes(a, b, x)[0]
    d[b] = d[y] * betainc_slopes(a, b, x)[1]

def betaincc(y, a, b, x):
    d[x] = -d[y] * np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    d[a] = -d[y] * betainc_slopes(a, b, x)[0]
    d[b] = -d[y] * betainc_slopes(a, b, x)[1]
def gammaincinv(x, a, y):   d[y] = d[x] * np.exp(x + special.gammaln(a) - special.xlogy(a - 1.0, x));  d[a] = -d[x] * gammainc_slope(a, x) * np.exp(x + special.gammaln(a) - special.xlogy(a - 1.0, x))
def gammainccinv(x, a, y):  d[y] = -d[x] * np.exp(x + special.gammaln(a) - special.xlogy(a - 1.0, x));  d[a] = -d[x] * gammainc_slope(a, x) * np.exp(x + special.gammaln(a) - special.xlogy(a - 1.0, x))
def betaincinv(x, a, b, y):
    d[y] = d[x] * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, x) - special.xlog1py(b - 1.0, -x))
    d[a] = -d[x] * betainc_slopes(a, b, x)[0] * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, x) - special.xlog1py(b - 1.0, -x))
    d[b] = -d[x] * betainc_slopes(a, b, x)[1] * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, x) - special.xlog1py(b - 1.0, -x))

# Exponentials, logarithms and entropies

def expit(y, x):         d[x] = d[y] * y * special.expit(-x)
def log_expit(y, x):     d[x] = d[y] * special.expit(-x)
def logit(y, x):         d[x] = ratio(d[y], x * (1.0 - x))
def exp2(y, x):          d[x] = d[y] * y * 0.6931471805599453
def exp10(y, x):         d[x] = d[y] * y * 2.302585092994046
def expm1(y, x):         d[x] = d[y] * np.exp(x)
def log1p(y, x):         d[x] = ratio(d[y], 1.0 + x)
def cosm1(y, x):         d[x] = -d[y] * np.sin(x)
def cbrt(y, x):          d[x] = ratio(d[y], 3.0 * y * y)
def exprel(y, x):        d[x] = d[y] * 0.5 * special.hyp1f1(2.0, 3.0, x)
def xlogy(z, x, y):      d[x] = d[z] * np.log(y);  d[y] = d[z] * ratio(x, y)
def xlog1py(z, x, y):    d[x] = d[z] * np.log1p(y);  d[y] = d[z] * ratio(x, 1.0 + y)
def entr(y, x):          d[x] = -d[y] * (np.log(x) + 1.0)
def rel_entr(z, x, y):   d[x] = d[z] * (np.log(x / y) + 1.0);  d[y] = -d[z] * ratio(x, y)
def kl_div(z, x, y):     d[x] = d[z] * np.log(x / y);  d[y] = d[z] * (1.0 - ratio(x, y))
def boxcox(y, x, lmbda): d[x] = d[y] * np.power(x, lmbda - 1.0);  d[lmbda] = d[y] * np.square(np.log(x)) * 0.5 * special.hyp1f1(2.0, 3.0, lmbda * np.log(x))
def boxcox1p(y, x, lmbda):
    d[x] = d[y] * np.power(1.0 + x, lmbda - 1.0)
    d[lmbda] = d[y] * np.square(np.log1p(x)) * 0.5 * special.hyp1f1(2.0, 3.0, lmbda * np.log1p(x))
def inv_boxcox(x, y, lmbda):
    d[y] = d[x] * np.power(x, 1.0 - lmbda)
    d[lmbda] = -d[x] * np.power(x, 1.0 - lmbda) * np.square(np.log(x)) * 0.5 * special.hyp1f1(2.0, 3.0, lmbda * np.log(x))
def huber(y, delta, r):  d[delta] = d[y] * np.maximum(np.abs(r) - delta, 0.0);  d[r] = d[y] * np.clip(r, -delta, delta)
def pseudo_huber(y, delta, r):
    d[delta] = d[y] * np.square(r * r / (np.hypot(delta, r) + delta)) / np.hypot(delta, r)
    d[r] = d[y] * delta * (r / np.hypot(delta, r))
def powm1(z, x, y):      d[x] = d[z] * y * np.power(x, y - 1.0);  d[y] = d[z] * (1.0 + z) * np.log(x)
def wrightomega(y, z):   d[z] = d[y] * y / (1.0 + y)
def exp1(y, z):          d[z] = -d[y] * np.exp(-z) / z
def expi(y, x):          d[x] = d[y] * np.exp(x) / x
def expn(y, n, x):       d[x] = -d[y] * expn_below(n, x)
def spence(y, z):        d[z] = -d[y] / special.exprel(np.log(z))
def lambertw(y, z, k=0, tol=1e-8):
    d[z] = real_as(d[y] * np.exp(-y) / (1.0 + y), z)
    d[y] = d[z] * np.exp(-y) / (1.0 + y)

# Bessel functions

def j0(y, x):      d[x] = -d[y] * special.j1(x)
def j1(y, x):      d[x] = d[y] * 0.5 * (special.j0(x) - special.jv(2.0, x))
def y0(y, x):      d[x] = -d[y] * special.y1(x)
def y1(y, x):      d[x] = d[y] * 0.5 * (special.y0(x) - special.yv(2.0, x))
def i0(y, x):      d[x] = d[y] * special.i1(x)
def i1(y, x):      d[x] = d[y] * 0.5 * (special.i0(x) + special.iv(2.0, x))
def i0e(y, x):     d[x] = d[y] * (special.i1e(x) - np.sign(x) * y)
def i1e(y, x):     d[x] = d[y] * (0.5 * (special.i0e(x) + special.ive(2.0, x)) - np.sign(x) * y)
def k0(y, x):      d[x] = -d[y] * special.k1(x)
def k1(y, x):      d[x] = -d[y] * 0.5 * (special.k0(x) + special.kv(2.0, x))
def jv(y, v, z):   d[z] = d[y] * 0.5 * (special.jv(v - 1.0, z) - special.jv(v + 1.0, z));  d[v] = no_slope(d[y], "scipy.special.jv", "v")
def yv(y, v, z):   d[z] = d[y] * 0.5 * (special.yv(v - 1.0, z) - special.yv(v + 1.0, z));  d[v] = no_slope(d[y], "scipy.special.yv", "v")
def yn(y, n, x):   d[x] = d[y] * 0.5 * (special.yv(n - 1.0, x) - special.yv(n + 1.0, x))
def iv(y, v, z):   d[z] = d[y] * 0.5 * (special.iv(v - 1.0, z) + special.iv(v + 1.0, z));  d[v] = no_slope(d[y], "scipy.special.iv", "v")
def ive(y, v, z):  d[z] = d[y] * (0.5 * (special.ive(v - 1.0, z) + special.ive(v + 1.0, z)) - np.sign(z) * y);  d[v] = no_slope(d[y], "scipy.special.ive", "v")
def kv(y, v, z):   d[z] = -d[y] * 0.5 * (special.kv(v - 1.0, z) + special.kv(v + 1.0, z));  d[v] = no_slope(d[y], "scipy.special.kv", "v")
def kn(y, n, x):   d[x] = -d[y] * 0.5 * (special.kv(n - 1.0, x) + special.kv(n + 1.0, x))

def k0e(y, x):     d[x] = d[y] * (y - special.k1e(x))
def k1e(y, x):     d[x] = d[y] * (y - 0.5 * (special.k0e(x) + special.kve(2.0, x)))
def kve(y, v, z):  d[z] = d[y] * (y - 0.5 * (special.kve(v - 1.0, z) + special.kve(v + 1.0, z)));  d[v] = no_slope(d[y], "scipy.special.kve", "v")

# Hypergeometric and elliptic functions, zeta

def hyp0f1(y, v, z):
    d[z] = d[y] / v * special.hyp0f1(v + 1.0, z)
    d[v] = no_slope(d[y], "scipy.special.hyp0f1", "v")
def hyp1f1(y, a, b, x):
    d[x] = d[y] * a / b * special.hyp1f1(a + 1.0, b + 1.0, x)
    d[a] = no_slope(d[y], "scipy.special.hyp1f1", "a")
    d[b] = no_slope(d[y], "scipy.special.hyp1f1", "b")
def hyp2f1(y, a, b, c, z):
    d[z] = d[y] * a * b / c * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)
    d[a] = no_slope(d[y], "scipy.special.hyp2f1", "a")
    d[b] = no_slope(d[y], "scipy.special.hyp2f1", "b")
    d[c] = no_slope(d[y], "scipy.special.hyp2f1", "c")
def ellipk(y, m):        d[m] = d[y] * 0.39269908169872414 * special.hyp2f1(1.5, 1.5, 2.0, m)
def ellipe(y, m):        d[m] = -d[y] * 0.39269908169872414 * special.hyp2f1(0.5, 1.5, 2.0, m)
def zeta(y, x, q=1.0):   d[q] = -d[y] * x * special.zeta(x + 1.0, q);  d[x] = no_slope(d[y], "scipy.special.zeta", "x")

# The parts of functions that give pairs

def sine_integral(y, x):               d[x] = d[y] * np.sinc(0.3183098861837907 * x)
def cosine_integral(y, x):             d[x] = d[y] * np.cos(x) / x
def fresnel_sine(y, x):                d[x] = d[y] * np.sin(1.5707963267948966 * x * x)
def fresnel_cosine(y, x):              d[x] = d[y] * np.cos(1.5707963267948966 * x * x)
def hyperbolic_sine_integral(y, x):    d[x] = d[y] * 0.5 * (special.exprel(x) + special.exprel(-x))
def hyperbolic_cosine_integral(y, x):  d[x] = d[y] * np.cosh(x) / x
