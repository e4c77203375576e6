"""Order statistics and sorting. See docs/rules.md for the notation."""

# Order statistics: the weights of the elements are constant between ties

def median(y, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    w = quantile_weights(a, 0.5, axis, y=y)
    d[a] = unmixed(d[y], w, a, axis, keepdims)
    d[y] = mixed(w, d[a], axis, keepdims)

@fitted
@cast
def quantile(y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    w = quantile_weights(a, q, axis, method, weights, y)
    s = quantile_slopes(a, q, axis, method)
    d[a] = unmixed(d[y], w, a, axis, keepdims)
    d[q] = sum_behind(d[y] * mixed(s, a, axis, keepdims), q)
    d[y] = mixed(w, d[a], axis, keepdims) + expand_behind(d[q], y) * mixed(s, a, axis, keepdims)

@fitted
@cast
def percentile(y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    w = quantile_weights(a, np.divide(q, 100.0), axis, method, weights, y)
    s = quantile_slopes(a, np.divide(q, 100.0), axis, method) / 100.0
    d[a] = unmixed(d[y], w, a, axis, keepdims)
    d[q] = sum_behind(d[y] * mixed(s, a, axis, keepdims), q)
    d[y] = mixed(w, d[a], axis, keepdims) + expand_behind(d[q], y) * mixed(s, a, axis, keepdims)

def sort(y, a, axis=-1, kind=None, *, order=None, stable=None):
    i = sorting(a, y, axis)
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

@fitted
@cast
def sort_complex(y, a):
    i = sorting(a, y, -1)
    d[a] = unpermute(d[y], i, a, -1)
    d[y] = np.take_along_axis(d[a], i, -1)
