"""Methods of ufuncs. See docs/rules.md for the notation."""

# Other reductions of ufuncs; those of add, multiply, maximum and minimum are sum, prod, max and min

def logaddexp_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    x = computed_in(array, dtype)
    w = reduction_shares(exponential_shares, x, y, axis, keepdims, initial, where)
    d[array] = spread(d[y], array, axis, keepdims, where) * taken_back(w, array, dtype)
    d[initial] = d[y] * initial_share(exponential_shares, initial, x, y, axis, keepdims, where)
    d[y] = (
        np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where)
        + d[initial] * initial_share(exponential_shares, initial, x, y, axis, keepdims, where)
    )

def logaddexp2_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    x = computed_in(array, dtype)
    w = reduction_shares(binary_shares, x, y, axis, keepdims, initial, where)
    d[array] = spread(d[y], array, axis, keepdims, where) * taken_back(w, array, dtype)
    d[initial] = d[y] * initial_share(binary_shares, initial, x, y, axis, keepdims, where)
    d[y] = (
        np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where)
        + d[initial] * initial_share(binary_shares, initial, x, y, axis, keepdims, where)
    )

def hypot_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    x = computed_in(array, dtype)
    w = reduction_shares(length_shares, x, y, axis, keepdims, initial, where)
    d[array] = spread(d[y], array, axis, keepdims, where) * taken_back(w, array, dtype)
    d[initial] = d[y] * initial_share(length_shares, initial, x, y, axis, keepdims, where)
    d[y] = (
        np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where)
        + d[initial] * initial_share(length_shares, initial, x, y, axis, keepdims, where)
    )

@linear
def subtract_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    d[array] = spread(d[y], array, axis, keepdims) * first_against_rest(array, axis)

def divide_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    x = computed_in(array, dtype)
    w = spread(y, x, axis, keepdims) * first_against_rest(x, axis)
    d[array] = spread(d[y], array, axis, keepdims) * taken_back(w / x, array, dtype)
    d[y] = np.sum(w * (d[array] / x), axis=axis, keepdims=keepdims)

@linear
@fitted
def add_reduceat(y, array, indices, axis=0, dtype=None, out=None):
    d[array] = reduceat_adjoint(d[y], array, indices, axis)

# Outer forms of ufuncs: the first operand has axes of its own, the second is broadcast; others are written out

@fitted
def add_outer(z, A, B, dtype=None):
    d[A] = sum_behind(d[z], A)
    d[B] = d[z]
    d[z] = np.add.outer(d[A], d[B], dtype=dtype)

@fitted
def subtract_outer(z, A, B, dtype=None):
    d[A] = sum_behind(d[z], A)
    d[B] = -d[z]
    d[z] = np.subtract.outer(d[A], d[B], dtype=dtype)

@linear
@fitted
def multiply_outer(z, A, B, dtype=None):
    d[A] = np.tensordot(d[z], B, np.ndim(B))
    d[B] = np.tensordot(A, d[z], np.ndim(A))
