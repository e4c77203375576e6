"""The functions of `scipy.linalg` that read what the factorisation itself returned. `linalg` is the module."""

@fitted
@cast
def solve_triangular(x, a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    g = solve_turned(a, d[x], trans, lower, unit_diagonal)
    d[a] = in_triangle_of(-system_outer(g, x, trans), lower, unit_diagonal)
    d[b] = g
    d[x] = (
        linalg.solve_triangular(a, d[b], trans, lower, unit_diagonal)
        - linalg.solve_triangular(a, applied(in_triangle_of(d[a], lower, unit_diagonal), x, trans), trans, lower, unit_diagonal)
    )

@fitted
def lu_factor(y, a, overwrite_a=False, check_finite=True):
    d[a] = lu_adjoint(d[y][0], y[0], y[1])
    d[y] = (lu_tangent(d[a], y[0], y[1]), y[1])

@fitted
@cast
def expm(y, A):
    d[A] = frechet(d[y], mT(A))
    d[y] = frechet(d[A], A)

@fitted
def solve_sylvester(x, a, b, q):
    g = linalg.solve_sylvester(mT(a), mT(b), d[x])
    d[a] = -g @ mT(x)
    d[b] = -mT(x) @ g
    d[q] = g
    d[x] = (
        linalg.solve_sylvester(a, b, d[q])
        - linalg.solve_sylvester(a, b, d[a] @ x)
        - linalg.solve_sylvester(a, b, x @ d[b])
    )

@fitted
@cast
def logm(y, A):
    d[A] = log_frechet(d[y], mT(A))
    d[y] = log_frechet(d[A], A)

@fitted
@cast
def sqrtm(y, A):
    d[A] = linalg.solve_sylvester(mT(y), mT(y), d[y])
    d[y] = linalg.solve_sylvester(y, y, d[A])

@fitted
@unread
def eigh(y, a, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    d[a] = in_triangle(eigh_adjoint(d[y], y, a, side(lower)), side(lower))
    d[y] = eigh_tangent(from_triangle(d[a], side(lower)), y)

@fitted
@cast
def eigvalsh(w, a, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    y = linalg.eigh(a, lower=lower)
    d[a] = in_triangle(eigen_sum(d[w], a, y, side(lower)), side(lower))
    d[w] = eigen_rates(from_triangle(d[a], side(lower)), y)

@fitted
@unread
def svd(y, a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    d[a] = svd_adjoint(d[y], y, a, compute_uv=compute_uv)
    d[y] = svd_tangent(d[a], y, a, compute_uv=compute_uv)

@fitted
@cast
def svdvals(s, a, overwrite_a=False, check_finite=True):
    d[a] = svdvals_adjoint(d[s], a)
    d[s] = svdvals_tangent(d[a], a)

@fitted
def qr(y, a, overwrite_a=False, lwork=None, mode="full"):
    d[a] = qr_adjoint(d[y], y, a, numpy_mode(mode))
    d[y] = qr_tangent(d[a], y, a, numpy_mode(mode))

@fitted
@cast
def solve_banded(x, l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    g = linalg.solve_banded((l_and_u[1], l_and_u[0]), banded_turned(ab, l_and_u), d[x])
    d[ab] = -banded_outer(g, x, l_and_u)
    d[b] = g
    d[x] = linalg.solve_banded(l_and_u, ab, d[b]) - linalg.solve_banded(l_and_u, ab, banded_product(d[ab], x, l_and_u))
