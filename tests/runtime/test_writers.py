"""Functions of libraries that write into what they are given, and are known only when they are called: refused."""

import operator

import numpy as np
import pytest

import tangent
from tangent.errors import InPlaceError
from tangent.runtime.writers import require_reader

U, A = np.array([0.7, -1.3, 0.4]), np.array([1.1, 0.6, -0.8])


def handed(write, u, a):
    for g in (write,):
        g(a, u)
    return np.sum(a * u)


def handed_and_read(write, u, a):
    for g in (write,):
        y = g(a, u)
    return np.sum(a * y)


WRITERS = {
    "copyto": np.copyto, "iadd": operator.iadd, "imul": operator.imul, "fill": np.ndarray.fill,
}  # fmt: skip


CALLS = [*((handed, name) for name in WRITERS), *((handed_and_read, name) for name in ("iadd", "imul"))]


@pytest.mark.parametrize("program, name", CALLS)
@pytest.mark.parametrize("differentiate", [tangent.grad, tangent.jvp])
def test_calls_for_their_effects_and_for_their_results(program, name, differentiate):
    given = A.copy()
    more = (U,) if differentiate is tangent.jvp else ()
    with pytest.raises(InPlaceError, match="found out only when the call happens"):
        differentiate(program, wrt=1)(WRITERS[name], U, given, *more)
    assert np.array_equal(given, A)


def at_places(write, u, a):
    places = np.array([0, 1, 1])
    for g in (write,):
        np.add.at(a, places, u)
        g(places, 2)
    return a * u


@pytest.mark.parametrize("write", [np.copyto, np.ndarray.fill, operator.iadd])
def test_indices_are_read_by_adjoints(write):
    with pytest.raises(InPlaceError, match="found out only when the call happens"):
        tangent.vjp(at_places, wrt=1)(write, U, A.copy(), U)


WORK, LOG, UNREAD = np.zeros(3), [], []


def fill_work(u):
    WORK[:] = u


def fill_work_and_double(u):
    WORK[:] = u
    return u * 2.0


def log_and_double(u):
    LOG.append(u)
    return u * 2.0


def log_unread_and_double(u):
    UNREAD.append(u)
    return u * 2.0


def filled_by_one_of_several(write, u):
    s = 0.0
    for g in (write,):
        g(u)
        s = s + np.sum(WORK * WORK)
    return s


def read_beside_the_result(write, u):
    s = 0.0
    for g in (write, np.sin):
        s = s + np.sum(g(u) * WORK)
    return s


def read_from_the_log(write, u):
    s = 0.0
    for g in (write, np.sin):
        s = s + np.sum(g(u))
    return s + np.sum(LOG[0])


AROUND = [
    (filled_by_one_of_several, fill_work), (read_beside_the_result, fill_work_and_double),
    (read_from_the_log, log_and_double),
]  # fmt: skip


@pytest.mark.parametrize("program, write", AROUND)
@pytest.mark.parametrize("differentiate", [tangent.grad, tangent.jvp])
def test_variables_of_the_module_that_the_caller_reads(program, write, differentiate):
    more = (U,) if differentiate is tangent.jvp else ()
    with pytest.raises(InPlaceError, match="found out only when the call happens"):
        differentiate(program, wrt=1)(write, U, *more)


def test_variables_of_the_module_that_nobody_reads():
    def doubled(write, u):
        s = 0.0
        for g in (write, np.sin):
            s = s + np.sum(g(u))
        return s

    assert np.allclose(tangent.grad(doubled, wrt=1)(log_unread_and_double, U), 2.0 + np.cos(U))


def test_numbers_are_bound_anew():
    assert tangent.grad(lambda x, f: f(x, x), wrt=0)(3.0, operator.imul) == 6.0


@pytest.mark.parametrize(
    "function, args",
    [
        (np.multiply, (A, U, A)), (np.cumsum, (U, 0, None, A)), (A.clip, (-0.5, 0.5, A)),
        (np.ndarray.clip, (A, 0, 1, A)),
        (np.add.at, (A, [0], 1.0)), (np.add.reduce, (U, 0, None, A)), (A.sort, ()), ([].append, (1.0,)),
        (np.copyto, (np.zeros(2, int), 1)),
        (np.random.default_rng(0).shuffle, (A,)), (operator.setitem, ({}, "k", 1.0)), (np.clip, (U, 0, 1, A)),
    ],
)  # fmt: skip
def test_what_writes(function, args):
    with pytest.raises(InPlaceError):
        require_reader(function, args, {})


@pytest.mark.parametrize(
    "function, args, kwargs",
    [
        (np.multiply, (A, U), {}), (np.multiply, (A, U), {"out": None}), (np.cumsum, (U, 0), {}), (A.clip, (0, 1), {}),
        (np.add.reduce, (U, 0), {}), (A.sum, (), {}), (max, (1.0, 2.0), {}),
        (np.random.default_rng(0).normal, (A,), {}), (operator.iadd, (1.0, 2.0), {}), (handed, (1, A, A), {}),
    ],
)  # fmt: skip
def test_what_reads(function, args, kwargs):
    require_reader(function, args, kwargs)
