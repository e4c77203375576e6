"""Rules of the kernels of reductions, accumulations and sequences that Tangent does not differentiate itself."""

@linear
@fitted
def spread(y, b, x, axis=None, keepdims=False, where=True):
    d[b] = np.sum(d[y], axis=axis, keepdims=keepdims, where=where)

def about_mean(c, a, axis=None, where=True):
    d[a] = about_mean(d[c], axis, where)
    d[c] = about_mean(d[a], axis, where)

def product_of_others(r, a, y, axis=None, keepdims=False, initial=1, where=True):
    p = product_of_others(a, as_dtype(np.prod(real_as(a, y), axis=axis, keepdims=keepdims, where=where), y), axis, keepdims, 1, where)
    d[a] = product_of_rest(d[r], a, y, axis, initial, where)
    d[initial] = np.sum(d[r] * p, axis=axis, keepdims=keepdims)
    d[r] = (
        product_of_rest(d[a], a, y, axis, initial, where)
        + spread(np.broadcast_to(d[initial], np.shape(y)), a, axis, keepdims) * p
    )

@linear
def as_dtype(y, b, x):
    d[b] = unbroadcast(d[y], b)

@linear
def cumsum_reversed(y, b, a, axis=None):
    d[b] = np.cumsum(d[y], axis=axis)

@linear
def stretch(y, b, start, n, axis):
    d[b] = between_zeros(d[y], start, np.shape(b)[axis] - start - n, axis)

@linear
def between_zeros(y, t, before, behind, axis):
    d[t] = stretch(d[y], before, np.shape(t)[axis], axis)

@linear
def diff_adjoint(y, b, n, axis):
    d[b] = np.diff(d[y], n=n, axis=axis)

@linear
def undiff(y, b, x, n=1, axis=-1):
    d[b] = np.diff(d[y], n=n, axis=axis)

@linear
def sum_at(y, v, i, n):
    d[v] = d[y][i]

@linear
@fitted
def binned(y, weights, place, n):
    d[weights] = np.where(place < 0, 0.0, d[y][place])

@linear
def sum_along(y, b, i, axis=0):
    d[b] = np.take_along_axis(d[y], i, axis)

@linear
def reduceat_adjoint(y, b, a, indices, axis=0):
    d[b] = np.add.reduceat(d[y], indices, axis)

def quantile_weights(w, a, q, axis=None, method="linear", weights=None, y=None):
    s = quantile_slopes(a, q, axis, method)
    d[q] = sum_behind(d[w] * s, q)
    d[w] = expand_behind(d[q], w) * s

@linear
def outer_operand(z, x, y):
    d[x] = np.reshape(d[z], np.shape(x))

@linear
def strong(y, x):  d[x] = restructure(d[y], x)

def direction_of(u, x, r, axis=None, keepdims=False):
    n = at_rank(r, x, axis, keepdims)
    d[x] = safe_ratio(off_direction(d[u], u, u, axis), n)
    d[u] = safe_ratio(off_direction(d[x], u, u, axis), n)

@fitted(a)
def deviation_direction(u, a, r, axis=None, keepdims=False, where=True):
    n = at_rank(r, a, axis, keepdims)
    d[a] = safe_ratio(off_line(d[u], a, axis, where), n)
    d[u] = safe_ratio(off_line(d[a], a, axis, where), n)

def conj_direction(u, x, r, axis=None, keepdims=False):
    n = at_rank(r, x, axis, keepdims)
    d[x] = safe_ratio(off_conj_direction(d[u], u, axis), n)
    d[u] = safe_ratio(off_conj_direction(d[x], u, axis), n)

def exponential_shares(w, a, y, axis=None, keepdims=False):
    d[a] = w * off_direction(d[w], 1.0, w, axis)
    d[w] = w * off_direction(d[a], 1.0, w, axis)

def binary_shares(w, a, y, axis=None, keepdims=False):
    d[a] = 0.6931471805599453 * w * off_direction(d[w], 1.0, w, axis)
    d[w] = 0.6931471805599453 * w * off_direction(d[a], 1.0, w, axis)

@linear
@fitted
def piece(y, t, a, axis):
    d[t] = d[y]

# Sequences

@linear
@fitted
def each(ys, b, xs):         d[b] = np.broadcast_to(total(d[ys]), np.shape(b))
@linear
def total(s, xs):            d[xs] = each(d[s], xs)
@linear
@fitted(b)
def scaled(ys, b, w, xs):    d[b] = weighted(w, d[ys]);  d[w] = scaled(b, d[ys], w)
@linear
def weighted(s, w, ts):      d[w] = scaled(d[s], ts, w);  d[ts] = scaled(d[s], w, ts)
@linear
def picked(ys, xs, i):       d[xs] = put_back(d[ys], i, xs)
@linear
def put_back(ys, b, i, xs):  d[b] = picked(d[ys], i)
@linear
def folded(ys, b, xs):       d[b] = unfolded(d[ys], b)
@linear
def unfolded(zs, b, ys):     d[b] = folded(d[zs], b)

def gaps(g, p, q):
    d[p] = scaled(1.0, d[g], p)
    d[q] = scaled(-1.0, d[g], q)
    d[g] = gaps(d[p], d[q])

def over(u, xs, length):
    d[xs] = scaled(1.0, over(d[u], length), xs)
    d[length] = -ratio(weighted(u, d[u]), length)
    d[u] = over(gaps(d[xs], scaled(d[length], u, u)), length)

def sides(u, xs, length):
    d[xs] = scaled(1.0, over(off_sides(d[u], u), length), xs)
    d[u] = over(off_sides(d[xs], u), length)

def count(n, a, axis=None, keepdims=False, where=True, ddof=0):
    d[ddof] = -d[n]
    d[n] = -d[ddof]
