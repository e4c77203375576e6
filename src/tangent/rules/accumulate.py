"""Accumulations: running sums, products and maxima. See docs/rules.md for the notation."""

# Accumulations

@linear
@fitted
def cumsum(y, a, axis=None, dtype=None, out=None):
    d[a] = cumsum_reversed(d[y], a, axis)

def cumprod(y, a, axis=None, dtype=None, out=None):
    d[a] = cumprod_adjoint(d[y], a, y, axis)
    d[y] = cumprod_tangent(d[a], a, y, axis)

@linear
@fitted
def cumulative_sum(y, x, *, axis=None, dtype=None, out=None, include_initial=False):
    d[x] = cumsum_reversed(without_first(d[y], axis, include_initial), x, axis)

def cumulative_prod(y, x, *, axis=None, dtype=None, out=None, include_initial=False):
    d[x] = cumprod_adjoint(without_first(d[y], axis, include_initial), x, without_first(y, axis, include_initial), axis)
    d[y] = with_first(cumprod_tangent(d[x], x, without_first(y, axis, include_initial), axis), axis, include_initial)

@fitted
def maximum_accumulate(y, array, axis=0, dtype=None, out=None):
    i = last_record(array, y, axis)
    d[array] = sum_along(d[y], i, axis)
    d[y] = np.take_along_axis(d[array], i, axis)

@fitted
def logaddexp_accumulate(y, array, axis=0, dtype=None, out=None):
    d[array] = running_mean_adjoint(d[y], computed_in(array, dtype), y, axis)
    d[y] = running_mean(d[array], computed_in(array, dtype), y, axis)

@fitted
def logaddexp2_accumulate(y, array, axis=0, dtype=None, out=None):
    d[array] = running_mean_adjoint(d[y], computed_in(array, dtype), y, axis, True)
    d[y] = running_mean(d[array], computed_in(array, dtype), y, axis, True)

@fitted
def nancumsum(y, a, axis=None, dtype=None, out=None):
    d[a] = np.where(np.isnan(a), 0.0, cumsum_reversed(d[y], a, axis))
    d[y] = np.cumsum(np.where(np.isnan(a), 0.0, d[a]), axis=axis)

def nancumprod(y, a, axis=None, dtype=None, out=None):
    m = np.isnan(a)
    c = np.where(m, 1.0, a)
    d[a] = np.where(m, 0.0, cumprod_adjoint(d[y], c, y, axis))
    d[y] = cumprod_tangent(np.where(m, 0.0, d[a]), c, y, axis)

# Kernels

def running_mean(m, t, a, y, axis=0, binary=False):
    d[t] = running_mean_adjoint(d[m], a, y, axis, binary)
    d[a] = running_covariance_adjoint(d[m], t, a, y, axis, binary)
    d[m] = running_mean(d[t], a, y, axis, binary) + running_covariance(d[a], t, a, y, axis, binary)

def running_mean_adjoint(g, b, a, y, axis=0, binary=False):
    d[b] = running_mean(d[g], a, y, axis, binary)
    d[a] = running_covariance_adjoint(b, d[g], a, y, axis, binary)
    d[g] = running_mean_adjoint(d[b], a, y, axis, binary) + running_covariance_adjoint(b, d[a], a, y, axis, binary)

def recurrence(r, a, b):
    q = recurrence_back(a, d[r])
    d[a] = q * shifted(r, 1)
    d[b] = q
    d[r] = recurrence(a, d[b] + d[a] * shifted(r, 1))
