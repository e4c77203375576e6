"""Differences and integrals, covariance, counting and convolution. See docs/rules.md for the notation."""

# Differences and integrals

@linear
def diff(y, a, n=1, axis=-1):
    d[a] = undiff(d[y], a, n=n, axis=axis)

@fitted
@cast
def diff_between(y, a, n=1, axis=-1, prepend=None, append=None):
    b = diff_adjoint(d[y], n, axis)
    d[prepend] = stretch(b, 0, extent(prepend, axis), axis)
    d[a] = stretch(b, extent(prepend, axis), np.shape(a)[axis], axis)
    d[append] = stretch(b, extent(prepend, axis) + np.shape(a)[axis], extent(append, axis), axis)
    d[y] = (
        np.diff(between_zeros(d[a], extent(prepend, axis), extent(append, axis), axis), n=n, axis=axis)
        + np.diff(between_zeros(piece(d[prepend], a, axis), 0, np.shape(a)[axis] + extent(append, axis), axis), n=n, axis=axis)
        + np.diff(between_zeros(piece(d[append], a, axis), np.shape(a)[axis] + extent(prepend, axis), 0, axis), n=n, axis=axis)
    )

def ediff1d(y, ary, to_end=None, to_begin=None):
    b = stretch(d[y], extent(to_begin, None), max(np.size(ary) - 1, 0), 0)
    d[ary] = np.reshape(diff_adjoint(b, 1, 0)[: np.size(ary)], np.shape(ary))
    d[to_begin] = np.reshape(stretch(d[y], 0, extent(to_begin, None), 0), np.shape(to_begin))
    d[to_end] = np.reshape(stretch(d[y], np.size(y) - extent(to_end, None), extent(to_end, None), 0), np.shape(to_end))
    d[y] = (
        between_zeros(np.diff(np.ravel(d[ary])), extent(to_begin, None), extent(to_end, None), 0)
        + between_zeros(np.ravel(d[to_begin]), 0, np.size(y) - extent(to_begin, None), 0)
        + between_zeros(np.ravel(d[to_end]), np.size(y) - extent(to_end, None), 0, 0)
    )

@fitted
def trapezoid(r, y, x=None, dx=1.0, axis=-1):
    d[y] = np.expand_dims(d[r], axis) * trapezoid_weights(y, x, dx, axis)
    d[x] = trapezoid_nodes(np.expand_dims(d[r], axis), y, x, axis)
    d[dx] = unless_given(x, np.expand_dims(d[r], axis) * middles(y, axis))
    d[r] = (
        np.trapezoid(d[y], x=x, dx=dx, axis=axis)
        + np.trapezoid(y, x=nodes_tangent(d[x], y, axis), axis=axis)
        + unless_given(x, np.trapezoid(y, dx=d[dx], axis=axis))
    )

def gradient(y, f, *varargs, axis=None, edge_order=1):
    d[f] = gradient_adjoint(d[y], f, varargs, axis, edge_order)
    d[varargs] = spacing_adjoint(d[y], f, varargs, axis, edge_order)
    d[y] = gradient_tangent(d[f], d[varargs], f, varargs, axis, edge_order)

@fitted
@cast
def interp(y, x, xp, fp, left=None, right=None, period=None):
    i, j = interp_nodes(x, xp, period)
    t = interp_fraction(x, xp, i, j, period)
    s = interp_slope(x, xp, fp, i, j, period)
    m = interp_inside(x, xp, left, right, period)
    d[x] = d[y] * s
    d[fp] = sum_at(d[y] * m * (1.0 - t), i, np.size(xp)) + sum_at(d[y] * m * t, j, np.size(xp))
    d[xp] = -sum_at(d[y] * s * (1.0 - t), i, np.size(xp)) - sum_at(d[y] * s * t, j, np.size(xp))
    d[period] = d[y] * s * interp_turns(x, xp, i, j, t, period)
    d[left] = unless_given(period, np.where(np.less(x, xp[0]), d[y], 0.0))
    d[right] = unless_given(period, np.where(np.greater(x, xp[-1]), d[y], 0.0))
    d[y] = (
        s * d[x]
        + m * (1.0 - t) * np.take(d[fp], i)
        + m * t * np.take(d[fp], j)
        - s * (1.0 - t) * np.take(d[xp], i)
        - s * t * np.take(d[xp], j)
        + s * interp_turns(x, xp, i, j, t, period) * d[period]
        + unless_given(period, np.where(np.less(x, xp[0]), d[left], 0.0))
        + unless_given(period, np.where(np.greater(x, xp[-1]), d[right], 0.0))
    )

# Covariance

@fitted
@cast
def cov(c, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    w = covariance_weights(m, rowvar, bias, ddof, fweights, aweights)
    z = centred(observations(m, y, rowvar, dtype=dtype), w)
    d[m] = own_rows(gram_adjoint(d[c], z, w), 0, m, rowvar)
    d[y] = own_rows(gram_adjoint(d[c], z, w), -1, y, rowvar)
    d[aweights] = weigh_adjoint(gram_weights_adjoint(d[c], z), fweights, aweights, bias, ddof)
    d[c] = (
        gram_tangent(rows_of(d[m], 0, z, rowvar), z, w)
        + gram_tangent(rows_of(d[y], -1, z, rowvar), z, w)
        + gram(z, weigh_tangent(d[aweights], fweights, aweights, bias, ddof))
    )

@fitted
@cast
def corrcoef(c, x, y=None, rowvar=True, *, dtype=None):
    z = centred(observations(x, y, rowvar, dtype=dtype), 1.0)
    d[x] = own_rows(correlation_adjoint(d[c], z), 0, x, rowvar)
    d[y] = own_rows(correlation_adjoint(d[c], z), -1, y, rowvar)
    d[c] = (
        correlation_tangent(rows_of(d[x], 0, z, rowvar), z)
        + correlation_tangent(rows_of(d[y], -1, z, rowvar), z)
    )

# Counting with weights

@linear
def bincount(y, x, weights=None, minlength=0):
    d[weights] = np.take(d[y], x)

# Convolution

@linear
@fitted
def convolve(y, a, v, mode="full"):
    b = uncropped(d[y], np.size(a), np.size(v), mode)
    d[a] = convolve_adjoint(b, a, v)
    d[v] = convolve_adjoint(b, v, a)

@linear
@fitted
def correlate(y, a, v, mode="valid"):
    b = uncropped(d[y], np.size(a), np.size(v), mode, True)
    d[a] = convolve_adjoint(b, a, np.conj(np.flip(v)))
    d[v] = np.conj(np.flip(convolve_adjoint(b, v, a)))
