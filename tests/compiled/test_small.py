"""Small arrays as numbers: the rewritten function has the derivatives of the function itself."""

import math

import numpy as np
import pytest

import tangent
from compiled import small_programs
from tangent.optimise.small.apply import small
from tangent.optimise.typed.kinds import kind_of
from tangent.transform.unit import unit

pytest.importorskip("numba")
build = pytest.importorskip("tangent.codegen.compiled.build")
functions = pytest.importorskip("tangent.backends.numba.functions")


def rewritten(f, args):
    return small(f, dict(zip(unit(f).parameters, map(kind_of, args))), build.resolve)


def same(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("f", "args"), small_programs.CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_numbers_for_small_arrays(f, args):
    other = rewritten(f, args)
    assert other is not f
    seed = np.asarray(f(*args)) * 0 + 1.3
    seed = seed if seed.ndim else float(seed)
    same(tangent.vjp(other, wrt=(0,))(*args, seed)[0], tangent.vjp(f, wrt=(0,))(*args, seed)[0])
    direction = np.linspace(0.5, 1.5, args[0].size)
    same(tangent.jvp(other, wrt=(0,))(*args, direction), tangent.jvp(f, wrt=(0,))(*args, direction))


@pytest.mark.parametrize("f", small_programs.AS_THEY_ARE)
def test_what_is_shared_and_written_stays_an_array(f):
    assert rewritten(f, (small_programs.POINT,)) is f


def test_a_part_that_is_not_inside_is_noticed():
    other = rewritten(small_programs.quat, (small_programs.POINT,))
    with pytest.raises(functions.Broadcast):
        tangent.grad(other)(np.ones(3))


def test_matrices_without_a_formula_are_inverted_as_arrays():
    def f(x):
        a = np.array([[x[0], x[1]], [x[2], x[3]]])
        return np.sum(np.linalg.inv(a))

    df = tangent.grad(f, compile="numba")
    for size in (1.0, 1e-120, 1e120):
        x = small_programs.POINT * size
        same(df(x) * size * size, tangent.grad(f)(x) * size * size)
    with pytest.raises(np.linalg.LinAlgError):
        df(np.ones(4))


def test_compiled_and_where_sizes_are_not_as_they_look():
    """Arrays of other sizes get code without the assumption."""
    x = np.array([0.3, -0.2, 1.1])
    df = tangent.grad(lengths, compile="numba")
    for y in (x[::-1] * 2.0, np.ones(1)):
        same(df(x, y, 2), tangent.grad(lengths)(x, y, 2))
    with pytest.raises(ValueError, match="broadcast"):
        df(x, np.ones(2), 2)


def lengths(x, y, n):
    s = 0.0
    for _ in range(n):
        d = x[0:3] - y
        s += np.sum(d * d) + d[0] * d[1]
    return s


def turned(r, x):
    angle = math.sqrt(np.dot(r, r))
    w = r / angle
    c, s = math.cos(angle), math.sin(angle)
    return x * c + np.cross(w, x) * s + w * (np.dot(w, x) * (1.0 - c))


def misfit(poses, points, seen):
    s = 0.0
    for k in range(seen.shape[0]):
        p = turned(poses[k, 0:3], points[k] - poses[k, 3:6])
        e = p[:2] / p[2] - seen[k]
        s += np.sum(e * e)
    return s


def test_cameras_without_arrays():
    """The forward and the backward part are one loop, which keeps nothing and makes no array."""
    r = np.random.default_rng(0)
    args = r.normal(size=(4, 6)), r.normal(size=(4, 3)) + 5.0, r.normal(size=(4, 2))
    df = tangent.grad(misfit, wrt=(0, 1), compile="numba")
    for got, want in zip(df(*args), tangent.grad(misfit, wrt=(0, 1))(*args)):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)
    assert "np.empty" not in df.source and "np.array" not in df.source and "np.zeros" not in df.source
    assert df.source.count("for ") == 1


def moved(w, g, rate):
    w -= rate * g


def moved_often(w, g, rate):
    for _ in range(2):
        w -= rate * g


def scaled_and_given_back(w, rate):
    w *= rate
    return w


def three_moved(x, rate):
    w = x[0:3] * 2.0
    moved(w, x, rate)
    return np.sum(w * w)


def three_moved_often(x, rate):
    w = x[0:3] * 2.0
    moved_often(w, x, rate)
    return np.sum(w * w)


def three_scaled(x, rate):
    w = np.zeros(3) + x
    v = scaled_and_given_back(w, rate)
    return np.sum(w * v)


@pytest.mark.parametrize("f", [three_moved, three_moved_often, three_scaled])
def test_what_a_helper_changes_in_place_is_changed(f):
    x = np.array([0.3, 0.7, -0.2])
    for got, want in zip(tangent.grad(f, (0, 1), compile="numba")(x, 0.05), tangent.grad(f, (0, 1))(x, 0.05)):
        np.testing.assert_allclose(got, want, rtol=1e-12)
