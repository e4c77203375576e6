"""Versions for complex numbers of Python: plain arithmetic, with the gradients that the raw code gives."""

import cmath

import numpy as np
import pytest

import tangent


def orbit(c, n):
    z = 0j
    for _ in range(n):
        z = z * z + c
    return abs(z)


def turned(a, b, n):
    z, w = complex(a, b), 1.0 + 0j
    for k in range(n):
        w = w * z + 1j * k - w / (2.0 + z)
    return w.real * w.imag


def waves(z, x):
    s = x * z
    for k in range(3):
        s = s + cmath.exp(-z * k) * x**2
    return (s * s.conjugate()).real + abs(z - x) + s.imag


def mean_of(z, xs):
    s = 0j
    for x in xs:
        s += z * x
    return np.abs(s) ** 2


def scaled(z, k):
    return z * z * k


def signs(z, x):
    return np.abs(np.sum((np.sign(z) * x + 1j) ** 2))


PROGRAMS = [
    (orbit, (0.1 + 0.2j, 20), 0), (orbit, (0.1 + 0.2j, 0), 0), (orbit, (0.3, 5), 0), (turned, (0.3, 0.2, 12), (0, 1)),
    (turned, (0.3, 0.2, 0), (0, 1)), (waves, (0.4 - 0.3j, 1.5), (0, 1)), (waves, (0.4 - 0.3j, 1.5 + 1j), (0, 1)),
    (mean_of, (0.4 - 0.3j, np.arange(3.0)), (0, 1)), (mean_of, (0.4 - 0.3j, np.arange(3.0) * 1j), (0, 1)),
    (waves, (np.complex128(0.4 - 0.3j), 1.5), (0, 1)), (waves, (0.4 - 0.3j, np.float32(1.5)), (0, 1)),
    (signs, (0.3 + 0.4j, np.array([0.5, 0.6])), (0, 1)), (signs, (0.3, np.array([0.5, 0.6])), (0, 1)),
    (signs, (0.3 + 0.4j, 0.5), (0, 1)), (signs, (0.3 + 0.4j, np.ones(20)), 0),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "wrt"), PROGRAMS)
def test_versions_of_complex_numbers_give_the_same(f, args, wrt):
    raw, g = (tangent.grad(f, wrt=wrt, optimized=o) for o in (False, True))
    expected = raw(*args)
    for _ in range(4):
        got = g(*args)
        for p, q in zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, expected)), strict=True):
            assert np.shape(p) == np.shape(q) and (type(p) is type(q) or np.ndim(q) == 0)
            np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-14)
    tangents = tuple(
        np.ones_like(args[i]) * (0.5 + 0j if np.iscomplexobj(args[i]) else 0.5) for i in np.atleast_1d(wrt)
    )
    raw, d = (tangent.jvp(f, wrt=wrt, optimized=o) for o in (False, True))
    for _ in range(4):
        np.testing.assert_allclose(d(*args, *tangents), raw(*args, *tangents), rtol=1e-12, atol=1e-14)


def test_gradients_of_complex_numbers_are_complex():
    for f, args in ((orbit, (0.1 + 0.2j, 3)), (orbit, (0.1 + 0.2j, 0))):
        g = tangent.grad(f)
        assert {type(g(*args)) for _ in range(4)} <= {complex, np.complex128}
    assert "unbroadcast" not in tangent.grad(orbit).version(0.1 + 0.2j, 20).source
    assert "unbroadcast" not in tangent.grad(turned, wrt=(0, 1)).version(0.3, 0.2, 12).source


def test_seeds_of_complex_results():
    raw, g = (tangent.vjp(scaled, wrt=(0, 1), optimized=o) for o in (False, True))
    for seed in (1.0 + 0.5j, 2j):
        for _ in range(4):
            np.testing.assert_allclose(g(0.3 - 1j, 2.0, seed), raw(0.3 - 1j, 2.0, seed), rtol=1e-12)
