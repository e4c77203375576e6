"""Polynomials and grids. See docs/rules.md for the notation."""

# Polynomials, highest power first

@fitted
def vander(y, x, N=None, increasing=False):
    s = vander_slope(x, N, increasing)
    d[x] = np.sum(d[y] * s, axis=-1)
    d[y] = np.expand_dims(d[x], -1) * s

@fitted
def vander_slope(s, x, n=None, increasing=False, order=1):
    c = vander_slope(x, n, increasing, order + 1)
    d[x] = np.sum(d[s] * c, axis=-1)
    d[s] = np.expand_dims(d[x], -1) * c

@fitted
@cast
def polyval(y, p, x):
    d[p] = polyval_coefficients(d[y], p, x)
    d[x] = d[y] * polyval_slope(p, x)
    d[y] = np.polyval(d[p], x) + polyval_slope(p, x) * d[x]

@linear
@fitted
def polyder(y, p, m=1):
    d[p] = between_zeros(d[y] * np.polyder(np.ones(np.size(p)), m), 0, np.minimum(m, np.size(p)), 0)

@fitted
def polyint(y, p, m=1, k=None):
    d[p] = d[y][: np.size(p)] * np.polyint(np.ones(np.size(p)), m)[: np.size(p)]
    b = d[y][np.size(p) :] * np.polyint(np.zeros(np.size(p)), m, np.ones(m))[np.size(p) :]
    d[k] = between_zeros(b, 0, max(np.size(k) - m, 0), 0)
    d[y] = np.polyint(d[p], m) + np.polyint(np.zeros(np.size(p)), m, d[k])

@fitted
def polyadd(y, a1, a2):
    d[a1] = d[y][np.size(y) - np.size(a1) :]
    d[a2] = d[y][np.size(y) - np.size(a2) :]
    d[y] = np.polyadd(d[a1], d[a2])

@fitted
def polysub(y, a1, a2):
    d[a1] = d[y][np.size(y) - np.size(a1) :]
    d[a2] = -d[y][np.size(y) - np.size(a2) :]
    d[y] = np.polysub(d[a1], d[a2])

@fitted
def polymul(y, a1, a2):
    d[a1] = polymul_adjoint(d[y], a1, a2)
    d[a2] = polymul_adjoint(d[y], a2, a1)
    d[y] = polymul_tangent(d[a1], a2, y) + polymul_tangent(d[a2], a1, y)

@fitted
def polydiv(y, u, v):
    b = polydiv_adjoint(d[y], y[0], u, v)
    d[u] = b
    d[v] = -convolve_adjoint(widened(b, np.size(y[0]) + np.size(v) - 1), v, y[0])
    d[y] = polydiv_tangent(d[u], d[v], y, u, v)

@fitted
@cast
def roots(y, p):
    s = np.polyval(np.polyder(p), y)
    d[p] = -(d[y] / s) @ np.vander(y, np.size(p))
    d[y] = -np.polyval(d[p], y) / s

@fitted
def poly(y, seq_of_zeros):
    s = poly_slopes(seq_of_zeros, y)
    d[seq_of_zeros] = s @ np.ravel(d[y])[1:]
    d[y] = like(between_zeros(np.tensordot(d[seq_of_zeros], s, np.ndim(seq_of_zeros)), 1, 0, 0), y)

# Grids

@fitted
@cast
def arange(y, start, stop=None, step=1, dtype=None, *, device=None):
    d[start] = np.sum(d[y]) * is_start(stop)
    d[step] = np.sum(d[y] * np.arange(np.size(y)))
    d[y] = np.full(np.shape(y), d[start] * is_start(stop)) + d[step] * np.arange(np.size(y))

@fitted
def linspace(y, start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    t = steps(num, endpoint)
    d[start] = along(d[y], 1.0 - t, axis)
    d[stop] = along(d[y], t, axis)
    d[y] = np.linspace(d[start], d[stop], num, endpoint=endpoint, axis=axis)

@fitted
@cast
def logspace(y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    t = steps(num, endpoint)
    p = uncut(y, "np.logspace", start, stop, base)
    b = beside_grid(base, start, stop, axis)
    e = exponents(start, stop, num, endpoint, base, axis)
    s = p * np.log(b)
    d[start] = along(d[y] * s, 1.0 - t, axis)
    d[stop] = along(d[y] * s, t, axis)
    d[base] = np.reshape(unbroadcast(d[y] * p * e / b, b), np.shape(base))
    d[y] = (
        across(d[start], 1.0 - t, y, axis) * s
        + across(d[stop], t, y, axis) * s
        + beside_grid(d[base], start, stop, axis) * p * e / b
    )

@fitted
def geomspace(y, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    t = steps(num, endpoint)
    p = uncut(y, "np.geomspace", start, stop)
    d[start] = along(d[y] * p, 1.0 - t, axis) / start
    d[stop] = along(d[y] * p, t, axis) / stop
    d[y] = across(d[start] / start, 1.0 - t, y, axis) * p + across(d[stop] / stop, t, y, axis) * p

def fftfreq(y, n, d=1.0, device=None):
    d[d] = -(d[y] * y / d)
    d[y] = -y * d[d] / d
