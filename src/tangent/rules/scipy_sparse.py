"""Linear systems of sparse matrices, which are constants. `sparse` is `scipy.sparse.linalg`."""

@linear
@fitted
def spsolve(x, A, b, permc_spec=None, use_umfpack=True):
    d[b] = sparse.spsolve(transposed(A), d[x])
