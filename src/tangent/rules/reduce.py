"""Reductions, accumulations, order statistics and what is made of them. See docs/rules.md for the notation."""

# Sums and moments

def sum(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    d[a] = spread(d[y], a, axis, keepdims, where)
    d[initial] = unbroadcast(d[y], initial)
    d[y] = (
        np.sum(d[a], axis=axis, dtype=dtype, keepdims=keepdims, where=where)
        + np.broadcast_to(d[initial], np.shape(y))
    )

@linear
def mean(y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    d[a] = spread(d[y] / count(a, axis, keepdims, where), a, axis, keepdims, where)

def var(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    c = deviation(a, axis, where, mean)
    n = count(a, axis, keepdims, where, ddof)
    d[a] = spread(2.0 * d[y] / n, a, axis, keepdims, where) * c
    d[mean] = unbroadcast(spread(-2.0 * d[y] / n, a, axis, keepdims, where) * c, mean)
    d[y] = (
        np.sum(np.real(c * d[a]), axis=axis, keepdims=keepdims) * 2.0 / n
        - np.sum(np.real(c * d[mean]), axis=axis, keepdims=keepdims) * 2.0 / n
    )

def std(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    c = safe_ratio(deviation(a, axis, where, mean), spread(y, a, axis, keepdims))
    n = count(a, axis, keepdims, where, ddof)
    d[a] = spread(d[y] / n, a, axis, keepdims, where) * c
    d[mean] = unbroadcast(spread(-d[y] / n, a, axis, keepdims, where) * c, mean)
    d[y] = (
        np.sum(np.real(c * d[a]), axis=axis, keepdims=keepdims) / n
        - np.sum(np.real(c * d[mean]), axis=axis, keepdims=keepdims) / n
    )

# Products: exact with zeros

def prod(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    r = product_of_others(a, axis, initial, where)
    d[a] = spread(d[y], a, axis, keepdims, where) * r
    d[initial] = unbroadcast(d[y] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where), initial)
    d[y] = (
        np.sum(r * d[a], axis=axis, keepdims=keepdims, where=where)
        + d[initial] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    )

# Extremes: the result is a mean of the elements that tie for it

def max(y, a, axis=None, out=None, keepdims=False, initial=None, where=True, *, dtype=None):
    w = winners(y, a, axis, keepdims, initial, where)
    d[a] = spread(d[y], a, axis, keepdims) * w
    d[initial] = unbroadcast(d[y] * remainder_at(initial, y, w, axis, keepdims), initial)
    d[y] = np.sum(w * d[a], axis=axis, keepdims=keepdims) + d[initial] * remainder_at(initial, y, w, axis, keepdims)

def ptp(y, a, axis=None, out=None, keepdims=False):
    w = winners(np.max(a, axis=axis, keepdims=True), a, axis, True) - winners(np.min(a, axis=axis, keepdims=True), a, axis, True)
    d[a] = spread(d[y], a, axis, keepdims) * w
    d[y] = np.sum(w * d[a], axis=axis, keepdims=keepdims)

# Order statistics: the weights of the elements are constant between ties

def median(y, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    w = quantile_weights(a, 0.5, axis)
    d[a] = spread(d[y], a, axis, keepdims) * w
    d[y] = np.sum(w * d[a], axis=axis, keepdims=keepdims)

def quantile(y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    w = quantile_weights(a, q, axis, method, weights)
    s = quantile_slopes(a, q, axis, method)
    d[a] = as_dtype(unmixed(d[y], w, a, axis, keepdims), a)
    d[q] = sum_behind(d[y] * mixed(s, a, axis, keepdims), q)
    d[y] = mixed(w, d[a], axis, keepdims) + expand_behind(d[q], y) * mixed(s, a, axis, keepdims)

def percentile(y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    w = quantile_weights(a, np.divide(q, 100.0), axis, method, weights)
    s = quantile_slopes(a, np.divide(q, 100.0), axis, method) / 100.0
    d[a] = as_dtype(unmixed(d[y], w, a, axis, keepdims), a)
    d[q] = sum_behind(d[y] * mixed(s, a, axis, keepdims), q)
    d[y] = mixed(w, d[a], axis, keepdims) + expand_behind(d[q], y) * mixed(s, a, axis, keepdims)

def sort(y, a, axis=-1, kind=None, *, order=None, stable=None):
    i = np.argsort(a, axis=axis, kind="stable")
    d[a] = unpermute(d[y], i, a, axis)
    d[y] = np.take_along_axis(d[a], i, axis)

def partition(y, a, kth, axis=-1, kind="introselect", order=None):
    i = order_to(a, y, axis)
    d[a] = unpermute(d[y], i, a, axis)
    d[y] = np.take_along_axis(d[a], i, axis)

def unique(y, ar, *, equal_nan=True, sorted=True):
    i = first_index(y, ar)
    d[ar] = np.reshape(sum_at(d[y], i, np.size(ar)), np.shape(ar))
    d[y] = np.ravel(d[ar])[i]

def sort_complex(y, a):
    i = np.argsort(a, axis=-1, kind="stable")
    d[a] = unpermute(d[y], i, a, -1)
    d[y] = np.take_along_axis(d[a], i, -1)

def average(y, a, axis=None, weights=None, *, keepdims=False):
    w = weights_over(weights, a, axis)
    n = np.sum(w * np.ones_like(a), axis=axis, keepdims=keepdims)
    b = at_rank(d[y] / n, a, axis=axis, keepdims=keepdims)
    r = a - at_rank(y, a, axis=axis, keepdims=keepdims)
    d[a] = unbroadcast(np.broadcast_to(b * w, np.shape(a)), a)
    d[weights] = unbroadcast(weights_adjoint(b * r, weights, axis), weights)
    d[y] = (
        np.sum(w * d[a], axis=axis, keepdims=keepdims) / n
        + np.sum(r * weights_over(d[weights], a, axis), axis=axis, keepdims=keepdims) / n
    )

# The same without the elements that are nan

def nansum(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    m = present(a, where)
    d[a] = spread(d[y], a, axis, keepdims, m)
    d[initial] = unbroadcast(d[y], initial)
    d[y] = np.sum(d[a], axis=axis, keepdims=keepdims, where=m) + np.broadcast_to(d[initial], np.shape(y))

def nanmean(y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    m = present(a, where)
    d[a] = spread(d[y] / count(a, axis, keepdims, m), a, axis, keepdims, m)
    d[y] = np.mean(d[a], axis=axis, keepdims=keepdims, where=m)

def nanvar(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    m = present(a, where)
    c = deviation(a, axis, m, mean)
    n = count(a, axis, keepdims, m, ddof)
    d[a] = spread(2.0 * d[y] / n, a, axis, keepdims, m) * c
    d[mean] = unbroadcast(spread(-2.0 * d[y] / n, a, axis, keepdims, m) * c, mean)
    d[y] = (
        np.sum(np.real(c * d[a]), axis=axis, keepdims=keepdims) * 2.0 / n
        - np.sum(np.real(c * d[mean]), axis=axis, keepdims=keepdims) * 2.0 / n
    )

def nanstd(y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None):
    m = present(a, where)
    c = safe_ratio(deviation(a, axis, m, mean), spread(y, a, axis, keepdims))
    n = count(a, axis, keepdims, m, ddof)
    d[a] = spread(d[y] / n, a, axis, keepdims, m) * c
    d[mean] = unbroadcast(spread(-d[y] / n, a, axis, keepdims, m) * c, mean)
    d[y] = (
        np.sum(np.real(c * d[a]), axis=axis, keepdims=keepdims) / n
        - np.sum(np.real(c * d[mean]), axis=axis, keepdims=keepdims) / n
    )

def nanprod(y, a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    m = present(a, where)
    r = product_of_others(a, axis, initial, m)
    d[a] = spread(d[y], a, axis, keepdims, m) * r
    d[initial] = unbroadcast(d[y] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=m), initial)
    d[y] = (
        np.sum(r * d[a], axis=axis, keepdims=keepdims, where=m)
        + d[initial] * np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, where=m)
    )

def nancumsum(y, a, axis=None, dtype=None, out=None):
    d[a] = as_dtype(np.where(np.isnan(a), 0.0, cumsum_reversed(d[y], a, axis)), a)
    d[y] = np.cumsum(np.where(np.isnan(a), 0.0, d[a]), axis=axis)

def nancumprod(y, a, axis=None, dtype=None, out=None):
    c = np.where(np.isnan(a), 1.0, a)
    d[a] = np.where(np.isnan(a), 0.0, cumprod_adjoint(d[y], c, y, axis))
    d[y] = cumprod_tangent(np.where(np.isnan(a), 0.0, d[a]), c, y, axis)

# Accumulations

@linear
def cumsum(y, a, axis=None, dtype=None, out=None):
    d[a] = unbroadcast(cumsum_reversed(d[y], a, axis), a)

def cumprod(y, a, axis=None, dtype=None, out=None):
    d[a] = cumprod_adjoint(d[y], a, y, axis)
    d[y] = cumprod_tangent(d[a], a, y, axis)

@linear
def cumulative_sum(y, x, *, axis=None, dtype=None, out=None, include_initial=False):
    d[x] = cumsum_reversed(without_first(d[y], axis, include_initial), x, axis)

def cumulative_prod(y, x, *, axis=None, dtype=None, out=None, include_initial=False):
    d[x] = cumprod_adjoint(without_first(d[y], axis, include_initial), x, without_first(y, axis, include_initial), axis)
    d[y] = with_first(cumprod_tangent(d[x], x, without_first(y, axis, include_initial), axis), axis, include_initial)

def maximum_accumulate(y, array, axis=0, dtype=None, out=None):
    i = last_record(array, y, axis)
    d[array] = sum_along(d[y], i, axis)
    d[y] = np.take_along_axis(d[array], i, axis)

def logaddexp_accumulate(y, array, axis=0, dtype=None, out=None):
    d[array] = logaddexp_accumulate_adjoint(d[y], array, y, axis)
    d[y] = logaddexp_accumulate_tangent(d[array], array, y, axis)

# Other reductions of ufuncs; those of add, multiply, maximum and minimum are sum, prod, max and min

def logaddexp_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    w = np.exp(gap(array, spread(y, array, axis, keepdims)))
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = unbroadcast(d[y] * np.exp(gap(initial, y)), initial)
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * np.exp(gap(initial, y))

def logaddexp2_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    w = np.exp2(gap(array, spread(y, array, axis, keepdims)))
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = unbroadcast(d[y] * np.exp2(gap(initial, y)), initial)
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * np.exp2(gap(initial, y))

def hypot_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    w = ratio(array, spread(y, array, axis, keepdims))
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = unbroadcast(d[y] * ratio(initial, y), initial)
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * ratio(initial, y)

@linear
def subtract_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    d[array] = spread(d[y], array, axis, keepdims) * first_against_rest(array, axis)

def divide_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    w = spread(y, array, axis, keepdims) * first_against_rest(array, axis) / array
    d[array] = spread(d[y], array, axis, keepdims) * w
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims)

@linear
def add_reduceat(y, array, indices, axis=0, dtype=None, out=None):
    d[array] = reduceat_adjoint(d[y], array, indices, axis)

# Outer forms of ufuncs: the first operand has axes of its own, the second is broadcast; others are written out

def add_outer(z, A, B):
    d[A] = unbroadcast(sum_behind(d[z], A), A)
    d[B] = unbroadcast(d[z], B)
    d[z] = np.add.outer(d[A], np.zeros_like(B)) + np.add.outer(np.zeros_like(A), d[B])

def subtract_outer(z, A, B):
    d[A] = unbroadcast(sum_behind(d[z], A), A)
    d[B] = -unbroadcast(d[z], B)
    d[z] = np.add.outer(d[A], np.zeros_like(B)) - np.add.outer(np.zeros_like(A), d[B])

@linear
def multiply_outer(z, A, B):
    d[A] = unbroadcast(sum_behind(d[z] * B, A), A)
    d[B] = unbroadcast(d[z] * outer_operand(A, B), B)

# Differences and integrals

def diff(y, a, n=1, axis=-1, prepend=None, append=None):
    b = diff_adjoint(d[y], n, axis)
    d[prepend] = unbroadcast(stretch(b, 0, extent(prepend, axis), axis), prepend)
    d[a] = unbroadcast(stretch(b, extent(prepend, axis), np.shape(a)[axis], axis), a)
    d[append] = unbroadcast(stretch(b, extent(prepend, axis) + np.shape(a)[axis], extent(append, axis), axis), append)
    d[y] = (
        np.diff(between_zeros(d[a], extent(prepend, axis), extent(append, axis), axis), n=n, axis=axis)
        + np.diff(between_zeros(piece(d[prepend], a, axis), 0, np.shape(a)[axis] + extent(append, axis), axis), n=n, axis=axis)
        + np.diff(between_zeros(piece(d[append], a, axis), np.shape(a)[axis] + extent(prepend, axis), 0, axis), n=n, axis=axis)
    )

def ediff1d(y, ary, to_end=None, to_begin=None):
    d[ary] = np.reshape(diff_adjoint(stretch(d[y], extent(to_begin, -1), np.size(ary) - 1, 0), 1, 0), np.shape(ary))
    d[to_begin] = np.reshape(stretch(d[y], 0, extent(to_begin, -1), 0), np.shape(to_begin))
    d[to_end] = np.reshape(stretch(d[y], np.size(y) - extent(to_end, -1), extent(to_end, -1), 0), np.shape(to_end))
    d[y] = (
        between_zeros(np.diff(np.ravel(d[ary])), extent(to_begin, -1), extent(to_end, -1), 0)
        + between_zeros(np.ravel(d[to_begin]), 0, np.size(y) - extent(to_begin, -1), 0)
        + between_zeros(np.ravel(d[to_end]), np.size(y) - extent(to_end, -1), 0, 0)
    )

def trapezoid(r, y, x=None, dx=1.0, axis=-1):
    d[y] = np.expand_dims(d[r], axis) * trapezoid_weights(y, x, dx, axis)
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
    z = centred(observations(m, y, rowvar), w)
    d[m] = as_dtype(own_rows(gram_adjoint(d[c], z, w), 0, m, rowvar), m)
    d[y] = as_dtype(own_rows(gram_adjoint(d[c], z, w), -1, y, rowvar), y)
    d[aweights] = as_dtype(weigh_adjoint(gram_weights_adjoint(d[c], z), fweights, aweights, bias, ddof), aweights)
    d[c] = (
        gram_tangent(rows_of(d[m], 0, z, rowvar), z, w)
        + gram_tangent(rows_of(d[y], -1, z, rowvar), z, w)
        + gram(z, weigh_tangent(d[aweights], fweights, aweights, bias, ddof))
    )

def corrcoef(c, x, y=None, rowvar=True, *, dtype=None):
    z = centred(observations(x, y, rowvar), 1.0)
    d[x] = as_dtype(own_rows(correlation_adjoint(d[c], z), 0, x, rowvar), x)
    d[y] = as_dtype(own_rows(correlation_adjoint(d[c], z), -1, y, rowvar), y)
    d[c] = correlation_tangent(rows_of(d[x], 0, z, rowvar), z) + correlation_tangent(rows_of(d[y], -1, z, rowvar), z)

# Counting with weights

@linear
def bincount(y, x, weights=None, minlength=0):
    d[weights] = as_dtype(d[y][x], weights)

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

# Polynomials, highest power first

def vander(y, x, N=None, increasing=False):
    s = vander_slope(x, N, increasing)
    d[x] = unbroadcast(np.sum(d[y] * s, axis=-1), x)
    d[y] = np.expand_dims(d[x], -1) * s

def polyval(y, p, x):
    d[p] = unbroadcast(np.ravel(d[y]) @ np.vander(np.ravel(x), np.size(p)), p)
    d[x] = unbroadcast(d[y] * np.polyval(np.polyder(p), x), x)
    d[y] = as_dtype(np.polyval(d[p], x), y) + as_dtype(np.polyval(np.polyder(p), x) * d[x], y)

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
    d[y] = np.polyadd(d[a1], 0.0 * y) + np.polyadd(d[a2], 0.0 * y)

def polysub(y, a1, a2):
    d[a1] = like(d[y][np.size(y) - np.size(a1) :], a1)
    d[a2] = -like(d[y][np.size(y) - np.size(a2) :], a2)
    d[y] = np.polyadd(d[a1], 0.0 * y) - np.polyadd(d[a2], 0.0 * y)

def polymul(y, a1, a2):
    b = widened(d[y], np.size(a1) + np.size(a2) - 1)
    d[a1] = like(convolve_adjoint(b, np.ravel(a1), np.ravel(a2)), a1)
    d[a2] = like(convolve_adjoint(b, np.ravel(a2), np.ravel(a1)), a2)
    d[y] = tail(np.convolve(np.ravel(d[a1]), np.ravel(a2)), y) + tail(np.convolve(np.ravel(a1), np.ravel(d[a2])), y)

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
    s = poly_slopes(seq_of_zeros)
    d[seq_of_zeros] = unbroadcast(s @ d[y][1:], seq_of_zeros)
    d[y] = as_dtype(between_zeros(d[seq_of_zeros] @ s, 1, 0, 0), y)

def polyfit(c, x, y, deg, rcond=None, *, w=None):
    d[x] = unbroadcast(polyfit_nodes_adjoint(d[c], c, x, y, w), x)
    d[y] = unbroadcast(polyfit_values_adjoint(d[c], x, y, deg, w), y)
    d[w] = unbroadcast(polyfit_weights_adjoint(d[c], c, x, y, w), w)
    d[c] = (
        polyfit_nodes_tangent(d[x], c, x, y, w)
        + np.polyfit(x, d[y], deg, rcond, w=w)
        + polyfit_weights_tangent(d[w], c, x, y, w)
    )

# Grids

def arange(y, start, stop=None, step=1, dtype=None):
    d[start] = np.sum(d[y]) * is_start(stop)
    d[step] = np.sum(d[y] * np.arange(np.size(y)))
    d[y] = np.full(np.shape(y), d[start] * is_start(stop)) + d[step] * np.arange(np.size(y))

def linspace(y, start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    t = steps(num, endpoint)
    d[start] = unbroadcast(along(d[y], 1.0 - t, axis), start)
    d[stop] = unbroadcast(along(d[y], t, axis), stop)
    d[y] = across(d[start], 1.0 - t, y, axis) + across(d[stop], t, y, axis)

def logspace(y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    t = steps(num, endpoint)
    d[start] = unbroadcast(along(d[y] * y * np.log(base), 1.0 - t, axis), start)
    d[stop] = unbroadcast(along(d[y] * y * np.log(base), t, axis), stop)
    d[base] = unbroadcast(d[y] * y * np.linspace(start, stop, num, endpoint, axis=axis) / base, base)
    d[y] = (
        across(d[start] * np.log(base), 1.0 - t, y, axis) * y
        + across(d[stop] * np.log(base), t, y, axis) * y
        + as_dtype(d[base] * y * np.linspace(start, stop, num, endpoint, axis=axis) / base, y)
    )

def geomspace(y, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    t = steps(num, endpoint)
    d[start] = unbroadcast(along(d[y] * y, 1.0 - t, axis) / start, start)
    d[stop] = unbroadcast(along(d[y] * y, t, axis) / stop, stop)
    d[y] = across(d[start] / start, 1.0 - t, y, axis) * y + across(d[stop] / stop, t, y, axis) * y

def fftfreq(y, n, d=1.0, device=None):
    d[d] = -np.sum(d[y] * y) / d
    d[y] = -y * d[d] / d

def kaiser(y, M, beta):
    r = kaiser_radii(M)
    s = (r * i0_derivative(r * beta, 1) - y * i0_derivative(beta, 1)) / np.i0(beta)
    d[beta] = unbroadcast(np.sum(d[y] * s), beta)
    d[y] = d[beta] * s

# Elementwise functions with several results

def modf(y, x):
    d[x] = unbroadcast(d[y][0], x)
    d[y] = (d[x], init_grad(y[1]))

def frexp(y, x):
    d[x] = unbroadcast(np.ldexp(d[y][0], -y[1]), x)
    d[y] = (np.ldexp(d[x], -y[1]), 0)

def divmod(z, x, y):
    d[x] = unbroadcast(d[z][1], x)
    d[y] = unbroadcast(-d[z][1] * (x // y), y)
    d[z] = divmod_tangent(d[x], d[y], z, x, y)

def cmath_polar(y, x):
    d[x] = d[y][0] * conj_sign(x) - 1j * ratio(d[y][1], x)
    d[y] = (np.real(d[x] * conj_sign(x)), np.imag(ratio(d[x], x)))

# Builtins and `math` over sequences: the adjoint of a sequence is a sequence of the same kind

def builtin_sum(y, iterable, start=0):
    d[iterable] = each(d[y], iterable)
    d[start] = d[y]
    d[y] = total(d[iterable]) + d[start]

def math_fsum(y, seq):
    d[seq] = each(d[y], seq)
    d[y] = total(d[seq])

def builtin_max(y, iterable):
    w = shares_of(y, iterable)
    d[iterable] = scaled(d[y], w, iterable)
    d[y] = weighted(w, d[iterable])

def builtin_max_of_several(y, *args):
    w = shares_of(y, args)
    d[args] = scaled(d[y], w, args)
    d[y] = weighted(w, d[args])

def builtin_sorted(y, iterable, *, key=None, reverse=False):
    i = sorted_order(iterable, key, reverse)
    d[iterable] = put_back(d[y], i, iterable)
    d[y] = picked(d[iterable], i)

def math_prod(y, iterable, *, start=1):
    w = products_of_others(iterable, start)
    d[iterable] = scaled(d[y], w, iterable)
    d[start] = d[y] * product(iterable)
    d[y] = weighted(w, d[iterable]) + d[start] * product(iterable)

@linear
def math_sumprod(y, p, q):
    d[p] = scaled(d[y], q, p)
    d[q] = scaled(d[y], p, q)

def math_dist(y, p, q):
    u = over(gaps(p, q), y)
    d[p] = scaled(d[y], u, p)
    d[q] = scaled(-d[y], u, q)
    d[y] = weighted(u, d[p]) - weighted(u, d[q])

def math_hypot(y, *coordinates):
    u = over(coordinates, y)
    d[coordinates] = scaled(d[y], u, coordinates)
    d[y] = weighted(u, d[coordinates])
