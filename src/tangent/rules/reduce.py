"""Reductions: sums, moments, products and extremes, with and without nans. See docs/rules.md for the notation."""

# Sums and moments

def sum(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    d[a] = spread(d[y], a, axis, keepdims, where)
    d[initial] = d[y]
    d[y] = (
        np.sum(d[a], axis=axis, dtype=dtype, keepdims=keepdims, where=where)
        + d[initial]
    )

@linear
def mean(y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    d[a] = spread(d[y] / count(a, axis, keepdims, where), a, axis, keepdims, where)

def var(y, a, axis=None, *, ddof=0, keepdims=False, where=True):
    c = about_mean(a, axis, where)
    n = count(a, axis, keepdims, where, ddof)
    d[a] = spread(2.0 * d[y] / n, a, axis, keepdims, where) * c
    d[ddof] = d[y] * y / n
    d[y] = np.sum(np.real(c * d[a]), axis=axis, keepdims=keepdims) * 2.0 / n + d[ddof] * y / n

def std(y, a, axis=None, *, ddof=0, keepdims=False, where=True):
    n = count(a, axis, keepdims, where, ddof)
    u = deviation_direction(a, y * n ** 0.5, axis, keepdims, where)
    d[a] = spread(d[y] / n ** 0.5, a, axis, keepdims, where) * u
    d[ddof] = d[y] * y / (2.0 * n)
    d[y] = np.sum(np.real(u * d[a]), axis=axis, keepdims=keepdims) / n ** 0.5 + d[ddof] * y / (2.0 * n)

# The same about a mean that is given, or in another dtype: the squares of complex numbers are real, those about a complex mean are not

@fitted
def var_about(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    c = deviation(a, axis, where, mean, dtype=dtype)
    n = count(a, axis, keepdims, where, ddof)
    b = spread(2.0 * real_beside(d[y], a) / n, c, axis, keepdims, where) * c
    d[a] = b
    d[mean] = -b
    d[ddof] = d[y] * y / n
    d[y] = (
        np.sum(real_beside(c * d[a], a), axis=axis, keepdims=keepdims) * 2.0 / n
        - np.sum(real_beside(c * d[mean], a), axis=axis, keepdims=keepdims) * 2.0 / n
        + d[ddof] * y / n
    )

@fitted
def std_about(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    n = count(a, axis, keepdims, where, ddof)
    u = direction_about(a, y * n ** 0.5, axis, keepdims, where, mean, dtype=dtype)
    b = spread(real_beside(d[y], a) / n ** 0.5, u, axis, keepdims, where) * u
    d[a] = b
    d[mean] = -b
    d[ddof] = d[y] * y / (2.0 * n)
    d[y] = (
        np.sum(real_beside(u * d[a], a), axis=axis, keepdims=keepdims) / n ** 0.5
        - np.sum(real_beside(u * d[mean], a), axis=axis, keepdims=keepdims) / n ** 0.5
        + d[ddof] * y / (2.0 * n)
    )

@linear
def average(y, a, axis=None, *, keepdims=False):
    d[a] = spread(d[y] / count(a, axis, keepdims), a, axis, keepdims)

@fitted
def average_by(y, a, axis=None, weights=None, *, keepdims=False):
    w = weights_over(weights, a, axis)
    n = np.sum(w * np.ones_like(a), axis=axis, keepdims=keepdims)
    b = at_rank(d[y] / n, a, axis=axis, keepdims=keepdims)
    r = a - at_rank(y, a, axis=axis, keepdims=keepdims)
    d[a] = np.broadcast_to(b * w, np.shape(a))
    d[weights] = weights_adjoint(b * r, weights, axis)
    d[y] = (
        np.sum(np.multiply(w, d[a]), axis=axis, keepdims=keepdims) / n
        + np.sum(r * weights_over(d[weights], a, axis), axis=axis, keepdims=keepdims) / n
    )

# Products: exact with zeros

def prod(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    r = product_of_others(a, y, axis, keepdims, initial, where)
    d[a] = spread(d[y], a, axis, keepdims, where) * r
    d[initial] = d[y] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    d[y] = (
        np.sum(r * d[a], axis=axis, keepdims=keepdims, where=where)
        + d[initial] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    )

# Extremes: the result is a mean of the elements that tie for it

def max(y, a, axis=None, out=None, keepdims=False, initial=None, where=True, *, dtype=None):
    w = winners(y, computed_in(a, dtype), axis, keepdims, initial, where)
    d[a] = spread(d[y], a, axis, keepdims) * taken_back(w, a, dtype)
    d[initial] = d[y] * remainder_at(initial, y, w, axis, keepdims)
    d[y] = (
        np.sum(w * d[a], axis=axis, keepdims=keepdims)
        + d[initial] * remainder_at(initial, y, w, axis, keepdims)
    )

def ptp(y, a, axis=None, out=None, keepdims=False):
    w = winners(np.max(a, axis=axis, keepdims=True), a, axis, True) - winners(np.min(a, axis=axis, keepdims=True), a, axis, True)
    d[a] = spread(d[y], a, axis, keepdims) * w
    d[y] = np.sum(w * d[a], axis=axis, keepdims=keepdims)

# The same without the elements that are nan

def nansum(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    m = present(a, where)
    like(sum, where=m)

def nanmean(y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    m = present(a, where)
    d[a] = spread(d[y] / count(a, axis, keepdims, m), a, axis, keepdims, m)
    d[y] = np.mean(d[a], axis=axis, keepdims=keepdims, where=m)

def nanvar(y, a, axis=None, *, ddof=0, keepdims=False, where=True):
    m = present(a, where)
    like(var, where=m)

def nanstd(y, a, axis=None, *, ddof=0, keepdims=False, where=True):
    m = present(a, where)
    like(std, where=m)

@fitted
def nanvar_about(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    m = present(a, where)
    like(var_about, where=m, deviation=own_deviation)

@fitted
def nanstd_about(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    m = present(a, where)
    like(std_about, where=m, direction_about=own_direction_about)

def nanprod(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    m = present(a, where)
    like(prod, where=m)
