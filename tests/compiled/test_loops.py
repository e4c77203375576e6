"""Kernels in loops and in place: what is compiled is what one would write by hand, and it is right."""

import ast
import math
import types

import numpy as np
import pytest
from benchmarks.kernels import bodies, kernels

import tangent
from tangent.optimise.typed.aliases import private
from tangent.source.resolve import MISSING

numba = pytest.importorskip("numba")
KERNELS = {k.name: k for k in kernels()}


@pytest.mark.parametrize("name", ["elimination", "levinson", "fingers", "fields", "shortest"])
def test_gradients_agree_with_those_by_hand(name):
    kernel = KERNELS[name]
    got = tangent.grad(kernel.function, compile="numba")(*kernel.arguments)
    np.testing.assert_allclose(got, kernel.by_hand(*kernel.arguments), rtol=1e-9, atol=1e-12)


def pairs(x, n):
    """Two elements of one array in each step, which may be one; a length times its square root."""
    s = 0.0
    for i in range(n):
        for j in range(n):
            r = (x[i] - x[j]) ** 2 + 0.1
            s += r * math.sqrt(r)
    return s


@pytest.mark.parametrize("n", (0, 1, 3))
def test_sums_that_others_add_to_and_roots_need_no_memory_and_no_division(n):
    x = np.array([0.3, -1.2, 0.8])
    np.testing.assert_allclose(PAIRS(x, n), tangent.grad(pairs)(x, n), rtol=1e-12, atol=1e-12)
    assert "1.5 *" in PAIRS.source and "ratio" not in PAIRS.source and "+= total" in PAIRS.source


PAIRS = tangent.grad(pairs, compile="numba")


def test_what_is_final_is_neither_kept_nor_put_back():
    """The factor is read by the backward pass as it is at the end."""
    kernel = KERNELS["cholesky"]
    derivative = tangent.grad(kernel.function, compile="numba")
    got = derivative(*kernel.arguments)
    np.testing.assert_allclose(got, tangent.grad(kernel.function)(*kernel.arguments), rtol=1e-10, atol=1e-13)
    assert "stack" not in derivative.source and ".pop()" not in derivative.source


def overwritten(x, n):
    """Elements that are read before they are written, at places that are not known beforehand."""
    a = x.copy()
    for i in range(n):
        u, v = i % 3, (i * 2) % 3
        p, q = a[u], a[v]
        a[u] = p * 0.5 + math.sin(q)
        a[v] = q * p
    return np.sum(a * a)


def test_what_is_overwritten_is_kept():
    x = np.array([0.3, 0.7, 1.1])
    got = tangent.grad(overwritten, compile="numba")(x, 7)
    np.testing.assert_allclose(got, tangent.grad(overwritten)(x, 7), rtol=1e-12)


def written_in_each_step(x, steps):
    """Quotients that the next step overwrites, in an array of which nothing else is put back."""
    c = x.copy()
    for _ in range(steps):
        total = np.zeros(len(c))
        for i in range(len(c)):
            total[i] += math.exp(-c[i])
        for i in range(len(c)):
            c[i] = x[i] / total[i]
    return np.sum(c * c)


def test_what_a_later_step_overwrites_is_kept():
    x = np.array([0.3, 0.7, 1.1])
    got = tangent.grad(written_in_each_step, compile="numba")(x, 3)
    np.testing.assert_allclose(got, tangent.grad(written_in_each_step)(x, 3), rtol=1e-12)


def made_anew_in_each_step(x, steps):
    """An array of which the backward pass needs each one."""
    h = np.zeros_like(x)
    for _ in range(steps):
        h = np.tanh(x + h)
    return np.sum(h)


def test_arrays_that_are_kept_have_memory_of_their_own():
    x = np.array([0.3, 0.5, 0.9])
    got = tangent.grad(made_anew_in_each_step, compile="numba")(x, 4)
    np.testing.assert_allclose(got, tangent.grad(made_anew_in_each_step)(x, 4), rtol=1e-12)


def under_one_name(x, steps):
    """An array that is read before another one gets its name, in the first step, too."""
    h = np.zeros_like(x)
    for _ in range(steps):
        old = h
        h = x * h + 1.0
        h = h * (h - old)
    return np.sum(h)


def test_memory_of_a_loop_is_not_that_of_what_comes_in():
    x = np.array([0.3, 0.5, 0.9])
    for steps in (0, 4):
        got = tangent.jvp(under_one_name, compile="numba")(x, steps, x)
        np.testing.assert_allclose(got, tangent.jvp(under_one_name)(x, steps, x), rtol=1e-12)


def around_the_end(x, steps):
    """An index below zero counts from the end."""
    a = x.copy()
    for _ in range(steps):
        for i in range(len(a)):
            a[i] = a[i - 1] * a[i] + 0.1
    return np.sum(a)


def test_indices_that_count_from_the_end():
    x = np.linspace(0.2, 0.9, 5)
    got = tangent.grad(around_the_end, compile="numba")(x, 3)
    np.testing.assert_allclose(got, tangent.grad(around_the_end)(x, 3), rtol=1e-12)


def neighbours_changed(x, steps):
    """Where there is one element, it is its own neighbour."""
    a = x.copy()
    for _ in range(steps):
        for i in range(len(a)):
            u = a[i]
            a[i - 1] = 0.5 * a[i]
            a[i] *= u + a[i - 1]
        a[1:-1] = (a[:-2] + a[2:]) / 2
    return np.sum(a)


@pytest.mark.parametrize("mode", (tangent.vjp, tangent.jvp))
def test_arrays_of_few_elements(mode):
    compiled = mode(neighbours_changed, compile="numba")
    for n in (1, 2, 0, 5):
        x = np.linspace(0.4, 0.9, n)
        seed = 1.0 if mode is tangent.vjp else x
        np.testing.assert_allclose(compiled(x, 2, seed), mode(neighbours_changed)(x, 2, seed), rtol=1e-12)


def rows_filled(m, c):
    """A row that is set is no number, whatever it is set to."""
    m = m.copy()
    v = c * np.ones(3, dtype=np.float32)
    m[0] = v
    v[0] = 5.0
    s = np.sum(np.sin(m[0])) * v[1]
    m[...] = c
    return s + np.sum(np.sin(m[...]))


def test_rows_of_single_precision():
    m = np.ones((2, 3), np.float32)
    got = tangent.grad(rows_filled, wrt=1, compile="numba")(m, 0.7)
    np.testing.assert_allclose(got, tangent.grad(rows_filled, wrt=1)(m, 0.7), rtol=1e-6)


def halved(row, factor):
    kept = np.zeros(len(row))
    for i in range(len(row)):
        kept[i] = math.tanh(row[i] * factor)
    return kept


def called_in_a_loop(x, steps):
    a = x.copy()
    for s in range(steps):
        a = halved(a, 0.5 + 0.1 * s) + x
    return np.sum(a * a)


def test_callees_are_written_into_their_callers():
    x = np.linspace(0.2, 0.9, 5)
    derivative = tangent.grad(called_in_a_loop, compile="numba")
    np.testing.assert_allclose(derivative(x, 4), tangent.grad(called_in_a_loop)(x, 4), rtol=1e-12)
    assert derivative.source.count("def ") == 1


def with_a_number(b, sign):
    """`t` is a number where b has one axis, and a row where it has two."""
    t = b[0]
    t = t * 1.0 if sign < 0 else t
    t += b[1]
    return np.sum(t * b[0])


@pytest.mark.parametrize("b", [np.array([0.5, 0.25, 2.0]), np.array([[0.5, 1.0], [0.25, 2.0]])])
def test_numbers_and_rows(b):
    def f(b):
        b = b.copy()
        return with_a_number(b, 1)

    want = tangent.grad(f)(b)
    try:
        got = tangent.grad(f, compile="numba")(b)
    except tangent.errors.CompileError:
        pytest.skip("refused")
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_second_order_in_place():
    kernel = KERNELS["relax"]
    a = kernel.arguments[0][:8, :8]
    direction = np.cos(np.arange(a.size)).reshape(a.shape)
    want = tangent.hvp(kernel.function)(a, 2, direction)
    np.testing.assert_allclose(tangent.hvp(kernel.function, compile="numba")(a, 2, direction), want, rtol=1e-11)


def test_the_chain_is_right():
    kernel = KERNELS["fingers"]
    angles, *rest = kernel.arguments
    step = np.zeros_like(angles)
    step[3, 7] = 1e-6
    difference = (bodies.fingers(angles + step, *rest) - bodies.fingers(angles - step, *rest)) / 2e-6
    got = tangent.grad(kernel.function, compile="numba")(*kernel.arguments)
    assert got[3, 7] == pytest.approx(difference, rel=1e-5)


def test_what_a_list_holds_is_not_used_again():
    """An array that is put on a list in each iteration must be a new one each time."""
    body = ast.parse("for i in range(3):\n    t = np.empty(3)\n    kept.append(t)").body
    found = types.SimpleNamespace(resolve=lambda e, g: MISSING)
    assert private(body, frozenset({"t"}), None, found) == frozenset()


def products(x):
    s = 0.0
    p = 1.0
    for i in range(x.shape[0]):
        p *= x[i]
        s += p
    return s


def test_a_loop_that_carries_a_number_is_not_turned():
    """`bp = bp + bs` reads what the iteration before has left."""
    x = np.array([0.5, 1.5, 0.7, 1.2])
    np.testing.assert_allclose(tangent.grad(products, compile="numba")(x), tangent.grad(products)(x), rtol=1e-12)


def differences(x, n):
    h, s = x.copy(), 0.0
    for _ in range(n):
        for i in range(len(x)):
            a = h[i] - x[i]
            h[i] = math.sin(h[i]) * x[i]
            s += a * a + (h[i] - x[i]) * (h[i] - x[i])
    return s


def test_a_number_that_two_records_would_keep_is_kept_once():
    """But not one that is computed before what it reads is written."""
    x = np.array([0.3, 0.7, -0.4])
    derivative = tangent.grad(differences, compile="numba")
    np.testing.assert_allclose(derivative(x, 4), tangent.grad(differences)(x, 4), rtol=1e-12)
    assert derivative.source.count("_stack = np.empty") == 4  # a, the sine, the difference, what h was


def waves(a, b, n):
    for _ in range(n):
        a[1:, :] -= 0.5 * (b[1:, :] - b[:-1, :])
        b[:-1, :-1] -= 0.7 * (a[:-1, 1:] - a[:-1, :-1])
    return np.sum(a * b)


def test_arguments_that_are_written_are_known_by_the_names_of_their_copies():
    """Nothing else looks at the copies, and the lengths of both are compared once."""
    a, b = np.cos(np.arange(20.0)).reshape(4, 5), np.sin(np.arange(20.0)).reshape(4, 5)
    derivative = tangent.grad(waves, wrt=(0, 1), compile="numba")
    for got, want in zip(derivative(a, b, 3), tangent.grad(waves, wrt=(0, 1))(a, b, 3)):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    forward, _, backward = derivative.source.partition("shadow")
    assert "np.empty" not in forward and forward.count("require_same") == 2 and "require_same" not in backward


def spread_rows(a, b, n):
    for _ in range(n):
        a[:] = a * b
    return np.sum(a * a)


@pytest.mark.parametrize("n", [0, 2])
def test_arguments_of_other_lengths_are_broadcast(n):
    a, b = np.cos(np.arange(6.0)).reshape(2, 3), np.array([[0.5, 1.5, 0.7]])
    got = tangent.grad(spread_rows, wrt=(0, 1), compile="numba")(a, b, n)
    for g, want in zip(got, tangent.grad(spread_rows, wrt=(0, 1))(a, b, n)):
        np.testing.assert_allclose(g, want, rtol=1e-12)


def relaxed(q, b, n):
    p = np.empty_like(q)
    for _ in range(n):
        p[:] = q
        q[1:-1] = 0.5 * (p[2:] + p[:-2]) * b[1:-1]
        q[0] = q[1]


def sweeps(q, b, n):
    for _ in range(n):
        relaxed(q, b, 2)
        b[1:-1] = b[1:-1] * q[1:-1]
    return np.sum(q * b)


def test_what_a_callee_keeps_is_known_in_its_backward_pass():
    """Also where the caller is looked at first, and nothing is known of it then."""
    q, b = np.linspace(0.5, 1.5, 6), np.linspace(1.2, 0.4, 6)
    derivative = tangent.grad(sweeps, wrt=(0, 1), compile="numba")
    for got, want in zip(derivative(q, b, 3), tangent.grad(sweeps, wrt=(0, 1))(q, b, 3)):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    assert "unbroadcast" not in derivative.source


def squared_from_the_end(w):
    np.subtract(w[::-1] * w[::-1], 1.0 / ((w[::-1] * 1) ** 2 + 1.0), w)
    return w[:, 0]


def test_a_copy_under_another_name_is_written_after_what_reads_it():
    w = np.linspace(0.3, 1.4, 12).reshape(4, 3)
    derivative = tangent.jvp(squared_from_the_end, compile="numba")
    np.testing.assert_allclose(derivative(w, np.cos(w)), tangent.jvp(squared_from_the_end)(w, np.cos(w)), rtol=1e-12)


def weighted(x, c, n):
    """Rows that are far from `c` count less; what it does with `c` looks as if that were a number."""
    total, centre = 0.0, np.zeros(2)
    for i in range(n):
        d = x[i] - c
        w = math.exp(-d[0] * d[0])
        centre[0] += w * x[i, 0]
        centre[1] += w * x[i, 1]
        total += w
    return centre / total


def test_second_derivatives_add_to_parts_in_place():
    """A copy of the whole array in each step took time by the square; arguments that look like numbers are arrays."""
    x, c, seed = np.linspace(0.1, 2.0, 6).reshape(3, 2), np.array([0.3, 0.9]), np.ones(2)
    second = tangent.jvp(tangent.vjp(weighted, wrt=(0, 1)), wrt=(0, 1), compile="numba")
    want = tangent.jvp(tangent.vjp(weighted, wrt=(0, 1)), wrt=(0, 1))(x, c, 3, seed, x, c)
    for a, b in zip(second(x, c, 3, seed, x, c), want):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert ".copy()" not in second.source
