"""Matrices of SciPy's that hold no zeros, as constants: their products with arrays, and what is refused."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import blas
from scipy.sparse import linalg

import tangent

DENSE = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, 1.0]])
A = sparse.csr_matrix(DENSE)
SQUARE = sparse.coo_array(DENSE[:2])
X = np.array([0.5, 1.5])


class Heat:
    def __init__(self, n):
        self.laplacian = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n), format="csr")

    def step(self, u, dt=0.1):
        return u + dt * (self.laplacian @ u) + dt * (self.laplacian @ u) * u

    def flux(self, u):
        return self.laplacian.dot(u) * u


HEAT = Heat(2)


def of_a_module(x):
    return np.sum((A @ x) ** 3)


def from_both_sides(x):
    return np.sum((x @ SQUARE) * (A.T @ (A @ x)))


def of_matrices(x):
    return np.sum((SQUARE @ np.outer(x, x) + np.ones((4, 2, 2))) ** 2)


def of_an_object(x):
    for _ in range(3):
        x = HEAT.step(x)
    return np.sum((HEAT.laplacian @ x) ** 2)


def of_an_object_made_here(x):
    heat = Heat(2)
    return np.sum(heat.step(x) ** 3)


def in_place(x):
    u, v = x.copy(), np.zeros(2)
    for _ in range(3):
        v[:] = SQUARE @ u
        u += 0.1 * v
    return u @ u


def of_a_gradient(x):
    return np.sum(tangent.grad(of_a_module)(x) ** 2)


@pytest.mark.parametrize(
    "f", [of_a_module, from_both_sides, of_matrices, of_an_object, of_an_object_made_here, in_place, of_a_gradient]
)
def test_products_with_arrays(f):
    tangent.check_grads(f, (X,), order=2)
    df = tangent.grad(f)
    assert len({tuple(df(X)) for _ in range(4)}) == 1
    assert df(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("f", [lambda x: np.sum(A.dot(x) ** 3), lambda x: np.sum(HEAT.flux(x) ** 2)])
def test_products_by_a_method(f):
    tangent.check_grads(f, (X,))


def test_systems():
    full = sparse.csc_matrix(np.array([[4.0, 1.0], [2.0, 3.0]]))

    def solved(x):
        return np.sum(linalg.spsolve(full, np.sin(x)) ** 2) + np.sum(linalg.spsolve(full.T, np.outer(x, x)))

    tangent.check_grads(solved, (X,), order=2)


def test_a_sparse_argument():
    df = tangent.grad(lambda a, x: np.sum(np.tanh(a @ x)), 1)
    for _ in range(3):
        np.testing.assert_allclose(df(A, X), df(DENSE, X))


@pytest.mark.parametrize(
    "f",
    [lambda x: np.sum(SQUARE * x), lambda x: (A * x).sum(), lambda x: A.multiply(x).sum(), lambda x: (A * x[0]) @ x],
)
def test_other_operators_are_refused(f):
    with pytest.raises(tangent.TangentError):
        tangent.grad(f, check_dims=False)(X)
    with pytest.raises(tangent.TangentError):
        tangent.jvp(f)(X, X)


def filled_by_its_name(x):
    out = np.zeros(2)
    blas.daxpy(x, out)
    return np.sum(out)


def filled_by_an_attribute(x):
    out = np.zeros(3)
    for multiply in [getattr(sparse._sparsetools, "csr_matvec")]:  # noqa: B009
        multiply(3, 2, A.indptr, A.indices, A.data, x, out)
    return np.sum(out)


class Filling:
    def apply(self, x):
        out = np.zeros(3)
        sparse._sparsetools.csr_matvec(3, 2, A.indptr, A.indices, A.data, x, out)
        return out


FILLING = Filling()


def filled_in_a_method(x):
    return np.sum(FILLING.apply(x))


@pytest.mark.parametrize("f", [filled_by_its_name, filled_by_an_attribute, filled_in_a_method])
def test_foreign_functions_that_fill_arrays_are_refused(f):
    with pytest.raises(tangent.TangentError, match=r"writes into its argument|write in place"):
        tangent.grad(f)(X)
