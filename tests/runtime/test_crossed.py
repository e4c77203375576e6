"""A row that is copied onto one that crosses it: refused, where NumPy reads what it has just written."""

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError

WEIGHTS = np.arange(9.0).reshape(3, 3)


def row_from_column(m):
    w = m.copy()
    w[1] = w[:, 2]
    return np.sum(np.sin(w) * WEIGHTS)


def column_from_a_kept_row(m):
    w = m.copy()
    r = w[0]
    w[:, 1] = r
    return np.sum(np.sin(w) * WEIGHTS)


def exchanged(m):
    w = m.copy()
    w[1], w[:, 2] = w[:, 2], w[1]
    return np.sum(np.sin(w) * WEIGHTS)


def spread_out(m):
    w = m.ravel() * 1.0
    w[:6:2] = w[:3]
    return np.sum(np.sin(w) * WEIGHTS.ravel())


@pytest.mark.parametrize("f", [row_from_column, column_from_a_kept_row, exchanged, spread_out])
def test_crossing_is_refused(f):
    for optimized in (True, False):
        df = tangent.grad(f, optimized=optimized)
        for _ in range(4):
            with pytest.raises(InPlaceError, match=r"(?s)test_crossed.py:\d+: .*crosses it.*copy\(\)"):
                df(WEIGHTS)


def symmetric(m):
    w = m.copy()
    w[:, 1] = w[1]
    w[0] = w[2]
    for i in range(3):
        w[i, i + 1 :] = w[i + 1 :, i]
    return np.sum(np.sin(w) * WEIGHTS)


def backwards(m):
    w = m.copy()
    w[1] = w[::-1, 1]
    w[2] = w[2, ::-1]
    w[:2] = w[1:]
    w[1] = w[:, 2].copy()
    return np.sum(np.sin(w) * WEIGHTS)


@pytest.mark.parametrize("f", [symmetric, backwards])
def test_other_parts_are_followed(f):
    m, v = np.cos(WEIGHTS), np.sin(3.0 * WEIGHTS)
    slope = (f(m + 1e-6 * v) - f(m - 1e-6 * v)) / 2e-6
    df, raw = tangent.grad(f), tangent.grad(f, optimized=False)
    curve = (df(m + 1e-5 * v) - df(m - 1e-5 * v)) / 2e-5
    for _ in range(4):
        for gradient in (df, raw):
            assert np.sum(gradient(m) * v) == pytest.approx(slope, rel=1e-6)
        assert tangent.jvp(f)(m, v) == pytest.approx(slope, rel=1e-6)
    np.testing.assert_allclose(tangent.jvp(df)(m, 1.0, v), curve, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tangent.vjp(df)(m, 1.0, v), curve, rtol=1e-6, atol=1e-8)


def test_parts_with_one_step_are_not_looked_at():
    def shifted(m):
        w = m.copy()
        w[0] = w[-2]
        w[1:, 0] = w[:-1, 0]
        return np.sum(w * w)

    assert "require_uncrossed" not in tangent.grad(shifted).source
