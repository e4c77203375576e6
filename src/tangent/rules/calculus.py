"""Differences and integrals, covariance, counting and convolution. See docs/rules.md for the notation."""

# Differences and integrals

@linear
def diff(y, a, n=1, axis=-1):
    d[a] = undiff(d[y], a, n=n, axis=axis)

def diff_between(y, a, n=1, axis=-1, prepend=None, append=None):
    b = diff_adjoint(d[y], n, axis)
    d[prepend] = unbroadcast(stretch(b, 0, extent(prepend, axis), axis), prepend)
    d[a] = unbroadcast(stretch(b, extent(prepend, axis), np.shape(a)[axis], axis), a)
    d[append] = unbroadcast(stretch(b, extent(prepend, axis) + np.shape(a)[axis], extent(append, axis), axis), append)
    d[y] = (
        as_dtype(np.diff(between_zeros(d[a], extent(prepend, axis), extent(append, axis), axis), n=n, axis=axis), y)
        + as_dtype(np.diff(between_zeros(piece(d[prepend], a, axis), 0, np.shape(a)[axis] + extent(append, axis), axis), n=n, axis=axis), y)
        + as_dtype(np.diff(between_zeros(piece(d[append], a, axis), np.shape(a)[axis] + extent(prepend, axis), 0, axis), n=n, axis=axis), y)
    )

def ediff1d(y, ary, to_end=None, to_begin=None):
    b = stretch(d[y], extent(to_begin, None), max(np.size(ary) - 1, 0), 0)
    d[ary] = np.reshape(diff_adjoint(b, 1, 0)[: np.size(ary)], np.shape(ary))
    d[to_begin] = unbroadcast(np.reshape(stretch(d[y], 0, extent(to_begin, None), 0), np.shape(to_begin)), to_begin)
    d[to_end] = unbroadcast(np.reshape(stretch(d[y], np.size(y) - extent(to_end, None), extent(to_end, None), 0), np.shape(to_end)), to_end)
    d[y] = (
        between_zeros(np.diff(np.ravel(d[ary])), extent(to_begin, None), extent(to_end, None), 0)
        + as_dtype(between_zeros(np.ravel(d[to_begin]), 0, np.size(y) - extent(to_begin, None), 0), y)
        + as_dtype(between_zeros(np.ravel(d[to_end]), np.size(y) - extent(to_end, None), 0, 0), y)
    )

def trapezoid(r, y, x=None, dx=1.0, axis=-1):
    d[y] = unbroadcast(np.expand_dims(d[r], axis) * trapezoid_weights(y, x, dx, axis), y)
    d[x] = unbroadcast(trapezoid_nodes(np.expand_dims(d[r], axis), y, x, axis), x)
    d[dx] = unbroadcast(d[r] * np.trapezoid(y, axis=axis), dx)
    d[r] = (
        np.trapezoid(d[y], x=x, dx=dx, axis=axis)
        + np.trapezoid(y, x=d[x], axis=axis)
        + np.trapezoid(y, dx=d[dx], axis=axis)
    )

def gradient(y, f, *varargs, axis=None, edge_order=1):
    d[f] = gradient_adjoint(d[y], f, varargs, axis, edge_order)
    d[varargs] = spacing_adjoint(d[y], f, varargs, axis, edge_order)
    d[y] = gradient_tangent(d[f], d[varargs], f, varargs, axis, edge_order)

def interp(y, x, xp, fp, left=None, right=None, period=None):
    i, j = interp_nodes(x, xp, period)
    t = interp_fraction(x, xp, i, j, period)
    s = interp_slope(x, xp, fp, i, j, period)
    m = interp_inside(x, xp, left, right, period)
    d[x] = unbroadcast(d[y] * s, x)
    d[fp] = as_dtype(sum_at(d[y] * m * (1.0 - t), i, np.size(xp)) + sum_at(d[y] * m * t, j, np.size(xp)), fp)
    d[xp] = unbroadcast(-sum_at(d[y] * s * (1.0 - t), i, np.size(xp)) - sum_at(d[y] * s * t, j, np.size(xp)), xp)
    d[period] = unbroadcast(d[y] * s * interp_turns(x, xp, i, j, t, period), period)
    d[left] = unbroadcast(np.where(np.less(x, xp[0]), d[y], 0.0), left)
    d[right] = unbroadcast(np.where(np.greater(x, xp[-1]), d[y], 0.0), right)
    d[y] = (
        s * d[x]
        + m * (1.0 - t) * np.take(d[fp], i)
        + m * t * np.take(d[fp], j)
        - s * (1.0 - t) * np.take(d[xp], i)
        - s * t * np.take(d[xp], j)
        + s * interp_turns(x, xp, i, j, t, period) * d[period]
        + np.where(np.less(x, xp[0]), d[left], 0.0)
        + np.where(np.greater(x, xp[-1]), d[right], 0.0)
    )

# Covariance

def cov(c, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    w = covariance_weights(m, rowvar, bias, ddof, fweights, aweights)
    z = centred(observations(m, y, rowvar, dtype=dtype), w)
    d[m] = as_dtype(own_rows(gram_adjoint(d[c], z, w), 0, m, rowvar), m)
    d[y] = as_dtype(own_rows(gram_adjoint(d[c], z, w), -1, y, rowvar), y)
    d[aweights] = as_dtype(weigh_adjoint(gram_weights_adjoint(d[c], z), fweights, aweights, bias, ddof), aweights)
    d[c] = (
        gram_tangent(rows_of(d[m], 0, z, rowvar), z, w)
        + gram_tangent(rows_of(d[y], -1, z, rowvar), z, w)
        + as_dtype(gram(z, weigh_tangent(d[aweights], fweights, aweights, bias, ddof)), c)
    )

def corrcoef(c, x, y=None, rowvar=True, *, dtype=None):
    z = centred(observations(x, y, rowvar, dtype=dtype), 1.0)
    d[x] = as_dtype(own_rows(correlation_adjoint(d[c], z), 0, x, rowvar), x)
    d[y] = as_dtype(own_rows(correlation_adjoint(d[c], z), -1, y, rowvar), y)
    d[c] = (
        as_dtype(correlation_tangent(rows_of(d[x], 0, z, rowvar), z), c)
        + as_dtype(correlation_tangent(rows_of(d[y], -1, z, rowvar), z), c)
    )

# Counting with weights

@linear
def bincount(y, x, weights=None, minlength=0):
    d[weights] = as_dtype(np.take(d[y], x), weights)

# Convolution

@linear
def convolve(y, a, v, mode="full"):
    b = uncropped(d[y], np.size(a), np.size(v), mode)
    d[a] = unbroadcast(convolve_adjoint(b, a, v), a)
    d[v] = unbroadcast(convolve_adjoint(b, v, a), v)

@linear
def correlate(y, a, v, mode="valid"):
    b = uncropped(d[y], np.size(a), np.size(v), mode, True)
    d[a] = unbroadcast(convolve_adjoint(b, a, np.conj(np.flip(v))), a)
    d[v] = unbroadcast(np.conj(np.flip(convolve_adjoint(b, v, a))), v)
