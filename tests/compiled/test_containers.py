"""Compiled derivatives of code with dicts and named tuples; what is refused, and how."""

import copy
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import tangent
from programs import numeric

numba = pytest.importorskip("numba")
from numba import typed  # noqa: E402
from numba.typed import List  # noqa: E402


class Pair(NamedTuple):
    left: Any
    right: Any


def remembered(x, n):
    """A table by number: filled, replaced and taken from."""
    table = {0: x, 1: x * x}
    total = 0.0
    for i in range(2, n):
        table[i % 3] = math.sin(table[(i - 1) % 3]) * x + i
        total += table[i % 3] ** 2
        if i % 4 == 3:
            del table[i % 3]
            table[i % 3] = table.get(i % 3, 0.0) + 1  # a float all the same
            table[i % 3] = table.get(i % 3, 0.0) + total * 0.1
    return total * table[0]


def paired(x):
    pair = Pair(x[:2] * 1.0, x[1:] * 2.0)
    first = pair.left
    first[0] += pair.right[1]
    return np.sum(pair.left * pair.right)


@pytest.mark.parametrize("n", (2, 3, 9))
def test_a_table_by_number(n):
    assert REMEMBERED(0.7, n) == pytest.approx(tangent.grad(remembered)(0.7, n), rel=1e-13)


def test_arrays_of_a_named_tuple():
    x = np.array([0.3, -1.2, 0.8])
    got, want = tangent.jvp(paired, compile="numba")(x, dx=x), tangent.jvp(paired)(x, dx=x)
    assert got == pytest.approx(want, rel=1e-13)


class Motion(NamedTuple):
    x: float
    v: float


class Spring(NamedTuple):
    stiffness: float
    hardening: float
    mass: Any


def moved(m, spring, h):
    """A named tuple for another, with the numbers of a third kind."""
    v = m.v - h * (spring.stiffness * m.x + spring.hardening * m.x**3) / spring.mass
    return Motion(m.x + h * v, v)


def swung(spring, x0, n):
    m = Motion(x0, 0.0)
    for _ in range(n):
        m = moved(m, spring, 0.1)
    return m.x * m.v


def derivatives(f, wrt, **compile):
    back, ahead = tangent.vjp(f, wrt=wrt), tangent.jvp(f, wrt=wrt)
    of = ((tangent.vjp, f), (tangent.jvp, back), (tangent.vjp, back), (tangent.vjp, ahead))
    return [made(g, wrt=wrt, **compile) for made, g in of]


def test_derivatives_of_derivatives_by_named_tuples():
    spring, along = Spring(0.3, 0.2, 1.5), Spring(0.5, -0.4, 0.9)
    seeds = ((1.3,), (1.3, along, 0.7), (1.3, (along, 0.7)), (along, 0.7, 1.3))
    made = zip(derivatives(swung, (0, 1)), derivatives(swung, (0, 1), compile="numba"), seeds)
    for interpreted, compiled, more in made:
        want, got = (f(spring, 0.5, 4, *more) for f in (interpreted, compiled))
        assert got[0] == pytest.approx(want[0], rel=1e-13) and got[1] == pytest.approx(want[1], rel=1e-13)
    assert isinstance(got[0], Spring)


def test_a_named_tuple_may_hold_other_types_at_the_next_call():
    def of(spring, x):
        return np.sum(spring.stiffness * x + spring.mass)

    compiled, interpreted = tangent.grad(of, compile="numba"), tangent.grad(of)
    for spring in (Spring(0.5, 0.0, 1.0), Spring(0.5, 0.0, np.ones(2)), Spring(1, 0.0, 1.0)):
        got, want = compiled(spring, np.arange(2.0)), interpreted(spring, np.arange(2.0))
        assert got.stiffness == pytest.approx(want.stiffness) and np.allclose(got.mass, want.mass)


def grown(w):
    return np.linalg.det(w) ** 2


def factored(w):
    return np.sum(np.linalg.cholesky(w) ** 2 * w)


REGULAR, SINGULAR = np.array([[2.0, 0.3], [0.1, 1.5]]), np.array([[1.0, 2.0], [2.0, 4.0]])


@pytest.mark.parametrize("f, w", ((grown, REGULAR), (grown, SINGULAR), (factored, REGULAR)))
def test_second_derivatives_of_matrices(f, w):
    once, along = tangent.grad(f), np.array([[0.3, -0.7], [0.4, 0.2]])
    for mode in (tangent.jvp, tangent.vjp):
        got, want = mode(once, compile="numba")(w, 1.0, along), mode(once)(w, 1.0, along)
        assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def products(v):
    return np.sum(np.cumprod(v) ** 2)


def test_kernels_of_rules_are_written_into_derivatives_of_derivatives():
    """Their halves keep nothing for each other in tuples, which Numba compiles slowly."""
    v, along = REGULAR[0], np.array([0.3, -0.7])
    twice = tangent.vjp(tangent.grad(products), compile="numba")
    assert np.allclose(twice(v, 1.0, along), tangent.vjp(tangent.grad(products))(v, 1.0, along), rtol=1e-12)
    assert "_saved" not in twice.source


REMEMBERED = tangent.grad(remembered, compile="numba")


def rate_chosen(x):
    work = np.zeros(2)

    def rate(y):
        work[0] = y * x
        return work[0] + work[1]

    return repeated(rate, x)


def repeated(f, y):
    for _ in range(3):
        y = y + f(y)
    return y


def test_a_refusal_says_what_is_done_and_where():
    with pytest.raises(tangent.errors.CompileError) as caught:
        tangent.grad(rate_chosen, compile="numba")(0.5)
    message = str(caught.value)
    assert "y = y + f(y)" in message and "a function that is known only when it is called" in message
    assert "Call it by its name" in message


def test_sums_of_nothing():
    derivative = tangent.jvp(lambda x: sum(x) * 2.0 + 1.0, compile="numba")
    assert derivative(np.ones(3), np.ones(3)) == 6.0
    assert derivative(np.zeros(0), np.zeros(0)) == 0.0


def rows_of_lists(x, n):
    t = np.zeros((2, 3))
    for i in range(n):
        t[i % 2] = [x[0], x[1] * t[0, 0], i * x[2]]
        t[:, 1] = (x[0], t[0, 2])
    return np.sum(t * t)


def test_lists_and_tuples_are_stored_into_rows():
    x = np.array([0.3, 0.7, 1.1])
    want = tangent.grad(rows_of_lists)(x, 3)
    np.testing.assert_allclose(tangent.grad(rows_of_lists, compile="numba")(x, 3), want, rtol=1e-12)


def given_list_copied(xs, v):
    """Copied without its arrays: what is written is the caller's, unless all of it was copied on entry."""
    ys = xs.copy()
    ys[0][1] = v
    ys[1] = ys[0] * 2.0
    return np.sum(xs[0] * xs[0]) + np.sum(ys[1] * xs[1])


def test_arrays_of_a_given_list_are_not_written_for_the_caller():
    given, seed = [np.ones(3), np.full(3, 2.0)], [np.ones(3), np.ones(3)]
    with pytest.raises(tangent.errors.CompileError, match=r"test_containers.py:\d+.*held elsewhere"):
        tangent.jvp(given_list_copied, compile="numba")(given, 1.3, seed)
    np.testing.assert_array_equal(given[0], np.ones(3))


def lists_become_arrays(x):
    squares = np.array([v * v for v in x])
    return sum([a * b for a, b in zip(x, squares)]) + np.sum(squares)


def test_lists_that_one_loop_fills_become_arrays():
    x = np.array([0.3, -1.2, 0.8])
    got, want = (tangent.jvp(lists_become_arrays, **c)(x, x) for c in ({"compile": "numba"}, {}))
    assert got == pytest.approx(want, rel=1e-13)


def turned_and_scaled(x, v):
    """What a list of arrays held is put back into the arrays, which have other names, and not only into the list."""
    w = x * 1.0
    ts = [w, x * 2.0]
    for k in range(3):
        s = np.sum(w**3)
        ts[k % 2] *= v * s
    return np.sum(ts[0] * ts[1])


def in_a_list_of_an_argument(t, v):
    w = t[1][0]
    s = np.sum(t[1][0] ** 2 * w)
    w[1] = v * s
    t[1][0] *= v
    return np.sum(t[1][0] * t[0])


def part_of_a_list(b):
    p = b[:2]
    p[0] += b[3] * b[0]
    return p[0] * p[1] * b[0]


def rows_named_twice(a, places):
    a = a * 1.0
    a[places] *= a[1] + 2.0
    return np.sum(a * a)


def window_that_moves(x):
    window, total = [], 0.0
    for v in x:
        window.append(v * v)
        if len(window) > 3:
            window.pop(0)
        total += sum(window) / len(window)
    return total * window.pop() + window[-1]


def real_parts(x):
    z = x * (1.0 + 2.0j)
    re = z.real
    re *= x
    re[1:] += re[:-1].copy() / x[0]
    return np.sum(np.abs(z) ** 2)


LISTS = (
    (window_that_moves, (np.array([0.3, 0.5, 1.0, 2.0, 0.7]),)),
    (real_parts, (np.array([0.3, 0.5, 1.0]),)),
    (turned_and_scaled, (np.array([0.5, 1.2, 0.3]), 0.7)),
    (in_a_list_of_an_argument, ((np.array([1.0, 2.0]), [np.array([0.5, 1.5])]), 1.3)),
    (part_of_a_list, ([0.7, 1.3, 0.4, 2.1],)),
    (rows_named_twice, (np.array([0.5, 1.2, 0.3]), np.array([2, 0, 2]))),
)


@pytest.mark.parametrize(("f", "arguments"), LISTS, ids=[f.__name__ for f, _ in LISTS])
def test_lists_of_what_is_written_in_place(f, arguments):
    want, compiled = tangent.vjp(f, preserve_result=True), tangent.vjp(f, preserve_result=True, compile="numba")
    for _ in range(2):
        got = compiled(*copy.deepcopy(arguments))
        assert numeric.vector(got) == pytest.approx(numeric.vector(want(*copy.deepcopy(arguments))), rel=1e-12)


@numba.njit
def typed_containers(x):
    """Lists and dicts that are made for Numba, whose names the operators of their classes are not looked for."""
    squares, table = List(), typed.Dict.empty(numba.int64, numba.float64)
    for v in x:
        squares.append(v * v)
    for i in range(len(squares)):
        table[i] = squares[i] * x[0]
    kept = List.empty_list(numba.float64)
    for v in List(squares):
        kept.append(v + table[1])
    return kept[-1] * table[2] + sum(kept)


def test_containers_of_numba_are_those_of_python():
    x = np.array([0.3, -1.2, 0.8])
    np.testing.assert_allclose(tangent.grad(typed_containers)(x), tangent.grad(typed_containers.py_func)(x), rtol=1e-12)
    step = 1e-6 * np.eye(3)
    want = [(typed_containers.py_func(x + h) - typed_containers.py_func(x - h)) / 2e-6 for h in step]
    np.testing.assert_allclose(tangent.grad(typed_containers)(x), want, rtol=1e-6)


def chained(x):
    table = {0: x[0] * 2.0}
    for i in range(1, 3):
        table[i] = table[i - 1] * x[i]
    return table[2]


def test_tangents_of_adjoints_in_dicts_that_are_not_there_are_zero():
    x, dx = np.array([0.3, -1.2, 0.8]), np.array([1.0, 0.5, 2.0])
    second = tangent.jvp(tangent.vjp(chained))
    got = tangent.jvp(tangent.vjp(chained), compile="numba")(x, 1.5, dx)
    np.testing.assert_allclose(got, second(x, 1.5, dx), rtol=1e-12)
