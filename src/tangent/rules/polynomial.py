"""Polynomials and grids. See docs/rules.md for the notation."""

# Polynomials, highest power first

def vander(y, x, N=None, increasing=False):
    s = vander_slope(x, N, increasing)
    d[x] = unbroadcast(np.sum(d[y] * s, axis=-1), x)
    d[y] = np.expand_dims(d[x], -1) * s

def vander_slope(s, x, n=None, increasing=False, order=1):
    c = vander_slope(x, n, increasing, order + 1)
    d[x] = unbroadcast(np.sum(d[s] * c, axis=-1), x)
    d[s] = np.expand_dims(d[x], -1) * c

def polyval(y, p, x):
    d[p] = unbroadcast(polyval_coefficients(d[y], p, x), p)
    d[x] = unbroadcast(d[y] * polyval_slope(p, x), x)
    d[y] = as_dtype(np.polyval(d[p], x), y) + as_dtype(polyval_slope(p, x) * d[x], y)

@linear
def polyder(y, p, m=1):
    d[p] = unbroadcast(between_zeros(d[y] * np.polyder(np.ones(np.size(p)), m), 0, np.minimum(m, np.size(p)), 0), p)

def polyint(y, p, m=1, k=None):
    d[p] = unbroadcast(d[y][: np.size(p)] * np.polyint(np.ones(np.size(p)), m)[: np.size(p)], p)
    d[k] = unbroadcast(d[y][np.size(p) :] * np.polyint(np.zeros(np.size(p)), m, np.ones(m))[np.size(p) :], k)
    d[y] = np.polyint(d[p], m) + np.polyint(np.zeros(np.size(p)), m, d[k])

def polyadd(y, a1, a2):
    d[a1] = like(d[y][np.size(y) - np.size(a1) :], a1)
    d[a2] = like(d[y][np.size(y) - np.size(a2) :], a2)
    d[y] = np.polyadd(d[a1], d[a2])

def polysub(y, a1, a2):
    d[a1] = like(d[y][np.size(y) - np.size(a1) :], a1)
    d[a2] = -like(d[y][np.size(y) - np.size(a2) :], a2)
    d[y] = np.polysub(d[a1], d[a2])

def polymul(y, a1, a2):
    d[a1] = like(polymul_adjoint(d[y], a1, a2), a1)
    d[a2] = like(polymul_adjoint(d[y], a2, a1), a2)
    d[y] = polymul_tangent(d[a1], a2, y) + polymul_tangent(d[a2], a1, y)

def polydiv(y, u, v):
    b = polydiv_adjoint(d[y], y[0], u, v)
    d[u] = unbroadcast(b, u)
    d[v] = unbroadcast(-convolve_adjoint(widened(b, np.size(y[0]) + np.size(v) - 1), v, y[0]), v)
    d[y] = polydiv_tangent(d[u], d[v], y, u, v)

def roots(y, p):
    s = np.polyval(np.polyder(p), y)
    d[p] = unbroadcast(-(d[y] / s) @ np.vander(y, np.size(p)), p)
    d[y] = as_dtype(-np.polyval(d[p], y) / s, y)

def poly(y, seq_of_zeros):
    s = poly_slopes(seq_of_zeros, y)
    d[seq_of_zeros] = unbroadcast(s @ np.ravel(d[y])[1:], seq_of_zeros)
    d[y] = like(between_zeros(np.tensordot(d[seq_of_zeros], s, np.ndim(seq_of_zeros)), 1, 0, 0), y)

# Grids

def arange(y, start, stop=None, step=1, dtype=None):
    d[start] = unbroadcast(np.sum(d[y]) * is_start(stop), start)
    d[step] = unbroadcast(np.sum(d[y] * np.arange(np.size(y))), step)
    d[y] = as_dtype(np.full(np.shape(y), d[start] * is_start(stop)), y) + as_dtype(d[step] * np.arange(np.size(y)), y)

def linspace(y, start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    t = steps(num, endpoint)
    d[start] = unbroadcast(along(d[y], 1.0 - t, axis), start)
    d[stop] = unbroadcast(along(d[y], t, axis), stop)
    d[y] = np.linspace(d[start], d[stop], num, endpoint=endpoint, axis=axis)

def logspace(y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    t = steps(num, endpoint)
    p = uncut(y, "np.logspace", start, stop, base)
    b = beside_grid(base, start, stop, axis)
    e = exponents(start, stop, num, endpoint, base, axis)
    s = p * np.log(b)
    d[start] = unbroadcast(along(d[y] * s, 1.0 - t, axis), start)
    d[stop] = unbroadcast(along(d[y] * s, t, axis), stop)
    d[base] = unbroadcast(np.reshape(unbroadcast(d[y] * p * e / b, b), np.shape(base)), base)
    d[y] = (
        as_dtype(across(d[start], 1.0 - t, y, axis) * s, y)
        + as_dtype(across(d[stop], t, y, axis) * s, y)
        + as_dtype(beside_grid(d[base], start, stop, axis) * p * e / b, y)
    )

def geomspace(y, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    t = steps(num, endpoint)
    p = uncut(y, "np.geomspace", start, stop)
    d[start] = unbroadcast(along(d[y] * p, 1.0 - t, axis) / start, start)
    d[stop] = unbroadcast(along(d[y] * p, t, axis) / stop, stop)
    d[y] = across(d[start] / start, 1.0 - t, y, axis) * p + across(d[stop] / stop, t, y, axis) * p

def fftfreq(y, n, d=1.0, device=None):
    d[d] = unbroadcast(-np.sum(d[y] * y) / d, d)
    d[y] = -y * d[d] / d
