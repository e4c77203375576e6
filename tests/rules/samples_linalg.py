"""Samples of the linear algebra rules: single matrices, stacks, complex ones, every keyword."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, positive, real, spd


def regular(n: int, *batch: int, seed: int = 0) -> np.ndarray:
    """Matrices far from singular ones, with distinct eigenvalues."""
    return real(*batch, n, n, seed=seed) + np.diag(1.5 * np.arange(2, n + 2))


def herm(n: int, *batch: int) -> np.ndarray:
    """Complex Hermitian positive definite matrices with distinct eigenvalues."""
    a = cplx(*batch, n, n)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.diag(1.5 * np.arange(2, n + 2))


SAMPLES: dict[str, list[Sample]] = {
    "inv": [
        S("np.linalg.inv(x)", x=regular(3)),
        S("np.linalg.inv(x)", x=regular(2, 2)),
        S("np.linalg.inv(x)", x=regular(2) + 1j * real(2, 2)),
    ],
    "det": [
        S("np.linalg.det(x)", x=regular(3)),
        S("np.linalg.det(x)", x=regular(2, 3)),
        S("np.linalg.det(x)", x=cplx(2, 2)),
        S("np.linalg.det(x)", x=np.ones((3, 3)) + np.diag([0.0, 0.0, 1.0])),
        S("np.linalg.det(x)", x=real(1, 1)),
    ],
    "slogdet": [
        S("np.linalg.slogdet(x)[1]", x=regular(3)),
        S("np.linalg.slogdet(x)", x=regular(2, 2)),
        S("np.linalg.slogdet(x)", x=regular(2) + 1j * real(2, 2)),
    ],
    "pinv": [
        S("np.linalg.pinv(x)", x=real(3, 2)),
        S("np.linalg.pinv(x)", x=real(2, 3)),
        S("np.linalg.pinv(x)", x=regular(2, 2)),
        S("np.linalg.pinv(x)", x=cplx(3, 2)),
        S("np.linalg.pinv(x, hermitian=True)", x=spd(2)),
    ],
    "tensorinv": [
        S("np.linalg.tensorinv(x)", x=(regular(4)).reshape(2, 2, 4)),
        S("np.linalg.tensorinv(x, ind=1)", x=(regular(4)).reshape(4, 2, 2)),
    ],
    "solve": [
        S("np.linalg.solve(x, y)", x=regular(3), y=real(3)),
        S("np.linalg.solve(x, y)", x=regular(2), y=real(2, 3)),
        S("np.linalg.solve(x, y)", x=regular(2, 2), y=real(2)),
        S("np.linalg.solve(x, y)", x=regular(2), y=real(2, 2, 1)),
        S("np.linalg.solve(a=x, b=y)", x=regular(2, 2), y=real(2, 1)),
        S("np.linalg.solve(x, y)", x=regular(2) + 1j * real(2, 2), y=real(2)),
    ],
    "tensorsolve": [
        S("np.linalg.tensorsolve(x, y)", x=regular(4).reshape(2, 2, 4), y=real(2, 2)),
        S(
            "np.linalg.tensorsolve(x, y, axes=(0,))",
            x=np.moveaxis(regular(4).reshape(2, 2, 4), 2, 0).copy(),
            y=real(2, 2),
        ),
    ],
    "lstsq": [
        S("np.linalg.lstsq(x, y)[0]", x=real(3, 2), y=real(3)),
        S("np.linalg.lstsq(x, y)[1]", x=real(3, 2), y=real(3, 2, seed=1)),
        S("np.linalg.lstsq(x, y, rcond=None)[3]", x=real(3, 2), y=real(3)),
        S("np.linalg.lstsq(x, y)[0]", x=real(2, 3), y=real(2, 1)),
        S("np.linalg.lstsq(x, y)[0]", x=cplx(3, 2), y=cplx(3)),
        S("np.linalg.lstsq(x, y)[0]", x=cplx(2, 3), y=cplx(2, 2)),
        S("np.linalg.lstsq(x, y)[1]", x=cplx(3, 2), y=cplx(3)),
    ],
    "matrix_power": [
        S("np.linalg.matrix_power(x, 3)", x=real(2, 2)),
        S("np.linalg.matrix_power(x, n=-2)", x=regular(2, 2)),
        S("np.linalg.matrix_power(x, 0)", x=real(2, 2)),
        S("np.linalg.matrix_power(x, 1)", x=cplx(2, 2)),
    ],
    "multi_dot": [
        S("np.linalg.multi_dot([x, y, z])", x=real(2, 3), y=real(3, 2), z=real(2, 1)),
        S("np.linalg.multi_dot((x, y, z))", x=real(3), y=real(3, 2), z=real(2)),
        S("np.linalg.multi_dot([x, y])", x=cplx(2, 2), y=real(2)),
        S("np.linalg.multi_dot([x, y, z])", x=real(2, 0), y=real(0, 3), z=real(3, 0)),
        S("multi_dot_adjoints(b, [x, y])", b=real(2, 2), x=real(2, 3), y=real(3, 2)),
        S("multi_dot_tangent([t, u], [x, y])", t=real(1, 2), u=real(2, 1), x=real(1, 2, seed=1), y=real(2, 1, seed=1)),
    ],
    "cholesky": [
        S("np.linalg.cholesky(x)", x=spd(3)),
        S("np.linalg.cholesky(x, upper=True)", x=spd(2)),
        S("np.linalg.cholesky(x)", x=spd(2, 2)),
        S("np.linalg.cholesky(x)", x=herm(2)),
        S("np.linalg.cholesky(x, upper=True)", x=herm(3)),
        S("np.linalg.cholesky(x)[33:, :3]", x=spd(36)),
        S("np.linalg.qr(x)[1][:3]", x=regular(36)),
    ],
    "cofactors": [
        S("cofactors(a)", a=regular(3)),
        S("cofactors(a)", a=regular(2, 2) + 1j * real(2, 2)),
        S("cofactors(a)", a=np.outer([1.0, 2.0, -1.0], [0.5, 1.0, 2.0])),
    ],
    "eigen_sum": [
        S("eigen_sum(b, x, np.linalg.eigh(x))", b=real(3), x=spd(3)),
        S("eigen_sum(b, x, np.linalg.eigh(x, 'U'), UPLO='U')", b=real(2, 2), x=herm(2, 2)),
        S("eigen_sum(b, x, np.linalg.eigh(x))", "b", b=real(3), x=spd(3)),
    ],
    "singular_sum": [
        S("singular_sum(b, x, thin_svd(x))", b=real(2), x=real(2, 3)),
        S("singular_sum(b, x, thin_svd(x))", b=real(2), x=cplx(3, 2)),
        S("singular_sum(b, x, thin_svd(x))", "b", b=real(2, 2), x=real(2, 2, 2)),
    ],
    "general_sum": [
        S("general_sum(b, x, np.linalg.eig(x))", b=real(3), x=regular(3)),
        S("general_sum(b, x, np.linalg.eig(x))", b=cplx(2), x=regular(2) + 1j * real(2, 2)),
    ],
    "general_rates": [
        S("general_rates(t, x, np.linalg.eig(x))", t=real(3, 3), x=regular(3)),
        S("general_rates(t, x, np.linalg.eig(x))", t=cplx(2, 2), x=regular(2) + 1j * real(2, 2)),
    ],
    "apart": [S("apart(r, g, w)", "g", "w", r=real(2), g=real(2, 2), w=np.array([0.5, 1.5]))],
    "over_values": [
        S("over_values(x, g, s)", "g", x=real(3, 3), g=real(3, 3), s=positive(3, 3)),
        S("over_values(z, g, s)", "g", z=cplx(2, 3), g=cplx(2, 3), s=positive(1, 3)),
        S("over_values(x, x, s, True)", x=real(2, 2), s=positive(2, 2)),
    ],
    "quotient": [
        S("quotient(x, g, w)", "g", x=real(3, 3), g=real(3, 3), w=np.array([0.5, 1.5, 4.0])),
        S("quotient(x, g, w)", "g", x=cplx(2, 2), g=cplx(2, 2), w=np.array([0.5, 1.5])),
        S("quotient(x, g, w)", "g", x=cplx(2, 2), g=cplx(2, 2), w=np.array([0.5 + 0.2j, 1.5 - 0.3j])),
    ],
    "half_triangle": [S("half_triangle(x)", x=real(2, 3, 3)), S("half_triangle(x)", x=cplx(2, 2))],
    "solve_lower": [
        S("solve_lower(np.tril(a), b)", a=regular(3), b=real(3, 2)),
        S("solve_lower(np.tril(a), b)", a=regular(2, 2) + 1j * real(2, 2), b=cplx(2, 2, 3)),
    ],
    "solve_upper": [
        S("solve_upper(np.triu(a), b)", a=regular(3), b=real(3, 2)),
        S("solve_upper(np.triu(a), b)", a=regular(2, 2) + 1j * real(2, 2), b=cplx(2, 2, 3)),
    ],
    "qr": [
        S("np.linalg.qr(x)", x=regular(3)),
        S("np.linalg.qr(x)", x=real(3, 2)),
        S("np.linalg.qr(x)", x=real(2, 3)),
        S("np.linalg.qr(x, mode='r')", x=real(3, 2)),
        S("np.linalg.qr(x, 'r')", x=real(2, 3)),
        S("np.linalg.qr(x, mode='complete')", x=real(2, 3)),
        S("np.linalg.qr(x, mode='complete')[1]", x=real(4, 2)),
        S("np.linalg.qr(x, 'complete')[0][:, :2]", x=cplx(3, 2)),
        S("np.linalg.qr(x, 'complete')", x=regular(3, 2)),
        S("np.linalg.qr(x, mode='raw')", x=real(4, 3)),
        S("np.linalg.qr(x, mode='raw')", x=cplx(2, 2)),
        S("np.linalg.qr(x, 'raw')", x=real(2, 2, 3)),
        S("np.linalg.qr(x, 'complete')", x=real(3, 2)),
        S("np.linalg.qr(x)", x=regular(2, 2)),
        S("np.linalg.qr(x)", x=cplx(3, 2)),
        S("np.linalg.qr(x)", x=cplx(2, 3)),
    ],
    "eigh": [
        S("np.linalg.eigh(x)", x=spd(3)),
        S("np.linalg.eigh(x, UPLO='U')", x=spd(2)),
        S("np.linalg.eigh(x)[1]", x=spd(2, 2)),
        S("np.linalg.eigh(x)", x=herm(3)),
        S("np.linalg.eigh(x, 'U')", x=herm(2)),
        S("np.linalg.eigh(x)[0]", x=np.diag([1.0, 2.0, 4.0])),
    ],
    "eigvalsh": [
        S("np.linalg.eigvalsh(x)", x=spd(3)),
        S("np.linalg.eigvalsh(x, UPLO='U')", x=spd(2, 2)),
        S("np.linalg.eigvalsh(x)", x=herm(2)),
    ],
    "eig": [
        S("np.linalg.eig(x)", x=regular(3)),
        S("np.linalg.eig(x)", x=np.array([[0.5, -1.0], [1.3, 0.2]])),
        S("np.linalg.eig(x)[0]", x=regular(2, 2)),
        S("np.linalg.eig(x)", x=regular(3) + 1j * real(3, 3)),
    ],
    "eigvals": [
        S("np.linalg.eigvals(x)", x=regular(3)),
        S("np.linalg.eigvals(x)", x=np.array([[0.5, -1.0], [1.3, 0.2]])),
        S("np.linalg.eigvals(x)", x=regular(2, 2) + 1j * real(2, 2, 2)),
    ],
    "svd": [
        S("np.linalg.svd(x)", x=regular(3)),
        S("np.linalg.svd(x, full_matrices=False)", x=real(3, 2)),
        S("np.linalg.svd(x, False)", x=real(2, 3)),
        S("np.linalg.svd(x)[1]", x=real(2, 3)),
        S("np.linalg.svd(x, True, False)", x=real(2, 4)),
        S("np.linalg.svd(x)[2][:2]", x=real(2, 4)),
        S("np.linalg.svd(x, full_matrices=True)[0][:, :2]", x=real(4, 2)),
        S("np.linalg.svd(x, compute_uv=False)", x=real(3, 2)),
        S("np.linalg.svd(x, full_matrices=False)", x=real(2, 3, 2)),
        S("np.linalg.svd(x, full_matrices=False)", x=cplx(3, 2)),
        S("np.linalg.svd(x, full_matrices=False)", x=cplx(2, 3)),
        S("np.linalg.svd(x, hermitian=True)[1]", x=spd(2)),
        S("np.linalg.svd(x)", x=real(3, 2)),
        S("np.linalg.svd(x)[2]", x=real(2, 3)),
    ],
    "svdvals": [
        S("np.linalg.svdvals(x)", x=real(3, 2)),
        S("np.linalg.svdvals(x)", x=real(2, 2, 3)),
        S("np.linalg.svdvals(x)", x=cplx(2, 2)),
    ],
    "power_norm_slope": [
        S("power_norm_slope(x, 3)", x=real(3)),
        S("power_norm_slope(x, p, axis=0)", x=real(2, 3), p=-1.5),
        S("power_norm_slope(x, 2.5, (0, 1))", x=cplx(2, 2)),
    ],
    "norm": [
        S("np.linalg.norm(x)", x=np.full(2, -6.63535198304047)),
        S("np.linalg.norm(x)", x=real(3)),
        S("np.linalg.norm(x)", x=real(2, 1, 3)),
        S("np.linalg.norm(x)", x=cplx(2, 2)),
        S("np.linalg.norm(x, axis=1)", x=real(2, 3)),
        S("np.linalg.norm(x, axis=-1, keepdims=True)", x=cplx(2, 3)),
        S("np.linalg.norm(x, 1)", x=real(3)),
        S("np.linalg.norm(x, ord=3, axis=0)", x=real(2, 3)),
        S("np.linalg.norm(x, 0.5)", x=real(3)),
        S("np.linalg.norm(x, -1.5)", x=cplx(3)),
        S("np.linalg.norm(x, np.inf)", x=real(3)),
        S("np.linalg.norm(x, -np.inf)", x=cplx(3)),
        S("np.linalg.norm(x, 0)", x=real(3)),
        S("np.linalg.norm(x, 'fro')", x=real(2, 3)),
        S("np.linalg.norm(x, 'nuc')", x=real(2, 3)),
        S("np.linalg.norm(x, 2)", x=real(2, 3)),
        S("np.linalg.norm(x, -2, axis=(0, 1))", x=real(3, 2)),
        S("np.linalg.norm(x, 1, axis=(2, 0))", x=real(2, 2, 3)),
        S("np.linalg.norm(x, -1)", x=real(2, 3)),
        S("np.linalg.norm(x, np.inf, axis=(0, 1), keepdims=True)", x=cplx(2, 3)),
        S("np.linalg.norm(x, -np.inf)", x=real(2, 3)),
        S("np.linalg.norm(x, 'nuc', axis=(0, 2))", x=real(2, 2, 2)),
        S("np.linalg.norm(x, ord=p, axis=0)", x=positive(3, 2), p=2.5),
        S("np.linalg.norm(x, ord=p)", x=positive(3), p=np.array(2.5)),
        S("np.linalg.norm(x, ord=p)", x=real(3), p=2.0),
        S("np.linalg.norm(x, ord=p)", "p", x=np.array([3.0, 0.0, 4.0]), p=2.0),
        S("np.linalg.norm(x, ord=p)", "p", x=np.array([3.0 + 1j, 0.0, 4j]), p=2.0),
        S("np.linalg.norm(x, 2.0, axis=1)", x=np.array([[0.0, 0.5, -1.5], [2.0, 0.0, 0.0]])),
        S("np.linalg.norm(x, ord=p, axis=1)", x=real(2, 3), p=1.0),
    ],
    "vector_norm": [
        S("np.linalg.vector_norm(x)", x=real(2, 3)),
        S("np.linalg.vector_norm(x, axis=0, ord=1)", x=real(2, 3)),
        S("np.linalg.vector_norm(x, axis=0, ord=None)", x=real(2, 3)),
        S("np.linalg.vector_norm(x, axis=(0, 2), keepdims=True)", x=real(2, 2, 3)),
        S("np.linalg.vector_norm(x, ord=np.inf)", x=real(2, 3)),
        S("np.linalg.vector_norm(x, ord=4, keepdims=True)", x=cplx(2, 2)),
        S("np.linalg.vector_norm(x, ord=p)", x=positive(2, 2), p=1.5),
        S("np.linalg.vector_norm(x, ord=p)", x=real(2, 2), p=2.0),
    ],
    "matrix_norm": [
        S("np.linalg.matrix_norm(x)", x=real(2, 2, 3)),
        S("np.linalg.matrix_norm(x, ord='nuc', keepdims=True)", x=real(2, 3)),
        S("np.linalg.matrix_norm(x, ord=1)", x=real(2, 3)),
        S("np.linalg.matrix_norm(x, ord=-2)", x=cplx(2, 3)),
    ],
    "cond": [
        S("np.linalg.cond(x)", x=real(3, 2)),
        S("np.linalg.cond(x, -2)", x=regular(2, 2)),
        S("np.linalg.cond(x, p='fro')", x=regular(2)),
        S("np.linalg.cond(x, 1)", x=regular(2) + 1j * real(2, 2)),
        S("np.linalg.cond(x, np.inf)", x=regular(2, 2)),
    ],
    "linalg_trace": [
        S("np.linalg.trace(x)", x=real(2, 2, 2)),
        S("np.linalg.trace(x, offset=1)", x=real(2, 3)),
        S("np.linalg.trace(x, dtype=complex)", x=real(2, 2, 2)),
    ],
    "linalg_diagonal": [
        S("np.linalg.diagonal(x)", x=real(2, 2, 3)),
        S("np.linalg.diagonal(x, offset=-1)", x=real(3, 2)),
    ],
}
