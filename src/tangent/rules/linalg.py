"""Linear algebra. `mT(x)` is the transpose of each matrix, `mH(x)` the conjugate transpose; stacks of matrices throughout.

Functions that read one triangle of a Hermitian matrix (`cholesky`, `eigh`, `eigvalsh`, ...) have their derivative in that triangle.
"""

# Inverses and determinants


def inv(y, a):
    d[a] = -mT(y) @ d[y] @ mT(y)
    d[y] = -y @ d[a] @ y


def det(y, a):
    d[a] = as_matrices(d[y]) * cofactors(a)
    d[y] = np.sum(cofactors(a) * d[a], axis=(-2, -1))


def slogdet(y, a):
    slope = slogdet_slope(y, a)
    d[a] = as_matrices(slogdet_weight(d[y], y)) * slope
    d[y] = slogdet_tangent(y, np.sum(slope * d[a], axis=(-2, -1)))


def pinv(y, a, rcond=None, hermitian=False, rtol=None):
    d[a] = pinv_adjoint(d[y], y, a, hermitian=hermitian)
    d[y] = pinv_tangent(d[a], y, a, hermitian=hermitian)


def tensorinv(y, a, ind=2):
    d[a] = np.reshape(-squared(y).T @ squared(d[y]) @ squared(y).T, np.shape(a))
    d[y] = np.reshape(-squared(y) @ squared(d[a]) @ squared(y), np.shape(y))


# Linear systems


@fitted
def solve(x, a, b):
    g = solve_columns(mT(a), d[x], b)
    d[a] = -columns(g, b) @ mT(columns(x, b))
    d[b] = g
    d[x] = solve_columns(a, d[b] - matmul_columns(d[a], x, b), b)


@fitted
def tensorsolve(x, a, b, axes=None):
    g = np.linalg.solve(system(a, x, axes).T, np.ravel(d[x]))
    d[a] = from_system(-np.outer(g, x), a, x, axes)
    d[b] = np.reshape(g, np.shape(b))
    d[x] = np.linalg.tensorsolve(a, d[b] - np.reshape(system(d[a], x, axes) @ np.ravel(x), np.shape(b)), axes=axes)


@fitted
def lstsq(y, a, b, rcond=None):
    c = power_of_two(a)
    p = lstsq_pinv(a / c, rcond)
    d[a] = lstsq_adjoint_a(d[y], y, a, b, p, c)
    d[b] = lstsq_adjoint_b(d[y], y, a, b, p, c)
    d[y] = lstsq_tangent(d[a], d[b], y, a, b, p, c)


# Powers and chains of products


def matrix_power(y, a, n):
    d[a] = matrix_power_tangent(d[y], mT(a), n)
    d[y] = matrix_power_tangent(d[a], a, n)


def multi_dot(z, arrays, *, out=None):
    d[arrays] = multi_dot_adjoints(d[z], arrays)
    d[z] = multi_dot_tangent(d[arrays], arrays)


# Factorisations


def cholesky(y, a, upper=False):
    d[a] = cholesky_adjoint(d[y], y, upper=upper)
    d[y] = cholesky_tangent(d[a], y, upper=upper)


def qr(y, a, mode="reduced"):
    d[a] = qr_adjoint(d[y], y, a, mode=mode)
    d[y] = qr_tangent(d[a], y, a, mode=mode)


@unread
def eigh(y, a, UPLO="L"):
    d[a] = in_triangle(eigh_adjoint(d[y], y, a, UPLO=UPLO), UPLO=UPLO)
    d[y] = eigh_tangent(from_triangle(d[a], UPLO=UPLO), y, UPLO=UPLO)


def eigvalsh(w, a, UPLO="L"):
    y = np.linalg.eigh(a, UPLO=UPLO)
    d[a] = in_triangle(eigen_sum(d[w], a, y, UPLO=UPLO), UPLO=UPLO)
    d[w] = eigen_rates(from_triangle(d[a], UPLO=UPLO), y)


@fitted
@unread
def eig(y, a):
    d[a] = eig_adjoint(d[y], y, a)
    d[y] = eig_tangent(d[a], y, a)


@fitted
def eigvals(w, a):
    y = np.linalg.eig(a)
    d[a] = general_sum(d[w], a, y)
    d[w] = general_rates(d[a], a, y)


@unread
def svd(y, a, full_matrices=True, compute_uv=True, hermitian=False):
    d[a] = svd_adjoint(d[y], y, a, compute_uv=compute_uv, hermitian=hermitian)
    d[y] = svd_tangent(d[a], y, a, compute_uv=compute_uv, hermitian=hermitian)


def svdvals(s, x):
    d[x] = svdvals_adjoint(d[s], x)
    d[s] = svdvals_tangent(d[x], x)


# Norms: one slope says both modes


def euclidean(y, x):
    d[x] = d[y] * length_slope(x, y)
    d[y] = np.sum(np.real(length_slope(x, y) * d[x]))


def norm(y, x, ord=None, axis=None, keepdims=False):
    slope = norm_slope(x, y, ord=ord, axis=axis, keepdims=keepdims)
    d[x] = at_rank(d[y], x, axis=axis, keepdims=keepdims) * slope
    d[ord] = d[y] * norm_order_slope(x, y, ord, axis, keepdims)
    d[y] = (
        np.sum(np.real(slope * d[x]), axis=axis, keepdims=keepdims)
        + by_order(d[ord], ord) * norm_order_slope(x, y, ord, axis, keepdims)
    )


def vector_norm(y, x, axis=None, keepdims=False, ord=2):
    slope = vector_norm_slope(x, ord=ord, axis=axis)
    d[x] = at_rank(d[y], x, axis=axis, keepdims=keepdims) * slope
    d[ord] = d[y] * order_slope(x, y, ord, axis, keepdims)
    d[y] = (
        np.sum(np.real(slope * d[x]), axis=axis, keepdims=keepdims)
        + by_order(d[ord], ord) * order_slope(x, y, ord, axis, keepdims)
    )


def matrix_norm(y, x, keepdims=False, ord="fro"):
    slope = matrix_norm_slope(x, ord=ord)
    d[x] = at_rank(d[y], x, axis=(-2, -1), keepdims=keepdims) * slope
    d[y] = np.sum(np.real(slope * d[x]), axis=(-2, -1), keepdims=keepdims)


def cond(y, x, p=None):
    slope = cond_slope(x, p=p)
    d[x] = as_matrices(d[y]) * slope
    d[y] = np.sum(np.real(slope * d[x]), axis=(-2, -1))


def power_norm_slope(g, x, ord=3, axis=None):
    d[x] = power_norm_turn(d[g], x, ord, axis)
    d[ord] = np.real(d[g] * power_norm_slope_by_order(x, ord, axis))
    d[g] = (
        power_norm_turn(d[x], x, ord, axis)
        + d[ord] * power_norm_slope_by_order(x, ord, axis)
    )


# Names of the array API whose axes are the last ones


@linear
def linalg_trace(y, x, offset=0, dtype=None):  d[x] = along_diagonal(d[y], x, offset, -2, -1)
@linear
def linalg_diagonal(y, x, offset=0):           d[x] = on_diagonal(d[y], x, offset, -2, -1)


# Kernels


def cofactors(y, a):
    d[a] = cofactors_slope(d[y], a)
    d[y] = cofactors_slope(d[a], a)


@fitted
def quotient(z, x, g, w):
    d[x] = quotient(d[z], g, w)
    d[w] = gap_sums(quotient(d[z] * z, g, w))
    d[z] = quotient(d[x] - z * gaps_of(d[w]), g, w)


@fitted
def over_values(z, x, g, s, given=False):
    e = x if given else g
    d[x] = over_values(d[z], e, s)
    d[s] = -over_values(d[z] * z, e, s)
    d[z] = over_values(d[x], e, s) - over_values(z * d[s], e, s)


def eigen_sum(k, b, a, y, UPLO="L"):
    d[b] = eigen_shares(d[k], y)
    d[a] = in_triangle(eigen_sum_adjoint(d[k], b, y, asked=asked), UPLO=UPLO)
    d[k] = eigen_sum_tangent(d[b], d[a], b, a, y, UPLO=UPLO, asked=asked)


def singular_sum(k, b, a, y):
    d[b] = singular_shares(d[k], y)
    d[a] = singular_sum_adjoint(d[k], b, y, asked=asked)
    d[k] = singular_sum_tangent(d[b], d[a], b, a, y, asked=asked)


@fitted
def general_sum(k, b, a, y):
    d[b] = general_shares(d[k], y)
    d[a] = general_sum_adjoint(d[k], b, y, asked=asked)
    d[k] = general_sum_tangent(d[b], d[a], b, a, y, asked=asked)


@fitted
def general_rates(r, t, a, y):
    d[t] = general_sum(d[r], a, y)
    d[a] = general_sum_adjoint(t, d[r], y)
    d[r] = general_rates_tangent(d[t], d[a], t, y, asked=asked)


def undetermined(z, b, g, w):
    d[b] = undetermined_adjoint(d[z], b, w)
    d[z] = undetermined_tangent(d[b], w)


def apart(y, r, g, w):
    d[r] = d[y]
    d[w] = np.zeros_like(w)
    d[y] = d[r]


def filling_of(y, u, k):
    d[u] = filling_adjoint(d[y], u, y, k)
    d[y] = filling_tangent(d[u], u, y, k)


def solve_lower(x, a, b):
    g = solve_upper(mT(a), d[x])
    d[a] = -np.tril(g @ mT(x))
    d[b] = g
    d[x] = solve_lower(a, d[b] - np.tril(d[a]) @ x)


def solve_upper(x, a, b):
    g = solve_lower(mT(a), d[x])
    d[a] = -np.triu(g @ mT(x))
    d[b] = g
    d[x] = solve_upper(a, d[b] - np.triu(d[a]) @ x)
