"""Code of the user in compiled derivatives: the same gradients as in Python."""

import numpy as np
import pytest

from tangent import grad, insert_grad_of, vjp

pytest.importorskip("numba")
X = np.linspace(0.3, 1.2, 4)


def clipped(x):
    y = x * x
    with insert_grad_of(y) as dy:
        if dy > 0.5:
            dy = 0.5
    return y * y


def scaled_at_every_step(x, n):
    h = x
    for i in range(n):
        h = np.sin(h * x)
        with insert_grad_of(h) as dh:
            norm = np.sqrt(np.sum(dh * dh))
            if norm > 0.1:
                dh = dh * (0.1 + i) / norm
    return np.sum(h)


def truncated(x, n, k):
    h = x
    for i in range(n):
        h = np.sin(h * x)
        with insert_grad_of(h):
            if i < n - k:
                break
    return np.sum(h)


def truncated_in_place(x, n, k):
    a = x.copy()
    for i in range(n):
        a[1:] = a[:-1] * x[1:] * a[1:]
        with insert_grad_of(x):
            if i < n - k:
                break
    return np.sum(a)


def left_out(x, n):
    h = x
    for i in range(n):
        h = h * x
        with insert_grad_of(h) as dh:
            if i == 1:
                continue
            dh = 0.5 * dh
    return np.sum(h)


def element_by_element(x):
    a = np.zeros(4)
    for i in range(4):
        a[i] = x[i] ** 2
        with insert_grad_of(a[i]) as g:
            with insert_grad_of(x) as dx:
                dx = dx + 1.0
            g = 10.0 * g
    return np.sum(a)


def without_one(x):
    y = x * x
    with insert_grad_of(y[1]) as dy1:
        dy1 = 0.0 * dy1
    return np.sum(y * y)


def two_at_once(x):
    y = x * x
    z = np.sin(x)
    with insert_grad_of(y) as dy, insert_grad_of(z) as dz:
        dy, dz = 0.5 * dy, 2.0 * dz
    return np.sum(y * z)


def halved(y, share):
    z = y * y
    with insert_grad_of(z) as dz:
        dz = dz * share
    return z


def in_a_callee(x):
    return np.sum(halved(x, 0.5) * halved(x, 2.0))


@pytest.mark.parametrize(
    "f, args",
    [(clipped, (1.3,)), (scaled_at_every_step, (X, 4)), (truncated, (X, 4, 2)), (truncated_in_place, (X, 3, 2)),
     (left_out, (X, 3)), (element_by_element, (X,)),
     (without_one, (X,)), (two_at_once, (X,)), (in_a_callee, (X,))],
)  # fmt: skip
def test_inserted_code_is_compiled(f, args):
    np.testing.assert_allclose(grad(f, compile="numba")(*args), grad(f)(*args), rtol=1e-12)


def test_second_order():
    first = grad(truncated)
    second = vjp(first, compile="numba")
    np.testing.assert_allclose(second(X, 4, 2, 1.0, X), vjp(first)(X, 4, 2, 1.0, X), rtol=1e-12)
