"""Methods of ufuncs. See docs/rules.md for the notation."""

# Other reductions of ufuncs; those of add, multiply, maximum and minimum are sum, prod, max and min

def logaddexp_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    w = logarithm_shares(array, y, axis, keepdims, initial, where)
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = d[y] * np.exp(gap(initial, y))
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * np.exp(gap(initial, y))

def logaddexp2_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    w = np.exp2(gap(array, spread(y, array, axis, keepdims)))
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = d[y] * np.exp2(gap(initial, y))
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * np.exp2(gap(initial, y))

def hypot_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    w = length_shares(array, y, axis, keepdims, initial, where)
    d[array] = spread(d[y], array, axis, keepdims, where) * w
    d[initial] = d[y] * cosine(initial, y)
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims, where=where) + d[initial] * cosine(initial, y)

@linear
def subtract_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    d[array] = spread(d[y], array, axis, keepdims) * first_against_rest(array, axis)

def divide_reduce(y, array, axis=None, dtype=None, out=None, keepdims=False):
    w = spread(y, array, axis, keepdims) * first_against_rest(array, axis) / array
    d[array] = spread(d[y], array, axis, keepdims) * w
    d[y] = np.sum(w * d[array], axis=axis, keepdims=keepdims)

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
